"""Promise P3: outcomes acknowledged while Postgres is away are journaled, and counted once when it returns."""

from __future__ import annotations

import asyncio
import random
import resource
import signal
from contextlib import suppress

import asyncpg
import pytest
from clients import ANSWER, AT, KEY, TOLERANT, deliver_outcomes, lines, turn
from sites import Site, ask, eventually, opened, recovered_turn, times_shown

from brain.journal import Journal, journal_name
from brain.users import Scope
from cognitive import CognitiveLayer, NewMemory, Outcome, Policy, ToolCall, TurnRef
from cognitive.errors import InvalidInput, JournalError, StoreUnavailable
from tests.forked import forked

pytestmark = pytest.mark.promise(number=3)


@pytest.fixture
def journal(site: Site, tmp_path, monkeypatch) -> Journal:
    """Return the journal that layers on the site use in this test."""
    monkeypatch.setenv("COGNITIVE_DATA_DIR", str(tmp_path / "data"))
    return Journal(tmp_path / "data" / "journal" / journal_name(site.urls.app))


@pytest.fixture
async def agent_with_key(site: Site, agent: str, journal: Journal) -> str:
    async with opened(site) as layer:
        await layer.remember(agent, [NewMemory(type="fact", content=KEY, occurred_at=AT), *lines(12)])
    return agent


async def drained(journal: Journal) -> None:
    async def empty():
        return await asyncio.to_thread(journal.count) == 0

    await eventually(empty)


def kill_server(site: Site) -> None:
    """Kill the server with all its processes, since a backend may answer after the postmaster is dead."""
    site.signal(signal.SIGKILL)


async def restart(site: Site) -> None:
    await asyncio.to_thread(site.server.ensure_running)


async def deliver_until_recorded(layer: CognitiveLayer, context):
    """Deliver an outcome until it is counted; a layer with an open breaker tries again after its next probe."""
    while not (report := await layer.post_turn(context, ANSWER)).recorded:
        await asyncio.sleep(0.02)
    return report


async def statuses(site: Site, agent: str) -> dict[str, str]:
    connection = await asyncpg.connect(site.urls.admin)
    try:
        rows = await connection.fetch("SELECT turn_id, status FROM cognitive.turn WHERE agent_id = $1", agent)
    finally:
        await connection.close()
    return {row["turn_id"]: row["status"] for row in rows}


async def reconciled(site: Site, agent: str) -> bool:
    """Return whether the usage counters equal the sums over completed turns."""
    return await ask(
        site.urls.admin,
        """
        WITH expected AS (
            SELECT e.memory_id, count(*) AS shown, count(*) FILTER (WHERE e.used) AS used
            FROM cognitive.exposure AS e JOIN cognitive.turn AS t USING (agent_id, turn_id)
            WHERE e.agent_id = $1 AND t.status = 'completed' AND e.used IS NOT NULL GROUP BY e.memory_id),
        counted AS (SELECT memory_id, times_shown, times_used FROM cognitive.usage WHERE agent_id = $1)
        SELECT NOT EXISTS (TABLE expected EXCEPT TABLE counted) AND NOT EXISTS (TABLE counted EXCEPT TABLE expected)
        """,
        agent,
    )


# --- outages ---


async def test_journaled_turn_is_captured_when_postgres_returns(site, agent_with_key, journal):
    agent, policy = agent_with_key, TOLERANT.changed({"capture": "exchange"})
    async with opened(site, policy) as layer:
        context = await layer.pre_turn(turn(agent))
        kill_server(site)
        report = await layer.post_turn(context, ANSWER)
        assert not report.recorded
        await restart(site)
        await drained(journal)
        hits = await layer.recall(agent, ANSWER.response, "episode", tags=("captured",))
    assert sorted(hit.speaker for hit in hits) == ["assistant", "user"]


