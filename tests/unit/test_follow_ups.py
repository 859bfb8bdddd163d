"""Follow-ups: the request that a message refers to, the options of an answer, and the names in it."""

from __future__ import annotations

from datetime import UTC, datetime
from functools import partial

import pytest

from cognitive import Message, Turn
from cognitive.preflight import signals
from cognitive.preflight.follow_ups import Earlier, messages_read, options
from cognitive.privacy.redaction import redact_turn

NOW = datetime(2026, 6, 17, 10, tzinfo=UTC)


def said(*texts: str) -> list[Message]:
    """Return a conversation in which the user and the assistant take turns."""
    return [Message(role=("user", "assistant")[n % 2], content=text) for n, text in enumerate(texts)]


@pytest.mark.parametrize(
    ("answer", "expected"),
    [
        ("You can take Oslo, Bergen or the night train.", ["You can take Oslo", "Bergen", "the night train"]),
        ("Two fit: Ada, a quiet boat, or the ferry.", ["Ada, a quiet boat", "the ferry"]),
        ("Ideas: tea (green, strong), coffee and milk.", ["tea (green, strong)", "coffee", "milk"]),
        ("1. sweep the floor, 2. wax it, 3. let it dry.", ["sweep the floor", "wax it", "let it dry"]),
        ("- red\n- blue", ["red", "blue"]),
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
