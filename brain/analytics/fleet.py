"""Read the turn counts of all agents together.

The counts contain no text. Only database logins with the overview role may read them.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from datetime import datetime
from typing import Any, Literal

from brain import rollups, statements
from brain.analytics.turn_rows import Period, Point, Total
from brain.errors import InvalidInput, SchemaError, StoreError, StoreUnavailable
from brain.postgres import roles
from brain.postgres.database import Connection, Database, T, Work
from brain.postgres.reading import ReadDatabase
from brain.statements import SqlStatement
from brain.text import patterns
from brain.users import Scope

SQL = statements.load("fleet")

MAX_AGENTS = 500  # of one page
MIN_TURNS = 20  # minimum turns of an agent for its share of degraded turns to be meaningful
_SECONDS = 10.0
_REMEDY = "run `cognitive db roles LOGIN --overview --url URL-OF-THE-OWNER`"

AgentOrder = Literal["name", "turns", "used", "degraded", "last"]


@dataclass(frozen=True, slots=True)
class AgentSummary:
    """An agent in a list: the number of its turns, and the day (UTC) of the latest, None without turns."""

    agent_id: str
    turns: int
    last_day: datetime | None


class FleetAnalytics:
    """Reads the hourly and daily counts of all agents, for the dashboard's page on all agents.

    Each query runs in a transaction as the role `cognitive_overview`. All methods raise StoreError if the login was not
    granted this role.
    """

    def __init__(self, database: Database | ReadDatabase) -> None:
        self._database = database

    async def worst(self, period: Period, limit: int) -> list[Total]:
        """Return the agents with the largest shares of degraded turns, and the sums of their turn counts in a period.

        Agents with fewer than `MIN_TURNS` turns, or without degraded ones, are left out.
        """
        rows = await self._fetch(SQL.worst, period, limit=limit, min_turns=MIN_TURNS)
        return [Total(row["agent_id"], _numbers(row), row["last_at"]) for row in rows]

    async def listed(
        self, period: Period, order: AgentOrder = "turns", name: str = "", limit: int = 50
    ) -> tuple[list[Total], int]:
        """Return up to `limit` agents, whether or not they had turns in the period, and the number of all that match.

        `name` has words that must all be in their names. Each has the sums of its turn counts in the period.
        """
        if not 0 < limit <= MAX_AGENTS:
            raise InvalidInput(f"limit: expected a number from 1 to {MAX_AGENTS}, got {limit}")
        rows = await self._fetch(SQL.agent_list, period, order=order, patterns=patterns(name), limit=limit)
        found = [Total(row["agent_id"], _numbers(row), row["last_at"]) for row in rows]
        return found, rows[0]["matching"] if rows else 0

    async def page(self, limit: int = 50, offset: int = 0, words: str | None = None) -> list[AgentSummary]:
        """Return at most `limit` agents whose names contain all words, from position `offset`.

        Those with the latest turns come first.

        Raises:
            InvalidInput: `limit` or `offset` is out of range.
            SchemaError: the login was not granted the role `cognitive_overview`.
        """
        if not 0 < limit <= MAX_AGENTS or offset < 0:
            raise InvalidInput(f"limit, offset: expected 1 to {MAX_AGENTS} and 0 or more, got {limit} and {offset}")

        async def work(c: Connection) -> Sequence[Any]:
            return list(await c.fetch(*SQL.listed(patterns=patterns(words), limit=limit, offset=offset)))

        try:
            return [AgentSummary(*row) for row in await self._as_overview(work)]
        except StoreUnavailable:
            raise
        except (InvalidInput, StoreError) as error:  # the role does not exist, or the login may not use it
            raise SchemaError("this login may not list agents", remedy=_REMEDY) from error

    async def count(self, period: Period) -> int:
        """Return the number of agents that had turns in the period."""
        return int((await self._fetch(SQL.across_count, period))[0][0])

    async def days(self, period: Period) -> list[Point]:
        """Return the turn counts of all agents together for each day (UTC) of the period."""
        rows = await self._fetch(SQL.across_series, period)
        return [Point(row["step"], Total("", _numbers(row))) for row in rows]

    async def _fetch(self, statement: SqlStatement, period: Period, **more: Any) -> Sequence[Any]:
        async def work(c: Connection) -> Sequence[Any]:
            return list(await c.fetch(*statement(since=period.begin_of_day, until=period.until, **more)))

        return await self._as_overview(work)

    async def _as_overview(self, work: Work[T]) -> T:
        async def become(c: Connection) -> T:
            await c.execute(f"SET LOCAL ROLE {roles.OVERVIEW}")
            return await work(c)

        return await self._database.run(Scope(""), become, timeout=_SECONDS)


def _numbers(row: Any) -> rollups.RollupCounts:
    return rollups.RollupCounts(**{name: row[name] for name in rollups.COLUMNS if name != "latency"})
