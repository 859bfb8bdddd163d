"""Follow-ups: the request that a message refers to, the options of an answer, and the names in it."""

from __future__ import annotations

from datetime import UTC, datetime
from functools import partial

import pytest

from cognitive import Message, Policy, Tool, Turn
from cognitive.preflight import signals
from cognitive.preflight.category_learning import NOTHING_LEARNED
from cognitive.preflight.follow_ups import Earlier, messages_read, options
from cognitive.preflight.planner import Planner
from cognitive.privacy.redaction import redact_turn

NOW = datetime(2026, 6, 17, 10, tzinfo=UTC)


def said(*texts: str) -> list[Message]:
    """Return a conversation in which the user and the assistant take turns."""
    return [Message(role=("user", "assistant")[n % 2], content=text) for n, text in enumerate(texts)]


@pytest.mark.parametrize(
    ("answer", "expected"),
    [
        ("Sure, I can help. Do you want red or blue?", ["Do you want red", "blue"]),
        ("OK, let me see. There are two: Lufthansa at 9 and KLM at 11.", ["Lufthansa at 9", "KLM at 11"]),
        ("You can take Oslo, Bergen or the night train.", ["You can take Oslo", "Bergen", "the night train"]),
        ("Two fit: Ada, a quiet boat, or the ferry.", ["Ada, a quiet boat", "the ferry"]),
        ("Ideas: tea (green, strong), coffee and milk.", ["tea (green, strong)", "coffee", "milk"]),
        ("1. sweep the floor, 2. wax it, 3. let it dry.", ["sweep the floor", "wax it", "let it dry"]),
        ("- red\n- blue", ["red", "blue"]),
        ("1. Dr. Lobo 2. Dr. Fonseca 3. Janusz", ["Dr. Lobo", "Dr. Fonseca", "Janusz"]),
        ("1. Dr. Lobo\n2. Dr. Fonseca\n3. Janusz", ["Dr. Lobo", "Dr. Fonseca", "Janusz"]),
        ("1. the vet, Dr. Lobo 2. the plumber, Janusz.", ["the vet, Dr. Lobo", "the plumber, Janusz"]),
        ("Three: 1) Mrs. Lobo, 2) Tom, and 3) Ann. Who is it?", ["Mrs. Lobo", "Tom", "Ann"]),
        ("**1. Loki** at home\n**2. Splunk**", ["Loki at home", "Splunk"]),
        ("I'd ask Dr. Lobo, Mr. Mills or Ann.", ["I'd ask Dr. Lobo", "Mr. Mills", "Ann"]),
        ("It's in version 2. It costs 3. That is all.", []),
        ("Rita is away, so it's Tom or Ann.", ["so it's Tom", "Ann"]),
        ("The boat leaves at noon.", []),
    ],
)
def test_options_of_an_answer_are_found(answer, expected):
    assert options(answer) == expected


def test_options_are_found_after_a_long_run_of_white_space():
    """The patterns would need minutes if they read each blank of the run."""
    for blank in " \n\t":
        assert options("It fits: " + blank * 200_000 + "tea, milk or water.") == ["tea", "milk", "water"]
    assert options("Ideas:\n\n \n- red\r\n  \r\n- blue") == ["red", "blue"]


def test_request_is_found_past_thanks_reactions_and_incomplete_messages():
    conversation = said(
        "where is the spare key for the shed?",
        "In the blue tin.",
        "ok thanks",
        "You're welcome!",
        "and who has it now?",
        "Rita took it on Monday.",
        "nice, I'm hungry",
        "Then eat something.",
    )
    earlier = Earlier.of(conversation)
    assert earlier.request == "where is the spare key for the shed?"
    assert earlier.answers == ("Rita took it on Monday.", "In the blue tin.")
    assert not earlier.latest


def test_choice_reads_the_chosen_option_only():
    conversation = said("which boats are free?", "The Ada, the Kestrel or the Heron.", "ok", "Anything else?")
    earlier = Earlier.of(conversation)
    read = signals.read("what does the second one cost?", now=NOW, earlier=lambda: earlier)
    assert read.text == "which boats are free?\nthe Kestrel\nwhat does the second one cost?"


def test_pronoun_reads_the_names_in_the_answer():
    read = signals.read("what's her number?", now=NOW, earlier=lambda: Earlier("who owns it?", ("That's Rita Moll.",)))
    assert read.text == "who owns it?\nRita Moll\nwhat's her number?"


def test_new_topic_in_place_of_the_old_reads_no_names():
    read = signals.read("and for boats?", now=NOW, earlier=lambda: Earlier("who insures cars?", ("Ask Rita Moll.",)))
    assert read.text == "who insures cars?\nand for boats?"