async def test_outcomes_wait_in_the_journal_and_are_counted_once(site, agent_with_key, journal):
    agent = agent_with_key
    async with opened(site) as layer:
        contexts = [await layer.pre_turn(turn(agent)) for _ in range(3)]
        kill_server(site)
        contexts.append(await layer.pre_turn(turn(agent)))
        reports = [await layer.post_turn(context, ANSWER) for context in contexts]
        again = await layer.post_turn(contexts[0], Outcome(response="Something else."))
        assert [(report.recorded, report.duplicate) for report in reports] == [(False, False)] * 4
        assert (again.recorded, again.duplicate) == (False, True)
        assert await asyncio.to_thread(journal.count) == 4
        await restart(site)
        await drained(journal)
        assert await statuses(site, agent) == {context.turn_id: "completed" for context in contexts}
        assert await times_shown(site.urls.admin, agent) == sum(len(context.shown) for context in contexts) > 0
        assert await reconciled(site, agent)
        repeated = [await layer.post_turn(context, Outcome(response="Something else.")) for context in contexts]
        assert all(report.recorded and report.duplicate for report in repeated)
        assert [a.referenced for a in repeated[0].attributions if a.memory_id == contexts[0].shown[0].memory_id] == [
            True
        ], "the first acknowledged outcome is final"
    assert await times_shown(site.urls.admin, agent) == sum(len(context.shown) for context in contexts)


async def test_quoted_tool_result_is_not_credited_through_the_journal(site, agent_with_key, journal):
    agent, text = agent_with_key, "The spare key of the boat house hangs behind the barometer."
    quoting = Outcome(response=text, tool_calls=(ToolCall(name="read_file", result={"text": f"Notes. {text}"}),))
    async with opened(site) as layer:
        direct, journaled = await layer.pre_turn(turn(agent)), await layer.pre_turn(turn(agent))
        at_once = await layer.post_turn(direct, quoting)
        kill_server(site)
        assert not (await layer.post_turn(journaled, quoting)).recorded
        await restart(site)
        await drained(journal)
        later = await layer.post_turn(journaled, quoting)
    assert later.duplicate
    assert later.attributions
    assert [a.overlap for a in later.attributions] == [a.overlap for a in at_once.attributions]
    assert not any(a.referenced for a in later.attributions)


async def test_turn_lost_in_a_crash_is_restored_from_the_journal(site, agent_with_key, journal):
    async with opened(site) as layer:
        context = await layer.pre_turn(turn(agent_with_key))
        whole = "SELECT to_jsonb(t) - $2::text[] FROM cognitive.turn t WHERE agent_id = $1"
        late = ["opened_at", "closed_at", "status", "response"]  # columns of times and of the outcome
        before = await ask(site.urls.admin, whole, agent_with_key, late)
        await ask(site.urls.admin, "DELETE FROM cognitive.exposure WHERE agent_id = $1", agent_with_key)
        await ask(site.urls.admin, "DELETE FROM cognitive.turn WHERE agent_id = $1", agent_with_key)
        kill_server(site)
        await layer.post_turn(context, ANSWER)
        await restart(site)
        await drained(journal)
    assert '"query": "[' in before.replace('":"[', '": "['), "the record holds the vector of its message"
    assert await ask(site.urls.admin, whole, agent_with_key, late) == before
    assert await times_shown(site.urls.admin, agent_with_key) == len(context.shown) > 0


async def test_post_turn_on_a_frozen_server_keeps_its_deadline(site, agent_with_key, journal):
    policy = Policy(abstention=False, deadline_ms=5_000, deadlines={"post_turn_ms": 200})
    async with opened(site, policy) as layer:
        contexts = [await layer.pre_turn(turn(agent_with_key)) for _ in range(3)]
        site.signal(signal.SIGSTOP)
        try:
            async with asyncio.timeout(30):  # the limit used to be a minute each
                reports = [await layer.post_turn(context, ANSWER) for context in contexts]
        finally:
            site.signal(signal.SIGCONT)
        assert not any(report.recorded for report in reports)
        await drained(journal)
    assert await times_shown(site.urls.admin, agent_with_key) == sum(len(context.shown) for context in contexts) > 0


async def test_outcome_by_reference_finds_a_turn_prepared_without_a_server(site, agent_with_key, journal):
    async with opened(site) as layer:
        kill_server(site)
        context = await layer.pre_turn(turn(agent_with_key))
        assert context.degraded
    await restart(site)
    async with opened(site) as other:
        report = await other.post_turn(TurnRef(agent_with_key, context.turn_id), ANSWER)
        assert (report.recorded, report.duplicate) == (True, False)
        await drained(journal)
    assert await statuses(site, agent_with_key) == {context.turn_id: "completed"}


