"""Lines of talk: which only ask, or say that something is not known, and which repeat a message."""

from __future__ import annotations

import pytest
from hypothesis import given
from hypothesis import strategies as st

from cognitive.context import talk
from cognitive.context.talk_rules import RULES
from tests.unit.making import hit

ONLY_ASK = (
    "Hi! Where did I park? Thanks!",
    "hey do you know when my dentist appointment is",
    "For the cabin, what's the code?",
    "I forgot, what's the code?",
    "Any idea what Mara's last name is? I keep forgetting.",
    "wo ist der Schlüssel?",
    "I need to find out when Rita comes",
    "I'd love to hear about the flat in Elm Street",
    "I can't remember if it was 10:30 or 11",
    "Tell me the code, the one for the shed",
)
TELL = (
    "Rita is coming over for dinner, is she allergic to anything?",
    "My flight leaves at 7, can you remind me?",
    "The plumber comes on Tuesday, right?",
    "Rita: the plumber comes on Tuesday, should I be there?",
    "Can you note that I parked on level 3?",
    "When is it? I have it in my old calendar: the 5th of May.",
    "I don't have a car.",
    "Yes, the blue one",
    "I can't remember the name, but it is the house by the mill",
    "I forgot who it was, she said it was her sister",
    "Tell me the gate code later, Rita comes on Friday at ten",
)
UNKNOWN = (
    "I don't have that on file yet. If you tell me, I'll remember it.",
    "You haven't mentioned it. It's usually printed on the router.",
    "Hmm, nothing about that in my notes. Want me to search your mail?",
    "I don't think you ever mentioned her name.",
    "I don't have a date for that, the portal would be the place to check.",
    "I have nothing on that.",
)
KNOWN = (
    "I'm not sure about the time, but the dentist is on Tuesday the 4th.",
    "I don't have the exact address. The letter says Elm Street 5.",
    "The dentist is on Tuesday.",
    "I don't think you should take ibuprofen with warfarin.",
    "I have nothing scheduled on Friday.",
)


@pytest.mark.parametrize("rule", RULES, ids=lambda rule: f"{rule.kind}.{rule.name}")
def test_rule_decides_its_examples_and_no_counterexample(rule):
    assert rule.examples
    for example in rule.examples:
        assert talk.kind(example, assistant=rule.assistant) == rule.kind, example
    for example in rule.counterexamples:
        assert talk.kind(example, assistant=rule.assistant) != rule.kind, example


@pytest.mark.parametrize("text", ONLY_ASK)
def test_questions_state_nothing(text):
    assert talk.only_asks(text)


@pytest.mark.parametrize("text", TELL)
def test_question_beside_a_statement_is_a_statement(text):
    assert not talk.only_asks(text)


@pytest.mark.parametrize("text", UNKNOWN)
def test_answers_without_knowledge_state_nothing(text):
    assert talk.only_asks(text, assistant=True)


@pytest.mark.parametrize("text", KNOWN)
def test_answers_with_a_detail_are_statements(text):
    assert not talk.only_asks(text, assistant=True)


def test_only_lines_with_a_speaker_are_talk():
    question = "What is the gate code?"
    assert talk.states_nothing(hit(content=question, type="episode", speaker="user"))
    assert not talk.states_nothing(hit(content=question, type="episode", speaker=None))
    assert not talk.states_nothing(hit(content=question, type="fact", speaker="user"))


def repeats(content: str, message: str, **fields) -> bool:
    return talk.repeated([hit(content=content, **{"type": "episode", "speaker": "user", **fields})], message) == [True]


@pytest.mark.parametrize(
    "message", ["what's the gate code again", "Hello! What's the gate code?", "What’s the gate code?"]
)
def test_same_words_repeat_the_message(message):
    assert repeats("What's the gate code?", message)


@pytest.mark.parametrize(
    ("content", "message"),
    [
        ("The gate code is 4471.", "Do you think the gate code is 4471?"),
        ("The gate code is 4471. It changes in May.", "The gate code is 4471."),
        ("Did Ben call Ana?", "Did Ana call Ben?"),
        ("Please!", "Please, the gate code."),
    ],
)
def test_other_words_do_not_repeat_the_message(content, message):
    assert not repeats(content, message)


@pytest.mark.parametrize("fields", [{}, {"type": "fact", "speaker": None}], ids=["talk", "fact"])
def test_statement_that_the_message_asks_about_is_not_repeated(fields):
    assert not repeats("The port is 8080.", "The port is 8080?", **fields)
    assert not repeats("The port is 8080.", 'Did he say: "The port is 8080?"', **fields)
    assert repeats("The port is 8080.", "The port is 8080. Where is the config?", **fields)
    assert repeats("The port is 8080. Right?", "The port is 8080. Right?", **fields)


@pytest.mark.parametrize(
    "sentence",
    [
        "remember " * 200_000 + "tea",
        "so my sister Rita comes" + " " * 200_000 + "now, is it late?",
        "Tell me the code: " + "it is the blue one, " * 50_000,
    ],
)
def test_sentence_of_any_length_is_read_in_linear_time(sentence):  # in quadratic time it would take minutes
    assert talk.kind(sentence) == "states"


def test_long_message_repeats_no_memory():
    question = "What's the gate code?"
    assert repeats(question, f"{question} {'x' * 900}")
    assert not repeats(question, f"{question} {'x' * 1_000}")


def test_line_of_many_thanks_is_read_at_once():
    """A pattern with two ways to read each comma never ends on this line."""
    assert not talk.only_asks("thanks, " * 120 + "x")


@given(st.text(max_size=900), st.booleans())
def test_every_text_with_a_word_repeats_itself(text, asked):
    text = f"gate {text}{'?' if asked else ''}"
    assert repeats(text, text)
    assert repeats(text, text, type="fact", speaker=None)


@given(st.text(max_size=200), st.booleans())
def test_text_with_a_statement_beside_it_does_not_only_ask(text, assistant):
    assert not talk.only_asks(f"{text}\n\nThe plumber comes on Tuesday at ten.", assistant=assistant)
