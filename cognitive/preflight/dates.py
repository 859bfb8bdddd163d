"""The date range that a message names, by a small English grammar relative to a given clock.

`rules/dates.py` holds the phrases. Here stands what the words around them do: those to the left ("since", "early",
"between") and those between two phrases ("and", "to") widen, cut or join spans. Bare words that are something else
more often than a date (May, March, fall, 2024) count only where a neighbour says that they are one.
"""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from datetime import datetime, timedelta
from itertools import islice, pairwise

from cognitive.plan import DateRange
from cognitive.preflight.date_ranges import Span, third, week
from cognitive.preflight.rules.dates import DATE_PATTERNS, EXPRESSION, DatePattern
from cognitive.preflight.rules.matching import RuleTable, compile_pattern, fold
from cognitive.preflight.rules.words import listed

MAX_PHRASES = 16  # looked at in one message; only an adversary names more
_LEFT_CONTEXT = 48  # characters: the longest chain of words that can stand before a phrase

_forms = RuleTable((form.rule for form in DATE_PATTERNS), whole=True)
_compiled = {form.rule.id: (form, compile_pattern(form.rule.pattern, name=form.rule.id)) for form in DATE_PATTERNS}
_group_names = {name: tuple(pattern.groupindex.items()) for name, (_, pattern) in _compiled.items()}
_expression = compile_pattern(EXPRESSION, name="dates", longest_match=True)
_FILL = r"(?:(?:in|on|to|with|the|of|from|early|mid|late|beginning|start|middle|end)[\s-]+)*"
_comparison = compile_pattern(
    rf"\s*(?:,?\s*(?:and|or|with|vs\.?|versus|than|compared (?:to|with))\s|,|&)\s*{_FILL}",
    name="dates.comparison",
)
_up_to = compile_pattern(rf"(?:\s*-+\s*|\s+(?:to|until|till|through|thru|up to)\s+){_FILL}", name="dates.up_to")

_CUTS = dict.fromkeys(("early", "beginning", "start"), "early") | dict.fromkeys(("mid", "middle"), "mid")
_CUTS |= dict.fromkeys(("late", "end"), "late")
_CUTS_WITH_OF = frozenset({"beginning", "start", "middle", "end", "week"})
# Read on the way to the left, but no part of the phrase when they begin it.
_LOOSE_WORDS = frozenset({"about", "for", "by", "to", "of", "way", "back", "over", "year", "month", "up", "at"})
_UNITS = {"day": timedelta(days=1), "week": timedelta(days=7), "month": timedelta(days=30), "year": timedelta(days=365)}
_HABITS = frozenset({"every", "each", "per"})
_LINKS = frozenset({"since", "after", "before", "prior", "until", "till", "between", "from"})
_LEFT_WORDS = (
    _HABITS
    | _LINKS
    | frozenset(_CUTS)
    | listed("""
    the in on of at during throughout about around circa sometime way back over ever starting up to day week year by
    within for through month
""")
)

# What follows a word that was no date after all: "last may be", "march on", "in 2000 lines", "on the 2nd try".
_AFTER_VERB = listed("""
    be have not also need work cause require fail still never well seem take break become get want i we you help
    contain change make include result lead lose use apply occur differ only even as yet on against to for of
    through forward
""")
_AFTER_COUNT = listed("""
    lines bytes ms users words tokens characters chars rows items requests people files records dollars euros
    steps seconds milliseconds messages memories ways cases points times bits
""")
_AFTER_NTH = listed("""
    of and or at we i you about with did was to the in
""")


