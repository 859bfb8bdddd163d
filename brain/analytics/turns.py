"""Read the dashboard's data about turns: counts over time, lists of turns, the state of the database.

The cost of every query is limited, however much an agent has stored. Sums are read from stored hourly and daily counts,
lists examine a limited number of rows, and shares are computed from a random sample. Nothing here writes, so that a
read-only role is enough.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from datetime import datetime
from functools import partial
from typing import Any, Literal

import numpy as np
from numpy.typing import NDArray

from brain import rollups
from brain.analytics import paging
from brain.analytics.fleet import FleetAnalytics
from brain.analytics.memories import MemoryAnalytics
from brain.analytics.paging import EARLIEST, SECONDS, page_limit, start
from brain.analytics.recent import RecentAnalytics
from brain.analytics.turn_rows import (
    AgentHealth,
    Dimension,
    OmittedTool,
    OpenTurnRow,
    OwnedTurn,
    Period,
    Point,
    PolicyUsage,
    Relation,
    ResultPage,
    Total,
    TurnFilter,
    TurnListRow,
    TurnMeasurements,
)
from brain.analytics.users import UserAnalytics
from brain.postgres.database import Connection, Database
from brain.postgres.reading import ReadDatabase
from brain.postgres.wire_types import as_value
from brain.statements import by_view
from brain.text import patterns
from brain.users import Scope

MAX_VALUES = 200  # most frequent values of a dimension
MAX_POINTS = 4_000  # points of a series over all values
MAX_TRACES = 200  # turns whose traces are read for omitted tools
MAX_OPEN = 1_000  # bound of the count of open turns
SQL = paging.load("turn_analytics")
# Each variant uses another index. The index of sessions begins with the user, also in the operator's view.
_TURNS = by_view(SQL.turns.fill(session=":session_id::text IS NULL"))
_TURNS_OF_SESSION = by_view(SQL.turns.fill(session="session_id = :session_id"))[False]
_OMITTED_TOOLS = by_view(SQL.omitted_tools)
_ANY_TURN = TurnFilter()
# newest or oldest first; the longest preparation, most tokens of memory or most used memories first
TurnOrder = Literal["newest", "oldest", "slowest", "tokens", "used"]


@dataclass(frozen=True, slots=True)
class ConversationTurn:
    """A turn in the conversation of its session: message and response, and what the memories in it came to.

    `response` is None if it is not stored.
    """

    turn_id: str
    at: datetime
    user_id: str | None
    status: str
    message: str
    response: str | None
    degraded: tuple[str, ...]
    frame: str
    abstained: bool
    milliseconds: float | None
    shown: int
    used: int
    tokens: int


class TurnAnalytics(MemoryAnalytics):
    """Reads one agent's turns and memories for the dashboard, under row level security.

    `recent` reads properties for which no counts are stored, and `fleet` reads the counts of all agents, and
    `users` the users of one agent.
    """

    def __init__(self, database: Database | ReadDatabase) -> None:
        self._database = database
        self.recent = RecentAnalytics(database)
        self.fleet = FleetAnalytics(database)
        self.users = UserAnalytics(database)

    async def totals(self, scope: Scope, period: Period, by: Dimension = "all", *, timed: bool = True) -> list[Total]:
        """Return the sums of the counts of a period's turns, in total or for each value of a dimension.

        A dimension is, for example, the memory type. In the dimension "tool" a value is "category/name". The most
        frequent values come first. The period is widened to whole hours. With `timed` False the sums have no durations.
        """
        since, until, first_day, last_day = period.days
        asked = {
            "agent_id": scope.agent_id,
            "dimension": by,
            "since": since,
            "until": until,
            "first_day": first_day,
            "last_day": last_day,
        }

        async def work(c: Connection) -> list[Total]:
            rows = await c.fetch(*SQL.totals(**asked, limit=MAX_VALUES))
            values = [row["value"] for row in rows] if timed else []
            times = _added(await c.fetch(*SQL.latencies(**asked, values=values)) if values else (), "value")
            return [_total(row, latency=times.get((row["value"],), ())) for row in rows]

        return await self._database.run(scope, work, timeout=SECONDS)

    async def series(
        self, scope: Scope, period: Period, by: Dimension = "all", value: str | None = None
    ) -> list[Point]:
        """Return the sums of the counts of a period's turns by time step, in order. Steps without turns are left out.

        The sums of all steps are those of `totals`.

        Raises:
            InvalidInput: Postgres does not know the time zone.
        """
        since, until, first_day, last_day = period.days if period.span == "day" else (period.begin, *[period.until] * 3)
        asked = {
            "agent_id": scope.agent_id,
            "dimension": by,
            "since": since,
            "until": until,
            "first_day": first_day,
            "last_day": last_day,
            "step": period.step,
            "zone": period.step_zone,
            "value": value,
        }

        async def work(c: Connection) -> list[Point]:
            times = _added(await c.fetch(*SQL.series_latencies(**asked)), "step", "value")
            rows = await c.fetch(*SQL.series(**asked, limit=MAX_POINTS))
            return [Point(row["step"], _total(row, latency=times.get((row["step"], row["value"]), ()))) for row in rows]

        return await self._database.run(scope, work, timeout=SECONDS)

    async def turns(
        self,
        scope: Scope,
        wanted: TurnFilter = _ANY_TURN,
        *,
        limit: int = 50,
        after: tuple[Any, ...] | None = None,
        order: TurnOrder = "newest",
        skip: int = 0,
        counted: bool = False,
    ) -> ResultPage[TurnListRow]:
        """Return a page of the turns that match a filter. At most `MAX_LOOKED` turns are examined, back from `after`.

        In another order than "newest", the page begins after the first `skip` of the matching turns among those
        examined. With `counted`, and in such an order, the page has the number of these. Read on with the same `after`
        and a greater `skip` until all are read, then with the page's `after` and no `skip`.
        """
        by_time = order == "newest"
        begin = start(after, wanted.until)
        rows = await self._fetch(
            scope,
            _TURNS[scope.sees_all] if wanted.session_id is None else _TURNS_OF_SESSION,
            **_conditions(wanted),
            before_at=begin[0],
            before_turn_id=begin[1] or "",
            limit=page_limit(limit),
            skip=0 if by_time else skip,
            ordered_by=order,
            whole=counted or not by_time,
        )
        return paging.page(rows, limit, partial(as_value, TurnListRow), "turn_id", "at", by_time=by_time)

    async def turn(self, scope: Scope, turn_id: str) -> TurnMeasurements | None:
        """Return the measurements of a turn, or None if the agent has no such turn."""
        rows = await self._fetch(scope, SQL.turn, turn_id=turn_id)
        if not rows:
            return None
        row = rows[0]
        told = {name: row[name] or {} for name in ("measures", "timings", "trim", "window", "sections", "excerpts")}
        return as_value(TurnMeasurements, row, **told)

    async def conversation(
        self, scope: Scope, session_id: str, *, limit: int = 50, after: tuple[Any, ...] | None = None
    ) -> ResultPage[ConversationTurn]:
        """Return the turns of a session, oldest first, from a position (time, turn id) on."""
        at, turn_id = after or (EARLIEST, "")
        rows = await self._fetch(
            scope,
            SQL.conversation,
            session_id=session_id,
            after_at=at,
            after_turn_id=turn_id,
            limit=page_limit(limit) + 1,
        )
        turns = tuple(as_value(ConversationTurn, row) for row in rows[:limit])
        following = (turns[-1].at, turns[-1].turn_id) if len(rows) > limit else None
        return ResultPage(turns, len(turns), following)

    async def policies(self, scope: Scope, limit: int = 100) -> list[PolicyUsage]:
        """Return the policies that the agent's turns used, latest first, with the sums of the counts of these turns."""
        rows = await self._fetch(scope, SQL.policies, limit=page_limit(limit))
        return [PolicyUsage(row["version"], row["first_used_at"], _total(row, "version")) for row in rows]

    async def omitted_tools(self, scope: Scope, period: Period | None = None) -> tuple[list[OmittedTool], int]:
        """Return the tools that the latest turns were not offered, and the number of turns examined.

        The tools that a model called anyway or that a message named most often come first; after these, the tools that
        were left out most often.
        """
        since, until = (period.since, period.until) if period is not None else (None, None)
        rows = await self._fetch(
            scope, _OMITTED_TOOLS[scope.sees_all], max_turns=MAX_TRACES, limit=MAX_VALUES, since=since, until=until
        )
        tools = [as_value(OmittedTool, row, **_turns_without(row)) for row in rows if row["name"] is not None]
        return tools, rows[0]["looked"]

    async def health(self, scope: Scope) -> AgentHealth:
        """Return the state of the server, tables, indexes, embedding models and open turns."""

        async def work(c: Connection) -> AgentHealth:
            counts = await c.fetchrow(*SQL.agent_counts(agent_id=scope.agent_id, max_open=MAX_OPEN))
            models = await c.fetch(*SQL.models(agent_id=scope.agent_id))
            return AgentHealth(
                **dict(counts),
                **dict(await c.fetchrow(*SQL.server())),
                relations=tuple(as_value(Relation, row) for row in await c.fetch(*SQL.relations())),
                models={row["model"]: row["vectors"] for row in models},
                oldest_open=tuple(
                    as_value(OpenTurnRow, row)
                    for row in await c.fetch(*SQL.oldest_open(agent_id=scope.agent_id, limit=20))
                ),
            )

        return await self._database.run(scope, work, timeout=SECONDS)


