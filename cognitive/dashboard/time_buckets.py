"""The steps of a period, hours or days in the viewer's time zone: their totals, labels and links."""

from __future__ import annotations

from collections.abc import Sequence
from datetime import UTC, datetime, timedelta

from brain.analytics.turn_rows import Period, Point, Total
from brain.rollups import RollupCounts
from cognitive.dashboard.params import PageQuery


def fill_buckets(points: Sequence[Point], period: Period, query: PageQuery) -> list[tuple[datetime, Total]]:
    """Return the total of every step of a period in order; an empty total for a step without turns."""
    known = {point.at.astimezone(UTC): point.total for point in points}
    at, buckets = _first(period, query), list[tuple[datetime, Total]]()
    while at < period.until:
        buckets.append((at, known.get(at.astimezone(UTC), Total("", RollupCounts()))))
        at = _next(at, period)
    return buckets


def bucket_label(at: datetime, period: Period) -> str:
    """Return the label of a step: its hour, or its day."""
    return f"{at:%H:%M}" if period.step == "hour" else f"{at.day} {at:%b}"


def bucket_link(at: datetime, period: Period, query: PageQuery, **filters: str) -> str:
    """Return the link to the turns of one step, with further filters."""
    return query.link("turns", since=at, until=min(_next(at, period), period.until), **filters)


def _first(period: Period, query: PageQuery) -> datetime:
    """Return the beginning of the period's first step. Days of long periods are days in UTC, as they are counted."""
    since = period.since.astimezone(query.zone if period.span == "hour" else UTC)
    hour = since.replace(minute=0, second=0, microsecond=0)
    return hour if period.step == "hour" else hour.replace(hour=0)


def _next(at: datetime, period: Period) -> datetime:
    if period.step == "hour":
        return (at.astimezone(UTC) + timedelta(hours=1)).astimezone(at.tzinfo)
    return at + timedelta(days=1)  # in local time: a day may have 23 or 25 hours
