"""Decide if two similar statements give one subject different values, when their claims are not equal.

The statements agree in all words but the value, and the verb may differ: "The dose of X is 40 mg", "X takes 20 mg". A
value is a number, time or date behind the verb; or a phrase behind a verb that has one value at a time ("is kept in"),
which is the only place where the statements differ. Statements of one template ("Shelf 3 holds 5", "Shelf 4 holds 9")
also differ in the subject, and events may happen again.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from difflib import SequenceMatcher

from brain.claims.statement import TypedValue, Verb, find_verb, has_several_sentences, split_words, typed_value
from brain.claims.vocabulary import ARTICLES, CLOCK, DAYS, EMPTY, MONTHS, NEGATIONS, SAME, STATES, UNITS, UNSURE, VERBS
from cognitive.context.guards import GUARDS
from cognitive.context.lexicon import SIDES, canonical
from cognitive.context.sentences import ParsedSentence

_MAX_RUN = 4  # words of a value that is no number
_MAX_MISSING = 2  # words that one statement may have more
_ALLOWED = frozenset("if when while this".split())  # both statements have the same, if only the value differs
_DATES = DAYS | MONTHS | CLOCK
_LIGHT = frozenset("be have do need must can will should keep get".split()) | NEGATIONS
# Verbs that have one value at a time, besides those in the passive.
_ONE_VALUE = frozenset(
    """live work study sit stand belong weigh cost start begin end finish happen meet run write return open close
    default report arrive depart expire sleep point prefer stay""".split()
)
_MANY_VALUES = frozenset("use support know like love call see sell mention eat drink".split())
_PERIODS = frozenset(canonical(word) for word in "minute hour day week month quarter year".split())
_BEHIND = frozenset("via under through at by from".split())  # prepositions before something there is one of
_ROLES = (["responsible", "for"], ["in", "charge"])
_EXCLUSIVE = frozenset("lead head own manage maintain chair moderate coach teach".split())


@dataclass(frozen=True, slots=True)
class _Parts:
    """A statement, taken apart at its verb."""

    words: Sequence[str]
    capitals: Sequence[bool]
    verb: Verb
    typed: TypedValue | None

    @property
    def form(self) -> str:
        return VERBS.get(self.words[self.verb.end - 1], ("", ""))[1]

    @property
    def is_event(self) -> bool:
        """True if the statement reports something that may happen again."""
        first = self.words[self.verb.start]
        return first in ("was", "were") if self.verb.passive else self.form == "past" and first not in ("has", "have")

    @property
    def about(self) -> frozenset[str]:
        """The words other than the verb and the typed value."""
        others = self.typed.others if self.typed else self.words[self.verb.end :]
        return _said([*self.words[: self.verb.start], *others])


def values_differ(one: str, other: str) -> bool:
    """Return True if two statements are about the same, and each gives another value."""
    first, second = _parts(one), _parts(other)
    if first is None or second is None:
        return False
    parsed = ParsedSentence.of(one), ParsedSentence.of(other)
    if first.verb.lemma != second.verb.lemma and (GUARDS["opposites"](*parsed) or _opposite_verbs(first, second)):
        return False
    names = parsed[0].names | parsed[0].subjects | parsed[1].names | parsed[1].subjects
    if first.is_event or second.is_event:
        return _dated(first) and _dated(second) and first.about == second.about and _typed_differ(first, second, names)
    return _negated(first, second) or _typed_differ(first, second, names) or _run_differs(first, second)


def _opposite_verbs(first: _Parts, second: _Parts) -> bool:
    """Return True for "arrives" and "leaves"."""
    one, other = (dict(SIDES.get(each.verb.lemma, ())) for each in (first, second))
    return any(one[axis] != other[axis] for axis in one.keys() & other.keys())


def _parts(text: str) -> _Parts | None:
    if "?" in text or "\n" in text or has_several_sentences(text):
        return None
    words, capitals = split_words(text)
    if len(words) < 3 or not (UNSURE - _ALLOWED).isdisjoint(words):
        return None
    verb = find_verb(words)
    is_name = verb is not None and verb.start > 0 and capitals[verb.start]  # "Park"
    return None if verb is None or is_name else _Parts(words, capitals, verb, typed_value(words[verb.end :]))


def _said(words: Sequence[str]) -> frozenset[str]:
    bare = (word.removesuffix("'s") for word in words)
    return frozenset(canonical(SAME.get(word, word)) for word in bare if word not in EMPTY) - {""}


def _negated(first: _Parts, second: _Parts) -> bool:
    """Return True if only one of the statements is negated, and all else is equal."""
    if first.verb.negated == second.verb.negated:
        return False
    light = frozenset(map(canonical, _LIGHT))
    return _said(first.words) - light == _said(second.words) - light


def _dated(parts: _Parts) -> bool:
    """Return True if a statement says of something that happens once when, such as "was founded in 1998"."""
    return parts.verb.passive and parts.typed is not None and any(word[0].isdigit() for word in parts.typed.words)


def _typed_differ(first: _Parts, second: _Parts, names: frozenset[str]) -> bool:
    """Return True if both statements have a number, time or date of one kind, and are about the same otherwise.

    One may have a word or two more, but none of the `names`.
    """
    one, other = first.typed, second.typed
    if one is None or other is None or one.kind != other.kind or _said(one.words) == _said(other.words):
        return False
    more, less = first.about - second.about, second.about - first.about
    more, less = more - _PERIODS, less - _PERIODS  # "daily", "a month"
    missing = more | less
    if (more and less) or len(missing) > _MAX_MISSING or missing & names or any(word[0].isdigit() for word in missing):
        return False
    return bool(first.about & second.about)


def _run_differs(first: _Parts, second: _Parts) -> bool:
    """Return True if the statements differ in one place only, and a value is there."""
    one, other = ([word for word in each.words if word not in ARTICLES] for each in (first, second))
    codes = SequenceMatcher(None, one, other, autojunk=False).get_opcodes()
    changed = [code for code in codes if code[0] != "equal"]
    if len(changed) != 1 or changed[0][0] != "replace":
        return False
    _, start, stop, other_start, other_stop = changed[0]
    old, new = one[start:stop], other[other_start:other_stop]
    if max(len(old), len(new)) > _MAX_RUN:
        return False
    before = sum(word not in ARTICLES for word in first.words[: first.verb.start])
    if start < before:
        return _has_role(first) and stop <= before and not any(word[0].isdigit() for word in (*old, *new))
    behind = start - before - first.verb.end + first.verb.start  # words between the verb and the value
    if behind < 0:
        return False
    if _is_typed(old) and _is_typed(new):
        return True
    sides = [STATES[word] for word in (*old, *new) if word in STATES]
    if len(sides) == 2:
        return sides[0] != sides[1] and sides[0][0] == sides[1][0]
    if first.verb.lemma == "be":
        return behind == 0 and _names_follow(first) and _names_follow(second)
    if one[start - 1] in _BEHIND:
        return True
    return first.verb.lemma not in _MANY_VALUES and (first.verb.passive or first.verb.lemma in _ONE_VALUE)


def _has_role(parts: _Parts) -> bool:
    """Return True if only one person does what the statement says: "leads the team", "is responsible for it"."""
    return not parts.verb.passive and (
        parts.verb.lemma in _EXCLUSIVE or parts.words[parts.verb.end : parts.verb.end + 2] in _ROLES
    )


def _names_follow(parts: _Parts) -> bool:
    return parts.verb.end < len(parts.words) and parts.capitals[parts.verb.end]


def _is_typed(run: Sequence[str]) -> bool:
    return any(word[0].isdigit() or word == "one" or word in UNITS or word in _DATES for word in run)
