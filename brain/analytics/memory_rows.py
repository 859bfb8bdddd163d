"""What a dashboard shows of memories, as values: which ones, how they are used, what became of one."""

from __future__ import annotations

from dataclasses import dataclass
from datetime import datetime
from typing import Literal
from uuid import UUID

from brain.types import MEMORY_TYPES, MemoryType

Group = Literal["never", "ignored", "rising", "stale"]


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
class Habit:
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
class Life:
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
    lacked: float | None
    status: str | None
    session_id: str | None
    message: str | None


@dataclass(frozen=True, slots=True)
class Near:
    """Memories most like one, with the cosine to it, of `looked` that were compared."""

    rows: tuple[tuple[MemoryRow, float], ...]
    looked: int
