"""The embedders of a process: off the event loop and cached, one for each model that the agents' vectors are of.

Each model is a space of its own, whose vectors are compared with each other only. A process that lacks the live model
reads by another one that is kept, and reports it; it never reads by two.
"""

from __future__ import annotations

import asyncio
from collections import OrderedDict
from collections.abc import Callable, Iterator, Mapping, Sequence
from concurrent.futures import ThreadPoolExecutor
from dataclasses import dataclass, field
from typing import Any, Self

import numpy as np

from brain.errors import EmbeddingError
from brain.ports import Embedder
from brain.types import Vector, Vectors

_FEW = 32  # texts that a turn may ask for at once: its message and some of its window
_MAX_CACHED = 8_192  # vectors; 12 MB at 384 dimensions
_MAX_AGENTS = 10_000  # whose models are remembered; of another one the first read asks twice


class CachedEmbedder:
    """Wraps an `Embedder`: a text is embedded once while it stays among the last few thousand asked for."""

    def __init__(self, embedder: Embedder, *, max_cached: int = _MAX_CACHED) -> None:
        self._embedder = embedder
        self._max_cached = max_cached
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
        while len(self._cache) > self._max_cached:
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


@dataclass(frozen=True, slots=True)
class EmbeddingSpace:
    """What is kept of a model: how many numbers its vectors have, and whether every memory has had them once."""

    dimension: int
    complete: bool


@dataclass(frozen=True, slots=True)
class EmbeddingSpaces:
    """An agent's models: `live` is the one that its reads use, None while nothing is stored; `kept` are those that its
    writes go to.
    """

    live: str | None = None
    kept: Mapping[str, EmbeddingSpace] = field(default_factory=dict)

    @classmethod
    def of(cls, live: str | None, kept: Sequence[Any] | None) -> Self:
        """From what a statement returns: rows of model, dimension, complete."""
        return cls(live, {model: EmbeddingSpace(dimension, complete) for model, dimension, complete in kept or ()})

    @property
    def models(self) -> frozenset[str]:
        """All of them."""
        return frozenset(self.kept) | ({self.live} if self.live is not None else frozenset())


_NOTHING_TOLD = EmbeddingSpaces()


class Embedders:
    """One or more embedders, each of a model of its own; the first is for agents that have no vectors yet.

    Raises:
        EmbeddingError: none at all, or two of one model.
    """

    def __init__(self, embedders: Sequence[CachedEmbedder]) -> None:
        self._by_model = {embedder.model: embedder for embedder in embedders}
        if not embedders or len(self._by_model) < len(embedders):
            named = ", ".join(embedder.model for embedder in embedders) or "none"
            raise EmbeddingError(f"embedders: expected one or more, each of another model, got {named}")
        self.first = embedders[0]
        self._told: OrderedDict[str, EmbeddingSpaces] = OrderedDict()

    def __iter__(self) -> Iterator[CachedEmbedder]:
        return iter(self._by_model.values())

    def named(self, model: str) -> CachedEmbedder:
        """The embedder of a model.

        Raises:
            EmbeddingError: this process does not have it.
        """
        if model not in self._by_model:
            has = ", ".join(self._by_model)
            raise EmbeddingError(f"{model}: this process does not have that embedding model; it has {has}")
        return self._by_model[model]

    def told(self, agent_id: str, spaces: EmbeddingSpaces) -> None:
        """Takes note of what the database names for an agent."""
        self._told[agent_id] = spaces
        self._told.move_to_end(agent_id)
        while len(self._told) > _MAX_AGENTS:
            self._told.popitem(last=False)

    def of(self, agent_id: str) -> CachedEmbedder:
        """The embedder for the agent's reads, as far as is known: that of the live model, else one that is kept, and of
        these rather one that has all memories.
        """
        spaces = self._told.get(agent_id, _NOTHING_TOLD)
        kept = (
            model for complete in (True, False) for model, space in spaces.kept.items() if space.complete is complete
        )
        named = (spaces.live,) if spaces.live is not None else ()
        has = (model for model in (*named, *kept) if self._has(model, spaces))
        return self._by_model[next(has, self.first.model)]

    def writing(self, agent_id: str) -> tuple[CachedEmbedder, ...]:
        """The embedders for the agent's writes, as far as is known: of all its models that this process has."""
        models = self._told.get(agent_id, _NOTHING_TOLD).models
        return tuple(each for model, each in self._by_model.items() if model in models) or (self.first,)

    def lacking(self, agent_id: str) -> str | None:
        """The agent's live model, if this process does not have it."""
        spaces = self._told.get(agent_id, _NOTHING_TOLD)
        return spaces.live if spaces.live is not None and not self._has(spaces.live, spaces) else None

    def _has(self, model: str, spaces: EmbeddingSpaces) -> bool:
        """Whether there is an embedder of a model, whose vectors can be compared with those that are kept."""
        if model not in self._by_model:
            return False
        return model not in spaces.kept or spaces.kept[model].dimension == self._by_model[model].dimension

    def forget(self, texts: Sequence[str]) -> None:
        """Drops texts from every cache."""
        for embedder in self:
            embedder.forget(texts)

    def drop(self, held: Callable[[str], bool]) -> None:
        """Drops every text that holds something erased from every cache."""
        for embedder in self:
            embedder.drop(held)

    def close(self) -> None:
        """Lets go of the threads of all."""
        for embedder in self:
            embedder.close()
