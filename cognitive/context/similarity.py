"""Measure how nearly one text says what another says, unless a guard speaks against it.

Two texts say the same if their vectors agree, if the one's stems stand in the other, or if the two measures agree well
enough together; and if no guard speaks against it. A guard is a general rule by which two statements do not say the
same, however alike they look: near-twins that differ in a number, a negation or a name ("30 days" and "90 days") reach
a cosine of 0.98 and are different facts. A guard that is wrong costs a repeated memory; a guard that is missing costs a
lost one.
"""

from __future__ import annotations

from bisect import bisect_right
from collections.abc import Callable, Mapping, Sequence
from difflib import SequenceMatcher
from functools import reduce
from itertools import accumulate, pairwise
from typing import Any

import numpy as np
from numpy.typing import NDArray

from cognitive.context.lexicon import JOINERS
from cognitive.context.sentences import SPEAKER, ParsedSentence
from cognitive.trace import WindowSimilarity

_MIN_STEMS = 3  # fewer prove nothing: "yes, please" stands in every conversation
_NEGLIGIBLE = 0.45  # of any measure: no policy takes as little for the same, so no guard is asked
_DIGITS = 6  # of a likeness

_PREFIXES = ("un", "in", "im", "ir", "il", "dis", "non", "de", "mis", "anti")
_NOTHING: frozenset[str] = frozenset()
_SWAPPED = 2  # words at most are replaced by others
_SWAPPED_PAIRS = 5  # of a script that is cut into pairs of characters, where one name is several

Guard = Callable[[ParsedSentence, ParsedSentence], bool]
Numbers = NDArray[np.float64]
Best = Callable[[Numbers], float | None]


