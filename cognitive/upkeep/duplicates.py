"""Select the pairs of memories that say the same, among those that share rare words.

Guards drop the pairs whose numbers, names or negations differ, and those of one template: the same sentence with other
words. The list has two parts. Pairs of the first are sure: they share most words, and no guard fires. Pairs of the
second are listed if their vectors are near, although only a word differs ("picked" and "chose"), or fewer words are
shared. In the second part, numbers in another order and another place of a negation are allowed, and pairs of a
template come last.
"""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass

import numpy as np
from numpy.typing import NDArray

from brain.claims import person_of
from brain.types import Vector
from brain.upkeep import MemoryTexts
from cognitive.context.formed import names_turn
from cognitive.context.guards import GUARDS
from cognitive.context.lexicon import SCOPES
from cognitive.context.sentences import ParsedSentence
from cognitive.context.speakers import FIRST_PERSON
from cognitive.upkeep.values import values_differ
from cognitive.upkeep.word_pairs import WordPairs, word_pairs

_MIN_OVERLAP = 0.4  # of a sure pair; nine of ten restatements have more
_MIN_NEAR_OVERLAP = 0.3
_MIN_COSINE = 0.75  # of a pair that is not sure; nine of ten restatements have more
_CHECKED = 3_000  # pairs that one page checks, in about half a second
# Guards that also fire between texts that say the same: "deploys with X", "X deploys"; a phrase more; "X's boss is Y".
_LOOSE = frozenset({"direction", "more", "possessions"})
_GUARDS = {name: guard for name, guard in GUARDS.items() if name not in _LOOSE}
_WEAK = frozenset({"a word swapped", "negation", "numbers"})  # guards that don't exclude pairs with near vectors
# "Only admins may", "by admins only": where the word is says little about two texts that are otherwise near.
_SCOPES = frozenset(SCOPES) - {"negated", "exclusive"}
_NEGATIVE = SCOPES["negated"] | frozenset(
    """avoid avoids avoided quit quits drop drops dropped reject rejects rejected hate hates dislike dislikes lack lacks
    exclude excludes excluded excluding forbidden prohibited less""".split()
)


@dataclass(frozen=True, slots=True)
class TextPair:
    """Two texts that say the same, by their indexes, with a score from 0 to 1 and the reason."""

    left: int
    right: int
    score: float
    reason: str


@dataclass(frozen=True, slots=True)
class Candidates:
    """The pairs that may say the same, the most similar first: those that may be sure, and those to compare by vectors.

    The second part repeats the first, since pairs of it may turn out not to be sure. A position counts the pairs of
    both parts.
    """

    sure: WordPairs
    near: WordPairs
    scores: NDArray[np.float64]  # of the second part

    def __len__(self) -> int:
        return len(self.sure) + len(self.near)

    def sure_pairs(self, texts: MemoryTexts, start: int, limit: int) -> tuple[list[TextPair], int]:
        """Return the sure pairs from a position on, until `limit` are found or enough were checked, and where it ended.

        The end of the first part is the end of the list of sure pairs.
        """
        found = list[TextPair]()
        stop = min(len(self.sure), start + _CHECKED)
        for n in range(start, stop):
            left, right = int(self.sure.left[n]), int(self.sure.right[n])
            if of_two_speakers(texts, left, right) or _of_one_line(texts, left, right):
                continue
            if not _differing(texts.contents[left], texts.contents[right]):
                overlap = float(self.sure.overlap[n])
                reason = "They have the same words." if overlap > 0.99 else "They say the same in other words."
                found.append(TextPair(left, right, round(overlap, 3), reason))
                if len(found) == limit:
                    return found, n + 1
        return found, stop

    def near_texts(self, start: int) -> list[int]:
        """Return the texts of which `near_pairs` needs the vectors, by their indexes."""
        part = self.near.take(self._part(start))
        return [int(n) for n in np.unique(np.concatenate([part.left, part.right]))]

    def near_pairs(
        self, texts: MemoryTexts, start: int, limit: int, vectors: Mapping[int, Vector]
    ) -> tuple[list[TextPair], int]:
        """Return the other pairs whose vectors, by the index of the text, are near, and the position after them."""
        found = list[TextPair]()
        positions = self._part(start)
        for n in positions.tolist():
            left, right = int(self.near.left[n]), int(self.near.right[n])
            if left not in vectors or right not in vectors or of_two_speakers(texts, left, right):
                continue
            if _of_one_line(texts, left, right):
                continue
            cosine = float(np.dot(vectors[left], vectors[right]))
            if cosine < _MIN_COSINE:
                continue
            names, is_weak = _weakly_differing(texts.contents[left], texts.contents[right])
            if not is_weak or (names and self.near.template[n]) or self._was_sure(n, names):
                continue
            reason = f"They say nearly the same in other words (cosine {cosine:.2f})."
            found.append(TextPair(left, right, round(float(self.scores[n]), 3), reason))
            if len(found) == limit:
                return found, len(self.sure) + n + 1
        return found, len(self.sure) + int(positions[-1]) + 1 if len(positions) else len(self)

    def _part(self, start: int) -> NDArray[np.int64]:
        first = start - len(self.sure)
        return np.arange(first, min(len(self.near), first + _CHECKED))

    def _was_sure(self, n: int, differing: set[str]) -> bool:
        """Return True if a pair of the second part is listed in the first."""
        return not differing and not self.near.template[n] and bool(self.near.overlap[n] >= _MIN_OVERLAP)


