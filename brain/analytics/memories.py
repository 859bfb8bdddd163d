"""What a dashboard reads of memories: lists, groups by their use, one memory's life, what its erasure would take.

Each read is one statement with a bound of its own; what is told of a sample says of how many.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from datetime import datetime
from typing import Any, Literal
from uuid import UUID

from brain.analytics import paging
from brain.analytics.paging import EARLIEST, LATEST, MAX_SAMPLED, most, patterns, start
from brain.analytics.turn_rows import ResultPage
from brain.postgres.database import Database
from brain.postgres.reading import ReadDatabase
from brain.postgres.wire_types import as_value
from brain.search import Masses
from brain.statements import SqlStatement
from brain.types import MEMORY_TYPES, MemoryType, Receipt

UsageGroup = Literal["never", "ignored", "rising", "stale"]


@dataclass(frozen=True, slots=True)
class MemoryFilter:
    """Which memories: None is any. `words` must all stand in what a memory says."""

    types: tuple[MemoryType, ...] = MEMORY_TYPES
    words: str | None = None
    session_id: str | None = None
    tag: str | None = None
    pinned: bool | None = None
    superseded: bool | None = None
    since: datetime | None = None
    until: datetime | None = None


@dataclass(frozen=True, slots=True)
class MemoryRow:
    """A memory in a list, with its use: `content` is its beginning, the masses `shown` and `used` are as of
    `shown_at`, when it was last shown in a turn that counts.
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
    superseded_by: UUID | None
    shown: float
    used: float
    times_shown: int
    times_used: int
    shown_at: datetime | None


@dataclass(frozen=True, slots=True)
class UsageThresholds:
    """When use says something of a memory.

    *Never* shown in a turn that counts, and not pinned; *ignored*: shown at least `showings` times and never used;
    *rising*: used at least `uses` times, and of all that use at least the share `fresh` is left, so that most of it is
    younger than a half-life; *stale*: used as often, and a mass of less than `left` is left of it, one use two
    half-lives old.
    """

    half_life_days: float
    showings: int = 5
    uses: int = 3
    fresh: float = 0.5
    left: float = 0.25


@dataclass(frozen=True, slots=True)
class GroupSizes:
    """How many of `looked` memories are in each group, which are a random sample of `memories`, or all of them.

    `pinned` and `superseded` are of all memories, counted up to a bound.
    """

    looked: int
    memories: int
    never: int
    ignored: int
    rising: int
    stale: int
    pinned: int = 0
    superseded: int = 0

    @property
    def sampled(self) -> bool:
        """Whether there are more than were looked at."""
        return self.looked < self.memories


@dataclass(frozen=True, slots=True)
class MemoryLifecycle:
    """A memory whole: `replaced` and `replacement` are the beginnings of the memories before and after it."""

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
    """A turn that showed a memory, the beginning of its message, and what became of the memory there."""

    turn_id: str
    at: datetime
    via: str
    slot: int
    tokens: int
    overlap: float | None
    used: bool | None
    rating: bool | None
    propensity: float
    relevance_gap: float | None
    status: str | None
    session_id: str | None
    message: str | None


@dataclass(frozen=True, slots=True)
class SimilarMemory:
    """Memories most like one, with the cosine to it, of `looked` that were compared."""

    rows: tuple[tuple[MemoryRow, float], ...]
    looked: int


MAX_SHOWINGS = 1_000  # of one memory, over which its use is drawn
MAX_POSTINGS = 300  # passages read of each word of a memory, to find others like it
MAX_COMPARED = 2_000  # memories compared with one by their vectors
MAX_TAGS = 50  # that a list offers to choose from
SQL = paging.load("memory_analytics")
_EACH_TYPE = " UNION ALL ".join(f"({SQL.walk_type.fill(type=type_).source})" for type_ in MEMORY_TYPES)
_NO_ID = UUID(int=0)
_DAY = 86_400.0
_LISTS = {
    walk: SQL.memories.fill(walk=SQL[walk].fill(each_type=_EACH_TYPE))
    for walk in ("walk_types", "walk_session", "walk_pinned", "walk_superseded")
}
_GROUPS = {walk: SQL.group.fill(walk=SQL[walk]) for walk in ("walk_stored", "walk_shown")}
_ANY = MemoryFilter()


