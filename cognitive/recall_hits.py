"""The memories that the recall tool finds."""

from __future__ import annotations

from collections.abc import Iterable, Mapping
from dataclasses import dataclass, field
from datetime import datetime
from typing import Any, SupportsIndex, overload
from uuid import UUID

from brain.types import HiddenReason, MemoryType


@dataclass(frozen=True, slots=True)
class RecallHit:
    """A memory that `recall` found, ranked by its `score`; `scores` has the parts of the score by name.

    Where a rule decides the order, such as for a replacement, the lower memory has at most the upper one's score.

    `content` is the passage that was found; it is the whole memory unless `partial` is True. `hidden_at`,
    `hidden_reason` and `replaced_by` are set for a memory that a newer one superseded; such a memory is below its
    replacement. `count` is the number of memories that the hit represents: itself and those with the ids `alike`, which
    the search found in nearly the same words. `user_id` is None for a shared memory.
    """

    memory_id: UUID
    type: MemoryType
    content: str
    source: str | None
    score: float
    scores: Mapping[str, float] = field(default_factory=dict)
    occurred_at: datetime | None = None
    speaker: str | None = None
    session_id: str | None = None
    partial: bool = False
    confidence: float = 1.0
    attributes: Mapping[str, Any] = field(default_factory=dict)
    hidden_at: datetime | None = None
    hidden_reason: HiddenReason | None = None
    replaced_by: UUID | None = None
    count: int = 1
    alike: tuple[UUID, ...] = ()
    user_id: str | None = None


class RecallHits(tuple[RecallHit, ...]):
    """The memories that `recall` found, best first.

    `more` is the number of further memories that the same search found; a higher limit returns them. A large store may
    hold still more, because a search does not read every memory. A slice counts the memories that it leaves out.
    `lag_seconds` is how far the standby that was read lagged behind the primary; None if the primary was read.
    """

    more: int
    lag_seconds: float | None

    def __new__(cls, hits: Iterable[RecallHit] = (), more: int = 0, lag_seconds: float | None = None) -> RecallHits:
        """Return a tuple of these hits."""
        made = super().__new__(cls, hits)
        made.more = more
        made.lag_seconds = lag_seconds
        return made

    @overload
    def __getitem__(self, key: SupportsIndex) -> RecallHit: ...

    @overload
    def __getitem__(self, key: slice) -> RecallHits: ...

    def __getitem__(self, key: SupportsIndex | slice) -> RecallHit | RecallHits:
        """Return one hit, or a slice of the hits with the number of all others as `more`."""
        if not isinstance(key, slice):
            return super().__getitem__(key)
        hits = super().__getitem__(key)
        return RecallHits(hits, self.more + len(self) - len(hits), self.lag_seconds)
