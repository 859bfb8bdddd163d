"""A streaming standby: turns read from it, and their outcomes wait in the journal until it is promoted."""

from __future__ import annotations

import asyncio
import os
import re
import signal
import tempfile
from collections.abc import AsyncIterator, Iterator
from contextlib import asynccontextmanager, contextmanager
from pathlib import Path

import asyncpg
import pytest
from mcp import Client

from benchmarks.chaos.sample_data import WordEmbedder
from brain.embedded import EmbeddedServer, ServerUrls
from brain.embedded.account import make_home, make_private, runnable_install, server_account
from brain.embedded.server import _bundled_install
from brain.postgres.migrate import upgrade
from brain.postgres.reading import ReadDatabase, ReadServer, measured_lag, unfit
from brain.users import Scope
from cognitive import CognitiveLayer, NewMemory, Outcome, Policy, Turn
from cognitive.dashboard.access import AccessControl
from cognitive.dashboard.app import create, error_pages
from cognitive.errors import InvalidInput, StoreUnavailable
from cognitive.runtimes.mcp import McpScope, create_server
from cognitive.server.auth import needs_no_token, visitor_of
from cognitive.server.config import MountedApp
from cognitive.server.health import Readiness
from cognitive.server.limits import within_rate_limit
from tests.serving import inside

PATIENT = Policy(deadline_ms=10_000)
SAID = "The kettle in the boat house leaks."
ASKED = "Which kettle leaks?"


@contextmanager
def place() -> Iterator[Path]:
    with tempfile.TemporaryDirectory(prefix="cognitive-replica-") as directory:
        Path(directory).chmod(0o711)  # under root the server runs as another user, which needs access
        yield Path(directory)


@pytest.fixture
async def primary(tmp_path, monkeypatch):
    monkeypatch.setenv("COGNITIVE_DATA_DIR", str(tmp_path))  # holds the journal
    with place() as directory:
        server = EmbeddedServer(directory)
        urls = server.acquire()
        await upgrade(urls.owner)
        yield server, urls
        server.release()


@pytest.fixture
async def standby(primary):
    """Return the URLs of a server that replays the primary's writes."""
    with place() as directory:
        copied(primary[1], directory)
        server = EmbeddedServer(directory)
        urls = server.acquire()
        assert await ask(urls.admin, "SELECT pg_is_in_recovery()") is True
        yield urls
        server.release()


def copied(urls: ServerUrls, directory: Path) -> None:
    account = server_account()
    home = make_home(directory, account)
    program = runnable_install(_bundled_install(), account, home / "runtime") / "bin" / "pg_basebackup"
    make_private(home / "cluster", account)
    address = urls.admin.replace("/cognitive?", "/?")
    made = account.run(
        [program, "--pgdata", home / "cluster", "--write-recovery-conf", "--checkpoint=fast", "--dbname", address],
        timeout=120,
    )
    assert made.returncode == 0, made.stderr


async def ask(url: str, statement: str, *arguments):
    connection = await asyncpg.connect(url)
    try:
        return await connection.fetchval(statement, *arguments)
    finally:
        await connection.close()


async def replayed(urls: ServerUrls, standby: ServerUrls) -> None:
    written = await ask(urls.admin, "SELECT pg_current_wal_lsn()::text")
    await eventually(lambda: ask(standby.admin, "SELECT pg_last_wal_replay_lsn() >= $1::text::pg_lsn", written))


async def eventually(condition) -> None:
    async with asyncio.timeout(60):
        while not await condition():
            await asyncio.sleep(0.02)


def opened(url: str):
    return CognitiveLayer.open(url, policy=PATIENT, embedder=WordEmbedder())


async def turned(layer: CognitiveLayer, agent: str, turn_id: str):
    context = await layer.pre_turn(Turn(agent_id=agent, session_id="s", turn_id=turn_id, text=ASKED))
    assert [shown.content for shown in context.shown] == [SAID]
    assert all(reason.startswith("record: ") for reason in context.degraded)  # the turn's record waits with its outcome
    return await layer.post_turn(context, Outcome(response=SAID))


USED = "SELECT coalesce(sum(times_used), 0)::int FROM cognitive.usage WHERE agent_id = $1"


async def test_outcomes_on_a_standby_are_counted_after_promotion(primary, standby, agent):
    _, urls = primary
    async with opened(urls.app) as layer:
        await layer.remember(agent, [NewMemory(type="fact", content=SAID)])
    await replayed(urls, standby)
    async with opened(standby.app) as layer:
        for n in range(8):  # more failures than the breaker's threshold
            report = await turned(layer, agent, f"t{n}")
            assert not report.recorded
        assert [hit.content for hit in await layer.recall(agent, "kettle")] == [SAID]
        with pytest.raises(StoreUnavailable, match="read-only"):
            await layer.remember(agent, [NewMemory(type="fact", content="The lamp is new.")])
        assert await ask(standby.admin, USED, agent) == 0
        assert await ask(standby.admin, "SELECT pg_promote()") is True

        async def counted():
            return await ask(standby.admin, USED, agent) == 8

        await eventually(counted)
        assert {turn.status for turn in await layer.explain.turns(agent)} == {"completed"}
        assert (await turned(layer, agent, "after")).recorded


