"""Define the phrases that name a date. Each has a pattern, a function for its time span, and perhaps required words."""

from __future__ import annotations

import re
from collections.abc import Callable
from dataclasses import dataclass
from datetime import datetime

from brain.languages import ENGLISH, MONTHS
from cognitive.preflight import date_ranges as ranges
from cognitive.preflight.date_ranges import WORDS, Groups
from cognitive.preflight.rules.matching import Rule
from cognitive.preflight.spans import Span

# Returns the span of a match from its named groups, the current time, and the year of a neighbouring phrase, if any.
Build = Callable[[Groups, datetime, int | None], Span]


@dataclass(frozen=True, slots=True)
class DatePattern:
    """A kind of phrase that names a date, such as "last May": its pattern, and the function that returns its time span.

    If `needs` is set, the phrase is a date only after one of these words.
    """

    rule: Rule
    build: Build
    needs: frozenset[str] | None = None


_MONTH = "(?:sept|" + "|".join(f"{name[:3]}(?:{name[3:]})?" for name in map(str.lower, MONTHS[ENGLISH])) + ")"
_WEEKDAY = r"(?:monday|tuesday|wednesday|thursday|friday|saturday|sunday)"
_SEASON = r"(?:spring|summer|autumn|fall|winter)"
_YEAR = r"(?:19|20)\d\d"
_NTH = r"(?:0?[1-9]|[12]\d|3[01])"
_DAY = rf"{_NTH}(?:st|nd|rd|th)?"
_REL = r"(?:last|this|next|this past|past|previous|this coming)"
_PART = r"(?:morning|afternoon|evening|night)"
_TO = r"\s?(?:-+|to|and|through|until|till)\s?(?:the )?"
_COUNT = rf"(?:\d{{1,3}}|an?|(?:a )?couple(?: of)?|(?:a |the )?few|several|{'|'.join(WORDS)})"
_SOME = rf"(?:\d{{1,3}}|couple(?: of)?|few|several|{'|'.join(WORDS)})"
_CALENDAR = r"(?:week|weekend|month|quarter|year)"
_UNIT = rf"(?:minute|hour|day|{_CALENDAR})"
_IN = frozenset({"in", "during", "since", "after", "before", "until", "till", "prior", "throughout", "around", "circa"})
_OFYEAR = r"(?P<ofyear>last|this|next) year"
_OFWEEK = r"(?P<ofweek>last|this|next) week"
_OFMONTH = r"(?P<ofmonth>last|this|next) month"


def _form(
    name: str, pattern: str, build: Build, examples: tuple[str, ...], counterexamples: tuple[str, ...] = (),
    needs: frozenset[str] | None = None,
) -> DatePattern:  # fmt: skip
    rule = Rule(f"date.{name}", "date", pattern, examples=examples, counterexamples=counterexamples)
    return DatePattern(rule, build, needs)


