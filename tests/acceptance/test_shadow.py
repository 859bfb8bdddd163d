"""A shadow policy is recorded and does not affect the turn."""

from __future__ import annotations

from dataclasses import replace
from datetime import UTC, datetime

import pytest

from cognitive import CognitiveLayer, Message, NewMemory, Outcome, Policy, Turn
from cognitive.recording.recorded import Recording, decode

NOW = datetime(2026, 11, 2, 9, tzinfo=UTC)
LIVE = Policy(deadline_ms=30_000, abstention=False)
NARROW = Policy(deadline_ms=30_000, abstention=False, limits={"default": 1, "hinted_type": 1, "other_types": 1})
QUESTIONS = ["Where is the kettle?", "Hello!", "Who has the violin?", "What is in the attic, the kettle or the globe?"]


@pytest.fixture
async def stocked(layer, agent):
    things, places = ("kettle", "violin", "globe", "lamp"), ("attic", "hall")
    contents = [f"The {what} is in the {where}." for what in things for where in places]
    await layer.remember(agent, [NewMemory(type="fact", content=content) for content in contents])
    return agent


def recorded(record: str) -> Recording:
    """Return the recording of a turn without its id."""
    recording = decode(record)
    return replace(recording, inputs=replace(recording.inputs, turn_id=""))


async def run_turns(layer, agent: str, name: str) -> list[tuple]:
    results = []
    for n, text in enumerate(QUESTIONS):
        said = [Message(role="assistant", content="The violin is in the hall.")]
        context = await layer.pre_turn(
            Turn(agent_id=agent, session_id="s", text=text, now=NOW, turn_id=f"{name}-{n}", conversation=said)
        )
        results.append((context.text, context.prefix, context.shown, context.degraded, recorded(context.trace.record)))
        await layer.post_turn(context, Outcome(status="failed"))
    return results


async def test_shadow_policy_does_not_change_the_turn(urls, embedder, stocked):
    async with CognitiveLayer.open(urls.app, policy=LIVE, embedder=embedder) as alone:
        without = await run_turns(alone, stocked, "alone")
    async with CognitiveLayer.open(urls.app, policy=LIVE, embedder=embedder, shadow=NARROW) as layer:
        assert await run_turns(layer, stocked, "shadowed") == without
    async with CognitiveLayer.open(
        urls.app, policy=LIVE, embedder=embedder
    ) as layer:  # closing the other layer finished the shadow turns
        [agreement] = await layer.explain.shadow_agreement(stocked)
    assert (agreement.policy, agreement.turns) == (NARROW.version, len(QUESTIONS))
    assert agreement.same == 1  # the greeting shows nothing under either
    assert 0 < agreement.shadow_shown < agreement.shown
    assert agreement.tokens > 0


async def test_shadow_result_equals_a_replay_under_its_policy(urls, embedder, stocked):
    async with CognitiveLayer.open(urls.app, policy=LIVE, embedder=embedder, shadow=NARROW) as layer:
        await run_turns(layer, stocked, "t")
    async with CognitiveLayer.open(urls.app, policy=LIVE, embedder=embedder) as layer:
        [agreement] = await layer.explain.shadow_agreement(stocked)
        replays = [await layer.explain.replay(stocked, f"t-{n}", NARROW) for n in range(len(QUESTIONS))]
        assert agreement.tokens == sum(replay.difference.tokens[1] for replay in replays)


async def test_shadow_reports_how_many_used_memories_it_keeps(urls, embedder, stocked):
    async with CognitiveLayer.open(urls.app, policy=LIVE, embedder=embedder, shadow=NARROW) as layer:
        context = await layer.pre_turn(Turn(agent_id=stocked, session_id="s", text=QUESTIONS[0], now=NOW))
        first, *_, last = [shown.memory_id for shown in context.shown]
        await layer.post_turn(context, Outcome(response="x", citations=[first, last]))
    async with CognitiveLayer.open(urls.app, policy=LIVE, embedder=embedder) as layer:
        [agreement] = await layer.explain.shadow_agreement(stocked)
        assert (agreement.used, agreement.used_kept) == (2, 1)
        await layer.erase_agent(stocked)
        assert await layer.explain.shadow_agreement(stocked) == []


async def test_failing_shadow_is_logged_and_leaves_the_turn_unchanged(urls, embedder, stocked, caplog):
    retrieval = NARROW.retrieval.model_copy(update={"relevance": {}})
    broken = NARROW.model_copy(update={"retrieval": retrieval})  # invalid, and refused by the constructor
    async with CognitiveLayer.open(urls.app, policy=LIVE, embedder=embedder, shadow=broken) as layer:
        context = await layer.pre_turn(Turn(agent_id=stocked, session_id="s", text=QUESTIONS[0], now=NOW))
        assert context.shown
        assert context.degraded == ()
    assert f"shadow of turn {context.turn_id}' failed" in caplog.text
