"""What the turns of all agents came to: counts without a word of anybody's, for those who were granted them."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from datetime import datetime
from typing import Any, Literal

from brain import rollups, statements
from brain.analytics.turn_rows import Period, Point, Total
from brain.errors import InvalidInput
from brain.postgres import roles
from brain.postgres.database import Connection, Database, T, Work
from brain.postgres.reading import ReadDatabase
from brain.statements import SqlStatement

SQL = statements.load("fleet")

MAX_AGENTS = 500  # of one page
MIN_TURNS = 20  # of an agent whose share of degraded turns is told: of fewer it says little
_SECONDS = 10.0


class FleetAnalytics:
    """Reads of the tally alone, each in a transaction that has become `cognitive_overview`.

    All raise StoreError where this connection's login was not granted that role.
    """

    def __init__(self, database: Database | ReadDatabase) -> None:
        self._database = database

    async def agents(
        self, period: Period, order: Literal["turns", "degraded"] = "turns", limit: int = 50
    ) -> list[Total]:
        """What each agent's turns came to on the days of a period: the busiest, or the worst degraded, first; `value`
        is the agent. No times.
        """
        if not 0 < limit <= MAX_AGENTS:
            raise InvalidInput(f"limit: expected a number from 1 to {MAX_AGENTS}, got {limit}")
        rows = await self._fetch(SQL.across_agents, period, order=order, limit=limit, min_turns=MIN_TURNS)
        return [Total(row["agent_id"], _numbers(row), row["last_at"]) for row in rows]

    async def count(self, period: Period) -> int:
        """How many agents had turns."""
        return int((await self._fetch(SQL.across_count, period))[0][0])

    async def days(self, period: Period) -> list[Point]:
        """All agents together, day by day of UTC."""
        rows = await self._fetch(SQL.across_series, period)
        return [Point(row["step"], Total("", _numbers(row))) for row in rows]

    async def courses(self, period: Period, agents: Sequence[str]) -> Mapping[str, Mapping[datetime, float | None]]:
        """The share of shown memories that were used, day by day, of some agents."""
        courses: dict[str, dict[datetime, float | None]] = {agent: {} for agent in agents}
        for row in await self._fetch(SQL.across_courses, period, agent_ids=list(agents)):
            courses[row["agent_id"]][row["step"]] = row["used"] / row["shown"] if row["shown"] else None
        return courses

    async def _fetch(self, statement: SqlStatement, period: Period, **more: Any) -> Sequence[Any]:
        async def work(c: Connection) -> Sequence[Any]:
            return list(await c.fetch(*statement(since=period.begin_of_day, until=period.until, **more)))

        return await self._as_overview(work)

    async def _as_overview(self, work: Work[T]) -> T:
        async def become(c: Connection) -> T:
            await c.execute(f"SET LOCAL ROLE {roles.OVERVIEW}")
            return await work(c)

        return await self._database.run("", become, timeout=_SECONDS)


def _numbers(row: Any) -> rollups.RollupCounts:
    return rollups.RollupCounts(**{name: row[name] for name in rollups.COLUMNS if name != "latency"})
