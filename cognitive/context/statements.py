"""A text as a comparison of statements needs it: its words in order, and what they say of one another."""

from __future__ import annotations

import re
from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from functools import cached_property
from itertools import chain, pairwise

from brain.caches import cached
from brain.text import sentences, words
from brain.types import Vector
from cognitive.context.lexicon import (
    ARTICLES,
    AUXILIARIES,
    CLAUSE_WORDS,
    DIRECTIONS,
    FUTURE,
    JOINERS,
    MEANS,
    PASSIVE,
    PAST,
    PREPOSITIONS,
    SCOPES,
    SEVERAL,
    SIDES,
    SPEAKING,
    UNITS,
    canonical,
)
from cognitive.context.spelling import cut, spelled

# Of the window this much is compared: a message of megabytes must not cost the turn its deadline.
_MOST_OF_A_MESSAGE = 20_000
_MOST_SENTENCES = 120
_LONGEST_SENTENCE = 2_000
_MOST_READ = 4_096  # texts of which a reading is kept: a window's sentences come again in every turn
# What asks without a question mark: "tell me about the glue", "can you find", "where did we put". A clause with "when"
# or "where" and no verb behind it ("when the server restarts, ...") states something.
_REQUEST = re.compile(
    r"\W*(?:(?:please|pls|hey|hi|hello|ok|okay|so|and|also|now|well|then)\W+)*"
    r"(?:(?:tell|remind|show|give|find|list|explain|describe|summari[sz]e|search|recall|help|look up|look for)\b"
    r"|(?:can|could|would|will|do|does|did|is|are|was|were|have|has|should) "
    r"(?:i|we|you|u|he|she|it|they|the|my|our|your|there|this|that|any|anyone|someone)\b"
    r"|(?:what|who|whom|whose|when|where|which|why|how)(?:'s|'re|'d|(?: \w+)? (?:is|are|was|were|do|does|did|has|have"
    r"|can|could|should|would|will|to))\b"
    r"|i (?:want|need|would like|'d like) (?:to (?:know|see|hear|find)|you to)\b|i (?:wonder|forgot|forget)\b)",
    re.IGNORECASE,
)
_CLOSERS = "\"'”’)]"
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
class Statement:
    """A text, cut into clauses of words with their numbers in figures; whatever else is asked of it is read then."""

    text: str
    clauses: tuple[tuple[str, ...], ...]
    speaker: str | None = None
    vector: Vector | None = None

    @classmethod
    def of(cls, text: str, vector: Vector | None = None, speaker: str | None = None) -> Statement:
        """Cuts a text."""
        return cls(*cut(text), speaker, vector)

    def followed_by(self, other: Statement) -> Statement:
        """Both as one, by their words."""
        return Statement(f"{self.text}\n{other.text}", self.clauses + other.clauses)

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


def window_sentences(messages: Sequence[str]) -> list[str]:
    """What the window states, oldest first: its last sentences without questions and requests, which state nothing and
    name what they are about.
    """
    stated = [
        sentence[:_LONGEST_SENTENCE]
        for message in messages
        for sentence in sentences(message[-_MOST_OF_A_MESSAGE:])
        if not _asks(sentence)
    ]
    return stated[-_MOST_SENTENCES:]


@cached(_MOST_READ)
def _stems(spoken: Sequence[str]) -> frozenset[str]:
    return frozenset(map(canonical, spoken)) - _NONE


def _asks(sentence: str) -> bool:
    return sentence.rstrip(_CLOSERS).endswith(("?", "？")) or _REQUEST.match(sentence) is not None


def _ordered(word: str) -> str:
    if word in SPEAKING:
        return SPEAKER
    return word if word in DIRECTIONS or word in JOINERS else canonical(word)


@cached(_MOST_READ)
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


@cached(_MOST_READ)
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


@cached(_MOST_READ)
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
