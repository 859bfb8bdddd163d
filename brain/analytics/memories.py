"""Read memories for the dashboard: lists, groups by usage, the history of a memory, the effect of an erasure.

Each read is one statement with bounded cost. A result that comes from a sample says how large the sample was.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from datetime import datetime
from typing import Any, Literal
from uuid import UUID

from brain.analytics import paging
from brain.analytics.paging import EARLIEST, LATEST, MAX_SAMPLED, page_limit, patterns, start
from brain.analytics.turn_rows import ResultPage
from brain.postgres.database import Database
from brain.postgres.reading import ReadDatabase
from brain.postgres.wire_types import as_value
from brain.search import Masses
from brain.statements import SqlStatement
from brain.types import MEMORY_TYPES, HiddenReason, MemoryType
from brain.users import Scope

UsageGroup = Literal["never", "ignored", "rising", "stale"]


@dataclass(frozen=True, slots=True)
class MemoryListFilter:
    """The conditions that a list of memories is filtered by. A condition that is None matches every memory.

    `words` must all appear in the memory's content. `owner` is the user whose own memories are wanted, without shared
    ones.
    """

    types: tuple[MemoryType, ...] = MEMORY_TYPES
    words: str | None = None
    session_id: str | None = None
    tag: str | None = None
    pinned: bool | None = None
    hidden: bool | None = None
    owner: str | None = None
    since: datetime | None = None
    until: datetime | None = None


@dataclass(frozen=True, slots=True)
class MemoryRow:
    """A memory as a row of the dashboard's list, with how often it was shown and used.

    `content` is the beginning of the memory's text. `shown` and `used` are sums in which older turns count less, as of
    the time `shown_at`, when a turn last showed the memory. `times_shown` and `times_used` are plain counts.
    """

    id: UUID
    seq: int
    type: MemoryType
    content: str
    speaker: str | None
    occurred_at: datetime
    session_id: str | None
    tags: tuple[str, ...]
    pinned: bool
    replaced_by: UUID | None
    hidden_at: datetime | None
    hidden_reason: HiddenReason | None
    shown: float
    used: float
    times_shown: int
    times_used: int
    shown_at: datetime | None
    user_id: str | None = None


@dataclass(frozen=True, slots=True)
class UsageThresholds:
    """The thresholds by which the dashboard groups memories by their usage.

    The count of uses decays with time: a use counts half after `half_life_days`.

    - Never: no turn has shown the memory, and it is not pinned.
    - Ignored: it was shown at least `showings` times and never used.
    - Rising: it was used at least `uses` times, and at least the share `fresh` of these uses is left after decay, so
      that most uses are recent.
    - Stale: it was used at least `uses` times, and less than `left` uses are left after decay. 0.25 is what is left of
      one use after two half-lives.
    """

    half_life_days: float
    showings: int = 5
    uses: int = 3
    fresh: float = 0.5
    left: float = 0.25


@dataclass(frozen=True, slots=True)
class GroupSizes:
    """The number of memories in each usage group (see `UsageThresholds`).

    The groups were counted among `looked` of the agent's `memories`: a random sample, or all of them. `pinned` and
    `hidden` are counted among all memories, but not beyond a maximum.
    """

    looked: int
    memories: int
    never: int
    ignored: int
    rising: int
    stale: int
    pinned: int = 0
    hidden: int = 0

    @property
    def sampled(self) -> bool:
        """True if only a sample of the memories was examined."""
        return self.looked < self.memories


@dataclass(frozen=True, slots=True)
class MemoryLifecycle:
    """One memory with everything that the dashboard's page on it shows.

    `replaced` is the start of the text of the older memory that this one replaced. `replacement` is the start of the
    text of the newer memory that replaced this one.
    """

    memory: MemoryRow
    supersedes: UUID | None
    created_at: datetime
    updated_at: datetime
    confidence: float
    source: str | None
    context: str
    entities: tuple[str, ...]
    passages: int
    replaced: str | None
    replacement: str | None


@dataclass(frozen=True, slots=True)
class Showing:
    """A turn that showed a memory, with the beginning of the user's message and if the response used the memory.

    `owner` is the user in whose view the turn is, or None for a shared turn.
    """

    turn_id: str
    at: datetime
    via: str
    slot: int
    tokens: int
    overlap: float | None
    used: bool | None
    rating: bool | None
    owner: str | None
    propensity: float
    relevance_gap: float | None
    status: str | None
    session_id: str | None
    message: str | None


@dataclass(frozen=True, slots=True)
class SimilarMemory:
    """The memories most similar to a given memory, each with its cosine. `looked` memories were compared."""

    rows: tuple[tuple[MemoryRow, float], ...]
    looked: int


MAX_SHOWINGS = 1_000  # showings in the chart of a memory's use
MAX_POSTINGS = 300  # postings read per lexeme to find similar memories
MAX_COMPARED = 2_000  # memories compared by vector
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
        rows = await paging.fetched(
            self._database,
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

    async def group_sizes(self, scope: Scope, habit: UsageThresholds, now: datetime) -> GroupSizes:
        """Return the number of memories in each usage group, counted in a sample of `MAX_SAMPLED` memories.

        `habit` has the thresholds of the groups. Pinned and hidden memories are counted among all memories, up to
        `MAX_LOOKED`.
        """
        rows = await self._of_memories(scope, SQL.group_sizes, **_habit(habit, now))
        return as_value(GroupSizes, rows[0])

    async def group(
        self,
        scope: Scope,
        group: UsageGroup,
        habit: UsageThresholds,
        now: datetime,
        *,
        types: Sequence[MemoryType] = MEMORY_TYPES,
        tag: str | None = None,
        limit: int = 50,
        after: tuple[Any, ...] | None = None,
    ) -> ResultPage[MemoryRow]:
        """Return a page of the memories of one usage group, those that fit the group best first.

        `habit` has the thresholds of the groups. Memories are read by id in blocks of `MAX_SAMPLED`, and sorted within
        each block. Depending on the group they are sorted by age, by the number of showings or uses, or by how recent
        the uses are.
        """
        window, score, last = after or (_NO_ID, None, None)
        rows = await paging.fetched(
            self._database,
            scope,
            _GROUPS["walk_stored" if group == "never" else "walk_shown"],
            **_habit(habit, now),
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
        rows = await self._of_memories(scope, SQL.beginnings, memory_ids=list(ids))
        return {row["id"]: _memory_row(row) for row in rows}

    async def tags(self, scope: Scope) -> list[str]:
        """Return the most frequent tags, at most `MAX_TAGS`, in a sample of `MAX_SAMPLED` memories."""
        return [row["tag"] for row in await self._of_memories(scope, SQL.tags, limit=MAX_TAGS)]

    async def base(self, scope: Scope) -> Mapping[str, Masses]:
        """Return how often memories of each type were shown and used, where the ranking of a single memory starts."""
        rows = await self._of_memories(scope, SQL.base)
        return {row["type"]: Masses(**{name: row[name] for name in row.keys() if name != "type"}) for row in rows}  # noqa: SIM118

    async def lifecycle(self, scope: Scope, memory_id: UUID) -> MemoryLifecycle | None:
        """Return a memory with its links, times and usage, or None if the agent has no such memory."""
        rows = await self._of_memories(scope, SQL.life, memory_id=memory_id)
        if not rows:
            return None
        return as_value(MemoryLifecycle, rows[0], memory=_memory_row(rows[0]))

    async def showings(
        self, scope: Scope, memory_id: UUID, *, limit: int = 50, after: tuple[Any, ...] | None = None
    ) -> ResultPage[Showing]:
        """Return the turns that showed a memory, newest first, with their messages."""
        at, turn_id = after or (LATEST, "")
        rows = await self._of_memories(
            scope, SQL.showings, memory_id=memory_id, before_at=at, before_turn_id=turn_id, limit=page_limit(limit)
        )
        following = (rows[-1]["at"], rows[-1]["turn_id"]) if len(rows) == limit else None
        return ResultPage(tuple(as_value(Showing, row) for row in rows), len(rows), following)

    async def shown_at(self, scope: Scope, memory_id: UUID) -> list[tuple[datetime, bool | None, bool | None]]:
        """Return the latest times at which a memory was shown, and for each whether it was used and how it was rated.

        The list has at most `MAX_SHOWINGS` times, in chronological order.
        """
        rows = await self._of_memories(scope, SQL.shown_at, memory_id=memory_id, limit=MAX_SHOWINGS)
        return [tuple(row) for row in rows]

    async def similar(
        self, scope: Scope, memory_id: UUID, model: str | None = None, *, least: float = 0.8, limit: int = 10
    ) -> SimilarMemory:
        """Return the memories most similar to a given memory, by the vectors of their first passages.

        `model` names the embedding model; by default it is a model of which the memory has a vector. Only memories that
        share one of the given memory's rarest words are compared, at most `MAX_COMPARED`. `least` is the minimum
        cosine.
        """
        rows = await self._of_memories(
            scope,
            SQL.near_by_words,
            memory_id=memory_id,
            max_postings=MAX_POSTINGS,
            max_compared=MAX_COMPARED,
            model=model,
            min_cosine=least,
            limit=page_limit(limit),
        )
        found = tuple((_memory_row(row), row["cosine"]) for row in rows if row["id"] is not None)
        return SimilarMemory(found, rows[0]["looked"])

    async def _of_memories(self, scope: Scope, statement: SqlStatement, **values: Any) -> Sequence[Any]:
        return await paging.fetched(self._database, scope, statement, **values)


def _walk(wanted: MemoryListFilter) -> str:
    """Return the name of the SQL statement that finds the memories of a filter by examining the fewest rows."""
    if wanted.session_id is not None:
        return "walk_session"
    if wanted.pinned:
        return "walk_pinned"
    return "walk_hidden" if wanted.hidden else "walk_types"


def _habit(habit: UsageThresholds, now: datetime) -> dict[str, Any]:
    return {
        "now": now,
        "half_life_seconds": habit.half_life_days * _DAY,
        "min_shown": habit.showings,
        "min_used": habit.uses,
        "fresh_share": habit.fresh,
        "stale_mass": habit.left,
    }


def _memory_row(row: Any) -> MemoryRow:
    counts = {name: row[name] or 0 for name in ("shown", "used", "times_shown", "times_used")}
    return as_value(MemoryRow, row, **counts)
