"""Charts, cards and exports count the same turns, in every time zone and period."""

from __future__ import annotations

import csv
import io
from datetime import UTC, datetime, timedelta
from uuid import uuid4
from zoneinfo import ZoneInfo

import pytest

from brain.users import Scope
from cognitive import NewMemory, Outcome, Turn
from cognitive.dashboard import health, memory, overview
from cognitive.dashboard.params import RANGES, PageQuery

ZONES = ("UTC", "Europe/Berlin", "America/New_York", "Asia/Kolkata", "Asia/Tokyo", "Pacific/Chatham")
NOW = datetime(2026, 11, 23, 18, 40, tzinfo=UTC)  # daylight saving time ended within the last 30 days
AGES = (0.1, 0.7, 3, 5.2, 11, 23.5, 23.9, 24.2, 40, 100, 167, 168.5, 400, 719, 721, 1000, 1500, 2100, 2159)  # hours


@pytest.fixture(scope="module")
async def zoned_agent(layer):
    agent = f"zones-{uuid4().hex[:8]}"
    await layer.remember(agent, [NewMemory(type="fact", content="The pump of berth 4 was sealed on pier 7.")])
    for n, hours in enumerate(AGES):
        turn = Turn(agent_id=agent, session_id="s", text="Which pump of which berth was sealed?", turn_id=f"t{n}")
        context = await layer.pre_turn(turn.model_copy(update={"now": NOW - timedelta(hours=hours)}))
        await layer.post_turn(context, Outcome(response="The pump of berth 4 was sealed on pier 7."))
    return agent


def expected(period):
    """Return the number of turns since the start of the period's first hour."""
    return sum(period.begin <= NOW - timedelta(hours=hours) < period.until for hours in AGES)


def summed(line):
    return sum(value or 0 for value in line.values)


@pytest.mark.parametrize("zone", ZONES)
@pytest.mark.parametrize("length", RANGES)
async def test_charts_count_as_many_turns_as_the_cards(layer, zoned_agent, zone, length):
    query = PageQuery(zoned_agent, NOW, ZoneInfo(zone), params={"range": length})
    data = await overview.read(layer.explain.analytics, query.scope, query.period())
    charts = {chart.id: chart for chart in overview.charts(data, query)}

    assert data.whole.numbers.turns == expected(query.period())
    assert summed(charts["turns"].lines[0]) == expected(query.period())
    assert not any(chart.empty for chart in charts.values() if chart.id in ("use", "latency"))
    rows = list(csv.DictReader(io.StringIO(charts["turns"].csv())))
    assert sum(float(row["turns"] or 0) for row in rows) == expected(query.period())


@pytest.mark.parametrize("zone", ZONES)
@pytest.mark.parametrize("length", RANGES)
async def test_degradation_chart_has_a_value_wherever_turns_ran(layer, zoned_agent, zone, length):
    query = PageQuery(zoned_agent, NOW, ZoneInfo(zone), params={"range": length})
    period = query.period()
    data = await layer.explain.analytics.recent.degradations(Scope(zoned_agent), period)
    chart = health.degradation(data, query)
    times = set(data.steps)

    assert data.looked == sum(period.since <= NOW - timedelta(hours=hours) < period.until for hours in AGES)
    assert len(chart.steps) >= len(times)
    assert times <= set(health.chart_times(query))


@pytest.mark.parametrize("zone", ZONES)
async def test_memory_chart_counts_every_showing(layer, zoned_agent, zone):
    [row] = (await layer.explain.analytics.memories(Scope(zoned_agent))).rows
    query = PageQuery(zoned_agent, NOW, ZoneInfo(zone), params={"id": str(row.id)})
    shown, _ = memory.charts(await memory.read(layer, layer.explain.analytics, query), query)

    assert summed(shown.lines[0]) == row.times_shown > 10
