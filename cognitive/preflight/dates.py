"""Find the date range that a message names, by a small English grammar. Relative dates count from a given time.

`rules/dates.py` has the phrases that name a date; this module reads the words around them. Words to the left of a
phrase ("since", "early", "between") and words between two phrases ("and", "to") widen, cut or join their time spans,
which `date_phrases.py` computes. Words that are seldom a date (May, March, fall, 2024) count as a date only if another
word shows that they are ("in May", "early fall").
"""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from dataclasses import replace
from datetime import datetime
from itertools import islice

from cognitive.plan import DateRange
from cognitive.preflight.date_phrases import CUTS, LINKS, DatePhrase, span_of
from cognitive.preflight.date_ranges import AHEAD
from cognitive.preflight.rules.dates import DATE_PATTERNS, EXPRESSION
from cognitive.preflight.rules.matching import RuleTable, compile_pattern, fold
from cognitive.preflight.rules.tenses import FUTURE, PAST
from cognitive.preflight.rules.words import listed
from cognitive.preflight.tenses import tense_around

MAX_PHRASES = 16  # date phrases read in one message, to bound the time; ordinary messages have fewer
_LEFT_CONTEXT = 48  # characters to the left of a phrase that are read

_forms = RuleTable((form.rule for form in DATE_PATTERNS), whole=True)
_compiled = {form.rule.id: (form, compile_pattern(form.rule.pattern, name=form.rule.id)) for form in DATE_PATTERNS}
_group_names = {name: tuple(pattern.groupindex.items()) for name, (_, pattern) in _compiled.items()}
_expression = compile_pattern(EXPRESSION, name="dates", prefer_longest=True)
_FILL = r"(?:(?:in|on|to|with|the|of|from|early|mid|late|beginning|start|middle|end)[\s-]+)*"
_comparison = compile_pattern(
    rf"\s*(?:,?\s*(?:and|or|with|vs\.?|versus|than|compared (?:to|with))\s|,|&)\s*{_FILL}",
    name="dates.comparison",
)
_up_to = compile_pattern(rf"(?:\s*-+\s*|\s+(?:to|until|till|through|thru|up to)\s+){_FILL}", name="dates.up_to")

# Phrases that name the latest or the next such time, by the tense of the words around them.
_EITHER_WAY = frozenset(f"date.{name}" for name in ("weekday", "month_day", "day_month", "nth", "month", "season"))

# Phrases that name a part of the calendar unit before them, by the unit, and the group that then has its word.
_NARROWED = {
    "year": ("ofyear", frozenset(f"date.{name}" for name in ("month_day", "day_month", "month", "season", "quarter"))),
    "month": ("ofmonth", frozenset({"date.nth"})),
    "week": ("ofweek", frozenset({"date.weekday"})),
}
# Words that may be between a phrase and a word that modifies it, but never begin the phrase.
_LOOSE_WORDS = frozenset({"about", "for", "by", "to", "of", "way", "back", "over", "year", "month", "up", "at"})
_HABITS = frozenset({"every", "each", "per"})
_PAST_LINKS = frozenset({"since", "of"})
_from_then_on = compile_pattern(r"\b(?:off|away|open|closed|available|free|valid|out|start(?:s|ing)?)\W*$", name="from")
_LEFT_WORDS = (
    _HABITS
    | LINKS
    | frozenset(CUTS)
    | listed("""
    the in on of at during throughout about around circa sometime way back over ever starting up to day week year by
    within for through month
""")
)

# Words after a phrase that decide whether it is a date: "last may be" and "in 2000 lines" are not, "on the 3rd of" is.
_AFTER_VERB = listed("""
    be have not also need work cause require fail still never well seem take break become get want i we you help
    contain change make include result lead lose use apply occur differ only even as yet on against to for of
    through forward
""")
_AFTER_COUNT = listed("""
    lines bytes ms users words tokens characters chars rows items requests people files records dollars euros
    steps seconds milliseconds messages memories ways cases points times bits
""")
_AFTER_WEEKDAY = listed("before after of in on at with when and or to until till")
_AFTER_NTH = listed("""
    of and or at we i you about with did was to the in
""")


