"""Processes that share a journal: one at a time drains it, and another takes over when it is killed."""

from __future__ import annotations

import asyncio
from collections.abc import AsyncIterator
from contextlib import AsyncExitStack, asynccontextmanager
from dataclasses import replace

import asyncpg
import pytest
from clients import AT, KEY, TOLERANT, report_extractions, turn
from sites import eventually

from benchmarks.chaos.sample_data import WordEmbedder
from brain.journal import Journal, journal_name
from brain.opened_turns import written
from brain.users import Scope
from cognitive import CognitiveLayer, NewMemory, Outcome
from cognitive.feedback.drain import draining
from cognitive.feedback.outcomes import OutcomeRecorder
from cognitive.recording.record import open_turn
from tests.forked import Forked, forked
from tests.internals import internals

TURNS = 6


@pytest.fixture
def journal(urls, tmp_path, monkeypatch) -> Journal:
    monkeypatch.setenv("COGNITIVE_DATA_DIR", str(tmp_path / "data"))
    return Journal(tmp_path / "data" / "journal" / journal_name(urls.app))


@pytest.fixture
async def waiting(urls, agent, journal) -> set[str]:
    """Return the ids of turns whose outcomes are only in the journal."""
    async with CognitiveLayer.open(urls.app, policy=TOLERANT, embedder=WordEmbedder()) as layer:
        await layer.remember(agent, [NewMemory(type="fact", content=KEY, occurred_at=AT)])
        contexts = [await layer.pre_turn(turn(agent)) for _ in range(TURNS)]
    outcome = Outcome(response="Behind the barometer.").model_dump_json()
    for context in contexts:
        journal.put(Scope(agent), context.turn_id, opening=written(open_turn(context)), outcome=outcome)
    return {context.turn_id for context in contexts}


@asynccontextmanager
async def client(urls) -> AsyncIterator[Forked]:
    """Run a process with an open layer, which sends the ids of the turns passed to its extractor."""
    async with forked(report_extractions, urls.app) as process:
        assert await process.receive() == "ready"
        yield process


@asynccontextmanager
async def held(urls) -> AsyncIterator[asyncpg.Connection]:
    """Lock the table of turns, so that no outcome can be counted meanwhile."""
    other = await asyncpg.connect(urls.admin)
    try:
        async with other.transaction():
            await other.execute("LOCK TABLE cognitive.turn IN ACCESS EXCLUSIVE MODE")
            yield other
    finally:
        await other.close()


async def ended(process: Forked) -> list[str]:
    """Have a process end in order; return its remaining messages."""
    process.send("end")
    return await process.receive_all()


async def drained(journal: Journal) -> None:
    async def empty():
        return await asyncio.to_thread(journal.count) == 0

    await eventually(empty)


async def at_work(other: asyncpg.Connection) -> set[int]:
    """Return the ids of the server processes that wait to count an outcome."""
    busy = "SELECT pid FROM pg_locks WHERE NOT granted AND relation = 'cognitive.turn'::regclass"
    return {row["pid"] for row in await other.fetch(busy)}


async def test_two_processes_drain_each_turn_once(urls, journal, waiting):
    async with AsyncExitStack() as stack:
        async with held(urls) as other:
            clients = [await stack.enter_async_context(client(urls)) for _ in range(2)]
            await eventually(lambda: at_work(other))
        await drained(journal)
        extracted = [await ended(process) for process in clients]
    assert sorted(extracted[0] + extracted[1]) == sorted(waiting)


async def test_draining_moves_to_another_process_after_a_kill(urls, journal, waiting):
    async with AsyncExitStack() as stack:
        async with held(urls) as other:
            first, second = [await stack.enter_async_context(client(urls)) for _ in range(2)]
            before = await eventually(lambda: at_work(other))
            await first.kill()

            async def taken_over():
                return await at_work(other) - before

            await eventually(taken_over)
        await drained(journal)
        assert sorted(await ended(second)) == sorted(waiting)


async def test_defect_that_one_turn_meets_holds_no_other_up(urls, agent, journal):
    class Defective(OutcomeRecorder):
        async def drain(self, entry):
            if entry.turn_id == "broken":
                raise ZeroDivisionError
            await super().drain(entry)

    async with CognitiveLayer.open(urls.app, policy=TOLERANT, embedder=WordEmbedder()) as layer:
        context, services = await layer.pre_turn(turn(agent)), internals(layer)
        beside = Journal(journal.path.parent / "beside" / "x.sqlite")
        outcome = Outcome(response="Behind the barometer.").model_dump_json()
        for turn_id in ("broken", "whole"):
            opening = written(replace(open_turn(context), turn_id=turn_id))
            beside.put(Scope(agent), turn_id, opening=opening, outcome=outcome)
        recorder = Defective(services.turns, beside, services.resolver, services.capture)
        async with draining(recorder, beside):
            await eventually(lambda: asyncio.to_thread(lambda: beside.count() == 1))
        assert beside.find(Scope(agent), "broken") is not None
        assert "whole" in {each.turn_id for each in await layer.explain.turns(agent) if each.status == "completed"}
