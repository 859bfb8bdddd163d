"""Charts of measures over the steps (hours or days) of a period, defined as rows: which measures, how and why."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass

from brain.analytics.turn_rows import Total
from cognitive.dashboard.charts import Chart, ChartLine
from cognitive.dashboard.formats import NumberFormat, compact, milliseconds, percent
from cognitive.dashboard.measures import Measure, quantile, turns_of


@dataclass(frozen=True, slots=True)
class TrendLine:
    """A line of a chart: its name and measure. With `before`, it is drawn for the period before, as a ghost."""

    name: str
    measure: Measure
    before: bool = False


@dataclass(frozen=True, slots=True)
class Trend:
    """The definition of a chart. `about` and `unit` may contain `{step}`, which is "hour" or "day"."""

    id: str
    title: str
    about: str
    unit: str
    format: NumberFormat
    lines: tuple[TrendLine, ...]
    bars: bool = False


@dataclass(frozen=True, slots=True)
class Steps:
    """The steps of a period: labels and links, and totals of each step; None where there are none.

    `before` has the totals of the period before, step by step. `name` is "hour" or "day".
    """

    names: tuple[str, ...]
    links: tuple[str, ...]
    totals: Sequence[Total | None]
    before: Sequence[Total | None] = ()
    name: str = "day"


TURNS = TrendLine("turns", turns_of)
USE = Trend(
    "use",
    "Use of shown memories",
    "Shares of the shown memories and tokens that were used, per {step}.",
    "% used",
    percent,
    (TrendLine("memories", lambda t: t.referenced), TrendLine("tokens", lambda t: t.precision)),
)
RESTRAINT = Trend(
    "restraint",
    "Abstention and degradation",
    "Shares of turns that abstained or were degraded, per {step}.",
    "% of turns",
    percent,
    (TrendLine("abstained", lambda t: t.abstained), TrendLine("degraded", lambda t: t.degraded)),
)
LATENCY = Trend(
    "latency",
    "Time to prepare a turn",
    "Median and 95th percentile per {step}.",
    "milliseconds",
    milliseconds,
    (TrendLine("median", quantile(0.5)), TrendLine("95th percentile", quantile(0.95))),
)


def turns_chart(id: str, about: str, *lines: TrendLine) -> Trend:
    """Return the chart of the number of turns, with further lines."""
    return Trend(id, "Turns", about, "turns per {step}", compact, (TURNS, *lines), bars=True)


def draw(trend: Trend, steps: Steps) -> Chart:
    """Return a chart with a value of each line for each step."""

    def line(each: TrendLine) -> ChartLine:
        totals = steps.before if each.before else steps.totals
        values = tuple(each.measure(total) if total is not None else None for total in totals)
        return ChartLine(each.name, values, ghost=each.before)

    return Chart(
        trend.id,
        trend.title,
        trend.about.format(step=steps.name),
        steps.names,
        tuple(line(each) for each in trend.lines),
        trend.format,
        steps.links,
        bars=trend.bars,
        unit=trend.unit.format(step=steps.name),
    )
