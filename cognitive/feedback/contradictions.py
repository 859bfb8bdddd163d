"""Recognise contradictions: passages of a response that state another value than a memory, or deny it.

"Backups are kept for 90 days" has most words of "Backups are kept for 30 days", and doesn't come from it. Texts are
compared clause by clause. The word lists are English; texts in other languages are compared by their numbers and names.
"""

from __future__ import annotations

from collections.abc import Iterator, Sequence, Set
from itertools import pairwise
from typing import NamedTuple

from cognitive.context.lexicon import MONTHS, PREPOSITIONS, SCOPES, SIDES, WEEKDAYS, canonical
from cognitive.context.sentences import ParsedSentence, stems_of

_SAME_MATTER = 0.5  # share of a clause's words, or of all the memory's, from which a passage is about the same matter
_MIN_DENIED = 3  # common words of a clause and its denial; fewer may be by chance, unless they are the whole clause
# Opposites of two words: "stay with Stripe" and "move from Stripe".
_LEAVING = "stay | move"
_STAY = frozenset("stay stays stayed staying stick stuck remain remains use uses using".split())
_MOVE = frozenset("move moves moved moving switch switches switched switching migrate migrated migrating".split())
_AWAY = frozenset("from away off".split())
# Words of a memory that forbids something. A negation of anything else agrees: "no releases" and "a release freeze".
_RESTRICTING = frozenset(
    canonical(word) or word
    for word in """freeze frozen forbid prohibit ban block allergic intolerant vegan vegetarian close only need require
    must approval permission until confidential limit""".split()
)
_EITHER = frozenset("before until unless".split())  # "no deploy before Karim agrees" says that he must

Clause = tuple[str, ...]  # words, in order


class _Value(NamedTuple):
    """A value that a text states: its kind, its lexeme, and the lexemes before and after it in its clause.

    The kind is "figure", "weekday", "month", "name", or the pair of opposites that the word belongs to, such as "open |
    closed", by its index or as "stay | move". Only opposites have a side.
    """

    kind: str | int
    side: int | None
    lexeme: str
    before: str | None
    after: str | None


def contradicts(memory: ParsedSentence, passage: ParsedSentence, nearby: Set[str]) -> bool:
    """Return True if a passage of a response states another value than a memory, or denies what the memory states.

    A passage with less than half of the words of the memory, and of each of its clauses, is about something else,
    whatever its values. `nearby` are the lexemes of the passage and of the sentences around it. A value of the memory
    that is among them is not contradicted, because the response may name both the old value and the new one.
    """
    clauses = [clause for clause in memory.clauses if _is_about(passage.stems, stems_of(clause))]
    if _is_about(passage.stems, memory.stems):
        clauses = list(memory.clauses)
    return any(_denies(clause, passage.clauses) or _refills(clause, passage.clauses, nearby) for clause in clauses) or (
        _replaces(clauses, memory, passage, nearby)
    )


def _is_about(passage: Set[str], stems: Set[str]) -> bool:
    return 0 < _SAME_MATTER * len(stems) <= len(stems & passage)


def _denies(memory: Clause, passage: Sequence[Clause]) -> bool:
    """Return True if the clause of a passage that shares most with a clause of a memory has the opposite polarity.

    A passage that denies something else and goes on with the memory's words agrees: "not in git; it is in the vault".
    """
    own = stems_of(tuple(word for word in memory if word not in SCOPES["negated"]))
    read = [(own & stems_of(clause), not _opposite(memory, clause)) for clause in passage]
    common, agrees = max(read, key=lambda each: (len(each[0]), each[1]))
    rest = own - common
    if agrees or (rest and any(agreeing and rest <= words for words, agreeing in read)):
        return False
    return len(common) >= min(len(own), max(_MIN_DENIED, _SAME_MATTER * len(own)))


