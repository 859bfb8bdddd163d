"""What a page is asked for, by its address and by cookies: whose memory, which stretch of time, in whose time zone."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass, field
from datetime import UTC, datetime, timedelta
from typing import Any
from urllib.parse import urlencode
from zoneinfo import ZoneInfo, available_timezones

from brain.analytics.turn_rows import Period
from cognitive.errors import InvalidInput

RANGES: Mapping[str, tuple[str, timedelta]] = {
    "24h": ("24 hours", timedelta(hours=24)),
    "7d": ("7 days", timedelta(days=7)),
    "30d": ("30 days", timedelta(days=30)),
    "90d": ("90 days", timedelta(days=90)),
}
_USUAL = "30d"
_MAX_HOURS = timedelta(hours=48)  # longer stretches are told by the day: more points than that say less
_LONGEST = timedelta(days=732)  # a table of days is still one that somebody reads
_YEARS = (1970, 9000)  # in which there may be turns; before and behind them a period has another just as long
_ZONES = available_timezones()  # read once: a look at each costs a walk through the file system


@dataclass(frozen=True, slots=True)
class PageQuery:
    """A request as the pages see it: `base` is where they are mounted, `now` when it came."""

    agent: str
    now: datetime
    zone: ZoneInfo = field(default_factory=lambda: ZoneInfo("UTC"))
    base: str = ""
    params: Mapping[str, str] = field(default_factory=dict)

    @property
    def range(self) -> str:
        """The stretch that was chosen, "" for one given by its ends."""
        if "since" in self.params or "until" in self.params:
            return ""
        return self.params.get("range", _USUAL)

    def period(self) -> Period:
        """The stretch of time that is looked at.

        Raises:
            InvalidInput: one that does not exist.
        """
        if not self.range:
            until = _counted(parse_time(self.params, "until") or self.now)
            since = _counted(parse_time(self.params, "since") or until - RANGES[_USUAL][1])
        elif self.range in RANGES:
            since, until = self.now - RANGES[self.range][1], self.now
        else:
            raise InvalidInput(f"range: expected one of {', '.join(RANGES)}")
        if not timedelta() < until - since <= _LONGEST:
            raise InvalidInput("since: expected a time before `until`, by two years at most")
        return Period(since, until, "hour" if until - since <= _MAX_HOURS else "day", self.zone.key)

    def link(self, page: str = "", **wanted: Any) -> str:
        """The address of a page for this agent; what is None is left out."""
        told = {name: _written(value) for name, value in wanted.items() if value is not None}
        return f"{self.base}/{page}?{urlencode({'agent': self.agent, **told})}"

    def with_changes(self, page: str = "", **changed: Any) -> str:
        """The same page with something changed; None takes it away."""
        kept = {name: value for name, value in self.params.items() if name != "agent"}
        return self.link(page, **{**kept, **changed})

    def period_params(self) -> dict[str, Any]:
        """What keeps the stretch of time in an address: its name, or its ends."""
        if self.range:
            return {"range": self.range}
        return {name: self.params[name] for name in ("since", "until") if name in self.params}


def zone(name: str | None) -> ZoneInfo:
    """The viewer's time zone; UTC before their browser said which it is, and if it says what nobody knows."""
    return ZoneInfo(name if name in _ZONES and name is not None else "UTC")


def parse_time(params: Mapping[str, str], name: str) -> datetime | None:
    """An aware time of an address, None if there is none.

    Raises:
        InvalidInput: it is no time, or of no time zone.
    """
    if not params.get(name):
        return None
    try:
        at = datetime.fromisoformat(params[name])
    except ValueError:
        raise InvalidInput(f"{name}: expected a time such as 2026-11-02T09:00:00+00:00") from None
    if at.tzinfo is None:
        raise InvalidInput(f"{name}: expected a time with its offset, such as 2026-11-02T09:00:00+00:00")
    try:
        return at.astimezone(UTC)
    except OverflowError:
        raise InvalidInput(f"{name}: outside of the years that there are") from None


def _counted(at: datetime) -> datetime:
    """A time that has others before and behind it, in every time zone.

    Raises:
        InvalidInput: there is no turn there.
    """
    if not _YEARS[0] <= at.year < _YEARS[1]:
        raise InvalidInput(f"since, until: expected a time in the years from {_YEARS[0]} to {_YEARS[1]}")
    return at


def _written(value: Any) -> str:
    return value.isoformat() if isinstance(value, datetime) else str(value)
