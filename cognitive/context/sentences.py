"""Parse a text for comparison with others: words in order, in one spelling, and their grammatical relations.

Dates, times of day, numbers, units and signs have several spellings; parsing reduces each to one. The relations
(negation, prepositions, tense, subjects) are read from word lists and word order, without a grammar. The word lists are
English; texts in other languages are compared by words, numbers and names.
"""

from __future__ import annotations

import re
from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from functools import cached_property
from itertools import chain, pairwise

from brain.caches import cached
from brain.languages import ENGLISH, MONTHS
from brain.text import normalise, words
from brain.types import Vector
from cognitive.context.lexicon import (
    ARTICLES,
    AUXILIARIES,
    CLAUSE_WORDS,
    DIRECTIONS,
    JOINERS,
    MAY,
    MEANS,
    PASSIVE,
    PHRASES,
    PREPOSITIONS,
    SCOPES,
    SIDES,
    SPEAKING,
    UNITS,
    canonical,
)
from cognitive.context.numbers import DIGIT, spelled

_MAX_READ = 4_096  # texts whose parse is cached, because every turn compares most of the window again
_THOUSANDS = re.compile(r"(?<=\d),(?=\d{3}(?!\d))")
_GLUED = re.compile(r"(?<=\d)(ms|msec|secs?|s|mins?|hrs?|h|d|am|pm|[kmgt]i?b|mm|cm|km|kg|g|ml|kw|k|v|a|x)(?!\w)")
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
_NOT = "|".join(sorted(SCOPES["negated"] - {"without"}))
_NOT_WITHOUT = re.compile(rf"\b(?:{_NOT})((?: [\w'-]+){{1,8}}?) without\b(?: having)?")
_CLAUSE = re.compile(r"[,;:()\n–—]|\.(?=\s|$)|[!?]")
_MAY = re.compile(
    r"(?<=\b(?:[Ii]n|[Oo]n|[Oo]f|[Bb]y) )May\b|(?<=\d )May\b|(?<=(?:st|nd|rd|th|xt) )May\b|(?<=this )May\b|\bMay(?= \d)"
)
_MONTHS = MONTHS[ENGLISH]
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
SPEAKER = "I"  # replaces words such as "I" and "we" in `order`, where all other words are in lower case

_CAPITALISED = re.compile(r"(?:^|(?<=[\s\"'“‘(\[*_`/-]))([A-ZÀ-ÖØ-ÞА-ЯΑ-Ω][\w.-]*\w)('s|’s)?(?:(?=\s+([\w'’]+)))?")
_INNER = re.compile(r"[A-Z0-9_]")
_INITIAL = re.compile(r"(?:^|[.!?:…\n]\s*|^[-*•\d.)\s]*)[\"'“‘(\[]*$")
_PARTICIPLE = re.compile(r"\w+(?:ed|en|wn|pt)$")