def _opposite(memory: Clause, clause: Clause) -> bool:
    """Return True if one of two clauses has a negation, and it is about a word of both.

    A word such as "refuses" negates, and is no difference if both texts have it.
    """
    common, negated = stems_of(memory) & stems_of(clause), SCOPES["negated"]
    negating = [each for each in (memory, clause) if not negated.isdisjoint(each)]
    if len(negating) != 1 or not _EITHER.isdisjoint(negating[0]):
        return False
    if any(canonical(word) in common for word in negating[0] if word in negated):
        return False
    denied = _negated(negating[0]) & common
    restricting = _RESTRICTING.intersection(canonical(word) or word for word in memory)
    return bool(denied & restricting if restricting and negating[0] is clause else denied)


def _negated(clause: Clause) -> frozenset[str]:
    """Return the lexemes of a clause that a negation is about; "since" ends it, as "because" does."""
    clause = tuple("because" if word == "since" else word for word in clause)
    return ParsedSentence("", (clause,)).scopes.get("negated", frozenset())


def _refills(memory: Clause, passage: Sequence[Clause], nearby: Set[str]) -> bool:
    """Return True if a passage says a clause of a memory with another last word: "allergic to nuts", "to milk"."""
    own = _frame(memory)
    if own is None or own[1] in nearby:
        return False
    return any(said is not None and said[0] == own[0] and said[1] != own[1] for said in map(_frame, passage))


def _frame(clause: Clause) -> tuple[frozenset[str], str] | None:
    """Return the preposition before a clause's last word with all other lexemes, and the last word's lexeme.

    Return None if no preposition is before the last word, or if the clause has fewer than three lexemes.
    """
    words = [word for word in clause if word in PREPOSITIONS or canonical(word)]
    stems = stems_of(clause)
    if len(stems) < 3 or words[-1] in PREPOSITIONS or words[-2] not in PREPOSITIONS:
        return None
    last = canonical(words[-1])
    return stems - {last} | {words[-2]}, last


def _replaces(clauses: Sequence[Clause], memory: ParsedSentence, passage: ParsedSentence, nearby: Set[str]) -> bool:
    """Return True if the passage has another value where the memory has one, and the memory's is not nearby.

    A value that the passage negates is not stated.
    """
    old = [value for clause in clauses for value in _values(clause, memory.names | memory.subjects)]
    missing = [value for value in old if value.lexeme not in nearby]
    if not missing:
        return False
    leaving = {value.lexeme for value in old if value.kind == _LEAVING}
    stated = [
        value
        for clause in passage.clauses
        for value in _values(clause, passage.names | passage.subjects)
        if value.lexeme not in (leaving if value.kind == _LEAVING else memory.stems)
        and value.lexeme not in _negated(clause)
    ]
    return any(_same_place(value, new) for value in missing for new in stated)


def _same_place(old: _Value, new: _Value) -> bool:
    """Return True if two values are of one kind and stand beside the same word; a name needs both of its neighbours."""
    if old.kind != new.kind or (old.side is not None and old.side == new.side):
        return False
    before, after = old.before == new.before, old.after == new.after
    if old.kind == "name":
        return before and after and (old.before, old.after) != (None, None)
    return old.kind == "weekday" or (before and old.before is not None) or (after and old.after is not None)


def _values(clause: Clause, names: Set[str]) -> Iterator[_Value]:
    """Yield the values that a clause states; `names` are the lexemes of its text's proper names."""
    words = [(word, lexeme, following) for word, following in pairwise((*clause, "")) if (lexeme := canonical(word))]
    for n, (word, lexeme, following) in enumerate(words):
        before = words[n - 1][1] if n else None
        after = words[n + 1][1] if n + 1 < len(words) else None
        for kind, side in _kinds(word, lexeme, names):
            yield _Value(kind, side, lexeme, before, after)
        if word in _STAY or (word in _MOVE and following in _AWAY):
            yield _Value(_LEAVING, int(word in _MOVE), lexeme, before, after)


def _kinds(word: str, lexeme: str, names: Set[str]) -> Iterator[tuple[str | int, int | None]]:
    """Yield the kinds of value that a word may be, each with its side of a pair of opposites."""
    if word[0].isdigit():
        yield "figure", None
    elif lexeme in WEEKDAYS:
        yield "weekday", None
    elif lexeme in MONTHS:
        yield "month", None
    elif lexeme in names:
        yield "name", None
    yield from SIDES.get(word, SIDES.get(lexeme, ()))
