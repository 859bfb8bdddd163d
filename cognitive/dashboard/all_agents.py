"""The page of all agents: totals over time, the busiest and the most degraded agents, the use of memories."""

from __future__ import annotations

import asyncio
from dataclasses import dataclass, replace
from datetime import UTC, datetime, timedelta

from starlette.responses import Response

from brain.analytics.turn_rows import Period, Point, Total
from brain.analytics.turns import TurnAnalytics
from brain.rollups import RollupCounts
from cognitive.dashboard import agent_list, sorting
from cognitive.dashboard.agent_list import AgentList, AgentRow
from cognitive.dashboard.charts import Chart
from cognitive.dashboard.formats import compact, percent
from cognitive.dashboard.measures import Metric, comparable, describe_change, summed, turns_of
from cognitive.dashboard.page import PageRoute, Visit
from cognitive.dashboard.params import RANGES, PageQuery
from cognitive.dashboard.trends import RESTRAINT, USE, Steps, draw, turns_chart
from cognitive.errors import InvalidInput, StoreError, StoreUnavailable

_CHARTS = (
    turns_chart("all-turns", "Turns of all agents per day (UTC)."),
    replace(USE, id="all-use"),
    replace(RESTRAINT, id="all-trouble"),
)
_MAX_WORST = 6  # rows of the table of the most degraded agents


@dataclass(frozen=True, slots=True)
class AllAgentsData:
    """The data of the page of all agents, read from the store.

    Attributes:
        agents: the list of agents.
        worst: totals of the agents with the most degraded turns.
        count: number of agents with turns in the period; `count_before` is the number in the period before.
        days: totals of all agents by day; `before` has the totals of the period before.
    """

    agents: AgentList
    worst: list[Total]
    count: int
    days: list[Point]
    before: list[Point]
    count_before: int


@dataclass(frozen=True, slots=True)
class FleetMetric:
    """A metric over all agents, with its change since the period before, formatted for the page."""

    name: str
    value: str
    change: str
    tone: str


@dataclass(frozen=True, slots=True)
class AllAgentsView:
    """The content of the page of all agents, as its template shows it."""

    figures: tuple[FleetMetric, ...]
    charts: tuple[Chart, ...]
    agents: AgentList
    worst: tuple[AgentRow, ...]


async def read(analytics: TurnAnalytics, query: PageQuery) -> AllAgentsData:
    """Read the data of the page of all agents in a period, from the counters that cover all agents."""
    data, period = analytics.fleet, query.period()
    agents, worst, count, days, before, count_before = await asyncio.gather(
        agent_list.read(analytics, query),
        data.worst(period, _MAX_WORST),
        data.count(period),
        data.days(period),
        data.days(period.before),
        data.count(period.before),
    )
    return AllAgentsData(agents, worst, count, days, before, count_before)


def view(data: AllAgentsData, query: PageQuery) -> AllAgentsView:
    """Convert the data of the page of all agents to the form that its template shows."""
    whole, before = (summed([day.total for day in days]) for days in (data.days, data.before))
    rows = (
        Metric("Turns", "", turns_of, compact, "neither"),
        Metric("Used", "", lambda t: t.referenced, percent, "more", rate=True),
        Metric("Precision", "", lambda t: t.precision, percent, "more", rate=True),
        Metric("Abstained", "", lambda t: t.abstained, percent, "neither", rate=True),
        Metric("Degraded", "", lambda t: t.degraded, percent, "less", rate=True),
    )
    agents = Metric(
        "Agents with turns", "", lambda t: float(t.numbers.found), compact, "neither"
    )  # a count of agents, which cannot be summed over days
    known = comparable(whole, before)
    agents_now, agents_before = (Total("", RollupCounts(found=n)) for n in (data.count, data.count_before))
    return AllAgentsView(
        (
            _fleet_metric(agents, agents_now, agents_before, known=known),
            *(_fleet_metric(row, whole, before, known=known) for row in rows),
        ),
        charts(data, query),
        data.agents,
        tuple(agent_list.agent_row(each, query, each.degraded or 0.0) for each in data.worst),
    )


def charts(data: AllAgentsData, query: PageQuery) -> tuple[Chart, ...]:
    """Return the charts by day (in UTC) of turns, used memories and degraded turns."""
    known = {day.at.astimezone(UTC): day.total for day in data.days}
    days = _days(query.period())
    steps = Steps(
        tuple(f"{at.day} {at:%b}" for at in days),
        tuple(
            agent_list.address(query, "", since=at.isoformat(), until=(at + timedelta(days=1)).isoformat())
            for at in days
        ),
        [known.get(at) for at in days],
    )
    return tuple(draw(each, steps) for each in _CHARTS)


def _fleet_metric(row: Metric, now: Total, before: Total, *, known: bool) -> FleetMetric:
    value, was = row.measure(now), row.measure(before)
    return FleetMetric(row.name, row.format(value), *(describe_change(value, was, row) if known else ("", "plain")))


def _days(period: Period) -> list[datetime]:
    at, days = period.begin_of_day, list[datetime]()
    while at < period.until:
        days.append(at)
        at += timedelta(days=1)
    return days


async def show(visit: Visit) -> Response:
    """Render the page of all agents.

    If the database role that counts across agents is not granted, the page shows the command to grant it.
    """
    data = await _read(visit)
    if data is None:
        command = (await visit.layer.admin.database_role()).command
        return visit.page("all_agents.html", view=None, command=command, ranges=RANGES)
    return visit.page("all_agents.html", view=view(data, visit.query), ranges=RANGES)


async def chart(visit: Visit) -> Response:
    """Return one chart of the page of all agents as a CSV or SVG file."""
    data = await _read(visit)
    return visit.chart(charts(data, visit.query) if data is not None else ())


async def _read(visit: Visit) -> AllAgentsData | None:
    sorting.wanted_order(visit.query, agent_list.ORDERS, "turns")
    visit.query.period()  # raises InvalidInput for an invalid period
    try:
        return await read(visit.analytics, visit.query)
    except StoreUnavailable:
        raise
    except (StoreError, InvalidInput):  # the role cognitive_overview does not exist or is not granted
        return None


PAGES = (
    PageRoute(
        "/",
        show,
        all_agents=True,
        label="All agents",
        icon="M2.5 2.5h4.5v4.5H2.5zM9 2.5h4.5v4.5H9zM2.5 9h4.5v4.5H2.5zM9 9h4.5v4.5H9z",
        static_files=("operations.css",),
    ),
    PageRoute("/all-agents-chart", chart, all_agents=True, parent="/"),
)
