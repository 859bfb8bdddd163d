"""Retention deletes rows older than the policy allows, in batches and with a receipt, and nothing else."""

from __future__ import annotations

from datetime import UTC, datetime, timedelta
from typing import get_args
from uuid import uuid4

import asyncpg
import pytest

from brain.artifacts import NewArtifact
from brain.erasure import retention
from brain.memory_types import RetentionKind
from brain.users import Scope
from cognitive import CognitiveLayer, NewMemory, Outcome, Policy, Turn
from tests.internals import internals

LATER = datetime.now(UTC) + timedelta(days=31)
DAYS = {"episode": 30.0, "turns": 30.0, "sessions": 30.0}


@pytest.fixture
async def layer_of(urls, embedder):
    async with CognitiveLayer.open(
        urls.app, policy=Policy(retention={"days": DAYS}, abstention=False, deadline_ms=10_000), embedder=embedder
    ) as layer:
        yield layer


async def add_history(layer: CognitiveLayer, agent: str) -> None:
    lines = [NewMemory(type="episode", content=f"Pump {n} ran.", pinned=n == 0) for n in range(5)]
    await layer.remember(agent, [*lines, NewMemory(type="fact", content="The pump is green.")])
    for n in range(3):
        context = await layer.pre_turn(Turn(agent_id=agent, session_id="s", text="Which pump ran?", turn_id=f"t{n}"))
        await layer.post_turn(context, Outcome(response="Pump 2 ran."))


async def rows(urls, agent: str) -> dict[str, int]:
    connection = await asyncpg.connect(urls.admin)
    try:
        return {
            table: await connection.fetchval(f"SELECT count(*) FROM cognitive.{table} WHERE agent_id = $1", agent)
            for table in ("memory", "turn", "exposure", "passage", "usage")
        }
    finally:
        await connection.close()


async def kept_usage(urls, agent: str) -> list[tuple]:
    """Return the usage of the memories that retention keeps: pinned ones and facts."""
    connection = await asyncpg.connect(urls.admin)
    try:
        return [
            tuple(row)
            for row in await connection.fetch(
                "SELECT m.content, u.times_shown, u.times_used, u.shown, u.used FROM cognitive.usage AS u"
                " JOIN cognitive.memory AS m ON (m.agent_id, m.id) = (u.agent_id, u.memory_id)"
                " WHERE m.agent_id = $1 AND (m.pinned OR m.type = 'fact') ORDER BY 1",
                agent,
            )
        ]
    finally:
        await connection.close()


async def test_retention_deletes_what_its_dry_run_counts(layer_of, agent, urls, monkeypatch):
    monkeypatch.setattr(retention, "_BATCH", 2)  # several batches
    await add_history(layer_of, agent)
    before, counted = await rows(urls, agent), await kept_usage(urls, agent)
    assert await layer_of.admin.apply_retention(agent) == {}
    due = await layer_of.admin.apply_retention(agent, now=LATER, dry_run=True)
    assert due["episode"] == 4
    assert due["turns"] == 3
    assert await rows(urls, agent) == before
    assert await layer_of.admin.apply_retention(agent, now=LATER) == due
    after = await rows(urls, agent)
    assert (after["memory"], after["passage"], after["turn"], after["exposure"]) == (
        2,
        2,
        0,
        0,
    )  # the pinned memory and the fact
    assert await kept_usage(urls, agent) == counted != []
    assert await layer_of.admin.apply_retention(agent, now=LATER) == {}
    assert [(erasure.what, erasure.counts) for erasure in await layer_of.admin.erasures(agent)] == [("retention", due)]


async def test_retention_of_turns_deletes_exposures_without_a_turn(layer_of, agent, urls, monkeypatch):
    monkeypatch.setattr(retention, "_BATCH", 2)  # several batches
    await layer_of.remember(agent, [NewMemory(type="fact", content=f"Pump {n} is green.") for n in range(3)])
    for turn_id in ("never", "late"):
        assert len(await layer_of.recall(agent, "Which pump is green?", turn_id=turn_id)) == 3
    late = Turn(agent_id=agent, session_id="s", text="Which pump is it?", turn_id="late")
    await layer_of.post_turn(await layer_of.pre_turn(late), Outcome(response="Pump 2."))
    recalled = await rows(urls, agent)
    assert recalled["exposure"] == 6
    assert await layer_of.admin.apply_retention(agent) == {}
    assert await rows(urls, agent) == recalled
    assert await layer_of.admin.apply_retention(agent, now=LATER) == {"turns": 1, "sessions": 1}
    assert len(await layer_of.recall(agent, "Which pump is green?", turn_id="late")) == 3
    assert (await rows(urls, agent))["exposure"] == 3
    assert await layer_of.admin.apply_retention(agent, now=LATER) == {}
    assert (await rows(urls, agent))["exposure"] == 0


async def test_retention_deletes_every_kind_of_row_only_when_old(urls, embedder, agent):
    policy = Policy(retention={"days": dict.fromkeys(get_args(RetentionKind), 30.0)}, deadline_ms=10_000)
    async with CognitiveLayer.open(urls.app, policy=policy, embedder=embedder) as layer:
        [gone] = await layer.remember(agent, [NewMemory(type="fact", content="The pump is green.")])
        await layer.retire(agent, await layer.remember(agent, [NewMemory(type="fact", content="The pump is blue.")]))
        context = await layer.pre_turn(Turn(agent_id=agent, session_id="s", text="Which pump ran?"))
        await layer.post_turn(context, Outcome(response="Pump 2 ran."))
        await internals(layer).artifacts.put(Scope(agent), "s", [NewArtifact(uuid4(), "Pump 2 ran.", "log", "log")])
        done, begun = [await layer.work.begin(agent, "s", goal) for goal in ("Look it up.", "Write it down.")]
        await layer.work.complete(agent, done.id, "Pump 2 ran.")
        await layer.forget(agent, [gone])

        assert await layer.admin.apply_retention(agent) == {}
        due = dict.fromkeys(get_args(RetentionKind), 1)
        assert await layer.admin.apply_retention(agent, now=LATER, dry_run=True) == due
        assert await layer.admin.apply_retention(agent, now=LATER) == due
        assert (await layer.explain.turns(agent), await layer.sessions.artifacts(agent, "s")) == ([], ())
        assert [each.id for each in await layer.work.list_subtasks(agent, "s")] == [begun.id], "an open subtask is kept"
        assert (await layer.resume(agent, "s")).recent == ()
        assert [each.what for each in await layer.admin.erasures(agent)] == ["retention"]


async def test_retention_deletes_nothing_by_default(layer, agent, urls):
    await add_history(layer, agent)
    before = await rows(urls, agent)
    assert await layer.admin.apply_retention(agent, now=LATER + timedelta(days=10_000)) == {}
    assert await rows(urls, agent) == before
