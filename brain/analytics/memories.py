"""Read memories for the dashboard: lists, groups by usage, the history of a memory, the effect of an erasure.

Each read is one statement with bounded cost. A result that comes from a sample says how large the sample was.
"""

from __future__ import annotations

from collections.abc import Sequence
from datetime import datetime
from typing import Any
from uuid import UUID

from brain.analytics import paging
from brain.analytics.memory_rows import (
    MIN_FRESH,
    GroupSizes,
    MemoryLifecycle,
    MemoryListFilter,
    MemoryRow,
    Showing,
    SimilarMemory,
    UsageGroup,
)
from brain.analytics.paging import EARLIEST, LATEST, MAX_SAMPLED, page_limit, start
from brain.analytics.turn_rows import ResultPage
from brain.postgres.database import Database
from brain.postgres.reading import ReadDatabase
from brain.postgres.wire_types import as_value
from brain.statements import SqlStatement
from brain.text import patterns
from brain.types import MEMORY_TYPES, MemoryType
from brain.upkeep import MAX_LEFT, MIN_SHOWN, MIN_USED
from brain.users import Scope

MAX_SHOWINGS = 1_000  # showings in the chart of a memory's use
MAX_POSTINGS = 300  # postings read per lexeme to find similar memories
MAX_COMPARED = 2_000  # memories compared by vector
MIN_COSINE = 0.8  # of similar memories
MAX_SIMILAR = 10
MAX_TAGS = 50  # tags offered as a filter
SQL = paging.load("memory_analytics")
_EACH_TYPE = " UNION ALL ".join(f"({SQL.walk_type.fill(type=type_).source})" for type_ in MEMORY_TYPES)
_NO_ID = UUID(int=0)
_DAY = 86_400.0
_LISTS = {
    walk: SQL.memories.fill(walk=SQL[walk].fill(each_type=_EACH_TYPE))
    for walk in ("walk_types", "walk_session", "walk_pinned", "walk_hidden")
}
_GROUPS = {walk: SQL.group.fill(walk=SQL[walk]) for walk in ("walk_stored", "walk_shown")}
_ANY = MemoryListFilter()


