"""The beginning of a tenant's transaction: Postgres reads the agent's id unchanged and never as SQL."""

from __future__ import annotations

import asyncio

import asyncpg
import pytest
from hypothesis import given
from hypothesis import settings as profile
from hypothesis import strategies as st

from benchmarks.chaos.faults import FaultyProxy
from benchmarks.chaos.sample_data import WordEmbedder
from brain.errors import InvalidInput, StoreUnavailable
from brain.postgres import transaction
from brain.postgres.database import Database
from brain.postgres.transaction import beginning
from brain.users import Scope
from cognitive import CognitiveLayer, NewMemory, Outcome, Policy, Turn

NAMES = [
    "ada",
    "O'Hara",
    "'; DROP SCHEMA cognitive CASCADE; --",
    "\\",
    "\\'",
    "\\\\'",
    "a\nb\r\tc",
    "U&'\\0061'",
    "E'\\x27'",
    "$$",
    "{agent}",
    "%s",
    "/* ",
    "-- ",
    "Zoë",
    "🦉",
    "\ufeff",
    "\u202e",
    "\x01\x1b\x7f",
    "  ",
    "TO DEFAULT",
    "x" * 10_000,
    "'" * 10_000,
    "🦉" * 10_000,
]
# asyncpg's statements about types on a connection; this one itself does not match
LOOKUPS = "SELECT count(*) FROM pg_prepared_statements WHERE statement LIKE '%typeinfo' || '_tree%'"
ANY = st.text(st.characters(exclude_categories=["Cs"], exclude_characters="\x00"))
MADE_OF_QUOTES = st.text("'\\\"$;&UExu0-/* \n")


@pytest.fixture
async def connection(urls):
    connection = await asyncpg.connect(urls.app)
    yield connection
    await connection.close()


async def read(connection, begin: str, setting: str) -> str:
    await connection.execute(begin)
    try:
        return await connection.fetchval("SELECT current_setting($1)", setting)
    finally:
        await connection.execute("ROLLBACK")


@pytest.mark.parametrize("conforming_strings", ["on", "off"])
async def test_awkward_agent_ids_reach_postgres_unchanged(connection, conforming_strings):
    """With `off`, as on old servers, Postgres reads backslashes in every string as escapes."""
    await connection.execute(f"SET standard_conforming_strings TO {conforming_strings}")
    for name in NAMES:
        assert await read(connection, beginning(Scope(name), 1), "cognitive.agent_id") == name
        assert await read(connection, beginning(Scope("ada", name), 1), "cognitive.user_id") == name


@pytest.mark.parametrize("clustered", [False, True])
async def test_awkward_texts_reach_the_first_statements_unchanged(urls, clustered):
    database = Database(urls.app, pool_size=1, clustered=clustered)
    first = "SELECT set_config('test.first', $2, true), set_config('test.second', $1, true)"
    read = "SELECT current_setting('test.second'), current_setting('test.first')"
    for name in [*NAMES, "$2 $1", "a'; ROLLBACK; --"]:
        row = await database.run(Scope("ada"), lambda c: c.fetchrow(read), first=[(first, "ada", name)])
        assert tuple(row) == ("ada", name)
    await database.close()


@profile(max_examples=150)
@given(names=st.lists(ANY | MADE_OF_QUOTES, min_size=1, max_size=8))
async def test_any_agent_id_reaches_postgres_unchanged(urls, names):
    connection = await asyncpg.connect(urls.app)
    try:
        for name in names:
            assert await read(connection, beginning(Scope(name), 1), "cognitive.agent_id") == name
    finally:
        await connection.close()


@pytest.mark.parametrize(("name", "message"), [("a\x00", "NUL character at position 1"), ("\ud800", "lone surrogate")])
def test_invalid_text_is_refused_by_field_name(name, message):
    with pytest.raises(InvalidInput, match=f"agent_id.*{message}"):
        beginning(Scope(name), 1)
    with pytest.raises(InvalidInput, match=f"user_id.*{message}"):
        beginning(Scope("ada", name), 1)


@pytest.mark.parametrize(
    ("setting", "value"),
    [
        ("statement_timeout", "1500ms"),
        ("synchronous_commit", "off"),
        ("transaction_read_only", "on"),
        ("role", "cognitive_app"),
        ("plan_cache_mode", "force_generic_plan"),
        ("idle_in_transaction_session_timeout", "1min"),
        ("cognitive.user_id", "ann"),
    ],
)
async def test_transaction_settings_end_with_the_transaction(connection, setting, value):
    before = await connection.fetchval("SELECT coalesce(current_setting($1, true), '')", setting)
    begin = beginning(Scope("ada", "ann"), 1.5, durable=False, read_only=True, role="cognitive_app")
    assert await read(connection, begin, setting) == value
    assert await connection.fetchval("SELECT coalesce(current_setting($1, true), '')", setting) == before


