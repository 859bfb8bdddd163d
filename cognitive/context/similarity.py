"""Measure how similar a memory is to other statements. `Thresholds` says from which value it repeats them.

There are three measures: the cosine of the two vectors, the containment (the share of the memory's word stems that a
statement has), and the agreement (the mean of both).
"""

from __future__ import annotations

from bisect import bisect_right
from collections.abc import Sequence
from dataclasses import dataclass
from functools import cached_property, reduce
from itertools import accumulate
from operator import or_
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


class Measures(NamedTuple):
    """Matrices with a row for each memory.

    The columns of `containment` and `agreement` are the groups of statements, those of `cosine` the statements.
    """

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

    def min_containment(self, memory: ParsedSentence) -> float:
        """Return the containment that shows a repetition of a memory."""
        return self.lexical if memory.vector is None else self.containment

    def verdict(self, memory: ParsedSentence, like: WindowSimilarity) -> tuple[str, float] | None:
        """Return the measure by which a text says the same as a memory, with its value, or None if no measure does.

        `like` is the similarity of the memory to the text. The order is cosine, containment, agreement.
        """
        if like.cosine is not None and like.cosine > self.cosine:
            return "cosine", like.cosine
        if like.containment >= self.min_containment(memory) and like.containment > 0:
            return "containment", like.containment
        if like.agreement is not None and like.agreement >= self.agreement:
            return "agreement", like.agreement
        return None

    def near(self, memories: Sequence[ParsedSentence], measures: Measures) -> list[list[bool]]:
        """Return for each memory and statement if they say the same by these measures, were it not for the guards."""
        containment, cosine, agreement = measures
        needed = np.array([[self.min_containment(memory)] for memory in memories])
        by_vector = (cosine > self.cosine) | ((agreement >= self.agreement) & (cosine > -1))
        near: list[list[bool]] = (by_vector | ((containment >= needed) & (containment > 0))).tolist()
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
        vocabulary = dict.fromkeys(stem for one in single for stem in one.stems)
        # a set of stems is an integer with a bit for each
        self._bits = {stem: 1 << n for n, stem in enumerate(vocabulary)}
        own = [self._bits_of(one.stems) for one in single]
        self._stems = [reduce(or_, own[start:end]) for start, end in self._runs]
        self._first_person = [any(one.is_first_person for one in single[start:end]) for start, end in self._runs]
        embedded = [(n, one.vector) for n, one in enumerate(single) if one.vector is not None]
        self._embedded = [n for n, _ in embedded]
        self._vectors = np.stack([vector for _, vector in embedded]) if embedded else None

    def __len__(self) -> int:
        return len(self._single)

    @cached_property
    def _texts(self) -> Sequence[str]:
        """The words of each statement, joined by spaces."""
        return [" ".join(one.words) for one in self._single]

    def similarities(self, memories: Sequence[ParsedSentence]) -> list[WindowSimilarity]:
        """Return each memory's highest cosine, containment and agreement with the set (the module defines these)."""
        by_memory = zip(memories, *(values.tolist() for values in self.measures(memories)), strict=True)
        return [self._similarity(memory, *measures) for memory, *measures in by_memory]

    def measures(self, memories: Sequence[ParsedSentence]) -> Measures:
        """Return the measures of memories for all statements and groups, without guards."""
        contained = np.array([self._containment(memory) for memory in memories], dtype=np.float64)
        contained = contained.reshape(len(memories), len(self._runs))
        cosines = self._cosines(memories)
        enough = np.array([len(memory.stems) >= _MIN_STEMS for memory in memories], dtype=np.bool_)
        return Measures(contained * enough[:, None], cosines, (contained + self._over_runs(cosines)) / 2)

    def similarity_to(self, memory: ParsedSentence, measures: Measures, row: int, n: int) -> WindowSimilarity:
        """Return the similarity of a memory to statement number `n`, without guards, from its row of measures."""
        return self._combined(memory, *(float(values[row, n]) for values in measures))

    def _similarity(
        self, memory: ParsedSentence, containment: list[float], cosine: list[float], agreement: list[float]
    ) -> WindowSimilarity:
        """Return a memory's similarity from its measures; the containment of a quotation is 1."""
        guarded: dict[int, bool] = {}
        contained = 1.0 if self._quotes(memory) else self._best(containment, memory, guarded) or 0.0
        near, alike = (self._best(values, memory, guarded) for values in (cosine, agreement))
        return self._combined(memory, contained, near, alike)

    def _combined(
        self, memory: ParsedSentence, containment: float, cosine: float | None, agreement: float | None
    ) -> WindowSimilarity:
        """Return a similarity of rounded values, without cosine and agreement if these cannot be measured."""
        comparable = memory.vector is not None and self._vectors is not None
        cosine, agreement = (_rounded(value) if comparable else None for value in (cosine, agreement))
        return WindowSimilarity(cosine, round(containment, _DIGITS), agreement)

    def _best(self, values: list[float], memory: ParsedSentence, guarded: dict[int, bool]) -> float | None:
        """Return a measure's highest value among the groups that no guard excludes, or None; `guarded` is a cache."""
        highest = max(values, default=None)
        if highest is None or highest < _NEGLIGIBLE:
            return highest
        near = [n for n, value in enumerate(values) if value >= _NEGLIGIBLE]
        for n in sorted(near, key=lambda n: -values[n]):
            if n not in guarded:
                guarded[n] = first_guard(memory, self._statement(n)) is not None
            if not guarded[n]:
                return values[n]
        return max((value for value in values if value < _NEGLIGIBLE), default=None)

    def _statement(self, n: int) -> ParsedSentence:
        """Return group number `n` of consecutive statements, parsed as one text."""
        if n not in self._joined:
            start, end = self._runs[n]
            self._joined[n] = reduce(ParsedSentence.followed_by, self._single[start:end])
        return self._joined[n]

    def _bits_of(self, stems: frozenset[str]) -> int:
        """Return the integer for a set of stems; those that no statement has are left out."""
        return sum([self._bits[stem] for stem in stems if stem in self._bits])

    def _containment(self, memory: ParsedSentence) -> list[float]:
        """Return the share of a memory's word stems that each group contains; 0 if they have none in common.

        A group in the first person need not name the subjects of the memory: the speaker may be one of them.
        """
        own, subjects = self._bits_of(memory.stems), self._bits_of(memory.subjects)
        if not own:
            return [0.0] * len(self._runs)
        size, of_speaker = len(memory.stems), max(1, len(memory.stems - memory.subjects))
        return [
            (own & stems).bit_count() / (of_speaker if spoken and not subjects & stems else size)
            for stems, spoken in zip(self._stems, self._first_person, strict=True)
        ]

    def _cosines(self, memories: Sequence[ParsedSentence]) -> Numbers:
        """Return each memory's cosine to each statement; -1 if the memory or the statement has no vector."""
        cosines = np.full((len(memories), len(self._single)), -1.0)
        rows = [n for n, memory in enumerate(memories) if memory.vector is not None]
        if rows and self._vectors is not None:
            vectors = np.stack([memory.vector for memory in memories if memory.vector is not None])
            cosines[np.ix_(rows, self._embedded)] = vectors @ self._vectors.T
        return cosines

    def _over_runs(self, values: Numbers) -> Numbers:
        """Return for each group the highest value of its statements, by memory."""
        highest, by_length = values, [values]
        for length in self._lengths[1:]:
            highest = np.maximum(highest[:, :-1], values[:, length - 1 :])
            by_length.append(highest)
        return np.concatenate(by_length, axis=1)

    def _quotes(self, memory: ParsedSentence) -> bool:
        """Return True if the statements contain all words of a memory in a row, possibly across several statements."""
        if len(memory.stems) < _MIN_STEMS or not memory.stems <= self._bits.keys():
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


def _rounded(value: float | None) -> float | None:
    return None if value is None else round(value, _DIGITS)
