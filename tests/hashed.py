"""Embedding models that are small and exact: hashed words, the same in every process. No two of them agree."""

from __future__ import annotations

import threading
import zlib
from collections.abc import Sequence

import numpy as np


class Hashed:
    """A vector of hashed words. The first half of the numbers is the model's own sign: vectors of two models of one
    dimension are at right angles, and a comparison across models shows.
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
    """Waits in the middle of the first batch that holds a word, until it is let go."""

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
    """Of the same dimension as `old`."""
    return Hashed("test/twin", 64, 1)
