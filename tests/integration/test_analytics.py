"""Queries of the dashboard: they match the rows that were written, stay within one agent, and are limited."""

from __future__ import annotations

from datetime import UTC, datetime, timedelta
from uuid import uuid4

import asyncpg
import pytest

from brain.analytics import paging
from brain.analytics import turns as reading
from brain.analytics.memory_rows import MemoryListFilter
from brain.analytics.turn_rows import Period, TurnFilter
from brain.analytics.turns import TurnAnalytics
from brain.errors import InvalidInput
from brain.postgres import roles
from brain.postgres.database import Database
from brain.statements import SqlStatement
from brain.users import Scope
from cognitive import CognitiveLayer, NewMemory, Outcome, Policy, Tool, ToolCall, Turn

AT = datetime(2026, 9, 1, 12, 30, tzinfo=UTC)
DAY = timedelta(days=1)
POLICY = Policy(abstention=False, dedup={"enabled": False}, deadline_ms=20_000)
HALF_LIFE_DAYS = 7.0


@pytest.fixture(scope="module")
async def layer(urls, embedder):
    async with CognitiveLayer.open(urls.app, policy=POLICY, embedder=embedder) as layer:
        yield layer


@pytest.fixture(scope="module")
async def figures(urls):
    await roles.create(urls.admin, ["cognitive_app"])
    database = Database(urls.app, role=roles.READER)  # the dashboard needs only to read
    yield TurnAnalytics(database)
    await database.close()
    admin = await asyncpg.connect(urls.admin)
    await admin.execute("REVOKE cognitive_reader, cognitive_overview FROM cognitive_app")
    await admin.execute("DROP POLICY overview ON cognitive.rollup")
    await admin.execute("DROP POLICY IF EXISTS overview ON cognitive.agent_state")
    await admin.close()


@pytest.fixture
async def pumps(layer, agent):
    types = ("fact", "fact", "decision", "episode")
    return await layer.remember(
        agent,
        [
            NewMemory(
                type=each,
                content=f"The pump of berth {n} was sealed on pier {n}.",
                tags=(f"t{n % 2}",),
                session_id="kept" if each == "episode" else None,
                occurred_at=AT - n * DAY,
            )
            for n, each in enumerate(types)
        ],
    )


async def take(
    layer, agent, text="Which pump of which berth was sealed?", *, used=(), called=(), ended="completed", **fields
):
    """Run a turn from its message to its outcome."""
    turn = Turn(**{"agent_id": agent, "session_id": "s", "text": text, "now": AT} | fields)
    context = await layer.pre_turn(turn)
    if ended is not None:
        calls = [ToolCall(name=name, result="ok") for name in called]
        await layer.post_turn(context, Outcome(response="Done.", citations=used, status=ended, tool_calls=calls))
    return context


async def test_totals_cover_the_period_and_the_equally_long_period_before(layer, figures, agent, pumps):
    for hours in (-30, 0, 1, 30):  # the day before, twice in the day, the day after
        await take(layer, agent, used=pumps[:1], now=AT + timedelta(hours=hours))
    await take(layer, agent, ended="failed", now=AT)
    today = Period(AT.replace(hour=0, minute=0), AT.replace(hour=0, minute=0) + DAY, "hour")
    [all_] = await figures.totals(Scope(agent), today)
    assert (all_.numbers.turns, all_.numbers.completed, all_.numbers.failed) == (3, 2, 1)
    assert all_.referenced == pytest.approx(2 / all_.numbers.shown)
    assert 0 < all_.precision < 1
    assert sum(all_.numbers.latency) == 3
    assert 0 < all_.quantile(0.5) <= all_.quantile(0.95)
    [before] = await figures.totals(Scope(agent), today.before)
    assert before.numbers.turns == 1
    points = await figures.series(Scope(agent), today)
    assert [(point.at.hour, point.total.numbers.turns) for point in points] == [(12, 2), (13, 1)]
    assert {total.value for total in await figures.totals(Scope(agent), today, "type")} == {
        "fact",
        "decision",
        "episode",
    }


@pytest.mark.parametrize("since", [timedelta(0), timedelta(hours=7), timedelta(days=1, hours=3)])
async def test_totals_from_days_and_hours_equal_the_hourly_series(layer, figures, agent, pumps, since):
    for hours in (0, 9, 20, 33, 47, 60, 80):
        await take(layer, agent, now=AT + timedelta(hours=hours))
    for length in (timedelta(hours=5), DAY, 2 * DAY + timedelta(hours=7), 3 * DAY):
        period = Period(AT + since, AT + since + length, "hour")
        totals = await figures.totals(Scope(agent), period)
        points = await figures.series(Scope(agent), period)
        assert sum(t.numbers.turns for t in totals) == sum(p.total.numbers.turns for p in points)
        assert sum(sum(t.numbers.latency) for t in totals) == sum(sum(p.total.numbers.latency) for p in points)


