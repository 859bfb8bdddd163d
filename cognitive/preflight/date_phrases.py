"""Compute the time span that date phrases name with the words before them: "since May", "early May to July"."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from datetime import datetime, timedelta
from itertools import pairwise

from cognitive.preflight.date_ranges import AHEAD, year_of
from cognitive.preflight.rules.dates import DatePattern
from cognitive.preflight.spans import Span, midnight, third, week

CUTS = dict.fromkeys(("early", "beginning", "start"), "early") | dict.fromkeys(("mid", "middle"), "mid")
CUTS |= dict.fromkeys(("late", "end"), "late")
_CUTS_WITH_OF = frozenset({"beginning", "start", "middle", "end", "week"})
LINKS = frozenset({"since", "after", "before", "prior", "until", "till", "between", "from"})
_UNITS = {"day": timedelta(days=1), "week": timedelta(days=7), "month": timedelta(days=30), "year": timedelta(days=365)}


@dataclass(frozen=True, slots=True)
class DatePhrase:
    """A phrase of a message that names a date, such as "last May": its place, its kind, and the words to its left."""

    opening: int  # offset at which the words to its left begin
    start: int
    end: int
    form: DatePattern
    groups: dict[str, str]
    left: tuple[str, ...]

    @property
    def link(self) -> str:
        """The word before the phrase that makes a range of its date ("since", "between"), or an empty string."""
        return next((word for word in self.left if word in LINKS), "")

    @property
    def unit(self) -> str:
        """The unit of time in front of "before" or "after" ("week" in "the week before May 5"), or an empty string."""
        pairs = pairwise(self.left)
        return next((word for word, following in pairs if word in _UNITS and following in ("before", "after")), "")

    @property
    def cut(self) -> str:
        """The part of the named time that is meant: "early", "mid", "late" or "week"; an empty string for all of it."""
        for word, following in pairwise((*self.left, "")):
            if (word in CUTS or word == "week") and (word not in _CUTS_WITH_OF or following == "of"):
                return CUTS.get(word, word)
        return ""

    @property
    def certain(self) -> bool:
        """True if the phrase is surely a date. Otherwise it counts as a date only beside a second phrase."""
        needs = self.form.needs
        return needs is None or bool(self.cut) or not needs.isdisjoint(self.left)

    def span(self, now: datetime, year: int | None = None) -> Span:
        """Return the time span that the phrase names.

        If the words before the phrase name a part of it, only that part is returned: an early, middle or late third, or
        for "the week of" the calendar week in which it begins. `now` is the time that relative phrases refer to. `year`
        is the year of a neighbouring phrase, which applies if this phrase names none.

        Raises:
            ValueError: the calendar has no such day.
        """
        whole = self.form.build(self.groups, now, year)
        if self.cut == "week":
            return week(whole[0])
        return third(whole, self.cut) if self.cut else whole


def span_of(group: Sequence[DatePhrase], now: datetime, *, is_range: bool) -> Span | None:
    """Return the time span that a group of phrases names together, or None if there is no such date."""
    try:
        if is_range:
            start, end = _range_ends(group[0], group[1], now)
            return start[0], end[1]
        year = next((number for each in group if (number := year_of(each.groups, now)) is not None), None)
        spans = [each.span(now, None if "rel" in each.groups else year) for each in group]
        return _linked((min(start for start, _ in spans), max(end for _, end in spans)), group[0], now)
    except (ValueError, OverflowError):  # the 31st of February, or a year that datetime cannot represent
        return None


def _range_ends(first: DatePhrase, second: DatePhrase, now: datetime) -> tuple[Span, Span]:
    """Return the time spans of the two phrases of a range, such as "May to July", in order of time.

    A year that only one of the phrases names applies to both. If the range would then end before it begins, one of the
    spans is moved by a year (a weekday by a week).
    """
    years = [year_of(each.groups, now) for each in (first, second)]
    start, end = first.span(now, years[1]), second.span(now, years[0])
    if end[1] > start[0]:
        return start, end
    if years[0] is not None and years[1] is None:
        return start, second.span(now, years[0] + 1)
    if "weekday" in first.groups:
        return (start[0] - timedelta(days=7), start[1] - timedelta(days=7)), end
    return first.span(now, start[0].year - 1), end


def _linked(span: Span, first: DatePhrase, now: datetime) -> Span:
    """Apply the linking word before a date phrase to a span: "since X" ends now, "before X" ends where X starts.

    The linking word is the one before `first`, the first phrase of the span. Without such a word, the span is returned
    unchanged.
    """
    link, unit = first.link, first.unit
    if link in ("before", "prior", "until", "till"):
        if unit:  # "the week before May 5"
            return span[0] - _UNITS[unit], span[0]
        # A day after the calendar's first day, which a time zone east of Greenwich could not convert to UTC.
        ahead = AHEAD in first.groups
        earliest = midnight(now) if ahead else datetime.min.replace(tzinfo=now.tzinfo) + timedelta(days=1)
        return earliest, span[0] if link in ("before", "prior") else span[1]
    if link == "after" and unit:
        return span[1], span[1] + _UNITS[unit]
    if link in ("since", "after"):
        return span[0] if link == "since" else span[1], now
    return span
