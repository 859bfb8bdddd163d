"""Measure how similar a memory is to other statements, and detect different facts in similar words.

There are three measures: the cosine of the two vectors, the containment (the share of the memory's word stems that a
statement has), and the agreement (the mean of both). `dedup.same` compares them with thresholds.

A guard is a general rule that treats two texts as different, however similar they look. Statements that differ in a
number, a negation or a name ("30 days" and "90 days") reach a cosine of 0.98 and are different facts. A guard that
fires wrongly leaves a duplicate; without a guard, a different memory is dropped as a duplicate.
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

_MIN_STEMS = 3  # with fewer, containment is 0: every conversation contains "yes, please"
_NEGLIGIBLE = 0.45  # below it guards are not evaluated, because no policy has so low a threshold
_DIGITS = 6  # decimals of a recorded measure

_PREFIXES = ("un", "in", "im", "ir", "il", "dis", "non", "de", "mis", "anti")
_NOTHING: frozenset[str] = frozenset()
_SWAPPED = 2  # maximum number of words in a replacement
_SWAPPED_PAIRS = 5  # the same in scripts that are split into pairs of characters, where a name is several pairs

Guard = Callable[[ParsedSentence, ParsedSentence], bool]
Numbers = NDArray[np.float64]
Best = Callable[[Numbers], float | None]


class SentenceSet:
    """Statements to compare memories with: each alone, and groups of up to `together` consecutive ones as one text.

    Guards (rules that detect different facts in similar words) are evaluated for the most similar groups only.
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
        self._first_person = self._over_runs(np.array([[one.is_first_person for one in single]], dtype=bool))[0]
        embedded = [(n, one.vector) for n, one in enumerate(single) if one.vector is not None]
        self._embedded = [n for n, _ in embedded]
        self._vectors = np.stack([vector for _, vector in embedded]) if embedded else None
        texts = [" ".join(one.words) for one in single]
        self._starts = [0, *accumulate(len(each) + 1 for each in texts)]
        self._text = f" {' '.join(texts)} "

    def __len__(self) -> int:
        return len(self._single)

    def similarity(self, memory: ParsedSentence) -> WindowSimilarity:
        """Return a memory's highest cosine, containment and agreement with the set (the module defines these)."""
        guarded: dict[int, bool] = {}
        return self._similarity(
            memory, self._measured(memory), lambda values: self._best(values, memory, guarded), self._quotes(memory)
        )

    def similarity_among(
        self, memory: ParsedSentence, among: Sequence[int], suffices: Callable[[WindowSimilarity], bool]
    ) -> WindowSimilarity | None:
        """Return the similarity of a memory to the statements at indexes `among`, or None if it is too low to matter.

        `suffices` decides this. Guards are slow and only lower a measure, so the similarity without them is tested
        first.
        """
        measures = [_only(values, among) for values in self._measured(memory)]
        if not suffices(self._similarity(memory, measures, _highest)):
            return None
        guarded: dict[int, bool] = {}
        return self._similarity(memory, measures, lambda values: self._best(values, memory, guarded))

    def _measured(self, memory: ParsedSentence) -> tuple[Numbers, Numbers, Numbers]:
        """Return a memory's containment in each group, its cosine to each statement, its agreement with each group."""
        contained, alone = self._containment(memory), self._cosines(memory)
        return contained, alone, (contained + self._over_runs(alone[None, :])[0]) / 2

    def _similarity(
        self, memory: ParsedSentence, measures: Sequence[Numbers], best: Best, quoted: bool = False
    ) -> WindowSimilarity:
        """Combine measures into a similarity: `best` selects one value of each; if `quoted`, the containment is 1."""
        contained, alone, together = measures
        comparable = memory.vector is not None and self._vectors is not None
        cosine, agreement = (best(values) if comparable else None for values in (alone, together))
        containment = 1.0 if quoted else best(contained) or 0.0
        return WindowSimilarity(_rounded(cosine), round(containment, _DIGITS), _rounded(agreement))

    def _best(self, values: Numbers, memory: ParsedSentence, guarded: dict[int, bool]) -> float | None:
        """Return a measure's highest value among the groups that no guard excludes, or None; `guarded` is a cache."""
        near = np.flatnonzero(values >= _NEGLIGIBLE)
        for n in near[np.argsort(-values[near], kind="stable")].tolist():
            if n not in guarded:
                guarded[n] = first_guard(memory, self._statement(n)) is not None
            if not guarded[n]:
                return float(values[n])
        return _highest(values[values < _NEGLIGIBLE])

    def _statement(self, n: int) -> ParsedSentence:
        """Return group number `n` of consecutive statements, parsed as one text."""
        if n not in self._joined:
            start, end = self._runs[n]
            self._joined[n] = reduce(ParsedSentence.followed_by, self._single[start:end])
        return self._joined[n]

    def _containment(self, memory: ParsedSentence) -> Numbers:
        """Return the share of a memory's word stems that each group contains; 0 for a memory of too few stems.

        A group in the first person need not name the subjects of the memory: the speaker may be one of them.
        """
        if len(memory.stems) < _MIN_STEMS or not self._runs:
            return np.zeros(len(self._runs))
        counts: Numbers = self._over_runs(self._stems(memory.stems)).sum(axis=0, dtype=np.float64)
        if not memory.subjects or not self._first_person.any():
            return np.divide(counts, len(memory.stems))
        nameless = self._first_person & ~self._over_runs(self._stems(memory.subjects)).any(axis=0)
        return np.divide(counts, np.where(nameless, max(1, len(memory.stems - memory.subjects)), len(memory.stems)))

    def _stems(self, stems: frozenset[str]) -> NDArray[np.bool_]:
        """Return a table of shape (stems, statements) that is True where the statement contains the stem."""
        having = np.zeros((len(stems), len(self._single)), dtype=bool)
        for row, stem in zip(having, stems, strict=True):
            row[self._having.get(stem, [])] = True
        return having

    def _cosines(self, memory: ParsedSentence) -> Numbers:
        """Return a memory's cosine to each statement; -1 if the memory or the statement has no vector."""
        cosines = np.full(len(self._single), -1.0)
        if memory.vector is not None and self._vectors is not None:
            cosines[self._embedded] = self._vectors @ memory.vector
        return cosines

    def _over_runs(self, rows: NDArray[Any]) -> NDArray[Any]:
        """Return for each group the highest value of its statements: (rows, statements) becomes (rows, groups)."""
        highest, by_length = rows, [rows]
        for length in self._lengths[1:]:
            highest = np.maximum(highest[:, :-1], rows[:, length - 1 :])
            by_length.append(highest)
        return np.concatenate(by_length, axis=1)

    def _quotes(self, memory: ParsedSentence) -> bool:
        """Return True if the statements contain all words of a memory in a row, possibly across several statements."""
        if len(memory.stems) < _MIN_STEMS or not memory.stems <= self._having.keys():
            return False
        quotation = " ".join(memory.words)
        at = self._text.find(f" {quotation} ")
        if at < 0:
            return False
        first, last = (bisect_right(self._starts, place) - 1 for place in (at, at + len(quotation) - 1))
        if at == self._starts[first]:
            return True
        around = reduce(ParsedSentence.followed_by, self._single[first : last + 1])
        return first_guard(memory, around) is None  # words before it may negate it: "it is not true that"


