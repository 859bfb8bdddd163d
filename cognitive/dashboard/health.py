"""The page of the system's health: checks, database, journal, embedding models, slow stages, degraded turns."""

from __future__ import annotations

import asyncio
import logging
from collections import Counter
from collections.abc import Coroutine, Sequence
from dataclasses import dataclass
from datetime import UTC, datetime
from typing import Any, TypeVar

from starlette.responses import Response

from brain.analytics.recent import Degradations, ModelReadingCounts, VectorCoverage
from brain.analytics.turn_rows import AgentHealth, Total
from brain.analytics.turns import TurnAnalytics
from brain.deadline import Deadline
from brain.journal import Backlog, JournalEntry
from brain.postgres.health import Activity, DatabaseHealth
from brain.postgres.roles import Granted
from cognitive.dashboard import time_buckets
from cognitive.dashboard.charts import Chart, ChartLine
from cognitive.dashboard.degradation_labels import DegradationLabel, degradation_label
from cognitive.dashboard.formats import counted, number, percent
from cognitive.dashboard.measures import StageTimes, stages
from cognitive.dashboard.page import PageRoute, Visit
from cognitive.dashboard.params import RANGES, PageQuery
from cognitive.doctor.examine import Finding
from cognitive.errors import StoreError
from cognitive.layer import CognitiveLayer

log = logging.getLogger(__name__)

T = TypeVar("T")

_READ_TIMEOUT_MS = 2_500.0  # for each read, so that the page answers while Postgres does not
_MAX_REASONS = 3  # lines of the chart; the list beside it has all reasons
_ORDER = ("failure", "warning", "unknown", "ok", "skipped")  # what needs action first


@dataclass(frozen=True, slots=True)
class HealthData:
    """The data of the health page. A part is None if Postgres did not answer in time.

    `findings` and `database` are also None for visitors who may not see the whole server.
    """

    findings: tuple[Finding, ...] | None
    database: DatabaseHealth | None
    health: AgentHealth | None
    embedded: VectorCoverage | None
    stages: list[Total] | None
    degraded: Degradations | None
    granted: Granted | None
    backlog: tuple[Backlog, list[JournalEntry]] | None
    model: str
    turns: Total | None = None
    reading: ModelReadingCounts | None = None


@dataclass(frozen=True, slots=True)
class ModelShare:
    """An embedding model, with the share of passages that have vectors of it.

    `current` is True for the model in use.
    """

    model: str
    share: float
    passages: int
    current: bool


@dataclass(frozen=True, slots=True)
class DegradationReason:
    """A reason why turns were degraded (a part was late or failed), with the number of turns and a link to them.

    `share` is that number relative to the most frequent reason, for the bar.
    """

    name: str
    label: DegradationLabel
    turns: int
    share: float
    link: str


@dataclass(frozen=True, slots=True)
class HealthView:
    """The content of the health page, as its template shows it.

    `verdict` sums up the checks in words, and `tone` is its colour. `whole` is True if the page covers the whole
    server.
    """

    verdict: str
    tone: str
    away: bool
    findings: tuple[Finding, ...]
    whole: bool
    database: DatabaseHealth | None
    activity: Activity | None
    health: AgentHealth | None
    granted: Granted | None
    models: tuple[ModelShare, ...]
    reading: ModelReadingCounts | None
    sampled: int
    estimated: bool
    stages: tuple[StageTimes, ...]
    chart: Chart | None
    reasons: tuple[DegradationReason, ...]
    degraded_looked: int
    degraded_bounded: bool
    backlog: Backlog | None
    parked: tuple[JournalEntry, ...]


async def read(layer: CognitiveLayer, analytics: TurnAnalytics, query: PageQuery, *, whole: bool) -> HealthData:
    """Read the data of the health page. Each part has a time limit and is None if it takes longer.

    With `whole`, the checks of the whole server are included.
    """
    scope, period = query.scope, query.period()
    server = asyncio.gather(
        layer.admin.health() if whole else _nothing(),
        layer.admin.journal_backlog(query.agent, whole=whole, user_id=query.view),
        _within(layer.admin.database_role()),
    )
    health, embedded, stages, degraded, totals, reading = await asyncio.gather(
        _within(analytics.health(scope)),
        _within(analytics.recent.embedded(scope)),
        _within(analytics.totals(scope, period, "stage")),
        _within(analytics.recent.degradations(scope, period)),
        _within(analytics.totals(scope, period)),
        _within(analytics.recent.model_readings(scope, period)),
    )
    data, backlog, granted = await server
    findings, database = (data.findings, data.database) if data is not None else (None, None)
    return HealthData(
        findings,
        database,
        health,
        embedded,
        stages,
        degraded,
        granted,
        backlog,
        layer.admin.embedding_model,
        totals[0] if totals else None,
        reading,
    )


def view(data: HealthData, query: PageQuery) -> HealthView:
    """Convert the data of the health page to the form that its template shows."""
    findings = tuple(sorted(data.findings or (), key=lambda each: _ORDER.index(each.status)))
    away = data.health is None
    verdict, tone = _verdict(findings, away, data.turns)
    degraded = data.degraded
    return HealthView(
        verdict=verdict,
        tone=tone,
        away=away,
        findings=findings,
        whole=data.findings is not None,
        database=data.database,
        activity=data.database.activity if data.database is not None else None,
        health=data.health,
        granted=data.granted,
        models=_shares(data),
        reading=data.reading if data.reading is not None and data.reading.is_used else None,
        sampled=data.embedded.looked if data.embedded is not None else 0,
        estimated=data.embedded is not None and data.embedded.sampled,
        stages=stages(data.stages or (), query),
        chart=degradation(degraded, query) if degraded is not None else None,
        reasons=_reasons(degraded, query) if degraded is not None else (),
        degraded_looked=degraded.looked if degraded is not None else 0,
        degraded_bounded=degraded is not None and degraded.bounded,
        backlog=data.backlog[0] if data.backlog is not None else None,
        parked=tuple(data.backlog[1]) if data.backlog is not None else (),
    )


