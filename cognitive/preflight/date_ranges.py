"""Compute the date ranges of phrases such as "last week", by a function for each kind of phrase.

The function of a phrase takes the named groups of the phrase's match, the current time, and the year of a neighbouring
phrase, which applies if the phrase itself names none. It raises ValueError if the calendar has no such day.
"""

from __future__ import annotations

from collections.abc import Callable, Mapping
from datetime import datetime, timedelta

from cognitive.preflight.spans import (
    MONTHS,
    WEEKDAYS,
    Span,
    calendar_quarter,
    calendar_season,
    calendar_year,
    date,
    days,
    months,
    nearest_weekday,
    occurrence,
    part_of,
    week,
    weekend,
)

Groups = Mapping[str, str]

# Name of a group that the grammar adds if a sentence speaks of the future; its value is the same word.
AHEAD = "ahead"

# Number words, from one on.
WORDS = ("one", "two", "three", "four", "five", "six", "seven", "eight", "nine", "ten", "eleven", "twelve")
# Smallest and largest number that a vague count means: "a few weeks ago" is two to five weeks ago.
_VAGUE = {"a": (1, 1), "an": (1, 1), "couple": (1, 3), "few": (2, 5), "several": (3, 8), "or two": (1, 2)}
_OFFSETS = {"last": -1, "this": 0, "next": 1}
_NAMED_DAYS = {"day before yesterday": -2, "yesterday": -1, "today": 0, "tomorrow": 1, "day after tomorrow": 2}


def year_of(groups: Groups, now: datetime) -> int | None:
    """Return the year that a phrase itself names, as a number or as "last year", or None."""
    if groups.get("ofyear"):
        return now.year + _OFFSETS[groups["ofyear"]]
    return int(groups["y"]) if groups.get("y") else None


def _year_named(groups: Groups, now: datetime, year: int | None) -> int | None:
    """Return the year that a phrase itself names, or else `year`, which a neighbouring phrase names."""
    own = year_of(groups, now)
    return own if own is not None else year


def _month_index(name: str) -> int:
    return MONTHS.index(name[:3]) + 1


def _rel(groups: Groups) -> str:
    rel = groups.get("rel") or groups.get(AHEAD, "")
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
    """Return the time span of a phrase like "May 3", "May 3-5" or "May 3 last year".

    If neither the phrase nor a neighbouring phrase names a year, the latest such days that have begun are meant, or
    the next ones if the sentence speaks of the future.
    """
    number, month = _year_named(groups, now, year), _month_index(groups["mon"])
    if number is not None:
        return _day_in(groups, now, number, month)
    step = 1 if groups.get(AHEAD) else -1
    for candidate in range(now.year, now.year + 9 * step, step):  # the 29th of February may be eight years away
        try:
            span = _day_in(groups, now, candidate, month)
        except ValueError:
            continue
        if (span[1] > now) if step > 0 else (span[0] <= now):
            return span
    raise ValueError(f"no such day: {groups!r}")


def nth(groups: Groups, now: datetime, _year: int | None) -> Span:
    """Return the time span of a phrase like "on the 14th": the latest 14th in this month or the two months before.

    If the sentence speaks of the future, it is the next one. "The 14th of last month" is that of the month.
    """
    day, step = int(groups["d"][:-2]), 1 if groups.get(AHEAD) else -1
    if groups.get("ofmonth"):
        first = months(now, now.year, now.month + _OFFSETS[groups["ofmonth"]])[0]
        return date(now, first.year, first.month, day)
    for away in range(3):
        first, after = months(now, now.year, now.month + step * away)
        span = (first + timedelta(days=day - 1), first + timedelta(days=day))
        if span[1] <= after and ((span[1] > now) if step > 0 else (span[0] <= now)):
            return span
    raise ValueError(f"no such day: {groups!r}")


def _in_year(groups: Groups, now: datetime, year: int | None, span_in: Callable[[int], Span]) -> Span:
    """Return the span in the year that a phrase names, or else the one that it means without a year."""
    number = _year_named(groups, now, year)
    return span_in(number) if number is not None else occurrence(now, _rel(groups), span_in)


def month(groups: Groups, now: datetime, year: int | None) -> Span:
    """Return the time span of a phrase like "May 2024", "May last year" or "last May": a month."""
    number = _month_index(groups["mon"])
    return _in_year(groups, now, year, lambda each: months(now, each, number))


def season(groups: Groups, now: datetime, year: int | None) -> Span:
    """Return the time span of a phrase like "summer 2024" or "last summer": a season of three months."""
    return _in_year(groups, now, year, lambda each: calendar_season(now, each, groups["season"]))


def season_before_last(groups: Groups, now: datetime, _year: int | None) -> Span:
    """Return the time span of a phrase like "the summer before last"."""
    return seasons_ago({**groups, "n": "2"}, now, None)


def seasons_ago(groups: Groups, now: datetime, _year: int | None) -> Span:
    """Return the time span of a phrase like "two summers ago": a season; of a vague count, from the earliest on."""
    low, high = _count(groups["n"])
    latest, _ = occurrence(now, "last", lambda each: calendar_season(now, each, groups["season"]))
    first, last = (calendar_season(now, latest.year + 1 - n, groups["season"]) for n in (high, low))
    return first[0], last[1]


def quarter(groups: Groups, now: datetime, year: int | None) -> Span:
    """Return the time span of a phrase like "Q3 2024", "Q3 last year" or "in Q3"."""
    return _in_year(groups, now, year, lambda each: calendar_quarter(now, each, int(groups["q"])))


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
    """Return the time span of a phrase like "last Monday" or "Friday afternoon": a day or a part of it.

    "Monday last week" and "Monday two weeks ago" are those of the calendar week.
    """
    weeks = _weeks_on(groups)
    if weeks is not None:
        monday, after = week(now, weeks)[0], WEEKDAYS.index(groups["weekday"])
        day = (monday + timedelta(days=after), monday + timedelta(days=after + 1))
    else:
        day = nearest_weekday(now, groups["weekday"], _rel(groups))
    return part_of(day, groups["part"]) if groups.get("part") else day


def _weeks_on(groups: Groups) -> int | None:
    """Return by how many weeks the week that a phrase names comes after this one, or None if it names none."""
    if groups.get("ofweek"):
        return _OFFSETS[groups["ofweek"]]
    if groups.get("ago"):
        return -_count(groups["ago"])[1]
    return _count(groups["hence"])[1] if groups.get("hence") else None


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


def second_weekday(groups: Groups, now: datetime, _year: int | None) -> Span:
    """Return the time span of a phrase like "the Friday before last" or "the Friday after next"."""
    days_on, rel = (-7, "last") if groups["skip"] == "before last" else (7, "next")
    return nearest_weekday(now + timedelta(days=days_on), groups["weekday"], rel)


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


def hence(groups: Groups, now: datetime, _year: int | None) -> Span:
    """Return the time span of a phrase like "in three days": a day. Of a vague count, each day that it can mean."""
    low, high = _count(groups["n"])
    unit = groups["unit"]
    if unit in ("day", "week"):
        width = 7 if unit == "week" else 1
        return days(now, width * low, width * high)
    return _calendar(now, unit, low)[0], _calendar(now, unit, high)[1]


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
