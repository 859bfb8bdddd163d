"""Measure how similar a memory is to other statements. `Thresholds` says from which value it repeats them.

There are three measures: the cosine of the two vectors, the containment (the share of the memory's word stems that a
statement has), and the agreement (the mean of both).
"""

from __future__ import annotations

from bisect import bisect_right
from collections.abc import Callable, Sequence
from dataclasses import dataclass
from functools import cached_property, reduce
from itertools import accumulate
from typing import NamedTuple

import numpy as np
from numpy.typing import NDArray

from cognitive.context.guards import code_differs, first_guard
from cognitive.context.sentences import ParsedSentence
from cognitive.policy import Policy
from cognitive.policy.constants import Constants
from cognitive.trace import WindowSimilarity

_MIN_STEMS = 3  # with fewer, words alone don't suffice: every conversation contains "yes, please"
_NEGLIGIBLE = 0.45  # below it guards are not evaluated, because no policy has so low a threshold
_DIGITS = 6  # decimals of a recorded measure

Numbers = NDArray[np.float64]
Best = Callable[[Numbers], float | None]


class Measures(NamedTuple):
    """A memory's containment in each group of statements, cosine to each statement, and agreement with each group."""

    containment: Numbers
    cosine: Numbers
    agreement: Numbers


@dataclass(frozen=True, slots=True)
class Thresholds:
    """The values of the measures from which a text says the same as a memory.

    `lexical` is the containment that a memory without a vector needs.
    """

    cosine: float
    containment: float
    agreement: float
    lexical: float

    @classmethod
    def of(cls, policy: Policy, constants: Constants) -> Thresholds:
        """Return the thresholds that a policy sets."""
        dedup = policy.dedup
        return cls(
            dedup.threshold, dedup.containment_threshold, dedup.agreement_threshold, constants.lexical_dedup_threshold
        )

    def least(self, memory: ParsedSentence) -> float:
        """Return the containment that shows a repetition of a memory."""
        return self.lexical if memory.vector is None else self.containment

    def verdict(self, memory: ParsedSentence, like: WindowSimilarity) -> tuple[str, float] | None:
        """Return the measure by which a text says the same as a memory, with its value, or None if no measure does.

        `like` is the similarity of the memory to the text. The order is cosine, containment, agreement.
        """
        if like.cosine is not None and like.cosine > self.cosine:
            return "cosine", like.cosine
        if like.containment >= self.least(memory) and like.containment > 0:
            return "containment", like.containment
        if like.agreement is not None and like.agreement >= self.agreement:
            return "agreement", like.agreement
        return None

    def near(self, memories: Sequence[ParsedSentence], measures: Sequence[Measures]) -> list[list[bool]]:
        """Return for each memory and statement if they say the same by these measures, were it not for the guards."""
        containment, cosine, agreement = map(np.array, zip(*measures, strict=True))
        least = np.array([[self.least(memory)] for memory in memories])
        by_vector = (cosine > self.cosine) | ((agreement >= self.agreement) & (cosine > -1))
        near: list[list[bool]] = (by_vector | ((containment >= least) & (containment > 0))).tolist()
        return near


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
        self._stems = [frozenset[str]().union(*(one.stems for one in single[start:end])) for start, end in self._runs]
        self._first_person = [any(one.is_first_person for one in single[start:end]) for start, end in self._runs]
        self._vocabulary = frozenset[str]().union(*(one.stems for one in single))
        embedded = [(n, one.vector) for n, one in enumerate(single) if one.vector is not None]
        self._embedded = [n for n, _ in embedded]
        self._vectors = np.stack([vector for _, vector in embedded]) if embedded else None

    def __len__(self) -> int:
        return len(self._single)

    @cached_property
    def _texts(self) -> Sequence[str]:
        """The words of each statement, joined by spaces."""
        return [" ".join(one.words) for one in self._single]

    def similarity(self, memory: ParsedSentence) -> WindowSimilarity:
        """Return a memory's highest cosine, containment and agreement with the set (the module defines these)."""
        guarded: dict[int, bool] = {}
        return self._similarity(
            memory, self.measures(memory), lambda values: self._best(values, memory, guarded), self._quotes(memory)
        )

    def measures(self, memory: ParsedSentence) -> Measures:
        """Return the measures of a memory for all statements and groups, without guards."""
        contained, cosines = self._containment(memory), self._cosines(memory)
        agreement = (contained + self._over_runs(cosines)) / 2
        return Measures(contained * (len(memory.stems) >= _MIN_STEMS), cosines, agreement)

    def similarity_to(self, memory: ParsedSentence, measures: Measures, n: int) -> WindowSimilarity:
        """Return the similarity of a memory to statement number `n`, without guards, from its `measures`."""
        return self._similarity(memory, Measures(*(values[n : n + 1] for values in measures)), _highest)

    def _similarity(
        self, memory: ParsedSentence, measures: Measures, best: Best, quoted: bool = False
    ) -> WindowSimilarity:
        """Combine measures into a similarity: `best` selects one value of each; if `quoted`, the containment is 1."""
        comparable = memory.vector is not None and self._vectors is not None
        cosine, agreement = (best(values) if comparable else None for values in (measures.cosine, measures.agreement))
        containment = 1.0 if quoted else best(measures.containment) or 0.0
        return WindowSimilarity(_rounded(cosine), round(containment, _DIGITS), _rounded(agreement))

    def _best(self, values: Numbers, memory: ParsedSentence, guarded: dict[int, bool]) -> float | None:
        """Return a measure's highest value among the groups that no guard excludes, or None; `guarded` is a cache."""
        highest = _highest(values)
        if highest is None or highest < _NEGLIGIBLE:
            return highest
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
        """Return the share of a memory's word stems that each group contains; 0 if they have none in common.

        A group in the first person need not name the subjects of the memory: the speaker may be one of them.
        """
        own, subjects = memory.stems, memory.subjects
        if own.isdisjoint(self._vocabulary):
            return np.zeros(len(self._runs))
        size, of_speaker = len(own), max(1, len(own - subjects))
        return np.array(
            [
                len(own & stems) / (of_speaker if spoken and subjects.isdisjoint(stems) else size)
                for stems, spoken in zip(self._stems, self._first_person, strict=True)
            ]
        )

    def _cosines(self, memory: ParsedSentence) -> Numbers:
        """Return a memory's cosine to each statement; -1 if the memory or the statement has no vector."""
        cosines = np.full(len(self._single), -1.0)
        if memory.vector is not None and self._vectors is not None:
            if len(self._embedded) == len(cosines):
                return np.asarray(self._vectors @ memory.vector, dtype=np.float64)
            cosines[self._embedded] = self._vectors @ memory.vector
        return cosines

    def _over_runs(self, values: Numbers) -> Numbers:
        """Return for each group the highest value of its statements."""
        highest, by_length = values, [values]
        for length in self._lengths[1:]:
            highest = np.maximum(highest[:-1], values[length - 1 :])
            by_length.append(highest)
        return np.concatenate(by_length)

    def _quotes(self, memory: ParsedSentence) -> bool:
        """Return True if the statements contain all words of a memory in a row, possibly across several statements."""
        if len(memory.stems) < _MIN_STEMS or not memory.stems <= self._vocabulary:
            return False
        quotation = " ".join(memory.words)
        at = f" {' '.join(self._texts)} ".find(f" {quotation} ")
        if at < 0:
            return False
        starts = [0, *accumulate(len(each) + 1 for each in self._texts)]
        first, last = (bisect_right(starts, place) - 1 for place in (at, at + len(quotation) - 1))
        around = reduce(ParsedSentence.followed_by, self._single[first : last + 1])
        if at == starts[first]:
            return not code_differs(memory, around)  # words do not show signs such as "-"
        return first_guard(memory, around) is None  # words before it may negate it: "it is not true that"


def _highest(values: Numbers) -> float | None:
    """Return the highest value, or None if there are no values."""
    return float(values.max()) if len(values) else None


def _rounded(value: float | None) -> float | None:
    return None if value is None else round(value, _DIGITS)
