"""The phrases that name a date, one row each: how it looks, the span it means, and whether it needs a neighbour."""

from __future__ import annotations

import re
from collections.abc import Callable, Mapping
from dataclasses import dataclass
from datetime import datetime, timedelta

from cognitive.preflight import periods
from cognitive.preflight.periods import Span
from cognitive.preflight.rules.matching import Rule

Groups = Mapping[str, str]
Build = Callable[[Groups, datetime, int | None], Span]  # the year is a neighbour's, for a phrase that names none


@dataclass(frozen=True, slots=True)
class Form:
    """One kind of phrase. With `needs`, the bare phrase is a date only after one of these words."""

    rule: Rule
    build: Build
    needs: frozenset[str] | None = None


_MONTH = (
    r"(?:jan(?:uary)?|feb(?:ruary)?|mar(?:ch)?|apr(?:il)?|may|june?|july?|aug(?:ust)?|sept?(?:ember)?|oct(?:ober)?"
    r"|nov(?:ember)?|dec(?:ember)?)"
)
_WEEKDAY = r"(?:monday|tuesday|wednesday|thursday|friday|saturday|sunday)"
_SEASON = r"(?:spring|summer|autumn|fall|winter)"
_YEAR = r"(?:19|20)\d\d"
_NTH = r"(?:0?[1-9]|[12]\d|3[01])"
_DAY = rf"{_NTH}(?:st|nd|rd|th)?"
_REL = r"(?:last|this|next|this past|past|previous|this coming)"
_PART = r"(?:morning|afternoon|evening|night)"
_TO = r"\s?(?:-+|to|and|through|until|till)\s?(?:the )?"
_WORDS = ("one", "two", "three", "four", "five", "six", "seven", "eight", "nine", "ten", "eleven", "twelve")
# A vague count means a stretch: "a few weeks ago" is two to five.
_VAGUE = {"a": (1, 1), "an": (1, 1), "couple": (1, 3), "few": (2, 5), "several": (3, 8), "or two": (1, 2)}
_COUNT = rf"(?:\d{{1,3}}|an?|(?:a )?couple(?: of)?|(?:a |the )?few|several|{'|'.join(_WORDS)})"
_SOME = rf"(?:\d{{1,3}}|couple(?: of)?|few|several|{'|'.join(_WORDS)})"
_CALENDAR = r"(?:week|weekend|month|quarter|year)"
_UNIT = rf"(?:minute|hour|day|{_CALENDAR})"


def _number(year: Groups, hint: int | None) -> int | None:
    return int(year["y"]) if year.get("y") else hint


def _month_index(name: str) -> int:
    return periods.MONTHS.index(name[:3]) + 1


def _rel(groups: Groups) -> str:
    rel = groups.get("rel", "")
    return "last" if "past" in rel or rel == "previous" else "next" if "coming" in rel else rel


def _count(words: str) -> tuple[int, int]:
    if words.isdigit():
        return int(words), int(words)
    vague = next((word for word in ("couple", "few", "several") if word in words), words)
    exact = _WORDS.index(vague) + 1 if vague in _WORDS else 0
    return (exact, exact) if exact else _VAGUE[vague]


def _iso(groups: Groups, now: datetime, _year: int | None) -> Span:
    return periods.date(now, int(groups["y"]), int(groups["m"]), int(groups["d"]))


def _slashed(groups: Groups, now: datetime, _year: int | None) -> Span:
    first, second = int(groups["a"]), int(groups["b"])
    month, day = (second, first) if first > 12 else (first, second)
    return periods.date(now, int(groups["y"]), month, day)


def _dotted(groups: Groups, now: datetime, _year: int | None) -> Span:
    return periods.date(now, int(groups["y"]), int(groups["b"]), int(groups["a"]))


def _day_in(groups: Groups, now: datetime, number: int, month: int) -> Span:
    first = periods.date(now, number, month, int(groups["d"].rstrip("stndrh")))
    if not groups.get("d2"):
        return first
    return first[0], periods.date(now, number, month, int(groups["d2"].rstrip("stndrh")))[1]


def _month_day(groups: Groups, now: datetime, year: int | None) -> Span:
    number, month = _number(groups, year), _month_index(groups["mon"])
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


