"""Usage totals: each turn counts once, for any order and repetition of deliveries, and equals a replay."""

from __future__ import annotations

import asyncio
import random
from collections import Counter
from contextlib import AsyncExitStack
from datetime import UTC, datetime, timedelta
from uuid import uuid4

import asyncpg
import pytest

from brain.decay import added, decayed
from cognitive import ALL_USERS, CognitiveLayer, NewMemory, Outcome, Policy, Turn, TurnRef
from cognitive.errors import InvalidInput

pytestmark = pytest.mark.promise(number=3)

AT = datetime(2026, 9, 1, 12, tzinfo=UTC)
QUESTION = "Which pump of which berth was sealed?"
POLICY = Policy(abstention=False, dedup={"enabled": False}, deadline_ms=20_000)
HASTY = Policy(abstention=False, dedup={"enabled": False}, deadline_ms=20_000, feedback={"abandon_after_minutes": 1e-9})


@pytest.fixture(scope="module")
async def layer(urls, embedder):
    async with CognitiveLayer.open(urls.app, policy=POLICY, embedder=embedder) as layer:
        yield layer


@pytest.fixture(scope="module")
async def hasty(urls, embedder):
    """Yield a layer that abandons every open turn."""
    async with CognitiveLayer.open(urls.app, policy=HASTY, embedder=embedder) as layer:
        yield layer


def pump(n: int, type_: str = "fact") -> NewMemory:
    return NewMemory(type=type_, content=f"The pump of berth {n} was sealed on pier {n}.", occurred_at=AT)


@pytest.fixture
async def pumps(layer, agent):
    return await layer.remember(agent, [pump(1), pump(2), pump(3, "decision"), pump(4, "decision")])


def make_turn(agent: str, **fields) -> Turn:
    return Turn(**{"agent_id": agent, "session_id": "s", "text": QUESTION, **fields})


def cited(*ids, **fields) -> Outcome:
    """Return an outcome that used these memories and no others."""
    return Outcome(response="Sealed.", citations=ids or (uuid4(),), **fields)


async def fetch(urls, sql: str, *arguments):
    connection = await asyncpg.connect(urls.admin)
    try:
        return await connection.fetch(sql, *arguments)
    finally:
        await connection.close()


async def counts(urls, agent: str) -> dict:
    rows = await fetch(
        urls, "SELECT memory_id, times_shown, times_used FROM cognitive.usage WHERE agent_id = $1", agent
    )
    return {row["memory_id"]: (row["times_shown"], row["times_used"]) for row in rows}


async def masses(urls, agent: str) -> dict:
    """Return (shown, used, time) by memory and by type."""
    rows = await fetch(
        urls,
        "SELECT memory_id::text AS of, shown, used, last_at FROM cognitive.usage WHERE agent_id = $1"
        " UNION ALL SELECT type, shown, used, last_at FROM cognitive.usage_base WHERE agent_id = $1",
        agent,
    )
    return {row["of"]: (row["shown"], row["used"], row["last_at"]) for row in rows}


# --- repeated deliveries ---


async def test_repeated_and_parallel_outcomes_count_once(layer, agent, pumps, urls, embedder):
    contexts = [await layer.pre_turn(make_turn(agent, now=AT + timedelta(hours=n))) for n in range(12)]
    async with AsyncExitStack() as stack:
        others = [
            await stack.enter_async_context(CognitiveLayer.open(urls.app, policy=POLICY, embedder=embedder))
            for _ in range(2)
        ]
        deliveries = [
            (each, context if n % 2 else TurnRef(agent, context.turn_id))
            for context in contexts
            for n, each in enumerate([layer, layer, *others])
        ]
        random.Random(3).shuffle(deliveries)
        reports = await asyncio.gather(*(each.post_turn(which, cited(pumps[0])) for each, which in deliveries))
    assert sum(not report.duplicate for report in reports) == len(contexts)
    assert all(report.recorded for report in reports)
    assert {len(report.attributions) for report in reports} == {4}, (
        "the report of a duplicate repeats the counted attributions"
    )
    assert await counts(urls, agent) == {id: (12, 12 if id == pumps[0] else 0) for id in pumps}


