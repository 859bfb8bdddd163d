"""What is kept of a turn, as values: what it showed, what came of it, what is counted."""

from __future__ import annotations

from collections.abc import Awaitable, Callable, Mapping, Sequence
from dataclasses import dataclass, field
from datetime import datetime
from typing import Any
from uuid import UUID

from brain.rollups import CountedMemory, CountedTurn, TurnMetrics
from brain.types import MemoryType, Vector


@dataclass(frozen=True, slots=True)
class Exposure:
    """A memory shown in a turn.

    `propensity` is the probability with which the policy chose to show it; `relevance_gap` is the distance of its
    relevance from the best of the turn.
    """

    memory_id: UUID
    type: MemoryType
    slot: int
    propensity: float = 1.0
    relevance_gap: float | None = None
    tokens: int = 0


@dataclass(frozen=True, slots=True)
class OpenTurn:
    """A turn as `pre_turn` leaves it; `measures` are the numbers that are added up over many (`brain.rollups`).

    `received_at` is when it came in, in seconds since the epoch: of one that is older than an erasure, no words are
    kept.
    """

    turn_id: str
    session_id: str
    user_id: str | None
    at: datetime
    message: str
    policy: str
    frame: str
    degraded: tuple[str, ...]
    trace: Mapping[str, Any]
    shown: tuple[Exposure, ...]
    model: str | None = None
    query: Vector | None = None
    policy_content: Mapping[str, Any] | None = None
    categories: tuple[str, ...] = ()
    runtime: str | None = None
    measures: TurnMetrics = field(default_factory=TurnMetrics)
    received_at: float | None = None
    degraded_codes: tuple[str, ...] = ()


@dataclass(frozen=True, slots=True)
class RecordedTurn:
    """A turn as the record holds it; `query` is the vector of its message by the embedding model `model`.

    `trace` is the JSON that `pre_turn` recorded. Its parts that are read here are None or empty where it has none.
    """

    turn_id: str
    session_id: str
    user_id: str | None
    at: datetime
    status: str
    message: str
    policy: str
    frame: str
    degraded: tuple[str, ...]
    degraded_codes: tuple[str, ...]
    trace: Mapping[str, Any]
    model: str | None
    query: Vector | None

    @property
    def record(self) -> str | None:
        """The record of the turn's stages, as `cognitive.recording` packs it."""
        return self.trace.get("record")

    @property
    def channels(self) -> tuple[str, ...]:
        """The channels that were searched."""
        return tuple(self.trace["channels"])

    @property
    def plan(self) -> Mapping[str, Any]:
        """The plan without the words of the message."""
        return self.trace.get("plan") or {}

    @property
    def excerpts(self) -> Mapping[str, Any]:
        """The parts that were shown of memories that the turn shortened."""
        return self.trace.get("excerpts") or {}

    @property
    def erased(self) -> bool:
        """Whether words of the turn were erased, and its record with them."""
        return bool(self.trace.get("erased"))


@dataclass(frozen=True, slots=True)
class TurnSummary:
    """A recorded turn in a list."""

    turn_id: str
    session_id: str
    at: datetime
    status: str
    message: str


@dataclass(frozen=True, slots=True)
class HeldTurn:
    """A turn whose row is held while its outcome is counted.

    `open`: no outcome has come. `withheld`: its outcome may hold words that were erased since. `planned_under` is the
    content of its policy, None where that was not recorded; `read_at` is the time by the clock of the database.
    """

    session_id: str
    user_id: str | None
    at: datetime
    message: str
    open: bool
    status: str
    frame: str
    categories: tuple[str, ...]
    runtime: str | None
    degraded: bool
    measures: TurnMetrics
    tools_called: tuple[str, ...]
    policy: str
    read_at: datetime
    withheld: bool
    planned_under: Mapping[str, Any] | None

    def turn_message(self, status: str) -> TurnMessage:
        """Return what the record says of the turn's message, with the status of its first outcome."""
        return TurnMessage(self.session_id, self.user_id, self.at, self.message, status, self.read_at, self.withheld)

    def counted(
        self, status: str, tools_called: tuple[str, ...] = (), memories: Sequence[CountedMemory] = ()
    ) -> CountedTurn:
        """Return the turn as it is counted."""
        return CountedTurn(
            status,
            self.frame,
            self.categories,
            self.runtime,
            self.degraded,
            self.measures,
            memories,
            tools_called,
            self.policy,
        )


