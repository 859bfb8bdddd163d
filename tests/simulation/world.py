"""A world whose truth is known: how probable it is that a memory is used in answer to a message, if it is shown.

Messages come from recurring topics and memories belong to them. What the ranking sees of a memory is its place in the
space of topics with an error of its own, through two views (meaning, words) with errors that differ by message; what
decides its use is its true place, and how useful it is anywhere. So a ranking errs in ways that feedback could mend.
"""

from __future__ import annotations

from dataclasses import dataclass
from datetime import UTC, datetime
from uuid import UUID

import numpy as np

from brain.search import Hit

START = datetime(2026, 1, 1, tzinfo=UTC)
DIMENSIONS = 16
TOPICS = 40


@dataclass(frozen=True)
class Message:
    """What is asked, as a vector, how well each memory seems to answer it in either view, and how probably it would be
    used. Messages of one topic paraphrase each other: their cosines are 0.86 ± 0.04.
    """

    asked: np.ndarray
    meaning: np.ndarray
    words: np.ndarray
    rates: np.ndarray

    def relevance(self, weight_of_words: float) -> np.ndarray:
        return (1 - weight_of_words) * self.meaning + weight_of_words * self.words


class World:
    """Memories, and messages as they come; all of it decided by the seed."""

    def __init__(self, seed: int, memories: int = 200) -> None:
        self.size = memories
        self.chance = np.random.default_rng(seed)
        self._topics = _unit(self.chance.normal(size=(TOPICS, DIMENSIONS)))
        at = self.chance.integers(TOPICS, size=memories)
        self._true = _unit(self._topics[at] + 0.15 * self.chance.normal(size=(memories, DIMENSIONS)))
        self._seen = _unit(self._true + 0.15 * self.chance.normal(size=(memories, DIMENSIONS)))
        self._useful = 0.8 * self.chance.normal(size=memories)

    def message(self) -> Message:
        topic = self._topics[self.chance.integers(TOPICS)]
        asked = _unit(topic + 0.1 * self.chance.normal(size=DIMENSIONS))
        seen = self._seen @ asked
        errors = self.chance.normal(size=(2, len(seen)))
        rates = 1 / (1 + np.exp(3.2 - 4.0 * self._true @ asked - self._useful))
        return Message(asked, _scaled(seen + 0.12 * errors[0]), _scaled(seen + 0.16 * errors[1]), rates)


def memory(n: int, **usage) -> Hit:
    return Hit(
        memory_id=UUID(int=n),
        ordinal=0,
        seq=n,
        type="fact",
        content="",
        partial=False,
        speaker=None,
        occurred_at=START,
        session_id=None,
        source=None,
        superseded_by=None,
        confidence=1.0,
        pinned=False,
        length=1,
        scores={},
        **usage,
    )


def _unit(vectors: np.ndarray) -> np.ndarray:
    return vectors / np.linalg.norm(vectors, axis=-1, keepdims=True)


def _scaled(cosines: np.ndarray) -> np.ndarray:
    """To where relevance lies for real: most below 0.3, the best around a half and 0.12 above the tenth."""
    return np.clip(0.2 + 0.35 * cosines, 0.0, 1.0)
