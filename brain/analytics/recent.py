"""Read from the latest turns, and from a sample of passages, properties for which no counts are stored.

Each result says how many turns or passages were examined.
"""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass
from datetime import datetime

from brain import statements
from brain.analytics.turn_rows import Period
from brain.postgres.database import Connection, Database
from brain.postgres.reading import ReadDatabase
from brain.users import Scope

MAX_TURNS = 5_000  # turns examined: a day or two of a busy agent
MAX_PASSAGES = 2_000  # passages in the sample: shares are accurate to two percent
MAX_MODELS = 50
SQL = statements.load("recent", most=MAX_TURNS, sample=MAX_PASSAGES)
_TURN_MODELS = statements.by_view(SQL.turn_models.fill(latest=SQL.latest))
_DEGRADATIONS = statements.by_view(SQL.degradations.fill(latest=SQL.latest))
_STATE = statements.by_view(SQL.state)
_MODEL_READINGS = statements.by_view(SQL.model_readings.fill(latest=SQL.latest))
_SECONDS = 10.0


@dataclass(frozen=True, slots=True)
class ModelUsage:
    """The number of recent turns that named a language model, and how often tools were removed to fit the model.

    `turns` is the number of turns, `trimmed` the number of those with removed tools, and `cut` the number of removed
    tools. `model` is "" for turns that named no model.
    """

    model: str
    turns: int
    trimmed: int
    cut: int
    last_at: datetime


@dataclass(frozen=True, slots=True)
class ModelUsageList:
    """The language models of the latest turns. `looked` turns were examined, the earliest of them at `back_to`."""

    rows: tuple[ModelUsage, ...]
    looked: int
    back_to: datetime | None

    @property
    def bounded(self) -> bool:
        """True if there may be more turns in the period than were examined."""
        return self.looked == MAX_TURNS


@dataclass(frozen=True, slots=True)
class ModelReadingCounts:
    """The number of turns that a model read to form memories, of those that wait for it, and of those it failed on.

    `read` is counted among the latest turns of the period; `parked` includes exchanges of conversations without turns.
    `tokens` is what the model took today (UTC) for all users; None in a view that does not see all of them.
    """

    read: int
    waiting: int
    parked: int
    tokens: int | None

    @property
    def is_used(self) -> bool:
        """True if a model reads turns of this agent."""
        return bool(self.read or self.waiting or self.parked or self.tokens)


@dataclass(frozen=True, slots=True)
class Degradations:
    """The number of degraded turns among the latest turns of a period.

    `steps` has the numbers by time step (hour or day) and degradation code. `turns` has the number of all examined
    turns by time step.
    """

    steps: Mapping[datetime, Mapping[str, int]]
    turns: Mapping[datetime, int]

    @property
    def looked(self) -> int:
        """The number of turns examined."""
        return sum(self.turns.values())

    @property
    def bounded(self) -> bool:
        """True if there may be more turns in the period than were examined."""
        return self.looked == MAX_TURNS


@dataclass(frozen=True, slots=True)
class VectorCoverage:
    """The number of passages that have a vector, by embedding model.

    `looked` passages were examined: a random sample, or all of them.
    """

    models: Mapping[str, int]
    looked: int

    @property
    def sampled(self) -> bool:
        """True if only a sample of the passages was examined."""
        return self.looked == MAX_PASSAGES


@dataclass(frozen=True, slots=True)
class RecentState:
    """The turns since a time: their number, how many were degraded or failed, and their 95th percentile in ms."""

    turns: int
    degraded: int
    failed: int
    slow: float | None


class RecentAnalytics:
    """Reads the latest turns of one agent for the dashboard, under row level security."""

    def __init__(self, database: Database | ReadDatabase) -> None:
        self._database = database

    async def models(self, scope: Scope, period: Period) -> ModelUsageList:
        """Return the language models of the latest turns of a period, most frequent first."""

        async def work(c: Connection) -> ModelUsageList:
            bounds = {"since": period.since, "until": period.until, "limit": MAX_MODELS}
            rows = await c.fetch(*_TURN_MODELS[scope.sees_all](agent_id=scope.agent_id, **bounds))
            seen = tuple(
                ModelUsage(row["model"], row["turns"], row["trimmed"], row["cut"], row["last_at"])
                for row in rows
                if row["model"] is not None
            )
            return ModelUsageList(seen, rows[0]["looked"], rows[0]["back_to"])

        return await self._database.run(scope, work, timeout=_SECONDS)

    async def degradations(self, scope: Scope, period: Period) -> Degradations:
        """Count the degradation codes of the latest turns of a period, by time step."""
        degradations = _DEGRADATIONS[scope.sees_all](
            agent_id=scope.agent_id, since=period.since, until=period.until, step=period.step, zone=period.step_zone
        )
        rows = await self._database.run(scope, lambda c: c.fetch(*degradations), timeout=_SECONDS)
        steps: dict[datetime, dict[str, int]] = {}
        for row in rows:
            steps.setdefault(row["step"], {})[row["reason"]] = row["turns"]
        return Degradations(
            {at: {reason: n for reason, n in counts.items() if reason} for at, counts in steps.items()},
            {at: counts.get("", 0) for at, counts in steps.items()},
        )

    async def state(self, scope: Scope, since: datetime) -> RecentState:
        """Return the results of the turns since a time."""
        state = _STATE[scope.sees_all](agent_id=scope.agent_id, since=since)
        row = await self._database.run(scope, lambda c: c.fetchrow(*state), timeout=_SECONDS)
        return RecentState(**dict(row))

    async def embedded(self, scope: Scope) -> VectorCoverage:
        """Return how many passages have vectors of each embedding model."""
        rows = await self._database.run(
            scope, lambda c: c.fetch(*SQL.embedded(agent_id=scope.agent_id)), timeout=_SECONDS
        )
        return VectorCoverage({row["model"]: row["passages"] for row in rows[1:]}, rows[0]["passages"])

    async def model_readings(self, scope: Scope, period: Period) -> ModelReadingCounts:
        """Return what a model read, and what it is still to read, to form memories."""
        bound = _MODEL_READINGS[scope.sees_all](agent_id=scope.agent_id, since=period.since, until=period.until)
        row = await self._database.run(scope, lambda c: c.fetchrow(*bound), timeout=_SECONDS)
        return ModelReadingCounts(row["read"], row["waiting"], row["parked"], row["tokens"] if scope.sees_all else None)