class SentenceSet:
    """Statements that memories are compared with: each, and on demand what up to three consecutive ones say together.

    All measures of a memory against all of them are taken at once; guards are asked of the nearest ones only.
    """

    def __init__(self, single: Sequence[ParsedSentence], *, together: int = 1) -> None:
        self._single = single
        lengths = range(1, min(together, len(single)) + 1)
        self._runs = [(start, start + n) for n in lengths for start in range(len(single) - n + 1)]
        self._lengths = lengths
        self._joined: dict[int, ParsedSentence] = dict(enumerate(single))
        self._having: dict[str, list[int]] = {}
        for n, statement in enumerate(single):
            for stem in statement.stems:
                self._having.setdefault(stem, []).append(n)
        self._speaking = self._over_runs(np.array([[one.speaks for one in single]], dtype=bool))[0]
        embedded = [(n, one.vector) for n, one in enumerate(single) if one.vector is not None]
        self._embedded = [n for n, _ in embedded]
        self._vectors = np.stack([vector for _, vector in embedded]) if embedded else None
        spoken = [" ".join(one.words) for one in single]
        self._starts = [0, *accumulate(len(each) + 1 for each in spoken)]
        self._text = f" {' '.join(spoken)} "

    def __len__(self) -> int:
        return len(self._single)

    def similarity(self, memory: ParsedSentence) -> WindowSimilarity:
        """How nearly these statements say what a memory says, whatever is made of it.

        Rounded, so that what is compared now and what is recorded of it are the same number.
        """
        against: dict[int, bool] = {}
        return self._told(
            memory, self._measured(memory), lambda values: self._best(values, memory, against), self._quotes(memory)
        )

    def similarity_among(
        self, memory: ParsedSentence, among: Sequence[int], suffices: Callable[[WindowSimilarity], bool]
    ) -> WindowSimilarity | None:
        """The same of the statements of these numbers alone; None if that does not suffice even without guards.

        Guards only lower a measure, and cost more than all of them: where it is not said without them, none is asked.
        """
        measures = [_only(values, among) for values in self._measured(memory)]
        if not suffices(self._told(memory, measures, _highest)):
            return None
        against: dict[int, bool] = {}
        return self._told(memory, measures, lambda values: self._best(values, memory, against))

    def _measured(self, memory: ParsedSentence) -> tuple[Numbers, Numbers, Numbers]:
        """Containment in each run, cosine to each single statement, and agreement with each run."""
        contained, alone = self._containment(memory), self._cosines(memory)
        return contained, alone, (contained + self._over_runs(alone[None, :])[0]) / 2

    def _told(
        self, memory: ParsedSentence, measures: Sequence[Numbers], best: Best, quoted: bool = False
    ) -> WindowSimilarity:
        contained, alone, together = measures
        comparable = memory.vector is not None and self._vectors is not None
        cosine, agreement = (best(values) if comparable else None for values in (alone, together))
        containment = 1.0 if quoted else best(contained) or 0.0
        return WindowSimilarity(_rounded(cosine), round(containment, _DIGITS), _rounded(agreement))

    def _best(self, values: Numbers, memory: ParsedSentence, against: dict[int, bool]) -> float | None:
        """The highest value of a statement that nothing speaks against; None if there is no such statement."""
        near = np.flatnonzero(values >= _NEGLIGIBLE)
        for n in near[np.argsort(-values[near], kind="stable")].tolist():
            if n not in against:
                against[n] = speaks_against(memory, self._statement(n)) is not None
            if not against[n]:
                return float(values[n])
        return _highest(values[values < _NEGLIGIBLE])

    def _statement(self, n: int) -> ParsedSentence:
        if n not in self._joined:
            start, end = self._runs[n]
            self._joined[n] = reduce(ParsedSentence.followed_by, self._single[start:end])
        return self._joined[n]

    def _containment(self, memory: ParsedSentence) -> Numbers:
        """The share of a memory's stems that each statement has; of too few stems it proves nothing.

        Whom the memory is about need not be named by a speaker who says "I".
        """
        if len(memory.stems) < _MIN_STEMS or not self._runs:
            return np.zeros(len(self._runs))
        counts: Numbers = self._over_runs(self._stems(memory.stems)).sum(axis=0, dtype=np.float64)
        if not memory.subjects or not self._speaking.any():
            return np.divide(counts, len(memory.stems))
        nameless = self._speaking & ~self._over_runs(self._stems(memory.subjects)).any(axis=0)
        return np.divide(counts, np.where(nameless, max(1, len(memory.stems - memory.subjects)), len(memory.stems)))

    def _stems(self, stems: frozenset[str]) -> NDArray[np.bool_]:
        """Which single statement has which of these stems, of shape (stems, statements)."""
        having = np.zeros((len(stems), len(self._single)), dtype=bool)
        for row, stem in zip(having, stems, strict=True):
            row[self._having.get(stem, [])] = True
        return having

    def _cosines(self, memory: ParsedSentence) -> Numbers:
        """The cosine to each single statement; -1 where one of the two has no vector."""
        cosines = np.full(len(self._single), -1.0)
        if memory.vector is not None and self._vectors is not None:
            cosines[self._embedded] = self._vectors @ memory.vector
        return cosines

    def _over_runs(self, rows: NDArray[Any]) -> NDArray[Any]:
        """From values of the single statements, (rows, statements), to the highest in every run, (rows, runs)."""
        highest, found = rows, [rows]
        for length in self._lengths[1:]:
            highest = np.maximum(highest[:, :-1], rows[:, length - 1 :])
            found.append(highest)
        return np.concatenate(found, axis=1)

    def _quotes(self, memory: ParsedSentence) -> bool:
        """Whether the words of a memory stand here one after the other, however they are broken into sentences."""
        if len(memory.stems) < _MIN_STEMS or not memory.stems <= self._having.keys():
            return False
        spoken = " ".join(memory.words)
        at = self._text.find(f" {spoken} ")
        if at < 0:
            return False
        first, last = (bisect_right(self._starts, place) - 1 for place in (at, at + len(spoken) - 1))
        if at == self._starts[first]:
            return True
        around = reduce(ParsedSentence.followed_by, self._single[first : last + 1])
        return speaks_against(memory, around) is None  # what stands before it may turn it round: "it is not true that"


def _highest(values: Numbers) -> float | None:
    return float(values.max()) if len(values) else None


def _only(values: Numbers, among: Sequence[int]) -> Numbers:
    """The values of these numbers, and what no measure takes elsewhere."""
    chosen = np.full(len(values), -1.0)
    chosen[list(among)] = values[list(among)]
    return chosen


def _rounded(value: float | None) -> float | None:
    return None if value is None else round(value, _DIGITS)


def speaks_against(memory: ParsedSentence, other: ParsedSentence) -> str | None:
    """The name of the first guard by which the other text does not say what the memory says, None if there is none."""
    return next((name for name, differs in GUARDS.items() if differs(memory, other)), None)


def _numbers(memory: ParsedSentence, other: ParsedSentence) -> bool:
    """The other lacks a number of the memory, or has the numbers in another order: they count other things."""
    if not set(memory.figures) <= set(other.figures):
        return True
    return [figure for figure in other.figures if figure in memory.figures] != list(memory.figures)


