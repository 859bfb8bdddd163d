"""Find pairs of memories that give the same attribute of the same subject another value.

Most have equal claims, which Postgres finds. Behind them, texts that share rare words are compared.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from itertools import groupby, pairwise

import numpy as np

from brain.claims import claim_of
from brain.text import words
from brain.upkeep import ClaimedMemory, MemoryTexts
from cognitive.upkeep.duplicates import of_two_speakers
from cognitive.upkeep.values import values_differ
from cognitive.upkeep.word_pairs import WordPairs, word_pairs

_MIN_OVERLAP = 0.3  # nine of ten contradictions have more
_CHECKED = 5_000  # pairs that one page checks, in about half a second


@dataclass(frozen=True, slots=True)
class Contradiction:
    """Two memories, by their sequence numbers, that claim different values; the older one first.

    `score` is 1 for equal claims and below 0.5 for others.
    """

    older: int
    newer: int
    score: float
    reason: str


def contradictions(memories: Sequence[ClaimedMemory]) -> list[Contradiction]:
    """Return the pairs of memories with one claim and different values, those with the newest memory first.

    `memories` are sorted by user, claim and time. Of several values of a claim, each is paired with the one before.
    """
    found = []
    for _, group in groupby(memories, key=lambda memory: (memory.user_id, memory.claim)):
        claims = [(each, claim) for each in group if (claim := claim_of(each.content, each.speaker)) is not None]
        for (older, one), (newer, other) in pairwise(claims):
            if one.value != other.value:
                found.append(Contradiction(older.seq, newer.seq, 1.0, _reason(older.content, newer.content)))
    return sorted(found, key=lambda each: -each.newer)


def candidates(texts: MemoryTexts) -> WordPairs:
    """Return the pairs of texts that may contradict each other, the most similar first, those of templates last."""
    pairs = word_pairs(texts.contents)
    kept = pairs.take((pairs.overlap >= _MIN_OVERLAP) & (~pairs.template | pairs.one_value))
    return kept.take(np.lexsort((-kept.overlap, kept.template)))


def near_contradictions(
    texts: MemoryTexts, pairs: WordPairs, start: int, limit: int
) -> tuple[list[Contradiction], int]:
    """Check candidates from position `start` on, until `limit` contradict each other or enough were checked.

    Return the contradictions, except those of equal claims, and the position after them.
    """
    found = list[Contradiction]()
    stop = min(len(pairs), start + _CHECKED)
    for n in range(start, stop):
        left, right = int(pairs.left[n]), int(pairs.right[n])
        newer, older = texts.contents[left], texts.contents[right]  # the newest texts come first
        if (
            values_differ(older, newer)
            and not _same_claim(texts, left, right)
            and not of_two_speakers(texts, left, right)
        ):
            score = round(0.5 * float(pairs.overlap[n]), 3)
            found.append(Contradiction(texts.seqs[right], texts.seqs[left], score, _reason(older, newer)))
            if len(found) == limit:
                return found, n + 1
    return found, stop


def _same_claim(texts: MemoryTexts, left: int, right: int) -> bool:
    """Return True if the stored claims are equal, by which Postgres finds the pair."""
    return texts.claims[left] is not None and texts.claims[left] == texts.claims[right]


def _reason(older: str, newer: str) -> str:
    before, now = _own_words(older, newer), _own_words(newer, older)
    values = f': "{before}" and "{now}"' if before and now else ""
    return f"They give one attribute of one subject different values{values}."


def _own_words(text: str, other: str) -> str:
    """Return the words of a text, as written, that the other text lacks."""
    known = set(words(other))
    return " ".join(word.strip(".,;:!") for word in text.split() if known.isdisjoint(words(word)))
