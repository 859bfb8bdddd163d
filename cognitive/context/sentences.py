"""Read a text as a comparison needs it: its words in order, in one spelling, and what they say of one another.

What is written in many ways is spelled in one: dates, times of day, numbers, units, signs.
"""

from __future__ import annotations

import re
from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from functools import cached_property
from itertools import chain, pairwise

from brain.caches import cached
from brain.text import normalise, words
from brain.types import Vector
from cognitive.context.lexicon import (
    AFTER_FIGURES,
    ARTICLES,
    AUXILIARIES,
    CLAUSE_WORDS,
    DIRECTIONS,
    FUTURE,
    JOINERS,
    MAY,
    MEANS,
    NUMBERS,
    PASSIVE,
    PAST,
    PHRASES,
    PREPOSITIONS,
    SCOPES,
    SEVERAL,
    SIDES,
    SPEAKING,
    UNITS,
    canonical,
)

_MAX_READ = 4_096  # texts of which a reading is kept: a window's sentences come again in every turn
_THOUSANDS = re.compile(r"(?<=\d),(?=\d{3}(?!\d))")
_GLUED = re.compile(r"(?<=\d)(ms|msec|secs?|s|mins?|hrs?|h|d|am|pm|[kmgt]i?b|mm|cm|km|kg|g|ml|kw|v|a|x)(?!\w)")
_SIGNS = {
    "%": " percent ",
    "€": " euro ",
    "$": " dollar ",
    "£": " pounds ",
    "¥": " yen ",
    "°c": " celsius ",
    "°f": " fahrenheit ",
}
_SIGN = re.compile("|".join(map(re.escape, _SIGNS)))
_PHRASE = re.compile(r"\b(?:" + "|".join(PHRASES) + r")\b")
_USED_TO = re.compile(r"(?<!\bis )(?<!\bare )(?<!\bwas )(?<!\bwere )(?<!\bbe )(?<!\bget )(?<!\bgot )\bused to\b")
_CLAUSE = re.compile(r"[,;:()\n–—]|\.(?=\s|$)|[!?]")
_DIGIT = re.compile(r"\d")
_FIGURE = re.compile(r"v?(\d+(?:[.:]\d+)*)$")
_MAY = re.compile(
    r"(?<=\b(?:in|on|of|by) )May\b|(?<=\d )May\b|(?<=(?:st|nd|rd|th|xt) )May\b|(?<=this )May\b|\bMay(?= \d)"
)
_MONTHS = "January February March April May June July August September October November December".split()
_WEEKDAYS = "Monday Tuesday Wednesday Thursday Friday Saturday Sunday".split()
_BY_ABBREVIATION = {name[:3]: name for name in (*_MONTHS, *_WEEKDAYS)}
_ISO = re.compile(r"(?<!\d)(\d{4})-(0[1-9]|1[0-2])-(0[1-9]|[12]\d|3[01])(?!\d)")
_MONTH = re.compile(
    r"\b(Jan|Feb|Mar|Apr|Jun|Jul|Aug|Sept?|Oct|Nov|Dec)\b\.?(?:(?=\s\d)|(?<=\d \w{3})|(?<=\d(?:st|nd|rd|th) \w{3}))"
)
_CLOCK = re.compile(r"(?i)(?<![\d:.])(\d{1,2}):([0-5]\d)(?![:\d])(?:\s?([ap])\.?m\b\.?)?")
_WEEKDAY = re.compile(r"\b(Mon|Tues?|Wed|Thu(?:rs?)?|Fri|(?:Sat|Sun)(?=\.?,? (?:\d|[A-Z][a-z]{2})))\b\.?")
_UNITS = frozenset(UNITS.values())
_NONE = frozenset({""})
_NOTHING: frozenset[str] = frozenset()
SPEAKER = "I"  # among the words in order, all of which are of lower case

_CAPITALISED = re.compile(r"(?:^|(?<=[\s\"'“‘(\[*_`/-]))([A-ZÀ-ÖØ-ÞА-ЯΑ-Ω][\w.-]*\w)('s|’s)?(?:\s+([\w'’]+))?")
_INNER = re.compile(r"[A-Z0-9_]")
_INITIAL = re.compile(r"(?:^|[.!?:…\n]\s*|^[-*•\d.)\s]*)[\"'“‘(\[]*$")
_COMING = re.compile(r"(?i)will|shall|going to|plans to|gonna|['’]ll")
_PAST = re.compile(r"\w{2,}ed$")


