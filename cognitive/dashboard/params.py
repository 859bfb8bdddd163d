"""The parameters of a page, read from its URL and cookies: agent, period, time zone."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass, field
from datetime import UTC, datetime, timedelta
from typing import Any
from urllib.parse import urlencode
from uuid import UUID
from zoneinfo import ZoneInfo, available_timezones

from brain.analytics.turn_rows import Period
from brain.users import ALL_USERS, Scope, UserId
from cognitive.errors import InvalidInput

RANGES: Mapping[str, tuple[str, timedelta]] = {
    "24h": ("24 hours", timedelta(hours=24)),
    "7d": ("7 days", timedelta(days=7)),
    "30d": ("30 days", timedelta(days=30)),
    "90d": ("90 days", timedelta(days=90)),
}
_DEFAULT_RANGE = "30d"
_BOUNDS = ("since", "until", "from", "to")  # of a period; links have the first two, fields that one types in the others
_MAX_HOURLY = timedelta(hours=48)  # longer periods have steps of a day: more points would be unreadable
_MAX_PERIOD = timedelta(days=732)  # the longest table of days that is still readable
_YEARS = (1970, 9000)  # allowed years; every period in them has a period before it that datetime can represent
_ZONES = available_timezones()  # read once: each call reads the file system


@dataclass(frozen=True, slots=True)
class AppliedFilter:
    """A filter of a list that is in effect, with the link that removes it."""

    name: str
    value: str
    remove_link: str


@dataclass(frozen=True, slots=True)
class PageQuery:
    """The parameters of a request to a page, from which pages also build their links.

    `base` is the path where the dashboard is mounted, `now` the time of the request, `zone` the viewer's time zone, and
    `params` the URL's parameters. `operator` is True if the visitor may see the rows of all users at once.
    """

    agent: str
    now: datetime
    zone: ZoneInfo = field(default_factory=lambda: ZoneInfo("UTC"))
    base: str = ""
    params: Mapping[str, str] = field(default_factory=dict)
    operator: bool = False

    @property
    def user(self) -> str | None:
        """The user that the URL names, in whose view the page is; None if it names none."""
        return self.params.get("user") or None

    @property
    def view(self) -> UserId:
        """The view of the page's rows: the user's; without one, all users' for operators, else shared rows only."""
        return self.user or (ALL_USERS if self.operator else None)

    @property
    def scope(self) -> Scope:
        """The agent with the view of the page's rows.

        Raises:
            InvalidInput: the user's id is blank, too long, or has characters that Postgres cannot store.
        """
        return Scope.of(self.agent, self.view)

    @property
    def one(self) -> Scope:
        """The agent with the view of one user, or of none: ids of turns and sessions are unique in it.

        Raises:
            InvalidInput: as in `scope`.
        """
        return Scope.of_one(self.agent, self.user)

    @property
    def range(self) -> str:
        """The chosen period as a key of `RANGES`, or "" if the URL has its beginning or end instead."""
        if self._bounds():
            return ""
        return self.params.get("range", _DEFAULT_RANGE)

    def period(self) -> Period:
        """Return the period that the URL selects.

        Raises:
            InvalidInput: the range is unknown, a time is outside the allowed years, or the period is empty or over two
                years.
        """
        if not self.range:
            since, until = self.bounds()
            until = _check_year(until or self.now)
            since = _check_year(since or until - RANGES[_DEFAULT_RANGE][1])
        elif self.range in RANGES:
            since, until = self.now - RANGES[self.range][1], self.now
        else:
            raise InvalidInput(f"range: expected one of {', '.join(RANGES)}")
        if not timedelta() < until - since <= _MAX_PERIOD:
            raise InvalidInput("since: expected a time before `until`, at most two years earlier")
        return Period(since, until, "hour" if until - since <= _MAX_HOURLY else "day", self.zone.key)

    def link(self, page: str = "", **params: Any) -> str:
        """Return the URL of a page for this agent and user with the given parameters; None removes one."""
        named = {"agent": self.agent, "user": self.user, **params}
        texts = {name: _as_text(value) for name, value in named.items() if value is not None}
        return f"{self.base}/{page}?{urlencode(texts)}"

    def link_to_memory(self, id: UUID, owner: str | None, **params: Any) -> str:
        """Return the URL of a memory's page, in the view of the user who owns it; a shared one stays in this view."""
        return self.link("memory", id=id, user=owner or self.user, **params)

    def with_changes(self, page: str = "", **changed: Any) -> str:
        """Return the URL of a page with the current parameters, some of them changed; the value None removes one."""
        params = {name: value for name, value in self.params.items() if name != "agent"}
        return self.link(page, **{**params, **changed})

    def period_params(self) -> dict[str, Any]:
        """Return the URL parameters that select the current period: `range`, or those of its beginning and end."""
        return {"range": self.range} if self.range else self._bounds()

    def bounds(self) -> tuple[datetime | None, datetime | None]:
        """Return the beginning and end in the URL: `since` and `until`, else `from` and `to` in the viewer's time zone.

        Raises:
            InvalidInput: a value is not a time.
        """
        since = parse_time(self.params, "since") or _local_time(self.params, "from", self.zone)
        return since, parse_time(self.params, "until") or _local_time(self.params, "to", self.zone)

    def _bounds(self) -> dict[str, Any]:
        return {name: self.params[name] for name in _BOUNDS if self.params.get(name)}


def zone(name: str | None) -> ZoneInfo:
    """Return the time zone that the cookie names, or UTC if the name is missing or unknown."""
    return ZoneInfo(name if name in _ZONES and name is not None else "UTC")


def parse_time(params: Mapping[str, str], name: str) -> datetime | None:
    """Parse a URL parameter as a time; return it in UTC, or None if the URL does not have the parameter.

    Raises:
        InvalidInput: the value is not a time with an offset from UTC.
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
        raise InvalidInput(f"{name}: expected a time in the years from 1 to 9999") from None


def _local_time(params: Mapping[str, str], name: str, zone: ZoneInfo) -> datetime | None:
    """Parse a URL parameter as a time in the viewer's time zone; return None if it is missing."""
    if not params.get(name):
        return None
    try:
        return datetime.fromisoformat(params[name]).replace(tzinfo=zone).astimezone(UTC)
    except (ValueError, OverflowError):
        raise InvalidInput(f"{name}: expected a time such as 2026-11-02T09:00") from None


def _check_year(at: datetime) -> datetime:
    """Return the time unchanged, or raise InvalidInput if its year is outside the allowed years."""
    if not _YEARS[0] <= at.year < _YEARS[1]:
        raise InvalidInput(f"since, until: expected a time in the years from {_YEARS[0]} to {_YEARS[1]}")
    return at


def _as_text(value: Any) -> str:
    return value.isoformat() if isinstance(value, datetime) else str(value)
