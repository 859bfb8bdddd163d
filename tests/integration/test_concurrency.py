"""Concurrent writes, erasures and turns: no loss, no orphaned rows, and no deadlock errors."""

from __future__ import annotations

import asyncio
from datetime import UTC, datetime, timedelta

import asyncpg
import pytest
from hashed import Hashed, Held

from brain.deadline import Deadline
from brain.postgres.database import Database
from brain.users import Scope
from cognitive import CognitiveLayer, NewMemory, Outcome, Policy, Turn
from cognitive.errors import InvalidInput
from tests.internals import internals

AT = datetime(2026, 9, 1, 12, tzinfo=UTC)


def line(n: int, text: str = "The pump of berth {n} was sealed on pier {n}.") -> NewMemory:
    return NewMemory(type="fact", content=text.format(n=n), occurred_at=AT + timedelta(minutes=n), source=str(n))


async def fetch(urls, sql: str, *arguments):
    connection = await asyncpg.connect(urls.admin)
    try:
        return await connection.fetch(sql, *arguments)
    finally:
        await connection.close()


async def test_concurrent_forget_and_outcomes_leave_no_orphaned_usage(layer, agent, urls):
    for round_ in range(8):
        ids = await layer.remember(agent, [line(n + 100 * round_) for n in range(8)])
        turns = [
            await layer.pre_turn(Turn(agent_id=agent, session_id=f"s{n}", text="Which pump of which berth was sealed?"))
            for n in range(4)
        ]
        outcome = Outcome(response="The pump of berth 3 was sealed on pier 3.")
        await asyncio.gather(layer.forget(agent, ids[:4]), *(layer.post_turn(turn, outcome) for turn in turns))
    orphans = await fetch(
        urls,
        "SELECT memory_id FROM cognitive.usage u WHERE agent_id = $1 AND NOT EXISTS"
        " (SELECT 1 FROM cognitive.memory m WHERE m.agent_id = $1 AND m.id = u.memory_id)",
        agent,
    )
    assert orphans == []


async def test_no_later_turn_overtakes_a_waiting_write(urls, agent):
    """Otherwise a write would wait for as long as turns of the agent overlap."""
    patient = Policy(deadline_ms=20_000, deadlines={"post_turn_ms": 20_000})
    outcome = Outcome(response="The pump of berth 3 was sealed on pier 3.")
    async with CognitiveLayer.open(urls.app, policy=patient, embedder=Hashed("hashed", 64)) as layer:
        await layer.remember(agent, [line(3)])
        turns = [await layer.pre_turn(Turn(agent_id=agent, session_id="s", text=f"Berth {n}?")) for n in range(2)]
        await layer.flush()
        holding = await asyncpg.connect(urls.admin)
        try:
            async with holding.transaction():
                locked = "SELECT FROM cognitive.turn WHERE agent_id = $1 AND turn_id = $2 FOR UPDATE"
                await holding.fetch(locked, agent, turns[0].turn_id)
                tasks = list[asyncio.Task]()
                for call in (
                    layer.post_turn(turns[0], outcome),
                    layer.remember(agent, [line(4)]),
                    layer.post_turn(turns[1], outcome),
                ):
                    tasks.append(asyncio.create_task(call))
                    waiting = "SELECT count(*) FROM pg_locks WHERE NOT granted"
                    while not tasks[-1].done() and await holding.fetchval(waiting) < len(tasks):  # noqa: ASYNC110
                        await asyncio.sleep(0)
                assert not any(task.done() for task in tasks)
        finally:
            await holding.close()
        first, _, second = await asyncio.gather(*tasks)
        assert first.recorded
        assert second.recorded


async def test_concurrent_updates_of_different_fields_all_take_effect(layer, agent):
    [id] = await layer.remember(agent, [line(1)])
    await asyncio.gather(
        layer.update(agent, id, content="The pump was replaced."),
        layer.update(agent, id, tags=("pump",)),
        layer.update(agent, id, confidence=0.5),
        layer.update(agent, id, entities=("Pier 1",)),
        layer.update(agent, id, pinned=True),
    )
    [memory] = await layer.get(agent, [id])
    assert memory.content == "The pump was replaced."
    assert (memory.tags, memory.confidence, memory.entities, memory.pinned) == (("pump",), 0.5, ("Pier 1",), True)


