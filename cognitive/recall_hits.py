"""The memories that the recall tool finds."""

from __future__ import annotations

from collections.abc import Iterable, Mapping
from dataclasses import dataclass, field
from datetime import datetime
from typing import Any
from uuid import UUID

from brain.types import HiddenReason, MemoryType


@dataclass(frozen=True, slots=True)
class RecallHit:
    """A memory that `recall` found, ranked by its `score`; `scores` has the parts of the score by name.

    `content` is the passage that was found; it is the whole memory unless `partial` is True. `hidden_at`,
    `hidden_reason` and `replaced_by` are set for a memory that a newer one superseded; such a memory is below its
    replacement. `count` is the number of memories that the hit represents: itself and those with the ids `alike`, which
    the search found in nearly the same words.
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


class RecallHits(tuple[RecallHit, ...]):
    """The memories that `recall` found, best first.

    `more` is the number of further memories that the same search found; a higher limit returns them.
    """

    more: int

    def __new__(cls, hits: Iterable[RecallHit] = (), more: int = 0) -> RecallHits:
        """Return a tuple of these hits."""
        made = super().__new__(cls, hits)
        made.more = more
        return made