DATE_PATTERNS = (
    _form(
        "iso", rf"(?P<y>{_YEAR})[-/](?P<m>0?[1-9]|1[0-2])[-/](?P<d>{_NTH})(?:t[\d:.]+z?)?", ranges.iso,
        ("the incident of 2026-09-14", "2026/9/14", "at 2026-09-14T10:30:00Z"),
        ("2026-02-31", "report-2026-09-14.csv", "/logs/2026/09/14/app", "2026-13-01", "part 12026-09-145"),
    ),
    _form(
        "slashed", rf"(?P<a>\d{{1,2}})/(?P<b>\d{{1,2}})/(?P<y>{_YEAR})", ranges.slashed,
        ("9/14/2026", "on 14/9/2026"), ("31/2/2026", "99/99/2026", "9/14", "1/2/3"),
    ),
    _form(
        "dotted", rf"(?P<a>\d{{1,2}})\.(?P<b>\d{{1,2}})\.(?P<y>{_YEAR})", ranges.dotted,
        ("am 14.09.2026",), ("31.02.2026", "version 1.14.2026.3"),
    ),
    _form(
        "month_day", rf"(?P<mon>{_MONTH})\.? (?:the )?(?P<d>{_DAY})(?:{_TO}(?P<d2>{_DAY}))?"
        rf"(?:,? (?P<y>{_YEAR})|,? (?:of )?{_OFYEAR})?",
        ranges.month_day,
        ("May 5 last year", "September 14", "September 14th, 2025", "Sept. 14", "May 3-5", "on may 5",
        "February 29", "July 4 to 6, 2024"),
        ("February 31", "April 31st, 2024", "you may 5 times a day retry", "march 2 steps forward"),
    ),
    _form(
        "day_month",
        rf"(?:the )?(?P<d>{_DAY})(?:{_TO}(?P<d2>{_DAY}))? (?:of )?(?P<mon>{_MONTH})"
        rf"(?:,? (?P<y>{_YEAR})|,? (?:of )?{_OFYEAR})?",
        ranges.month_day,
        ("the 5th of May next year", "on 14 September", "14 September 2026", "the 14th of September",
        "from 3 to 5 May", "the 3rd of may"),
        ("31 February", "30 Feb 2024"),
    ),
    _form(
        "month_year", rf"(?P<mon>{_MONTH})\.?(?:,? |-| of )(?:(?P<y>{_YEAR})|(?:of )?{_OFYEAR})", ranges.month,
        ("May 2024", "in may 2024", "May last year", "March of this year", "Sep-2023"), ("Mayor 2024",),
    ),
    _form(
        "last_month_name", rf"(?P<rel>{_REL}) (?P<mon>{_MONTH})", ranges.month,
        ("last May", "last march", "this June", "next September", "this past August"),
        ("this may be wrong", "the last march on Washington", "the next may fail", "this may"),
    ),
    _form(
        "season_year", rf"(?P<season>{_SEASON})(?:,? (?:of )?)(?:(?P<y>{_YEAR})|{_OFYEAR})", ranges.season,
        ("summer 2024", "the fall of 2023", "winter of last year"), ("fall of 12 percent",),
    ),
    _form(
        "last_season", rf"(?P<rel>{_REL}) (?P<season>{_SEASON})", ranges.season,
        ("last summer", "this past winter", "next fall"), ("the last fallback", "last springboard"),
    ),
    _form(
        "quarter_year",
        rf"q(?P<q>[1-4])(?:(?:,? (?:of )?|-|/)?(?P<y>{_YEAR})|,? (?:of )?{_OFYEAR})", ranges.quarter,
        ("the Q3 2024 numbers", "Q1 of 2025", "Q4 last year"), ("FAQ1 2024",),
    ),
    _form(
        "weekday", rf"(?:(?P<rel>{_REL}) )?(?P<weekday>{_WEEKDAY})(?: (?P<part>{_PART}))?"
        rf"(?: (?:of )?{_OFWEEK}| (?P<ago>{_COUNT}) weeks? ago| in (?P<hence>{_COUNT}) weeks?)?", ranges.weekday,
        ("Tuesday last week", "Friday two weeks ago", "Monday in a week", "last Monday", "on tuesday",
         "Friday afternoon", "Monday's meeting"),
        ("every Monday", "Mondays are busy", "the sun is shining", "sat down"),
    ),
    _form(
        "day_word",
        rf"(?:the )?(?P<day>day before yesterday|day after tomorrow|yesterday|today|tomorrow)(?:'s)?(?: "
        rf"(?P<part>{_PART}))?",
        ranges.named_day,
        ("today", "yesterday", "the day before yesterday", "tomorrow morning", "yesterday's decision"),
        ("todays.py", "/srv/today/x", "yesterdaytoday", "new user@today.com"),
    ),
    _form(
        "part_word", rf"(?P<tonight>tonight)|(?P<rel>this|last) (?P<part>{_PART})", ranges.part_of_day,
        ("tonight", "this morning", "last night", "this evening"), ("this mornings", "overnight"),
    ),
    _form("other_day", r"the other day", ranges.other_day, ("we met the other day",), ("the other days",)),
    _form(
        "last_unit", rf"(?P<rel>{_REL}|current) (?P<unit>{_CALENDAR})", ranges.calendar_unit,
        ("last week", "this month", "past year", "next quarter", "last weekend", "the previous week"),
        ("last weekly", "the last one", "last-minute", "the last time"),
    ),
    _form(
        "weekend", r"the weekend", ranges.latest_weekend, ("over the weekend", "how was the weekend"),
        ("plans for the weekend", "over the weekends"),
    ),
    _form(
        "before_last", rf"(?:the )?(?P<unit>{_CALENDAR}) before last", ranges.before_last,
        ("the week before last", "month before last"), ("the week before lasting",),
    ),
    _form(
        "season_before_last", rf"(?:the )?(?P<season>{_SEASON}) before last", ranges.season_before_last,
        ("the summer before last",), ("the summer before lasting",),
    ),
    _form(
        "seasons_ago", rf"(?P<n>{_COUNT}) (?P<season>{_SEASON})s? ago", ranges.seasons_ago,
        ("two summers ago", "a winter ago"), ("two springs broke",),
    ),
    _form(
        "second_weekday", rf"(?:the )?(?P<weekday>{_WEEKDAY}) (?P<skip>before last|after next)", ranges.second_weekday,
        ("the Friday before last", "on the Monday after next"), ("every Monday before lasting",),
    ),
    _form(
        "ago", rf"(?P<n>{_COUNT}) (?P<unit>{_UNIT})s?(?: or so|(?P<ortwo> or two))? (?:ago|back)", ranges.ago,
        ("3 days ago", "two weeks ago", "a couple of months ago", "a year ago", "a few weeks back", "a day or two ago"),
        ("a second ago", "long ago", "agony", "days agone"),
    ),
    _form(
        "hence", rf"in (?P<n>{_COUNT}) (?P<unit>day|week|month)s?(?:' time)?", ranges.hence,
        ("I'm back in three days", "in a week"), ("it took two days", "we built it in two days"),
    ),
    _form(
        "from_now", rf"(?P<n>{_COUNT}) (?P<unit>day|week|month)s? from (?:now|today)", ranges.hence,
        ("two weeks from today",), ("two weeks from home",),
    ),
    _form(
        "rolling", rf"(?:last|past|previous) (?P<n>{_SOME}) (?P<unit>{_UNIT})s?", ranges.rolling,
        ("the last 3 days", "over the past few weeks", "in the last couple of months", "past 24 hours"),
        ("the last 3 commits", "past few errors"),
    ),
    _form(
        "decade", r"(?:the )?(?P<decade>(?:19|20)\d0)s", ranges.decade,
        ("in the 1990s", "the 2010s"), ("take 2000ms",),
    ),
    _form(
        "month", rf"(?P<mon>{_MONTH})", ranges.month,
        ("in May", "since june", "early March", "in late may", "before October"),
        ("may I ask", "May said hello", "march on", "you may", "decide", "tell me about June", "marching"),
        needs=_IN,
    ),
    _form(
        "season", rf"(?P<season>{_SEASON})", ranges.season, ("in the summer", "during winter", "since spring",
        "early autumn"),
        ("Spring Boot", "how do I do this in Spring Boot", "fall back", "spring cleaning", "in Spring"),
        needs=frozenset({"in", "during", "over", "since", "throughout", "until"}),
    ),
    _form(
        "quarter", r"q(?P<q>[1-4])", ranges.quarter, ("in Q3", "since q1"), ("Q3 of the quiz", "question q2"),
        needs=_IN | {"of", "for"},
    ),
    _form(
        "years", rf"(?P<y>{_YEAR})\s?-+\s?(?P<y2>{_YEAR})", ranges.years, ("from 2020-2022", "in 2023 - 2024"),
        ("call 2020-2022", "in 2023-2021"), needs=_IN | {"of", "from", "between"},
    ),
    _form(
        "year", rf"(?P<y>{_YEAR})", ranges.year, ("in 2023", "since 2024", "mid 2024", "the decision of 2023"),
        ("in 2000 lines", "port 2024", "in 1024 bytes", "2023", "in 20230"),
        needs=_IN | {"of", "from", "year"},
    ),
    _form(
        "nth", r"the (?P<d>(?:[12]?1st|[12]?2nd|[12]?3rd|[12]?[4-9]th|1[0-9]th|[123]0th|31st))"
        rf"(?: of {_OFMONTH})?", ranges.nth,
        ("on the 3rd of last month", "on the 14th", "since the 3rd"), ("the 2nd try", "on the 2nd try",
        "the 5th element", "the second one"),
        needs=frozenset({"on", "since", "after", "before", "until", "till"}),
    ),
)  # fmt: skip

EXPRESSION = r"\b(?:" + "|".join(re.sub(r"\?P<\w+>", "?:", form.rule.pattern) for form in DATE_PATTERNS) + r")\b"
