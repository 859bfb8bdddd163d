"""The data of the suites: a small store, a question that it answers, and an embedder without a model."""

from __future__ import annotations

import zlib
from collections.abc import Sequence
from datetime import UTC, datetime, timedelta

import numpy as np
from numpy.typing import NDArray

from cognitive import NewMemory

AT = datetime(2026, 9, 1, 12, tzinfo=UTC)
KEY = "The spare key of the boat house hangs behind the barometer."
ASKED = "Where does the spare key of the boat house hang?"
ANSWER = "It hangs behind the barometer in the boat house."
TOPICS = ("crane", "harbour", "ledger", "turbine", "orchard", "cellar", "violin", "glacier", "bakery", "compass")


class WordEmbedder:
    """A fast embedder for tests, which hashes words instead of running a model.

    The vectors are the same in every process.
    """

    model = "chaos/words"
    dimension = 64

    def embed(self, texts: Sequence[str]) -> NDArray[np.float32]:
        """Return a unit vector for each text, one per row."""
        vectors = np.full((len(texts), self.dimension), 1e-3, dtype=np.float32)
        for row, text in enumerate(texts):
            for word in text.lower().split():
                vectors[row, zlib.crc32(word.strip(".,?!").encode()) % self.dimension] += 1.0
        unit: NDArray[np.float32] = vectors / np.linalg.norm(vectors, axis=1, keepdims=True)
        return unit


def store(lines: int) -> list[NewMemory]:
    """Return the memories to store: the one that answers the question of the suites, and `lines` about other things."""
    others = [
        NewMemory(
            type="episode",
            content=f"Entry {n}: the {TOPICS[n % 10]} was inspected for the {n}th time.",
            source=f"line-{n}",
            session_id=f"s{n // 50}",
            occurred_at=AT + timedelta(minutes=n),
        )
        for n in range(lines)
    ]
    return [NewMemory(type="fact", content=KEY, source="key", occurred_at=AT), *others]