async def test_days_begin_at_midnight_in_the_viewers_time_zone(layer, figures, agent, pumps):
    for hours in (0, 9):  # half past twelve and half past nine in the evening: the next day in Tokyo
        await take(layer, agent, now=AT + timedelta(hours=hours))
    for zone, days in (("UTC", [2]), ("Asia/Tokyo", [1, 1])):
        points = await figures.series(Scope(agent), Period(AT - DAY, AT + 2 * DAY, "day", zone))
        assert [point.total.numbers.turns for point in points] == days
    with pytest.raises(InvalidInput):
        await figures.series(Scope(agent), Period(AT - DAY, AT, "day", "Nowhere/Else"))


async def test_turn_filters_select_the_matching_turns(layer, figures, agent, pumps):
    first = await take(layer, agent, used=pumps[:2])
    failed = await take(layer, agent, ended="failed", session_id="other", now=AT + DAY)
    tools = [Tool(name="exec"), Tool(name="read")]
    coding = await take(
        layer, agent, "Debug the 100% script of pier_1", called=["exec"], tools=tools, runtime="mcp", now=AT + 2 * DAY
    )
    open_ = await take(layer, agent, ended=None, now=AT + 3 * DAY)

    async def matching_ids(**wanted) -> list[str]:
        return [row.turn_id for row in (await figures.turns(Scope(agent), TurnFilter(**wanted))).rows]

    assert await matching_ids() == [open_.turn_id, coding.turn_id, failed.turn_id, first.turn_id]
    assert await matching_ids(status="failed") == await matching_ids(session_id="other") == [failed.turn_id]
    assert await matching_ids(words="DEBUG script") == await matching_ids(words="100%") == [coding.turn_id]
    assert await matching_ids(words="1%0") == await matching_ids(words="pier1") == []
    assert await matching_ids(runtime="mcp") == await matching_ids(tool="exec") == [coding.turn_id]
    assert coding.turn_id in await matching_ids(category=coding.plan.categories[0])
    assert await matching_ids(
        frame=coding.plan.frame, since=AT + DAY, until=AT + 2.5 * DAY, policies=(coding.plan.policy,)
    )
    assert await matching_ids(since=AT + DAY, until=AT + 2 * DAY) == [failed.turn_id]
    assert (
        await matching_ids(min_ms=1e9) == await matching_ids(degraded=True) == await matching_ids(abstained=True) == []
    )
    row = (await figures.turns(Scope(agent), TurnFilter(until=AT + timedelta(hours=1)))).rows[0]
    assert (row.shown, row.used, row.status) == (len(first.shown), 2, "completed")
    assert row.tokens == sum(shown.tokens for shown in first.shown)
    assert row.found == len(first.trace.candidates)
    assert row.milliseconds > 0


async def test_filters_find_what_went_wrong_with_the_memories_of_turns(layer, figures, agent, pumps):
    one = (await take(layer, agent, used=pumps[:1])).turn_id  # one of several used
    none = (await take(layer, agent, text="Which pump of which berth was sealed on the pier?")).turn_id
    low = (await take(layer, agent, used=pumps[:2])).turn_id
    await layer.rate(agent, low, pumps[1], useful=False)
    [crane] = await layer.remember(agent, [NewMemory(type="fact", content="The crane of dock 9 is painted green.")])
    context = await layer.pre_turn(Turn(agent_id=agent, session_id="s", text="hello there", now=AT))
    await layer.recall(agent, "green crane of the dock", limit=1, turn_id=context.turn_id)
    await layer.post_turn(context, Outcome(response="The crane is chartreuse.", citations=[crane]))
    recalled = context.turn_id

    async def found(**wanted):
        return {row.turn_id for row in (await figures.turns(Scope(agent), TurnFilter(**wanted))).rows}

    assert await found(used=True) == {one, low, recalled}
    assert await found(used=False) == {none}
    assert await found(used_unshown=True) == {recalled}
    assert await found(rating=False) == {low}
    assert await found(words="chartreuse") == {recalled}
    assert await found(words="pier") == {none}


