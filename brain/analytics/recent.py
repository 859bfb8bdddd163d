"""What the latest turns and a sample of the passages say, where no counter is kept: bounded, and honest about it."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass
from datetime import datetime

from brain import statements
from brain.analytics.turn_rows import Period
from brain.postgres.database import Connection, Database
from brain.postgres.reading import ReadDatabase

MAX_TURNS = 5_000  # that are walked: at the pace of a busy agent a day or two
MAX_PASSAGES = 2_000  # of which the share of a model is told, within two percent
MAX_MODELS = 50
SQL = statements.load("recent", most=MAX_TURNS, sample=MAX_PASSAGES)
_SECONDS = 10.0


@dataclass(frozen=True, slots=True)
class ModelUsage:
    """A language model that turns named, "" for those that named none; how many of them lost tools, and how many."""

    model: str
    turns: int
    trimmed: int
    cut: int
    last_at: datetime


@dataclass(frozen=True, slots=True)
class ModelUsageList:
    """The models of the latest turns, of which `looked` were looked at, back to a time."""

    rows: tuple[ModelUsage, ...]
    looked: int
    back_to: datetime | None

    @property
    def bounded(self) -> bool:
        """Whether there may be more turns than were looked at."""
        return self.looked == MAX_TURNS


@dataclass(frozen=True, slots=True)
class Degradations:
    """Degraded turns by step of time and reason, and all turns by step, of the `looked` latest ones."""

    steps: Mapping[datetime, Mapping[str, int]]
    turns: Mapping[datetime, int]

    @property
    def looked(self) -> int:
        """How many turns were looked at."""
        return sum(self.turns.values())

    @property
    def bounded(self) -> bool:
        """Whether there may be more."""
        return self.looked == MAX_TURNS


@dataclass(frozen=True, slots=True)
class VectorCoverage:
    """How many of `looked` passages have vectors, by embedding model; a random sample, or all of them."""

    models: Mapping[str, int]
    looked: int

    @property
    def sampled(self) -> bool:
        """Whether there may be more passages."""
        return self.looked == MAX_PASSAGES


class RecentAnalytics:
    """Reads of one agent's latest turns, under row level security."""

    def __init__(self, database: Database | ReadDatabase) -> None:
        self._database = database

    async def models(self, agent_id: str, period: Period) -> ModelUsageList:
        """Which language models the latest turns of a period were for, the most frequent first."""

        async def work(c: Connection) -> ModelUsageList:
            rows = await c.fetch(
                *SQL.turn_models(agent_id=agent_id, since=period.since, until=period.until, limit=MAX_MODELS)
            )
            seen = tuple(
                ModelUsage(row["model"], row["turns"], row["trimmed"], row["cut"], row["last_at"])
                for row in rows
                if row["model"] is not None
            )
            return ModelUsageList(seen, rows[0]["looked"], rows[0]["back_to"])

        return await self._database.run(agent_id, work, timeout=_SECONDS)

    async def degradations(self, agent_id: str, period: Period) -> Degradations:
        """Why the latest turns of a period were degraded, over its steps."""
        degradations = SQL.degradations(
            agent_id=agent_id, since=period.since, until=period.until, step=period.step, zone=period.zone
        )
        rows = await self._database.run(agent_id, lambda c: c.fetch(*degradations), timeout=_SECONDS)
        steps: dict[datetime, dict[str, int]] = {}
        for row in rows:
            steps.setdefault(row["step"], {})[row["reason"]] = row["turns"]
        return Degradations(
            {at: {reason: n for reason, n in counts.items() if reason} for at, counts in steps.items()},
            {at: counts.get("", 0) for at, counts in steps.items()},
        )

    async def embedded(self, agent_id: str) -> VectorCoverage:
        """Which embedding models the passages have vectors of."""
        rows = await self._database.run(agent_id, lambda c: c.fetch(*SQL.embedded(agent_id=agent_id)), timeout=_SECONDS)
        return VectorCoverage({row["model"]: row["passages"] for row in rows[1:]}, rows[0]["passages"])
