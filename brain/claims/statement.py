"""Take an English statement apart: words, verb, and the numbers, times and dates behind the verb."""

from __future__ import annotations

import re
from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from itertools import zip_longest

from brain.claims.vocabulary import (
    ARTICLES,
    CLOCK,
    DAYS,
    EMPTY,
    HOW_OFTEN,
    MODALS,
    MONTHS,
    NEGATIONS,
    NUMBERS,
    PREPOSITIONS,
    TITLES,
    UNITS,
    VERBS,
)
from brain.text import normalise, stem

_EDGES = ".,:;!\"'“”‘’()[]<>«»*`"
_NEXT_SENTENCE = re.compile(r"(\w+)[.!…]\s+\S")
_GLUED = re.compile(r"(\d[\d.]*)(ms|s|min|h|d|am|pm|kb|mb|gb|tb|kg|g|mg|ml|l|mm|cm|m|km|%|€|\$|°c|°f|°)")
_SIGNS = {"$": "dollar", "€": "euro", "£": "pound", "%": "percent", "°": "degree", "°c": "degree", "°f": "degree"}
_MAX_FRONTED = 6  # words of a phrase before the subject: "In the winter months, ..."
_LAST_WORDS = (["these", "days"], ["at", "present"], ["any", "more"])
_BEHIND_DATES = (
    PREPOSITIONS
    | DAYS
    | MONTHS
    | CLOCK
    | set("and or each morning mornings afternoon afternoons evening evenings night nights noon".split())
)
_ADVERBS = frozenset("now currently also still only always".split())
_IMPERATIVES = frozenset("use keep set store put run".split())
_PLURAL = frozenset("i we you people".split())


@dataclass(frozen=True, slots=True)
class Verb:
    """The verbs of a statement, at the word indexes [start, end): "has been moved" is `lemma` "move", `passive`."""

    start: int
    end: int
    lemma: str
    passive: bool
    negated: bool


@dataclass(frozen=True, slots=True)
class TypedValue:
    """The numbers, times and dates of a phrase, what kind they are, and the other words of the phrase."""

    kind: str
    words: tuple[str, ...]
    others: tuple[str, ...]


def has_several_sentences(content: str) -> bool:
    """Return True if a text has more than one sentence."""
    return any(match[1].lower() not in TITLES and len(match[1]) > 1 for match in _NEXT_SENTENCE.finditer(content))


def split_words(content: str) -> tuple[list[str], list[bool]]:
    """Return the words of a statement in lower case, and whether each has a capital letter.

    Numbers are digits, and their unit is a separate word. A phrase before the subject ("In winter, ...") is moved to
    the end.
    """
    words: list[str] = []
    capitals: list[bool] = []
    comma = 0
    for each in content.split():
        bare = each.strip(_EDGES)
        if not bare:
            continue
        word = bare.lower() if bare.isascii() else normalise(bare)
        if bare == "May" and words:
            word = "MAY"  # the month; "may" leaves a statement uncertain
        elif bare == "US":
            word = "usa"
        parts = _figures(word) if word[0] in "$€£0123456789" or word[-1] in "%°" else _expanded(word)
        words += parts
        capitals += [bare != word] * len(parts)
        if not comma and each[-1] == ",":
            comma = len(words)
    if words[-2:] in _LAST_WORDS:
        del words[-2:], capitals[-2:]
    if comma and words[0] in PREPOSITIONS and comma <= _MAX_FRONTED:
        return words[comma:] + words[:comma], capitals[comma:] + capitals[:comma]
    return words, capitals


def _expanded(word: str) -> list[str]:
    """Return a word without contraction and figures: "i've" becomes "i" and "have", and "two" becomes "2"."""
    return [word[:-3], "have"] if word.endswith("'ve") and len(word) > 3 else [NUMBERS.get(word, word)]


def _figures(word: str) -> list[str]:
    """Return a word with digits as number and unit: "1,200" becomes "1200", and "10mb" becomes "10" and "mb"."""
    word = word.replace(",", "")
    if word[0] in _SIGNS:
        return [word[1:], _SIGNS[word[0]]] if len(word) > 1 else [_SIGNS[word[0]]]
    glued = _GLUED.fullmatch(word)
    if glued:
        return [glued[1], _SIGNS.get(glued[2], glued[2])]
    is_ordinal = word[-2:] in ("st", "nd", "rd", "th") and word[:-2].isdigit()
    return [word[:-2] if is_ordinal else word]


