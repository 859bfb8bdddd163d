"""The values that a turn is recorded as: its plan, its shown memories, its outcome, and the verdicts on memories."""

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

    `slot` is its place in the prompt. `propensity` is the probability with which the policy showed it, `relevance_gap`
    the best relevance in the turn minus its own, and `tokens` its length in the prompt.
    """

    memory_id: UUID
    type: MemoryType
    slot: int
    propensity: float = 1.0
    relevance_gap: float | None = None
    tokens: int = 0


@dataclass(frozen=True, slots=True)
class OpenTurn:
    """A turn as `pre_turn` records it, before its outcome.

    `query` is the vector of its message by the embedding model `model`, and `trace` the JSON with the record of its
    stages. `measures` are added to the counts in `brain.rollups`. `received_at` is the time when the message was
    received, in seconds since the epoch: if memories were erased later, the texts of the turn are not stored.
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
    """A turn as it is recorded; `query` is the vector of its message by the embedding model `model`.

    `trace` is the JSON that `pre_turn` recorded. The properties read its parts; a missing part is None or empty.
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
        """The record of the turn's stages, as `cognitive.recording` encodes it."""
        return self.trace.get("record")

    @property
    def channels(self) -> tuple[str, ...]:
        """The channels (such as words, meaning, date) that the turn's search used."""
        return tuple(self.trace["channels"])

    @property
    def plan(self) -> Mapping[str, Any]:
        """The recorded plan of the turn, without text of the message."""
        return self.trace.get("plan") or {}

    @property
    def excerpts(self) -> Mapping[str, Any]:
        """For memories that were shortened to fit: the parts of their text that were shown."""
        return self.trace.get("excerpts") or {}

    @property
    def erased(self) -> bool:
        """True if text of the turn was erased, and its record with it."""
        return bool(self.trace.get("erased"))


@dataclass(frozen=True, slots=True)
class TurnSummary:
    """A recorded turn as it appears in a list of turns."""

    turn_id: str
    session_id: str
    at: datetime
    status: str
    message: str


@dataclass(frozen=True, slots=True)
class HeldTurn:
    """A turn whose row is locked while its outcome is counted.

    `open` is True if it has no outcome yet. `withheld` is True if its outcome may contain text that was erased, and
    must not be stored. `planned_under` is the content of its policy, or None if that was not recorded. `read_at` is the
    time of reading by the clock of the database.
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
        """Return the turn's message with `status`, that of its first outcome."""
        return TurnMessage(self.session_id, self.user_id, self.at, self.message, status, self.read_at, self.withheld)

    def counted(
        self, status: str, tools_called: tuple[str, ...] = (), memories: Sequence[CountedMemory] = ()
    ) -> CountedTurn:
        """Return the properties of the turn that `brain.rollups` counts."""
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
    """The memories that a shadow policy would have shown in a turn, with those that the turn showed and used.

    `policy` is the version of the shadow policy, and `tokens` the length of its memories. `beside` is the version of
    the policy that the turn was planned under, or None if it was not read.
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
    """The verdict on a memory that a turn showed: its overlap with the response in [0, 1], and if it was used.

    It also has the host's rating, if there is one.
    """

    memory_id: UUID
    overlap: float
    used: bool
    rating: bool | None = None
    type: MemoryType | None = None


@dataclass(frozen=True, slots=True)
class ExposureRow:
    """A memory as it was shown in a turn, by the prompt or by recall (`via`); `content` is None if it was erased."""

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
        """Return True if the memory counts as used: a rating, new or stored, overrides the measurement."""
        rating = judgement.rating if judgement.rating is not None else self.rating
        return judgement.used if rating is None else rating


@dataclass(frozen=True, slots=True)
class Decoy:
    """A candidate that was not shown, but is compared with the response like those that were shown.

    Its overlap cannot come from use, and so measures how much overlap is chance.
    """

    type: MemoryType
    content: str
    speaker: str | None


@dataclass(frozen=True, slots=True)
class PlannedTurn:
    """The parts of a recorded turn that are needed to decide which memories its response used.

    These are the message that memories were shown for, and the content of the turn's policy, or None if the policy was
    not recorded.
    """

    message: str
    policy: Mapping[str, Any] | None


@dataclass(frozen=True, slots=True)
class UsageWeights:
    """The weights with which a verdict is added to the usage of a memory.

    `half_life_days` is the half-life of the usage. A rated showing adds `rating_weight`; any other adds 1.
    """

    half_life_days: float
    rating_weight: float


@dataclass(frozen=True, slots=True)
class TurnJudgement:
    """The verdicts on the memories of a turn, to be added to the usage counts.

    `shown` has a verdict per shown memory. `decoys` has the type of each decoy, and True if the comparison with the
    response takes it as used.
    """

    shown: Sequence[Judgement]
    weights: UsageWeights
    decoys: Sequence[tuple[MemoryType, bool]] = ()


# From the shown memories of a turn, its decoys and its record to the judgement to be counted.
Judge = Callable[[Sequence[ExposureRow], Sequence[Decoy], PlannedTurn], Awaitable[TurnJudgement]]
# From the content of a turn's policy, or None, to the weights of a rating.
Weigh = Callable[[Mapping[str, Any] | None], UsageWeights]
# Called in a transaction that blocks erasures of the agent. Return False if the turn must not be recorded any more.
StillWanted = Callable[[], Awaitable[bool]]


@dataclass(frozen=True, slots=True)
class TurnMessage:
    """The recorded message of a turn, without text that was erased before `read_at`, by the clock of the database.

    `status` is that of the turn's first outcome. `withheld` is True if that outcome may contain erased text, and must
    not be stored.
    """

    session_id: str
    user_id: str | None
    at: datetime
    message: str
    status: str
    read_at: datetime
    withheld: bool


@dataclass(frozen=True, slots=True)
class ClosedTurn:
    """A closed turn: its counted verdicts and its message; `first` is True if this call closed it."""

    judgements: tuple[Judgement, ...]
    first: bool
    message: TurnMessage


@dataclass(frozen=True, slots=True)
class CalledTurn:
    """A completed turn with the names of the tools it called; `query` is the vector of its message, or None."""

    turn_id: str
    at: datetime
    message: str
    tools_called: tuple[str, ...]
    query: Vector | None


@dataclass(frozen=True, slots=True)
class Verdict:
    """The counted verdict on a memory that a completed turn showed, at the time of the turn.

    `threshold` is the overlap from which the turn's policy takes a memory as used, or None if that policy was not
    recorded.
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
    """The tools that a completed turn called, with the turn's user and categories."""

    user_id: str | None
    categories: tuple[str, ...]
    tools_called: tuple[str, ...]


@dataclass(frozen=True, slots=True)
class Shadow:
    """The memories that another policy would have shown in a turn, best first, and their length in tokens."""

    turn_id: str
    policy: str
    shown: tuple[UUID, ...]
    tokens: int
    at: datetime
