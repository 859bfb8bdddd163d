"""What a dashboard shows of an agent, as values: counts with their rates, rows of lists, pages that say how far they
looked.
"""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass, field
from datetime import UTC, datetime, timedelta
from typing import Any, Generic, Literal, TypeVar

from brain import rollups

RowT = TypeVar("RowT")
Dimension = Literal["all", "type", "frame", "category", "runtime", "stage", "tool", "policy"]

_MAX_HOURLY = timedelta(days=35)  # 840 rows of each value


@dataclass(frozen=True, slots=True)
class Period:
    """A stretch of time [since, until), aware; steps of 'hour' or 'day' in a time zone.

    Days of more than five weeks are days of UTC, as they were counted; where a zone is not whole hours away from UTC, a
    day begins with the hour of UTC that holds its midnight.
    """

    since: datetime
    until: datetime
    step: Literal["hour", "day"] = "day"
    zone: str = "UTC"

    @property
    def before(self) -> Period:
        """The stretch just as long that ends where this one begins."""
        return Period(self.since - (self.until - self.since), self.since, self.step, self.zone)

    @property
    def begin(self) -> datetime:
        """The beginning of its first hour of UTC: what is counted there cannot be told apart."""
        return self.since.astimezone(UTC).replace(minute=0, second=0, microsecond=0)

    @property
    def begin_of_day(self) -> datetime:
        """The beginning of its first day of UTC."""
        return self.begin.replace(hour=0)

    @property
    def days(self) -> tuple[datetime, datetime, datetime, datetime]:
        """Where it begins and ends, and of the whole days of UTC in it where the first begins and the last ends."""
        first = self.begin if self.begin == self.begin_of_day else self.begin_of_day + timedelta(days=1)
        last = self.until.astimezone(UTC).replace(hour=0, minute=0, second=0, microsecond=0)
        return (
            (self.begin, self.until, first, last) if first < last else (self.begin, self.until, self.until, self.until)
        )

    @property
    def span(self) -> Literal["hour", "day"]:
        """Which counts a series is made of: hours make days of any time zone, but many of them take their time."""
        of_days = self.step == "day" and (self.zone == "UTC" or self.until - self.since > _MAX_HOURLY)
        return "day" if of_days else "hour"


@dataclass(frozen=True, slots=True)
class Total:
    """What some turns came to. A rate is None where there is nothing that it could be a share of."""

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
        """The share of turns that lacked something."""
        return _share(self.numbers.degraded, self.numbers.turns)

    def quantile(self, share: float) -> float | None:
        """The time in milliseconds within which this share of the turns was prepared."""
        return rollups.quantile(self.numbers.latency, share)


@dataclass(frozen=True, slots=True)
class Point:
    """What the turns of one step of time came to."""

    at: datetime
    total: Total


@dataclass(frozen=True, slots=True)
class ResultPage(Generic[RowT]):
    """Some rows of a list that was walked up to a bound.

    `looked` is how many rows were looked at, `back_to` the time they reach back to where they are in its order, and
    `after` is where to go on, None if the list ended here. A page may be empty and not the last.
    """

    rows: tuple[RowT, ...]
    looked: int
    after: tuple[Any, ...] | None
    back_to: datetime | None = None


@dataclass(frozen=True, slots=True)
class TurnFilter:
    """Which turns: None is any. `words` must all stand in the message; `min_ms` is of `pre_turn`, or of `stage`.

    `status` may be "unfinished": failed or abandoned. `showed` is the type, and `used` the verdict, of a memory that it
    showed; `held_back` is "deduped" or "trimmed": it found a memory that was. `model` is the language model, "" for
    turns that named none; `reason` is the code of a degradation.
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
    """A turn in a list; `message` is its beginning. `milliseconds` and `found` are None where nothing was measured."""

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
    """What a turn says of itself beside its account: times by stage, what was cut, its neighbours in the session.

    `response` is its beginning, None where it is not kept; `bytes` is what its trace takes; `trim`, `window` and
    `sections` are as the trace has them, empty where it has none, and so are `excerpts`: what was shown of memories.
    `attribution` is how overlaps were measured, by the policy of the turn; None where that is not on record.
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
    """A policy that turns were planned under, since when, and what they came to; `last_at` is the last day of it."""

    version: str
    first_used_at: datetime
    total: Total


@dataclass(frozen=True, slots=True)
class OmittedTool:
    """A tool that turns of a category went without: removed by the plan or cut to fit; called nonetheless (`asked`),
    or only named in the message. `wanted_in` and `left_out_in` are the latest such turns.
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
        """How many turns wanted it and did not have it."""
        return self.asked + self.named


@dataclass(frozen=True, slots=True)
class Relation:
    """A table or an index: its bytes, its rows as Postgres estimates them (-1: never analysed), dead rows."""

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
    """A turn whose outcome has not come."""

    turn_id: str
    session_id: str
    opened_at: datetime
    message: str


@dataclass(frozen=True, slots=True)
class AgentHealth:
    """The state of the store. `models` counts the vectors by embedding model among `vectors_looked` of a random sample;
    `open_turns` is counted up to a bound.
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