async def test_turn_id_of_another_text_records_and_credits_nothing(layer, agent, pumps, urls):
    first = await layer.pre_turn(make_turn(agent, turn_id="same"))
    other = await layer.pre_turn(
        make_turn(agent, turn_id="same", text="Do penguins sleep?", now=AT + timedelta(hours=1))
    )
    for recorded in (False, True):
        with pytest.raises(InvalidInput, match="turn_id: turn 'same' was opened with another text"):
            await layer.post_turn(other, cited(pumps[0]))
        assert (await layer.post_turn(first, cited(pumps[0]))).duplicate is recorded
    assert await counts(urls, agent) == {id: (1, int(id == pumps[0])) for id in pumps}


async def test_concurrent_outcomes_count_shared_memories_without_deadlock(layer, agent, urls):
    deadlocks = "SELECT deadlocks FROM pg_stat_database WHERE datname = current_database()"
    hot = await layer.remember(agent, [pump(n) for n in range(40)])
    contexts = [await layer.pre_turn(make_turn(agent)) for _ in range(24)]
    for context in contexts:
        await layer.recall(agent, QUESTION, limit=40, turn_id=context.turn_id)
    before = await fetch(urls, deadlocks)
    await asyncio.gather(*(layer.post_turn(context, cited(*hot[::2])) for context in contexts * 2))
    assert await counts(urls, agent) == {id: (24, 24 if id in hot[::2] else 0) for id in hot}
    assert await fetch(urls, deadlocks) == before


# --- the four states of a turn ---


async def test_only_completed_turns_count_and_the_first_outcome_is_final(layer, agent, pumps, urls):
    """An open, a failed and an abandoned turn count nothing, not even by an earlier or later rating."""
    contexts = {
        status: await layer.pre_turn(make_turn(agent, turn_id=status))
        for status in ("open", "completed", "failed", "abandoned")
    }
    for context in contexts.values():
        await layer.rate(agent, context.turn_id, pumps[1], useful=True)
    for status in ("completed", "failed", "abandoned"):
        report = await layer.post_turn(contexts[status], cited(pumps[0], status=status, ratings={pumps[2]: True}))
        assert not report.duplicate
    for status in ("failed", "abandoned"):
        assert (await layer.post_turn(contexts[status], cited(pumps[0]))).duplicate
    for context in contexts.values():
        await layer.rate(agent, context.turn_id, pumps[3], useful=False)
    assert await counts(urls, agent) == {pumps[0]: (1, 1), pumps[1]: (1, 1), pumps[2]: (1, 1), pumps[3]: (1, 0)}
    assert {turn.turn_id: turn.status for turn in await layer.explain.turns(agent)} == {s: s for s in contexts}


async def test_abandoned_turn_counts_its_late_outcome_once(layer, hasty, agent, pumps, urls):
    lost = await layer.pre_turn(make_turn(agent, turn_id="lost"))
    await layer.pre_turn(make_turn(agent, turn_id="young"))
    assert {turn.status for turn in await layer.explain.turns(agent)} == {"open"}, (
        "the time until abandonment is not over yet"
    )
    await hasty.pre_turn(make_turn(agent, turn_id="next"))
    states = {turn.turn_id: turn.status for turn in await layer.explain.turns(agent)}
    assert states == {"lost": "abandoned", "young": "abandoned", "next": "open"}
    assert await counts(urls, agent) == {}
    assert not (await layer.post_turn(lost, cited(pumps[0]))).duplicate
    assert (await layer.post_turn(lost, cited(pumps[0]))).duplicate
    assert sum(shown for shown, _ in (await counts(urls, agent)).values()) == len(lost.shown) == 4
    assert {turn.turn_id: turn.status for turn in await layer.explain.turns(agent)}["lost"] == "completed"


async def test_expire_turns_abandons_only_turns_without_an_outcome(layer, hasty, agent, pumps):
    for _ in range(3):
        await layer.pre_turn(make_turn(agent))
    await layer.post_turn(await layer.pre_turn(make_turn(agent, turn_id="done")), cited())
    assert await layer.admin.expire_turns(agent) == 0
    assert await hasty.admin.expire_turns(agent) == 3
    assert await hasty.admin.expire_turns(agent) == 0
    assert Counter(turn.status for turn in await layer.explain.turns(agent)) == {"abandoned": 3, "completed": 1}


async def test_turn_of_a_user_is_abandoned_by_the_users_next_turn(layer, hasty, agent):
    for user in ("ann", "bob"):
        await layer.pre_turn(make_turn(agent, user_id=user, turn_id=user))
    await hasty.pre_turn(make_turn(agent, user_id="ann", turn_id="next"))
    states = {turn.turn_id: turn.status for turn in await layer.explain.turns(agent, user_id=ALL_USERS)}
    assert states == {"ann": "abandoned", "bob": "open", "next": "open"}
    assert await hasty.admin.expire_turns(agent) == 2