def test_complete_message_reads_nothing_from_before():
    read = signals.read("who insures the boat?", now=NOW, earlier=lambda: Earlier("who owns it?", ("Rita Moll.",)))
    assert read.text == "who insures the boat?"
    assert not read.elliptic


def test_choice_without_that_many_options_keeps_the_request_alone():
    read = signals.read(
        "what about the third one?", now=NOW, earlier=lambda: Earlier("which boats?", ("Ada or Heron.",))
    )
    assert read.text == "which boats?\nwhat about the third one?"


@pytest.mark.parametrize(("text", "read"), [("what's her number?", "[key]"), ("who owns the blue boat?", "4471")])
def test_messages_that_a_follow_up_reads_are_redacted(text, read):
    turn = Turn(agent_id="a", session_id="s", text=text, conversation=said("I am Rita 4471", "Hello Rita 4471"))
    planned = partial(messages_read, conversation=turn.conversation)
    redacted = redact_turn(turn, planned, lambda written: written.replace("4471", "[key]"))
    assert [message.content for message in redacted.conversation] == [f"I am Rita {read}", f"Hello Rita {read}"]


def searched(message: str, *history: str) -> str:
    """Return the text that a message searches for after a conversation."""
    return signals.read(message, now=NOW, earlier=lambda: Earlier.of(said(*history))).text


PORT = ("Which port does production use?", "5432.", "and how long are its backups kept?", "14 days.")
NUMBER = ("What's the budget for the kitchen?", "9,000.", "and what about the dentist's number?", "555 1234.")


@pytest.mark.parametrize(
    ("message", "history", "words", "others"),
    [
        ("and for staging?", PORT, ("backups", "staging"), ("port",)),
        ("and for tests?", (*PORT, "and for staging?", "7 days."), ("backups", "tests"), ("port",)),
        ("and who checks them?", PORT, ("production", "backups", "checks"), ()),
        ("and the vet?", (*NUMBER, "great"), ("number", "vet"), ("budget",)),
        ("and the plumber?", (*NUMBER, "and the vet?", "555 99."), ("number", "plumber"), ("budget",)),
        ("and the vet?", ("where does Tom live?", "Oslo.", "and Tom's sister?", "Rome."), ("live", "vet"), ()),
        ("and who fixed it?", ("why did nas3 fail?", "No space.", "what about nas4?", "Same."), ("fail", "nas4"), ()),
        ("what does the second one charge?", ("who can help?", "1. Dr. Lobo 2. Dr. Bem"), ("Dr. Bem",), ("Lobo",)),
        ("the last one", ("who can help?", "1. Dr. Lobo 2. Janusz"), ("Janusz",), ("Lobo",)),
        ("what's her number?", ("who is it?", "Rita Moll, on Mondays from 9:00 UTC for 40 EUR."), ("Rita Moll",),
         ("UTC", "EUR", "Monday")),
    ],
)  # fmt: skip
def test_topic_is_what_was_said_last(message, history, words, others):
    text = searched(message, *history)
    assert all(word in text for word in words), text
    assert not any(word in text for word in others), text


class _NothingLearned:
    def cached(self, _agent_id: str):
        return NOTHING_LEARNED


WORK = "Fix the typo in the README of the repo and run the unit tests"


def planned(message: str, answer: str):
    tools = [Tool(name="Edit"), Tool(name="web_search")]
    turn = Turn(agent_id="a", session_id="s", text=message, conversation=said(WORK, answer), tools=tools)
    return Planner(Policy(), _NothingLearned()).plan(turn, NOW, Policy())


@pytest.mark.parametrize("message", ["ok", "yes please", "ok thanks", "great, thanks", "perfect"])
@pytest.mark.parametrize(
    "answer",
    [
        "I found it. Shall I apply the edit and run the tests?",
        "Here is the edit. If you like, I'll apply it. It takes a minute.",
        "I can apply the edit now. Let me know.",
    ],
)
def test_thanks_after_an_offer_are_consent(message, answer):
    plan = planned(message, answer)
    assert plan.categories == ("coding",)
    assert plan.tools == ("Edit",)


@pytest.mark.parametrize("message", ["ok thanks", "great, thanks", "perfect"])
@pytest.mark.parametrize("answer", ["I fixed it.", "It's done. Anything else?", "Done! Let me know how it goes."])
def test_thanks_without_an_offer_are_small_talk(message, answer):
    plan = planned(message, answer)
    assert plan.categories == ("casual",)
    assert plan.signals.greeting


@pytest.mark.parametrize("message", ["good morning", "thanks, that's all", "bye"])
def test_greetings_after_an_offer_stay_small_talk(message):
    assert planned(message, "Shall I apply the edit?").signals.greeting