@dataclass(frozen=True)
class ParsedSentence:
    """A text, cut into clauses of words with their numbers in figures; whatever else is asked of it is read then."""

    text: str
    clauses: tuple[tuple[str, ...], ...]
    speaker: str | None = None
    vector: Vector | None = None

    @classmethod
    def of(cls, text: str, vector: Vector | None = None, speaker: str | None = None) -> ParsedSentence:
        """Cuts a text."""
        return cls(*cut(text), speaker, vector)

    def followed_by(self, other: ParsedSentence) -> ParsedSentence:
        """Both as one, by their words."""
        return ParsedSentence(f"{self.text}\n{other.text}", self.clauses + other.clauses)

    @cached_property
    def words(self) -> tuple[str, ...]:
        """All words in their order."""
        return tuple(chain.from_iterable(self.clauses))

    @cached_property
    def stems(self) -> frozenset[str]:
        """The content words, synonyms as one."""
        return _stems(self.words)

    @cached_property
    def order(self) -> tuple[str, ...]:
        """The content words in their order, with those that say a direction, and `SPEAKER` for whoever speaks."""
        return tuple(lexeme for word in self.words if (lexeme := _ordered(word)))

    @cached_property
    def speaks(self) -> bool:
        """Whether somebody says it of himself: "I", "we"."""
        return not SPEAKING.isdisjoint(self.words)

    @cached_property
    def roles(self) -> Mapping[str, str]:
        """Of each content word the preposition that governs its phrase, a possessive its mark, the others nothing."""
        return _roles(self.words)

    @cached_property
    def figures(self) -> tuple[str, ...]:
        """The numbers in their order."""
        return tuple(dict.fromkeys(word for word in self.words if word[0].isdigit()))

    @cached_property
    def units(self) -> frozenset[str]:
        """What numbers count: units, currencies, days, months."""
        return _UNITS.intersection(self.words)

    @cached_property
    def amounts(self) -> tuple[frozenset[str], frozenset[str]]:
        """The content words of which there is one here, "a flight", and those of which there are more."""
        return _amounts(self.words)

    @property
    def names(self) -> frozenset[str]:
        """The names of which nothing is said here."""
        return self._named[0]

    @property
    def subjects(self) -> frozenset[str]:
        """The names that do something here, have something, or did it in the passive."""
        return self._named[1]

    @cached_property
    def _named(self) -> tuple[frozenset[str], frozenset[str]]:
        return _names(self.text)

    @cached_property
    def sides(self) -> Mapping[int, frozenset[int]]:
        """Where it stands on the axes of opposites."""
        found: dict[int, set[int]] = {}
        for axis, side in chain.from_iterable(SIDES.get(word, ()) for word in self.words):
            found.setdefault(axis, set()).add(side)
        return {axis: frozenset(taken) for axis, taken in found.items()}

    @cached_property
    def scopes(self) -> Mapping[str, frozenset[str]]:
        """The content words that are negated, doubted, excepted."""
        said = frozenset(self.words)
        return {
            name: _scoped(self.clauses, triggers) for name, triggers in SCOPES.items() if not triggers.isdisjoint(said)
        }

    @cached_property
    def future(self) -> frozenset[str]:
        """What will be."""
        return _future(self.words) if _COMING.search(self.text) else _NOTHING

    @cached_property
    def past(self) -> frozenset[str]:
        """What has been, where its form shows it."""
        return frozenset(canonical(word) for word in self.words if word in PAST or _PAST.match(word))

    @cached_property
    def passive(self) -> bool:
        """Whether something is said to be done by somebody: a form of "to be", and behind it "by" whom."""
        by = self.words.index("by") if "by" in self.words[:-1] else 0
        return by > 0 and self.words[by + 1] not in MEANS and not PASSIVE.isdisjoint(self.words[:by])


@cached(_MAX_READ)
def _stems(spoken: Sequence[str]) -> frozenset[str]:
    return frozenset(map(canonical, spoken)) - _NONE


def _ordered(word: str) -> str:
    if word in SPEAKING:
        return SPEAKER
    return word if word in DIRECTIONS or word in JOINERS else canonical(word)


@cached(_MAX_READ)
def _roles(spoken: Sequence[str]) -> Mapping[str, str]:
    """Of each content word the preposition that governs its phrase, a possessive its mark, the others nothing."""
    found: dict[str, str] = {}
    role = ""
    for word in spoken:
        lexeme = canonical(word)
        if word in PREPOSITIONS:
            role = PREPOSITIONS[word]
        elif lexeme:
            found.setdefault(lexeme, "'s" if word.endswith("'s") else role)
        elif word not in ARTICLES:
            role = ""
    return found


def _scoped(clauses: Sequence[Sequence[str]], triggers: frozenset[str]) -> frozenset[str]:
    """The content words that follow a trigger within its clause."""
    found: set[str] = set()
    for clause in clauses:
        within = False
        for word in clause:
            if word in CLAUSE_WORDS:
                within = False
            elif word in triggers:
                within = True
            elif within and (lexeme := canonical(word)):
                found.add(lexeme)
    return frozenset(found)