def _nth(groups: Groups, now: datetime, _year: int | None) -> Span:
    day = int(groups["d"][:-2])
    for back in range(3):
        first, after = periods.months(now, now.year, now.month - back)
        span = (first + timedelta(days=day - 1), first + timedelta(days=day))
        if span[1] <= after and span[0] <= now:
            return span
    raise ValueError(f"no such day: {groups!r}")


def _month(groups: Groups, now: datetime, year: int | None) -> Span:
    month, number = _month_index(groups["mon"]), _number(groups, year)
    if groups.get("ofyear"):
        number = now.year + {"last": -1, "this": 0, "next": 1}[groups["ofyear"]]
    if number is not None:
        return periods.months(now, number, month)
    return periods.occurrence(now, _rel(groups), lambda each: periods.months(now, each, month))


def _season(groups: Groups, now: datetime, year: int | None) -> Span:
    name, number = groups["season"], _number(groups, year)
    if groups.get("ofyear"):
        number = now.year + {"last": -1, "this": 0, "next": 1}[groups["ofyear"]]
    if number is not None:
        return periods.season(now, number, name)
    return periods.occurrence(now, _rel(groups), lambda each: periods.season(now, each, name))


def _quarter(groups: Groups, now: datetime, year: int | None) -> Span:
    which, number = int(groups["q"]), _number(groups, year)
    if number is not None:
        return periods.quarter(now, number, which)
    return periods.occurrence(now, "", lambda each: periods.quarter(now, each, which))


def _year_form(groups: Groups, now: datetime, _year: int | None) -> Span:
    return periods.year(now, int(groups["y"]))


def _years(groups: Groups, now: datetime, _year: int | None) -> Span:
    return periods.year(now, int(groups["y"]))[0], periods.year(now, int(groups["y2"]))[1]


def _decade(groups: Groups, now: datetime, _year: int | None) -> Span:
    return periods.months(now, int(groups["decade"]), 1, 120)


def _weekday(groups: Groups, now: datetime, _year: int | None) -> Span:
    day = periods.weekday(now, groups["weekday"], _rel(groups))
    return periods.part_of(day, groups["part"]) if groups.get("part") else day


_NAMED_DAYS = {"day before yesterday": -2, "yesterday": -1, "today": 0, "tomorrow": 1, "day after tomorrow": 2}


def _day_word(groups: Groups, now: datetime, _year: int | None) -> Span:
    day = periods.days(now, _NAMED_DAYS[groups["day"]])
    return periods.part_of(day, groups["part"]) if groups.get("part") else day


def _part_word(groups: Groups, now: datetime, _year: int | None) -> Span:
    if groups.get("tonight"):
        return periods.part_of(periods.days(now, 0), "night")
    return periods.part_of(periods.days(now, -1 if _rel(groups) == "last" else 0), groups["part"])


def _other_day(_groups: Groups, now: datetime, _year: int | None) -> Span:
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


def _unit(groups: Groups, now: datetime, _year: int | None) -> Span:
    unit, rel = groups["unit"], groups["rel"]
    if "past" in rel and unit != "weekend":  # "the past week" is the last seven days, "last week" the calendar's
        return _rolling({"n": "1", "unit": unit}, now, None)
    return _calendar(now, unit, {"last": -1, "next": 1}.get(_rel(groups), 0))


def _before_last(groups: Groups, now: datetime, _year: int | None) -> Span:
    return _calendar(now, groups["unit"], -2)


def _ago(groups: Groups, now: datetime, _year: int | None) -> Span:
    low, high = _VAGUE["or two"] if groups.get("ortwo") else _count(groups["n"])
    unit = groups["unit"]
    if unit in ("minute", "hour"):
        width = timedelta(**{f"{unit}s": 1})
        return now - (high + 1) * width, now - max(0, low - 1) * width
    if unit == "week":  # nobody counts weeks from their Monday: the day so many weeks back, and three to either side
        return periods.days(now, -7 * high - 3, -7 * low + 3)
    return _calendar(now, unit, -high)[0], _calendar(now, unit, -low)[1]


def _rolling(groups: Groups, now: datetime, _year: int | None) -> Span:
    high, unit = _count(groups["n"])[1], groups["unit"]
    if unit in ("minute", "hour"):
        return now - timedelta(**{f"{unit}s": high}), now
    if unit in ("month", "quarter", "year"):
        first = periods.months(now, now.year, now.month - high * {"month": 1, "quarter": 3, "year": 12}[unit])[0]
        last = (first + timedelta(days=31)).replace(day=1) - timedelta(days=1)
        return first.replace(day=min(now.day, last.day)), periods.days(now, 0)[1]
    return periods.days(now, -high * (7 if unit.startswith("week") else 1), 0)