@dataclass(frozen=True, slots=True)
class _DatePhrase:
    """One phrase, what it means, and the words to its left."""

    opening: int  # where the words to its left begin
    start: int
    end: int
    form: DatePattern
    groups: dict[str, str]
    left: tuple[str, ...]

    @property
    def link(self) -> str:
        return next((word for word in self.left if word in _LINKS), "")

    @property
    def unit(self) -> str:
        """The unit of "the week before", or nothing."""
        pairs = pairwise(self.left)
        return next((word for word, following in pairs if word in _UNITS and following in ("before", "after")), "")

    @property
    def cut(self) -> str:
        for word, following in pairwise((*self.left, "")):
            if (word in _CUTS or word == "week") and (word not in _CUTS_WITH_OF or following == "of"):
                return _CUTS.get(word, word)
        return ""

    @property
    def certain(self) -> bool:
        """Whether it is a date without a second phrase beside it."""
        needs = self.form.needs
        return needs is None or bool(self.cut) or not needs.isdisjoint(self.left)

    def span(self, now: datetime, year: int | None = None) -> Span:
        """The span of the phrase itself, cut to its early, middle or late part."""
        whole = self.form.build(self.groups, now, year)
        if self.cut == "week":
            return week(whole[0])
        return third(whole, self.cut) if self.cut else whole


def find(text: str, now: datetime, *, folded: bytes | None = None) -> DateRange | None:
    """The range that the text names, or None; `folded` spares folding the text once more.

    Phrases joined by "between", "to" or a dash give the stretch from the first to the second; a comparison ("in May
    and June") gives their hull; otherwise the first phrase counts. "Since X" ends now, "before X" begins with the
    calendar. A date that does not exist names nothing.
    """
    cased = fold(text) if folded is None else folded
    lower = cased.lower()
    for group, stretch in _groups(lower, _phrases(lower, cased)):
        for index, first in enumerate(group):
            rest = group[index:]
            if not (any(each.certain for each in rest) or (stretch and first.link in ("between", "from"))):
                continue
            span = _bounded(rest, now, stretch=stretch and len(rest) > 1)
            if span is not None and span[0] < span[1]:
                return DateRange(start=span[0], end=span[1], phrase=text[first.opening : rest[-1].end].strip())
    return None


def _phrases(lower: bytes, cased: bytes) -> Iterator[_DatePhrase]:
    for match in islice(_expression.finditer(lower), MAX_PHRASES):
        start, end = match.span()
        rules = _forms.fired(lower[start:end]) if _stands_alone(lower, start, end) else ()
        if not rules:
            continue
        form, pattern = _compiled[rules[0].id]
        found = pattern.fullmatch(lower[start:end])
        groups = {name: found.group(at).decode() for name, at in _group_names[rules[0].id] if found.group(at)}
        opening, left = _left_of(lower, start)
        named = _DatePhrase(opening, start, end, form, groups, left)
        if _HABITS.isdisjoint(left) and _plausible(named, cased[start:end].decode(), _next_word(lower, end), cased):
            yield named


def _stands_alone(lower: bytes, start: int, end: int) -> bool:
    """Whether the phrase is no piece of a path, an address, a version or a file name."""
    before, after = lower[max(0, start - 2) : start], lower[end : end + 2]
    digits = lower[start : start + 1].isdigit()
    if before[-1:] in (b"/", b"\\", b"_", b"@", b"#", b"=", b"+", b"$"):
        return False
    if digits and before[-1:] in (b".", b"-", b":") and before[:1].isalnum():
        return False
    if after[:1] in (b"/", b"\\", b"_", b"@", b"="):
        return False
    if after[:1] in (b".", b":"):
        return not after[1:].isalnum()
    return not (digits and end - start > 4 and after[:1] == b"-" and after[1:].isalnum())


def _left_of(lower: bytes, start: int) -> tuple[int, tuple[str, ...]]:
    left = lower[max(0, start - _LEFT_CONTEXT) : start].decode()
    chain: list[str] = []
    opening = position = len(left)
    for written in reversed(left.replace("-", " ").split()):
        word = written.lstrip("([\"'*")
        if word not in _LEFT_WORDS:
            break
        position = left.rfind(word, 0, position)
        chain.insert(0, word)
        if word not in _LOOSE_WORDS:
            opening = position
        if word != written:
            break
    return start - len(left) + opening, tuple(chain)