class MemoryAnalytics:
    """The reads of memories, one agent's at a time."""

    _database: Database | ReadDatabase

    async def memories(
        self, agent_id: str, wanted: MemoryFilter = _ANY, *, limit: int = 50, after: tuple[Any, ...] | None = None
    ) -> ResultPage[MemoryRow]:
        """Memories that a filter lets through, by when they happened, latest first; looks at `MAX_LOOKED` at most."""
        begin = start(after, wanted.until)
        rows = await paging.fetched(
            self._database,
            agent_id,
            _LISTS[_walk(wanted)],
            types=list(wanted.types),
            session_id=wanted.session_id,
            before_at=begin[0],
            before_seq=begin[1] or 0,
            since=wanted.since or EARLIEST,
            tag=wanted.tag,
            patterns=patterns(wanted.words),
            pinned=wanted.pinned,
            superseded=wanted.superseded,
            limit=most(limit),
        )
        return paging.page(rows, limit, _memory_row, "seq", "occurred_at")

    async def group_sizes(self, agent_id: str, habit: UsageThresholds, now: datetime) -> GroupSizes:
        """How many memories were never shown, are ignored, rise, went stale: of a sample of `MAX_SAMPLED`.

        And how many are pinned or superseded, counted up to `MAX_LOOKED`.
        """
        rows = await self._of_memories(agent_id, SQL.group_sizes, **_habit(habit, now))
        return as_value(GroupSizes, rows[0])

    async def group(
        self,
        agent_id: str,
        group: UsageGroup,
        habit: UsageThresholds,
        now: datetime,
        *,
        types: Sequence[MemoryType] = MEMORY_TYPES,
        tag: str | None = None,
        limit: int = 50,
        after: tuple[Any, ...] | None = None,
    ) -> ResultPage[MemoryRow]:
        """The memories of a group, window by window of `MAX_SAMPLED` memories by id, within each the clearest first:
        what was stored longest ago, shown or used most often, or rises most. Windows are of all memories where those
        that were never shown are wanted, and else of those that were.
        """
        window, score, last = after or (_NO_ID, None, None)
        rows = await paging.fetched(
            self._database,
            agent_id,
            _GROUPS["walk_stored" if group == "never" else "walk_shown"],
            **_habit(habit, now),
            group=group,
            after_id=window,
            before_score=score,
            after_scored_id=last,
            limit=most(limit),
            types=list(types),
            tag=tag,
        )
        found = [row for row in rows if row["id"] is not None]
        looked = rows[0]["looked"]
        following = (rows[0]["last_id"], None, None) if looked == MAX_SAMPLED else None
        if len(found) == limit:
            following = (window, found[-1]["score"], found[-1]["id"])
        return ResultPage(tuple(map(_memory_row, found)), looked, following)

    async def beginnings(self, agent_id: str, ids: Sequence[UUID]) -> dict[UUID, MemoryRow]:
        """Memories by their ids as lists show them; those that the agent does not have are left out."""
        rows = await self._of_memories(agent_id, SQL.beginnings, memory_ids=list(ids))
        return {row["id"]: _memory_row(row) for row in rows}

    async def tags(self, agent_id: str) -> list[str]:
        """The most frequent tags, `MAX_TAGS` at most, of a sample of `MAX_SAMPLED` memories."""
        return [row["tag"] for row in await self._of_memories(agent_id, SQL.tags, limit=MAX_TAGS)]

    async def base(self, agent_id: str) -> Mapping[str, Masses]:
        """How often memories were shown and used, by type, as the boost measures a memory against."""
        rows = await self._of_memories(agent_id, SQL.base)
        return {row["type"]: Masses(**{name: row[name] for name in row.keys() if name != "type"}) for row in rows}  # noqa: SIM118

    async def removal(self, agent_id: str, ids: Sequence[UUID]) -> Receipt:
        """The receipt that erasing these memories would give now."""
        rows = await self._of_memories(agent_id, SQL.removal, memory_ids=list(ids))
        return Receipt(agent_id, **dict(rows[0]))

    async def life(self, agent_id: str, memory_id: UUID) -> MemoryLifecycle | None:
        """A memory with all that is known of it but its turns, or None if the agent has no such memory."""
        rows = await self._of_memories(agent_id, SQL.life, memory_id=memory_id)
        if not rows:
            return None
        return as_value(MemoryLifecycle, rows[0], memory=_memory_row(rows[0]))

    async def showings(
        self, agent_id: str, memory_id: UUID, *, limit: int = 50, after: tuple[Any, ...] | None = None
    ) -> ResultPage[Showing]:
        """The turns that showed a memory, newest first, with their questions."""
        at, turn_id = after or (LATEST, "")
        rows = await self._of_memories(
            agent_id, SQL.showings, memory_id=memory_id, before_at=at, before_turn_id=turn_id, limit=most(limit)
        )
        following = (rows[-1]["at"], rows[-1]["turn_id"]) if len(rows) == limit else None
        return ResultPage(tuple(as_value(Showing, row) for row in rows), len(rows), following)

    async def shown_at(self, agent_id: str, memory_id: UUID) -> list[tuple[datetime, bool | None, bool | None]]:
        """When a memory was shown, whether it was used, and how it was rated: the latest `MAX_SHOWINGS`, in order."""
        rows = await self._of_memories(agent_id, SQL.shown_at, memory_id=memory_id, limit=MAX_SHOWINGS)
        return [tuple(row) for row in rows]

    async def near(
        self, agent_id: str, memory_id: UUID, model: str | None = None, *, least: float = 0.8, limit: int = 10
    ) -> SimilarMemory:
        """Memories whose first passage is like that of this one, by vectors of an embedding model, most like first.

        Without a model, by vectors of one that the memory has.

        Compared are those that share its rarest words, `MAX_COMPARED` at most.
        """
        rows = await self._of_memories(
            agent_id,
            SQL.near_by_words,
            memory_id=memory_id,
            max_postings=MAX_POSTINGS,
            max_compared=MAX_COMPARED,
            model=model,
            min_cosine=least,
            limit=most(limit),
        )
        found = tuple((_memory_row(row), row["cosine"]) for row in rows if row["id"] is not None)
        return SimilarMemory(found, rows[0]["looked"])

    async def _of_memories(self, agent_id: str, statement: SqlStatement, **values: Any) -> Sequence[Any]:
        return await paging.fetched(self._database, agent_id, statement, **values)


def _walk(wanted: MemoryFilter) -> str:
    """The index that leaves the fewest to look at."""
    if wanted.session_id is not None:
        return "walk_session"
    if wanted.pinned:
        return "walk_pinned"
    return "walk_superseded" if wanted.superseded else "walk_types"


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
