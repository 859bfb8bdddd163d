"""Vectors of what is stored: real ones as far as there is time for, and others of the same kind beyond that.

A million texts take a processor two hours. Lines that were not embedded beforehand get vectors between those of two
that were, with a little noise: near one another as texts are, which is what an index depends on and independent
directions do not have. Questions, and whatever else is said, are always embedded by the real model.
"""

from __future__ import annotations

import zlib
from collections.abc import Iterator, Sequence

import numpy as np

from brain.ports import Embedder
from brain.types import Vector, Vectors

_BETWEEN = 0.5  # of the way to another statement at most
_NOISE = 0.35  # length of what is added
_AT_ONCE = 64


class InterpolatedEmbedder:
    """An embedder that knows some texts beforehand and gives a line that nobody asks for a place between them.

    A text has one vector, whoever asks for it and however often.
    """

    def __init__(self, real: Embedder, texts: Sequence[str]) -> None:
        self._real = real
        self.model = real.model
        self.dimension = real.dimension
        self._known = dict(_embedded(real, list(texts)))
        self._base = np.stack(list(self._known.values()))

    def embed(self, texts: Sequence[str]) -> Vectors:
        """Unit vectors of shape (len(texts), dimension)."""
        vectors = np.empty((len(texts), self.dimension), dtype=np.float32)
        real = []
        for n, text in enumerate(texts):
            if (known := self._known.get(text)) is not None:
                vectors[n] = known
            elif ", number " in text:
                vectors[n] = self._between(text)
            else:
                real.append(n)
        if real:
            vectors[real] = self._real.embed([texts[n] for n in real])
        return vectors

    def _between(self, text: str) -> Vector:
        chance = np.random.default_rng(zlib.crc32(text.encode()))
        one, other = self._base[chance.integers(0, len(self._base), 2)]
        share = chance.uniform(0, _BETWEEN)
        noise = chance.standard_normal(self.dimension) * _NOISE / np.sqrt(self.dimension)
        vector = one * (1 - share) + other * share + noise
        found: Vector = (vector / np.linalg.norm(vector)).astype(np.float32)
        return found


def _embedded(real: Embedder, texts: list[str]) -> Iterator[tuple[str, Vector]]:
    for n in range(0, len(texts), _AT_ONCE):
        yield from zip(texts[n : n + _AT_ONCE], real.embed(texts[n : n + _AT_ONCE]), strict=True)