def _units(memory: ParsedSentence, other: ParsedSentence) -> bool:
    return not memory.units <= other.units


def _amounts(memory: ParsedSentence, other: ParsedSentence) -> bool:
    """One text has one of something, and the other has several."""
    (one, more), (another, others) = memory.amounts, other.amounts
    return not one.isdisjoint(others) or not more.isdisjoint(another)


def _names(memory: ParsedSentence, other: ParsedSentence) -> bool:
    """The other lacks a name of the memory, or both name whom they are about and name somebody else. A text of "I" or
    "she" may be about anybody.
    """
    if not memory.names <= other.stems:
        return True
    return not memory.subjects <= other.stems and not other.subjects <= memory.stems


def _speakers(memory: ParsedSentence, other: ParsedSentence) -> bool:
    return None not in (memory.speaker, other.speaker) and memory.speaker != other.speaker


def _opposites(memory: ParsedSentence, other: ParsedSentence) -> bool:
    """The two stand on opposite sides of an axis, "open" and "closed", and share no side of it."""
    common = memory.sides.keys() & other.sides.keys()
    return any(memory.sides[axis].isdisjoint(other.sides[axis]) for axis in common)


def _prefixes(memory: ParsedSentence, other: ParsedSentence) -> bool:
    """One text has a word that the other has with "un", "in" or "dis" before it."""
    left, right = memory.stems - other.stems, other.stems - memory.stems
    return any(f"{prefix}{stem}" in right for stem in left for prefix in _PREFIXES) or any(
        f"{prefix}{stem}" in left for stem in right for prefix in _PREFIXES
    )


def _scopes(memory: ParsedSentence, other: ParsedSentence) -> bool:
    """Something that both speak of is negated, doubted or excepted in one of them only."""
    common = memory.stems & other.stems
    for name in memory.scopes.keys() | other.scopes.keys():
        one, two = (common & each.scopes.get(name, _NOTHING) for each in (memory, other))
        if one != two and one.isdisjoint(two):
            return True
    return False


def _times(memory: ParsedSentence, other: ParsedSentence) -> bool:
    """Something that one text says will be, the other says has been."""
    return any(one.future and not one.future.isdisjoint(two.past) for one, two in ((memory, other), (other, memory)))


def _turned_round(memory: ParsedSentence, other: ParsedSentence) -> bool:
    """Two words have changed places around a third, as in "A calls B" and "B calls A".

    The passive turns this round: with the words reversed it says the same, and in the same order it says the reverse.
    """
    if not memory.stems <= other.stems:
        return False
    words = [word for word in dict.fromkeys(memory.order) if word not in JOINERS and not _placed(word, memory, other)]
    reverse = _reversed_around(words, other.order) or _reversed_names(words, memory, other)
    return reverse != (memory.passive != other.passive)


def _placed(word: str, memory: ParsedSentence, other: ParsedSentence) -> bool:
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


def _reversed_names(words: Sequence[str], memory: ParsedSentence, other: ParsedSentence) -> bool:
    """Whether two names stand in the reverse order, unless they are merely listed: "A and B"."""
    own, place = _places(memory.order), _places(other.order)
    names = [word for word in words if word in memory.names | memory.subjects and word in place]
    turned = [(one, two) for one, two in pairwise(names) if place[one] > place[two]]
    return any(
        not (_listed(memory.order, own[one], own[two]) and _listed(other.order, place[two], place[one]))
        for one, two in turned
    )


def _places(order: Sequence[str]) -> Mapping[str, int]:
    """Where each word stands first."""
    return {word: n for n, word in reversed(list(enumerate(order)))}


def _listed(order: Sequence[str], start: int, stop: int) -> bool:
    return not JOINERS.isdisjoint(order[start:stop]) and stop - start <= 3


def _swapped(memory: ParsedSentence, other: ParsedSentence) -> bool:
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


def _replaced(gone: Sequence[str], come: Sequence[str], memory: ParsedSentence, other: ParsedSentence) -> bool:
    """Whether a few words that the other lacks gave way to a few that the memory lacks."""
    most = _SWAPPED_PAIRS if all(not word.isascii() and len(word) <= 2 for word in (*gone, *come)) else _SWAPPED
    return (
        0 < len(come) <= most and len(gone) <= most and not set(gone) <= other.stems and not set(come) <= memory.stems
    )


def _flanked(
    codes: Sequence[tuple[str, int, int, int, int]], n: int, memory: ParsedSentence, other: ParsedSentence
) -> bool:
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
