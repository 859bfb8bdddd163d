"""Upgrades of a database in use: under live turns, interrupted and concurrent, and databases that are refused."""

from __future__ import annotations

import asyncio
import shutil
import subprocess
import uuid
from contextlib import asynccontextmanager
from pathlib import Path

import asyncpg
import pytest
from alembic import command
from sqlalchemy.ext.asyncio import create_async_engine

from benchmarks.chaos.sample_data import WordEmbedder
from brain.embedded import ServerUrls
from brain.embedded.server import _bundled_install
from brain.postgres import roles
from brain.postgres.migrate import config, upgrade
from brain.postgres.schema import HEAD
from cognitive import CognitiveLayer, NewMemory, Outcome, Policy, Turn
from cognitive.errors import SchemaError, StoreUnavailable

PATIENT = Policy(deadline_ms=5_000)
NEXT = "0198"
ADDS = """
CREATE TABLE cognitive.colour (agent_id text NOT NULL, name text NOT NULL, PRIMARY KEY (agent_id, name));
ALTER TABLE cognitive.memory ADD COLUMN colour text NOT NULL DEFAULT 'red';
ALTER TABLE cognitive.turn ADD COLUMN colour text;
"""
BUILDS = "CREATE INDEX CONCURRENTLY memory_by_colour ON cognitive.memory (agent_id, colour);"
THERE = "SELECT to_regclass('cognitive.memory_by_colour') IS NOT NULL"
MIGRATION = """
from pathlib import Path
from alembic import op
revision, down_revision = "{revision}", "{before}"
def upgrade():
    script = Path(__file__).with_suffix(".sql").read_text()
    op.get_bind().connection.dbapi_connection.run_async(lambda connection: connection.execute(script))
"""


@pytest.fixture
def scripts(root, tmp_path) -> Path:
    """Return the migrations of a next version, which adds a table, two columns and an index."""
    folder = Path(shutil.copytree(root / "migrations", tmp_path / "migrations"))
    written(folder, NEXT, HEAD, ADDS)
    (folder / "versions" / f"{NEXT}_next.concurrently.sql").write_text(BUILDS)
    return folder


def written(folder: Path, revision: str, before: str, script: str) -> None:
    (folder / "versions" / f"{revision}_next.py").write_text(MIGRATION.format(revision=revision, before=before))
    (folder / "versions" / f"{revision}_next.sql").write_text(script)


@asynccontextmanager
async def database_of(urls):
    name = f"upgrade_{uuid.uuid4().hex[:8]}"
    admin = await asyncpg.connect(urls.admin)
    await admin.execute(f"CREATE DATABASE {name} OWNER cognitive_owner")
    inside = ServerUrls(*(url.replace("/cognitive?", f"/{name}?") for url in (urls.admin, urls.owner, urls.app)))
    extending = await asyncpg.connect(inside.admin)
    await extending.execute("CREATE EXTENSION vector")
    await extending.close()
    yield inside
    await admin.execute(f"DROP DATABASE {name} WITH (FORCE)")
    await admin.close()


@pytest.fixture
async def empty(urls):
    async with database_of(urls) as database:
        yield database


@pytest.fixture
async def database(empty):
    await upgrade(empty.owner)
    return empty


@pytest.fixture
async def admin(empty):
    connection = await asyncpg.connect(empty.admin)
    yield connection
    await connection.close()


def opened(database: ServerUrls):
    return CognitiveLayer.open(database.app, policy=PATIENT, embedder=WordEmbedder())


async def downgrade(database: ServerUrls, revision: str) -> None:
    engine = create_async_engine(database.owner.replace("postgresql:", "postgresql+asyncpg:", 1))

    def down(connection):
        settings = config()
        settings.attributes["connection"] = connection
        command.downgrade(settings, revision)

    try:
        async with engine.begin() as connection:
            await connection.run_sync(down)
    finally:
        await engine.dispose()