async def test_url_with_both_servers_connects_to_the_writable_one(primary, standby, agent):
    server, urls = primary
    async with opened(both_of(urls, standby)) as layer:
        await layer.remember(agent, [NewMemory(type="fact", content=SAID)])
        assert (await turned(layer, agent, "before")).recorded
        await replayed(urls, standby)
        server.release()  # the last release stops the server
        context = await layer.pre_turn(Turn(agent_id=agent, session_id="s", turn_id="without", text=ASKED))
        assert context.degraded
        assert not (await layer.post_turn(context, Outcome(response=SAID))).recorded
        await ask(standby.admin, "SELECT pg_promote()")

        async def back():
            turn = Turn(agent_id=agent, session_id="s", text=ASKED)
            return (await layer.pre_turn(turn)).degraded == ()

        await eventually(back)
        assert (await turned(layer, agent, "after")).recorded

        async def counted():
            return {turn.turn_id for turn in await layer.explain.turns(agent) if turn.status == "completed"} >= {
                "before",
                "without",
                "after",
            }

        await eventually(counted)


def both_of(primary: ServerUrls, standby: ServerUrls) -> str:
    sockets = ",".join(url.split("host=")[1].split("&")[0] for url in (primary.app, standby.app))
    return f"postgresql://cognitive_app@/cognitive?host={sockets}&port=5432,5432&target_session_attrs=read-write"


async def test_acknowledged_outcomes_survive_the_primary(primary, standby, agent):
    """With a synchronous standby, a commit is acknowledged once the standby has it on disk."""
    _, urls = primary
    for statement in ("ALTER SYSTEM SET synchronous_standby_names = '*'", "SELECT pg_reload_conf()"):
        await ask(urls.admin, statement)
    synchronous = "SELECT EXISTS (SELECT FROM pg_stat_replication WHERE sync_state = 'sync')"
    await eventually(lambda: ask(urls.admin, synchronous))
    acknowledged: list[str] = []
    async with opened(both_of(urls, standby)) as layer:
        await layer.remember(agent, [NewMemory(type="fact", content=SAID)])

        async def working(worker: int, until: asyncio.Event) -> None:
            n = 0
            while not until.is_set():
                n += 1
                turn = Turn(agent_id=agent, session_id=f"s{worker}", turn_id=f"{worker}-{n}", text=ASKED)
                context = await layer.pre_turn(turn)
                if (await layer.post_turn(context, Outcome(response=SAID))).recorded:
                    acknowledged.append(context.turn_id)
                elif context.degraded:
                    await asyncio.sleep(0.02)

        over = asyncio.Event()
        async with asyncio.TaskGroup() as workers:
            for worker in range(3):
                workers.create_task(working(worker, over))
            await eventually(lambda: more_than(acknowledged, 10))
            kill(urls)
            before = set(acknowledged)
            assert await ask(standby.admin, "SELECT pg_promote()") is True
            lost, after = before - await completed(standby, agent), len(acknowledged)
            assert lost == set()
            await eventually(lambda: more_than(acknowledged, after + 10))
            over.set()
    assert set(acknowledged) <= await completed(standby, agent)


def kill(urls: ServerUrls) -> None:
    folder = Path(urls.app.split("host=")[1].split("&")[0]).parent / "cluster"
    os.kill(int((folder / "postmaster.pid").read_text().split("\n", 1)[0]), signal.SIGKILL)


async def more_than(values: list[str], number: int) -> bool:
    return len(values) > number


async def completed(server: ServerUrls, agent: str) -> set[str]:
    found = "SELECT coalesce(array_agg(turn_id), '{}') FROM cognitive.turn WHERE agent_id = $1 AND status = 'completed'"
    return set(await ask(server.admin, found, agent))


STARTED = "SELECT pg_postmaster_start_time()"  # tells servers apart
NOWHERE = "postgresql://cognitive_app@/cognitive?host=/nowhere"


@asynccontextmanager
async def closed(reading: ReadDatabase) -> AsyncIterator[None]:
    try:
        yield
    finally:
        await reading.close()


async def asks(reading: ReadDatabase, agent: str, url: str) -> bool:
    return await reading.run(Scope(agent), lambda c: c.fetchval(STARTED)) == await ask(url, STARTED)