async def test_concurrent_erase_and_remember_leave_consistent_counts(layer, agent, urls):
    for _ in range(5):
        await asyncio.gather(
            *(layer.remember(agent, [line(n) for n in range(start, start + 20)]) for start in (0, 20, 40)),
            layer.erase_agent(agent),
        )
        [row] = await fetch(
            urls,
            "SELECT coalesce((SELECT memories FROM cognitive.corpus WHERE agent_id = $1), 0) AS counted,"
            " (SELECT count(*) FROM cognitive.memory WHERE agent_id = $1) AS memories,"
            " (SELECT count(DISTINCT memory_id) FROM cognitive.posting WHERE agent_id = $1) AS posted",
            agent,
        )
        assert row["counted"] == row["memories"] == row["posted"]
    await layer.erase_agent(agent)
    left = await fetch(urls, "SELECT 1 FROM cognitive.posting WHERE agent_id = $1", agent)
    assert left == []


async def test_superseded_memory_stays_hidden_after_its_replacement_is_forgotten(layer, agent):
    [old] = await layer.remember(agent, [line(1, "Staging listens on port 8080.")])
    new = NewMemory(type="fact", content="Staging listens on port 8181.", occurred_at=AT, supersedes=old)
    [replacement] = await layer.remember(agent, [new])
    await layer.forget(agent, [replacement])
    context = await layer.pre_turn(Turn(agent_id=agent, session_id="s", text="Which port does staging listen on?"))
    assert context.shown == ()
    assert [result.disposition for result in context.trace.candidates] == ["superseded"]


async def test_content_replaced_by_an_update_can_be_stored_again(layer, agent):
    first = NewMemory(type="fact", content="The door is red.", occurred_at=AT)
    [id] = await layer.remember(agent, [first])
    await layer.update(agent, id, content="The door is blue.")
    [again] = await layer.remember(agent, [first])
    assert again != id
    with pytest.raises(InvalidInput, match="already has this content"):
        await layer.update(agent, id, content="The door is red.")


async def test_turn_does_not_wait_for_a_batch_of_memories(urls, agent):
    embedder = Held("test/held", 64, at="long report")
    async with CognitiveLayer.open(urls.app, policy=Policy(deadline_ms=5_000), embedder=embedder) as layer:
        await layer.remember(agent, [line(1)])
        reports = [line(n, "A long report on the pumps of pier {n}.") for n in range(2, 42)]
        batch = asyncio.create_task(layer.remember(agent, reports))
        try:
            assert await asyncio.to_thread(embedder.reached.wait, 30)
            context = await layer.pre_turn(
                Turn(agent_id=agent, session_id="s", text="Which pump of berth 1 was sealed?")
            )
            assert context.degraded == ()
        finally:
            embedder.go.set()
        assert len(await batch) == len(reports)


async def test_timed_out_query_returns_its_connection_to_the_pool(urls, agent):
    database = Database(urls.app, pool_size=1)
    try:
        first = await database.run(Scope(agent), lambda c: c.fetchval("SELECT pg_backend_pid()"))
        for _ in range(3):
            with pytest.raises(TimeoutError):
                await Deadline(100).within(database.run(Scope(agent), lambda c: c.execute("SELECT pg_sleep(60)")))
            assert await database.run(Scope(agent), lambda c: c.fetchval("SELECT pg_backend_pid()")) == first
    finally:
        await database.close()


async def test_turn_without_a_place_in_time_is_late_and_embeds_nothing(urls, agent, monkeypatch):
    monkeypatch.setenv("COGNITIVE_POOL_SIZE", "2")  # one turn reads at a time
    embedder = Hashed("test/hashed", 64)
    async with CognitiveLayer.open(urls.app, policy=Policy(deadline_ms=1_000), embedder=embedder) as layer:
        await layer.remember(agent, [line(1)])
        turn = Turn(agent_id=agent, session_id="s", text="Which pump was sealed?")
        async with internals(layer).engine._reader._places:
            waited = await layer.pre_turn(turn)
            thanks = await layer.pre_turn(Turn(agent_id=agent, session_id="s", text="Thanks!"))
        assert [each.code for each in thanks.degraded if each.part == "retrieval"] == []  # it needs no memories
        assert {(each.code, each.detail) for each in waited.degraded if each.part != "record"} == {
            (code, "late: other turns took the first 700 ms")
            for code in ("prefix_late", "retrieval_late", "session_late")
        }
        assert (waited.plan.signals.text, turn.text in embedder.texts) == (turn.text, False)
        again = await layer.pre_turn(turn)
        assert (again.degraded, [each.source for each in again.shown]) == ((), ["1"])
