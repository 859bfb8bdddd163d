"""The date range that a phrase means: calendar arithmetic, and a builder for each kind of phrase.

Ranges are half-open spans in the time zone of the clock that is handed in. Sums are made on the wall clock (an aware
datetime plus days keeps its hour), so a day that a clock change makes 23 or 25 hours long still runs from midnight to
midnight.

A builder takes the named groups of a phrase's match, the clock, and the year of a neighbouring phrase, which holds
where the phrase itself names none. It raises ValueError where the calendar has no such day.
"""

from __future__ import annotations

from collections.abc import Callable, Mapping
from datetime import datetime, timedelta

Span = tuple[datetime, datetime]
Groups = Mapping[str, str]

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


def calendar_year(now: datetime, number: int) -> Span:
    """A calendar year."""
    return months(now, number, 1, 12)


def calendar_quarter(now: datetime, number: int, which: int) -> Span:
    """Quarter `which` (1..4, others carry) of a year."""
    return months(now, number, 3 * which - 2, 3)


def calendar_season(now: datetime, number: int, name: str) -> Span:
    """A meteorological season of the northern hemisphere; a winter is named after the year it begins in."""
    return months(now, number, SEASONS[name], 3)


def nearest_weekday(now: datetime, name: str, rel: str) -> Span:
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


# The counts that are written as words, from one on.
WORDS = ("one", "two", "three", "four", "five", "six", "seven", "eight", "nine", "ten", "eleven", "twelve")
# A vague count means a stretch: "a few weeks ago" is two to five.
_VAGUE = {"a": (1, 1), "an": (1, 1), "couple": (1, 3), "few": (2, 5), "several": (3, 8), "or two": (1, 2)}
_NAMED_DAYS = {"day before yesterday": -2, "yesterday": -1, "today": 0, "tomorrow": 1, "day after tomorrow": 2}


def _year_named(groups: Groups, year: int | None) -> int | None:
    """The year that the phrase itself names, or else its neighbour's."""
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
    """The phrase "2026-09-14": that day."""
    return date(now, int(groups["y"]), int(groups["m"]), int(groups["d"]))


def slashed(groups: Groups, now: datetime, _year: int | None) -> Span:
    """The phrase "9/14/2026": that day; the month stands first unless it cannot be one."""
    first, second = int(groups["a"]), int(groups["b"])
    month, day = (second, first) if first > 12 else (first, second)
    return date(now, int(groups["y"]), month, day)


def dotted(groups: Groups, now: datetime, _year: int | None) -> Span:
    """The phrase "14.09.2026": that day."""
    return date(now, int(groups["y"]), int(groups["b"]), int(groups["a"]))


def _day_in(groups: Groups, now: datetime, number: int, month: int) -> Span:
    first = date(now, number, month, int(groups["d"].rstrip("stndrh")))
    if not groups.get("d2"):
        return first
    return first[0], date(now, number, month, int(groups["d2"].rstrip("stndrh")))[1]


def month_day(groups: Groups, now: datetime, year: int | None) -> Span:
    """The phrase "May 3", "May 3-5": in the year named, or else the latest that has begun."""
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
    """The phrase "on the 14th": in this month, or in the latest before it that has such a day."""
    day = int(groups["d"][:-2])
    for back in range(3):
        first, after = months(now, now.year, now.month - back)
        span = (first + timedelta(days=day - 1), first + timedelta(days=day))
        if span[1] <= after and span[0] <= now:
            return span
    raise ValueError(f"no such day: {groups!r}")


def month(groups: Groups, now: datetime, year: int | None) -> Span:
    """The phrase "May 2024", "May last year", "last May": the month."""
    month, number = _month_index(groups["mon"]), _year_named(groups, year)
    if groups.get("ofyear"):
        number = now.year + {"last": -1, "this": 0, "next": 1}[groups["ofyear"]]
    if number is not None:
        return months(now, number, month)
    return occurrence(now, _rel(groups), lambda each: months(now, each, month))


def season(groups: Groups, now: datetime, year: int | None) -> Span:
    """The phrase "summer 2024", "last summer": the season."""
    name, number = groups["season"], _year_named(groups, year)
    if groups.get("ofyear"):
        number = now.year + {"last": -1, "this": 0, "next": 1}[groups["ofyear"]]
    if number is not None:
        return calendar_season(now, number, name)
    return occurrence(now, _rel(groups), lambda each: calendar_season(now, each, name))


