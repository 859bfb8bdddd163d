"""The state of what an agent's memory stands on: is all well, what waits, what is slow, what was lacking."""

from __future__ import annotations

import asyncio
import logging
from collections.abc import Coroutine, Sequence
from dataclasses import dataclass
from datetime import UTC, datetime
from typing import Any, TypeVar

from starlette.exceptions import HTTPException
from starlette.responses import Response

from brain.analytics.recent import Degradations, VectorCoverage
from brain.analytics.turn_rows import AgentHealth, Total
from brain.analytics.turns import TurnAnalytics
from brain.deadline import Deadline
from brain.journal import Backlog, JournalEntry
from brain.postgres.health import Activity, DatabaseHealth
from brain.postgres.roles import Granted
from cognitive.dashboard import time_buckets
from cognitive.dashboard.charts import Chart, ChartLine
from cognitive.dashboard.degradation_labels import DegradationLabel, degradation_label
from cognitive.dashboard.formats import percent
from cognitive.dashboard.measures import StageTimes, stages
from cognitive.dashboard.page import PageRoute, Visit
from cognitive.dashboard.params import RANGES, PageQuery
from cognitive.doctor.examine import Finding
from cognitive.errors import StoreError
from cognitive.layer import CognitiveLayer

log = logging.getLogger(__name__)

T = TypeVar("T")

_PATIENCE_MS = 2_500.0  # for each read: a page about what does not answer must answer
_MAX_REASONS = 3  # of a chart; all are in the table beside it
_ORDER = ("failure", "warning", "unknown", "ok")


@dataclass(frozen=True, slots=True)
class HealthData:
    """What was read, None where Postgres did not answer in time. `findings` and `database` are for those alone who may
    see the whole server.
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


@dataclass(frozen=True, slots=True)
class ModelShare:
    """An embedding model: the share of passages that have its vectors, and whether it is the one that is in use."""

    model: str
    share: float
    passages: int
    current: bool


@dataclass(frozen=True, slots=True)
class DegradationReason:
    """A reason of degradation, what is told of it, its turns, and the way to them; `share` is of the most frequent."""

    name: str
    label: DegradationLabel
    turns: int
    share: float
    link: str


@dataclass(frozen=True, slots=True)
class HealthView:
    """The page; `verdict` is a word for all of it, `tone` how it is written."""

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
    """All that the page needs, each within a bound: what does not come in time is missing, and the page is not."""
    agent, period = query.agent, query.period()
    beneath = asyncio.gather(
        layer.admin.health() if whole else _nothing(),
        layer.admin.journal_backlog(agent, whole=whole),
        _within(layer.admin.database_role()),
    )
    health, embedded, stages, degraded = await asyncio.gather(
        _within(analytics.health(agent)),
        _within(analytics.recent.embedded(agent)),
        _within(analytics.totals(agent, period, "stage")),
        _within(analytics.recent.degradations(agent, period)),
    )
    data, backlog, granted = await beneath
    findings, database = (data.findings, data.database) if data is not None else (None, None)
    return HealthData(
        findings, database, health, embedded, stages, degraded, granted, backlog, layer.admin.embedding_model
    )


def view(data: HealthData, query: PageQuery) -> HealthView:
    """The page from what was read."""
    findings = tuple(sorted(data.findings or (), key=lambda each: _ORDER.index(each.status)))
    away = data.health is None
    verdict, tone = _verdict(findings, away)
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
    """The most frequent reasons over the steps of the period, as shares of the turns that were looked at."""
    period = query.period()
    names = [name for name, _ in _sums(data)[:_MAX_REASONS]]
    times = [at for at, _ in time_buckets.fill_buckets((), period, query)]
    known = {at.astimezone(UTC): at for at in data.steps}

    def share(at: datetime, name: str) -> float | None:
        step = known.get(at.astimezone(UTC))
        turns = data.turns.get(step, 0) if step is not None else 0
        return data.steps[step].get(name, 0) / turns if step is not None and turns else None

    lines = [ChartLine(name, tuple(share(at, name) for at in times)) for name in names]
    return Chart(
        "degradation",
        "Degradation by reason",
        "Share of turns that lacked something, by what it was.",
        tuple(time_buckets.bucket_label(at, period) for at in times),
        tuple(lines) or (ChartLine("degraded", (None,) * len(times)),),
        percent,
        tuple(time_buckets.bucket_link(at, period, query, degraded="yes") for at in times),
    )


def _verdict(findings: Sequence[Finding], away: bool) -> tuple[str, str]:
    if away:
        return "Postgres does not answer", "bad"
    failed = sum(each.status == "failure" for each in findings)
    warned = sum(each.status in ("warning", "unknown") for each in findings)
    if failed:
        return f"{failed} {'check fails' if failed == 1 else 'checks fail'}", "bad"
    return (f"{warned} {'warning' if warned == 1 else 'warnings'}", "warn") if warned else ("All is well", "good")


def _shares(data: HealthData) -> tuple[ModelShare, ...]:
    """Every model that has vectors, and the one in use even if none has been made with it."""
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
    sums: dict[str, int] = {}
    for counts in data.steps.values():
        for name, turns in counts.items():
            sums[name] = sums.get(name, 0) + turns
    return sorted(sums.items(), key=lambda each: (-each[1], each[0]))


def _reasons(data: Degradations, query: PageQuery) -> tuple[DegradationReason, ...]:
    sums = _sums(data)
    most = max((turns for _, turns in sums), default=0) or 1
    return tuple(
        DegradationReason(
            name,
            degradation_label(name),
            turns,
            turns / most,
            query.link("turns", **query.period_params(), degradation=name),
        )
        for name, turns in sums
    )


async def _within(read: Coroutine[Any, Any, T]) -> T | None:
    """What was read, None if Postgres did not answer, or not in time."""
    try:
        return await Deadline(_PATIENCE_MS).within(read)
    except (StoreError, TimeoutError) as error:
        log.warning("health: %s", str(error) or "no answer in time")
        return None


async def _nothing() -> None:
    return None


async def show(visit: Visit) -> Response:
    """The page: of the server whole for those who may see all agents, of the agent's part for its own token."""
    data = await read(visit.layer, visit.analytics, visit.query, whole=visit.visitor.agent is None)
    return visit.page("health.html", view=view(data, visit.query), ranges=RANGES)


async def chart(visit: Visit) -> Response:
    """Degradation over time as CSV, or as SVG."""
    data = await visit.analytics.recent.degradations(visit.query.agent, visit.query.period())
    shown = degradation(data, visit.query)
    if visit.query.params.get("id") != shown.id:
        raise HTTPException(404, "There is no such chart.")
    return visit.chart(shown)


PAGES = (
    PageRoute("/health", show, label="Health", icon="M1.5 8.5h3l2-5 3 9 2-4h3", static_files=("operations.css",)),
    PageRoute("/health-chart", chart, parent="/health"),
)
