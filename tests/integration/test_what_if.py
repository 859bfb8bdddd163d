"""What recorded turns would have shown with other settings, computed from their records."""

from __future__ import annotations

import pytest

from brain.users import Scope
from cognitive import CognitiveLayer, NewMemory, Policy
from tests.attic import PERIOD, WIDE, play, stock
from tests.internals import internals

BASE = Policy(deadline_ms=30_000)


@pytest.fixture
async def opened(urls, embedder):
    async with CognitiveLayer.open(urls.app, policy=BASE, embedder=embedder) as layer:
        yield layer


@pytest.fixture
async def stocked(opened, agent):
    return await stock(opened, agent)


async def test_what_if_reports_entering_and_leaving_memories(opened, stocked):
    await play(opened, stocked)
    comparison = await opened.policies.what_if(stocked, WIDE, *PERIOD)
    nothing = await opened.policies.what_if(stocked, {}, *PERIOD)

    assert (comparison.turns, comparison.left, comparison.used, comparison.kept) == (3, 0, 3, 3)
    assert 0 < comparison.differing == len(comparison.changed)
    assert comparison.entered == sum(len(turn.entered) for turn in comparison.changed)
    assert {memory.content for memory in comparison.changed[0].entered} <= {
        f"The {what} is in the attic." for what in ("violin", "globe", "lamp")
    }
    assert comparison.changed[0].tokens[1] > comparison.changed[0].tokens[0]
    assert "3 turns are too few" in comparison.evaluation.refusal
    assert (nothing.differing, nothing.entered, nothing.left) == (0, 0, 0)
    verdicts = await internals(opened).turns.verdicts(Scope(stocked))
    assert len(verdicts) == comparison.used  # the comparison recorded no usage


async def test_what_if_with_another_threshold_reports_relabelled_uses(opened, stocked):
    await play(opened, stocked)
    comparison = await opened.policies.what_if(stocked, {"feedback.attribution_thresholds.relative": 1.0}, *PERIOD)

    assert (comparison.relabelled.judged, comparison.relabelled.used) == (3, (3, 0))
    assert (await opened.policies.what_if(stocked, WIDE, *PERIOD)).relabelled is None


async def test_what_if_omits_a_forgotten_memory(opened, stocked, urls, embedder):
    await play(opened, stocked)
    assert (await opened.policies.what_if(stocked, WIDE, *PERIOD)).turns == 3
    [first, *_] = await opened.admin.find(stocked)
    async with CognitiveLayer.open(urls.app, policy=BASE, embedder=embedder) as elsewhere:
        await elsewhere.forget(stocked, [first.id])

    comparison = await opened.policies.what_if(stocked, WIDE, *PERIOD)
    assert first.content not in repr(comparison)


async def test_what_if_survives_changes_of_memories_that_were_not_shown(opened, stocked):
    things = ("boat", "tent", "sledge")
    ids = await opened.remember(
        stocked, [NewMemory(type="fact", content=f"The {what} is in the cellar, far below.") for what in things]
    )
    await play(opened, stocked)
    shown = {memory.memory_id for memory in (await opened.explain.turn(stocked, "t-0")).shown}
    found = {each.memory_id for each in await opened.explain.candidates(stocked, "t-0")}
    assert set(ids) <= found - shown
    before = await opened.policies.what_if(stocked, WIDE, *PERIOD, name="before")
    await opened.forget(stocked, ids[:1])
    await opened.update(stocked, ids[1], content="The tent is in the cellar, behind the wine.")
    await opened.retire(stocked, ids[2:])
    after = await opened.policies.what_if(stocked, WIDE, *PERIOD, name="after")

    assert (before.turns, before.incomplete) == (3, 0)
    assert (after.turns, after.incomplete) == (3, 3)
    assert (await opened.explain.replay(stocked, "t-0", None)).gone == (ids[0],)
    await opened.forget(stocked, [min(shown)])
    assert (await opened.policies.what_if(stocked, WIDE, *PERIOD, name="last")).turns < 3
