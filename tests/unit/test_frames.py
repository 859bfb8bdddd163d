"""Frames: rules match their examples only, and messages get the frame that a reader would choose."""

from __future__ import annotations

from datetime import UTC, datetime

import pytest
from hypothesis import given
from hypothesis import strategies as st

from cognitive.preflight.classification import select_frame
from cognitive.preflight.follow_ups import Earlier
from cognitive.preflight.rules.frames import NEUTRAL, PRIORITY, ROWS
from cognitive.preflight.rules.matching import RuleTable, fold
from cognitive.preflight.signals import read

NOW = datetime(2026, 11, 18, 15, 30, tzinfo=UTC)

MESSAGES = {
    "question": (
        "what is the error rate of the API?",
        "how do we deploy the billing service?",
        "why did we pick the blue theme?",
        "Explain row level security",
        "tell me about our cache",
        "when was the last release?",
        "Is the migration done?",
        "Who owns the search service?",
        "How did we fix the login?",
        "which port does Redis use?",
    ),
    "debug": (
        "why is the build failing?",
        "the login is broken again",
        "I get an error when I run the tests",
        "The app crashed twice today",
        "it doesn't work on Linux",
        "there is a bug in the parser",
        "what is wrong with the deployment?",
        "Something is off: requests time out",
        "The server won't start",
        "disk full on db-2",
        "site is throwing 500s",
        "checkout returns 502",
        "nginx keeps restarting",
        "prod down",
        "certificate expired on edge-1",
        "wifi is out again",
    ),
    "decision": (
        "should we use Redis or Postgres?",
        "what did we decide about the schema?",
        "help me choose a database",
        "compare Postgres and MySQL",
        "what are the trade-offs of sharding?",
        "SQL or NoSQL for the API?",
        "Which is better, REST or gRPC?",
        "Do you recommend Kafka?",
        "should I deploy on Friday?",
    ),
    "task": (
        "Fix the tests",
        "please deploy the app to staging",
        "can you create a migration?",
        "Update the README",
        "Run the linter and show the output",
        "hi, build the docker image",
        "Delete the old branches",
        "I need you to install ripgrep",
        "let's move the files",
        "Could you list all open tickets?",
        "Tom left yesterday, lock him out everywhere",
        "eight people come on Tuesday. Please prepare everything",
        "let the trainer know that Jonas is ill",
        "bill Ms Delgado for the May shoot",
    ),
    "creative": (
        "what if we rebuilt it as a game?",
        "imagine a world without email",
        "let's brainstorm names for the product",
        "Design a logo for the team",
        "write a short poem about Postgres",
        "Explore ideas for a new onboarding",
        "come up with a tagline",
        "tell me a joke",
        "ideas for a birthday present",
    ),
    "conversation": (
        "hello",
        "how are you?",
        "I am so tired",
        "The weather is lovely in Lisbon",
        "my sister visited",
        "Hi Bob!",
        "ok",
        "thanks for the flowers, they are lovely",
        "I went hiking on the weekend",
        "",
    ),
}


@pytest.mark.parametrize(
    ("frame", "message"), [(frame, message) for frame, messages in MESSAGES.items() for message in messages]
)
def test_message_gets_its_frame(frame, message):
    assert select_frame(message, read(message, now=NOW))[0] == frame


@pytest.mark.parametrize("rule", [*ROWS, *NEUTRAL], ids=lambda rule: rule.id)
def test_rule_fires_on_its_examples_and_not_on_its_counterexamples(rule):
    table = RuleTable([rule])
    assert rule.examples
    for example in rule.examples:
        assert table.fired(fold(example).lower()), example
    for example in rule.counterexamples:
        assert not table.fired(fold(example).lower()), example


def test_reasons_are_the_matching_rules_of_the_chosen_frame():
    message = "Fix the login: it fails with an error"
    assert select_frame(message, read(message, now=NOW)) == (
        "debug",
        ("debug.error", "debug.failing"),
    )


def test_equal_votes_prefer_debug_over_question():
    message = "why is it broken"
    assert select_frame(message, read(message, now=NOW))[0] == "debug"


@pytest.mark.parametrize(
    ("message", "expected"),
    [
        ("hello", ("conversation", ("signal.greeting",))),
        ("Is the migration done?", ("question", ("signal.question",))),
        ("my sister visited", ("conversation", ("frame.default",))),
    ],
)
def test_without_a_matching_rule_a_signal_or_the_default_decides(message, expected):
    assert select_frame(message, read(message, now=NOW)) == expected


def test_elliptic_message_takes_the_frame_of_the_previous_message():
    signals = read("yes", now=NOW, earlier=lambda: Earlier("should we choose Redis or Postgres?"))
    assert select_frame("yes", signals)[0] == "decision"


@given(text=st.text(), previous=st.text())
def test_any_text_gets_a_frame_and_a_reason(text, previous):
    frame, reasons = select_frame(text, read(text, now=NOW, earlier=lambda: Earlier(previous)))
    assert frame in PRIORITY
    assert reasons