def _conditions(wanted: TurnFilter) -> dict[str, Any]:
    """Return the parameters of the conditions of a filter, except `until`, which is where the list begins."""
    return {
        "user_id": wanted.user_id,
        "session_id": wanted.session_id,
        "since": wanted.since or EARLIEST,
        "status": wanted.status,
        "frame": wanted.frame,
        "category": wanted.category,
        "runtime": wanted.runtime,
        "policies": list(wanted.policies) if wanted.policies else None,
        "degraded": wanted.degraded,
        "abstained": wanted.abstained,
        "tool": wanted.tool,
        "patterns": patterns(wanted.words),
        "min_milliseconds": wanted.min_ms,
        "shown_type": wanted.showed,
        "used": wanted.used,
        "used_unshown": wanted.used_unshown,
        "rating": wanted.rating,
        "stage": wanted.stage,
        "held_back": wanted.held_back,
        "model": wanted.model,
        "tools_cut": wanted.tools_cut,
        "degradation": wanted.reason,
    }


def _added(rows: Sequence[Any], *keys: str) -> dict[tuple[Any, ...], tuple[int, ...]]:
    """Add up the duration histograms of rows that have the same values in the columns `keys`.

    Adding is faster here than in Postgres.
    """
    sums: dict[tuple[Any, ...], NDArray[np.int64]] = {}
    for row in rows:
        counts = sums.setdefault(tuple(row[key] for key in keys), np.zeros(rollups.BUCKETS, dtype=np.int64))
        counts[: len(row["latency"])] += row["latency"]
    return {key: tuple(counts.tolist()) for key, counts in sums.items()}


def _total(row: Any, named: str = "value", latency: tuple[int, ...] = ()) -> Total:
    told = {name: row[name] for name in rollups.COLUMNS if name != "latency"}
    return Total(row[named], rollups.RollupCounts(**told, latency=latency), row.get("last_at"))


def _turns_without(row: Any) -> dict[str, tuple[OwnedTurn, ...]]:
    names = ("wanted_in", "left_out_in")
    return {name: tuple((id, user or None) for user, id in row[name] or ()) for name in names}
