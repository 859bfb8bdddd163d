"""Failed nodes of a cluster, by the errors of its coordinator, and connections whose caller was interrupted."""

from __future__ import annotations

import asyncio
import logging
import re

import asyncpg
import pytest

from benchmarks.chaos.faults import FaultyProxy
from brain.deadline import Deadline
from brain.postgres.breaker import Breaker, failed_node
from brain.postgres.connection_setup import BriefReconnections, ConnectError
from brain.postgres.database import Database
from brain.users import Scope
from cognitive.errors import StoreUnavailable
from tests.unit.test_statements import NAMED

# What Citus reports when a worker was killed; here Postgres itself raises it, with the same code.
FAILS = """DO $$ BEGIN RAISE EXCEPTION USING ERRCODE = 'connection_failure',
MESSAGE = 'connection to the remote node cognitive_app@worker-1:5432 failed with the following error: no'; END $$"""


async def failing(connection):
    await connection.execute(FAILS)


async def working(connection):
    return await connection.fetchval("SELECT 1")


@pytest.fixture
async def database(urls):
    database = Database(urls.app, pool_size=2, breaker=Breaker(failures=3, wait=30, max_wait=30))
    yield database
    await database.close()


async def test_failed_node_shuts_out_only_its_agents(database):
    for n in range(3):  # agents with rows on the same node
        with pytest.raises(StoreUnavailable, match="worker-1:5432"):
            await database.run(Scope(f"on-1-{n}"), failing, timeout=20)
    for n in range(3):
        with pytest.raises(StoreUnavailable, match=r"circuit breaker is open.*worker-1"):
            await database.run(Scope(f"on-1-{n}"), working)
    assert database.breaker.state == "closed"
    before = await database.run(Scope("on-2"), lambda c: c.fetchval("SELECT pg_backend_pid()"))
    again = {await database.run(Scope("on-2"), lambda c: c.fetchval("SELECT pg_backend_pid()")) for _ in range(4)}
    assert before in again, "the connections to the coordinator stay"


CATALOG = """
CREATE TABLE pg_dist_node (groupid int, nodename text, nodeport int, noderole text);
CREATE TABLE pg_dist_placement (shardid bigint, groupid int);
INSERT INTO pg_dist_node VALUES (1, 'worker-1', 5432, 'primary'), (2, 'worker-2', 5432, 'primary');
INSERT INTO pg_dist_placement VALUES (101, 1), (102, 2);
CREATE FUNCTION get_shard_id_for_distribution_column(regclass, text) RETURNS bigint LANGUAGE sql IMMUTABLE
AS $$ SELECT CASE WHEN $2 LIKE 'on-1-%' THEN 101 ELSE 102 END $$;
GRANT SELECT ON pg_dist_node, pg_dist_placement TO PUBLIC
"""


@pytest.fixture
async def cluster(urls):
    """Yield a database on a server with the catalog of a Citus coordinator, as far as it says where agents are."""
    admin = await asyncpg.connect(urls.admin)
    await admin.execute(CATALOG)
    database = Database(urls.app, pool_size=2, clustered=True, breaker=Breaker(failures=3, wait=30, max_wait=30))
    yield database
    await database.close()
    await admin.execute(
        "DROP TABLE pg_dist_node, pg_dist_placement; DROP FUNCTION get_shard_id_for_distribution_column"
    )
    await admin.close()


async def hanging(connection):
    await connection.execute("SELECT pg_sleep(60)")


async def test_hanging_node_shuts_out_only_its_agents(cluster):
    await cluster.open()
    for n in range(3):
        with pytest.raises(StoreUnavailable, match="no answer"):
            await cluster.run(Scope(f"on-1-{n}"), hanging, timeout=0.1)
        async with asyncio.timeout(20):
            while cluster._breakers._locating:
                await asyncio.sleep(0.01)
    with pytest.raises(StoreUnavailable, match="no answer in time from the node worker-1:5432"):
        await cluster.run(Scope("on-1-0"), working)
    assert cluster.breaker.state == "closed"
    assert await cluster.run(Scope("on-2-0"), working) == 1


async def test_node_is_probed_and_its_agents_let_in_again(urls):
    database = Database(urls.app, breaker=Breaker(failures=2, wait=0.01))
    try:
        with pytest.raises(StoreUnavailable):
            await database.run(Scope("on-1"), failing, timeout=20)
        async with asyncio.timeout(20):
            while True:
                try:
                    assert await database.run(Scope("on-1"), working) == 1
                    break
                except StoreUnavailable:
                    await asyncio.sleep(0.01)
    finally:
        await database.close()


@pytest.mark.parametrize(
    ("message", "node"),
    [
        ("connection to the remote node app@10.0.0.7:5432 failed with the following error: timeout", "10.0.0.7:5432"),
        ("connection to the remote node worker-2.lan:9702 failed", "worker-2.lan:9702"),
        ("could not establish any connections to the node localhost:9701 after 30000 ms", "localhost:9701"),
        ("could not connect to server: refused", None),
        ("", None),
    ],
)
def test_node_is_read_from_the_message_of_the_coordinator(message, node):
    assert failed_node(asyncpg.ConnectionFailureError(message)) == node


async def test_connection_of_an_interrupted_caller_is_completed_for_the_next(urls):
    async with FaultyProxy.before(urls.app) as proxy:
        database = Database(proxy.url, pool_size=4)
        await database.open()
        pool, end = database._pool, asyncio.Event()
        busy = [asyncio.create_task(database.run(Scope("a"), lambda c: end.wait())) for _ in range(pool.get_size())]
        async with asyncio.timeout(20):
            while pool.get_idle_size():
                await asyncio.sleep(0.01)
        proxy.fault = "frozen"
        with pytest.raises(TimeoutError):
            await Deadline(100).within(database.run(Scope("a"), working))
        proxy.fault = None
        async with asyncio.timeout(20):
            while not pool.get_idle_size():
                await asyncio.sleep(0.01)
        opened = proxy.connections
        assert await database.run(Scope("a"), working) == 1
        assert proxy.connections == opened
        end.set()
        await asyncio.gather(*busy)
        await database.close()


async def test_types_of_all_statements_are_known_before_the_first(database):
    asked, complete = [], [sql for _, _, sql in NAMED if not re.search(r"<\w+>", sql)]
    assert len(complete) > 150
    await database.open()
    connection = await database._pool.acquire()
    connection.add_query_logger(lambda query: asked.append(query.query))
    for sql in complete:
        await connection.prepare(sql)
    await connection.fetchval("SELECT NULL::interval[]")  # no statement has this type
    await asyncio.sleep(0)
    assert sum("typeinfo" in sql for sql in asked) == 1
    await database._pool.release(connection)


def test_failed_reconnections_are_one_log_line_a_minute(caplog):
    clock, pool = [0.0], logging.getLogger("pool of this test")
    pool.addFilter(BriefReconnections(lambda: clock[0]))

    def fails(error: Exception) -> None:
        try:
            raise error
        except Exception:
            pool.warning("Failed to restore the pool connection floor; retrying", exc_info=True)

    for clock[0] in (0, 1, 2, 4, 8, 16, 28, 61, 62):
        fails(ConnectError("refused"))
    assert [each.getMessage() for each in caplog.records] == [
        "Failed to restore the pool connection floor; retrying: refused"
    ] * 2
    assert all(each.exc_info is None for each in caplog.records)
    fails(OSError("of a pool of the host"))
    assert caplog.records[-1].exc_info is not None
