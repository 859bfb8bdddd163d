"""Embed texts off the event loop with a cache, and choose the embedding model of each agent.

Vectors of different models are never compared, and one search never mixes two models. If a process does not have an
agent's live model, it searches with another model whose vectors are stored, and reports a degradation.
"""

from __future__ import annotations

import asyncio
from collections import OrderedDict
from collections.abc import Callable, Iterator, Mapping, Sequence
from concurrent.futures import Future, ThreadPoolExecutor
from contextlib import contextmanager
from dataclasses import dataclass, field
from typing import Any, Self

import numpy as np

from brain.errors import EmbeddingError
from brain.ports import Embedder
from brain.types import Vector, Vectors

_SMALL_BATCH = 32  # maximum texts in the fast lane: a turn's message and part of its window
_MAX_CACHED = 8_192  # vectors; 12 MB at 384 dimensions
_MAX_AGENTS = 10_000  # agents whose models are remembered; the first read of another agent needs a second query


class CachedEmbedder:
    """Wraps an `Embedder`: runs it in threads and caches the vectors of the latest texts."""

    def __init__(self, embedder: Embedder, *, max_cached: int = _MAX_CACHED) -> None:
        self._embedder = embedder
        self._max_cached = max_cached
        self._cache: OrderedDict[str, Vector] = OrderedDict()
        self.drops = 0  # calls of `drop`: a result requested before one may contain erased text, and is not cached
        # Separate threads: an embedder that hangs does not block the threads of the whole process. Two lanes: the
        # message of a turn does not wait behind a batch of memories.
        self._fast_lane = ThreadPoolExecutor(1, thread_name_prefix="embedder-few")
        self._slow_lane = ThreadPoolExecutor(1, thread_name_prefix="embedder-many")
        self._ahead: dict[str, Future[Vectors]] = {}

    @property
    def model(self) -> str:
        """The wrapped model's name."""
        return self._embedder.model

    @property
    def dimension(self) -> int:
        """The wrapped model's dimension."""
        return self._embedder.dimension

    def known(self, text: str) -> Vector | None:
        """Return the cached vector of a text, or None if the cache does not have it. Embeds nothing."""
        return self._cache.get(text)

    @contextmanager
    def ahead(self, text: str) -> Iterator[None]:
        """Start to embed a text that the block will probably pass to `embed`. Stop at its end if that was not so."""
        if text not in self._cache and text not in self._ahead:
            self._ahead[text] = self._begin(self._fast_lane, [text])
        try:
            yield
        finally:
            if (unused := self._ahead.pop(text, None)) is not None:
                unused.cancel()

    async def embed(self, texts: Sequence[str]) -> Vectors:
        """Return the unit vectors of texts, of shape (len(texts), dimension); embed only those that are not cached.

        Raises:
            EmbeddingError: the model failed, or returned a vector that is zero, not finite or of another dimension; or
                the embedder was closed.
        """
        drops = self.drops
        vectors = {text: vector for text in texts if (vector := self._cache.get(text)) is not None}
        for text in texts:
            if (begun := self._ahead.pop(text, None)) is not None:
                vectors[text] = (await self._result(begun))[0]
        missing = [text for text in dict.fromkeys(texts) if text not in vectors]
        if missing:
            lane = self._fast_lane if len(missing) <= _SMALL_BATCH else self._slow_lane
            embedded = await self._result(self._begin(lane, missing))
            vectors.update(zip(missing, embedded, strict=True))
        for text in dict.fromkeys(texts) if drops == self.drops else ():
            self._remember(text, vectors[text])
        if not texts:
            return np.empty((0, self.dimension), dtype=np.float32)
        return np.stack([vectors[text] for text in texts])

    def close(self) -> None:
        """Stop the threads without waiting for running work."""
        for lane in (self._fast_lane, self._slow_lane):
            lane.shutdown(wait=False, cancel_futures=True)

    def _begin(self, lane: ThreadPoolExecutor, texts: Sequence[str]) -> Future[Vectors]:
        try:
            return lane.submit(self._embed, texts)
        except RuntimeError:  # the embedder is closed, which cancels also the work that has not begun
            ended: Future[Vectors] = Future()
            ended.cancel()
            return ended

    async def _result(self, begun: Future[Vectors]) -> Vectors:
        try:
            return await asyncio.wrap_future(begun)
        except asyncio.CancelledError:
            task = asyncio.current_task()
            if task is None or task.cancelling():
                raise
            raise EmbeddingError(f"{self.model}: the embedder was closed") from None  # `close` cancelled the work

    def _remember(self, text: str, vector: Vector) -> None:
        self._cache[text] = vector
        self._cache.move_to_end(text)
        while len(self._cache) > self._max_cached:
            self._cache.popitem(last=False)

    def forget(self, texts: Sequence[str]) -> None:
        """Remove texts from the cache, for example those of an erased memory."""
        for text in texts:
            self._cache.pop(text, None)

    def drop(self, is_erased: Callable[[str], bool]) -> None:
        """Remove from the cache the texts for which `is_erased` is true.

        Texts that are being embedded are not cached.
        """
        self.drops += 1
        self.forget([text for text in self._cache if is_erased(text)])

    def _embed(self, texts: Sequence[str]) -> Vectors:
        try:
            vectors = np.asarray(self._embedder.embed(texts), dtype=np.float32)
        except EmbeddingError:
            raise
        except Exception as error:  # a custom embedder may raise anything
            raise EmbeddingError(f"{self._embedder.model}: {error}") from error
        if vectors.shape != (len(texts), self.dimension):
            raise EmbeddingError(
                f"{self.model}: expected vectors of shape {(len(texts), self.dimension)}, got {vectors.shape}"
            )
        lengths = np.linalg.norm(vectors, axis=1, keepdims=True)
        if not np.isfinite(vectors).all() or not (lengths > 1e-6).all():
            raise EmbeddingError(f"{self.model}: a vector is zero or not finite")
        return np.asarray(vectors / lengths, dtype=np.float32)


