"""The values that describe an agent's turns: totals with rates, rows of lists, and pages with their bounds."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass, field
from datetime import UTC, datetime, timedelta
from typing import Any, Generic, Literal, TypeVar

from brain import rollups

RowT = TypeVar("RowT")
Dimension = Literal["all", "type", "frame", "category", "runtime", "stage", "tool", "policy"]

_MAX_HOURLY = timedelta(days=35)  # 840 hourly rows per value


@dataclass(frozen=True, slots=True)
class Period:
    """A period [since, until) of aware datetimes, in steps of 'hour' or 'day' of a time zone.

    For periods over five weeks the days are those of UTC, as they were counted. In a zone that is not whole hours from
    UTC, a day begins with the hour of UTC that contains its midnight.
    """

    since: datetime
    until: datetime
    step: Literal["hour", "day"] = "day"
    zone: str = "UTC"

    @property
    def before(self) -> Period:
        """The period of the same length that ends where this one begins."""
        return Period(self.since - (self.until - self.since), self.since, self.step, self.zone)

    @property
    def begin(self) -> datetime:
        """The start of its first hour (UTC): the hourly counts cannot be divided."""
        return self.since.astimezone(UTC).replace(minute=0, second=0, microsecond=0)

    @property
    def begin_of_day(self) -> datetime:
        """The start of its first day (UTC)."""
        return self.begin.replace(hour=0)

    @property
    def days(self) -> tuple[datetime, datetime, datetime, datetime]:
        """Its start and end in whole hours, and the start and end of the whole days (UTC) in it."""
        first = self.begin if self.begin == self.begin_of_day else self.begin_of_day + timedelta(days=1)
        last = self.until.astimezone(UTC).replace(hour=0, minute=0, second=0, microsecond=0)
        return (
            (self.begin, self.until, first, last) if first < last else (self.begin, self.until, self.until, self.until)
        )

    @property
    def span(self) -> Literal["hour", "day"]:
        """The counts that a series uses: hours fit days of any zone; long periods use days to be fast."""
        of_days = self.step == "day" and (self.zone == "UTC" or self.until - self.since > _MAX_HOURLY)
        return "day" if of_days else "hour"


@dataclass(frozen=True, slots=True)
class Total:
    """The totals of some turns. A rate is None if its denominator is 0."""

    value: str
    numbers: rollups.RollupCounts
    last_at: datetime | None = None

    @property
    def referenced(self) -> float | None:
        """The share of shown memories that were used."""
        return _share(self.numbers.used, self.numbers.shown)

    @property
    def precision(self) -> float | None:
        """The share of shown tokens that were used."""
        return _share(self.numbers.used_tokens, self.numbers.tokens)

    @property
    def abstained(self) -> float | None:
        """The share of turns that found memories and showed none."""
        return _share(self.numbers.abstained, self.numbers.turns)

    @property
    def degraded(self) -> float | None:
        """The share of degraded turns."""
        return _share(self.numbers.degraded, self.numbers.turns)

    def quantile(self, share: float) -> float | None:
        """Return the time in milliseconds within which this share of the turns was prepared."""
        return rollups.quantile(self.numbers.latency, share)


@dataclass(frozen=True, slots=True)
class Point:
    """The totals of the turns of one time step."""

    at: datetime
    total: Total


@dataclass(frozen=True, slots=True)
class ResultPage(Generic[RowT]):
    """Some rows of a list that was read up to a bound.

    `looked` is the number of rows examined, `back_to` the time that they reach back to if the list is ordered by time,
    and `after` the start of the next page, None at the end. A page may be empty without being the last.
    """

    rows: tuple[RowT, ...]
    looked: int
    after: tuple[Any, ...] | None
    back_to: datetime | None = None


@dataclass(frozen=True, slots=True)
class TurnFilter:
    """A filter of turns; None matches all.

    `words` must all be in the message. `min_ms` is the duration of `pre_turn`, or of `stage`. `status` may be
    "unfinished":
    failed or abandoned. `showed` is the type, and `used` the verdict, of a memory that the turn showed. `held_back` is
    "deduped" or "trimmed": the turn dropped a memory so. `model` is the language model, "" for none. `reason` is the
    code of a degradation.
    """

    words: str | None = None
    session_id: str | None = None
    status: str | None = None
    frame: str | None = None
    category: str | None = None
    runtime: str | None = None
    policy: str | None = None
    tool: str | None = None
    degraded: bool | None = None
    abstained: bool | None = None
    user_id: str | None = None
    showed: str | None = None
    used: bool | None = None
    held_back: str | None = None
    stage: str | None = None
    min_ms: float | None = None
    model: str | None = None
    tools_cut: bool | None = None
    reason: str | None = None
    since: datetime | None = None
    until: datetime | None = None


@dataclass(frozen=True, slots=True)
class TurnListRow:
    """A turn in a list; `message` is its beginning. `milliseconds` and `found` are None if they were not measured."""

    turn_id: str
    session_id: str
    user_id: str | None
    at: datetime
    status: str
    message: str
    frame: str
    categories: tuple[str, ...]
    runtime: str | None
    policy: str
    degraded: tuple[str, ...]
    degraded_codes: tuple[str, ...]
    tools_called: tuple[str, ...]
    milliseconds: float | None
    found: int | None
    abstained: bool
    shown: int
    used: int
    tokens: int


@dataclass(frozen=True, slots=True)
class TurnMeasurements:
    """The measurements of a turn: times by stage, what was removed, and its neighbours in the session.

    `response` is its beginning, None if it is not stored. `bytes` is the size of the trace. `trim`, `window`,
    `sections` and `excerpts` (the shown parts of memories) are as in the trace, else empty. `attribution` is the method
    by which overlaps were measured, None if it is not recorded.
    """

    turn_id: str
    session_id: str
    user_id: str | None
    at: datetime
    opened_at: datetime
    closed_at: datetime | None
    expired: bool
    status: str
    message: str
    frame: str
    categories: tuple[str, ...]
    runtime: str | None
    policy: str
    degraded: tuple[str, ...]
    degraded_codes: tuple[str, ...]
    tools_called: tuple[str, ...]
    model: str | None
    measures: rollups.TurnMetrics
    timings: Mapping[str, float]
    trim: Mapping[str, Any]
    window: Mapping[str, Any]
    sections: Mapping[str, Any]
    excerpts: Mapping[str, Any]
    response: str | None
    attribution: str | None
    bytes: int
    previous: str | None
    next: str | None


@dataclass(frozen=True, slots=True)
class PolicyUsage:
    """A policy that turns were planned with, the time of its first use, and the totals of its turns."""

    version: str
    first_used_at: datetime
    total: Total


@dataclass(frozen=True, slots=True)
class OmittedTool:
    """A tool that turns of a category were not offered: removed by the plan, or to fit the model (`cut`).

    `asked` counts turns in which the model called it anyway, and `named` those whose message names it. `wanted_in` and
    `left_out_in` are the latest such turns.
    """

    category: str
    name: str
    removed: int
    cut: int
    asked: int
    named: int = 0
    wanted_in: tuple[str, ...] = ()
    left_out_in: tuple[str, ...] = ()

    @property
    def wanted(self) -> int:
        """The number of turns that wanted the tool and did not have it."""
        return self.asked + self.named


@dataclass(frozen=True, slots=True)
class Relation:
    """A table or an index: size in bytes, estimated rows (-1: never analyzed), dead rows."""

    name: str
    kind: str
    of_table: str | None
    bytes: int
    rows: int
    valid: bool
    analyzed_at: datetime | None
    dead: int


@dataclass(frozen=True, slots=True)
class OpenTurnRow:
    """A turn without an outcome."""

    turn_id: str
    session_id: str
    opened_at: datetime
    message: str


@dataclass(frozen=True, slots=True)
class AgentHealth:
    """The state of the store for an agent.

    `models` counts the vectors by embedding model in a random sample of `vectors_looked`; `open_turns` is counted up to
    a bound.
    """

    memories: int
    passages: int
    sessions: int
    open_turns: int
    postgres: str
    pgvector: str
    revision: str
    bytes: int
    relations: tuple[Relation, ...] = ()
    models: Mapping[str, int] = field(default_factory=dict)
    vectors_looked: int = 0
    oldest_open: tuple[OpenTurnRow, ...] = ()


def _share(part: float, whole: float) -> float | None:
    return part / whole if whole else None
