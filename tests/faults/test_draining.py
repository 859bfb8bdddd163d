"""Several processes share a journal: one of them drains it at a time, another takes over from one that is killed."""

from __future__ import annotations

import asyncio
from collections.abc import AsyncIterator
from contextlib import AsyncExitStack, asynccontextmanager

import asyncpg
import pytest
from clients import AT, KEY, TOLERANT, extracting, turn
from sites import eventually

from benchmarks.chaos.sample_data import WordEmbedder
from brain.journal import Journal, journal_name, written
from cognitive import CognitiveLayer, NewMemory, Outcome
from cognitive.recording.record import opened
from tests.forked import Forked, forked

TURNS = 6


@pytest.fixture
def journal(urls, tmp_path, monkeypatch) -> Journal:
    monkeypatch.setenv("COGNITIVE_DATA_DIR", str(tmp_path / "data"))
    return Journal(tmp_path / "data" / "journal" / journal_name(urls.app))


@pytest.fixture
async def waiting(urls, agent, journal) -> set[str]:
    """The names of turns whose outcomes are in the journal only."""
    async with CognitiveLayer.open(urls.app, policy=TOLERANT, embedder=WordEmbedder()) as layer:
        await layer.remember(agent, [NewMemory(type="fact", content=KEY, occurred_at=AT)])
        contexts = [await layer.pre_turn(turn(agent)) for _ in range(TURNS)]
    outcome = Outcome(response="Behind the barometer.").model_dump_json()
    for context in contexts:
        journal.put(agent, context.turn_id, opening=written(opened(context)), outcome=outcome)
    return {context.turn_id for context in contexts}


@asynccontextmanager
async def client(urls) -> AsyncIterator[Forked]:
    """A process that has the layer open, and says of which turns its extractor is asked."""
    async with forked(extracting, urls.app) as process:
        assert await process.receive() == "ready"
        yield process


@asynccontextmanager
async def held(urls) -> AsyncIterator[asyncpg.Connection]:
    """Nobody can count an outcome while this is entered."""
    other = await asyncpg.connect(urls.admin)
    try:
        async with other.transaction():
            await other.execute("LOCK TABLE cognitive.turn IN ACCESS EXCLUSIVE MODE")
            yield other
    finally:
        await other.close()


async def told(process: Forked) -> list[str]:
    """Has a process end in order; what it said."""
    process.send("end")
    return await process.receive_all()


async def drained(journal: Journal) -> None:
    async def empty():
        return await asyncio.to_thread(journal.count) == 0

    await eventually(empty)


async def at_work(other: asyncpg.Connection) -> set[int]:
    """Who wants to count an outcome and cannot."""
    busy = "SELECT pid FROM pg_locks WHERE NOT granted AND relation = 'cognitive.turn'::regclass"
    return {row["pid"] for row in await other.fetch(busy)}


async def test_two_processes_drain_each_turn_once(urls, journal, waiting):
    async with AsyncExitStack() as stack:
        async with held(urls) as other:
            clients = [await stack.enter_async_context(client(urls)) for _ in range(2)]
            await eventually(lambda: at_work(other))
        await drained(journal)
        said = [await told(process) for process in clients]
    assert sorted(said[0] + said[1]) == sorted(waiting)


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
        assert sorted(await told(second)) == sorted(waiting)