@dataclass(frozen=True, slots=True)
class EmbeddingSpace:
    """An embedding model's stored vectors for one agent; `complete` is True if every memory has them."""

    dimension: int
    complete: bool


@dataclass(frozen=True, slots=True)
class EmbeddingSpaces:
    """The embedding models of an agent.

    `live` is the model that searches use, or None while nothing is stored. `kept` has the models that memories are
    embedded with, by the model's name.
    """

    live: str | None = None
    kept: Mapping[str, EmbeddingSpace] = field(default_factory=dict)

    @classmethod
    def of(cls, live: str | None, kept: Sequence[Any] | None) -> Self:
        """Make the object from two columns of a statement. `kept` is a list of (model, dimension, complete)."""
        return cls(live, {model: EmbeddingSpace(dimension, complete) for model, dimension, complete in kept or ()})

    @property
    def models(self) -> frozenset[str]:
        """The names of all models, the live one included."""
        return frozenset(self.kept) | ({self.live} if self.live is not None else frozenset())


_UNKNOWN = EmbeddingSpaces()


class Embedders:
    """The embedders of a process, one for each embedding model; they are chosen for each agent's searches and writes.

    An agent without stored vectors uses the first model.

    Raises:
        EmbeddingError: there is no embedder, or two have the same model.
    """

    def __init__(self, embedders: Sequence[CachedEmbedder]) -> None:
        self._by_model = {embedder.model: embedder for embedder in embedders}
        if not embedders or len(self._by_model) < len(embedders):
            names = ", ".join(embedder.model for embedder in embedders) or "none"
            raise EmbeddingError(f"embedders: expected one or more, each of another model, got {names}")
        self.first = embedders[0]
        self._spaces: OrderedDict[str, EmbeddingSpaces] = OrderedDict()

    def __iter__(self) -> Iterator[CachedEmbedder]:
        return iter(self._by_model.values())

    def named(self, model: str) -> CachedEmbedder:
        """Return the embedder of a model.

        Raises:
            EmbeddingError: this process does not have the model.
        """
        if model not in self._by_model:
            has = ", ".join(self._by_model)
            raise EmbeddingError(f"{model}: this process does not have this embedding model; it has {has}")
        return self._by_model[model]

    def remember(self, agent_id: str, spaces: EmbeddingSpaces) -> None:
        """Remember which embedding models the database names for an agent."""
        self._spaces[agent_id] = spaces
        self._spaces.move_to_end(agent_id)
        while len(self._spaces) > _MAX_AGENTS:
            self._spaces.popitem(last=False)

    def of(self, agent_id: str) -> CachedEmbedder:
        """Return the embedder for the agent's searches.

        This is the embedder of the live model if this process has it. Otherwise it is that of another model whose
        vectors are stored, preferably for all memories. If there is no such model either, it is the first embedder.
        """
        spaces = self._spaces.get(agent_id, _UNKNOWN)
        kept = (
            model for complete in (True, False) for model, space in spaces.kept.items() if space.complete is complete
        )
        named = (spaces.live,) if spaces.live is not None else ()
        has = (model for model in (*named, *kept) if self._has(model, spaces))
        return self._by_model[next(has, self.first.model)]

    def writing(self, agent_id: str) -> tuple[CachedEmbedder, ...]:
        """Return the embedders for the agent's writes.

        These are the embedders of all the agent's models that this process has, or else the first embedder alone.
        """
        models = self._spaces.get(agent_id, _UNKNOWN).models
        return tuple(each for model, each in self._by_model.items() if model in models) or (self.first,)

    def missing_live_model(self, agent_id: str) -> str | None:
        """Return the agent's live model if this process does not have it, else None."""
        spaces = self._spaces.get(agent_id, _UNKNOWN)
        return spaces.live if spaces.live is not None and not self._has(spaces.live, spaces) else None

    def _has(self, model: str, spaces: EmbeddingSpaces) -> bool:
        """Return True if this process has the model, with the same dimension as the vectors stored for the agent."""
        if model not in self._by_model:
            return False
        return model not in spaces.kept or spaces.kept[model].dimension == self._by_model[model].dimension

    def forget(self, texts: Sequence[str]) -> None:
        """Remove texts from every cache."""
        for embedder in self:
            embedder.forget(texts)

    def drop(self, is_erased: Callable[[str], bool]) -> None:
        """Remove the texts for which `is_erased` is true from every cache."""
        for embedder in self:
            embedder.drop(is_erased)

    def close(self) -> None:
        """Stop the threads of all embedders."""
        for embedder in self:
            embedder.close()
