"""Data classes for the judgement of a turn: the memories that it showed, and whether its response used each."""

from __future__ import annotations

from collections.abc import Awaitable, Callable, Mapping, Sequence
from dataclasses import dataclass
from datetime import datetime
from typing import Any
from uuid import UUID

from brain.types import MemoryType


@dataclass(frozen=True, slots=True)
class Judgement:
    """The verdict on a memory that a turn showed: whether the response used it, and their overlap in [0, 1].

    `rating` is the host's rating of the memory (True if it was useful), or None if there is none.
    """

    memory_id: UUID
    overlap: float
    used: bool
    rating: bool | None = None
    type: MemoryType | None = None


@dataclass(frozen=True, slots=True)
class ExposureRow:
    """A memory that a turn showed in the prompt or by recall (see `via`); `content` is None if it was erased."""

    memory_id: UUID
    type: MemoryType
    via: str
    slot: int
    propensity: float
    overlap: float | None
    used: bool | None
    rating: bool | None
    content: str | None
    speaker: str | None
    source: str | None
    tokens: int = 0

    def counts_as_used(self, judgement: Judgement) -> bool:
        """Return True if the memory counts as used: the host's rating, new or stored, overrides the measured use."""
        rating = judgement.rating if judgement.rating is not None else self.rating
        return judgement.used if rating is None else rating


@dataclass(frozen=True, slots=True)
class Decoy:
    """A candidate that was not shown, but is compared with the response like those that were shown.

    The response cannot have used it, so its overlap with the response measures how much overlap is chance.
    """

    type: MemoryType
    content: str
    speaker: str | None


@dataclass(frozen=True, slots=True)
class PlannedTurn:
    """The parts of a recorded turn that are needed to decide which memories its response used.

    `message` is the user's message, and `policy` the content of the turn's policy, or None if it was not recorded.
    """

    message: str
    policy: Mapping[str, Any] | None


@dataclass(frozen=True, slots=True)
class UsageWeights:
    """The weights with which the verdict on a memory is added to the counts of how often it was shown and used.

    A showing that the host rated adds `rating_weight`, any other adds 1. In `half_life_days` days, a count halves.
    """

    half_life_days: float
    rating_weight: float


@dataclass(frozen=True, slots=True)
class TurnJudgement:
    """The verdicts on the memories of a turn, to be added to the usage counts with `weights`.

    `shown` has a verdict for each shown memory. `decoys` has two values for each decoy: its type, and whether the
    comparison with the response (wrongly) finds it used.
    """

    shown: Sequence[Judgement]
    weights: UsageWeights
    decoys: Sequence[tuple[MemoryType, bool]] = ()


# Maps a turn's shown memories, decoys and record to the judgement to count.
Judge = Callable[[Sequence[ExposureRow], Sequence[Decoy], PlannedTurn], Awaitable[TurnJudgement]]
# Maps the content of a turn's policy, or None, to the weights of a rating.
Weigh = Callable[[Mapping[str, Any] | None], UsageWeights]


@dataclass(frozen=True, slots=True)
class Verdict:
    """The verdict on a memory that a completed turn showed; `at` is the time of the turn.

    `threshold` is the overlap with the response from which the turn's policy takes a memory as used, or None if that
    policy was not recorded.
    """

    turn_id: str
    memory_id: UUID
    type: str
    via: str
    at: datetime
    propensity: float
    overlap: float
    used: bool
    rating: bool | None
    threshold: float | None
    user_id: str = ""