def _highest(values: Numbers) -> float | None:
    """Return the highest value, or None if there are no values."""
    return float(values.max()) if len(values) else None


def _only(values: Numbers, among: Sequence[int]) -> Numbers:
    """Return a copy of the values in which all are -1 except those at the indexes `among`."""
    selected = np.full(len(values), -1.0)
    selected[list(among)] = values[list(among)]
    return selected


def _rounded(value: float | None) -> float | None:
    return None if value is None else round(value, _DIGITS)


def first_guard(memory: ParsedSentence, other: ParsedSentence) -> str | None:
    """Return the name of the first guard (see `GUARDS`) by which two texts state different facts, or None."""
    return next((name for name, differs in GUARDS.items() if differs(memory, other)), None)


def _numbers(memory: ParsedSentence, other: ParsedSentence) -> bool:
    """Return True if the other text lacks a number that the memory has, or has the numbers in another order."""
    if not set(memory.figures) <= set(other.figures):
        return True
    return [figure for figure in other.figures if figure in memory.figures] != list(memory.figures)


def _units(memory: ParsedSentence, other: ParsedSentence) -> bool:
    """Return True if the other text lacks a unit (a measure, currency, day or month) that the memory has."""
    return not memory.units <= other.units


def _amounts(memory: ParsedSentence, other: ParsedSentence) -> bool:
    """Return True if one text names a thing in the singular ("a flight") and the other text in the plural."""
    (one, more), (another, others) = memory.amounts, other.amounts
    return not one.isdisjoint(others) or not more.isdisjoint(another)


def _names(memory: ParsedSentence, other: ParsedSentence) -> bool:
    """Return True if the other text lacks a name of the memory, or if both texts have subjects and these differ."""
    if not memory.names <= other.stems:
        return True
    return not memory.subjects <= other.stems and not other.subjects <= memory.stems


def _speakers(memory: ParsedSentence, other: ParsedSentence) -> bool:
    """Return True if the speakers of both texts are known and differ."""
    return None not in (memory.speaker, other.speaker) and memory.speaker != other.speaker


def _opposites(memory: ParsedSentence, other: ParsedSentence) -> bool:
    """Return True if the texts have opposite words, such as "open" and "closed", and neither text has both."""
    common = memory.sides.keys() & other.sides.keys()
    return any(memory.sides[axis].isdisjoint(other.sides[axis]) for axis in common)


