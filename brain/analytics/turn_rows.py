"""The values that describe an agent's turns on the dashboard: periods, sums and rates, rows of lists, pages."""

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
        """The start of the period's first hour (UTC).

        Counts are stored per hour, so a part of an hour cannot be read.
        """
        return self.since.astimezone(UTC).replace(minute=0, second=0, microsecond=0)

    @property
    def begin_of_day(self) -> datetime:
        """The start of the period's first day (UTC)."""
        return self.begin.replace(hour=0)

    @property
    def days(self) -> tuple[datetime, datetime, datetime, datetime]:
        """The period's start and end in whole hours, and the start and end of the whole days (UTC) in it."""
        first = self.begin if self.begin == self.begin_of_day else self.begin_of_day + timedelta(days=1)
        last = self.until.astimezone(UTC).replace(hour=0, minute=0, second=0, microsecond=0)
        return (
            (self.begin, self.until, first, last) if first < last else (self.begin, self.until, self.until, self.until)
        )

    @property
    def span(self) -> Literal["hour", "day"]:
        """The stored counts that a chart of the period uses: hourly ones, or daily ones for long periods.

        Hours can be summed to days of any time zone; daily counts are faster to read.
        """
        of_days = self.step == "day" and (self.zone == "UTC" or self.until - self.since > _MAX_HOURLY)
        return "day" if of_days else "hour"


@dataclass(frozen=True, slots=True)
class Total:
    """The sums of the counts of some turns, with the rates computed from them.

    A rate is None if its denominator is 0.
    """

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
    """The sums of the counts of the turns in one time step of a chart."""

    at: datetime
    total: Total


@dataclass(frozen=True, slots=True)
class ResultPage(Generic[RowT]):
    """One page of a list.

    Reading a page stops after a number of examined rows, so a page may be empty without being the last.

    `looked` is the number of rows examined. `back_to` is the time of the earliest examined row if the list is ordered
    by time. `after` is the start of the next page, or None at the end.
    """

    rows: tuple[RowT, ...]
    looked: int
    after: tuple[Any, ...] | None
    back_to: datetime | None = None


@dataclass(frozen=True, slots=True)
class TurnFilter:
    """The conditions that a list of turns is filtered by. A condition that is None matches every turn.

    Attributes:
        words: must all appear in the message.
        status: the status of the turn, or "unfinished" for failed and abandoned turns.
        stage: the stage that `min_ms` applies to, by default the whole `pre_turn`.
        min_ms: the minimum duration in milliseconds.
        showed: the type of a memory that the turn showed.
        used: whether the response used such a memory.
        held_back: "deduped" or "trimmed", if a memory was dropped for that reason.
        model: the language model, "" for turns that named none.
        reason: the code of a degradation.
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
    """A turn as a row of the dashboard's list. `message` is the beginning of the user's message.

    `milliseconds` and `found` (the number of candidates) are None if they were not measured.
    """

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
    """The measurements that the page of a turn shows: durations, removed parts, the turns before and after.

    `response` is the beginning of the response, or None if it is not stored. `bytes` is the size of the stored trace.
    `trim`, `window`, `sections` and `excerpts` (the shown parts of memories) are copied from the trace and empty
    without one. `attribution` is the method that measured use, or None if it is not recorded.
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
    """A tool that turns of a category were not offered: the plan removed it, or it did not fit the model.

    `removed` and `cut` count these turns. `asked` counts turns in which the model called the tool anyway, and `named`
    those whose message names it. `wanted_in` and `left_out_in` are the ids of the latest such turns.
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
    """A table or an index of the database.

    It has its size in bytes, its estimated rows (-1: never analyzed) and its dead rows.
    """

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
    """A turn that has no outcome yet."""

    turn_id: str
    session_id: str
    opened_at: datetime
    message: str


@dataclass(frozen=True, slots=True)
class AgentHealth:
    """The state of an agent's data and of the database, for the dashboard's page on health.

    `models` counts vectors by embedding model in a random sample of `vectors_looked` vectors. `open_turns` stops
    counting at a maximum.
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
