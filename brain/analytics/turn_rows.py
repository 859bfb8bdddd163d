"""The values that describe an agent's turns on the dashboard: periods, sums and rates, rows of lists, pages."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass, field
from datetime import UTC, datetime, timedelta
from typing import Any, Generic, Literal, TypeVar

from brain import rollups

RowT = TypeVar("RowT")
OwnedTurn = tuple[str, str | None]  # its id, and the user in whose view it is
Dimension = Literal["all", "type", "frame", "category", "runtime", "stage", "tool", "policy"]

_MAX_HOURLY = timedelta(days=35)  # 840 hourly rows per value


@dataclass(frozen=True, slots=True)
class Period:
    """A period [since, until) of aware datetimes, divided into steps of an 'hour' or a 'day' in a time zone.

    In periods over five weeks a day is a day in UTC, because the counts are stored so. In a time zone that is not whole
    hours from UTC, a day begins with the hour of UTC that contains its midnight.
    """

    since: datetime
    until: datetime
    step: Literal["hour", "day"] = "day"
    zone: str = "UTC"

    @property
    def before(self) -> Period:
        """The period of the same length that ends where this period begins."""
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
        """The start and end of the period, and the start and end of the whole days (UTC) in it.

        Daily counts are read for the whole days, and hourly counts for the rest, so the first time is the start of an
        hour.
        """
        first = self.begin if self.begin == self.begin_of_day else self.begin_of_day + timedelta(days=1)
        last = self.until.astimezone(UTC).replace(hour=0, minute=0, second=0, microsecond=0)
        return (
            (self.begin, self.until, first, last) if first < last else (self.begin, self.until, self.until, self.until)
        )

    @property
    def span(self) -> Literal["hour", "day"]:
        """The kind of stored counts that a chart of the period uses: "hour" or "day".

        Hourly counts can be summed to days of any time zone. Daily counts are faster to read, and are used for long
        periods.
        """
        of_days = self.step == "day" and (self.zone == "UTC" or self.until - self.since > _MAX_HOURLY)
        return "day" if of_days else "hour"

    @property
    def step_zone(self) -> str:
        """The time zone in which the steps of a chart begin: the period's, or UTC if the stored counts are by day."""
        return "UTC" if self.span == "day" else self.zone


@dataclass(frozen=True, slots=True)
class Total:
    """The sums of the counts of some turns, with the rates computed from them.

    `value` is what the turns have in common, such as a tool's name. A rate is None if its denominator is 0.
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
        """The share of shown memory tokens that belong to used memories."""
        return _share(self.numbers.used_tokens, self.numbers.tokens)

    @property
    def memory_tokens(self) -> float | None:
        """The tokens of memory per completed turn: shown, recalled and pinned memories."""
        return _share(self.numbers.tokens + self.numbers.pinned_tokens, self.numbers.completed)

    @property
    def abstained(self) -> float | None:
        """The share of turns that found memories and showed none."""
        return _share(self.numbers.abstained, self.numbers.turns)

    @property
    def degraded(self) -> float | None:
        """The share of degraded turns, those in which a part failed or was late."""
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

    Reading a page stops after a maximum number of examined rows, so a page may be empty without being the last.

    `looked` is the number of rows examined. `back_to` is the time of the earliest examined row if the list is ordered
    by time. `matching` is the number of examined rows that match, if it was counted. `after` is the start of the next
    page, or None if this page is the last. If the list is not ordered by time, `after` is the start behind all examined
    rows, or None if there are none: first read the rest of these with `skip`, until it is `matching`.
    """

    rows: tuple[RowT, ...]
    looked: int
    after: tuple[Any, ...] | None
    back_to: datetime | None = None
    matching: int | None = None


@dataclass(frozen=True, slots=True)
class TurnFilter:
    """The conditions that a list of turns is filtered by. A condition that is None matches every turn.

    Attributes:
        words: words that must all appear in the message or the response.
        status: the status of the turn, or "unfinished" for failed and abandoned turns.
        stage: the stage whose duration `min_ms` limits; by default the whole `pre_turn`.
        min_ms: the minimum duration in milliseconds.
        showed: the type of a memory that the turn showed.
        used: True for turns that used a memory that they showed (of type `showed`, if set), False for turns that showed
            some and used none of them.
        used_unshown: True for turns that used a memory that their prompt did not show: the model had to recall it.
        rating: True for turns with a memory rated useful, False for turns with one rated not useful.
        held_back: "deduped" if the turn left out a memory as a repetition, "trimmed" if because of a limit, such as
            room.
        model: the language model, "" for turns that named none.
        reason: the code of a degradation.
        policies: policies that the turn was planned under, any of them; empty for all.
    """

    words: str | None = None
    session_id: str | None = None
    status: str | None = None
    frame: str | None = None
    category: str | None = None
    runtime: str | None = None
    policies: tuple[str, ...] = ()
    tool: str | None = None
    degraded: bool | None = None
    abstained: bool | None = None
    user_id: str | None = None
    showed: str | None = None
    used: bool | None = None
    used_unshown: bool = False
    rating: bool | None = None
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

    `user_id` is the user who asked, as recorded. `owner` is the user in whose view the turn is, or None for a shared
    turn, such as one from before users were kept apart. `milliseconds` and `found` (the number of candidates) are None
    if they were not measured.
    """

    turn_id: str
    session_id: str
    user_id: str | None
    owner: str | None
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
    pinned: int


@dataclass(frozen=True, slots=True)
class TurnMeasurements:
    """The measurements that the dashboard's page of a turn shows, and the ids of the previous and the next turn.

    `response` is the beginning of the response, or None if it is not stored. `bytes` is the size of the stored trace.
    `trim`, `window`, `sections` and `excerpts` (the shown parts of memories) are copied from the trace; they are empty
    if there is no trace. `attribution` is the method that measured use, or None if it is not recorded.
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
    """A policy with which turns were planned, the time of its first use, and the sums of the counts of these turns."""

    version: str
    first_used_at: datetime
    total: Total


@dataclass(frozen=True, slots=True)
class OmittedTool:
    """A tool that turns of a category were not offered: the plan removed it, or it did not fit the model.

    `removed` counts the turns whose plan removed the tool, and `cut` the turns whose model it did not fit. `asked`
    counts those in which the model called the tool anyway, and `named` other turns whose message names it. `wanted_in`
    has the latest turns counted by `asked` and `named`, and `left_out_in` the latest of all turns without the tool; a
    turn is its id and the user in whose view it is, None for a shared turn.
    """

    category: str
    name: str
    removed: int
    cut: int
    asked: int
    named: int = 0
    wanted_in: tuple[OwnedTurn, ...] = ()
    left_out_in: tuple[OwnedTurn, ...] = ()

    @property
    def wanted(self) -> int:
        """The number of turns that wanted the tool and did not have it."""
        return self.asked + self.named


@dataclass(frozen=True, slots=True)
class Relation:
    """A table or an index of the database, with its size in bytes.

    `rows` is the estimated number of rows, or -1 if Postgres has never analyzed the table. `dead` is the number of dead
    rows.
    """

    name: str
    kind: str
    bytes: int
    rows: int
    valid: bool
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

    `models` counts vectors by embedding model in a random sample.
    `open_turns` is the number of turns without an outcome, counted up to a maximum.
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
    oldest_open: tuple[OpenTurnRow, ...] = ()


def _share(part: float, whole: float) -> float | None:
    return part / whole if whole else None