def _next_word(lower: bytes, end: int) -> str:
    """The word after the phrase, or nothing when the sentence stops there."""
    following = lower[end : end + 24].decode()
    return (following.split() or [""])[0].strip(".,;:!?)\"'") if following[:1] == " " else ""


def _plausible(named: _DatePhrase, written: str, following: str, cased: bytes) -> bool:
    """Whether the words around a phrase that is also something else let it be a date."""
    name, month = named.form.rule.id, named.groups.get("mon", "")
    verb = month in ("may", "mar", "march") and month in written  # in lower case it may well be a verb
    if name == "date.last_month_name" and verb:
        return following not in _AFTER_VERB and named.groups["rel"] != "this"
    if name == "date.month_day" and verb:
        return bool(named.left) or "y" in named.groups or named.groups["d"][-1].isalpha()
    if name == "date.season":  # "in Spring" is a framework: the season is written small or with an article
        framework = cased[named.end + 1 : named.end + 2].isupper()
        return not framework and ("the" in named.left or written != "Spring")
    if name == "date.year":
        return following not in _AFTER_COUNT
    return name != "date.nth" or not following or following in _AFTER_NTH


def _groups(lower: bytes, phrases: Iterator[_DatePhrase]) -> Iterator[tuple[list[_DatePhrase], bool]]:
    """Phrases that are joined, and whether they mean all the time from the first to the last."""
    group: list[_DatePhrase] = []
    for named in phrases:
        gap = lower[group[-1].end : named.start] if group and _comparable(group[-1], named) else b"."
        compared = _comparison.fullmatch(gap) is not None
        if len(group) == 1 and (_up_to.fullmatch(gap) or (compared and group[0].link == "between")):
            yield [*group, named], True
            group = []
        elif compared:
            group.append(named)
        else:
            if group:
                yield group, False
            group = [named]
    if group:
        yield group, False


def _comparable(first: _DatePhrase, second: _DatePhrase) -> bool:
    """Whether two phrases can be joined: a bare word is a date only beside one of its own kind."""
    if first.form.needs is None and second.form.needs is None:
        return True
    return any(key in first.groups and key in second.groups for key in ("mon", "season", "q", "y", "d"))


def _bounded(group: Sequence[_DatePhrase], now: datetime, *, stretch: bool) -> Span | None:
    try:
        if stretch:
            start, end = _stretch(group[0], group[1], now)
            return start[0], end[1]
        year = next((int(each.groups["y"]) for each in group if "y" in each.groups), None)
        spans = [each.span(now, None if "rel" in each.groups else year) for each in group]
        return _opened((min(start for start, _ in spans), max(end for _, end in spans)), group[0], now)
    except (ValueError, OverflowError):  # the 31st of February, or a year that the calendar does not reach
        return None


def _stretch(first: _DatePhrase, second: _DatePhrase, now: datetime) -> tuple[Span, Span]:
    """Both ends; a year that only one of them names holds for the other, and the first lies before the second."""
    years = [int(each.groups["y"]) if "y" in each.groups else None for each in (first, second)]
    start, end = first.span(now, years[1]), second.span(now, years[0])
    if end[1] > start[0]:
        return start, end
    if years[0] is not None and years[1] is None:
        return start, second.span(now, years[0] + 1)
    if "weekday" in first.groups:
        return (start[0] - timedelta(days=7), start[1] - timedelta(days=7)), end
    return first.span(now, start[0].year - 1), end


def _opened(span: Span, first: _DatePhrase, now: datetime) -> Span:
    link, unit = first.link, first.unit
    if link in ("before", "prior", "until", "till"):
        if unit:  # "the week before May 5"
            return span[0] - _UNITS[unit], span[0]
        # A day after the calendar's first, which no time zone east of Greenwich could express in UTC.
        earliest = datetime.min.replace(tzinfo=now.tzinfo) + timedelta(days=1)
        return earliest, span[0] if link in ("before", "prior") else span[1]
    if link == "after" and unit:
        return span[1], span[1] + _UNITS[unit]
    if link in ("since", "after"):
        return span[0] if link == "since" else span[1], now
    return span
