"""Select the pairs of memories that say the same, among those that share rare words.

Guards drop the pairs whose numbers, names or negations differ, and those of one template: the same sentence with other
words. Pairs of which only a word differs come at the end of the list, if their vectors are near: "picked" and "chose"
say the same, "the lake" and "the market" don't.
"""

from __future__ import annotations

from collections.abc import Callable, Mapping
from dataclasses import dataclass

import numpy as np

from brain.types import Vector
from brain.upkeep import MemoryTexts
from cognitive.context.sentences import ParsedSentence
from cognitive.context.similarity import GUARDS
from cognitive.upkeep.word_pairs import WordPairs, word_pairs

_MIN_OVERLAP = 0.4  # nine of ten restatements have more
_MIN_COSINE = 0.85  # of a pair of which a word differs
_CHECKED = 3_000  # pairs that one page checks, in about half a second
_WORD = "a word swapped"
_GUARDS = {name: guard for name, guard in GUARDS.items() if name != "direction"}  # "deploys with X", "X deploys"

Cosines = Callable[[list[tuple[int, int]]], Mapping[tuple[int, int], float]]


@dataclass(frozen=True, slots=True)
class TextPair:
    """Two texts that say the same, by their indexes, with a score from 0 to 1 and the reason."""

    left: int
    right: int
    score: float
    reason: str


@dataclass(frozen=True, slots=True)
class Candidates:
    """The pairs that may say the same, the most similar first; each is checked twice, for two parts of the list.

    In the first part no guard may fire, in the second only the one for a different word.
    """

    pairs: WordPairs

    def __len__(self) -> int:
        return 2 * len(self.pairs)

    def checked(self, texts: MemoryTexts, start: int, limit: int) -> tuple[list[TextPair], list[TextPair], int]:
        """Check the pairs from position `start` on, until `limit` say the same or enough were checked.

        Return the pairs that say the same, those that do if their vectors are near, and the position after them.
        """
        same, near = list[TextPair](), list[TextPair]()
        stop = min(len(self), start + _CHECKED)
        for position in range(start, stop):
            n = position % len(self.pairs)
            left, right = int(self.pairs.left[n]), int(self.pairs.right[n])
            differing = _differing(texts.contents[left], texts.contents[right])
            overlap = float(self.pairs.overlap[n])
            if position < len(self.pairs) and not differing:
                same.append(TextPair(left, right, round(overlap, 3), _reason(overlap)))
            elif position >= len(self.pairs) and differing == {_WORD}:
                near.append(TextPair(left, right, round(overlap, 3), ""))
            if len(same) + len(near) == limit:
                return same, near, position + 1
        return same, near, stop


def candidates(texts: MemoryTexts) -> Candidates:
    """Return the pairs of texts of one type that share enough rare words, and whose numbers and names do not differ."""
    pairs = word_pairs(texts.contents)
    types = np.unique(np.array(texts.types, dtype=object).astype(str), return_inverse=True)[1]
    alike = ~pairs.differ & (pairs.overlap >= _MIN_OVERLAP)
    if len(texts.contents):
        alike &= types[pairs.left] == types[pairs.right]
    kept = pairs.take(alike)
    return Candidates(kept.take(np.argsort(-kept.overlap, kind="stable")))


def near_pairs(pairs: list[TextPair], vectors: Mapping[int, Vector]) -> list[TextPair]:
    """Return those of the pairs whose vectors, by the index of the text, are near."""
    kept = []
    for pair in pairs:
        if pair.left in vectors and pair.right in vectors:
            cosine = float(np.dot(vectors[pair.left], vectors[pair.right]))
            if cosine >= _MIN_COSINE:
                reason = f"They differ in a word and mean nearly the same (cosine {cosine:.2f})."
                kept.append(TextPair(pair.left, pair.right, pair.score, reason))
    return kept


def _differing(one: str, other: str) -> set[str]:
    """Return the names of the guards by which each text says something that the other does not."""
    first, second = ParsedSentence.of(one), ParsedSentence.of(other)
    return {name for name, guard in _GUARDS.items() if guard(first, second) and guard(second, first)}


def _reason(overlap: float) -> str:
    return "They have the same words." if overlap > 0.99 else "They say the same in other words."