# --- recall within a turn ---


async def exposed(urls, agent: str, turn_id: str) -> int:
    rows = await fetch(
        urls, "SELECT 1 FROM cognitive.exposure WHERE agent_id = $1 AND turn_id = $2 AND via = 'recall'", agent, turn_id
    )
    return len(rows)


async def test_recall_joins_an_abandoned_turn_without_an_outcome(layer, hasty, agent, urls):
    await layer.remember(agent, [pump(n) for n in range(14)])
    late = await layer.pre_turn(make_turn(agent, turn_id="given-up"))
    await hasty.admin.expire_turns(agent)
    assert len(await layer.recall(agent, QUESTION, limit=5, turn_id="given-up")) == 5
    report = await layer.post_turn(late, cited())
    assert len(report.attributions) == len(late.shown) + 5


async def test_recall_after_the_outcome_counts_nothing(layer, agent, urls):
    await layer.remember(agent, [pump(n) for n in range(14)])
    for status in ("completed", "failed", "abandoned"):
        await layer.post_turn(await layer.pre_turn(make_turn(agent, turn_id=status)), cited(status=status))
        before = await counts(urls, agent)
        assert await layer.recall(agent, QUESTION, limit=3, turn_id=status)
        assert await exposed(urls, agent, status) == 0
        assert await counts(urls, agent) == before


async def test_recall_before_its_turn_is_recorded_is_judged_with_the_turn(layer, agent, urls):
    await layer.remember(agent, [pump(n) for n in range(14)])
    hits = await layer.recall(agent, QUESTION, limit=3, turn_id="to-come")
    context = await layer.pre_turn(make_turn(agent, turn_id="to-come"))
    report = await layer.post_turn(context, cited(hits[0].memory_id))
    judged = {each.memory_id: each.referenced for each in report.attributions}
    assert judged[hits[0].memory_id]
    assert judged.keys() >= {hit.memory_id for hit in hits}


async def test_recall_concurrent_with_an_outcome_is_always_judged(layer, agent, urls):
    await layer.remember(agent, [pump(n) for n in range(14)])
    for _ in range(12):
        context = await layer.pre_turn(make_turn(agent))
        await asyncio.gather(
            *(layer.recall(agent, QUESTION, limit=limit, turn_id=context.turn_id) for limit in (4, 6, 8)),
            layer.post_turn(context, cited()),
        )
    unjudged = await fetch(urls, "SELECT 1 FROM cognitive.exposure WHERE agent_id = $1 AND overlap IS NULL", agent)
    assert unjudged == []


# --- ratings ---


@pytest.mark.parametrize("when", ["before", "with", "after"])
async def test_rating_weighs_the_same_before_with_and_after_the_outcome(layer, agent, pumps, urls, when):
    context = await layer.pre_turn(make_turn(agent, now=AT))
    if when == "before":
        await layer.rate(agent, context.turn_id, pumps[0], useful=True)
    await layer.post_turn(context, cited(ratings={pumps[0]: True} if when == "with" else {}))
    if when == "after":
        await layer.rate(agent, context.turn_id, pumps[0], useful=True)
    actual = await masses(urls, agent)
    assert actual[str(pumps[0])] == (3.0, 3.0, AT)
    assert actual[str(pumps[1])] == (1.0, 0.0, AT)
    assert actual["fact"] == (4.0, 3.0, AT)
    assert (await counts(urls, agent))[pumps[0]] == (1, 1), "a rating does not count as a second showing"
    [row] = await fetch(
        urls, "SELECT rating FROM cognitive.exposure WHERE agent_id = $1 AND memory_id = $2", agent, pumps[0]
    )
    assert row["rating"] is True


async def test_rating_of_a_recalled_memory_counts_at_the_time_of_the_turn(layer, agent, urls):
    """The exposure is weeks later than the turn, but usage is counted at the time of the turn."""
    await layer.remember(agent, [pump(n) for n in range(14)])
    context = await layer.pre_turn(make_turn(agent, now=AT))
    hits = await layer.recall(agent, QUESTION, limit=2, turn_id=context.turn_id, now=AT + timedelta(days=28))
    await layer.post_turn(context, cited(hits[0].memory_id))
    again = await layer.pre_turn(make_turn(agent, now=AT + timedelta(days=7), turn_id="again"))
    assert hits[0].memory_id in {shown.memory_id for shown in again.shown}
    await layer.post_turn(again, cited())
    await layer.rate(agent, context.turn_id, hits[0].memory_id, useful=False)
    shown, used, as_of = (await masses(urls, agent))[str(hits[0].memory_id)]
    assert used == pytest.approx(0.0, abs=1e-12)
    assert shown == pytest.approx(1.0 + decayed(3.0, AT, as_of, 7.0), rel=1e-9)


