"""The overview: what a stretch of time came to, beside the one before it; over time, by kind, by stage."""

from __future__ import annotations

import asyncio
from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass, field, replace
from datetime import datetime, timedelta
from typing import Literal

from brain.analytics.turn_rows import By, Page, Period, Point, Total, TurnFilter, TurnRow
from brain.analytics.turns import Figures
from brain.rollups import Numbers
from cognitive.dashboard import steps
from cognitive.dashboard.asked import Asked
from cognitive.dashboard.charts import Chart, Line, written_csv
from cognitive.dashboard.formats import Written, compact, milliseconds, number, percent

Tone = Literal["good", "bad", "plain"]
NO_TURNS: Page[TurnRow] = Page((), 0, None)
Better = Literal["more", "less", "neither"]
Measure = Callable[[Total], float | None]

KINDS: Mapping[By, str] = {
    "type": "Memory type", "frame": "Frame", "category": "Category", "runtime": "Runtime",
}  # fmt: skip
_FILTERS: Mapping[str, str] = {
    "type": "showed",
    "frame": "frame",
    "category": "category",
    "runtime": "runtime",
}  # kind -> of the list
LATEST = 8  # turns beneath the numbers: what came in while somebody looks
_AROUND = timedelta(days=7)  # before and after the latest turn, where the period has none
_UNNOTICED = 0.005  # a change of less than half a percent is none
_MOST_ROWS = 8  # of a table of kinds; the rest is in its CSV


@dataclass(frozen=True, slots=True)
class Row:
    """A number that is told: how it is measured and written, which way is better, and the filter of its rows."""

    name: str
    about: str
    measure: Measure
    written: Written
    better: Better
    filter: Mapping[str, str] | None = None
    rate: bool = False  # its change is told in points, and not in percent of itself


@dataclass(frozen=True, slots=True)
class Card:
    """A number with its change since the stretch before, its course, and the way to its rows."""

    name: str
    about: str
    value: str
    change: str
    tone: Tone
    before: str
    link: str
    course: tuple[float | None, ...] = ()


@dataclass(frozen=True, slots=True)
class Kind:
    """What the turns of one value came to, and the addresses of these and of those that used what they showed; `share`
    is of the most frequent one's count.
    """

    value: str
    total: Total
    count: int
    share: float
    link: str
    link_used: str


@dataclass(frozen=True, slots=True)
class Kinds:
    """A table of kinds, the most frequent first, and how many more there are. `counted` says of what."""

    by: By
    title: str
    counted: str
    rows: tuple[Kind, ...]
    more: int


@dataclass(frozen=True, slots=True)
class Stage:
    """A stage's times with the addresses of the turns that took as long, and its share of the slowest one's time."""

    name: str
    turns: int
    median: float | None
    slow: float | None
    share: float
    link: str
    link_median: str
    link_slow: str


@dataclass(frozen=True, slots=True)
class Read:
    """What the page is made of."""

    whole: Total
    before: Total
    points: Sequence[Point]
    points_before: Sequence[Point]
    kinds: Mapping[By, Sequence[Total]] = field(default_factory=dict)
    stages: Sequence[Total] = ()
    latest: Page[TurnRow] = NO_TURNS


@dataclass(frozen=True, slots=True)
class Overview:
    """The page."""

    first: tuple[Card, ...]
    more: tuple[Card, ...]
    charts: tuple[Chart, ...]
    kinds: tuple[Kinds, ...]
    stages: tuple[Stage, ...]
    latest: tuple[TurnRow, ...]
    turns: int
    last_at: datetime | None
    around: str


def _per_turn(name: str) -> Measure:
    return lambda total: getattr(total.numbers, name) / total.numbers.turns if total.numbers.turns else None


def _quantile(share: float) -> Measure:
    return lambda total: total.quantile(share)


def _unfinished(total: Total) -> float | None:
    lost = total.numbers.failed + total.numbers.abandoned
    return lost / total.numbers.turns if total.numbers.turns else None


