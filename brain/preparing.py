"""Prepare memories before they are written: identify them, cut them into passages, embed these.

None of this needs a transaction. The writer checks in its transaction that the agent still has the same embedding
models and languages.
"""

from __future__ import annotations

import hashlib
import json
from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from datetime import UTC, datetime
from itertools import chain
from typing import Any
from uuid import UUID, uuid4

import numpy as np

from brain.archive import MemoryMetadata
from brain.claims import claim_key
from brain.embedding.embedders import CachedEmbedder, Embedders
from brain.indexing import IndexedPassage, PassageVector, passages, surroundings, texts, vectors
from brain.languages import AgentLanguages
from brain.types import Memory, MemoryType, NewMemory

_CHANGEABLE = (
    "content",
    "speaker",
    "context",
    "occurred_at",
    "tags",
    "entities",
    "confidence",
    "pinned",
    "attributes",
    "metadata",
    "expires_at",
)


@dataclass(frozen=True, slots=True)
class PreparedMemory:
    """A memory ready to be written, indexed and embedded.

    `claim` is the subject and attribute that the memory states (see `brain.claims`), None if none was recognised.
    `kept` has the metadata of an imported memory.
    """

    id: UUID
    identity: bytes
    memory: NewMemory
    occurred_at: datetime
    passages: list[IndexedPassage]
    vectors: Mapping[str, Sequence[PassageVector]]  # by model
    claim: str | None = None
    kept: MemoryMetadata | None = None


class Preparation:
    """Indexes and embeds memories, in the languages and with the embedding models that their agent uses."""

    def __init__(self, embedders: Embedders, languages: AgentLanguages) -> None:
        self._embedders = embedders
        self._languages = languages

    async def prepare(self, agent_id: str, memories: Mapping[bytes, NewMemory], now: datetime) -> list[PreparedMemory]:
        """Prepare memories, given by their identities. `now` is the time of those without `occurred_at`.

        Raises:
            EmbeddingError: a text could not be embedded.
        """
        indexed = [self._passages(agent_id, memory, memory.occurred_at or now) for memory in memories.values()]
        vectors = {each.model: await embedded(each, indexed) for each in self._embedders.writing(agent_id)}
        return [
            PreparedMemory(
                uuid4(),
                key,
                memory,
                memory.occurred_at or now,
                indexed[n],
                {model: each[n] for model, each in vectors.items()},
                claim_key(memory.content, memory.speaker),
            )
            for n, (key, memory) in enumerate(memories.items())
        ]

    def forget(self, memory: NewMemory | Memory, occurred_at: datetime) -> None:
        """Remove the texts of a memory from the embedders' caches."""
        old = passages(memory.content, memory.speaker, _surroundings(memory), occurred_at)
        self._embedders.forget(texts(old))

    def _passages(self, agent_id: str, memory: NewMemory, occurred_at: datetime) -> list[IndexedPassage]:
        languages = self._languages.of(agent_id).written
        return passages(memory.content, memory.speaker, _surroundings(memory), occurred_at, languages)


async def embedded(embedder: CachedEmbedder, indexed: Sequence[Sequence[IndexedPassage]]) -> list[list[PassageVector]]:
    """Embed the texts of memories, given by their passages, and return the vectors of each memory.

    Raises:
        EmbeddingError: a text could not be embedded.
    """
    inputs = texts(chain.from_iterable(indexed))
    by_text = dict(zip(inputs, await embedder.embed(inputs), strict=True))
    return [vectors(pieces, by_text) for pieces in indexed]


def _surroundings(memory: NewMemory | Memory) -> str:
    return surroundings(memory.type, memory.context, memory.entities, memory.attributes)


def identity(memory: NewMemory) -> bytes:
    """Return a digest that identifies a memory of an agent: equal digests mean the same memory.

    It is the SHA-256 of the type and source or, if there is no source, of the type, speaker, session, time and content.
    Several memories may be formed from one source; `formed_by` names the rule or model and the place in the source.
    """
    formed_by = memory.attributes.get("formed_by")
    if memory.source is not None and formed_by is not None:
        return _digest(["formed", memory.type, memory.source, formed_by])
    if memory.source is not None:
        return identity_by_source(memory.type, memory.source)
    occurred_at = memory.occurred_at.astimezone(UTC).isoformat() if memory.occurred_at else None
    return _digest(["content", memory.type, memory.speaker, memory.session_id, occurred_at, memory.content])


def identity_by_source(type_: MemoryType, source: str) -> bytes:
    """Return the identity of a memory that was stored under a source, and was not formed from it."""
    return _digest(["source", type_, source])


def _digest(parts: Sequence[str | None]) -> bytes:
    return hashlib.sha256(json.dumps(parts, ensure_ascii=False).encode()).digest()


def replaced_fields(memory: Memory, changed: NewMemory, occurred_at: datetime) -> dict[str, Any]:
    """Return the old values of the fields that a change gives another value, as JSON values."""
    new = {**{name: getattr(changed, name) for name in _CHANGEABLE}, "occurred_at": occurred_at}
    old = {name: getattr(memory, name) for name in _CHANGEABLE}
    replaced = {name: value for name, value in old.items() if _comparable(value) != _comparable(new[name])}
    return {name: value.isoformat() if isinstance(value, datetime) else value for name, value in replaced.items()}


def _comparable(value: Any) -> Any:
    """Return a value in the form in which Postgres returns it, to compare an old and a new value of a field.

    A tuple becomes a list, and a float is rounded to single precision.
    """
    if isinstance(value, float):
        return float(np.float32(value))
    return list(value) if isinstance(value, tuple) else value