def _prefixes(memory: ParsedSentence, other: ParsedSentence) -> bool:
    """Return True if one text has a word that the other has with a prefix such as "un", "in" or "dis"."""
    left, right = memory.stems - other.stems, other.stems - memory.stems
    return any(f"{prefix}{stem}" in right for stem in left for prefix in _PREFIXES) or any(
        f"{prefix}{stem}" in left for stem in right for prefix in _PREFIXES
    )


def _scopes(memory: ParsedSentence, other: ParsedSentence) -> bool:
    """Return True if a word that both texts have is negated, doubted or excepted in one of them only."""
    common = memory.stems & other.stems
    for name in memory.scopes.keys() | other.scopes.keys():
        one, two = (common & each.scopes.get(name, _NOTHING) for each in (memory, other))
        if one != two and one.isdisjoint(two):
            return True
    return False


def _times(memory: ParsedSentence, other: ParsedSentence) -> bool:
    """Return True if something is in the future in one text and in the past in the other."""
    return any(one.future and not one.future.isdisjoint(two.past) for one, two in ((memory, other), (other, memory)))


def _turned_round(memory: ParsedSentence, other: ParsedSentence) -> bool:
    """Return True if two words have changed places around a third, as in "A calls B" and "B calls A".

    If only one text is in the passive, this is inverted: the same order of words then means another fact.
    """
    if not memory.stems <= other.stems:
        return False
    words = [word for word in dict.fromkeys(memory.order) if word not in JOINERS and not _placed(word, memory, other)]
    reverse = _reversed_around(words, other.order) or _reversed_names(words, memory, other)
    return reverse != (memory.passive != other.passive)


def _placed(word: str, memory: ParsedSentence, other: ParsedSentence) -> bool:
    """Return True if the same preposition governs a word in both texts ("at noon"): its place then means nothing."""
    role = memory.roles.get(word)
    return bool(role) and role == other.roles.get(word)


def _reversed_around(words: Sequence[str], other: Sequence[str]) -> bool:
    """Return True if three of the words occur in the other text in the reverse order."""
    place = _places(other)
    highest, falls = -1, -1  # the highest place so far, and the highest place with a higher one before it
    for at in (place[word] for word in words if word in place):
        if at < falls:
            return True
        if at < highest:
            falls = max(falls, at)
        highest = max(highest, at)
    return False


def _reversed_names(words: Sequence[str], memory: ParsedSentence, other: ParsedSentence) -> bool:
    """Return True if two names have the reverse order in the other text, unless both texts list them ("A and B")."""
    own, place = _places(memory.order), _places(other.order)
    names = [word for word in words if word in memory.names | memory.subjects and word in place]
    turned = [(one, two) for one, two in pairwise(names) if place[one] > place[two]]
    return any(
        not (_listed(memory.order, own[one], own[two]) and _listed(other.order, place[two], place[one]))
        for one, two in turned
    )


def _places(order: Sequence[str]) -> Mapping[str, int]:
    """Return for each word the index of its first occurrence."""
    return {word: n for n, word in reversed(list(enumerate(order)))}


def _listed(order: Sequence[str], start: int, stop: int) -> bool:
    """Return True if "and" or "or" joins the words at `start` and `stop`."""
    return not JOINERS.isdisjoint(order[start:stop]) and stop - start <= 3


def _swapped(memory: ParsedSentence, other: ParsedSentence) -> bool:
    """Return True if the texts differ only in a replaced word or two, as in "likes tea" and "likes coffee".

    A restatement of the same fact changes more than that.
    """
    codes = SequenceMatcher(None, memory.order, other.order, autojunk=False).get_opcodes()
    if any(operation == "delete" and start > 0 and stop < len(memory.order) for operation, start, stop, *_ in codes):
        return False
    for n, (operation, start, stop, other_start, other_stop) in enumerate(codes):
        if operation != "replace" or not _flanked(codes, n, memory, other):
            continue
        old, new = memory.order[start:stop], other.order[other_start:other_stop]
        if _replaced(old, [word for word in new if word != SPEAKER], memory, other):
            if start == 0 and SPEAKER in new and other.subjects.isdisjoint(new):
                continue  # the speaker may be the subject of the memory
            return True
    return False


def _replaced(old: Sequence[str], new: Sequence[str], memory: ParsedSentence, other: ParsedSentence) -> bool:
    """Return True if a short phrase `old` of the memory is replaced by a short phrase `new` in the other text."""
    limit = _SWAPPED_PAIRS if all(not word.isascii() and len(word) <= 2 for word in (*old, *new)) else _SWAPPED
    return 0 < len(new) <= limit and len(old) <= limit and not set(old) <= other.stems and not set(new) <= memory.stems


def _flanked(
    codes: Sequence[tuple[str, int, int, int, int]], n: int, memory: ParsedSentence, other: ParsedSentence
) -> bool:
    """Return True if difference `n` of the `difflib` codes has equal words or an end of the memory on both sides."""
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
