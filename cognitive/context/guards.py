"""Guards: each is a general rule by which two statements do not say the same, however alike they look.

Near-twins that differ in a number, a negation or a name ("30 days" and "90 days") reach a cosine of 0.98 and are
different facts. A guard that is wrong costs a repeated memory; a guard that is missing costs a lost one.
"""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from difflib import SequenceMatcher
from itertools import pairwise

from cognitive.context.lexicon import JOINERS
from cognitive.context.statements import SPEAKER, Statement

Guard = Callable[[Statement, Statement], bool]

_PREFIXES = ("un", "in", "im", "ir", "il", "dis", "non", "de", "mis", "anti")
_NOTHING: frozenset[str] = frozenset()
_SWAPPED = 2  # words at most are replaced by others
_SWAPPED_PAIRS = 5  # of a script that is cut into pairs of characters, where one name is several


def speaks_against(memory: Statement, other: Statement) -> str | None:
    """The name of the first guard by which the other text does not say what the memory says, None if there is none."""
    return next((name for name, differs in GUARDS.items() if differs(memory, other)), None)


def _numbers(memory: Statement, other: Statement) -> bool:
    """The other lacks a number of the memory, or has the numbers in another order: they count other things."""
    if not set(memory.figures) <= set(other.figures):
        return True
    return [figure for figure in other.figures if figure in memory.figures] != list(memory.figures)


def _units(memory: Statement, other: Statement) -> bool:
    return not memory.units <= other.units


def _amounts(memory: Statement, other: Statement) -> bool:
    """One text has one of something, and the other has several."""
    (one, more), (another, others) = memory.amounts, other.amounts
    return not one.isdisjoint(others) or not more.isdisjoint(another)


def _names(memory: Statement, other: Statement) -> bool:
    """The other lacks a name of the memory, or both name whom they are about and name somebody else. A text of "I" or
    "she" may be about anybody.
    """
    if not memory.names <= other.stems:
        return True
    return not memory.subjects <= other.stems and not other.subjects <= memory.stems


def _speakers(memory: Statement, other: Statement) -> bool:
    return None not in (memory.speaker, other.speaker) and memory.speaker != other.speaker


def _opposites(memory: Statement, other: Statement) -> bool:
    """The two stand on opposite sides of an axis, "open" and "closed", and share no side of it."""
    common = memory.sides.keys() & other.sides.keys()
    return any(memory.sides[axis].isdisjoint(other.sides[axis]) for axis in common)


def _prefixes(memory: Statement, other: Statement) -> bool:
    """One text has a word that the other has with "un", "in" or "dis" before it."""
    left, right = memory.stems - other.stems, other.stems - memory.stems
    return any(f"{prefix}{stem}" in right for stem in left for prefix in _PREFIXES) or any(
        f"{prefix}{stem}" in left for stem in right for prefix in _PREFIXES
    )


def _scopes(memory: Statement, other: Statement) -> bool:
    """Something that both speak of is negated, doubted or excepted in one of them only."""
    common = memory.stems & other.stems
    for name in memory.scopes.keys() | other.scopes.keys():
        one, two = (common & each.scopes.get(name, _NOTHING) for each in (memory, other))
        if one != two and one.isdisjoint(two):
            return True
    return False


def _times(memory: Statement, other: Statement) -> bool:
    """Something that one text says will be, the other says has been."""
    return any(one.future and not one.future.isdisjoint(two.past) for one, two in ((memory, other), (other, memory)))


def _turned_round(memory: Statement, other: Statement) -> bool:
    """Two words have changed places around a third, as in "A calls B" and "B calls A".

    The passive turns this round: with the words reversed it says the same, and in the same order it says the reverse.
    """
    if not memory.stems <= other.stems:
        return False
    words = [word for word in dict.fromkeys(memory.order) if word not in JOINERS and not _placed(word, memory, other)]
    reverse = _reversed_around(words, other.order) or _reversed_names(words, memory, other)
    return reverse != (memory.passive != other.passive)


def _placed(word: str, memory: Statement, other: Statement) -> bool:
    """Whether a preposition gives the word its place in both, wherever it stands: "at noon", "because of the rain"."""
    role = memory.roles.get(word)
    return bool(role) and role == other.roles.get(word)


def _reversed_around(words: Sequence[str], other: Sequence[str]) -> bool:
    """Whether three words stand in the reverse order: a falling subsequence of three places."""
    place = _places(other)
    highest, falls = -1, -1  # the highest place so far, and the highest that has a higher one before it
    for at in (place[word] for word in words if word in place):
        if at < falls:
            return True
        if at < highest:
            falls = max(falls, at)
        highest = max(highest, at)
    return False


def _reversed_names(words: Sequence[str], memory: Statement, other: Statement) -> bool:
    """Whether two names stand in the reverse order, unless they are merely listed: "A and B"."""
    own, place = _places(memory.order), _places(other.order)
    names = [word for word in words if word in memory.names | memory.subjects and word in place]
    turned = [(one, two) for one, two in pairwise(names) if place[one] > place[two]]
    return any(not (_listed(memory.order, own[one], own[two]) and _listed(other.order, place[two], place[one]))
               for one, two in turned)  # fmt: skip


def _places(order: Sequence[str]) -> Mapping[str, int]:
    """Where each word stands first."""
    return {word: n for n, word in reversed(list(enumerate(order)))}


def _listed(order: Sequence[str], start: int, stop: int) -> bool:
    return not JOINERS.isdisjoint(order[start:stop]) and stop - start <= 3


def _swapped(memory: Statement, other: Statement) -> bool:
    """The texts differ in one word alone: somebody who restates a fact changes more than that."""
    codes = SequenceMatcher(None, memory.order, other.order, autojunk=False).get_opcodes()
    if any(operation == "delete" and start > 0 and stop < len(memory.order) for operation, start, stop, *_ in codes):
        return False
    for n, (operation, start, stop, other_start, other_stop) in enumerate(codes):
        if operation != "replace" or not _flanked(codes, n, memory, other):
            continue
        gone, come = memory.order[start:stop], other.order[other_start:other_stop]
        if _replaced(gone, [word for word in come if word != SPEAKER], memory, other):
            if start == 0 and SPEAKER in come and other.subjects.isdisjoint(come):
                continue  # the speaker may be whom the memory is about
            return True
    return False


def _replaced(gone: Sequence[str], come: Sequence[str], memory: Statement, other: Statement) -> bool:
    """Whether a few words that the other lacks gave way to a few that the memory lacks."""
    most = _SWAPPED_PAIRS if all(not word.isascii() and len(word) <= 2 for word in (*gone, *come)) else _SWAPPED
    return (
        0 < len(come) <= most and len(gone) <= most and not set(gone) <= other.stems and not set(come) <= memory.stems
    )


def _flanked(codes: Sequence[tuple[str, int, int, int, int]], n: int, memory: Statement, other: Statement) -> bool:
    """Whether what surrounds a replaced piece of the memory is the same on both sides, or the memory's end."""
    _, start, stop, _, _ = codes[n]
    before = start == 0 or codes[n - 1][0] == "equal"
    behind = stop == len(memory.order) or (n + 1 < len(codes) and codes[n + 1][0] == "equal")
    return before and behind


GUARDS: Mapping[str, Guard] = {
    "numbers": _numbers,
    "units": _units,
    "amounts": _amounts,
    "names": _names,
    "speakers": _speakers,
    "negation": _scopes,
    "opposites": _opposites,
    "prefixes": _prefixes,
    "times": _times,
    "direction": _turned_round,
    "a word swapped": _swapped,
}
