"""The span that each kind of date phrase means: from what its pattern matched, by a given clock.

A builder takes the named groups of the match, the clock, and the year of a neighbouring phrase, which holds where the
phrase itself names none. It raises ValueError where the calendar has no such day.
"""

from __future__ import annotations

from collections.abc import Mapping
from datetime import datetime, timedelta

from cognitive.preflight import periods
from cognitive.preflight.periods import Span

Groups = Mapping[str, str]

# The counts that are written as words, from one on.
WORDS = ("one", "two", "three", "four", "five", "six", "seven", "eight", "nine", "ten", "eleven", "twelve")
# A vague count means a stretch: "a few weeks ago" is two to five.
_VAGUE = {"a": (1, 1), "an": (1, 1), "couple": (1, 3), "few": (2, 5), "several": (3, 8), "or two": (1, 2)}
_NAMED_DAYS = {"day before yesterday": -2, "yesterday": -1, "today": 0, "tomorrow": 1, "day after tomorrow": 2}


def _year_named(groups: Groups, year: int | None) -> int | None:
    """The year that the phrase itself names, or else its neighbour's."""
    return int(groups["y"]) if groups.get("y") else year


def _month_index(name: str) -> int:
    return periods.MONTHS.index(name[:3]) + 1


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
    return periods.date(now, int(groups["y"]), int(groups["m"]), int(groups["d"]))


def slashed(groups: Groups, now: datetime, _year: int | None) -> Span:
    """The phrase "9/14/2026": that day; the month stands first unless it cannot be one."""
    first, second = int(groups["a"]), int(groups["b"])
    month, day = (second, first) if first > 12 else (first, second)
    return periods.date(now, int(groups["y"]), month, day)


def dotted(groups: Groups, now: datetime, _year: int | None) -> Span:
    """The phrase "14.09.2026": that day."""
    return periods.date(now, int(groups["y"]), int(groups["b"]), int(groups["a"]))


def _day_in(groups: Groups, now: datetime, number: int, month: int) -> Span:
    first = periods.date(now, number, month, int(groups["d"].rstrip("stndrh")))
    if not groups.get("d2"):
        return first
    return first[0], periods.date(now, number, month, int(groups["d2"].rstrip("stndrh")))[1]


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
        first, after = periods.months(now, now.year, now.month - back)
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
        return periods.months(now, number, month)
    return periods.occurrence(now, _rel(groups), lambda each: periods.months(now, each, month))


def season(groups: Groups, now: datetime, year: int | None) -> Span:
    """The phrase "summer 2024", "last summer": the season."""
    name, number = groups["season"], _year_named(groups, year)
    if groups.get("ofyear"):
        number = now.year + {"last": -1, "this": 0, "next": 1}[groups["ofyear"]]
    if number is not None:
        return periods.season(now, number, name)
    return periods.occurrence(now, _rel(groups), lambda each: periods.season(now, each, name))


def quarter(groups: Groups, now: datetime, year: int | None) -> Span:
    """The phrase "Q3 2024", "in Q3": the quarter."""
    which, number = int(groups["q"]), _year_named(groups, year)
    if number is not None:
        return periods.quarter(now, number, which)
    return periods.occurrence(now, "", lambda each: periods.quarter(now, each, which))


def year(groups: Groups, now: datetime, _year: int | None) -> Span:
    """The phrase "in 2023": the year."""
    return periods.year(now, int(groups["y"]))


def years(groups: Groups, now: datetime, _year: int | None) -> Span:
    """The phrase "from 2020-2022": from the first year to the end of the last."""
    return periods.year(now, int(groups["y"]))[0], periods.year(now, int(groups["y2"]))[1]


def decade(groups: Groups, now: datetime, _year: int | None) -> Span:
    """The phrase "in the 1990s": ten years."""
    return periods.months(now, int(groups["decade"]), 1, 120)


def weekday(groups: Groups, now: datetime, _year: int | None) -> Span:
    """The phrase "last Monday", "Friday afternoon": the day, or that part of it."""
    day = periods.weekday(now, groups["weekday"], _rel(groups))
    return periods.part_of(day, groups["part"]) if groups.get("part") else day


def named_day(groups: Groups, now: datetime, _year: int | None) -> Span:
    """The phrase "yesterday", "tomorrow morning": the day, or that part of it."""
    day = periods.days(now, _NAMED_DAYS[groups["day"]])
    return periods.part_of(day, groups["part"]) if groups.get("part") else day


def part_of_day(groups: Groups, now: datetime, _year: int | None) -> Span:
    """The phrase "tonight", "this morning", "last night": that part of today or of yesterday."""
    if groups.get("tonight"):
        return periods.part_of(periods.days(now, 0), "night")
    return periods.part_of(periods.days(now, -1 if _rel(groups) == "last" else 0), groups["part"])


def other_day(_groups: Groups, now: datetime, _year: int | None) -> Span:
    """The phrase "the other day": the week before today."""
    return periods.days(now, -7, -1)


def _calendar(now: datetime, unit: str, offset: int) -> Span:
    if unit == "day":
        return periods.days(now, offset)
    if unit == "week":
        return periods.week(now, offset)
    if unit == "weekend":
        return periods.weekend(now, offset)
    if unit == "month":
        return periods.months(now, now.year, now.month + offset)
    if unit == "quarter":
        return periods.quarter(now, now.year, (now.month - 1) // 3 + 1 + offset)
    return periods.year(now, now.year + offset)


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
        return periods.days(now, -7 * high - 3, -7 * low + 3)
    return _calendar(now, unit, -high)[0], _calendar(now, unit, -low)[1]


def rolling(groups: Groups, now: datetime, _year: int | None) -> Span:
    """The phrase "the last three days", "past 24 hours": up to now."""
    high, unit = _count(groups["n"])[1], groups["unit"]
    if unit in ("minute", "hour"):
        return now - timedelta(**{f"{unit}s": high}), now
    if unit in ("month", "quarter", "year"):
        first = periods.months(now, now.year, now.month - high * {"month": 1, "quarter": 3, "year": 12}[unit])[0]
        last = (first + timedelta(days=31)).replace(day=1) - timedelta(days=1)
        return first.replace(day=min(now.day, last.day)), periods.days(now, 0)[1]
    return periods.days(now, -high * (7 if unit.startswith("week") else 1), 0)
