"""The circuit breaker opens on a database that does not answer and closes by itself; cancellation keeps connections."""

from __future__ import annotations

import asyncio
import logging
import random
import re
from contextlib import suppress

import asyncpg
import pytest

from benchmarks.chaos.faults import FaultyProxy
from benchmarks.chaos.sample_data import WordEmbedder
from brain.agent_rows import SQL
from brain.deadline import Deadline
from brain.postgres.breaker import Breaker, waits_for_recovery
from brain.postgres.connection_setup import BriefReconnections
from brain.postgres.database import Database
from brain.users import Scope
from cognitive import CognitiveLayer, Outcome, Policy, Turn
from cognitive.errors import StoreUnavailable
from tests.internals import internals

pytestmark = pytest.mark.promise(number=2)

DYING = "SELECT pg_terminate_backend(pg_backend_pid())"
HASTY = Policy(deadline_ms=200, deadlines={"post_turn_ms": 1_000})


@pytest.fixture
async def proxy(urls):
    async with FaultyProxy.before(urls.app) as proxy:
        yield proxy


async def whole(ask):
    """Repeat a turn until it is not degraded. The timeout only turns a hang into a failure."""
    async with asyncio.timeout(30):
        while (await ask()).degraded:
            await asyncio.sleep(0.02)


async def test_breaker_opens_on_a_frozen_database_and_recovers_by_itself(proxy, agent):
    async with CognitiveLayer.open(proxy.url, policy=HASTY, embedder=WordEmbedder()) as layer:
        database = internals(layer).database

        async def run_turn(n):
            return await layer.pre_turn(Turn(agent_id=agent, session_id="s", text=f"Where is the key, number {n}?"))

        await whole(lambda: run_turn(0))
        proxy.fault = "frozen"
        first = [await run_turn(n) for n in range(1, 7)]
        assert all(context.degraded for context in first)
        assert database.breaker.state == "open"
        acquired = proxy.connections
        rested = await run_turn(8)
        assert all("the circuit breaker is open" in reason for reason in rested.degraded), rested.degraded
        report = await layer.post_turn(rested, Outcome(response="I do not know."))
        assert not report.recorded, "the outcome is in the journal"
        assert "the circuit breaker is open" in (await layer.admin.readiness())["database"]
        assert proxy.connections <= acquired + 3, "only probes connected"
        proxy.fault = None
        await whole(lambda: run_turn(9))
        assert (await layer.admin.readiness())["database"] is None


async def test_failed_pool_restart_is_logged_in_one_line_with_the_reason(proxy, agent, caplog, monkeypatch):
    [brief] = [each for each in logging.getLogger("asyncpg.pool").filters if isinstance(each, BriefReconnections)]
    monkeypatch.setattr(brief, "_next", 0.0)  # another test may have had the line of this minute
    database = Database(proxy.url)
    try:
        await database.open()
        proxy.fault = "refused"
        async with asyncio.timeout(30):
            while not (records := [each for each in caplog.records if each.name == "asyncpg.pool"]):
                with suppress(StoreUnavailable):
                    await database.run(Scope(agent), lambda c: c.execute(DYING), timeout=1)
                await asyncio.sleep(0.02)
        assert [each.exc_info for each in records] == [None] * len(records)
        assert all(re.search(r"; retrying: .+", each.getMessage()) for each in records)
    finally:
        await database.close()


async def test_call_that_waits_for_recovery_ends_at_the_next_probe(proxy, agent):
    database = Database(proxy.url, breaker=Breaker(failures=1))

    @waits_for_recovery
    async def query():
        return await database.run(Scope(agent), lambda c: c.fetchval("SELECT 1"))

    try:
        await query()
        proxy.fault = "frozen"
        with pytest.raises(TimeoutError):
            await Deadline(100).within(database.run(Scope(agent), lambda c: c.fetchval("SELECT 1")))
        await asyncio.sleep(0)
        assert database.breaker.state == "open"
        with pytest.raises(StoreUnavailable, match="circuit breaker is open"):
            await query()
        assert database.breaker.wait > 0.25, "a probe failed too and increased the wait"
        proxy.fault = None
        assert await query() == 1
    finally:
        await database.close()


async def test_pool_opened_by_a_timed_out_call_serves_the_next(proxy, agent):
    database = Database(proxy.url, breaker=Breaker(failures=0))
    try:
        proxy.fault = "frozen"
        with pytest.raises(TimeoutError):
            await Deadline(100).within(database.run(Scope(agent), lambda c: c.fetchval("SELECT 1")))
        proxy.fault, before = None, proxy.connections
        assert await database.run(Scope(agent), lambda c: c.fetchval("SELECT 1")) == 1
        assert before == 1
        assert proxy.connections <= 3, "the pool is reused; a pool opens three connections at first"
    finally:
        await database.close()