@dataclass(frozen=True, slots=True)
class ShadowedTurn:
    """What a shadow policy would have shown in a turn, beside what the turn showed and what of that was used.

    `beside` is the policy that the turn was planned under, None where that was not asked for.
    """

    turn_id: str
    policy: str
    shadow: tuple[UUID, ...]
    tokens: int
    shown: tuple[UUID, ...]
    used: tuple[UUID, ...]
    beside: str | None = None


@dataclass(frozen=True, slots=True)
class Judgement:
    """How much of a shown memory the response holds, whether that counts as used, and what the host said of it."""

    memory_id: UUID
    overlap: float
    used: bool
    rating: bool | None = None
    type: MemoryType | None = None


@dataclass(frozen=True, slots=True)
class ExposureRow:
    """A memory as it was shown in a turn; `content` is None if it was erased since."""

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
        """Return whether it counts as used: somebody's word, now or before, overrides what was measured."""
        rating = judgement.rating if judgement.rating is not None else self.rating
        return judgement.used if rating is None else rating


@dataclass(frozen=True, slots=True)
class Decoy:
    """A memory that was found in a turn and not shown: judged all the same, it tells what of the credit is chance."""

    type: MemoryType
    content: str
    speaker: str | None


@dataclass(frozen=True, slots=True)
class PlannedTurn:
    """What the record of a turn says to whoever judges it: the message that memories were shown for, and what the
    policy says that it was planned under, None where that was not recorded.
    """

    message: str
    policy: Mapping[str, Any] | None


@dataclass(frozen=True, slots=True)
class UsageWeights:
    """How a verdict adds to what was counted before it: the half-life of that, and the showings that a rated one counts
    for, where others count 1.
    """

    half_life_days: float
    rating_weight: float


@dataclass(frozen=True, slots=True)
class TurnJudgement:
    """What is to be counted of a turn: a judgement per shown memory, with which weights, and of each decoy its type and
    whether the same measure credits it.
    """

    shown: Sequence[Judgement]
    weights: UsageWeights
    decoys: Sequence[tuple[MemoryType, bool]] = ()


# From what a turn showed, its decoys and its record to what is to be counted.
Judge = Callable[[Sequence[ExposureRow], Sequence[Decoy], PlannedTurn], Awaitable[TurnJudgement]]
# From what the policy of a turn says to the weights of somebody's word on what it showed.
Weigh = Callable[[Mapping[str, Any] | None], UsageWeights]
# Asked in a transaction that erasures of the agent wait for: whether what it is about to record is still wanted.
StillWanted = Callable[[], Awaitable[bool]]


@dataclass(frozen=True, slots=True)
class TurnMessage:
    """What the record of a turn says of its message: cut where it held what was erased before it was read, at `read_at`
    by the clock of the database. `withheld`: its outcome may hold such words, which nobody looked for there.
    """

    session_id: str
    user_id: str | None
    at: datetime
    message: str
    status: str  # of its first outcome
    read_at: datetime
    withheld: bool


@dataclass(frozen=True, slots=True)
class ClosedTurn:
    """What was counted of a turn, whether it was this time, and what was said in it."""

    judgements: tuple[Judgement, ...]
    first: bool
    message: TurnMessage


@dataclass(frozen=True, slots=True)
class CalledTurn:
    """A completed turn with the names of the tools it called; `query` is its message's vector, if there is one."""

    turn_id: str
    at: datetime
    message: str
    tools_called: tuple[str, ...]
    query: Vector | None


@dataclass(frozen=True, slots=True)
class Verdict:
    """What was counted of a memory that a completed turn showed, as of the turn's own time.

    `threshold` is the overlap from which the turn's own policy takes a memory as used, None where that policy is not on
    record.
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


@dataclass(frozen=True, slots=True)
class TurnToolCalls:
    """What a completed turn was taken for, whose it was, and the tools that were called in it."""

    user_id: str | None
    categories: tuple[str, ...]
    tools_called: tuple[str, ...]


@dataclass(frozen=True, slots=True)
class Shadow:
    """What another policy would have shown in a turn, best first, and the tokens of it."""

    turn_id: str
    policy: str
    shown: tuple[UUID, ...]
    tokens: int
    at: datetime
