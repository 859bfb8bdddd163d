"""Metrics that several pages show, their change since the period before, and the durations of a turn's stages."""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass, fields
from typing import Literal

from brain.analytics.turn_rows import Total
from brain.rollups import RollupCounts
from cognitive.dashboard.formats import NumberFormat, compact, milliseconds, number, percent
from cognitive.dashboard.params import PageQuery

Tone = Literal["good", "bad", "plain"]
Better = Literal["more", "less", "neither"]
Measure = Callable[[Total], float | None]
_MIN_COMPARED = 20  # turns of each period: with fewer, one turn moves a share by over five points
_MIN_CHANGE = 0.005  # a smaller change, here under half a percent, is shown as "unchanged"


@dataclass(frozen=True, slots=True)
class Metric:
    """The definition of a number on a page: how it is computed, formatted and compared with the period before.

    `better` is the better direction, and `filter` selects the turns that the number links to. `rate` is True for a
    share, whose change is shown in percentage points instead of percent.
    """

    name: str
    about: str
    measure: Measure
    format: NumberFormat
    better: Better
    filter: Mapping[str, str] | None = None
    rate: bool = False


@dataclass(frozen=True, slots=True)
class StageTimes:
    """The durations of one stage of a turn (embedding, search, ranking …) in milliseconds, over many turns.

    `median` and `slow` are the 50th and the 95th percentile; their links lead to the turns that took at least as long.
    `share` is `slow` relative to the slowest stage.
    """

    name: str
    turns: int
    median: float | None
    slow: float | None
    share: float
    link: str
    link_median: str
    link_slow: str


def turns_of(total: Total) -> float:
    """Return the number of turns."""
    return float(total.numbers.turns)


def _per_turn(name: str) -> Measure:
    return lambda total: getattr(total.numbers, name) / total.numbers.turns if total.numbers.turns else None


def quantile(share: float) -> Measure:
    """Return the measure of the time in milliseconds within which this share of the turns was prepared."""
    return lambda total: total.quantile(share)


def _unfinished(total: Total) -> float | None:
    unfinished = total.numbers.failed + total.numbers.abandoned
    return unfinished / total.numbers.turns if total.numbers.turns else None


KEY_METRICS: tuple[Metric, ...] = (
    Metric("Turns", "Turns with an outcome: completed, failed or abandoned.", turns_of, compact,
        "neither", {}),
    Metric("Used", "Memories that the answer used ÷ memories that the prompt or recall showed.",
        lambda t: t.referenced, percent, "more", {"status": "completed", "used": "yes"}, rate=True),
    Metric("Precision", "Tokens of used memories ÷ tokens of shown memories, pinned ones left out.",
        lambda t: t.precision, percent, "more", {"status": "completed", "used": "yes"}, rate=True),
    Metric("Tokens per turn", "Tokens of shown, recalled and pinned memories ÷ completed turns.",
        lambda t: t.memory_tokens, compact, "less", {}),
    Metric("Prepared in", "95 of 100 turns were prepared (pre_turn) within this time.", quantile(0.95), milliseconds,
        "less", {}),
)  # fmt: skip
MORE_METRICS: tuple[Metric, ...] = (
    Metric("Median", "Half of the turns were prepared (pre_turn) within this time.", quantile(0.5), milliseconds,
        "less", {}),
    Metric("Abstained", "Turns that found memories and showed none ÷ turns.", lambda t: t.abstained, percent, "neither",
        {"abstained": "yes"}, rate=True),
    Metric("Degraded", "Turns in which a part was late or failed ÷ turns.", lambda t: t.degraded, percent, "less",
        {"degraded": "yes"}, rate=True),
    Metric("Unfinished", "Failed and abandoned turns ÷ turns.", _unfinished, percent, "less",
        {"status": "unfinished"}, rate=True),
    Metric("Deduplicated per turn", "Memories left out because the prompt said the same ÷ turns.",
        _per_turn("deduped"), number, "neither", {"dropped": "deduped"}),
    Metric("Trimmed per turn", "Memories left out by a limit or a token budget ÷ turns.", _per_turn("trimmed"),
        number, "neither", {"dropped": "trimmed"}),
)  # fmt: skip


def describe_change(now: float | None, was: float | None, metric: Metric) -> tuple[str, Tone]:
    """Return the change of a metric since the period before as text, and its tone (good, bad or plain).

    The result is ("", "plain") if one of the values is unknown.
    """
    if now is None or was is None or (not metric.rate and not was):
        return "", "plain"
    by = now - was if metric.rate else (now - was) / was
    if abs(by) < _MIN_CHANGE:
        return "unchanged", "plain"
    text = (f"{by * 100:+.1f} pts" if metric.rate else f"{by:+.0%}").replace("-", "−")
    if metric.better == "neither":
        return text, "plain"
    return text, "good" if (by > 0) == (metric.better == "more") else "bad"


def comparable(now: Total, before: Total) -> bool:
    """Return True if both periods have enough turns for their rates to be compared."""
    return min(now.numbers.turns, before.numbers.turns) >= _MIN_COMPARED


def summed(totals: Sequence[Total]) -> Total:
    """Return the sum of several totals. Latencies are left out, because only their histograms can be added."""
    names = [each.name for each in fields(RollupCounts) if each.name != "latency"]
    return Total("", RollupCounts(**{name: sum(getattr(each.numbers, name) for each in totals) for name in names}))


def stages(totals: Sequence[Total], query: PageQuery) -> tuple[StageTimes, ...]:
    """Return the durations of all stages of a turn, the slowest stage first."""

    def link(name: str, milliseconds: float | None = None) -> str:
        min_ms = round(milliseconds, 2) if milliseconds is not None else None
        return query.link("turns", **query.period_params(), stage=name, min_ms=min_ms)

    timed = [(total, total.quantile(0.5), total.quantile(0.95)) for total in totals]
    slowest = max((slow for _, _, slow in timed if slow is not None), default=0.0) or 1.0
    rows = [
        StageTimes(
            total.value,
            total.numbers.turns,
            median,
            slow,
            (slow or 0) / slowest,
            link(total.value),
            link(total.value, median),
            link(total.value, slow),
        )
        for total, median, slow in timed
    ]
    return tuple(sorted(rows, key=lambda stage: (-(stage.slow or 0), stage.name)))
