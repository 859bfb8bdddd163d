"""The server's cache of contexts that wait for their outcome: bounded and separate per agent."""

from __future__ import annotations

from datetime import UTC, datetime

import pytest

from cognitive import Message, Tool, Turn, TurnRef
from cognitive.errors import InvalidInput
from cognitive.server.context_cache import ContextCache
from cognitive.wire.context import without_memory


def context(agent_id, turn_id, text="Hello"):
    messages = (Message(role="user", content="x" * 1000),)
    turn = Turn(agent_id=agent_id, session_id="s", text=text, conversation=messages, tools=(Tool(name="t"),))
    return without_memory(turn, turn_id, datetime(2026, 11, 2, tzinfo=UTC))


def test_oldest_context_is_evicted_and_replaced_by_a_reference():
    cache = ContextCache(2)
    for turn_id in ("t1", "t2", "t3"):
        cache.put(context("a", turn_id))
    assert cache.get(TurnRef("a", "t1")) == TurnRef("a", "t1")
    assert cache.get(TurnRef("a", "t3")).message == "Hello"


def test_context_of_another_agent_is_not_returned():
    cache = ContextCache(2)
    cache.put(context("a", "t"))
    assert cache.get(TurnRef("b", "t")) == TurnRef("b", "t")


def test_first_context_of_a_turn_id_is_kept():
    cache = ContextCache(2)
    cache.put(context("a", "t", "first"))
    cache.put(context("a", "t", "first"))
    with pytest.raises(InvalidInput, match="turn 't' was opened with another text"):
        cache.put(context("a", "t", "second"))
    assert cache.get(TurnRef("a", "t")).message == "first"


def test_messages_and_tools_are_not_cached():
    cache = ContextCache(2)
    cache.put(context("a", "t"))
    assert cache.get(TurnRef("a", "t")).messages == cache.get(TurnRef("a", "t")).tools == ()


def test_removed_turns_and_erased_agents_leave_the_cache():
    cache = ContextCache(9)
    for agent_id, turn_id in (("a", "t1"), ("a", "t2"), ("b", "t1")):
        cache.put(context(agent_id, turn_id))
    cache.remove(TurnRef("a", "t1"))
    assert len(cache) == 2
    cache.erase("a")
    assert len(cache) == 1