_IN = frozenset({"in", "during", "since", "after", "before", "until", "till", "prior", "throughout", "around", "circa"})
_OFYEAR = r"(?P<ofyear>last|this|next) year"


def _form(
    name: str, pattern: str, build: Build, examples: tuple[str, ...], counterexamples: tuple[str, ...] = (),
    needs: frozenset[str] | None = None,
) -> Form:  # fmt: skip
    rule = Rule(f"date.{name}", "date", pattern, examples=examples, counterexamples=counterexamples)
    return Form(rule, build, needs)


FORMS = (
    _form(
        "iso", rf"(?P<y>{_YEAR})[-/](?P<m>0?[1-9]|1[0-2])[-/](?P<d>{_NTH})(?:t[\d:.]+z?)?", _iso,
        ("the incident of 2026-09-14", "2026/9/14", "at 2026-09-14T10:30:00Z"),
        ("2026-02-31", "report-2026-09-14.csv", "/logs/2026/09/14/app", "2026-13-01", "part 12026-09-145"),
    ),
    _form(
        "slashed", rf"(?P<a>\d{{1,2}})/(?P<b>\d{{1,2}})/(?P<y>{_YEAR})", _slashed,
        ("9/14/2026", "on 14/9/2026"), ("31/2/2026", "99/99/2026", "9/14", "1/2/3"),
    ),
    _form(
        "dotted", rf"(?P<a>\d{{1,2}})\.(?P<b>\d{{1,2}})\.(?P<y>{_YEAR})", _dotted,
        ("am 14.09.2026",), ("31.02.2026", "version 1.14.2026.3"),
    ),
    _form(
        "month_day", rf"(?P<mon>{_MONTH})\.? (?:the )?(?P<d>{_DAY})(?:{_TO}(?P<d2>{_DAY}))?(?:,? (?P<y>{_YEAR}))?",
        _month_day,
        ("September 14", "September 14th, 2025", "Sept. 14", "May 3-5", "on may 5", "February 29", "July 4 to 6, 2024"),
        ("February 31", "April 31st, 2024", "you may 5 times a day retry", "march 2 steps forward"),
    ),
    _form(
        "day_month",
        rf"(?:the )?(?P<d>{_DAY})(?:{_TO}(?P<d2>{_DAY}))? (?:of )?(?P<mon>{_MONTH})(?:,? (?P<y>{_YEAR}))?", _month_day,
        ("on 14 September", "14 September 2026", "the 14th of September", "from 3 to 5 May", "the 3rd of may"),
        ("31 February", "30 Feb 2024"),
    ),
    _form(
        "month_year", rf"(?P<mon>{_MONTH})\.?(?:,? |-| of )(?:(?P<y>{_YEAR})|(?:of )?{_OFYEAR})", _month,
        ("May 2024", "in may 2024", "May last year", "March of this year", "Sep-2023"), ("Mayor 2024",),
    ),
    _form(
        "last_month_name", rf"(?P<rel>{_REL}) (?P<mon>{_MONTH})", _month,
        ("last May", "last march", "this June", "next September", "this past August"),
        ("this may be wrong", "the last march on Washington", "the next may fail", "this may"),
    ),
    _form(
        "season_year", rf"(?P<season>{_SEASON})(?:,? (?:of )?)(?:(?P<y>{_YEAR})|{_OFYEAR})", _season,
        ("summer 2024", "the fall of 2023", "winter of last year"), ("fall of 12 percent",),
    ),
    _form(
        "last_season", rf"(?P<rel>{_REL}) (?P<season>{_SEASON})", _season,
        ("last summer", "this past winter", "next fall"), ("the last fallback", "last springboard"),
    ),
    _form(
        "quarter_year", rf"q(?P<q>[1-4])(?:,? (?:of )?|-|/)?(?P<y>{_YEAR})", _quarter,
        ("the Q3 2024 numbers", "Q1 of 2025"), ("FAQ1 2024",),
    ),
    _form(
        "weekday", rf"(?:(?P<rel>{_REL}) )?(?P<weekday>{_WEEKDAY})(?: (?P<part>{_PART}))?", _weekday,
        ("last Monday", "on tuesday", "Friday afternoon", "Monday's meeting"),
        ("every Monday", "Mondays are busy", "the sun is shining", "sat down"),
    ),
    _form(
        "day_word",
        rf"(?:the )?(?P<day>day before yesterday|day after tomorrow|yesterday|today|tomorrow)(?:'s)?(?: "
        rf"(?P<part>{_PART}))?",
        _day_word,
        ("today", "yesterday", "the day before yesterday", "tomorrow morning", "yesterday's decision"),
        ("todays.py", "/srv/today/x", "yesterdaytoday", "new user@today.com"),
    ),
    _form(
        "part_word", rf"(?P<tonight>tonight)|(?P<rel>this|last) (?P<part>{_PART})", _part_word,
        ("tonight", "this morning", "last night", "this evening"), ("this mornings", "overnight"),
    ),
    _form("other_day", r"the other day", _other_day, ("we met the other day",), ("the other days",)),
    _form(
        "last_unit", rf"(?P<rel>{_REL}|current) (?P<unit>{_CALENDAR})", _unit,
        ("last week", "this month", "past year", "next quarter", "last weekend", "the previous week"),
        ("last weekly", "the last one", "last-minute", "the last time"),
    ),
    _form(
        "before_last", rf"(?:the )?(?P<unit>{_CALENDAR}) before last", _before_last,
        ("the week before last", "month before last"), ("the week before lasting",),
    ),
    _form(
        "ago", rf"(?P<n>{_COUNT}) (?P<unit>{_UNIT})s?(?: or so|(?P<ortwo> or two))? (?:ago|back)", _ago,
        ("3 days ago", "two weeks ago", "a couple of months ago", "a year ago", "a few weeks back", "a day or two ago"),
        ("a second ago", "long ago", "agony", "days agone"),
    ),
    _form(
        "rolling", rf"(?:last|past|previous) (?P<n>{_SOME}) (?P<unit>{_UNIT})s?", _rolling,
        ("the last 3 days", "over the past few weeks", "in the last couple of months", "past 24 hours"),
        ("the last 3 commits", "past few errors"),
    ),
    _form("decade", r"(?:the )?(?P<decade>(?:19|20)\d0)s", _decade, ("in the 1990s", "the 2010s"), ("take 2000ms",)),
    _form(
        "month", rf"(?P<mon>{_MONTH})", _month,
        ("in May", "since june", "early March", "in late may", "before October"),
        ("may I ask", "May said hello", "march on", "you may", "decide", "tell me about June", "marching"),
        needs=_IN,
    ),
    _form(
        "season", rf"(?P<season>{_SEASON})", _season, ("in the summer", "during winter", "since spring",
        "early autumn"),
        ("Spring Boot", "how do I do this in Spring Boot", "fall back", "spring cleaning", "in Spring"),
        needs=frozenset({"in", "during", "over", "since", "throughout", "until"}),
    ),
    _form(
        "quarter", r"q(?P<q>[1-4])", _quarter, ("in Q3", "since q1"), ("Q3 of the quiz", "question q2"),
        needs=_IN | {"of", "for"},
    ),
    _form(
        "years", rf"(?P<y>{_YEAR})\s?-+\s?(?P<y2>{_YEAR})", _years, ("from 2020-2022", "in 2023 - 2024"),
        ("call 2020-2022", "in 2023-2021"), needs=_IN | {"of", "from", "between"},
    ),
    _form(
        "year", rf"(?P<y>{_YEAR})", _year_form, ("in 2023", "since 2024", "mid 2024", "the decision of 2023"),
        ("in 2000 lines", "port 2024", "in 1024 bytes", "2023", "in 20230"),
        needs=_IN | {"of", "from", "year"},
    ),
    _form(
        "nth", r"the (?P<d>(?:[12]?1st|[12]?2nd|[12]?3rd|[12]?[4-9]th|1[0-9]th|[123]0th|31st))", _nth,
        ("on the 14th", "since the 3rd"), ("the 2nd try", "on the 2nd try", "the 5th element", "the second one"),
        needs=frozenset({"on", "since", "after", "before", "until", "till"}),
    ),
)  # fmt: skip

EXPRESSION = r"\b(?:" + "|".join(re.sub(r"\?P<\w+>", "?:", form.rule.pattern) for form in FORMS) + r")\b"
