"""Calls without a fallback wait for Postgres to return; turns and outcomes do not."""

from __future__ import annotations

import asyncio

import pytest

from benchmarks.chaos.faults import FaultyProxy
from benchmarks.chaos.sample_data import WordEmbedder
from cognitive import CognitiveLayer, NewMemory, Outcome, Policy, Turn
from tests.internals import internals

HASTY = Policy(deadline_ms=200, deadlines={"post_turn_ms": 1_000})
KEY = NewMemory(type="fact", content="The key hangs behind the door.")
LINE = '{"id": "5c1f", "memory": "The key is brass."}'


@pytest.fixture
async def proxy(urls):
    async with FaultyProxy.before(urls.app) as proxy:
        yield proxy


async def test_calls_other_than_turns_wait_until_postgres_returns(proxy, agent):
    async with CognitiveLayer.open(proxy.url, policy=HASTY, embedder=WordEmbedder()) as layer:
        database = internals(layer).database
        kept, gone = await layer.remember(agent, [KEY, NewMemory(type="fact", content="The door is green.")])
        await layer.remember(f"{agent}-gone", [KEY])

        async def ask(n: int):
            return await layer.pre_turn(Turn(agent_id=agent, session_id="s", text="Where is the key?", turn_id=f"t{n}"))

        async with asyncio.timeout(30):  # the bound only turns a hang into a failure
            turn = 0
            while (first := await ask(turn)).degraded or not first.shown:
                turn += 1
        await layer.post_turn(first, Outcome(response="Behind the door."))
        proxy.fault = "frozen"
        while database.breaker.state != "open":
            turn += 1
            assert (await ask(turn)).degraded
        waiting = [
            asyncio.create_task(call)
            for call in (
                layer.remember(agent, [NewMemory(type="fact", content="The lock is old.")]),
                layer.recall(agent, "Where is the key?"),
                layer.update(agent, kept, tags=("key",)),
                layer.rate(agent, first.turn_id, first.shown[0].memory_id, useful=True),
                layer.forget(agent, [gone]),
                layer.admin.import_lines(agent, [LINE]),
                layer.erase_agent(f"{agent}-gone"),
            )
        ]
        assert "the circuit breaker is open" in (await ask(turn + 1)).degraded[0]
        proxy.fault = None
        await asyncio.gather(*waiting)
