"""Small deterministic embedding models of hashed words. Each has its own vectors, equal in every process."""

from __future__ import annotations

import threading
import zlib
from collections.abc import Sequence

import numpy as np


class Hashed:
    """A model that embeds a text as a vector of hashed words.

    The first half of the dimensions identifies the model. Vectors of two models of the same dimension are therefore
    nearly orthogonal, which reveals a comparison across models.
    """

    def __init__(self, model: str, dimension: int, place: int = 0) -> None:
        self.model, self.dimension, self._place = model, dimension, place
        self.texts: list[str] = []

    def embed(self, texts: Sequence[str]) -> np.ndarray:
        self.texts.extend(texts)
        vectors = np.zeros((len(texts), self.dimension), dtype=np.float32)
        half = self.dimension // 2
        for row, text in enumerate(texts):
            for word in text.lower().split():
                vectors[row, half + zlib.crc32(f"{self.model} {word.strip('.,?!')}".encode()) % half] += 1.0
        vectors[:, self._place] = np.linalg.norm(vectors, axis=1) + 1e-3
        return vectors / np.linalg.norm(vectors, axis=1, keepdims=True)


class Held(Hashed):
    """A model that waits within the first batch that contains a word until `go` is set."""

    def __init__(self, *args, at: str) -> None:
        super().__init__(*args)
        self._at = at
        self.reached, self.go = threading.Event(), threading.Event()

    def embed(self, texts: Sequence[str]) -> np.ndarray:
        if not self.reached.is_set() and any(self._at in text for text in texts):
            self.reached.set()
            self.go.wait(30)
        return super().embed(texts)


def old() -> Hashed:
    return Hashed("test/old", 64)


def new() -> Hashed:
    return Hashed("test/new", 96, 1)


def twin() -> Hashed:
    """Return another model of the same dimension as `old`."""
    return Hashed("test/twin", 64, 1)