async def test_concurrent_draining_and_delivery_count_each_outcome_once(site, agent_with_key, journal):
    async with opened(site) as layer:
        contexts = [await layer.pre_turn(turn(agent_with_key)) for _ in range(8)]
        kill_server(site)
        await asyncio.gather(*(layer.post_turn(context, ANSWER) for context in contexts))
        await restart(site)
        async with opened(site) as second, opened(site) as third:
            reports = await asyncio.gather(
                *(deliver_until_recorded(each, context) for context in contexts for each in (layer, second, third))
            )
            await drained(journal)
    assert all(report.recorded and report.duplicate for report in reports), "all were acknowledged by the journal"
    assert await times_shown(site.urls.admin, agent_with_key) == sum(len(context.shown) for context in contexts) > 0
    assert await reconciled(site, agent_with_key)


# --- kill -9 ---


async def test_acknowledged_outcome_of_a_killed_client_is_counted_by_the_next(site, agent_with_key, journal):
    async with forked(deliver_outcomes, site.urls.app, agent_with_key, 1, True) as client:
        assert await client.receive() == "ready"
        kill_server(site)
        client.send("go")
        turn_id, shown = await client.receive()
    assert await asyncio.to_thread(journal.count) >= 1
    await restart(site)
    async with opened(site):
        await drained(journal)
    assert (await statuses(site, agent_with_key))[turn_id] == "completed"
    assert await times_shown(site.urls.admin, agent_with_key) == shown > 0


async def test_counters_are_exact_after_kills_of_servers_and_clients(site, agent_with_key, journal):
    rolled = random.Random(20261102)
    acknowledged: dict[str, int] = {}

    for seed in range(2):
        async with forked(deliver_outcomes, site.urls.app, agent_with_key, seed, False) as client:
            acknowledged |= [await client.receive() for _ in range(rolled.randrange(3, 9))]
            site.kill()
            acknowledged |= [await client.receive()]  # the client continues without the server
            await restart(site)
            acknowledged |= [await client.receive() for _ in range(rolled.randrange(3, 9))]
            if seed == 1:
                site.kill()  # server and client at once
            acknowledged |= await client.kill()
        await restart(site)
    async with opened(site) as layer:
        await drained(journal)
        found = await statuses(site, agent_with_key)
        lost = [turn_id for turn_id in acknowledged if found.get(turn_id) != "completed"]
        assert lost == []
        for turn_id in acknowledged:
            assert (await layer.post_turn(TurnRef(agent_with_key, turn_id), ANSWER)).duplicate
    completed = {turn_id for turn_id, status in found.items() if status == "completed"}
    assert len(completed - acknowledged.keys()) <= 2, "at most one unacknowledged outcome for each client"
    assert await reconciled(site, agent_with_key)
    unacknowledged = await ask(
        site.urls.admin,
        "SELECT count(*) FROM cognitive.exposure WHERE agent_id = $1 AND turn_id = ANY($2)",
        agent_with_key,
        sorted(completed - acknowledged.keys()),
    )
    assert await times_shown(site.urls.admin, agent_with_key) == sum(acknowledged.values()) + unacknowledged > 0


# --- entries that cannot be settled ---


async def test_invalid_journal_entries_are_set_aside_and_block_nothing(site, agent_with_key, journal):
    agent = agent_with_key
    async with opened(site) as layer:
        context = await layer.pre_turn(turn(agent))
        kill_server(site)
        await layer.post_turn(TurnRef(agent, "nobody-knows"), ANSWER)
        journal.put(Scope(agent), "half-an-outcome", outcome='{"response": ')
        journal.put(Scope(agent), "no-opening", opening='{"turn_id": "no-opening"}')
        called = [ToolCall(name="open", result=object())]  # a value that is not JSON does no harm
        await layer.post_turn(context, Outcome(response=ANSWER.response, tool_calls=called))
        await restart(site)
        await drained(journal)
        assert await statuses(site, agent) == {context.turn_id: "completed"}
        assert journal.count(parked=True) == 3
        reasons = {
            name: journal.find(Scope(agent), name).error for name in ("nobody-knows", "half-an-outcome", "no-opening")
        }
        assert "nobody-knows" in reasons["nobody-knows"]
        assert all(reasons.values())
        # once the turn is opened, its acknowledged outcome counts
        late = await layer.pre_turn(turn(agent, turn_id="nobody-knows"))
        assert (await layer.post_turn(late, Outcome(response="", status="failed"))).duplicate
    assert (await statuses(site, agent))["nobody-knows"] == "completed"
    async with opened(site):  # a new process retries the entries that were set aside
        await eventually(lambda: asyncio.to_thread(lambda: journal.find(Scope(agent), "nobody-knows") is None))
    assert await times_shown(site.urls.admin, agent) == len(context.shown) + len(late.shown)


