"""The fallback window is valid and bounded, and has the newest messages and their user message."""

from __future__ import annotations

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st
from provider_rules import violations
from talking import CONVERSATIONS, calls, result, says, turns, user

from cognitive import Message, Policy, ToolCall
from cognitive.window import engine_messages, groups
from cognitive.window.fallback import newest_messages

POLICIES = st.sampled_from(
    [
        Policy(),
        Policy(window={"max_messages": 3, "max_chars": 500}),
        Policy(window={"max_messages": 1}),
        Policy(window={"max_messages": 12}),
    ]
)


def characters(messages):
    return sum(len(m.content) + sum(len(str(c.arguments)) for c in m.tool_calls) for m in messages)


@given(CONVERSATIONS, POLICIES)
@settings(max_examples=80)
def test_fallback_window_is_valid_for_any_conversation(conversation, policy):
    shown = newest_messages(conversation, policy)
    assert violations(shown) == ()
    has_user_message = any(m.role == "user" and m.content.strip() and not groups.authored(m) for m in conversation)
    assert any(m.role == "user" for m in shown) == has_user_message


def test_fallback_window_is_bounded_and_ends_with_the_newest():
    conversation = turns(80, calls_each=2, output=50_000)
    shown = newest_messages(conversation, Policy())
    assert 4 < len(shown) <= 12
    assert characters(shown) <= 20_000
    assert shown[-1] == conversation[-1]


def test_long_tool_loop_keeps_its_user_message():
    conversation = [
        user("Port the parser."),
        *(m for n in range(60) for m in (calls(f"c{n}"), result(f"c{n}", "r" * 9_000))),
    ]
    shown = newest_messages(conversation, Policy())
    assert shown[0].content == "Port the parser."
    assert shown[-1].tool_call_id == "c59"
    assert violations(shown) == ()


def test_parallel_calls_beyond_the_limit_keep_all_results():
    ids = [f"c{n}" for n in range(60)]
    shown = newest_messages([user("Read all."), calls(*ids), *(result(id, "r" * 9_000) for id in ids)], Policy())
    assert [m.tool_call_id for m in shown[2:]] == ids
    assert violations(shown) == ()
    assert characters(shown) <= 80_000


def test_long_arguments_are_shortened():
    call = ToolCall(name="write_file", id="a", arguments={"text": "x" * 3_000_000})
    shown = newest_messages([user(), Message(role="assistant", tool_calls=(call,)), result("a")], Policy())
    assert characters(shown) < 10_000


@pytest.mark.parametrize(
    "kept", [Message(role="system", content="Be brief. " * 30), engine_messages.summary('- user: "Hello."')]
)
def test_leading_system_message_or_summary_is_kept(kept):
    shown = newest_messages([kept, *turns(100)], Policy())
    assert shown[0] == kept
    assert shown[-1] == says("Answer 99: it holds 99.")
