"""The blocking bridge: the layer for code without an event loop or with another one."""

from __future__ import annotations

import asyncio
import threading

import pytest

from cognitive import CognitiveLayer, NewMemory, Outcome, Policy, Turn
from cognitive.errors import InvalidInput, SchemaError
from cognitive.runtimes.blocking import Blocking

KEY = "The spare key of the boat house hangs behind the barometer."
POLICY = Policy(abstention=False, deadline_ms=20_000)


def _turn(agent):
    return Turn(agent_id=agent, session_id="s", text="Where does the spare key of the boat house hang?")


async def test_complete_turn_runs_without_an_event_loop(urls, embedder, agent, layer):
    def host():
        with Blocking.open(urls.app, policy=POLICY, embedder=embedder) as blocking:
            [key] = blocking.remember(agent, [NewMemory(type="fact", content=KEY)])
            context = blocking.pre_turn(_turn(agent))
            window = blocking.fit(context, context.prompt())
            report = blocking.post_turn(context, Outcome(response=KEY))
            hits = blocking.recall(agent, "barometer")
            return key, context, window, report, hits

    key, context, window, report, hits = await asyncio.to_thread(host)
    assert [memory.memory_id for memory in context.shown] == [key]
    assert KEY in window.messages[-1].content
    assert [(each.memory_id, each.referenced) for each in report.attributions] == [(key, True)]
    assert [hit.memory_id for hit in hits] == [key]
    assert [turn.status for turn in await layer.explain.turns(agent)] == ["completed"]
    assert "cognitive-layer" not in " ".join(thread.name for thread in threading.enumerate()), "its thread has ended"


async def test_settled_turn_is_stored_before_closing(urls, embedder, agent, layer):
    def host():
        with Blocking.open(urls.app, policy=POLICY, embedder=embedder) as blocking:
            context = blocking.pre_turn(_turn(agent))
            blocking.settle(context, Outcome(response=KEY))

    await asyncio.to_thread(host)
    assert [turn.status for turn in await layer.explain.turns(agent)] == ["completed"]


async def test_errors_are_raised_unchanged(urls, embedder, agent):
    def host():
        with Blocking.open(urls.app, embedder=embedder) as blocking, pytest.raises(InvalidInput, match="query"):
            blocking.recall(agent, " ")
        with pytest.raises(RuntimeError, match="thread other than"):
            blocking.recall(agent, "x")
        with pytest.raises(SchemaError), Blocking.open(urls.owner.replace("@/cognitive?", "@/postgres?")):
            raise AssertionError("a layer without a schema")

    await asyncio.to_thread(host)


async def test_layer_of_a_running_loop_serves_other_threads_only(urls, embedder, agent):
    async with CognitiveLayer.open(urls.app, policy=POLICY, embedder=embedder) as layer:
        blocking = Blocking(layer)
        [key] = await asyncio.to_thread(blocking.remember, agent, [NewMemory(type="fact", content=KEY)])
        assert [hit.memory_id for hit in await asyncio.to_thread(blocking.recall, agent, "barometer")] == [key]
        with pytest.raises(RuntimeError, match="thread other than"):
            blocking.recall(agent, "barometer")
