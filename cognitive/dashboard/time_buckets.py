"""A period step by step, hour by hour or day by day, as whoever looks has them: what was counted, names, addresses."""

from __future__ import annotations

from collections.abc import Sequence
from datetime import UTC, datetime, timedelta

from brain.analytics.turn_rows import Period, Point, Total
from brain.rollups import RollupCounts
from cognitive.dashboard.params import PageQuery


def fill_buckets(points: Sequence[Point], period: Period, query: PageQuery) -> list[tuple[datetime, Total]]:
    """A total for every step of a period, in order; nothing where no turn was counted."""
    known = {point.at.astimezone(UTC): point.total for point in points}
    at, found = _first(period, query), list[tuple[datetime, Total]]()
    while at < period.until:
        found.append((at, known.get(at.astimezone(UTC), Total("", RollupCounts()))))
        at = _next(at, period)
    return found


def bucket_label(at: datetime, period: Period) -> str:
    """A step's name: its hour, or its day."""
    return f"{at:%H:%M}" if period.step == "hour" else f"{at.day} {at:%b}"


def bucket_link(at: datetime, period: Period, query: PageQuery, **wanted: str) -> str:
    """The turns of one step of a period."""
    return query.link("turns", since=at, until=min(_next(at, period), period.until), **wanted)


def _first(period: Period, query: PageQuery) -> datetime:
    """Where the step begins that the period begins in; days of long periods are those of UTC, as they were counted."""
    own = period.since.astimezone(query.zone if period.span == "hour" else UTC)
    own = own.replace(minute=0, second=0, microsecond=0)
    return own if period.step == "hour" else own.replace(hour=0)


def _next(at: datetime, period: Period) -> datetime:
    if period.step == "hour":
        return (at.astimezone(UTC) + timedelta(hours=1)).astimezone(at.tzinfo)
    return at + timedelta(days=1)  # of the wall clock: a day may have 23 hours