async def test_journaled_outcome_ignores_a_forgotten_memory(site, agent_with_key, journal, tmp_path, monkeypatch):
    agent = agent_with_key
    async with opened(site) as layer:
        context = await layer.pre_turn(turn(agent))
        kill_server(site)
        await layer.post_turn(context, ANSWER)
    await restart(site)
    monkeypatch.setenv("COGNITIVE_DATA_DIR", str(tmp_path / "another-machine"))
    async with opened(site) as elsewhere:
        await elsewhere.forget(agent, [context.shown[0].memory_id])
    monkeypatch.setenv("COGNITIVE_DATA_DIR", str(tmp_path / "data"))
    async with opened(site):
        await drained(journal)
    assert journal.count(parked=True) == 0
    assert await times_shown(site.urls.admin, agent) == len(context.shown) - 1 > 0
    assert await reconciled(site, agent)


async def test_erasing_an_agent_deletes_it_from_the_journal(site, agent_with_key, journal):
    async with opened(site) as layer:
        context = await layer.pre_turn(turn(agent_with_key))
        kill_server(site)
        await layer.post_turn(context, Outcome(response="A secret that nobody must find."))
        await layer.post_turn(TurnRef("somebody-else", "t"), Outcome(response="What stays."))
        with suppress(StoreUnavailable):
            await layer.erase_agent(agent_with_key)
        await restart(site)
        await layer.erase_agent(agent_with_key)
        await drained(journal)
    left = b"".join(file.read_bytes() for file in journal.path.parent.iterdir())
    assert b"A secret" not in left
    assert agent_with_key.encode() not in left
    assert b"What stays." in left
    assert await statuses(site, agent_with_key) == {}


# --- a journal that cannot be written ---


async def test_outcome_that_cannot_be_journaled_raises(site, agent_with_key, journal, tmp_path):
    async with opened(site) as layer:
        contexts = [await layer.pre_turn(turn(agent_with_key)) for _ in range(2)]
        kill_server(site)
        (tmp_path / "data").mkdir()
        (tmp_path / "data" / "journal").write_text("a file where the folder should be")
        with pytest.raises(JournalError, match=str(journal.path)):
            await layer.post_turn(contexts[0], ANSWER)
        (tmp_path / "data" / "journal").unlink()
        assert not (await layer.post_turn(contexts[1], ANSWER)).recorded
        await restart(site)
        await drained(journal)
        assert not (await layer.post_turn(contexts[0], ANSWER)).duplicate, "the failed outcome was not kept"
    assert await reconciled(site, agent_with_key)


async def test_corrupt_journal_file_does_not_stop_the_layer(site, agent_with_key, journal):
    journal.path.parent.mkdir(parents=True)
    journal.path.write_bytes(b"This is not what it should be. " * 100)
    async with opened(site) as layer:
        contexts = [await layer.pre_turn(turn(agent_with_key)) for _ in range(2)]
        assert (await layer.post_turn(contexts[0], ANSWER)).recorded
        kill_server(site)
        with pytest.raises(JournalError, match=str(journal.path)):
            await layer.post_turn(contexts[1], ANSWER)
        await restart(site)
        await recovered_turn(layer, agent_with_key)
        assert not (await layer.post_turn(contexts[1], ANSWER)).duplicate


def test_full_disk_is_reported_and_leaves_the_journal_unchanged(tmp_path):
    journal = Journal(tmp_path / "journal" / "x.sqlite")
    assert journal.put(Scope("a"), "first", outcome="{}")
    unlimited = resource.getrlimit(resource.RLIMIT_FSIZE)
    resource.setrlimit(resource.RLIMIT_FSIZE, (64 * 1024, unlimited[1]))  # limits the size of files of this process
    try:
        with pytest.raises(JournalError, match=str(journal.path)):
            journal.put(Scope("a"), "second", outcome="x" * 200_000)
    finally:
        resource.setrlimit(resource.RLIMIT_FSIZE, unlimited)
    assert journal.count() == 1
    assert journal.put(Scope("a"), "second", outcome="x" * 200_000)
    assert journal.count() == 2


async def test_unknown_turn_is_refused_and_not_journaled(site, agent_with_key, journal):
    async with opened(site) as layer:
        with pytest.raises(InvalidInput, match="nobody-knows"):
            await layer.post_turn(TurnRef(agent_with_key, "nobody-knows"), ANSWER)
    assert not journal.path.exists()
