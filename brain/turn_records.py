"""Data classes for recorded turns: the plan, the shown memories and the outcome."""

from __future__ import annotations

from collections.abc import Awaitable, Callable, Mapping, Sequence
from dataclasses import dataclass, field
from datetime import datetime
from typing import Any
from uuid import UUID

from brain.errors import InvalidInput
from brain.judgements import Judgement
from brain.rollups import CountedMemory, CountedTurn, TurnMetrics
from brain.types import MemoryType, Vector


@dataclass(frozen=True, slots=True)
class Exposure:
    """A memory shown in a turn.

    `slot` is its place in the prompt, and `tokens` its length there. `propensity` is the probability with which the
    policy showed it. `relevance_gap` is the relevance of the most relevant memory in the turn minus that of this one.
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

    `query` is the embedding of its message by `model`, and `trace` the JSON record of its pipeline stages. `measures`
    are added to the totals in `brain.rollups`. `received_at` is when the message was received, in seconds since the
    epoch. If memories were erased after that time, the texts of the turn are not stored.
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
    """A turn as it is recorded; `query` is the embedding of its message by the embedding model `model`.

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
        """The record of the turn's pipeline stages, as `cognitive.recording` encodes it."""
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
        """The parts of memories' texts that were shown, for the memories that were shortened to fit."""
        return self.trace.get("excerpts") or {}

    @property
    def erased(self) -> bool:
        """True if text of the turn was erased; its record is then erased too."""
        return bool(self.trace.get("erased"))


@dataclass(frozen=True, slots=True)
class TurnSummary:
    """A recorded turn as it appears in a list of turns.

    `degraded` are the parts that failed or were late, in words. `user_id` is None for a turn without a user.
    """

    turn_id: str
    session_id: str
    at: datetime
    status: str
    message: str
    degraded: tuple[str, ...] = ()
    user_id: str | None = None


@dataclass(frozen=True, slots=True)
class HeldTurn:
    """A turn whose database row is locked, so that its outcome or a rating can be counted.

    `open` is True if it has no outcome yet. `withheld` is True if its response may contain erased text and must not be
    stored. `planned_under` is the content of the policy used to plan it, or None if that was not recorded. `read_at` is
    when the row was read, by the clock of the database.
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
        """Return the turn's message, with `status`: the status in the first outcome reported for the turn."""
        return TurnMessage(self.session_id, self.user_id, self.at, self.message, status, self.read_at, self.withheld)

    def counted(
        self, status: str, tools_called: tuple[str, ...] = (), memories: Sequence[CountedMemory] = ()
    ) -> CountedTurn:
        """Return the properties of the turn that `brain.rollups` adds to its totals."""
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
    the policy that the turn was planned under, or None if this was not read from the database.
    """

    turn_id: str
    policy: str
    shadow: tuple[UUID, ...]
    tokens: int
    shown: tuple[UUID, ...]
    used: tuple[UUID, ...]
    beside: str | None = None


# Called in a transaction that blocks erasures of the agent. Return False if the turn must not be recorded any more.
StillWanted = Callable[[], Awaitable[bool]]


@dataclass(frozen=True, slots=True)
class TurnMessage:
    """The recorded message of a turn. Text that was erased before `read_at`, by the clock of the database, is left out.

    `status` is the status in the first outcome reported for the turn. `withheld` is True if the response in that
    outcome may contain erased text and must not be stored.
    """

    session_id: str
    user_id: str | None
    at: datetime
    message: str
    status: str
    read_at: datetime
    withheld: bool


def reused_turn_id(turn_id: str) -> InvalidInput:
    """Return the error for a turn id that was given to turns with different texts."""
    return InvalidInput(f"turn_id: turn {turn_id!r} was opened with another text; give each turn its id")


@dataclass(frozen=True, slots=True)
class ClosedTurn:
    """A closed turn: the verdicts on its memories, and its message. `first` is True if this call closed it."""

    judgements: tuple[Judgement, ...]
    first: bool
    message: TurnMessage


@dataclass(frozen=True, slots=True)
class CalledTurn:
    """A completed turn with the names of the tools it called; `query` is the embedding of its message, or None."""

    turn_id: str
    at: datetime
    message: str
    tools_called: tuple[str, ...]
    query: Vector | None


@dataclass(frozen=True, slots=True)
class TurnToolCalls:
    """The tools that a completed turn called, with the turn's user and categories."""

    user_id: str | None
    categories: tuple[str, ...]
    tools_called: tuple[str, ...]


@dataclass(frozen=True, slots=True)
class Shadow:
    """The memories that a shadow policy would have shown in a turn, best first, and their length in tokens."""

    turn_id: str
    policy: str
    shown: tuple[UUID, ...]
    tokens: int
    at: datetime
