"""Hermes, driven through its memory manager."""

from __future__ import annotations

import asyncio
import json

import pytest
from agent.memory_manager import MemoryManager

from cognitive import Blocking, CognitiveLayer, NewMemory, Policy
from cognitive.runtimes.hermes import CognitiveMemoryProvider

KEY = "The spare key of the boat house hangs behind the brass barometer of the old captain."
DEEP = "The parrot of the harbour master is called Biscuit."
ASK = "Do you remember where the spare key of the boat house hangs?"
CALL = {"id": "call-1", "type": "function", "function": {"name": "lookup", "arguments": '{"q": "x"}'}}


@pytest.fixture
async def layer(urls, embedder):
    policy = Policy(abstention=False, deadline_ms=20_000)
    async with CognitiveLayer.open(urls.app, policy=policy, embedder=embedder) as layer:
        yield layer


@pytest.fixture
async def key(layer, agent):
    return (await layer.remember(agent, [NewMemory(type="fact", content=KEY)]))[0]


def _manager(layer, agent, **context):
    manager = MemoryManager(external_prefetch_timeout=30)
    manager.add_provider(CognitiveMemoryProvider(Blocking(layer), agent))
    manager.initialize_all("s1", platform="cli", hermes_home="/nonexistent", **context)
    return manager


async def test_prefetch_and_sync_record_one_turn(layer, agent, key):
    manager = _manager(layer, agent)
    block = await asyncio.to_thread(manager.prefetch_all, ASK, session_id="s1")
    again = await asyncio.to_thread(manager.prefetch_all, ASK, session_id="s1")
    assert block.count(KEY) == 1
    assert again == block
    messages = [
        {"role": "user", "content": ASK},
        {"role": "assistant", "content": None, "tool_calls": [CALL]},
        {"role": "tool", "tool_call_id": "call-1", "content": "tool-says-x"},
        {"role": "assistant", "content": KEY},
    ]
    manager.sync_all(ASK, KEY, session_id="s1", messages=messages)
    assert await asyncio.to_thread(manager.flush_pending, 30)
    await layer.flush()
    [turn] = await layer.explain.turns(agent)
    assert (turn.status, turn.session_id, turn.message) == ("completed", "s1", ASK)
    assert (await layer.why(agent, turn.turn_id, key)).used is True
    assert [[name for name, _ in plan.tools] for plan in await layer.explain.past_plans(agent)] == [["lookup"]]


async def test_next_prefetch_abandons_a_turn_without_answer(layer, agent, key):
    manager = _manager(layer, agent)
    await asyncio.to_thread(manager.prefetch_all, ASK, session_id="s1")
    await asyncio.to_thread(manager.prefetch_all, "And the other key?", session_id="s1")
    await layer.flush()
    assert [turn.status for turn in await layer.explain.turns(agent)] == ["open", "abandoned"]


async def test_recall_tool_returns_memories_as_json(layer, agent, key):
    manager = _manager(layer, agent)
    await layer.remember(agent, [NewMemory(type="fact", content=DEEP)])
    answer = await asyncio.to_thread(manager.handle_tool_call, "recall_context", {"query": "parrot", "limit": 1})
    assert DEEP in json.loads(answer)["memories"]


async def test_subagent_gets_no_memories_and_records_no_turn(layer, agent, key):
    manager = _manager(layer, agent, agent_context="subagent")
    assert await asyncio.to_thread(manager.prefetch_all, ASK, session_id="s1") == ""
    assert list(await layer.explain.turns(agent)) == []


async def test_users_at_once_get_their_own_memories(layer, agent):
    places = {"ada": "barometer", "bob": "accordion"}
    own = [NewMemory(type="fact", content=KEY.replace("barometer", at), user_id=user) for user, at in places.items()]
    await layer.remember(agent, own)
    managers = [_manager(layer, agent, user_id=user) for user in places]
    blocks = await asyncio.gather(*(asyncio.to_thread(each.prefetch_all, ASK, session_id="s1") for each in managers))
    assert [[at in block for at in places.values()] for block in blocks] == [[True, False], [False, True]]


async def test_provider_that_is_initialized_again_has_the_new_user(layer, agent):
    await layer.remember(agent, [NewMemory(type="fact", content=KEY, user_id="ada")])
    manager = _manager(layer, agent, user_id="ada")
    assert KEY in await asyncio.to_thread(manager.prefetch_all, ASK, session_id="s1")
    manager.initialize_all("s1", platform="cli", hermes_home="/nonexistent", user_id="bob")
    assert KEY not in await asyncio.to_thread(manager.prefetch_all, ASK, session_id="s1")