@dataclass(frozen=True)
class ParsedSentence:
    """A text parsed for comparison with others. Properties other than `clauses` are computed when they are first used.

    A lexeme is the stem of a word. Synonyms share one lexeme; stop words have none.
    """

    text: str
    clauses: tuple[tuple[str, ...], ...]
    speaker: str | None = None
    vector: Vector | None = None

    @classmethod
    def of(cls, text: str, vector: Vector | None = None, speaker: str | None = None) -> ParsedSentence:
        """Parse a text; its vector and its speaker, if known, are stored with the result."""
        return cls(*cut(text), speaker, vector)

    def followed_by(self, other: ParsedSentence) -> ParsedSentence:
        """Return this text and another one, parsed as one text without vector and speaker."""
        return ParsedSentence(f"{self.text}\n{other.text}", self.clauses + other.clauses)

    @cached_property
    def words(self) -> tuple[str, ...]:
        """All words of the text, in order, with numbers as digits and units in one spelling."""
        return tuple(chain.from_iterable(self.clauses))

    @cached_property
    def stems(self) -> frozenset[str]:
        """The lexemes (stems) of the words that are no stop words; synonyms have the same lexeme."""
        return stems_of(self.words)

    @cached_property
    def order(self) -> tuple[str, ...]:
        """The lexemes (stems) in order, with words of direction such as "from" and "to", and "I" for "we" and "my"."""
        return tuple(lexeme for word in self.words if (lexeme := _ordered(word)))

    @cached_property
    def is_first_person(self) -> bool:
        """True if the text has a word such as "I", "we" or "my", so that its speaker may be meant."""
        return not SPEAKING.isdisjoint(self.words)

    @cached_property
    def roles(self) -> Mapping[str, str]:
        """For each lexeme (stem), the preposition that governs it, "'s" for a possessive, or "" for neither."""
        return _roles(self.words)

    @cached_property
    def figures(self) -> tuple[str, ...]:
        """The numbers in the text as digits, each once, in order."""
        return tuple(dict.fromkeys(word for word in self.words if word[0].isdigit()))

    @cached_property
    def units(self) -> frozenset[str]:
        """The units that the text names: measures, currencies, days, months."""
        return _UNITS.intersection(self.words)

    @property
    def names(self) -> frozenset[str]:
        """The lexemes (stems) of proper names in the text that are not its subjects."""
        return self._named[0]

    @property
    def subjects(self) -> frozenset[str]:
        """The lexemes (stems) of proper names that act, own something, or follow "by" in the passive."""
        return self._named[1]

    @cached_property
    def _named(self) -> tuple[frozenset[str], frozenset[str]]:
        """The lexemes of the text's proper names that are among its stems: not subjects, and subjects."""
        names, subjects = _names(self.text)
        return names & self.stems, subjects & self.stems

    @cached_property
    def sides(self) -> Mapping[int, frozenset[int]]:
        """Return which sides ("open | closed") of each pair of opposites the text names, by its index in `AXES`."""
        sides: dict[int, set[int]] = {}
        for axis, side in chain.from_iterable(SIDES.get(word, ()) for word in self.words):
            sides.setdefault(axis, set()).add(side)
        return {axis: frozenset(on_axis) for axis, on_axis in sides.items()}

    @cached_property
    def scopes(self) -> Mapping[str, frozenset[str]]:
        """For each scope in `lexicon.SCOPES` (negation, doubt, exception ...), the lexemes of the words within it."""
        present = frozenset(self.words)
        return {
            name: _scoped(self.clauses, triggers)
            for name, triggers in SCOPES.items()
            if not triggers.isdisjoint(present)
        }

    @cached_property
    def passive(self) -> str:
        """The voice of the text: "by" for a passive with an agent, "is" for another passive, "" for the active."""
        by = self.words.index("by") if "by" in self.words[:-1] else 0
        if by > 0 and self.words[by + 1] not in MEANS and not PASSIVE.isdisjoint(self.words[:by]):
            return "by"
        return "is" if any(one in PASSIVE and _PARTICIPLE.match(two) for one, two in pairwise(self.words)) else ""


@cached(_MAX_READ)
def stems_of(words: Sequence[str]) -> frozenset[str]:
    """Return the lexemes (stems, one for all synonyms) of words, without stop words."""
    return frozenset(map(canonical, words)) - _NONE


def _ordered(word: str) -> str:
    """Return the form of a word in `ParsedSentence.order`, or "" if it is left out there as a stop word."""
    if word in SPEAKING:
        return SPEAKER
    return word if word in DIRECTIONS or word in JOINERS else canonical(word)


@cached(_MAX_READ)
def _roles(words: Sequence[str]) -> Mapping[str, str]:
    """Return for each lexeme (stem) the preposition that governs it, "'s" for a possessive, or "" for neither."""
    roles: dict[str, str] = {}
    role = ""
    for word in words:
        lexeme = canonical(word)
        if word in PREPOSITIONS:
            role = PREPOSITIONS[word]
        elif lexeme:
            roles.setdefault(lexeme, "'s" if word.endswith("'s") else role)
        elif word not in ARTICLES:
            role = ""
    return roles


