"""Compute the date ranges of phrases such as "last week", by a function for each kind of phrase.

A span is half-open, [start, end), in the time zone of `now`. Days are added on the wall clock (an aware datetime plus
days keeps its hour), so a day that a clock change makes 23 or 25 hours long still runs from midnight to midnight.

The function of a phrase takes the named groups of the phrase's match, the current time, and the year of a neighbouring
phrase, which applies if the phrase itself names none. It raises ValueError if the calendar has no such day.
"""

from __future__ import annotations

from collections.abc import Callable, Mapping
from datetime import datetime, timedelta

Span = tuple[datetime, datetime]
Groups = Mapping[str, str]

WEEKDAYS = ("monday", "tuesday", "wednesday", "thursday", "friday", "saturday", "sunday")
MONTHS = ("jan", "feb", "mar", "apr", "may", "jun", "jul", "aug", "sep", "oct", "nov", "dec")
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

    If `rel` is "this", return the day of the current week instead; if "next", the first such day after today.
    """
    ahead = next(i for i, day in enumerate(WEEKDAYS) if day.startswith(name[:3])) - now.weekday()
    if rel == "this":
        return days(now, ahead)
    if rel == "next":
        return days(now, ahead if ahead > 0 else ahead + 7)
    return days(now, ahead if ahead < 0 else ahead - 7)


def occurrence(now: datetime, rel: str, in_year: Callable[[int], Span]) -> Span:
    """Return the span that a phrase without a year means, such as "last May", "summer" or "Q3".

    `in_year` returns the span in a given year, and `rel` selects the year. "last" selects the latest span that is over,
    and "next" the first that has not begun. "this" selects the previous year's span if it has not ended yet (a winter),
    else the current year's. An empty `rel` selects the latest span that has begun, since people mostly ask a memory
    about the past.
    """
    if rel == "this":
        before = in_year(now.year - 1)
        return before if before[1] > now else in_year(now.year)
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


# Number words, from one on.
WORDS = ("one", "two", "three", "four", "five", "six", "seven", "eight", "nine", "ten", "eleven", "twelve")
# Smallest and largest number that a vague count means: "a few weeks ago" is two to five weeks ago.
_VAGUE = {"a": (1, 1), "an": (1, 1), "couple": (1, 3), "few": (2, 5), "several": (3, 8), "or two": (1, 2)}
_NAMED_DAYS = {"day before yesterday": -2, "yesterday": -1, "today": 0, "tomorrow": 1, "day after tomorrow": 2}


def _year_named(groups: Groups, year: int | None) -> int | None:
    """Return the year that a phrase itself names, or else `year`, which a neighbouring phrase names."""
    return int(groups["y"]) if groups.get("y") else year


def _month_index(name: str) -> int:
    return MONTHS.index(name[:3]) + 1


def _rel(groups: Groups) -> str:
    rel = groups.get("rel", "")
    return "last" if "past" in rel or rel == "previous" else "next" if "coming" in rel else rel


def _count(words: str) -> tuple[int, int]:
    if words.isdigit():
        return int(words), int(words)
    vague = next((word for word in ("couple", "few", "several") if word in words), words)
    exact = WORDS.index(vague) + 1 if vague in WORDS else 0
    return (exact, exact) if exact else _VAGUE[vague]


def iso(groups: Groups, now: datetime, _year: int | None) -> Span:
    """Return the time span of a phrase like "2026-09-14": a day."""
    return date(now, int(groups["y"]), int(groups["m"]), int(groups["d"]))


def slashed(groups: Groups, now: datetime, _year: int | None) -> Span:
    """Return the time span of a phrase like "9/14/2026": a day. The first number is the month unless it is over 12."""
    first, second = int(groups["a"]), int(groups["b"])
    month, day = (second, first) if first > 12 else (first, second)
    return date(now, int(groups["y"]), month, day)


def dotted(groups: Groups, now: datetime, _year: int | None) -> Span:
    """Return the time span of a phrase like "14.09.2026": a day."""
    return date(now, int(groups["y"]), int(groups["b"]), int(groups["a"]))


def _day_in(groups: Groups, now: datetime, number: int, month: int) -> Span:
    first = date(now, number, month, int(groups["d"].rstrip("stndrh")))
    if not groups.get("d2"):
        return first
    return first[0], date(now, number, month, int(groups["d2"].rstrip("stndrh")))[1]


def month_day(groups: Groups, now: datetime, year: int | None) -> Span:
    """Return the time span of a phrase like "May 3" or "May 3-5".

    If neither the phrase nor a neighbouring phrase names a year, the latest such days that have begun are meant.
    """
    number, month = _year_named(groups, year), _month_index(groups["mon"])
    if number is not None:
        return _day_in(groups, now, number, month)
    for candidate in range(now.year, now.year - 9, -1):  # the 29th of February may be eight years away
        try:
            span = _day_in(groups, now, candidate, month)
        except ValueError:
            continue
        if span[0] <= now:
            return span
    raise ValueError(f"no such day: {groups!r}")


def nth(groups: Groups, now: datetime, _year: int | None) -> Span:
    """Return the time span of a phrase like "on the 14th": the latest 14th in this month or the two months before."""
    day = int(groups["d"][:-2])
    for back in range(3):
        first, after = months(now, now.year, now.month - back)
        span = (first + timedelta(days=day - 1), first + timedelta(days=day))
        if span[1] <= after and span[0] <= now:
            return span
    raise ValueError(f"no such day: {groups!r}")


def month(groups: Groups, now: datetime, year: int | None) -> Span:
    """Return the time span of a phrase like "May 2024", "May last year" or "last May": a month."""
    month, number = _month_index(groups["mon"]), _year_named(groups, year)
    if groups.get("ofyear"):
        number = now.year + {"last": -1, "this": 0, "next": 1}[groups["ofyear"]]
    if number is not None:
        return months(now, number, month)
    return occurrence(now, _rel(groups), lambda each: months(now, each, month))


def season(groups: Groups, now: datetime, year: int | None) -> Span:
    """Return the time span of a phrase like "summer 2024" or "last summer": a season of three months."""
    name, number = groups["season"], _year_named(groups, year)
    if groups.get("ofyear"):
        number = now.year + {"last": -1, "this": 0, "next": 1}[groups["ofyear"]]
    if number is not None:
        return calendar_season(now, number, name)
    return occurrence(now, _rel(groups), lambda each: calendar_season(now, each, name))


def quarter(groups: Groups, now: datetime, year: int | None) -> Span:
    """Return the time span of a phrase like "Q3 2024" or "in Q3"."""
    which, number = int(groups["q"]), _year_named(groups, year)
    if number is not None:
        return calendar_quarter(now, number, which)
    return occurrence(now, "", lambda each: calendar_quarter(now, each, which))


def year(groups: Groups, now: datetime, _year: int | None) -> Span:
    """Return the time span of a phrase like "in 2023": a year."""
    return calendar_year(now, int(groups["y"]))


def years(groups: Groups, now: datetime, _year: int | None) -> Span:
    """Return the time span of a phrase like "from 2020-2022": from the first year's start to the last year's end."""
    return calendar_year(now, int(groups["y"]))[0], calendar_year(now, int(groups["y2"]))[1]


def decade(groups: Groups, now: datetime, _year: int | None) -> Span:
    """Return the time span of a phrase like "in the 1990s": ten years."""
    return months(now, int(groups["decade"]), 1, 120)


def weekday(groups: Groups, now: datetime, _year: int | None) -> Span:
    """Return the time span of a phrase like "last Monday" or "Friday afternoon": a day or a part of it."""
    day = nearest_weekday(now, groups["weekday"], _rel(groups))
    return part_of(day, groups["part"]) if groups.get("part") else day


def named_day(groups: Groups, now: datetime, _year: int | None) -> Span:
    """Return the time span of a phrase like "yesterday" or "tomorrow morning": a day or a part of it."""
    day = days(now, _NAMED_DAYS[groups["day"]])
    return part_of(day, groups["part"]) if groups.get("part") else day


def part_of_day(groups: Groups, now: datetime, _year: int | None) -> Span:
    """Return the time span of a phrase like "tonight", "this morning" or "last night"."""
    if groups.get("tonight"):
        return part_of(days(now, 0), "night")
    return part_of(days(now, -1 if _rel(groups) == "last" else 0), groups["part"])


def other_day(_groups: Groups, now: datetime, _year: int | None) -> Span:
    """Return the time span of "the other day": the seven days before today."""
    return days(now, -7, -1)


def _calendar(now: datetime, unit: str, offset: int) -> Span:
    if unit == "day":
        return days(now, offset)
    if unit == "week":
        return week(now, offset)
    if unit == "weekend":
        return weekend(now, offset)
    if unit == "month":
        return months(now, now.year, now.month + offset)
    if unit == "quarter":
        return calendar_quarter(now, now.year, (now.month - 1) // 3 + 1 + offset)
    return calendar_year(now, now.year + offset)


def calendar_unit(groups: Groups, now: datetime, _year: int | None) -> Span:
    """Return the time span of a phrase like "last week" or "this month": a calendar week, month or other unit.

    "The past week" is the last seven days instead.
    """
    unit, rel = groups["unit"], groups["rel"]
    if "past" in rel and unit != "weekend":
        return rolling({"n": "1", "unit": unit}, now, None)
    return _calendar(now, unit, {"last": -1, "next": 1}.get(_rel(groups), 0))


def latest_weekend(_groups: Groups, now: datetime, _year: int | None) -> Span:
    """Return the time span of the phrase "over the weekend": the latest weekend that has begun."""
    return weekend(now, 0 if now.weekday() >= WEEKDAYS.index("saturday") else -1)


def before_last(groups: Groups, now: datetime, _year: int | None) -> Span:
    """Return the time span of a phrase like "the week before last"."""
    return _calendar(now, groups["unit"], -2)


def ago(groups: Groups, now: datetime, _year: int | None) -> Span:
    """Return the time span of a phrase like "three days ago": a day, week, month or other unit.

    A vague count such as "a few weeks back" gives the span from the earliest to the latest unit that it can mean. A
    span in minutes or hours is widened by one unit to either side, a span in weeks by three days.
    """
    low, high = _VAGUE["or two"] if groups.get("ortwo") else _count(groups["n"])
    unit = groups["unit"]
    if unit in ("minute", "hour"):
        width = timedelta(**{f"{unit}s": 1})
        return now - (high + 1) * width, now - max(0, low - 1) * width
    if unit == "week":  # "two weeks ago" means about 14 days, not a calendar week: add three days to either side
        return days(now, -7 * high - 3, -7 * low + 3)
    return _calendar(now, unit, -high)[0], _calendar(now, unit, -low)[1]


def rolling(groups: Groups, now: datetime, _year: int | None) -> Span:
    """Return the time span of a phrase like "the last three days" or "past 24 hours".

    If the unit is a day or longer, the span ends with today.
    """
    high, unit = _count(groups["n"])[1], groups["unit"]
    if unit in ("minute", "hour"):
        return now - timedelta(**{f"{unit}s": high}), now
    if unit in ("month", "quarter", "year"):
        first = months(now, now.year, now.month - high * {"month": 1, "quarter": 3, "year": 12}[unit])[0]
        last = (first + timedelta(days=31)).replace(day=1) - timedelta(days=1)
        return first.replace(day=min(now.day, last.day)), days(now, 0)[1]
    return days(now, -high * (7 if unit.startswith("week") else 1), 0)