class MemoryAnalytics:
    """Reads memories for the dashboard, of one agent at a time."""

    _database: Database | ReadDatabase

    async def memories(
        self, scope: Scope, wanted: MemoryListFilter = _ANY, *, limit: int = 50, after: tuple[Any, ...] | None = None
    ) -> ResultPage[MemoryRow]:
        """Return a page of the memories that match a filter, latest first.

        At most `MAX_LOOKED` memories are examined.
        """
        begin = start(after, wanted.until)
        rows = await self._fetch(
            scope,
            _LISTS[_walk(wanted)],
            types=list(wanted.types),
            session_id=wanted.session_id,
            before_at=begin[0],
            before_seq=begin[1] or 0,
            since=wanted.since or EARLIEST,
            tag=wanted.tag,
            patterns=patterns(wanted.words),
            pinned=wanted.pinned,
            hidden=wanted.hidden,
            owner=wanted.owner,
            limit=page_limit(limit),
        )
        return paging.page(rows, limit, _memory_row, "seq", "occurred_at")

    async def group_sizes(self, scope: Scope, half_life_days: float, now: datetime) -> GroupSizes:
        """Return the number of memories in each usage group, counted in a sample of `MAX_SAMPLED` memories.

        A use counts half after `half_life_days`. Pinned and hidden memories are counted among all memories, up to
        `MAX_LOOKED`.
        """
        rows = await self._fetch(scope, SQL.group_sizes, **_limits(half_life_days, now))
        return as_value(GroupSizes, rows[0])

    async def group(
        self,
        scope: Scope,
        group: UsageGroup,
        half_life_days: float,
        now: datetime,
        *,
        types: Sequence[MemoryType] = MEMORY_TYPES,
        tag: str | None = None,
        limit: int = 50,
        after: tuple[Any, ...] | None = None,
    ) -> ResultPage[MemoryRow]:
        """Return a page of the memories of one usage group, those that fit the group best first.

        A use counts half after `half_life_days`. Memories are read by id in blocks of `MAX_SAMPLED`, and sorted within
        each block. Depending on the group they are sorted by age, by the number of showings or uses, or by how recent
        the uses are.
        """
        window, score, last = after or (_NO_ID, None, None)
        rows = await self._fetch(
            scope,
            _GROUPS["walk_stored" if group == "never" else "walk_shown"],
            **_limits(half_life_days, now),
            group=group,
            after_id=window,
            before_score=score,
            after_scored_id=last,
            limit=page_limit(limit),
            types=list(types),
            tag=tag,
        )
        found = [row for row in rows if row["id"] is not None]
        looked = rows[0]["looked"]
        following = (rows[0]["last_id"], None, None) if looked == MAX_SAMPLED else None
        if len(found) == limit:
            following = (window, found[-1]["score"], found[-1]["id"])
        return ResultPage(tuple(map(_memory_row, found)), looked, following)

    async def beginnings(self, scope: Scope, ids: Sequence[UUID]) -> dict[UUID, MemoryRow]:
        """Return memories by id, as rows with the beginning of each text. Unknown ids are left out."""
        rows = await self._fetch(scope, SQL.beginnings, memory_ids=list(ids))
        return {row["id"]: _memory_row(row) for row in rows}

    async def tags(self, scope: Scope) -> list[str]:
        """Return the most frequent tags, at most `MAX_TAGS`, in a sample of `MAX_SAMPLED` memories."""
        return [row["tag"] for row in await self._fetch(scope, SQL.tags, limit=MAX_TAGS)]

    async def lifecycle(self, scope: Scope, memory_id: UUID) -> MemoryLifecycle | None:
        """Return a memory with its links, times and usage, or None if the agent has no such memory."""
        rows = await self._fetch(scope, SQL.life, memory_id=memory_id)
        if not rows:
            return None
        return as_value(MemoryLifecycle, rows[0], memory=_memory_row(rows[0]))

    async def showings(
        self, scope: Scope, memory_id: UUID, *, limit: int = 50, after: tuple[Any, ...] | None = None
    ) -> ResultPage[Showing]:
        """Return the turns that showed a memory, newest first, with their messages."""
        at, turn_id = after or (LATEST, "")
        rows = await self._fetch(
            scope, SQL.showings, memory_id=memory_id, before_at=at, before_turn_id=turn_id, limit=page_limit(limit)
        )
        following = (rows[-1]["at"], rows[-1]["turn_id"]) if len(rows) == limit else None
        return ResultPage(tuple(as_value(Showing, row) for row in rows), len(rows), following)

    async def shown_at(self, scope: Scope, memory_id: UUID) -> list[tuple[datetime, bool | None, bool | None]]:
        """Return the latest times at which a memory was shown, and for each whether it was used and how it was rated.

        The list has at most `MAX_SHOWINGS` times, in chronological order.
        """
        rows = await self._fetch(scope, SQL.shown_at, memory_id=memory_id, limit=MAX_SHOWINGS)
        return [tuple(row) for row in rows]

    async def similar(self, scope: Scope, memory_id: UUID) -> SimilarMemory:
        """Return the memories most similar to a given memory, by the vectors of their first passages.

        The embedding model is one of which the memory has a vector. Only memories that share one of the given memory's
        rarest words are compared, at most `MAX_COMPARED`.
        """
        rows = await self._fetch(
            scope,
            SQL.near_by_words,
            memory_id=memory_id,
            max_postings=MAX_POSTINGS,
            max_compared=MAX_COMPARED,
            min_cosine=MIN_COSINE,
            limit=MAX_SIMILAR,
        )
        found = tuple((_memory_row(row), row["cosine"]) for row in rows if row["id"] is not None)
        return SimilarMemory(found, rows[0]["looked"])

    async def _fetch(self, scope: Scope, statement: SqlStatement, **values: Any) -> Sequence[Any]:
        return await paging.fetched(self._database, scope, statement, **values)


def _walk(wanted: MemoryListFilter) -> str:
    """Return the name of the SQL statement that finds the memories of a filter by examining the fewest rows."""
    if wanted.session_id is not None:
        return "walk_session"
    if wanted.pinned:
        return "walk_pinned"
    return "walk_hidden" if wanted.hidden else "walk_types"


def _limits(half_life_days: float, now: datetime) -> dict[str, Any]:
    return {
        "now": now,
        "half_life_seconds": half_life_days * _DAY,
        "min_shown": MIN_SHOWN,
        "min_used": MIN_USED,
        "fresh_share": MIN_FRESH,
        "stale_mass": MAX_LEFT,
    }


def _memory_row(row: Any) -> MemoryRow:
    counts = {name: row[name] or 0 for name in ("shown", "used", "times_shown", "times_used")}
    return as_value(MemoryRow, row, **counts)
