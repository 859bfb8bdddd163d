"""Servers that die or freeze, locked tables, killed clients and cancelled calls."""

from __future__ import annotations

import asyncio
import random
import signal
from contextlib import suppress

import asyncpg
import pytest
from clients import ASKED, AT, KEY, TOPICS, kill_own_server, lines, remember_lines, turn
from sites import Site, ask, eventually, opened, recovered_turn, times_shown, totals

from brain.postgres.migrate import upgrade
from cognitive import Message, NewMemory, Outcome, Policy
from cognitive.errors import StoreUnavailable
from tests.forked import forked

pytestmark = pytest.mark.promise(number=2)

# --- the server dies ---


async def test_dead_server_degrades_turns_and_loses_nothing_committed(site, agent_with_key):
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
        after = await recovered_turn(layer, agent)
        assert KEY in after.text
        assert await totals(site.urls.admin, agent) == stored
        assert await times_shown(site.urls.admin, agent) == shown == len(report.attributions)
        again = await layer.post_turn(before, Outcome(response="It hangs behind the barometer in the boat house."))
        assert again.duplicate
        assert await times_shown(site.urls.admin, agent) == shown
        # a turn that was not recorded during the outage is recorded once, with its outcome
        assert (await layer.post_turn(during[0], Outcome(response="I do not know."))).duplicate
        assert not (await layer.post_turn(during[1], Outcome(response="I do not know."))).duplicate
        assert (await layer.post_turn(during[1], Outcome(response="I do not know."))).duplicate


async def test_fitting_without_a_server_says_what_is_missing(site, agent_with_key, caplog):
    async with opened(site) as layer:
        context = await layer.pre_turn(turn(agent_with_key))
        site.kill()
        grown = [*context.prompt(), Message(role="assistant", content="Let me look.")]
        window = await layer.fit(context, grown)
    assert [message.content for message in window.messages][-2:] == [message.content for message in grown[-2:]]
    assert [record.message for record in caplog.records if "was fitted without a part: session" in record.message]


async def test_turn_lost_in_a_crash_is_recorded_with_its_outcome(site, agent_with_key):
    async with opened(site) as layer:
        contexts = [await layer.pre_turn(turn(agent_with_key)) for _ in range(3)]
        await ask(  # a crash can do this, since opening a turn does not wait for the disk
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


async def test_writers_and_turns_survive_a_kill_of_the_server(site, agent):
    """Acknowledged writes are stored; others are complete or absent, and can be repeated."""
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
        await recovered_turn(layer, agent)
        found = await totals(site.urls.admin, agent)
        assert len(set(found.values())) == 1, found
        assert found["memories"] >= 256, "the batch that was reported as done"
        ids = await layer.remember(agent, memories)
        assert len(set(ids)) == 600
    assert set((await totals(site.urls.admin, agent)).values()) == {600}


async def test_feedback_is_counted_once_despite_kills_and_retries(site, agent_with_key):
    async with opened(site) as layer:
        contexts = [await layer.pre_turn(turn(agent_with_key)) for _ in range(12)]
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
    assert sum(not report.duplicate for report in reports) <= 12
    assert await times_shown(site.urls.admin, agent_with_key) == expected > 0


async def test_layer_opens_without_a_server_and_recovers_by_itself(folder, agent):
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
        assert not (await layer.post_turn(context, Outcome(response="No idea."))).recorded, (
            "the outcome is in the journal"
        )
        await asyncio.to_thread(site.server.acquire)
        try:
            await recovered_turn(layer, agent)
            await layer.remember(agent, [NewMemory(type="fact", content=KEY, occurred_at=AT)])
            assert KEY in (await recovered_turn(layer, agent)).text
            again = await layer.post_turn(context, Outcome(response="No idea."))
            assert (again.recorded, again.duplicate) == (True, True), "the acknowledged outcome is final"
        finally:
            await asyncio.to_thread(site.server.release)


async def test_layer_restarts_its_embedded_server(folder, monkeypatch):
    monkeypatch.setenv("COGNITIVE_DATA_DIR", str(folder / "embedded"))
    async with forked(kill_own_server) as client:
        assert await client.receive_all() == [(41, ())]
        assert client.code == 0


# --- the server freezes ---


async def test_frozen_server_degrades_turns_until_it_resumes(site, agent_with_key):
    policy = Policy(abstention=False, deadline_ms=300)
    async with opened(site, policy) as layer, opened(site) as patient:
        await recovered_turn(layer, agent_with_key)
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
        assert KEY in (await recovered_turn(layer, agent_with_key)).text
        assert KEY in (await recovered_turn(patient, agent_with_key)).text
        # no connection is lost: as many concurrent transactions as the pool has connections
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


async def test_layer_opens_while_the_server_is_frozen(site, agent_with_key):
    site.signal(signal.SIGSTOP)
    try:
        async with asyncio.timeout(60), opened(site, Policy(deadline_ms=200)) as layer:
            context = await layer.pre_turn(turn(agent_with_key))
            assert context.degraded
            site.signal(signal.SIGCONT)
            await recovered_turn(layer, agent_with_key)
    finally:
        site.signal(signal.SIGCONT)


@pytest.mark.parametrize("held", ["cognitive.memory", "cognitive.turn", "cognitive.embedding"])
async def test_locked_table_degrades_turns_within_their_deadline(site, agent_with_key, held):
    async with opened(site, Policy(abstention=False, deadline_ms=150)) as layer:
        await recovered_turn(layer, agent_with_key)
        other = await asyncpg.connect(site.urls.admin)
        try:
            async with other.transaction(), asyncio.timeout(60):
                await other.execute(f"LOCK TABLE {held} IN ACCESS EXCLUSIVE MODE")
                contexts = [await layer.pre_turn(turn(agent_with_key)) for _ in range(9)]
        finally:
            await other.close()
        assert all(context.degraded for context in contexts)
        assert KEY in (await recovered_turn(layer, agent_with_key)).text


# --- the client dies ---


@pytest.mark.parametrize("table", ["memory", "posting", "embedding", "agent_state"])
async def test_client_killed_during_a_batch_leaves_whole_batches(site, agent, table):
    """A table lock stops the second batch just before it writes to that table."""
    other = await asyncpg.connect(site.urls.admin)
    try:
        async with forked(remember_lines, site.urls.app, agent) as client:
            assert await client.receive() == "batch"
            async with other.transaction():
                await other.execute(f"LOCK TABLE cognitive.{table} IN SHARE ROW EXCLUSIVE MODE")

                async def waits():
                    return await other.fetchval("SELECT count(*) FROM pg_locks WHERE NOT granted")

                await eventually(waits)
                await client.kill()

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
        ids = await layer.remember(agent, lines(600))
        assert len(set(ids)) == 600
        assert await layer.remember(agent, lines(3)) == ids[:3]
    assert set((await totals(site.urls.admin, agent)).values()) == {600}


# --- the caller cancels ---


async def test_layer_keeps_working_after_cancelled_turns(site, agent_with_key):
    rolled = random.Random(20261102)
    cancelled = 0
    async with opened(site) as layer:
        await recovered_turn(layer, agent_with_key)
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


async def test_cancelled_writes_and_feedback_are_complete_or_absent(site, agent_with_key):
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


async def test_closing_a_layer_ends_turns_in_flight(site, agent_with_key):
    async with opened(site) as layer:
        tasks = [asyncio.create_task(layer.pre_turn(turn(agent_with_key))) for _ in range(12)]
        await asyncio.sleep(0)
    async with asyncio.timeout(30):
        contexts = await asyncio.gather(*tasks)
    assert all(context.degraded or KEY in context.text for context in contexts)
