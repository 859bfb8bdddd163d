"""The values that describe an agent's memories on the dashboard: filters, rows of lists, groups by usage, showings."""

from __future__ import annotations

from dataclasses import dataclass
from datetime import datetime
from typing import Literal
from uuid import UUID

from brain.types import MEMORY_TYPES, HiddenReason, MemoryType

# The groups by usage, with the limits of `brain.upkeep`. A memory is
# - never shown: it is not pinned either;
# - ignored: shown at least MIN_SHOWN times and never used;
# - rising: used at least MIN_USED times, and at least the share MIN_FRESH of the uses is left after decay;
# - stale: used at least MIN_USED times, and less than MAX_LEFT uses are left after decay.
UsageGroup = Literal["never", "ignored", "rising", "stale"]
MIN_FRESH = 0.5


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
class GroupSizes:
    """The number of memories in each usage group.

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