def candidates(texts: MemoryTexts) -> Candidates:
    """Return the pairs of texts of one type that share enough rare words, and whose numbers and names do not differ."""
    pairs = word_pairs(texts.contents)
    types = np.unique(np.array(texts.types, dtype=object).astype(str), return_inverse=True)[1]
    same_type = types[pairs.left] == types[pairs.right] if len(texts.contents) else np.zeros(0, dtype=bool)
    kept = pairs.take(~pairs.differ & same_type & (pairs.overlap >= _MIN_NEAR_OVERLAP))
    alike = kept.overlap >= _MIN_OVERLAP
    sure = kept.take(alike & ~kept.template)
    near = kept.take(alike | ~kept.template)
    scores = near.overlap * np.where(near.template, 0.1, _MIN_OVERLAP)  # below those of sure pairs
    order = np.argsort(-scores, kind="stable")
    return Candidates(
        sure.take(np.argsort(-sure.overlap, kind="stable")),
        near.take(order),
        scores[order],
    )


def of_two_speakers(texts: MemoryTexts, left: int, right: int) -> bool:
    """Return True if two texts are of different speakers, and one has a word such as "I" or "my"."""
    if person_of(texts.speakers[left]) == person_of(texts.speakers[right]):
        return False
    return any(FIRST_PERSON.search(texts.contents[n]) for n in (left, right))


def _of_one_line(texts: MemoryTexts, left: int, right: int) -> bool:
    """Return True if two texts are a captured line and a memory that was formed from it."""
    return texts.sources[left] == texts.sources[right] and names_turn(texts.sources[left])


def _differing(one: str, other: str) -> set[str]:
    """Return the names of the guards by which each text says something that the other does not."""
    first, second = ParsedSentence.of(one), ParsedSentence.of(other)
    return {name for name, guard in _GUARDS.items() if guard(first, second) and guard(second, first)}


def _weakly_differing(one: str, other: str) -> tuple[set[str], bool]:
    """Return the names of the guards that fire, and True if texts with near vectors may say the same in spite of it."""
    names = _differing(one, other)
    if not names <= _WEAK:
        return names, False
    first, second = ParsedSentence.of(one), ParsedSentence.of(other)
    same_numbers = "numbers" not in names or set(first.figures) == set(second.figures)
    same_scopes = "negation" not in names or _scopes_of(first) == _scopes_of(second)
    return names, same_numbers and same_scopes and not values_differ(one, other)


def _scopes_of(text: ParsedSentence) -> tuple[bool, frozenset[str]]:
    """Return if a text negates something, also by a verb such as "avoid", and what else changes its meaning."""
    return not _NEGATIVE.isdisjoint(text.words), _SCOPES & text.scopes.keys()
