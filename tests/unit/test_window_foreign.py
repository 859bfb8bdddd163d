"""Arguments and results of tools may be any Python value; the window is still valid and serialisable."""

from __future__ import annotations

import json
from datetime import UTC, datetime

import pytest
from foreign import ANYTHING, VALUES, called
from hypothesis import given, settings
from provider_rules import violations

from brain.text import unstorable
from cognitive import Outcome, Policy
from cognitive.feedback.strip_quotes import texts
from cognitive.session import recent
from cognitive.window.fallback import newest_messages
from cognitive.window.fit import fit
from cognitive.window.rendering import WindowCache, limits

NOW, POLICY = datetime(2026, 9, 1, tzinfo=UTC), Policy()


def sendable(messages):
    assert violations(messages) == ()
    assert [message.role for message in messages] == ["user", "assistant", "tool"]
    assert not any(unstorable(message.content) for message in messages)
    arguments = json.dumps([dict(call.arguments) for m in messages for call in m.tool_calls], allow_nan=False)
    assert unstorable(json.dumps(json.loads(arguments), ensure_ascii=False)) is None


def windows(conversation):
    yield newest_messages(conversation, POLICY)
    yield fit(conversation, session_id="s", now=NOW, policy=POLICY).messages


@pytest.mark.parametrize("name", VALUES)
def test_window_accepts_any_python_value(name):
    for conversation in (called(VALUES[name]), called("fine", given=VALUES[name])):
        for messages in windows(conversation):
            sendable(messages)


@given(ANYTHING, ANYTHING)
@settings(max_examples=60)
def test_window_accepts_generated_nested_values(result, argument):
    for messages in windows(called(result, given=argument)):
        sendable(messages)


@pytest.mark.parametrize("name", VALUES)
def test_session_stores_any_call_result(name):
    outcome = Outcome(response="Done.", tool_calls=called(VALUES[name])[1].tool_calls)
    messages, _ = recent.answered([], outcome, session_id="s", limits=limits(POLICY), cache=WindowCache())
    kept = recent.sanitized([called("")[0], *messages], max_messages=50, max_chars=10_000)
    assert [message.role for message in recent.decode(recent.encode(kept))] == [
        "user",
        "assistant",
        "tool",
        "assistant",
    ]


@pytest.mark.parametrize("name", VALUES)
def test_texts_of_any_result_are_strings(name):
    assert all(isinstance(text, str) for text in texts(VALUES[name]))


def test_texts_of_a_self_referencing_value_are_read_once():
    assert texts(VALUES["loop"]) == ["a line"]


def test_iterators_are_not_consumed():
    lines = iter(["a line"])
    assert texts([lines, "another"]) == ["another"]
    assert next(lines) == "a line"