def find(text: str, now: datetime, *, folded: bytes | None = None) -> DateRange | None:
    """Return the date range that a text names, or None if it names none.

    Two phrases joined by "between", "to" or a dash give the range from the first to the second. Two dates that are
    compared ("in May and June") give the range from the earliest start to the latest end. Otherwise the first phrase is
    used. "Last year in May" is that May. "Since X" ends now; "before X" begins at the start of the calendar. A date
    that does not exist is ignored.

    Args:
        text: The text, of any length.
        now: The time that relative phrases refer to, an aware datetime.
        folded: The result of `fold(text)`, if the caller has it.
    """
    cased = fold(text) if folded is None else folded
    lower = cased.lower()
    for group, is_range in _groups(lower, _narrowed(lower, _phrases(lower, cased))):
        for index, first in enumerate(group):
            rest = group[index:]
            if not (any(each.certain for each in rest) or (is_range and first.link in ("between", "from"))):
                continue
            span = span_of(rest, now, is_range=is_range and len(rest) > 1)
            if span is not None and span[0] < span[1]:
                return DateRange(start=span[0], end=span[1], phrase=text[first.opening : rest[-1].end].strip())
    return None


def _phrases(lower: bytes, cased: bytes) -> Iterator[DatePhrase]:
    """Yield the phrases of a text that name a date, in order."""
    places = [match.span() for match in islice(_expression.finditer(lower), MAX_PHRASES)]
    for start, end in places:
        rules = _forms.fired(lower[start:end]) if _is_separate(lower, start, end) else ()
        if not rules:
            continue
        form, pattern = _compiled[rules[0].id]
        parsed = pattern.fullmatch(lower[start:end])
        groups = {name: parsed.group(at).decode() for name, at in _group_names[rules[0].id] if parsed.group(at)}
        opening, left = _left_of(lower, start)
        tense = tense_around(lower, opening, end, [at for at, _ in places])
        ahead = tense == FUTURE and not _is_of_the_past(
            left, lower[max(0, opening - _LEFT_CONTEXT) : opening], lower[end:]
        )
        if form.rule.id in _EITHER_WAY and ahead and "rel" not in groups:
            groups[AHEAD] = AHEAD
        if form.rule.id == "date.hence" and tense == PAST:
            continue
        phrase = DatePhrase(opening, start, end, form, groups, left)
        if _HABITS.isdisjoint(left) and _plausible(phrase, cased[start:end].decode(), _next_word(lower, end), cased):
            yield phrase


def _narrowed(lower: bytes, phrases: Iterator[DatePhrase]) -> Iterator[DatePhrase]:
    """Yield date phrases, but "last year" and "in May" behind it as one: the May of last year."""
    before: DatePhrase | None = None
    for phrase in phrases:
        if before is not None and (group := _narrows(lower, before, phrase)):
            groups, left = {**phrase.groups, group: before.groups["rel"]}, (*before.left, *phrase.left)
            before = replace(phrase, opening=before.opening, groups=groups, left=left)
            continue
        if before is not None:
            yield before
        before = phrase
    if before is not None:
        yield before


def _narrows(lower: bytes, before: DatePhrase, phrase: DatePhrase) -> str:
    """Return the group that a calendar unit gives to the phrase behind it ("ofyear"), or an empty string for none."""
    if before.form.rule.id != "date.last_unit" or before.groups["rel"] not in ("last", "this", "next"):
        return ""
    group, names = _NARROWED.get(before.groups["unit"], ("", frozenset[str]()))
    named = {"rel", "y", "ofyear", "ofweek", "ofmonth", "ago", "hence"} & phrase.groups.keys()
    between = lower[before.end : phrase.start].decode().replace(",", " ").replace("-", " ").split()
    is_behind = bool(between) and _LEFT_WORDS.issuperset(between) and (phrase.certain or phrase.link == "between")
    return group if is_behind and phrase.form.rule.id in names and not named else ""


