"""Divide the period of a chart into hours or days in the viewer's time zone: totals, labels and links.

Such an hour or day of a chart is called a step.
"""

from __future__ import annotations

from collections.abc import Sequence
from datetime import UTC, datetime, timedelta

from brain.analytics.turn_rows import Period, Point, Total
from brain.rollups import RollupCounts
from cognitive.dashboard.params import PageQuery


def fill_buckets(points: Sequence[Point], period: Period, query: PageQuery) -> list[tuple[datetime, Total]]:
    """Return (start, total) for every step (hour or day) of a chart's period, in order.

    A step without turns gets an empty total.
    """
    known = {point.at.astimezone(UTC): point.total for point in points}
    at, buckets = _first(period, query), list[tuple[datetime, Total]]()
    while at < period.until:
        buckets.append((at, known.get(at.astimezone(UTC), Total("", RollupCounts()))))
        at = _next(at, period)
    return buckets


def bucket_label(at: datetime, period: Period) -> str:
    """Return the label of the chart's step (hour or day) that starts at `at`."""
    return f"{at:%H:%M}" if period.step == "hour" else f"{at.day} {at:%b}"


def bucket_link(at: datetime, period: Period, query: PageQuery, **filters: str) -> str:
    """Return the link to the list of turns, restricted to the chart's step (hour or day) that starts at `at`.

    `filters` restrict the list further.
    """
    return query.link("turns", since=at, until=min(_next(at, period), period.until), **filters)


def _first(period: Period, query: PageQuery) -> datetime:
    """Return the start of the first step (hour or day) of a chart's period.

    In long periods, days begin at midnight UTC, because the stored counts are by day in UTC.
    """
    since = period.begin.astimezone(query.zone if period.span == "hour" else UTC)
    hour = since.replace(minute=0, second=0, microsecond=0)
    return hour if period.step == "hour" else hour.replace(hour=0)


def _next(at: datetime, period: Period) -> datetime:
    if period.step == "hour":
        return (at.astimezone(UTC) + timedelta(hours=1)).astimezone(at.tzinfo)
    return at + timedelta(days=1)  # in local time: a day may have 23 or 25 hours
