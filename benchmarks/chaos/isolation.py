"""Promise P4: no agent sees a database row of another agent, whatever it queries and however queries overlap."""

from __future__ import annotations

import asyncio
import math
import random
from collections.abc import Callable, Collection, Coroutine
from contextlib import AsyncExitStack
from datetime import UTC, datetime
from typing import Any

import asyncpg

from benchmarks.chaos import pooler
from benchmarks.chaos.reconciling import PATIENT
from benchmarks.chaos.report import SuiteReport
from benchmarks.chaos.sample_data import WordEmbedder
from benchmarks.chaos.site import Site
from brain.postgres.database import Connection, Database
from brain.postgres.distribute import TABLES
from brain.search import MemorySearch, Query
from brain.store import MemoryStore
from brain.users import Scope
from cognitive import CognitiveLayer, NewMemory, Outcome, Turn

AGENTS = 20
_AT_ONCE = 12
_CANCELLED = 0.3
_SOON = 0.03  # seconds until one is cancelled, at most: some wait for a connection then, some are at work on theirs
_TABLES = "SELECT tablename FROM pg_tables WHERE schemaname = 'cognitive' AND tablename <> 'alembic_version'"
_SAID = "The canary of {agent} sings at noon in the boiler room."

Question = Callable[[Database, str, random.Random], Coroutine[Any, Any, set[str]]]


async def suite(
    ledger: SuiteReport, seed: int, queries: int, site: Site, ways: Collection[str] = ("directly", "through PgBouncer")
) -> None:
    """Run random queries for several agents, and check that none returns another agent's rows.

    Each agent has stored one recognisable memory. The queries run directly and through a connection pooler.
    """
    agents = [f"agent-{n}-{seed}" for n in range(AGENTS)]
    await _canaries(site, agents)
    async with AsyncExitStack() as stack:
        for way in ways:
            if way == "directly":
                database = Database(site.urls.app, pool_size=4)
            elif pooler.installed() is None:
                ledger.skipped.append("PgBouncer is not installed: nothing was asked through it")
                continue
            else:
                url = await stack.enter_async_context(pooler.pooled(site.urls.app))
                database = Database(url, pool_size=4, pooled=True, prepares=False)
            await _fuzzed(ledger, f"{seed}/{way}", database, agents, way, math.ceil(queries / len(ways)))
            await database.close()
    await _untold(ledger, site)


async def _canaries(site: Site, agents: list[str]) -> None:
    async with CognitiveLayer.open(site.urls.app, policy=PATIENT, embedder=WordEmbedder()) as layer:
        for agent in agents:
            await layer.remember(agent, [NewMemory(type="fact", content=_SAID.format(agent=agent))])
            context = await layer.pre_turn(Turn(agent_id=agent, session_id="s", text="When does the canary sing?"))
            await layer.post_turn(context, Outcome(response=_SAID.format(agent=agent)))


async def _fuzzed(
    ledger: SuiteReport, seed: str, database: Database, agents: list[str], way: str, queries: int
) -> None:
    places = asyncio.Semaphore(_AT_ONCE)

    async def ask(n: int) -> None:
        chance = random.Random(f"{seed}/{n}")
        agent, question = chance.choice(agents), chance.choice(QUESTIONS)
        cancelled, soon = chance.random() < _CANCELLED, chance.uniform(0.0, _SOON)
        async with places:
            task = asyncio.ensure_future(question(database, agent, chance))
            if cancelled:
                await asyncio.wait({task}, timeout=soon)
                task.cancel()
            seen = None
            with ledger.recorded(f"isolation: {way}:"):
                try:
                    seen = await task
                except asyncio.CancelledError:
                    ledger.counts[f"isolation: cancelled, {way}"] += 1
            if seen is None:
                return
        ledger.counts[f"isolation: answered, {way}"] += 1
        ledger.require(seen <= {agent}, f"isolation: {way}: another agent's rows were seen")
        ledger.counts[f"isolation: answers with rows, {way}"] += bool(seen)

    await asyncio.gather(*(ask(n) for n in range(queries)))
    # of five questions three are about rows that every agent has
    ledger.require(
        ledger.counts[f"isolation: answers with rows, {way}"] > queries // 5, f"isolation: {way}: few rows seen"
    )


async def _whole_table(database: Database, agent: str, chance: random.Random) -> set[str]:
    table = chance.choice(TABLES)
    rows = await database.run(Scope(agent), lambda c: c.fetch(f"SELECT DISTINCT agent_id FROM cognitive.{table}"))
    return {row["agent_id"] for row in rows}


async def _anothers(database: Database, agent: str, chance: random.Random) -> set[str]:
    """As one agent, query rows of another agent by its id, and return the agents of the rows found."""
    other = agent.replace("agent-", "agent-1", 1)
    statement = "SELECT agent_id FROM cognitive.memory WHERE agent_id IN ($1, $2) OR true"
    rows = await database.run(Scope(agent), lambda c: c.fetch(statement, other, agent))
    return {row["agent_id"] for row in rows}


async def _found(database: Database, agent: str, chance: random.Random) -> set[str]:
    """Run the search of a turn, and return the agents whose memories were found."""
    query = Query(types={"fact": 10}, text="canary sings", vector=None, model=WordEmbedder.model)
    found = await MemorySearch(database).find(Scope(agent), query)
    return {hit.content.removeprefix("The canary of ").split(" ")[0] for hit in found.hits}


async def _pinned(database: Database, agent: str, chance: random.Random) -> set[str]:
    """Read the agent's pinned memories and return their ids. No agent has any, so none may be found."""
    return {str(memory.id) for memory in await MemoryStore(database, None).pinned(Scope(agent), datetime.now(UTC))}  # type: ignore[arg-type]


async def _slow(database: Database, agent: str, chance: random.Random) -> set[str]:
    """Run two statements in one transaction, with a pause in which other agents can run queries.

    Returns the agents of the rows found.
    """

    async def work(c: Connection) -> set[str]:
        first = {row["agent_id"] for row in await c.fetch("SELECT agent_id FROM cognitive.turn")}
        await c.execute("SELECT pg_sleep(0.001)")
        return first | {row["agent_id"] for row in await c.fetch("SELECT agent_id FROM cognitive.memory")}

    return await database.run(Scope(agent), work)


QUESTIONS: tuple[Question, ...] = (_whole_table, _anothers, _found, _pinned, _slow)


async def _untold(ledger: SuiteReport, site: Site) -> None:
    """Check that no row of any table is visible to a connection that has named no agent."""
    connection = await asyncpg.connect(site.urls.app)
    try:
        for table in [row["tablename"] for row in await connection.fetch(_TABLES)]:
            count = await connection.fetchval(f"SELECT count(*) FROM cognitive.{table}")
            ledger.require(count == 0, f"isolation: without a tenant {table} shows {count} rows")
            ledger.counts["isolation: tables asked without a tenant"] += 1
    finally:
        await connection.close()
