"""A text reduced to what a comparison of statements needs: its words in order, and what its words say of one another."""

from __future__ import annotations

import re
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass, field

from brain.text import normalise, sentences, words
from brain.types import Vector
from cognitive.context.lexicon import (
    AFTER_FIGURES,
    ARTICLES,
    AUXILIARIES,
    CLAUSE_WORDS,
    DIRECTIONS,
    FUTURE,
    JOINERS,
    MEANS,
    NUMBERS,
    PASSIVE,
    PHRASES,
    PREPOSITIONS,
    SCOPES,
    SIDES,
    SPEAKING,
    UNITS,
    canonical,
)

# Of the window this much is compared: a message of megabytes must not cost the turn its deadline.
_MOST_OF_A_MESSAGE = 20_000
_MOST_SENTENCES = 120
_LONGEST_SENTENCE = 2_000
_CLOSERS = "\"'”’)]"
_UNITS = frozenset(UNITS.values()) - AFTER_FIGURES | {"second"}
SPEAKER = "I"  # among the words in order, all of which are of lower case
_RUN = 3  # consecutive sentences may say together what a memory says

_THOUSANDS = re.compile(r"(?<=\d),(?=\d{3}(?!\d))")
_GLUED = re.compile(r"(?<=\d)(ms|msec|secs?|s|mins?|hrs?|h|d|am|pm|[kmgt]i?b|mm|cm|km|kg|g|ml|kw|v|a|x)(?!\w)")
_SIGNS = {"%": " percent ", "€": " euro ", "$": " dollar ", "£": " pounds ", "¥": " yen ", "°c": " celsius ", "°f": " fahrenheit "}
_SIGN = re.compile("|".join(map(re.escape, _SIGNS)))
_PHRASE = re.compile(r"\b(?:" + "|".join(PHRASES) + r")\b")
_USED_TO = re.compile(r"(?<!\bis )(?<!\bare )(?<!\bwas )(?<!\bwere )(?<!\bbe )(?<!\bget )(?<!\bgot )\bused to\b")
_CLAUSE = re.compile(r"[,;:()\n–—]|\.(?=\s|$)|[!?]")
_FIGURE = re.compile(r"v?(\d+(?:[.:]\d+)*)$")
_CAPITALISED = re.compile(r"(?:^|(?<=[\s\"'“‘(\[*_`/-]))([A-ZÀ-ÖØ-ÞА-ЯΑ-Ω][\w.-]*\w)('s|’s)?(?:\s+([\w'’]+))?")
_INNER = re.compile(r"[A-Z0-9_]")
_INITIAL = re.compile(r"(?:^|[.!?:…\n]\s*|^[-*•\d.)\s]*)[\"'“‘(\[]*$")
_MODAL_MONTHS = re.compile(r"\b(?:(?:in|on|of|by|since|until|last|next|this|\d{1,2}(?:st|nd|rd|th)?)\s+(May)|(May)\s+\d)\b")
_PAST = re.compile(r"\w{2,}ed$")


@dataclass(frozen=True, slots=True)
class Statement:
    """What is compared of a text.

    `stems` are its content words, synonyms as one; `order` holds them in the order of the text, with the words that say
    a direction and "I" for whoever speaks; `roles` are the prepositions that govern them. `figures` and `units` are its
    numbers and what they count; `names` stand within a sentence, `subjects` open one. `sides` are its places on
    the axes of opposites; `scopes` holds by name what is negated, doubted, excepted.
    """

    stems: frozenset[str] = frozenset()
    order: tuple[str, ...] = ()
    roles: Mapping[str, str] = field(default_factory=dict)
    figures: tuple[str, ...] = ()
    units: frozenset[str] = frozenset()
    names: frozenset[str] = frozenset()
    subjects: frozenset[str] = frozenset()
    sides: frozenset[tuple[int, int]] = frozenset()
    scopes: Mapping[str, frozenset[str]] = field(default_factory=dict)
    future: frozenset[str] = frozenset()
    past: frozenset[str] = frozenset()
    passive: bool = False
    speaker: str | None = None
    vector: Vector | None = None

    @classmethod
    def of(cls, text: str, vector: Vector | None = None, speaker: str | None = None) -> Statement:
        """Reads a text once."""
        plain = _plain(text)
        clauses = [_spelled(words(clause)) for clause in _CLAUSE.split(plain)]
        spoken = [word for clause in clauses for word in clause]
        order = tuple(lexeme for word in spoken if (lexeme := _ordered(word)))
        names, subjects = _names(text)
        return cls(
            stems=frozenset(lexeme for word in spoken if (lexeme := canonical(word))),
            order=order,
            roles=_roles(spoken),
            figures=tuple(dict.fromkeys(word for word in spoken if word[0].isdigit())),
            units=frozenset(_UNITS.intersection(spoken)) | _month_of_may(text),
            names=names,
            subjects=subjects,
            sides=frozenset(place for word in spoken for place in SIDES.get(word, ())),
            scopes={name: _scoped(clauses, triggers) for name, triggers in SCOPES.items()},
            future=_future(spoken),
            past=frozenset(canonical(word) for word in spoken if _PAST.match(word)),
            passive=_passive(spoken),
            speaker=speaker,
            vector=vector,
        )

    def followed_by(self, other: Statement) -> Statement:
        """Both as one, by their words."""
        return Statement(
            stems=self.stems | other.stems,
            order=self.order + other.order,
            roles={**other.roles, **self.roles},
            figures=tuple(dict.fromkeys(self.figures + other.figures)),
            units=self.units | other.units,
            names=self.names | other.names,
            subjects=self.subjects | other.subjects,
            sides=self.sides | other.sides,
            scopes={name: self.scopes[name] | other.scopes[name] for name in self.scopes},
            future=self.future | other.future,
            past=self.past | other.past,
            passive=self.passive or other.passive,
        )