@pytest.mark.parametrize(
    ("setting", "value"),
    [
        ("citus.propagate_set_commands", "local"),
        ("citus.allow_nested_distributed_execution", "on"),
        ("plan_cache_mode", "auto"),
        ("cognitive.agent_id", "ada"),
    ],
)
async def test_clustered_transaction_propagates_its_settings(connection, setting, value):
    """A server without Citus accepts these names as ordinary settings."""
    assert await read(connection, beginning(Scope("ada"), 1, clustered=True), setting) == value


@pytest.mark.parametrize(("pooled", "expected"), [(False, "off"), (True, None)])
async def test_connections_to_a_cluster_leave_shards_visible(urls, pooled, expected):
    """A pooler would refuse the setting; there, an operator sets it for the login."""
    database = Database(urls.app, pool_size=1, clustered=True, pooled=pooled)
    try:
        setting = "SELECT current_setting('citus.override_table_visibility', true)"
        assert await database.run(Scope("ada"), lambda c: c.fetchval(setting)) == expected
    finally:
        await database.close()


@pytest.fixture
async def asynchronous_commits(urls):
    """Make commits asynchronous by default; yield a function that returns the modes in which usage was committed."""
    admin = await asyncpg.connect(urls.admin)
    database = await admin.fetchval("SELECT current_database()")
    await admin.execute(f"""
        ALTER DATABASE {database} SET synchronous_commit = off;
        CREATE TABLE public.committed (as_said text);
        CREATE FUNCTION public.commits() RETURNS trigger LANGUAGE plpgsql SECURITY DEFINER AS
            $$BEGIN INSERT INTO public.committed SELECT current_setting('synchronous_commit'); RETURN NULL; END$$;
        CREATE TRIGGER commits AFTER INSERT OR UPDATE ON cognitive.usage EXECUTE FUNCTION public.commits();
    """)
    yield lambda: admin.fetch("SELECT DISTINCT as_said FROM public.committed")
    await admin.execute(f"""
        DROP TRIGGER commits ON cognitive.usage;
        DROP FUNCTION public.commits;
        DROP TABLE public.committed;
        ALTER DATABASE {database} RESET synchronous_commit;
    """)
    await admin.close()


async def test_outcome_is_committed_synchronously(asynchronous_commits, urls, agent):
    async with CognitiveLayer.open(urls.app, policy=Policy(deadline_ms=20_000), embedder=WordEmbedder()) as layer:
        await layer.remember(agent, [NewMemory(type="fact", content="The kettle leaks.")])
        context = await layer.pre_turn(Turn(agent_id=agent, session_id="s", text="Which kettle leaks?"))
        report = await layer.post_turn(context, Outcome(response="The kettle leaks."))
    assert report.recorded
    assert [tuple(row) for row in await asynchronous_commits()] == [("on",)]


@pytest.fixture(params=["repeatable read", "serializable"])
async def stricter_isolation(urls, request):
    """Give new connections to the database another default of the isolation level."""
    admin = await asyncpg.connect(urls.admin)
    database = await admin.fetchval("SELECT current_database()")
    await admin.execute(f"ALTER DATABASE {database} SET default_transaction_isolation = '{request.param}'")
    yield
    await admin.execute(f"ALTER DATABASE {database} RESET default_transaction_isolation")
    await admin.close()


@pytest.mark.usefixtures("stricter_isolation")
async def test_writers_succeed_under_a_stricter_default_of_isolation(urls, agent):
    async with CognitiveLayer.open(urls.app, policy=Policy(deadline_ms=20_000), embedder=WordEmbedder()) as layer:
        memories = [NewMemory(type="fact", content=f"Kettle {n} leaks.") for n in range(16)]
        await asyncio.gather(*(layer.remember(agent, [memory]) for memory in memories))
        texts = [f"Which of the {n} kettles leaks?" for n in range(6)]
        turns = (layer.pre_turn(Turn(agent_id=agent, session_id="s", text=text)) for text in texts)
        outcome = Outcome(response="Kettle 3 leaks.")
        reports = await asyncio.gather(*[layer.post_turn(turn, outcome) for turn in await asyncio.gather(*turns)])
        assert all(report.recorded for report in reports)
        assert len(await layer.admin.find(agent)) == 16


