"""Compute spans of time by the calendar: days, weeks, months, seasons, and the occurrence that a phrase means.

A span is half-open, [start, end), in the time zone of `now`. Days are added on the wall clock (an aware datetime plus
days keeps its hour), so a day that a clock change makes 23 or 25 hours long still runs from midnight to midnight.
"""

from __future__ import annotations

from collections.abc import Callable
from datetime import datetime, timedelta

from brain.languages import ENGLISH
from brain.languages import MONTHS as MONTH_NAMES

Span = tuple[datetime, datetime]

WEEKDAYS = ("monday", "tuesday", "wednesday", "thursday", "friday", "saturday", "sunday")
MONTHS = tuple(name[:3].lower() for name in MONTH_NAMES[ENGLISH])
SEASONS = {"spring": 3, "summer": 6, "autumn": 9, "fall": 9, "winter": 12}
# Hours after midnight; a night belongs to the day on which it begins.
_PARTS = {"morning": (4, 12), "afternoon": (12, 18), "evening": (17, 24), "night": (18, 30)}


def midnight(moment: datetime) -> datetime:
    """Return the beginning of a moment's day, in its time zone."""
    return moment.replace(hour=0, minute=0, second=0, microsecond=0, fold=0)


def days(now: datetime, first: int, last: int | None = None) -> Span:
    """Return the span from the day `first` days after today to the day `last` days after today, both included.

    The numbers may be negative. `last` defaults to `first`, which gives a single day.
    """
    today = midnight(now)
    return today + timedelta(days=first), today + timedelta(days=(first if last is None else last) + 1)


def part_of(day: Span, part: str) -> Span:
    """Return the span of the morning, afternoon, evening or night of a day; a night ends on the next morning."""
    begin, end = _PARTS[part]
    return day[0] + timedelta(hours=begin), day[0] + timedelta(hours=end)


def date(now: datetime, year: int, month: int, day: int) -> Span:
    """Return the span of one calendar day.

    Raises:
        ValueError: the calendar has no such day.
    """
    start = midnight(now).replace(year=year, month=month, day=day)
    return start, start + timedelta(days=1)


def week(now: datetime, offset: int = 0) -> Span:
    """Return the span of the week, from Monday on, that is `offset` weeks after the current one."""
    monday = -now.weekday() + 7 * offset
    return days(now, monday, monday + 6)


def weekend(now: datetime, offset: int = 0) -> Span:
    """Return the span of Saturday and Sunday in the week that is `offset` weeks after the current one."""
    saturday = 5 - now.weekday() + 7 * offset
    return days(now, saturday, saturday + 1)


def months(now: datetime, year: int, month: int, count: int = 1) -> Span:
    """Return the span of `count` whole months from a month on; a month outside 1..12 carries into the year."""
    return _month_start(now, year, month), _month_start(now, year, month + count)


def calendar_year(now: datetime, number: int) -> Span:
    """Return the span of calendar year `number`."""
    return months(now, number, 1, 12)


def calendar_quarter(now: datetime, number: int, which: int) -> Span:
    """Return the span of quarter `which` of year `number`; a quarter outside 1..4 carries into the year."""
    return months(now, number, 3 * which - 2, 3)


def calendar_season(now: datetime, number: int, name: str) -> Span:
    """Return the span of a meteorological season of the northern hemisphere, in year `number`.

    A winter belongs to the year in which it begins.
    """
    return months(now, number, SEASONS[name], 3)


def nearest_weekday(now: datetime, name: str, rel: str) -> Span:
    """Return the span of the latest day before today that has the weekday `name`, such as "monday".

    If `rel` is "this", return the day of the current week instead; if "next" or "ahead", the first such day after
    today.
    """
    ahead = next(i for i, day in enumerate(WEEKDAYS) if day.startswith(name[:3])) - now.weekday()
    if rel == "this":
        return days(now, ahead)
    if rel in ("next", "ahead"):
        return days(now, ahead if ahead > 0 else ahead + 7)
    return days(now, ahead if ahead < 0 else ahead - 7)


def occurrence(now: datetime, rel: str, in_year: Callable[[int], Span]) -> Span:
    """Return the span that a phrase without a year means, such as "last May", "summer" or "Q3".

    `in_year` returns the span in a given year, and `rel` selects the year. "last" selects the latest span that is over,
    "next" the first that has not begun, and "ahead" the first that is not over. "this" selects the previous year's span
    if it has not ended yet (a winter), else the current year's. An empty `rel` selects the latest span that has begun,
    since people mostly ask a memory about the past.
    """
    if rel == "this":
        before = in_year(now.year - 1)
        return before if before[1] > now else in_year(now.year)
    if rel == "ahead":
        return next(span for span in map(in_year, range(now.year - 1, now.year + 3)) if span[1] > now)
    if rel == "next":
        return next(span for span in map(in_year, range(now.year - 1, now.year + 3)) if span[0] > now)
    recent = map(in_year, range(now.year, now.year - 3, -1))
    return next(span for span in recent if (span[1] if rel == "last" else span[0]) <= now)


def third(span: Span, which: str) -> Span:
    """Return the early, middle or late third of a span in whole days; a span under three days is returned whole."""
    start, end = span
    length = (end - start).days
    if length < 3:
        return span
    cut = length // 3
    first, second = start + timedelta(days=cut), start + timedelta(days=2 * cut)
    return {"early": (start, first), "mid": (first, second), "late": (second, end)}[which]


def _month_start(now: datetime, number: int, month: int) -> datetime:
    carried, index = divmod(month - 1, 12)
    return midnight(now).replace(year=number + carried, month=index + 1, day=1)
