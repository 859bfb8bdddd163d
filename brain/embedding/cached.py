"""The async face of an embedder: off the event loop, cached by model and text, its output checked."""

from __future__ import annotations

import asyncio
from collections import OrderedDict
from collections.abc import Callable, Sequence
from concurrent.futures import ThreadPoolExecutor

import numpy as np

from brain.errors import EmbeddingError
from brain.ports import Embedder
from brain.types import Vector, Vectors

_FEW = 32  # texts that a turn may ask for at once: its message and some of its window
_MOST_CACHED = 8_192  # vectors; 12 MB at 384 dimensions


class CachedEmbedder:
    """Wraps an `Embedder`: a text is embedded once while it stays among the last few thousand asked for."""

    def __init__(self, embedder: Embedder, *, most_cached: int = _MOST_CACHED) -> None:
        self._embedder = embedder
        self._most_cached = most_cached
        self._cache: OrderedDict[str, Vector] = OrderedDict()
        self._dropped = 0  # times: what was asked for before one may hold what is gone, and is not kept
        # Threads of its own: an embedder that hangs holds up these, and not those of the whole process. Two lanes: a
        # turn's message does not wait behind a batch of memories.
        self._few = ThreadPoolExecutor(1, thread_name_prefix="embedder-few")
        self._many = ThreadPoolExecutor(1, thread_name_prefix="embedder-many")

    @property
    def model(self) -> str:
        """The wrapped model's name."""
        return self._embedder.model

    @property
    def dimension(self) -> int:
        """The wrapped model's dimension."""
        return self._embedder.dimension

    def known(self, text: str) -> Vector | None:
        """The vector of a text that was embedded before, without embedding anything."""
        return self._cache.get(text)

    async def embed(self, texts: Sequence[str]) -> Vectors:
        """Unit vectors of shape (len(texts), dimension).

        Raises:
            EmbeddingError: the model failed or gave a vector that is not finite, zero or of another dimension.
        """
        dropped = self._dropped
        found = {text: vector for text in texts if (vector := self._cache.get(text)) is not None}
        missing = [text for text in dict.fromkeys(texts) if text not in found]
        if missing:
            lane = self._few if len(missing) <= _FEW else self._many
            vectors = await asyncio.wrap_future(lane.submit(self._checked, missing))
            found.update(zip(missing, vectors, strict=True))
        for text in dict.fromkeys(texts) if dropped == self._dropped else ():
            self._remember(text, found[text])
        if not texts:
            return np.empty((0, self.dimension), dtype=np.float32)
        return np.stack([found[text] for text in texts])

    def close(self) -> None:
        """Lets go of the threads; what they are still doing is not waited for."""
        for lane in (self._few, self._many):
            lane.shutdown(wait=False, cancel_futures=True)

    def _remember(self, text: str, vector: Vector) -> None:
        self._cache[text] = vector
        self._cache.move_to_end(text)
        while len(self._cache) > self._most_cached:
            self._cache.popitem(last=False)

    def forget(self, texts: Sequence[str]) -> None:
        """Drops texts from the cache: an erased memory leaves no trace in it."""
        for text in texts:
            self._cache.pop(text, None)

    def drop(self, held: Callable[[str], bool]) -> None:
        """Drops every text that holds something erased from the cache, and keeps none that is being embedded."""
        self._dropped += 1
        self.forget([text for text in self._cache if held(text)])

    def _checked(self, texts: Sequence[str]) -> Vectors:
        try:
            vectors = np.asarray(self._embedder.embed(texts), dtype=np.float32)
        except EmbeddingError:
            raise
        except Exception as error:  # an embedder is foreign code: whatever it raises means "no vector"
            raise EmbeddingError(f"{self._embedder.model}: {error}") from error
        if vectors.shape != (len(texts), self.dimension):
            raise EmbeddingError(
                f"{self.model}: expected vectors of shape {(len(texts), self.dimension)}, got {vectors.shape}"
            )
        lengths = np.linalg.norm(vectors, axis=1, keepdims=True)
        if not np.isfinite(vectors).all() or not (lengths > 1e-6).all():
            raise EmbeddingError(f"{self.model}: a vector is zero or not finite")
        return np.asarray(vectors / lengths, dtype=np.float32)
