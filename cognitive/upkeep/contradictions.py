"""Find pairs of memories that give the same attribute of the same subject another value."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from itertools import groupby, pairwise

from brain.claims import claim_of
from brain.text import words
from brain.upkeep import ClaimedMemory


@dataclass(frozen=True, slots=True)
class Contradiction:
    """Two memories, by their sequence numbers, that claim different values; the older one first."""

    older: int
    newer: int
    reason: str


def contradictions(memories: Sequence[ClaimedMemory]) -> list[Contradiction]:
    """Return the pairs of memories with one claim and different values, those with the newest memory first.

    `memories` are sorted by claim and time. Of several values of a claim, each is paired with the one before.
    """
    found = []
    for _, group in groupby(memories, key=lambda memory: memory.claim):
        claims = [(each, claim) for each in group if (claim := claim_of(each.content, each.speaker)) is not None]
        for (older, one), (newer, other) in pairwise(claims):
            if one.value != other.value:
                found.append(Contradiction(older.seq, newer.seq, _reason(older.content, newer.content)))
    return sorted(found, key=lambda each: -each.newer)


def _reason(older: str, newer: str) -> str:
    before, now = _own_words(older, newer), _own_words(newer, older)
    values = f': "{before}" and "{now}"' if before and now else ""
    return f"They give one attribute of one subject different values{values}."


def _own_words(text: str, other: str) -> str:
    """Return the words of a text, as written, that the other text lacks."""
    known = set(words(other))
    return " ".join(word.strip(".,;:!") for word in text.split() if known.isdisjoint(words(word)))