def test_propagation_is_enabled_before_the_propagated_settings():
    begin = beginning(Scope("ada"), 1, role="cognitive_app", clustered=True)
    assert begin.index("SET LOCAL ROLE") < begin.index("propagate_set_commands") < begin.index("cognitive.agent_id")


async def own_process(c) -> int:
    return await c.fetchval("SELECT pg_backend_pid()")


async def test_refused_statement_keeps_its_connection_and_logs_nothing(urls, agent, caplog):
    database = Database(urls.app, pool_size=1)
    try:
        before = await database.run(Scope(agent), own_process)
        with pytest.raises(InvalidInput, match="zero"):
            await database.run(Scope(agent), lambda c: c.fetchval("SELECT 1 / 0"))
        assert await database.run(Scope(agent), own_process) == before
        assert caplog.records == []
    finally:
        await database.close()


@pytest.fixture
async def limited(urls):
    """Yield the address of a login that may have three connections."""
    admin = await asyncpg.connect(urls.admin)
    await admin.execute("CREATE ROLE limited LOGIN CONNECTION LIMIT 3 IN ROLE cognitive_app")
    yield urls.admin.replace("postgres@", "limited@")
    await admin.execute("DROP ROLE limited")
    await admin.close()


async def test_pool_keeps_its_connections_if_the_server_has_no_place_for_another(limited, agent):
    database = Database(limited, pool_size=4)
    taken, release = asyncio.Semaphore(0), asyncio.Event()

    async def held(c) -> int:
        taken.release()
        await release.wait()
        return await own_process(c)

    async def three_at_once() -> list[asyncio.Task[int]]:
        tasks = [asyncio.create_task(database.run(Scope(agent), held)) for _ in range(3)]
        for _ in tasks:
            await taken.acquire()
        return tasks

    try:
        first = await three_at_once()
        with pytest.raises(StoreUnavailable, match="too many connections"):
            await database.run(Scope(agent), own_process)
        release.set()
        before = set(await asyncio.gather(*first))
        release.clear()
        second = await three_at_once()
        release.set()
        assert set(await asyncio.gather(*second)) == before
    finally:
        await database.close()


async def test_unresponsive_connection_is_closed_and_replaced(urls, agent, monkeypatch):
    monkeypatch.setattr(transaction, "_UNDO_SECONDS", 0.1)
    started = asyncio.Event()
    async with FaultyProxy.before(urls.app) as proxy:
        database = Database(proxy.url, pool_size=1)

        async def swallowed(c) -> int:
            proxy.fault = "blackhole"
            started.set()
            return await own_process(c)

        try:
            before = await database.run(Scope(agent), own_process)
            waiting = asyncio.create_task(database.run(Scope(agent), swallowed))
            await started.wait()
            waiting.cancel()
            await asyncio.wait({waiting})
            proxy.fault = None
            async with asyncio.timeout(20):  # the bound only turns a hang into a failure
                assert await database.run(Scope(agent), own_process) != before
        finally:
            await database.close()


async def test_connections_of_a_pool_look_up_types_once(urls, agent):
    database, together = Database(urls.app, pool_size=3), asyncio.Barrier(3)

    async def lookups(c) -> int:
        await together.wait()  # three transactions at once, each on a connection of its own
        assert await c.fetchval("SELECT $1::uuid[]", []) == []
        return await c.fetchval(
            "SELECT count(*) FROM pg_prepared_statements WHERE statement LIKE '%typeinfo' || '_tree%'"
        )

    try:
        assert sum(await asyncio.gather(*(database.run(Scope(agent), lookups) for _ in range(3)))) == 1
    finally:
        await database.close()


async def test_reads_return_before_their_transaction_ends_and_keep_no_connection(urls, agent, monkeypatch):
    monkeypatch.setattr(transaction, "_UNDO_SECONDS", 0.1)
    async with FaultyProxy.before(urls.app) as proxy:
        database = Database(proxy.url, pool_size=1)

        async def last(c) -> int:
            process = await own_process(c)
            proxy.fault = "blackhole"  # from here on, Postgres answers nothing
            return process

        try:
            before = await database.run(Scope(agent), last, timeout=5.0, snapshot=True)
            async with asyncio.timeout(20):  # the bound only turns a hang into a failure
                await asyncio.wait(transaction._background)
                proxy.fault = None
                assert await database.run(Scope(agent), own_process, snapshot=True) != before
        finally:
            await database.close()