def degradation(data: Degradations, query: PageQuery) -> Chart:
    """Return the chart of the most frequent reasons of degradation over time, as shares of the examined turns."""
    period = query.period()
    names = [name for name, _ in _sums(data)[:_MAX_REASONS]]
    times = chart_times(query)
    known = {at.astimezone(UTC): at for at in data.steps}

    def share(at: datetime, name: str) -> float | None:
        step = known.get(at.astimezone(UTC))
        turns = data.turns.get(step, 0) if step is not None else 0
        return data.steps[step].get(name, 0) / turns if step is not None and turns else None

    lines = [ChartLine(name, tuple(share(at, name) for at in times)) for name in names]
    return Chart(
        "degradation",
        "Degradation by reason",
        "Share of turns with each reason of degradation.",
        tuple(time_buckets.bucket_label(at, period) for at in times),
        tuple(lines) or (ChartLine("degraded", (None,) * len(times)),),
        percent,
        tuple(time_buckets.bucket_link(at, period, query, degraded="yes") for at in times),
        unit="% of turns",
    )


def chart_times(query: PageQuery) -> list[datetime]:
    """Return the times at which the steps of the degradation chart begin."""
    return [at for at, _ in time_buckets.fill_buckets((), query.period(), query)]


def _verdict(findings: Sequence[Finding], away: bool, turns: Total | None) -> tuple[str, str]:
    """Return a sentence that sums up the checks and the turns of the period, and its colour.

    It is "good" only if all checks pass and no turn was degraded or failed.
    """
    if away:
        return "Postgres does not answer", "bad"
    count = Counter(each.status for each in findings)
    parts = [
        f"{count['failure']} {'check fails' if count['failure'] == 1 else 'checks fail'}" * bool(count["failure"]),
        counted(count["warning"] + count["unknown"], "warning") * bool(count["warning"] + count["unknown"]),
        f"{counted(count['skipped'], 'check')} not made here" * bool(count["skipped"]),
    ]
    if turns is not None and turns.numbers.degraded:
        parts.append(f"{number(turns.numbers.degraded)} of {counted(turns.numbers.turns, 'turn')} degraded")
    if turns is not None and turns.numbers.failed:
        parts.append(f"{number(turns.numbers.failed)} of {counted(turns.numbers.turns, 'turn')} failed")
    tone = "bad" if count["failure"] else "warn" if any(parts[1:2] + parts[3:]) else "good"
    said = ", ".join(filter(None, parts))
    return (said or ("All checks pass" if findings else "No turn was degraded"), tone)


def _shares(data: HealthData) -> tuple[ModelShare, ...]:
    """Return the embedding models that have vectors, and the model in use even if it has none."""
    if data.embedded is None or not data.embedded.looked:
        return ()
    counts = {data.model: 0, **data.embedded.models}
    scale = data.health.passages / data.embedded.looked if data.health is not None and data.embedded.sampled else 1.0
    shares = [
        ModelShare(model, count / data.embedded.looked, round(count * scale), model == data.model)
        for model, count in counts.items()
    ]
    return tuple(sorted(shares, key=lambda each: (not each.current, -each.share, each.model)))


def _sums(data: Degradations) -> list[tuple[str, int]]:
    sums = Counter[str]()
    for counts in data.steps.values():
        sums.update(counts)
    return sorted(sums.items(), key=lambda each: (-each[1], each[0]))


def _reasons(data: Degradations, query: PageQuery) -> tuple[DegradationReason, ...]:
    sums = _sums(data)
    max_turns = max((turns for _, turns in sums), default=0) or 1
    return tuple(
        DegradationReason(
            name,
            degradation_label(name),
            turns,
            turns / max_turns,
            query.link("turns", **query.period_params(), degradation=name),
        )
        for name, turns in sums
    )


async def _within(read: Coroutine[Any, Any, T]) -> T | None:
    """Wait for a read and return its result; return None, and log, if Postgres fails or does not answer in time."""
    try:
        return await Deadline(_READ_TIMEOUT_MS).within(read)
    except (StoreError, TimeoutError) as error:
        log.warning("health page: %s", str(error) or f"no answer within {_READ_TIMEOUT_MS:.0f} ms")
        return None


async def _nothing() -> None:
    return None


async def show(visit: Visit) -> Response:
    """Render the health page: the whole server for admins, or one agent's part for an agent's token."""
    data = await read(visit.layer, visit.analytics, visit.query, whole=visit.visitor.agent is None)
    return visit.page("health.html", view=view(data, visit.query), ranges=RANGES)


async def chart(visit: Visit) -> Response:
    """Return the chart of degraded turns as a CSV or SVG file."""
    data = await visit.analytics.recent.degradations(visit.query.scope, visit.query.period())
    return visit.chart([degradation(data, visit.query)])


PAGES = (
    PageRoute("/health", show, label="Health", icon="M1.5 8.5h3l2-5 3 9 2-4h3", static_files=("operations.css",)),
    PageRoute("/health-chart", chart, parent="/health"),
)