def schema(url: str) -> list[str]:
    command = [str(_bundled_install() / "bin" / "pg_dump"), "--schema-only", "--no-owner", "--schema=cognitive", url]
    dumped = subprocess.run(command, capture_output=True, text=True, check=True, timeout=120).stdout
    return [line for line in dumped.splitlines() if not line.startswith(("\\", "--"))]


@pytest.mark.parametrize("revision", ["0012", "0099", "9f3c1e5a7b20"])
async def test_unknown_revision_is_refused_with_advice(database, admin, revision):
    await admin.execute("UPDATE cognitive.alembic_version SET version_num = $1", revision)
    before = schema(database.admin)
    message = (
        rf"revision {revision}, which this version does not know: export the memories with the version that wrote them"
        r".*`cognitive db export`.*import them into an empty database.*Turns, sessions and artifacts are not carried"
    )
    with pytest.raises(SchemaError, match=message):
        await upgrade(database.owner)
    with pytest.raises(SchemaError, match=message):
        async with opened(database):
            pass
    assert schema(database.admin) == before
    assert await admin.fetchval("SELECT version_num FROM cognitive.alembic_version") == revision


async def test_data_survives_the_next_migration(urls, database, admin, scripts):
    async with opened(database) as layer:
        await layer.remember("one", [NewMemory(type="fact", content="The kettle is old.")])
        context = await layer.pre_turn(Turn(agent_id="one", session_id="s", text="Hello"))
        await layer.post_turn(context, Outcome(response="Hello."))
    assert await upgrade(database.owner, scripts=scripts) == NEXT
    async with opened(database) as layer:
        assert [turn.message for turn in await layer.explain.turns("one")] == ["Hello"]
        await layer.remember("one", [NewMemory(type="fact", content="The kettle is new.")])
        hits = await layer.recall("one", "kettle")
        assert {hit.content for hit in hits} == {"The kettle is old.", "The kettle is new."}
    async with database_of(urls) as fresh:
        await upgrade(fresh.owner, scripts=scripts)
        assert schema(database.admin) == schema(fresh.admin)


async def turns(layer: CognitiveLayer, agent: str, done: list[str], over: asyncio.Event) -> None:
    """Write memories and run turns without a pause; none may be degraded."""
    while not over.is_set():
        n = len(done)
        await layer.remember(agent, [NewMemory(type="fact", content=f"Kettle {n} of {agent} leaks.")])
        context = await layer.pre_turn(Turn(agent_id=agent, session_id="s", text="Which kettle leaks?"))
        assert context.degraded == ()
        report = await layer.post_turn(context, Outcome(response=f"Kettle {n} leaks."))
        assert report.recorded
        done.append(agent)


@asynccontextmanager
async def live(layer: CognitiveLayer):
    """Run turns of four agents meanwhile. Raise any error at the end."""
    done, over = [], asyncio.Event()
    async with asyncio.TaskGroup() as group:
        for n in range(4):
            group.create_task(turns(layer, f"live-{n}", done, over))
        await more(done)
        yield done
        await more(done)
        over.set()


async def more(done: list[str], by: int = 8) -> None:
    target = len(done) + by
    async with asyncio.timeout(120):
        while len(done) < target:
            await asyncio.sleep(0.01)


async def test_next_migration_runs_under_live_turns(database, admin, scripts):
    async with opened(database) as layer:
        async with live(layer) as done:
            assert await upgrade(database.owner, scripts=scripts) == NEXT
        for n in range(4):
            assert len(await layer.explain.turns(f"live-{n}", limit=100)) == min(100, done.count(f"live-{n}"))
    assert await admin.fetchval("SELECT count(*) FROM cognitive.memory WHERE colour = 'red'") == len(done)
    assert await valid(admin) is True
    async with opened(database) as again:  # new connections with the old code
        assert await again.recall("live-0", "kettle")


async def test_url_of_an_upgrade_may_contain_settings(empty):
    assert await upgrade(f"{empty.owner}&citus.override_table_visibility=off") == HEAD


