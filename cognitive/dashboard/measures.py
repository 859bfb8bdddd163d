"""Numbers that several pages show: how each is measured and written, what changed, and the times of stages."""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass
from typing import Literal

from brain.analytics.turn_rows import Total
from cognitive.dashboard.formats import NumberFormat
from cognitive.dashboard.params import PageQuery

Tone = Literal["good", "bad", "plain"]
Better = Literal["more", "less", "neither"]
Measure = Callable[[Total], float | None]
_UNNOTICED = 0.005  # a change of less than half a percent is none


@dataclass(frozen=True, slots=True)
class Metric:
    """A number that is told: how it is measured and written, which way is better, and the filter of its rows."""

    name: str
    about: str
    measure: Measure
    format: NumberFormat
    better: Better
    filter: Mapping[str, str] | None = None
    rate: bool = False  # its change is told in points, and not in percent of itself


@dataclass(frozen=True, slots=True)
class StageTimes:
    """A stage's times with the addresses of the turns that took as long, and its share of the slowest one's time."""

    name: str
    turns: int
    median: float | None
    slow: float | None
    share: float
    link: str
    link_median: str
    link_slow: str


def describe_change(now: float | None, was: float | None, metric: Metric) -> tuple[str, Tone]:
    """What became of a number, in words, and whether that is good."""
    if now is None or was is None or (not metric.rate and not was):
        return "", "plain"
    by = now - was if metric.rate else (now - was) / was
    if abs(by) < _UNNOTICED:
        return "unchanged", "plain"
    told = f"{by * 100:+.1f} pts" if metric.rate else f"{by:+.0%}"
    if metric.better == "neither":
        return told.replace("-", "−"), "plain"
    return told.replace("-", "−"), "good" if (by > 0) == (metric.better == "more") else "bad"


def stages(totals: Sequence[Total], query: PageQuery) -> tuple[StageTimes, ...]:
    """The slowest first."""

    def link(name: str, least: float | None = None) -> str:
        min_ms = round(least, 2) if least is not None else None
        return query.link("turns", **query.period_params(), stage=name, min_ms=min_ms)

    timed = [(total, total.quantile(0.5), total.quantile(0.95)) for total in totals]
    most = max((slow for _, _, slow in timed if slow is not None), default=0.0) or 1.0
    rows = [
        StageTimes(
            total.value,
            total.numbers.turns,
            median,
            slow,
            (slow or 0) / most,
            link(total.value),
            link(total.value, median),
            link(total.value, slow),
        )
        for total, median, slow in timed
    ]
    return tuple(sorted(rows, key=lambda stage: (-(stage.slow or 0), stage.name)))