FIRST: tuple[Row, ...] = (
    Row("Turns", "with a known outcome", lambda t: float(t.numbers.turns), compact, "neither", {}),
    Row("Referenced", "of the memories shown", lambda t: t.referenced, percent, "more",
        {"status": "completed", "used": "yes"}, rate=True),
    Row("Precision", "of the tokens shown", lambda t: t.precision, percent, "more",
        {"status": "completed", "used": "yes"}, rate=True),
    Row("Tokens a turn", "of memory in the prompt", _per_turn("tokens"), compact, "less", {}),
    Row("Prepared in", "pre_turn, 95 of 100 turns", _quantile(0.95), milliseconds, "less", {}),
)  # fmt: skip
MORE: tuple[Row, ...] = (
    Row("Median", "pre_turn, half of the turns", _quantile(0.5), milliseconds, "less", {}),
    Row("Abstained", "found memories, showed none", lambda t: t.abstained, percent, "neither", {"abstained": "yes"},
        rate=True),
    Row("Degraded", "lacked something in time", lambda t: t.degraded, percent, "less", {"degraded": "yes"}, rate=True),
    Row("Unfinished", "failed or were given up", _unfinished, percent, "less", {"status": "unfinished"}, rate=True),
    Row("Deduplicated a turn", "memories that were said already", _per_turn("deduped"), number, "neither",
        {"held": "deduped"}),
    Row("Trimmed a turn", "memories that found no room", _per_turn("trimmed"), number, "neither",
        {"held": "trimmed"}),
)  # fmt: skip


async def read(figures: Figures, agent: str, period: Period) -> Read:
    """All that the page needs, each read with a bound of its own."""
    course, (stages, *kinds), latest = await asyncio.gather(
        read_course(figures, agent, period),
        asyncio.gather(*(figures.totals(agent, period, by) for by in ("stage", *KINDS))),
        figures.turns(agent, TurnFilter(), limit=LATEST),
    )
    return replace(course, kinds=dict(zip(KINDS, kinds, strict=True)), stages=stages, latest=latest)


async def read_course(figures: Figures, agent: str, period: Period) -> Read:
    """What its numbers and charts need, without the tables."""
    whole, before, points, points_before = await asyncio.gather(
        figures.totals(agent, period), figures.totals(agent, period.before), figures.series(agent, period),
        figures.series(agent, period.before),
    )  # fmt: skip
    return Read(_one(whole), _one(before), points, points_before)


def view(told: Read, asked: Asked) -> Overview:
    """The page from what was read."""
    period = asked.period()
    course = steps.filled(told.points, period, asked)
    latest = told.latest.rows
    return Overview(
        first=tuple(card(row, told, asked, course) for row in FIRST),
        more=tuple(card(row, told, asked) for row in MORE),
        charts=charts(told, asked),
        kinds=tuple(_kinds(by, told.kinds[by], asked) for by in KINDS if by in told.kinds),
        stages=stages(told.stages, asked),
        latest=latest,
        turns=told.whole.numbers.turns,
        last_at=latest[0].at if latest else None,
        around=asked.link("overview", since=latest[0].at - _AROUND, until=latest[0].at + _AROUND) if latest else "",
    )


def card(row: Row, told: Read, asked: Asked, course: Sequence[tuple[datetime, Total]] = ()) -> Card:
    """A number beside what it was before."""
    now, was = row.measure(told.whole), row.measure(told.before)
    change, tone = changed(now, was, row)
    slower = {"slower": f"{now:.0f}"} if row.written is milliseconds and now is not None else {}
    return Card(
        row.name, row.about, row.written(now), change, tone, row.written(was),
        asked.link("turns", **asked.time(), **(row.filter or {}), **slower),
        tuple(row.measure(total) for _, total in course),
    )  # fmt: skip


def changed(now: float | None, was: float | None, row: Row) -> tuple[str, Tone]:
    """What became of a number, in words, and whether that is good."""
    if now is None or was is None or (not row.rate and not was):
        return "", "plain"
    by = now - was if row.rate else (now - was) / was
    if abs(by) < _UNNOTICED:
        return "unchanged", "plain"
    told = f"{by * 100:+.1f} pts" if row.rate else f"{by:+.0%}"
    if row.better == "neither":
        return told.replace("-", "−"), "plain"
    return told.replace("-", "−"), "good" if (by > 0) == (row.better == "more") else "bad"


