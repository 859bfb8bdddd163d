"""A simulation with a known truth: the probability that a shown memory is used in the answer to a message.

Messages come from recurring topics, and memories belong to topics. The ranking sees the position of a memory in the
space of topics with an error per memory, through two views (meaning, words) with errors per message. The true position
and the general usefulness of a memory decide its use. The ranking therefore has errors that feedback can correct.
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
    """A message as a vector, with the observed relevance of each memory in two views and its true rate of use.

    Messages of one topic paraphrase each other: their cosines are 0.86 ± 0.04.
    """

    vector: np.ndarray
    meaning: np.ndarray
    words: np.ndarray
    rates: np.ndarray

    def relevance(self, weight_of_words: float) -> np.ndarray:
        return (1 - weight_of_words) * self.meaning + weight_of_words * self.words


class World:
    """Memories and a stream of messages, determined by the seed."""

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
        vector = _unit(topic + 0.1 * self.chance.normal(size=DIMENSIONS))
        seen = self._seen @ vector
        errors = self.chance.normal(size=(2, len(seen)))
        rates = 1 / (1 + np.exp(3.2 - 4.0 * self._true @ vector - self._useful))
        return Message(vector, _scaled(seen + 0.12 * errors[0]), _scaled(seen + 0.16 * errors[1]), rates)


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
        replaced_by=None,
        confidence=1.0,
        pinned=False,
        length=1,
        scores={},
        **usage,
    )


def _unit(vectors: np.ndarray) -> np.ndarray:
    return vectors / np.linalg.norm(vectors, axis=-1, keepdims=True)


def _scaled(cosines: np.ndarray) -> np.ndarray:
    """Scale cosines to the product's relevance: mostly below 0.3, the best about 0.5 and 0.12 above the tenth."""
    return np.clip(0.2 + 0.35 * cosines, 0.0, 1.0)