def window_sentences(messages: Sequence[str]) -> list[str]:
    """What the window states, oldest first: its last sentences without the questions, which state nothing."""
    stated = [
        sentence[:_LONGEST_SENTENCE]
        for message in messages
        for sentence in sentences(message[-_MOST_OF_A_MESSAGE:])
        if not sentence.rstrip(_CLOSERS).endswith(("?", "？"))
    ]
    return stated[-_MOST_SENTENCES:]


def runs(single: Sequence[Statement]) -> Iterator[tuple[Statement, range]]:
    """Every run of up to three consecutive statements as one, with the places of its members; single ones first."""
    ending = list(single)
    for length in range(1, _RUN + 1):
        for start in range(len(single) - length + 1):
            if length > 1:
                ending[start] = ending[start].followed_by(single[start + length - 1])
            yield ending[start], range(start, start + length)


def _plain(text: str) -> str:
    """Normalised, with numbers apart from their units and signs written as words."""
    plain = _SIGN.sub(lambda sign: _SIGNS[sign.group()], _THOUSANDS.sub("", normalise(text)))
    plain = _PHRASE.sub(lambda phrase: PHRASES[phrase.group()], _USED_TO.sub("formerly", plain))
    return _GLUED.sub(r" \1", plain)


def _spelled(spoken: Sequence[str]) -> list[str]:
    """Words with their numbers in figures: "thirty-two", "32nd" and "32" alike."""
    found: list[str] = []
    tens = False
    for n, word in enumerate(spoken):
        figure = _number(word, spoken[n - 1] if n else "")
        if figure is not None and tens and len(figure) == 1 and word in NUMBERS:
            found[-1] = str(int(found[-1]) + int(figure))
            tens = False
            continue
        tens = figure is not None and word in NUMBERS and len(figure) == 2 and figure[1] == "0"
        counted = n > 0 and found[-1][0].isdigit()
        found.append(figure or (UNITS.get(word, word) if counted or word not in AFTER_FIGURES else word))
    return found


def _number(word: str, before: str) -> str | None:
    if word == "second" and (before in NUMBERS or before.isdigit() or before in ("a", "per", "every", "each")):
        return None  # of time
    if word in NUMBERS:
        return str(NUMBERS[word])
    figure = _FIGURE.match(word) or _FIGURE.match(word[:-2] if word[-2:] in ("st", "nd", "rd", "th") else word)
    return figure.group(1) if figure else None


def _ordered(word: str) -> str:
    if word in SPEAKING:
        return SPEAKER
    return word if word in DIRECTIONS or word in JOINERS else canonical(word)


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


def _passive(spoken: Sequence[str]) -> bool:
    """Whether something is said to be done by somebody: a form of "to be", and behind it "by" whom."""
    by = spoken.index("by") if "by" in spoken[:-1] else 0
    return spoken[by + 1 : by + 2] != [] and spoken[by + 1] not in MEANS and not PASSIVE.isdisjoint(spoken[:by])


def _month_of_may(text: str) -> frozenset[str]:
    return frozenset({"may"}) if _MODAL_MONTHS.search(text) else frozenset()


def _names(text: str) -> tuple[frozenset[str], frozenset[str]]:
    """The lexemes of names that stand within sentences, and of those that open one, where any word has a capital."""
    names: set[str] = set()
    subjects: set[str] = set()
    for found in _CAPITALISED.finditer(text):
        word, possessive, following = found.groups()
        lexemes = {lexeme for each in words(word) if (lexeme := canonical(each))}
        initial = _INITIAL.search(text[max(0, found.start() - 12) : found.start()]) is not None
        if not initial or _INNER.search(word[1:]):
            names |= lexemes
        elif possessive or _acts(following):
            subjects |= lexemes
    return frozenset(names), frozenset(subjects)


def _acts(following: str | None) -> bool:
    """Whether a word can be the verb of the name before it."""
    return following is not None and (following in AUXILIARIES or following.endswith(("s", "ed")))
