"""Calendar arithmetic for named periods: half-open spans in the time zone of the clock that is handed in.

Sums are made on the wall clock (an aware datetime plus days keeps its hour), so a day that a clock change makes
23 or 25 hours long still runs from midnight to midnight.
"""

from __future__ import annotations

from collections.abc import Callable
from datetime import datetime, timedelta

Span = tuple[datetime, datetime]

WEEKDAYS = ("monday", "tuesday", "wednesday", "thursday", "friday", "saturday", "sunday")
MONTHS = ("jan", "feb", "mar", "apr", "may", "jun", "jul", "aug", "sep", "oct", "nov", "dec")
SEASONS = {"spring": 3, "summer": 6, "autumn": 9, "fall": 9, "winter": 12}
# Hours after midnight; a night belongs to the evening it begins in.
_PARTS = {"morning": (4, 12), "afternoon": (12, 18), "evening": (17, 24), "night": (18, 30)}


def midnight(moment: datetime) -> datetime:
    """The beginning of the moment's day."""
    return moment.replace(hour=0, minute=0, second=0, microsecond=0, fold=0)


def days(now: datetime, first: int, last: int | None = None) -> Span:
    """From day `first` to day `last` inclusive, counted from today."""
    today = midnight(now)
    return today + timedelta(days=first), today + timedelta(days=(first if last is None else last) + 1)


def part_of(day: Span, part: str) -> Span:
    """The morning, afternoon, evening or night of a day."""
    begin, end = _PARTS[part]
    return day[0] + timedelta(hours=begin), day[0] + timedelta(hours=end)


def date(now: datetime, year: int, month: int, day: int) -> Span:
    """One calendar day; ValueError when the calendar has no such day."""
    start = midnight(now).replace(year=year, month=month, day=day)
    return start, start + timedelta(days=1)


def week(now: datetime, offset: int = 0) -> Span:
    """A week from Monday, counted from the current one."""
    monday = -now.weekday() + 7 * offset
    return days(now, monday, monday + 6)


def weekend(now: datetime, offset: int = 0) -> Span:
    """Saturday and Sunday of the week at that offset."""
    saturday = 5 - now.weekday() + 7 * offset
    return days(now, saturday, saturday + 1)


def months(now: datetime, year: int, month: int, count: int = 1) -> Span:
    """`count` whole months from the given one; a month outside 1..12 carries into the year."""
    return _month_start(now, year, month), _month_start(now, year, month + count)


def year(now: datetime, number: int) -> Span:
    """A calendar year."""
    return months(now, number, 1, 12)


def quarter(now: datetime, number: int, which: int) -> Span:
    """Quarter `which` (1..4, others carry) of a year."""
    return months(now, number, 3 * which - 2, 3)


def season(now: datetime, number: int, name: str) -> Span:
    """A meteorological season of the northern hemisphere; a winter is named after the year it begins in."""
    return months(now, number, SEASONS[name], 3)


def weekday(now: datetime, name: str, rel: str) -> Span:
    """The last such day before today; "this" looks in the current week, "next" ahead."""
    ahead = next(i for i, day in enumerate(WEEKDAYS) if day.startswith(name[:3])) - now.weekday()
    if rel == "this":
        return days(now, ahead)
    if rel == "next":
        return days(now, ahead if ahead > 0 else ahead + 7)
    return days(now, ahead if ahead < 0 else ahead - 7)


def occurrence(now: datetime, rel: str, in_year: Callable[[int], Span]) -> Span:
    """Which of the yearly occurrences a bare name means: people talk to a memory about the past.

    "last" is the latest that is over, "next" the first still to begin, "this" the one under way or else the current
    year's, and without a word the latest that has begun.
    """
    if rel == "this":
        before = in_year(now.year - 1)
        return before if before[1] > now else in_year(now.year)
    if rel == "next":
        return next(span for span in map(in_year, range(now.year - 1, now.year + 3)) if span[0] > now)
    recent = map(in_year, range(now.year, now.year - 3, -1))
    return next(span for span in recent if (span[1] if rel == "last" else span[0]) <= now)


def third(span: Span, which: str) -> Span:
    """The early, middle or late third, in whole days; a span too short to be cut comes back whole."""
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
