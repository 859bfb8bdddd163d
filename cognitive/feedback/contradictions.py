"""Recognise contradictions: passages of a response that state another value than a memory, or deny it.

"Backups are kept for 90 days" has most words of "Backups are kept for 30 days", and doesn't come from it. The word
lists are English; texts in other languages are compared by their numbers and names.
"""

from __future__ import annotations

from collections.abc import Iterator, Set
from typing import NamedTuple

from cognitive.context.lexicon import MONTHS, SCOPES, SIDES, WEEKDAYS, canonical
from cognitive.context.sentences import ParsedSentence

_SAME_MATTER = 0.5  # share of the memory's words from which a passage is about the same matter
_DENIED = 0.4  # share of the common words that a denial negates: "is not kept in Rome" negates two words


class _Value(NamedTuple):
    """A value that a text states: its kind, its lexeme, and the lexemes before and after it in its clause.

    The kind is "figure", "weekday", "month", "name", or the pair of opposites that the word belongs to, such as "open |
    closed", by its index and side.
    """

    kind: str | int
    side: int
    lexeme: str
    before: str | None
    after: str | None


def contradicts(memory: ParsedSentence, passage: ParsedSentence, nearby: Set[str]) -> bool:
    """Return True if a passage of a response states another value than a memory, or denies what the memory states.

    A passage with less than half of the memory's words is about something else, whatever its values. `nearby` are the
    lexemes of the passage and of the sentences around it. A value of the memory that is among them is not contradicted,
    because the response may name both the old value and the new one.
    """
    if len(memory.stems & passage.stems) < _SAME_MATTER * len(memory.stems):
        return False
    return _denies(memory, passage) or _replaces(memory, passage, nearby)


def _denies(memory: ParsedSentence, passage: ParsedSentence) -> bool:
    """Return True if one of the texts has a negation, and it is about much of what both say.

    A word such as "refuses" negates, and is no difference if both texts have it.
    """
    common = memory.stems & passage.stems
    negating = [each for each in (memory, passage) if "negated" in each.scopes]
    if len(negating) != 1 or any(canonical(word) in common for word in memory.words if word in SCOPES["negated"]):
        return False
    return len(common & negating[0].scopes["negated"]) >= _DENIED * len(common) > 0


def _replaces(memory: ParsedSentence, passage: ParsedSentence, nearby: Set[str]) -> bool:
    """Return True if the passage has another value where the memory has one, and the memory's is not nearby."""
    stated = [value for value in _values(passage) if value.lexeme not in memory.stems]
    missing = [value for value in _values(memory) if value.lexeme not in nearby] if stated else []
    return any(_same_place(old, new) for old in missing for new in stated)


def _same_place(old: _Value, new: _Value) -> bool:
    """Return True if two values are of one kind and stand beside the same word; a name needs both of its neighbours."""
    if old.kind != new.kind or (isinstance(old.kind, int) and old.side == new.side):
        return False
    before, after = old.before == new.before, old.after == new.after
    if old.kind == "name":
        return before and after and (old.before, old.after) != (None, None)
    return old.kind == "weekday" or (before and old.before is not None) or (after and old.after is not None)


def _values(text: ParsedSentence) -> Iterator[_Value]:
    """Yield the values that a text states."""
    names = text.names | text.subjects
    for clause in text.clauses:
        words = [(word, lexeme) for word in clause if (lexeme := canonical(word))]
        for n, (word, lexeme) in enumerate(words):
            before = words[n - 1][1] if n else None
            after = words[n + 1][1] if n + 1 < len(words) else None
            for kind, side in _kinds(word, lexeme, names):
                yield _Value(kind, side, lexeme, before, after)


def _kinds(word: str, lexeme: str, names: Set[str]) -> Iterator[tuple[str | int, int]]:
    """Yield the kinds of value that a word may be, each with its side of a pair of opposites."""
    if word[0].isdigit():
        yield "figure", 0
    elif lexeme in WEEKDAYS:
        yield "weekday", 0
    elif lexeme in MONTHS:
        yield "month", 0
    elif lexeme in names:
        yield "name", 0
    yield from SIDES.get(word, ())