async def test_reports_read_the_standby_and_turns_the_primary(primary, standby, agent, monkeypatch):
    _, urls = primary
    monkeypatch.setenv("COGNITIVE_REPLICA_URL", standby.app)
    async with opened(urls.app) as layer:
        await layer.remember(agent, [NewMemory(type="fact", content=SAID)])
        assert (await turned(layer, agent, "t")).recorded
        await replayed(urls, standby)
        ready = await Readiness(layer).check()
        assert ready.status == "ok"
        assert re.fullmatch(r"ok, \d\.\d s behind", ready.parts["replica"])
        status, lag = await replica_finding(layer)  # the server itself writes now and then, such as at a checkpoint
        assert status == "ok"
        assert re.fullmatch(r"\d\.\d s and [\d,]+ bytes behind", lag)

        await ask(standby.admin, "SELECT pg_wal_replay_pause()")
        await layer.remember(agent, [NewMemory(type="fact", content="The lamp is new.")])
        assert (await layer.admin.replica()).bytes > 0
        await ask(standby.admin, "SELECT pg_wal_replay_resume()")

    reading = ReadDatabase(urls.app, standby=ReadDatabase(standby.app))
    async with closed(reading):
        assert await asks(reading, agent, standby.app)
        assert await ask(standby.admin, "SELECT pg_promote()")
        assert await asks(reading, agent, urls.app)  # a promoted standby no longer receives the turns' writes
        assert "accepts writes" in (await reading.compared()).unfit


async def test_recall_reads_a_standby_within_the_accepted_lag(primary, standby, agent, monkeypatch):
    _, urls = primary
    monkeypatch.setenv("COGNITIVE_REPLICA_URL", standby.app)
    async with opened(urls.app) as layer:
        await layer.remember(agent, [NewMemory(type="fact", content=SAID)])
        await replayed(urls, standby)
        found = await layer.recall(agent, "kettle", max_lag_seconds=60)
        assert [hit.content for hit in found] == [SAID]
        assert 0 <= found.lag_seconds < 60
        assert (await layer.recall(agent, "kettle")).lag_seconds is None

        await ask(standby.admin, "SELECT pg_wal_replay_pause()")
        await layer.remember(agent, [NewMemory(type="fact", content="The lamp is new.")])
        stale = await layer.recall(agent, "lamp", max_lag_seconds=3600)
        assert "The lamp is new." not in {hit.content for hit in stale}
        assert stale.lag_seconds > 0
        assert await lag_on_page(layer, agent) > 0
        server = create_server(layer, McpScope(agent, max_lag_seconds=3600))
        async with Client(server, mode="legacy") as client:
            assert "The lamp is new." not in str(await client.call_tool("recall_context", {"query": "lamp"}))
        fresh = await layer.recall(agent, "lamp", max_lag_seconds=0)
        assert (fresh[0].content, fresh.lag_seconds) == ("The lamp is new.", None)
        turn = await layer.pre_turn(Turn(agent_id=agent, session_id="s", text="Which lamp is new?"))
        assert [shown.content for shown in turn.shown] == ["The lamp is new."]
        with pytest.raises(InvalidInput, match="a turn never reads a standby"):
            await layer.recall(agent, "lamp", turn_id=turn.turn_id, max_lag_seconds=60)


async def lag_on_page(layer: CognitiveLayer, agent: str) -> float:
    """Return how many seconds behind the primary the dashboard's list of memories says to be."""
    pages = create(layer, layer.explain.analytics, AccessControl(visitor_of, needs_no_token, within_rate_limit))
    mounts = (MountedApp("/ui", pages, own_login=True, error_page=error_pages()),)
    async with inside(layer, mounts=mounts) as client:
        page = await client.get(f"/ui/memories?agent={agent}")
    return float(re.search(r"Read from a standby, ([\d.]+) s behind", page.text)[1])


async def test_standby_of_a_dead_primary_is_read_and_its_lag_grows(primary, standby, agent):
    server, urls = primary
    reading = ReadDatabase(urls.app, standby=ReadDatabase(standby.app))
    async with closed(reading):
        await ask(urls.admin, "CREATE TABLE written ()")
        await replayed(urls, standby)
        with measured_lag() as lag:
            assert await asks(reading, agent, standby.app)
        assert 0 <= lag.seconds < 60
        server.release()
        reading._primary_until = 0.0  # as if two seconds had passed
        with measured_lag() as lag:
            assert await reading.run(Scope(agent), lambda c: c.fetchval(STARTED))
        assert lag.seconds > 0


async def replica_finding(layer: CognitiveLayer) -> tuple[str, str]:
    [finding] = [each for each in (await layer.admin.health()).findings if each.check == "replica"]
    return finding.status, finding.detail


async def test_reports_read_the_primary_while_the_standby_is_away(urls, agent, monkeypatch):
    reading = ReadDatabase(urls.app, standby=ReadDatabase(NOWHERE))
    async with closed(reading):
        assert await asks(reading, agent, urls.app)
    monkeypatch.setenv("COGNITIVE_REPLICA_URL", NOWHERE)
    async with opened(urls.app) as layer:
        ready = await Readiness(layer).check()
        assert (ready.status, ready.parts["replica"]) == ("ok", "unavailable")  # turns do not need it
        status, found = await replica_finding(layer)
        assert status == "warning"
        assert found.startswith("the replica does not answer")


def test_standby_of_another_server_is_unfit():
    assert unfit(ReadServer(True, 7, 0, None), 7) is None
    assert "another server" in unfit(ReadServer(True, 8, 0, None), 7)