def _is_of_the_past(left: Sequence[str], before: bytes, after: bytes) -> bool:
    """Return True if the words before a date link something that exists to it: "the notes from Friday", "since May"."""
    from_then_on = _from_then_on.search(before) is not None or after.startswith((b" on ", b" onward"))
    return not _PAST_LINKS.isdisjoint(left) or ("from" in left and not from_then_on)


def _is_separate(lower: bytes, start: int, end: int) -> bool:
    """Return True if a date phrase is not part of a path, an address, a version or a file name."""
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
    """Return the words that modify a date phrase from the left, such as "early" or "since".

    They are the words of `_LEFT_WORDS` that stand directly before the phrase. The result is a pair: the offset at which
    the phrase begins together with these words, and the words.
    """
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
    """Return the word after a date phrase, or an empty string at the end of a sentence."""
    following = lower[end : end + 24].decode()
    return (following.split() or [""])[0].strip(".,;:!?)\"'") if following[:1] == " " else ""


def _plausible(phrase: DatePhrase, written: str, following: str, cased: bytes) -> bool:
    """Return True unless the words around an ambiguous phrase ("may", "in Spring", "in 2000") show that it is no date.

    `written` is the phrase in its original case, `following` the word after it.
    """
    name, month = phrase.form.rule.id, phrase.groups.get("mon", "")
    maybe_verb = month in ("may", "mar", "march") and month in written  # in lower case
    if name == "date.last_month_name" and maybe_verb:
        return following not in _AFTER_VERB and phrase.groups["rel"] != "this"
    if name == "date.month_day" and maybe_verb:
        return bool(phrase.left) or "y" in phrase.groups or phrase.groups["d"][-1].isalpha()
    if name == "date.season":  # "in Spring" is a framework: the season is in lower case or has an article
        framework = cased[phrase.end + 1 : phrase.end + 2].isupper()
        return not framework and ("the" in phrase.left or written != "Spring")
    if name == "date.weekday":  # "the Friday report" is written every week
        return not (
            "the" in phrase.left and following and "rel" not in phrase.groups and following not in _AFTER_WEEKDAY
        )
    if name == "date.weekend":  # "for the weekend" speaks of the next one
        return "for" not in phrase.left
    if name == "date.year":
        return following not in _AFTER_COUNT
    return name != "date.nth" or not following or following in _AFTER_NTH


def _groups(lower: bytes, phrases: Iterator[DatePhrase]) -> Iterator[tuple[list[DatePhrase], bool]]:
    """Yield groups of date phrases that belong together, such as "May and June".

    Each group comes with a flag. It is True for a range ("May to July"), which means all the time from the first to the
    last phrase.
    """
    group: list[DatePhrase] = []
    for phrase in phrases:
        gap = lower[group[-1].end : phrase.start] if group and _comparable(group[-1], phrase) else b"."
        compared = _comparison.fullmatch(gap) is not None
        if len(group) == 1 and (_up_to.fullmatch(gap) or (compared and group[0].link == "between")):
            yield [*group, phrase], True
            group = []
        elif compared:
            group.append(phrase)
        else:
            if group:
                yield group, False
            group = [phrase]
    if group:
        yield group, False


def _comparable(first: DatePhrase, second: DatePhrase) -> bool:
    """Return True if two date phrases can belong together.

    An ambiguous word such as "may" is a date only beside a phrase of the same kind, such as another month.
    """
    if first.form.needs is None and second.form.needs is None:
        return True
    return any(key in first.groups and key in second.groups for key in ("mon", "season", "q", "y", "d"))
