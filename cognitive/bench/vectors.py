"""Vectors for the memories of a benchmark: from the real model as far as time allows, interpolated for the rest.

Embedding a million texts takes one processor two hours. A generated memory that is not embedded in advance gets a
vector between those of two embedded texts, with a little noise. Such vectors form clusters like those of real texts.
The speed of a vector index depends on the clusters; random directions would have none. All other texts, such as
questions, are embedded by the real model.
"""

from __future__ import annotations

import zlib
from collections.abc import Iterator, Sequence

import numpy as np

from brain.ports import Embedder
from brain.types import Vector, Vectors

_BETWEEN = 0.5  # maximum share of the way from one embedded text to another
_NOISE = 0.35  # expected length of the added noise, relative to a unit vector
_BATCH = 64  # texts per call of the model


class InterpolatedEmbedder:
    """An embedder that makes large benchmarks faster: it interpolates the vectors of generated lines of chat.

    No question of the benchmark is about a generated line. All other texts, and the lines that were embedded in
    advance, have vectors of the real model. The same text always gets the same vector.
    """

    def __init__(self, real: Embedder, texts: Sequence[str]) -> None:
        self._real = real
        self.model = real.model
        self.dimension = real.dimension
        self._known = dict(_embedded(real, list(texts)))
        self._base = np.stack(list(self._known.values()))

    def embed(self, texts: Sequence[str]) -> Vectors:
        """Return unit vectors of shape (len(texts), dimension)."""
        vectors = np.empty((len(texts), self.dimension), dtype=np.float32)
        other = []
        for n, text in enumerate(texts):
            if (known := self._known.get(text)) is not None:
                vectors[n] = known
            elif ", number " in text:  # a generated line
                vectors[n] = self._between(text)
            else:
                other.append(n)
        if other:
            vectors[other] = self._real.embed([texts[n] for n in other])
        return vectors

    def _between(self, text: str) -> Vector:
        chance = np.random.default_rng(zlib.crc32(text.encode()))
        one, other = self._base[chance.integers(0, len(self._base), 2)]
        share = chance.uniform(0, _BETWEEN)
        noise = chance.standard_normal(self.dimension) * _NOISE / np.sqrt(self.dimension)
        vector = one * (1 - share) + other * share + noise
        unit: Vector = (vector / np.linalg.norm(vector)).astype(np.float32)
        return unit


def _embedded(real: Embedder, texts: list[str]) -> Iterator[tuple[str, Vector]]:
    for n in range(0, len(texts), _BATCH):
        yield from zip(texts[n : n + _BATCH], real.embed(texts[n : n + _BATCH]), strict=True)