async def test_turn_pages_are_contiguous_and_count_the_rows_examined(layer, figures, agent, pumps, monkeypatch):
    taken = [(await take(layer, agent, now=AT + timedelta(hours=n // 2))).turn_id for n in range(7)]
    seen, after = [], None
    while True:
        page = await figures.turns(Scope(agent), limit=3, after=after)
        seen += [row.turn_id for row in page.rows]
        if page.after is None:
            break
        after = page.after
    assert sorted(seen) == sorted(taken)
    assert (await figures.turns(Scope(agent), TurnFilter(status="failed"))).looked == 7
    with pytest.raises(InvalidInput, match="limit"):
        await figures.turns(Scope(agent), limit=10_000)


async def test_selective_filter_stops_at_the_row_limit_and_resumes_there(layer, figures, agent, pumps, monkeypatch):
    taken = [(await take(layer, agent, now=AT + timedelta(hours=n))).turn_id for n in range(5)]
    await take(layer, agent, ended="failed", now=AT - DAY)
    for name in (True, False):
        source = reading._TURNS[name].source.replace(f"LIMIT {paging.MAX_LOOKED}", "LIMIT 2")
        monkeypatch.setitem(reading._TURNS, name, SqlStatement(name, source))
    monkeypatch.setattr(paging, "MAX_LOOKED", 2)
    page = await figures.turns(Scope(agent), TurnFilter(status="failed"))
    assert (page.rows, page.looked, page.back_to) == ((), 2, AT + timedelta(hours=3))
    while not page.rows:
        page = await figures.turns(Scope(agent), TurnFilter(status="failed"), after=page.after)
    assert page.rows[0].status == "failed"
    assert page.rows[0].turn_id not in taken


async def test_turn_details_include_timings_measures_and_neighbours(layer, figures, agent, pumps):
    first, second, third = [await take(layer, agent, now=AT + n * DAY) for n in range(3)]
    turn = await figures.turn(Scope(agent), second.turn_id)
    assert (turn.previous, turn.next) == (first.turn_id, third.turn_id)
    assert turn.timings["pre_turn"] == turn.measures["elapsed"] > 0
    assert set(turn.measures["types"]) == {"fact", "decision", "episode"}
    assert turn.closed_at > turn.opened_at
    assert await figures.turn(Scope(agent), "nowhere") is None


async def test_memory_filters_select_the_matching_memories(layer, figures, agent, pumps):
    await take(layer, agent, used=pumps[:1])

    async def matching_ids(**wanted) -> list:
        return [row.id for row in (await figures.memories(Scope(agent), MemoryListFilter(**wanted))).rows]

    assert await matching_ids() == pumps
    assert await matching_ids(types=("decision", "episode")) == pumps[2:]
    assert await matching_ids(words="BERTH 3") == await matching_ids(session_id="kept") == pumps[3:]
    assert await matching_ids(tag="t1") == [pumps[1], pumps[3]]
    assert await matching_ids(since=AT - 2 * DAY, until=AT) == pumps[1:3]
    assert await matching_ids(pinned=True) == await matching_ids(hidden=True) == []
    page = await figures.memories(Scope(agent), limit=3)
    assert [row.id for row in (await figures.memories(Scope(agent), limit=3, after=page.after)).rows] == pumps[3:]
    assert (page.rows[0].times_shown, page.rows[0].times_used, page.rows[0].shown_at) == (1, 1, AT)


async def test_memories_are_grouped_by_their_usage(layer, figures, agent, pumps):
    used, ignored = pumps[0], pumps[1:]
    for n in range(5):
        await take(layer, agent, used=(used,), now=AT + n * timedelta(hours=1))
    [never] = await layer.remember(agent, [NewMemory(type="fact", content="Violets need water.", occurred_at=AT)])

    async def members(group: str, now: datetime) -> list:
        return [row.id for row in (await figures.group(Scope(agent), group, HALF_LIFE_DAYS, now)).rows]

    soon, late = AT + DAY, AT + 90 * DAY
    assert await members("never", soon) == [never]
    assert sorted(await members("ignored", soon)) == sorted(ignored)
    assert (await members("rising", soon), await members("stale", soon)) == ([used], [])
    assert (await members("rising", late), await members("stale", late)) == ([], [used])
    sizes = await figures.group_sizes(Scope(agent), HALF_LIFE_DAYS, soon)
    assert (sizes.never, sizes.ignored, sizes.rising, sizes.stale) == (1, 3, 1, 0)
    assert (sizes.looked, sizes.memories, sizes.sampled) == (5, 5, False)
    page = await figures.group(Scope(agent), "ignored", HALF_LIFE_DAYS, soon, limit=2)
    rest = await figures.group(Scope(agent), "ignored", HALF_LIFE_DAYS, soon, limit=2, after=page.after)
    assert sorted([row.id for row in (*page.rows, *rest.rows)]) == sorted(ignored)


async def test_memory_details_include_turns_usage_and_replacement(layer, figures, agent, pumps):
    contexts = [await take(layer, agent, used=pumps[:1], now=AT + n * DAY) for n in range(3)]
    [newer] = await layer.remember(
        agent,
        [NewMemory(type="fact", content="The pump of berth 0 was replaced.", supersedes=pumps[0], occurred_at=AT)],
    )
    life = await figures.lifecycle(Scope(agent), pumps[0])
    assert (life.memory.times_shown, life.memory.replaced_by) == (3, newer)
    assert life.replacement == "The pump of berth 0 was replaced."
    assert (await figures.lifecycle(Scope(agent), newer)).replaced == life.memory.content
    page = await figures.showings(Scope(agent), pumps[0], limit=2)
    rest = await figures.showings(Scope(agent), pumps[0], limit=2, after=page.after)
    assert [row.turn_id for row in (*page.rows, *rest.rows)] == [c.turn_id for c in reversed(contexts)]
    assert page.rows[0].message.startswith("Which pump")
    assert (page.rows[0].used, page.rows[0].via) == (True, "prompt")
    assert await figures.shown_at(Scope(agent), pumps[0]) == [(AT + n * DAY, True, None) for n in range(3)]
    assert await figures.lifecycle(Scope(agent), uuid4()) is None


async def test_near_duplicates_are_selected_by_cosine_similarity(layer, figures, agent, pumps, embedder):
    [twin, _] = await layer.remember(
        agent,
        [
            NewMemory(type="fact", content="The pump of berth 0 was sealed on pier 0 again.", occurred_at=AT),
            NewMemory(type="fact", content="The berth of my grandmother's dog is full of violets.", occurred_at=AT),
        ],
    )
    near = await figures.similar(Scope(agent), pumps[0])
    assert near.rows[0][0].id == twin
    assert near.looked == 5
    assert all(cosine >= 0.8 for _, cosine in near.rows)
    assert len(near.rows) < 5


async def test_totals_are_kept_separately_for_each_policy(urls, layer, figures, agent, pumps, embedder):
    await take(layer, agent)
    other = Policy(abstention=False, dedup={"enabled": False}, deadline_ms=20_000, usage={"half_life_days": 3})
    async with CognitiveLayer.open(urls.app, policy=other, embedder=embedder) as second:
        contexts = [await take(second, agent, used=pumps[:1]) for _ in range(2)]
    newest, oldest = await figures.policies(Scope(agent))
    assert newest.version == contexts[0].plan.policy != oldest.version
    assert (newest.total.numbers.turns, oldest.total.numbers.turns) == (2, 1)
    assert newest.total.referenced > 0 == oldest.total.referenced


async def test_tool_calls_and_omissions_are_counted_by_category(layer, figures, agent, pumps):
    tools = [Tool(name=name, description=f"The tool {name}.") for name in ("exec", "web_search", "mint_token")]
    contexts = [
        await take(layer, agent, "Debug the script: fix the failing build", tools=tools, called=["exec"])
        for _ in range(2)
    ]
    category = contexts[0].plan.categories[0]
    called = {
        total.value: total.numbers.turns
        for total in await figures.totals(Scope(agent), Period(AT - DAY, AT + DAY), "tool")
    }
    assert called[f"{category}/exec"] == 2
    left_out, looked = await figures.omitted_tools(Scope(agent))
    assert looked == 2
    assert {(each.name, each.removed) for each in left_out if each.category == category} == {
        (name, 2) for name in contexts[0].plan.removed
    }
    assert contexts[0].plan.removed


async def test_health_reports_counts_open_turns_and_valid_relations(urls, layer, figures, agent, pumps, embedder):
    waiting = await take(layer, agent, ended=None)
    await layer.recall(agent, "pump")
    health = await figures.health(Scope(agent))
    assert (health.memories, health.open_turns, health.models) == (4, 1, {embedder.model: 4})
    assert [turn.turn_id for turn in health.oldest_open] == [waiting.turn_id]
    assert {"memory", "memory_user_pkey", "rollup"} <= {relation.name for relation in health.relations}
    assert all(relation.valid for relation in health.relations)


async def test_other_agents_are_invisible_except_in_the_fleet_counts(layer, figures, agent, pumps):
    context = await take(layer, agent, used=pumps[:1])
    other = f"{agent}-other"
    assert await figures.turns(Scope(other)) == await figures.memories(Scope(other))  # both are empty
    assert await figures.turn(Scope(other), context.turn_id) is None
    assert await figures.lifecycle(Scope(other), pumps[0]) is None
    assert (await figures.showings(Scope(other), pumps[0])).rows == ()
    assert (await figures.similar(Scope(other), pumps[0])).rows == ()
    assert await figures.totals(Scope(other), Period(AT - DAY, AT + DAY)) == []
    await take(layer, other)
    agents, _matching = await figures.fleet.listed(Period(AT - DAY, AT + DAY), name=agent)
    totals = {total.value: total.numbers.turns for total in agents}
    assert (totals[agent], totals[other]) == (1, 1)