async def test_connected_older_writers_fail_after_the_upgrade(empty, admin):
    await upgrade(empty.owner, to="0102")
    locks = (
        "INSERT INTO cognitive.agent_state AS c (agent_id) VALUES ($1)"
        " ON CONFLICT (agent_id) DO UPDATE SET agent_id = excluded.agent_id RETURNING next_seq"
    )
    older = await admin.prepare(locks)
    assert await older.fetchval("one") == 1
    await upgrade(empty.owner)
    for agent in ("one", "two"):
        with pytest.raises(asyncpg.NotNullViolationError, match="language_chosen"):
            await older.fetchval(agent)
    found = await admin.fetch("SELECT agent_id, language_chosen FROM cognitive.agent_state")
    assert [tuple(row) for row in found] == [("one", True)]


async def test_rows_from_before_users_are_shared(empty, admin):
    await upgrade(empty.owner, to="0103")
    await roles.create(empty.admin)
    await admin.execute("""
        INSERT INTO cognitive.agent_state (agent_id, memories, passages, language_chosen) VALUES ('one', 1, 2, false);
        INSERT INTO cognitive.memory (agent_id, id, seq, identity, type, content, occurred_at)
        VALUES ('one', gen_random_uuid(), 1, '', 'fact', 'The kettle leaks.', now());
        INSERT INTO cognitive.turn (agent_id, turn_id, session_id, user_id, at, message, policy, frame, trace)
        VALUES ('one', 't', 's', 'ann', now(), 'Which kettle leaks?', '', '', '{}')""")
    assert await upgrade(empty.owner) == HEAD
    turn = await admin.fetchrow("SELECT user_id, recorded_user FROM cognitive.turn")
    corpus = await admin.fetchrow("SELECT agent_id, user_id, memories, passages FROM cognitive.corpus")
    assert (tuple(turn), tuple(corpus)) == (("", "ann"), ("one", "", 1, 2))
    assert await admin.fetchval("SELECT user_id FROM cognitive.memory") == ""
    analysed = await admin.fetch(
        "SELECT tablename FROM pg_stats WHERE schemaname = 'cognitive' AND attname = 'user_id'"
    )
    assert {row["tablename"] for row in analysed} == {"memory", "turn", "corpus"}  # the tables with rows
    assert await admin.fetchval("SELECT has_table_privilege('cognitive_reader', 'cognitive.corpus', 'SELECT')")
    async with opened(empty) as layer:
        assert [turn.message for turn in await layer.explain.turns("one")] == ["Which kettle leaks?"]
        assert len(await layer.recall("one", "kettle")) == 0  # its passages were never written


async def test_rows_of_users_refuse_the_downgrade(database, admin):
    await admin.execute("INSERT INTO cognitive.corpus (agent_id, user_id) VALUES ('one', 'ann')")
    with pytest.raises(asyncpg.RaiseError, match="corpus has rows of users"):
        await downgrade(database, "0104")
    assert await admin.fetchval("SELECT version_num FROM cognitive.alembic_version") == HEAD


async def test_downgrade_below_users_keeps_shared_rows(empty, admin):
    await upgrade(empty.owner)
    async with opened(empty) as layer:
        await layer.remember("one", [NewMemory(type="fact", content="The kettle leaks.")])
        await layer.remember("one", [NewMemory(type="fact", content="Ann snores.", user_id="ann")])
        await layer.forget_user("one", "ann")
    await admin.execute("DROP INDEX cognitive.memory_by_id")  # as if its build had been interrupted
    await downgrade(empty, "0103")
    assert await admin.fetchval("SELECT memories FROM cognitive.agent_state") == 1
    assert [row["what"] for row in await admin.fetch("SELECT what FROM cognitive.erasure")] == ["memories"]
    assert await upgrade(empty.owner) == HEAD
    async with opened(empty) as layer:
        assert [hit.content for hit in await layer.recall("one", "kettle")] == ["The kettle leaks."]


