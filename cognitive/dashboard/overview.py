"""The overview of an agent: metrics compared with the period before, over time, by category and by stage of a turn."""

from __future__ import annotations

import asyncio
from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field, replace
from datetime import datetime, timedelta

from starlette.exceptions import HTTPException
from starlette.responses import Response

from brain.analytics.turn_rows import Dimension, Period, Point, ResultPage, Total, TurnFilter, TurnListRow
from brain.analytics.turns import TurnAnalytics
from brain.rollups import RollupCounts
from brain.users import Scope
from cognitive.dashboard import time_buckets
from cognitive.dashboard.charts import Chart, csv_table
from cognitive.dashboard.formats import milliseconds
from cognitive.dashboard.measures import (
    KEY_METRICS,
    MORE_METRICS,
    Metric,
    StageTimes,
    Tone,
    comparable,
    describe_change,
    stages,
    turns_of,
)
from cognitive.dashboard.page import PageRoute, Visit, attachment
from cognitive.dashboard.params import RANGES, PageQuery
from cognitive.dashboard.trends import LATENCY, RESTRAINT, USE, Steps, TrendLine, draw, turns_chart

NO_TURNS: ResultPage[TurnListRow] = ResultPage((), 0, None)

BREAKDOWNS: Mapping[Dimension, str] = {
    "type": "Memory type",
    "frame": "Frame",
    "category": "Category",
    "runtime": "Runtime",
}
# dimension -> filter of the list of turns
_FILTERS: Mapping[str, str] = {"type": "shown_type", "frame": "frame", "category": "category", "runtime": "runtime"}
_CHARTS = (
    turns_chart(
        "turns", "Turns per {step}, and in the period before.", TrendLine("period before", turns_of, before=True)
    ),
    replace(USE, lines=(*USE.lines, TrendLine("memories before", lambda t: t.referenced, before=True))),
    LATENCY,
    RESTRAINT,
)
LATEST = 8  # turns in the list of latest turns
_AROUND = timedelta(days=7)  # the page of an empty period links to this time before and after the latest turn
_MAX_ROWS = 8  # of a breakdown; its CSV has all rows


@dataclass(frozen=True, slots=True)
class MetricCard:
    """A metric of an agent with its change since the period before, its trend, and a link to the turns behind it."""

    name: str
    about: str
    value: str
    change: str
    tone: Tone
    before: str
    link: str
    trend: tuple[float | None, ...] = ()


@dataclass(frozen=True, slots=True)
class BreakdownRow:
    """A row of a breakdown: the totals of the turns of one category, model …; `share` is relative to the top row."""

    value: str
    total: Total
    count: int
    share: float
    link: str
    link_used: str


@dataclass(frozen=True, slots=True)
class Breakdown:
    """A table of an agent's turns by category, model …, sorted by the count `counted`; `more` rows are left out."""

    by: Dimension
    title: str
    counted: str
    rows: tuple[BreakdownRow, ...]
    more: int


@dataclass(frozen=True, slots=True)
class OverviewData:
    """The data of an agent's overview. `whole` is the total of the period, and `before` of the period before."""

    whole: Total
    before: Total
    points: Sequence[Point]
    points_before: Sequence[Point]
    breakdowns: Mapping[Dimension, Sequence[Total]] = field(default_factory=dict)
    stages: Sequence[Total] = ()
    latest: ResultPage[TurnListRow] = NO_TURNS


@dataclass(frozen=True, slots=True)
class Overview:
    """The content of an agent's overview; `nearby_link` leads to the days around the latest turn."""

    first: tuple[MetricCard, ...]
    more: tuple[MetricCard, ...]
    charts: tuple[Chart, ...]
    breakdowns: tuple[Breakdown, ...]
    stages: tuple[StageTimes, ...]
    latest: tuple[TurnListRow, ...]
    turns: int
    last_at: datetime | None
    nearby_link: str


async def read(analytics: TurnAnalytics, scope: Scope, period: Period) -> OverviewData:
    """Read the data of an agent's overview in a period. Each read has its own time limit."""
    trend, (stages, *breakdowns), latest = await asyncio.gather(
        read_trend(analytics, scope, period),
        asyncio.gather(*(analytics.totals(scope, period, by) for by in ("stage", *BREAKDOWNS))),
        analytics.turns(scope, TurnFilter(), limit=LATEST),
    )
    return replace(trend, breakdowns=dict(zip(BREAKDOWNS, breakdowns, strict=True)), stages=stages, latest=latest)


async def read_trend(analytics: TurnAnalytics, scope: Scope, period: Period) -> OverviewData:
    """Read only the data of the overview's metrics and charts: no breakdowns, stages and latest turns."""
    whole, before, points, points_before = await asyncio.gather(
        analytics.totals(scope, period),
        analytics.totals(scope, period.before),
        analytics.series(scope, period),
        analytics.series(scope, period.before),
    )
    return OverviewData(_one(whole), _one(before), points, points_before)


def view(data: OverviewData, query: PageQuery) -> Overview:
    """Convert the data of an agent's overview to the form that its template shows."""
    period = query.period()
    trend = time_buckets.fill_buckets(data.points, period, query)
    latest = data.latest.rows
    return Overview(
        first=tuple(card(row, data, query, trend) for row in KEY_METRICS),
        more=tuple(card(row, data, query) for row in MORE_METRICS),
        charts=charts(data, query),
        breakdowns=tuple(_breakdown(by, data.breakdowns[by], query) for by in BREAKDOWNS if by in data.breakdowns),
        stages=stages(data.stages, query),
        latest=latest,
        turns=data.whole.numbers.turns,
        last_at=latest[0].at if latest else None,
        nearby_link=query.link("overview", since=latest[0].at - _AROUND, until=latest[0].at + _AROUND)
        if latest
        else "",
    )