def charts(told: Read, asked: Asked) -> tuple[Chart, ...]:
    """Turns, use and times over the steps of the period."""
    period = asked.period()
    course, before = steps.filled(told.points, period, asked), steps.filled(told.points_before, period.before, asked)
    names = tuple(steps.named(at, period) for at, _ in course)
    links = tuple(steps.link(at, period, asked) for at, _ in course)
    past = [total for _, total in before][: len(course)]
    past = [*past, *[_one(())] * (len(course) - len(past))]

    def lines(measure: Measure, name: str) -> Line:
        return Line(name, tuple(measure(total) for _, total in course))

    def ghost(measure: Measure, name: str) -> Line:
        return Line(name, tuple(measure(total) for total in past), ghost=True)

    each = "hour" if period.step == "hour" else "day"
    turns, used = FIRST[0].measure, FIRST[1].measure
    return (
        Chart("turns", "Turns", f"Turns per {each}, and in the period before.", names,
              (lines(turns, "turns"), ghost(turns, "period before")), compact, links, filled=True),
        Chart("use", "Use of what was shown", f"Share of memories and of tokens that were used, per {each}.", names,
              (lines(used, "memories"), lines(FIRST[2].measure, "tokens"), ghost(used, "memories before")), percent,
              links, 1.0),
        Chart("latency", "Time to prepare a turn", f"Median and 95th percentile per {each}.", names,
              (lines(_quantile(0.5), "median"), lines(_quantile(0.95), "95th percentile")), milliseconds, links),
        Chart("restraint", "Restraint and trouble", f"Share of turns abstained or degraded, per {each}.", names,
              (lines(lambda t: t.abstained, "abstained"), lines(lambda t: t.degraded, "degraded")), percent, links),
    )  # fmt: skip


def _kinds(by: By, totals: Sequence[Total], asked: Asked) -> Kinds:
    counted = "Shown" if by == "type" else "Turns"  # nearly every turn finds memories of every type
    counts = [(total, getattr(total.numbers, counted.lower())) for total in totals]
    counts.sort(key=lambda each: (-each[1], each[0].value))
    most = max((count for _, count in counts), default=0) or 1
    rows = tuple(
        Kind(total.value, total, count, count / most, _link_of(by, total.value, asked),
             _link_of(by, total.value, asked, used="yes"))
        for total, count in counts[:_MOST_ROWS]
    )  # fmt: skip
    return Kinds(by, KINDS[by], counted, rows, max(0, len(totals) - _MOST_ROWS))


def _link_of(by: By, value: str, asked: Asked, **more: str) -> str:
    """The turns of a kind; of a type of memory those that showed one."""
    return asked.link("turns", **asked.time(), **{_FILTERS[by]: value}, **more)


def stages(totals: Sequence[Total], asked: Asked) -> tuple[Stage, ...]:
    """The slowest first."""

    def link(name: str, least: float | None = None) -> str:
        slower = round(least, 2) if least is not None else None
        return asked.link("turns", **asked.time(), stage=name, slower=slower)

    timed = [(total, total.quantile(0.5), total.quantile(0.95)) for total in totals]
    most = max((slow for _, _, slow in timed if slow is not None), default=0.0) or 1.0
    rows = [
        Stage(total.value, total.numbers.turns, median, slow, (slow or 0) / most, link(total.value),
              link(total.value, median), link(total.value, slow))
        for total, median, slow in timed
    ]  # fmt: skip
    return tuple(sorted(rows, key=lambda stage: (-(stage.slow or 0), stage.name)))


def _one(totals: Sequence[Total]) -> Total:
    return totals[0] if totals else Total("", Numbers())


def kinds_csv(by: By, totals: Sequence[Total]) -> str:
    """All counts of a kind's values."""
    counted = ("turns", "completed", "found", "shown", "used", "tokens", "used_tokens", "deduped", "trimmed")
    rows = [
        (total.value, [*(float(getattr(total.numbers, name)) for name in counted),
                       total.quantile(0.5), total.quantile(0.95)])
        for total in totals
    ]  # fmt: skip
    return written_csv((by, *counted, "p50_ms", "p95_ms"), rows)
