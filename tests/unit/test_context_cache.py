"""Turns that wait for their outcome in a server: bounded, and each agent's own."""

from __future__ import annotations

from datetime import UTC, datetime

from cognitive import Message, Tool, Turn, TurnRef
from cognitive.server.context_cache import ContextCache
from cognitive.wire.context import without_memory


def context(agent_id, turn_id, text="Hello"):
    said = (Message(role="user", content="x" * 1000),)
    turn = Turn(agent_id=agent_id, session_id="s", text=text, conversation=said, tools=(Tool(name="t"),))
    return without_memory(turn, turn_id, datetime(2026, 11, 2, tzinfo=UTC))


def test_oldest_context_is_evicted_and_replaced_by_a_reference():
    kept = ContextCache(2)
    for turn_id in ("t1", "t2", "t3"):
        kept.put(context("a", turn_id))
    assert kept.get("a", "t1") == TurnRef("a", "t1")
    assert kept.get("a", "t3").message == "Hello"


def test_context_of_another_agent_is_not_returned():
    kept = ContextCache(2)
    kept.put(context("a", "t"))
    assert kept.get("b", "t") == TurnRef("b", "t")


def test_first_context_of_a_turn_id_is_kept():
    kept = ContextCache(2)
    kept.put(context("a", "t", "first"))
    kept.put(context("a", "t", "second"))
    assert kept.get("a", "t").message == "first"


def test_messages_and_tools_are_not_cached():
    kept = ContextCache(2)
    kept.put(context("a", "t"))
    assert kept.get("a", "t").messages == kept.get("a", "t").tools == ()


def test_removed_turns_and_erased_agents_leave_the_cache():
    kept = ContextCache(9)
    for agent_id, turn_id in (("a", "t1"), ("a", "t2"), ("b", "t1")):
        kept.put(context(agent_id, turn_id))
    kept.remove("a", "t1")
    assert len(kept) == 2
    kept.erase("a")
    assert len(kept) == 1