def card(row: Metric, data: OverviewData, query: PageQuery, trend: Sequence[tuple[datetime, Total]] = ()) -> MetricCard:
    """Compute a metric of an agent, its change since the period before, and its values over time."""
    now, was = row.measure(data.whole), row.measure(data.before)
    known = comparable(data.whole, data.before)
    change, tone = describe_change(now, was, row) if known else ("", "plain")
    min_ms = {"min_ms": f"{now:.0f}"} if row.format is milliseconds and now is not None else {}
    return MetricCard(
        row.name,
        row.about,
        row.format(now),
        change,
        tone,
        row.format(was),
        query.link("turns", **query.period_params(), **(row.filter or {}), **min_ms),
        tuple(row.measure(total) for _, total in trend),
    )


def charts(data: OverviewData, query: PageQuery) -> tuple[Chart, ...]:
    """Return the charts of an agent's turns, used memories, latency and degraded turns over the period."""
    period = query.period()
    now = time_buckets.fill_buckets(data.points, period, query)
    past = [total for _, total in time_buckets.fill_buckets(data.points_before, period.before, query)][: len(now)]
    steps = Steps(
        tuple(time_buckets.bucket_label(at, period) for at, _ in now),
        tuple(time_buckets.bucket_link(at, period, query) for at, _ in now),
        [total for _, total in now],
        [*past, *[_one(())] * (len(now) - len(past))],
        period.step,
    )
    return tuple(draw(each, steps) for each in _CHARTS)


def _breakdown(by: Dimension, totals: Sequence[Total], query: PageQuery) -> Breakdown:
    counted = (
        "Shown" if by == "type" else "Turns"
    )  # most turns find memories of every type, so a count of turns would say little
    counts = [(total, getattr(total.numbers, counted.lower())) for total in totals]
    counts.sort(key=lambda each: (-each[1], each[0].value))
    max_count = max((count for _, count in counts), default=0) or 1
    rows = tuple(
        BreakdownRow(
            total.value,
            total,
            count,
            count / max_count,
            _link_of(by, total.value, query),
            _link_of(by, total.value, query, used="yes"),
        )
        for total, count in counts[:_MAX_ROWS]
    )
    return Breakdown(by, BREAKDOWNS[by], counted, rows, max(0, len(totals) - _MAX_ROWS))


def _link_of(by: Dimension, value: str, query: PageQuery, **more: str) -> str:
    """Return the link to the turns in a breakdown's row (a category …); for a memory type, to turns that showed it."""
    return query.link("turns", **query.period_params(), **{_FILTERS[by]: value}, **more)


def _one(totals: Sequence[Total]) -> Total:
    return totals[0] if totals else Total("", RollupCounts())


def breakdown_csv(by: Dimension, totals: Sequence[Total]) -> str:
    """Return all counts of turns by category, model or another dimension as CSV text, latencies in milliseconds."""
    counted = ("turns", "completed", "found", "shown", "used", "tokens", "used_tokens", "deduped", "trimmed")
    rows = [
        (
            total.value,
            [*(float(getattr(total.numbers, name)) for name in counted), total.quantile(0.5), total.quantile(0.95)],
        )
        for total in totals
    ]
    return csv_table((by, *counted, "p50_ms", "p95_ms"), rows)


async def show(visit: Visit) -> Response:
    """Render the overview of an agent."""
    data = await read(visit.analytics, visit.query.scope, visit.query.period())
    return visit.page("overview.html", view=view(data, visit.query), ranges=RANGES)


async def live(visit: Visit) -> Response:
    """Render only the metrics of the overview. An open page requests them regularly."""
    return visit.page("_live.html", view=view(await _read_trend(visit), visit.query))


async def latest(visit: Visit) -> Response:
    """Render only the list of latest turns. An open page requests it regularly."""
    rows = (await visit.analytics.turns(visit.query.scope, limit=LATEST)).rows
    return visit.page("_latest.html", latest=rows)


async def chart(visit: Visit) -> Response:
    """Return one chart of the overview as a CSV or SVG file."""
    return visit.chart(charts(await _read_trend(visit), visit.query))


async def breakdowns(visit: Visit) -> Response:
    """Return one breakdown with all its values and counts as a CSV file."""
    by = next((by for by in (*BREAKDOWNS, "stage") if by == visit.query.params.get("by")), None)
    if by is None:
        raise HTTPException(404, "There is no such table.")
    totals = await visit.analytics.totals(visit.query.scope, visit.query.period(), by)
    return attachment(breakdown_csv(by, totals), f"{by}.csv", "text/csv")


async def _read_trend(visit: Visit) -> OverviewData:
    return await read_trend(visit.analytics, visit.query.scope, visit.query.period())


PAGES = (
    PageRoute("/overview", show, label="Overview", icon="M2.5 9.5h3v4h-3zM6.5 5.5h3v8h-3zM10.5 2.5h3v11h-3z"),
    PageRoute("/live", live, parent="/overview"),
    PageRoute("/latest", latest, parent="/overview"),
    PageRoute("/chart", chart, parent="/overview"),
    PageRoute("/breakdown.csv", breakdowns, parent="/overview"),
)