@cached(_MAX_READ)
def _amounts(spoken: Sequence[str]) -> tuple[frozenset[str], frozenset[str]]:
    """What follows "a" at once, and what follows a word for several or a figure."""
    one: set[str] = set()
    more: set[str] = set()
    for word, following in pairwise(spoken):
        lexeme = canonical(following)
        if lexeme and (word in SEVERAL or (word[0].isdigit() and word != "1")):
            more.add(lexeme)
        elif lexeme and word in ("a", "an") and following not in SEVERAL:
            one.add(lexeme)
    return frozenset(one - more), frozenset(more)


def _future(spoken: Sequence[str]) -> frozenset[str]:
    """The first content word after each sign of the future."""
    found: set[str] = set()
    waiting = False
    for n, word in enumerate(spoken):
        lexeme = canonical(word)
        if word in FUTURE or word.endswith("'ll") or (word == "to" and n and spoken[n - 1] in ("going", "plans")):
            waiting = True
        elif waiting and lexeme:
            found.add(lexeme)
            waiting = False
    return frozenset(found)


@cached(_MAX_READ)
def _names(text: str) -> tuple[frozenset[str], frozenset[str]]:
    """The lexemes of names, apart those that something is said of; what opens a sentence may be any word."""
    names: set[str] = set()
    subjects: set[str] = set()
    for found in _CAPITALISED.finditer(text):
        word, possessive, following = found.groups()
        lexemes = {canonical(each) for each in spelled(words(word))} - _UNITS - _NONE
        before = text[max(0, found.start() - 12) : found.start()]
        if possessive or _acts(following) or before.endswith("by "):
            subjects |= lexemes
        elif _INITIAL.search(before) is None or _INNER.search(word[1:]):
            names |= lexemes
    return frozenset(names), frozenset(subjects)


def _acts(following: str | None) -> bool:
    """Whether a word can be the verb of the name before it."""
    return following is not None and (following in AUXILIARIES or following.endswith(("s", "ed")))


@cached(_MAX_READ)
def cut(text: str) -> tuple[str, tuple[tuple[str, ...], ...]]:
    """A text with its dates in one spelling, and its clauses as words."""
    text = _MAY.sub(MAY.title(), _dated(text))
    return text, tuple(spelled(words(clause)) for clause in _CLAUSE.split(_plain(text)))


def _dated(text: str) -> str:
    """With dates, months, days of the week and times of day written in one way: "2026-06-03" as "3 June 2026"."""
    if _DIGIT.search(text):
        text = _ISO.sub(lambda date: f"{int(date[3])} {_MONTHS[int(date[2]) - 1]} {date[1]}", text)
        text = _MONTH.sub(lambda month: _BY_ABBREVIATION[month[1][:3]], _CLOCK.sub(_on_the_clock, text))
    return _WEEKDAY.sub(lambda day: _BY_ABBREVIATION[day[1][:3]], text)


def _on_the_clock(time: re.Match[str]) -> str:
    """A time of day by 24 hours, if it is one."""
    hour, minutes, half = int(time[1]), time[2], (time[3] or "").lower()[:1]
    if hour > 23 or (half and not 1 <= hour <= 12):
        return time.group()
    return f"{hour % 12 + 12 * (half == 'p') if half else hour}:{minutes}"


def _plain(text: str) -> str:
    """Normalised, with numbers apart from their units and signs written as words."""
    plain = _USED_TO.sub("formerly", _PHRASE.sub(lambda phrase: PHRASES[phrase.group()], normalise(text)))
    if _DIGIT.search(plain) is None:
        return plain
    plain = _SIGN.sub(lambda sign: _SIGNS[sign.group()], _THOUSANDS.sub("", plain))
    return _GLUED.sub(r" \1", plain)


def spelled(spoken: Sequence[str]) -> tuple[str, ...]:
    """Words with their numbers in figures and their units as one: "thirty-two s", "32nd second" and "32 seconds"."""
    found: list[str] = []
    tens = False
    for n, word in enumerate(spoken):
        if word not in NUMBERS and word not in UNITS and _DIGIT.search(word) is None:
            found.append(word)
            continue
        figure = _number(word, spoken[n - 1] if n else "")
        if figure is not None and tens and len(figure) == 1 and word in NUMBERS:
            found[-1] = str(int(found[-1]) + int(figure))
            tens = False
            continue
        tens = figure is not None and word in NUMBERS and len(figure) == 2 and figure[1] == "0"
        counted = n > 0 and found[-1][0].isdigit()
        found.append(figure or (UNITS.get(word, word) if counted or word not in AFTER_FIGURES else word))
    return tuple(found)


def _number(word: str, before: str) -> str | None:
    if word == "second" and (before in NUMBERS or before.isdigit() or before in ("a", "per", "every", "each")):
        return None  # of time
    if word in NUMBERS:
        return str(NUMBERS[word])
    figure = _FIGURE.match(word) or _FIGURE.match(word[:-2] if word[-2:] in ("st", "nd", "rd", "th") else word)
    return figure.group(1) if figure else None