def find_verb(words: Sequence[str]) -> Verb | None:
    """Return the first verbs of a statement, or None if there are none. An imperative begins with its verb."""
    start = _verb_start(words)
    if start is None:
        return None
    lemma, passive, negated = "", False, False
    end = start
    for word, behind in zip_longest(words[start:], words[start + 1 :], fillvalue=""):
        is_moved = word == "got" and VERBS.get(behind, ("", ""))[1] == "past"  # "got moved" is "was moved"
        form = VERBS.get("was" if is_moved else word)
        helps = lemma in ("", "be", "have", "do")
        if word in NEGATIONS:
            negated = True
            if word == "no":
                break
        elif word not in MODALS and not (word in _ADVERBS and helps):
            if (
                form is None
                or not helps
                or (lemma in ("be", "have") and form[1] not in ("past", "ing") and form[0] != "be")
            ):
                break
            passive = lemma == "be" and form[1] == "past" and form[0] != "be"
            lemma = form[0]
        end += 1
    return Verb(start, end, lemma, passive, negated) if lemma else None


def _verb_start(words: Sequence[str]) -> int | None:
    """Return the index of the first verb of a statement, or None if none is found."""
    if words[0] in _IMPERATIVES and words[1] not in VERBS:
        return 0
    for n in range(1, len(words) - 1):
        word, before, behind = words[n], words[n - 1], words[n + 1]
        if word in MODALS or word in NEGATIONS:
            return n
        form = VERBS.get(word)
        if form is None or before in ARTICLES or (before in PREPOSITIONS and form[0] != "be") or form[1] == "ing":
            continue
        if form[0] in ("be", "have"):
            return n
        following = VERBS.get(behind)
        if form[1] == "s" and (behind in MODALS or (following and following[1] in ("base", "s"))):
            continue  # a noun: "unit tests run", "phone calls are"
        is_plural = before in _PLURAL or (before[-1] == "s" and before[-2:] != "'s")
        if before[-2:] != "'s" and (form[1] != "base" or is_plural):
            return n
    return None


def typed_value(phrase: Sequence[str]) -> TypedValue | None:
    """Return the numbers, times and dates of a phrase, or None if it has none."""
    kinds: dict[str, list[str]] = {}
    others: list[str] = []
    n = 0
    while n < len(phrase):
        kind, length = _typed_at(phrase, n)
        (kinds.setdefault(kind, []) if kind else others).extend(phrase[n : n + length])
        n += length
    if not kinds:
        return None
    quantities = [kind for kind in kinds if kind not in ("date", "often")]
    kind = "time" if "time" in kinds else [*quantities, *kinds][0]
    recurring = _recurring_days(kinds) if quantities else []
    words = [word for each, found in kinds.items() if (kind, each) != ("time", "often") for word in found]
    return TypedValue(kind, tuple(word for word in words if word not in recurring), (*others, *recurring))


def _recurring_days(kinds: Mapping[str, Sequence[str]]) -> list[str]:
    """Return the days on which a number or time holds: "at 10 on Sundays" holds beside "at 8 on Mondays"."""
    often = [word for word in kinds.get("often", ()) if word in DAYS]
    return often + [word for word in kinds.get("date", ()) if word in DAYS and word[-1] == "s"]


def _typed_at(phrase: Sequence[str], n: int) -> tuple[str, int]:
    """Return the kind and the number of words of the number, time or date at a place, or ("", 1) for another word."""
    word = phrase[n]
    if word[0].isdigit():
        return _number(phrase, n)
    if word in DAYS or word in MONTHS:
        behind = phrase[n + 1] if n + 1 < len(phrase) else ""
        return ("date" if not behind.isalpha() or behind in _BEHIND_DATES else "", 1)  # not "the Monday class"
    if word in CLOCK:
        return "time", 1
    if "@" in word[1:-1]:
        return "email", 1
    return _frequency(phrase, n) if word in HOW_OFTEN else ("", 1)


def _number(phrase: Sequence[str], n: int) -> tuple[str, int]:
    """Return the kind and the number of words of the number at a place, with its unit."""
    word = phrase[n]
    before, behind = phrase[n - 1] if n else "", phrase[n + 1] if n + 1 < len(phrase) else ""
    if behind in CLOCK:
        return "time", 2
    if ":" in word or (before in ("at", "after", "before") and behind not in UNITS and len(word) < 3):
        return "time", 1
    if behind in MONTHS or before in MONTHS or word.count("-") == 2:
        return "date", 1 + (behind in MONTHS)
    if behind in UNITS:
        return UNITS[behind], 2
    counts = behind.isalpha() and behind not in PREPOSITIONS and not behind.endswith("ly") and behind != "and"
    if counts and (not before or before in PREPOSITIONS or before in EMPTY):
        return stem(behind), 2
    return "number", 1


def _frequency(phrase: Sequence[str], n: int) -> tuple[str, int]:
    """Return the kind and the number of words of a frequency such as "every 10 minutes" or "once a month"."""
    behind = phrase[n + 1] if n + 1 < len(phrase) else ""
    if phrase[n] in ("once", "twice") or (phrase[n] == "every" and behind.isdigit()):
        return "often", min(3, len(phrase) - n)
    if phrase[n] == "every":
        return ("often", 2) if behind in UNITS or behind in DAYS else ("", 1)
    return "often", 1
