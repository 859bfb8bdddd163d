"""The embedders of a process, and which of them an agent's reads and writes use: what the database names, not what the
process happens to have.

Each model is a space of its own, whose vectors are compared with each other only. A process that lacks the live model
reads by another one that is kept, and says so; it never reads by two.
"""

from __future__ import annotations

from collections import OrderedDict
from collections.abc import Callable, Iterator, Mapping, Sequence
from dataclasses import dataclass, field
from typing import Any, Self

from brain.embedding.cached import CachedEmbedder
from brain.errors import EmbeddingError

_MOST_AGENTS = 10_000  # whose models are remembered; of another one the first read asks twice


@dataclass(frozen=True, slots=True)
class Space:
    """What is kept of a model: how many numbers its vectors have, and whether every memory has had them once."""

    dimension: int
    complete: bool


@dataclass(frozen=True, slots=True)
class Spaces:
    """An agent's models: `live` is the one that its reads use, None while nothing is stored; `kept` are those that its
    writes go to.
    """

    live: str | None = None
    kept: Mapping[str, Space] = field(default_factory=dict)

    @classmethod
    def of(cls, live: str | None, kept: Sequence[Any] | None) -> Self:
        """From what a statement returns: rows of model, dimension, complete."""
        return cls(live, {model: Space(dimension, complete) for model, dimension, complete in kept or ()})

    @property
    def models(self) -> frozenset[str]:
        """All of them."""
        return frozenset(self.kept) | ({self.live} if self.live is not None else frozenset())


_NOTHING_TOLD = Spaces()


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
        self._told: OrderedDict[str, Spaces] = OrderedDict()

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

    def told(self, agent_id: str, spaces: Spaces) -> None:
        """Takes note of what the database names for an agent."""
        self._told[agent_id] = spaces
        self._told.move_to_end(agent_id)
        while len(self._told) > _MOST_AGENTS:
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

    def _has(self, model: str, spaces: Spaces) -> bool:
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