class Replay:
    """The expected counts of the same events, in plain Python with `brain.decay`."""

    def __init__(self, contexts, agent_types):
        self.at = {context.turn_id: context.now for context in contexts}
        self.shown = {context.turn_id: [shown.memory_id for shown in context.shown] for context in contexts}
        self.type = agent_types
        self.status: dict = {}
        self.used: dict = {}
        self.rating: dict = {}

    def close(self, turn_id, outcome) -> bool:
        if turn_id in self.status:
            return False
        self.status[turn_id] = outcome.status
        for id in self.shown[turn_id] if outcome.status == "completed" else ():
            if id in outcome.ratings:
                self.rating[turn_id, id] = outcome.ratings[id]
            self.used[turn_id, id] = self.rating.get((turn_id, id), id in outcome.citations)
        return True

    def rate(self, turn_id, id, useful):
        self.rating[turn_id, id] = useful
        if (turn_id, id) in self.used:
            self.used[turn_id, id] = useful

    def masses(self, weight: float, half_life: float) -> dict:
        sums: dict = {}
        for (turn_id, id), used in self.used.items():
            at, worth = self.at[turn_id], weight if (turn_id, id) in self.rating else 1.0
            for of in (str(id), self.type[id]):
                shown_mass, used_mass, as_of = sums.get(of, (0.0, 0.0, at))
                sums[of] = (
                    added(shown_mass, as_of, worth, at, half_life)[0],
                    *added(used_mass, as_of, worth * used, at, half_life),
                )
        return sums

    def counts(self) -> dict:
        pairs = Counter(id for _, id in self.used), Counter(id for (_, id), used in self.used.items() if used)
        return {id: (times, pairs[1][id]) for id, times in pairs[0].items()}


@pytest.mark.parametrize("seed", range(5))
async def test_totals_equal_a_replay_of_the_same_events(layer, hasty, agent, pumps, urls, seed):
    rolled = random.Random(seed)
    times = [AT + timedelta(seconds=rolled.randrange(90 * 86_400)) for _ in range(7)]
    contexts = [await layer.pre_turn(make_turn(agent, now=at)) for at in times]
    replay = Replay(contexts, dict(zip(pumps, ["fact", "fact", "decision", "decision"], strict=True)))
    turns = [context.turn_id for context in contexts]

    def outcome():
        status = rolled.choice(["completed", "completed", "completed", "failed", "abandoned"])
        ratings = {id: rolled.random() < 0.5 for id in pumps if rolled.random() < 0.2}
        return cited(*rolled.sample(pumps, rolled.randrange(3)), status=status, ratings=ratings)

    events = [("close", turn, outcome()) for turn in turns for _ in range(rolled.randrange(1, 4))]
    events += [("rate", rolled.choice(turns), (rolled.choice(pumps), rolled.random() < 0.5)) for _ in range(24)]
    events += [("reap", None, None)] * 2
    rolled.shuffle(events)
    for kind, turn_id, what in events:
        if kind == "close":
            context = contexts[turns.index(turn_id)]
            report = await layer.post_turn(rolled.choice([context, TurnRef(agent, turn_id)]), what)
            assert report.duplicate is not replay.close(turn_id, what)
        elif kind == "rate":
            await layer.rate(agent, turn_id, what[0], useful=what[1])
            replay.rate(turn_id, *what)
        else:
            await hasty.admin.expire_turns(agent)
    assert await counts(urls, agent) == replay.counts()
    actual, expected = (
        await masses(urls, agent),
        replay.masses(POLICY.feedback.rating_weight, POLICY.usage.half_life_days),
    )
    assert actual.keys() == expected.keys()
    for of, (shown, used, as_of) in expected.items():
        assert actual[of] == (pytest.approx(shown, rel=1e-9, abs=1e-9), pytest.approx(used, rel=1e-9, abs=1e-9), as_of)


async def test_outcome_of_an_unknown_turn_is_refused(layer, agent):
    with pytest.raises(InvalidInput, match="never-opened"):
        await layer.post_turn(TurnRef(agent, "never-opened"), cited())
