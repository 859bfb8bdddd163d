"""Divide a period into steps, hours or days in the viewer's time zone, for charts: totals, labels and links."""

from __future__ import annotations

from collections.abc import Sequence
from datetime import UTC, datetime, timedelta

from brain.analytics.turn_rows import Period, Point, Total
from brain.rollups import RollupCounts
from cognitive.dashboard.params import PageQuery


def fill_buckets(points: Sequence[Point], period: Period, query: PageQuery) -> list[tuple[datetime, Total]]:
    """Return (start, total) for every step of a period, in order; a step without turns gets an empty total.

    A step is an hour or a day.
    """
    known = {point.at.astimezone(UTC): point.total for point in points}
    at, buckets = _first(period, query), list[tuple[datetime, Total]]()
    while at < period.until:
        buckets.append((at, known.get(at.astimezone(UTC), Total("", RollupCounts()))))
        at = _next(at, period)
    return buckets


def bucket_label(at: datetime, period: Period) -> str:
    """Return the label of a chart's step that starts at `at`: its hour, or its day."""
    return f"{at:%H:%M}" if period.step == "hour" else f"{at.day} {at:%b}"


def bucket_link(at: datetime, period: Period, query: PageQuery, **filters: str) -> str:
    """Return the link to the turns in a chart's step, with further filters of the list of turns."""
    return query.link("turns", since=at, until=min(_next(at, period), period.until), **filters)


def _first(period: Period, query: PageQuery) -> datetime:
    """Return the start of a period's first step. For long periods, steps are days in UTC, as in the stored counts."""
    since = period.since.astimezone(query.zone if period.span == "hour" else UTC)
    hour = since.replace(minute=0, second=0, microsecond=0)
    return hour if period.step == "hour" else hour.replace(hour=0)


def _next(at: datetime, period: Period) -> datetime:
    if period.step == "hour":
        return (at.astimezone(UTC) + timedelta(hours=1)).astimezone(at.tzinfo)
    return at + timedelta(days=1)  # in local time: a day may have 23 or 25 hours