async def test_closed_database_does_not_connect_again(proxy, agent):
    database = Database(proxy.url, breaker=Breaker(failures=1, wait=0.01))
    proxy.fault = "frozen"
    asking = asyncio.create_task(Deadline(100).within(database.run(Scope(agent), lambda c: c.fetchval("SELECT 1"))))
    await asyncio.sleep(0.05)
    await database.close()
    with pytest.raises((TimeoutError, StoreUnavailable)):
        await asking
    proxy.fault, before = None, proxy.connections
    with pytest.raises(StoreUnavailable, match="closed"):
        await database.run(Scope(agent), lambda c: c.fetchval("SELECT 1"))
    await asyncio.sleep(0.1)  # time for a probe
    assert proxy.connections == before


async def test_cancelled_calls_do_not_open_the_breaker(proxy, agent):
    database = Database(proxy.url, breaker=Breaker(failures=1))
    try:
        await database.run(Scope(agent), lambda c: c.fetchval("SELECT 1"))
        proxy.fault = "frozen"
        task = asyncio.create_task(database.run(Scope(agent), lambda c: c.fetchval("SELECT 1")))
        await asyncio.sleep(0.1)
        task.cancel()
        await asyncio.wait({task})
        assert database.breaker.state == "closed"
        with pytest.raises(TimeoutError):
            await Deadline(100).within(database.run(Scope(agent), lambda c: c.fetchval("SELECT 1")))
        await asyncio.sleep(0)
        assert database.breaker.state == "open"
        with pytest.raises(StoreUnavailable, match="circuit breaker is open"):
            await database.run(Scope(agent), lambda c: c.fetchval("SELECT 1"))
    finally:
        proxy.fault = None  # closing waits for a frozen connection
        await database.close()


async def test_waiting_for_a_busy_pool_does_not_open_the_breaker(urls, agent):
    database = Database(urls.app, pool_size=1, breaker=Breaker(failures=1))
    started, end = asyncio.Event(), asyncio.Event()

    async def long(_):
        started.set()
        await end.wait()

    try:
        working = asyncio.create_task(database.run(Scope(agent), long))
        await started.wait()
        with pytest.raises(TimeoutError):
            await Deadline(100).within(database.run(Scope(agent), lambda c: c.fetchval("SELECT 1")))
        assert database.breaker.state == "closed"
        end.set()
        await working
    finally:
        await database.close()


async def test_cancelled_transaction_keeps_its_connection(urls, agent):
    """Cancellation in the first or last statement keeps the connection too, since a new one is slow at first."""
    rolled, database = random.Random(20261122), Database(urls.app, pool_size=1)
    statement = "SELECT set_config('test.value', $1, true), pg_sleep(0.001)"
    try:
        first = await database.run(Scope(agent), lambda c: c.fetchval("SELECT pg_backend_pid()"))
        cancelled = 0
        for n in range(150):
            task = asyncio.create_task(database.run(Scope(agent), lambda c, n=n: c.fetchrow(statement, str(n))))
            for _ in range(rolled.randrange(1, 40)):
                await asyncio.sleep(0)
            if rolled.random() < 0.7:
                await asyncio.sleep(rolled.random() * 0.004)
            cancelled += task.cancel()
            await asyncio.wait({task})
        assert cancelled > 20
        assert await database.run(Scope(agent), lambda c: c.fetchval("SELECT pg_backend_pid()")) == first
    finally:
        await database.close()
    admin = await asyncpg.connect(urls.admin)
    try:
        left = "SELECT count(*) FROM pg_stat_activity WHERE pid = $1 AND state LIKE 'idle in transaction%'"
        assert await admin.fetchval(left, first) == 0
    finally:
        await admin.close()


async def test_turns_beside_an_erasure_are_recorded_later(urls, agent):
    policy = Policy(deadline_ms=2_000, deadlines={"post_turn_ms": 2_000})
    async with CognitiveLayer.open(urls.app, policy=policy, embedder=WordEmbedder()) as layer:
        database, locked, end = internals(layer).database, asyncio.Event(), asyncio.Event()

        async def erase(connection):
            await connection.execute(*SQL.own_rows(agent_id=agent))
            locked.set()
            await end.wait()

        async def run_turn(agent_id, n):
            turn = Turn(agent_id=agent_id, session_id="s", text=f"Where is the key, number {n}?", turn_id=f"t{n}")
            context = await layer.pre_turn(turn)
            return context, await layer.post_turn(context, Outcome(response="I do not know."))

        await whole(lambda: layer.pre_turn(Turn(agent_id=agent, session_id="s", text="Where is the key?")))
        erasing = asyncio.create_task(database.run(Scope.all_users(agent), erase))
        await locked.wait()
        for n in range(6):
            context, report = await run_turn(agent, n)
            assert [each.code for each in context.degraded] == ["record_failed"], "and not late"
            assert (report.recorded, database.breaker.state) == (False, "closed")
            context, report = await run_turn(f"{agent}-2", n)
            assert (context.degraded, report.recorded) == ((), True)
        end.set()
        await erasing
        async with asyncio.timeout(20):
            while len(await layer.explain.turns(agent)) < 7:
                await asyncio.sleep(0.05)
