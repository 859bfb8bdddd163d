"""Outcomes settled in the background: the run does not wait for them, and none is lost."""

from __future__ import annotations

import asyncio
import logging

import pytest

from cognitive import CognitiveLayer, NewMemory, Outcome, Policy, Turn, TurnRef

ASKED = "Who keeps the key of the boat house?"
KEY = "Maren keeps the key of the boat house behind the barometer."


@pytest.fixture
async def tolerant(urls, embedder):
    async with CognitiveLayer.open(urls.app, policy=Policy(deadline_ms=8_000), embedder=embedder) as layer:
        yield layer


async def shown(layer: CognitiveLayer, agent: str):
    await layer.remember(agent, [NewMemory(type="fact", content=KEY)])
    context = await layer.pre_turn(Turn(agent_id=agent, session_id="s1", text=ASKED))
    assert context.shown
    return context


async def status(layer: CognitiveLayer, agent: str) -> list[str]:
    return [turn.status for turn in await layer.explain.turns(agent)]


async def test_settled_outcome_is_counted_in_the_background(tolerant, agent):
    context = await shown(tolerant, agent)
    tolerant.settle(context, Outcome(response=KEY))
    await tolerant.flush()
    assert await status(tolerant, agent) == ["completed"]
    assert (await tolerant.post_turn(context, Outcome(response=KEY))).duplicate


async def test_closing_layer_waits_for_pending_outcomes(urls, embedder, agent):
    async with CognitiveLayer.open(urls.app, policy=Policy(deadline_ms=8_000), embedder=embedder) as layer:
        context = await shown(layer, agent)
        layer.settle(context, Outcome(response=KEY))
    async with CognitiveLayer.open(urls.app, embedder=embedder) as layer:
        assert await status(layer, agent) == ["completed"]


async def test_cancelled_run_does_not_cancel_its_outcome(tolerant, agent):
    context = await shown(tolerant, agent)

    async def run():
        tolerant.settle(context, Outcome(response=KEY))
        await asyncio.Event().wait()

    running = asyncio.create_task(run())
    await asyncio.sleep(0)
    running.cancel()
    await tolerant.flush()
    assert await status(tolerant, agent) == ["completed"]


async def test_refused_outcome_is_logged(tolerant, agent, caplog):
    with caplog.at_level(logging.WARNING, "cognitive.background"):
        tolerant.settle(TurnRef(agent, "no-such-turn"), Outcome(response=KEY))
        await tolerant.flush()
    assert "no-such-turn" in caplog.text


async def test_pending_outcome_does_not_restore_an_erased_agent(tolerant, agent):
    context = await shown(tolerant, agent)
    tolerant.settle(context, Outcome(response=KEY))
    await tolerant.erase_agent(agent)
    await tolerant.flush()
    assert await status(tolerant, agent) == []