def _scoped(clauses: Sequence[Sequence[str]], triggers: frozenset[str]) -> frozenset[str]:
    """Return the lexemes (stems) of words that follow a trigger such as "not" within the same clause."""
    scoped: set[str] = set()
    for clause in clauses:
        within = False
        for word in clause:
            if word in CLAUSE_WORDS:
                within = False
            elif word in triggers:
                within = True
            elif within and (lexeme := canonical(word)):
                scoped.add(lexeme)
    return frozenset(scoped)


@cached(_MAX_READ)
def _names(text: str) -> tuple[frozenset[str], frozenset[str]]:
    """Return the lexemes (stems) of a text's proper names: those that are not subjects, and those that are.

    A capitalised word at the start of a sentence may be any word, so it counts as a name only as a subject, or if it
    has a capital letter or digit inside.
    """
    names: set[str] = set()
    subjects: set[str] = set()
    for match in _CAPITALISED.finditer(text):
        word, possessive, following = match.groups()
        lexemes = {canonical(each) for each in spelled(words(word))} - _UNITS - _NONE
        before = text[max(0, match.start() - 12) : match.start()]
        if possessive or _acts(following) or before.endswith("by "):
            subjects |= lexemes
        elif _INITIAL.search(before) is None or _INNER.search(word[1:]):
            names |= lexemes
    return frozenset(names), frozenset(subjects)


def _acts(following: str | None) -> bool:
    """Return True if the word `following` a proper name looks like its verb, so that the name is a subject."""
    return following is not None and (following in AUXILIARIES | JOINERS or following.endswith(("s", "ed")))


@cached(_MAX_READ)
def cut(text: str) -> tuple[str, tuple[tuple[str, ...], ...]]:
    """Return a text with its dates in one spelling, and its clauses, each a tuple of words."""
    text = _MAY.sub(MAY.title(), _dated(text))
    return text, tuple(spelled(words(clause)) for clause in _CLAUSE.split(_plain(text)))


def _dated(text: str) -> str:
    """Return a text with dates, weekdays and times of day in one spelling: "2026-06-03" becomes "3 June 2026"."""
    if DIGIT.search(text):
        text = _ISO.sub(lambda date: f"{int(date[3])} {_MONTHS[int(date[2]) - 1]} {date[1]}", text)
        text = _MONTH.sub(lambda month: _BY_ABBREVIATION[month[1][:3]], _CLOCK.sub(_on_the_clock, text))
    return _WEEKDAY.sub(lambda day: _BY_ABBREVIATION[day[1][:3]], text)


def _on_the_clock(time: re.Match[str]) -> str:
    """Return a matched time of day on the 24-hour clock, or the matched text if it is no valid time."""
    hour, minutes, half = int(time[1]), time[2], (time[3] or "").lower()[:1]
    if hour > 23 or (half and not 1 <= hour <= 12):
        return time.group()
    return f"{hour % 12 + 12 * (half == 'p') if half else hour}:{minutes}"


def _plain(text: str) -> str:
    """Return a normalised text, with numbers separated from their units, and signs such as "%" written as words.

    Two negations are left out: "Never push without having run the tests" says "push with run the tests".
    """
    plain = _USED_TO.sub("formerly", _PHRASE.sub(lambda phrase: PHRASES[phrase.group()], normalise(text)))
    plain = _NOT_WITHOUT.sub(r"\1 with", plain)
    if DIGIT.search(plain) is None:
        return plain
    plain = _SIGN.sub(lambda sign: _SIGNS[sign.group()], _THOUSANDS.sub("", plain))
    return _GLUED.sub(r" \1", plain)