async def test_vacuum_and_reindex_run_beside_live_turns(database, admin):
    async with opened(database) as layer:
        async with live(layer) as done:
            for keeping in ("VACUUM (ANALYZE)", "REINDEX SCHEMA CONCURRENTLY cognitive", "VACUUM"):
                await admin.execute(keeping)
                await more(done)
        for n in range(4):
            agent, stored = f"live-{n}", done.count(f"live-{n}")
            assert len(await layer.recall(agent, "Which kettle leaks?", limit=100)) == min(100, stored)


async def test_schema_that_needs_newer_code_is_refused_with_advice(database, scripts):
    takes = "ALTER TABLE cognitive.memory DROP COLUMN colour; UPDATE cognitive.alembic_version SET oldest = '0198'"
    written(scripts, "0199", NEXT, takes)
    drops = "DROP INDEX CONCURRENTLY IF EXISTS cognitive.memory_by_colour"
    (scripts / "versions" / "0199_next.concurrently.sql").write_text(drops)
    await upgrade(database.owner, scripts=scripts)
    with pytest.raises(SchemaError, match=r"code for 0198 or newer.*upgrade this package"):
        async with opened(database):
            pass
    with pytest.raises(SchemaError, match=r"revision 0199, which needs code for 0199 or newer.*: upgrade this package"):
        await upgrade(database.owner)


async def test_upgrade_behind_a_long_transaction_fails_without_blocking_turns(database, admin, scripts):
    reader = await asyncpg.connect(database.admin)
    transaction = reader.transaction()
    await transaction.start()
    await reader.fetch("SELECT FROM cognitive.memory")
    async with opened(database) as layer, live(layer) as done:
        before = len(done)
        with pytest.raises(SchemaError, match=rf"0198 got no lock.*{reader.get_server_pid()}"):
            await upgrade(database.owner, scripts=scripts, attempts=3)
        assert len(done) > before
        assert await admin.fetchval("SELECT version_num FROM cognitive.alembic_version") == HEAD
        assert await admin.fetchval("SELECT to_regclass('cognitive.colour')") is None  # nothing remains of it
        await transaction.rollback()
        assert await upgrade(database.owner, scripts=scripts) == NEXT
    await reader.close()


async def test_concurrent_upgrades_migrate_once(database, admin, scripts):
    assert set(await asyncio.gather(*(upgrade(database.owner, scripts=scripts) for _ in range(4)))) == {NEXT}
    assert await valid(admin) is True
    assert await admin.fetchval("SELECT count(*) FROM pg_class WHERE relname LIKE 'memory_by_colour%'") == 1


async def test_killed_index_build_is_repaired_by_the_next_upgrade(database, admin, scripts):
    builds = scripts / "versions" / f"{NEXT}_next.concurrently.sql"
    builds.unlink()
    await upgrade(database.owner, scripts=scripts)  # as if interrupted between the migration and the build
    builds.write_text(BUILDS)
    writer = await asyncpg.connect(database.admin)
    transaction = writer.transaction()
    await transaction.start()
    await writer.execute("LOCK TABLE cognitive.memory IN ROW EXCLUSIVE MODE")  # like a write, for which the build waits
    deployer = asyncio.create_task(upgrade(database.owner, scripts=scripts))
    await until(lambda: admin.fetchval(THERE))  # the index exists but is not valid yet
    assert await admin.fetchval(
        "SELECT pg_terminate_backend(pid) FROM pg_stat_activity"
        " WHERE datname = current_database() AND query LIKE 'CREATE INDEX CONCURRENTLY%'"
    )
    with pytest.raises(StoreUnavailable):  # a lost connection says nothing about the schema
        await deployer
    assert await valid(admin) is False
    await transaction.rollback()
    assert await upgrade(database.owner, scripts=scripts) == NEXT
    assert await valid(admin) is True
    await writer.close()


async def valid(admin) -> bool | None:
    return await admin.fetchval(
        "SELECT indisvalid FROM pg_index WHERE indexrelid = to_regclass('cognitive.memory_by_colour')"
    )


async def until(condition) -> None:
    async with asyncio.timeout(60):
        while not await condition():
            await asyncio.sleep(0.005)