def quarter(groups: Groups, now: datetime, year: int | None) -> Span:
    """The phrase "Q3 2024", "in Q3": the quarter."""
    which, number = int(groups["q"]), _year_named(groups, year)
    if number is not None:
        return calendar_quarter(now, number, which)
    return occurrence(now, "", lambda each: calendar_quarter(now, each, which))


def year(groups: Groups, now: datetime, _year: int | None) -> Span:
    """The phrase "in 2023": the year."""
    return calendar_year(now, int(groups["y"]))


def years(groups: Groups, now: datetime, _year: int | None) -> Span:
    """The phrase "from 2020-2022": from the first year to the end of the last."""
    return calendar_year(now, int(groups["y"]))[0], calendar_year(now, int(groups["y2"]))[1]


def decade(groups: Groups, now: datetime, _year: int | None) -> Span:
    """The phrase "in the 1990s": ten years."""
    return months(now, int(groups["decade"]), 1, 120)


def weekday(groups: Groups, now: datetime, _year: int | None) -> Span:
    """The phrase "last Monday", "Friday afternoon": the day, or that part of it."""
    day = nearest_weekday(now, groups["weekday"], _rel(groups))
    return part_of(day, groups["part"]) if groups.get("part") else day


def named_day(groups: Groups, now: datetime, _year: int | None) -> Span:
    """The phrase "yesterday", "tomorrow morning": the day, or that part of it."""
    day = days(now, _NAMED_DAYS[groups["day"]])
    return part_of(day, groups["part"]) if groups.get("part") else day


def part_of_day(groups: Groups, now: datetime, _year: int | None) -> Span:
    """The phrase "tonight", "this morning", "last night": that part of today or of yesterday."""
    if groups.get("tonight"):
        return part_of(days(now, 0), "night")
    return part_of(days(now, -1 if _rel(groups) == "last" else 0), groups["part"])


def other_day(_groups: Groups, now: datetime, _year: int | None) -> Span:
    """The phrase "the other day": the week before today."""
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
    """The phrase "last week", "this month": as the calendar has it; "the past week": the last seven days."""
    unit, rel = groups["unit"], groups["rel"]
    if "past" in rel and unit != "weekend":  # "the past week" is the last seven days, "last week" the calendar's
        return rolling({"n": "1", "unit": unit}, now, None)
    return _calendar(now, unit, {"last": -1, "next": 1}.get(_rel(groups), 0))


def before_last(groups: Groups, now: datetime, _year: int | None) -> Span:
    """The phrase "the week before last", or another unit of the calendar."""
    return _calendar(now, groups["unit"], -2)


def ago(groups: Groups, now: datetime, _year: int | None) -> Span:
    """The phrase "three days ago", "a few weeks back": the units so far back, as a stretch where the count is vague."""
    low, high = _VAGUE["or two"] if groups.get("ortwo") else _count(groups["n"])
    unit = groups["unit"]
    if unit in ("minute", "hour"):
        width = timedelta(**{f"{unit}s": 1})
        return now - (high + 1) * width, now - max(0, low - 1) * width
    if unit == "week":  # nobody counts weeks from their Monday: the day so many weeks back, and three to either side
        return days(now, -7 * high - 3, -7 * low + 3)
    return _calendar(now, unit, -high)[0], _calendar(now, unit, -low)[1]


def rolling(groups: Groups, now: datetime, _year: int | None) -> Span:
    """The phrase "the last three days", "past 24 hours": up to now."""
    high, unit = _count(groups["n"])[1], groups["unit"]
    if unit in ("minute", "hour"):
        return now - timedelta(**{f"{unit}s": high}), now
    if unit in ("month", "quarter", "year"):
        first = months(now, now.year, now.month - high * {"month": 1, "quarter": 3, "year": 12}[unit])[0]
        last = (first + timedelta(days=31)).replace(day=1) - timedelta(days=1)
        return first.replace(day=min(now.day, last.day)), days(now, 0)[1]
    return days(now, -high * (7 if unit.startswith("week") else 1), 0)
