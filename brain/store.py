"""The store of memories: remember, get, update, supersede. All in the tenant's own transactions."""

from __future__ import annotations

import hashlib
import json
from collections.abc import Awaitable, Callable, Iterator, Mapping, Sequence
from dataclasses import replace
from datetime import UTC, datetime
from functools import partial
from typing import Any
from uuid import UUID, uuid4

import numpy as np

from brain import archive, memory_rows, redacting
from brain.archive import ArchivedMemory, MemoryMetadata
from brain.embedding.embedders import Embedders
from brain.errors import StoreError, UnknownMemory
from brain.indexing import IndexedPassage, passages, texts
from brain.languages import AgentLanguages
from brain.memory_rows import SQL, PreparedMemory
from brain.postgres.database import Connection, Database
from brain.postgres.wire_types import as_value
from brain.redacting import UNREDACTED, Redactor
from brain.types import Memory, MemoryType, NewMemory, Revision, Vector

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
)
MAX_TRIES = 50  # of a write that others overtake
BATCH = 256  # memories per transaction: large enough to amortise a commit, small enough to show progress

Progress = Callable[[int, int], None]
Work = Callable[
    [list[PreparedMemory], Connection], Awaitable[bool]
]  # in a transaction; False if it is to be prepared again


class MemoryStore:
    """Memories of all agents, each agent's seen by itself only."""

    def __init__(
        self,
        database: Database,
        embedders: Embedders,
        redactor: Redactor = UNREDACTED,
        languages: AgentLanguages | None = None,
    ) -> None:
        self._database = database
        self._embedders = embedders
        self._redactor = redactor
        self._languages = languages if languages is not None else AgentLanguages()

    async def remember(
        self, agent_id: str, memories: Sequence[NewMemory], *, now: datetime, progress: Progress | None = None
    ) -> list[UUID]:
        """Stores memories in batches, each in one transaction, and returns their ids in order.

        A memory that exists already (see `NewMemory`) is not stored again: its id stands in its place. `progress` is
        called with (done, total) after each batch.

        Raises:
            UnknownMemory: a `supersedes` that this agent does not have; its batch is not written.
            EmbeddingError: a text has no vector; its batch is not written.
        """
        ids: list[UUID] = []
        for start in range(0, len(memories), BATCH):
            batch = await self._redacted(memories[start : start + BATCH])
            ids += await self._remember_batch(agent_id, batch, now, partial(self._write_batch, agent_id))
            if progress is not None:
                progress(len(ids), len(memories))
        return ids

    async def restore(self, agent_id: str, archived: Sequence[ArchivedMemory], *, now: datetime) -> list[UUID]:
        """Stores memories as they were elsewhere, with their ids and all that is kept of them, and returns the ids that
        they have here: one that exists already stays as it is.
        """
        ids: list[UUID] = []
        for start in range(0, len(archived), BATCH):
            batch = await self._redactor.run(partial(archive.redacted, archived[start : start + BATCH]))
            kept = {identity(each.memory): each.kept for each in reversed(batch)}
            work = partial(self._write_kept, agent_id, kept)
            ids += await self._remember_batch(agent_id, [each.memory for each in batch], now, work)
        return ids

    async def _write_kept(
        self, agent_id: str, kept: Mapping[bytes, MemoryMetadata], prepared: list[PreparedMemory], c: Connection
    ) -> bool:
        whole = [replace(item, id=kept[item.identity].id, kept=kept[item.identity]) for item in prepared]
        return await memory_rows.write(c, agent_id, whole, self._embedders, self._languages)

    async def remember_of_turn(
        self, agent_id: str, turn_id: str, memories: Sequence[NewMemory], *, now: datetime, read_at: datetime
    ) -> None:
        """Stores what was made of a recorded turn, like `remember`; nothing, if something of the agent's was erased
        since the turn was read, by the clock of the database: its words may be among these.
        """
        for start in range(0, len(memories), BATCH):
            batch = {identity(memory): memory for memory in await self._redacted(memories[start : start + BATCH])}
            known = await self._existing(agent_id, list(batch))
            fresh = {key: each for key, each in batch.items() if key not in known}
            await self._write(agent_id, fresh, now, partial(self._write_of_turn, agent_id, turn_id, read_at))

    async def _write_of_turn(
        self, agent_id: str, turn_id: str, read_at: datetime, prepared: list[PreparedMemory], c: Connection
    ) -> bool:
        await memory_rows.share_agent(c, agent_id)
        wanted = await c.fetchval(*SQL.has_turn(agent_id=agent_id, turn_id=turn_id, read_at=read_at))
        return not wanted or await memory_rows.write(c, agent_id, prepared, self._embedders, self._languages)

    async def _remember_batch(self, agent_id: str, batch: Sequence[NewMemory], now: datetime, work: Work) -> list[UUID]:
        identities = [identity(memory) for memory in batch]
        known = await self._existing(agent_id, identities)
        fresh: dict[bytes, NewMemory] = {}
        for key, memory in zip(identities, batch, strict=True):
            if key not in known:
                fresh.setdefault(key, memory)
        if fresh:
            await self._write(agent_id, fresh, now, work)
            known = await self._existing(agent_id, identities)
        return [known[key] for key in identities]

    async def _write_batch(self, agent_id: str, prepared: list[PreparedMemory], c: Connection) -> bool:
        return await memory_rows.write(c, agent_id, prepared, self._embedders, self._languages)

    async def _write(self, agent_id: str, fresh: Mapping[bytes, NewMemory], now: datetime, work: Work) -> None:
        """Prepares memories and writes them; once more, if the agent's models or languages have changed meanwhile."""
        for _ in range(MAX_TRIES if fresh else 0):
            prepared = await self._prepare(agent_id, fresh, now)
            if await self._database.run(agent_id, partial(work, prepared)):
                return

    async def _redacted(self, memories: Sequence[NewMemory]) -> list[NewMemory]:
        return await self._redactor.run(lambda redact: [redacting.memory(memory, redact) for memory in memories])

    async def _existing(self, agent_id: str, identities: list[bytes]) -> dict[bytes, UUID]:
        rows = await self._database.run(
            agent_id, lambda c: c.fetch(*SQL.existing_identities(agent_id=agent_id, identities=identities))
        )
        return {row["identity"]: row["id"] for row in rows}

    async def _prepare(self, agent_id: str, fresh: Mapping[bytes, NewMemory], now: datetime) -> list[PreparedMemory]:
        indexed = {key: self._indexed(agent_id, memory, memory.occurred_at or now) for key, memory in fresh.items()}
        vectors = await self._vectors(agent_id, [piece for pieces in indexed.values() for piece in pieces])
        return [
            PreparedMemory(
                uuid4(),
                key,
                memory,
                memory.occurred_at or now,
                indexed[key],
                {model: [next(each) for _ in texts(indexed[key])] for model, each in vectors.items()},
            )
            for key, memory in fresh.items()
        ]

    def _indexed(self, agent_id: str, memory: NewMemory, occurred_at: datetime) -> list[IndexedPassage]:
        languages = self._languages.of(agent_id).written
        return passages(memory.content, memory.speaker, memory.context, occurred_at, languages)

    async def _vectors(
        self, agent_id: str, pieces: list[IndexedPassage]
    ) -> dict[str, Iterator[tuple[int, str, Vector]]]:
        """By each model that the agent's writes go to: ordinal, field, vector of each text."""
        wanted, embedded = texts(pieces), {}
        for embedder in self._embedders.writing(agent_id):
            vectors = await embedder.embed([text for _, _, text in wanted])
            pairs = zip(wanted, vectors, strict=True)
            embedded[embedder.model] = iter([(ordinal, field, vector) for (ordinal, field, _), vector in pairs])
        return embedded

    async def get(self, agent_id: str, ids: Sequence[UUID]) -> list[Memory]:
        """The memories of these ids, in the order asked; ids that do not exist are left out."""
        rows = await self._database.run(
            agent_id, lambda c: c.fetch(*SQL.get_memories(agent_id=agent_id, memory_ids=list(ids)))
        )
        found = {row["id"]: as_value(Memory, row) for row in rows}
        return [found[id] for id in ids if id in found]

    async def find_by_source(self, agent_id: str, type_: MemoryType, sources: Sequence[str]) -> list[Memory]:
        """The memories of a type that were stored under these sources, oldest first."""
        identities = [_identity_by_source(type_, source) for source in sources]
        return await self.get(agent_id, list((await self._existing(agent_id, identities)).values()))

    async def find_by_tags(self, agent_id: str, tags: Sequence[str], limit: int, offset: int = 0) -> list[Memory]:
        """A page of the memories that have all of these tags, oldest first."""
        rows = await self._database.run(
            agent_id,
            lambda c: c.fetch(*SQL.tagged_memories(agent_id=agent_id, tags=list(tags), limit=limit, offset=offset)),
        )
        return [as_value(Memory, row) for row in rows]

    async def pinned(self, agent_id: str) -> list[Memory]:
        """The agent's pinned memories that nothing has superseded, oldest first."""
        return [
            as_value(Memory, row)
            for row in await self._database.run(agent_id, lambda c: c.fetch(*SQL.pinned_memories(agent_id=agent_id)))
        ]

    async def update(self, agent_id: str, id: UUID, change: Callable[[Memory], NewMemory]) -> Memory:
        """Replaces what a memory says by `change` of it, and indexes it anew; id, order, session and source stay.

        If it was changed by somebody else meanwhile, `change` is applied to that.

        Raises:
            UnknownMemory: this agent has no such memory.
            InvalidInput: another memory says that already.
        """
        for _ in range(MAX_TRIES):
            if await self._update_once(agent_id, id, change):
                return (await self.get(agent_id, [id]))[0]
        raise StoreError(f"memory {id} was changed by others {MAX_TRIES} times in a row")

    async def _update_once(self, agent_id: str, id: UUID, change: Callable[[Memory], NewMemory]) -> bool:
        row = await self._database.run(
            agent_id, lambda c: c.fetchrow(*SQL.versioned_memory(agent_id=agent_id, memory_id=id))
        )
        if row is None:
            raise UnknownMemory(f"agent {agent_id!r} has no memory {id}")
        found = as_value(Memory, row)
        [changed] = await self._redacted([change(found)])
        occurred_at = changed.occurred_at or found.occurred_at
        pieces = self._indexed(agent_id, changed, occurred_at)
        vectors = {model: list(each) for model, each in (await self._vectors(agent_id, pieces)).items()}
        prepared = PreparedMemory(id, identity(changed), changed, occurred_at, pieces, vectors)
        was = _replaced(found, changed, occurred_at)
        rewritten = await self._database.run(
            agent_id,
            lambda c: memory_rows.rewrite(c, agent_id, prepared, row["version"], was, self._embedders, self._languages),
        )
        if rewritten:
            old = passages(found.content, found.speaker, found.context, found.occurred_at)
            self._embedders.forget([text for _, _, text in texts(old)])
        return rewritten

    async def revisions(self, agent_id: str, id: UUID) -> list[Revision]:
        """The changes of a memory, the latest first: the last `memory_rows.MAX_REVISIONS` of them.

        Raises:
            UnknownMemory: this agent has no such memory.
        """
        rows = await self._database.run(agent_id, lambda c: c.fetch(*SQL.revisions(agent_id=agent_id, memory_id=id)))
        if not rows:
            raise UnknownMemory(f"agent {agent_id!r} has no memory {id}")
        return [as_value(Revision, row) for row in rows if row["number"] is not None]


def identity(memory: NewMemory) -> bytes:
    """What makes two memories the same: (type, source), or without a source (type, speaker, session, time, content)."""
    if memory.source is not None:
        return _identity_by_source(memory.type, memory.source)
    occurred_at = memory.occurred_at.astimezone(UTC).isoformat() if memory.occurred_at else None
    return _digest(["content", memory.type, memory.speaker, memory.session_id, occurred_at, memory.content])


def _identity_by_source(type_: MemoryType, source: str) -> bytes:
    return _digest(["source", type_, source])


def _digest(parts: Sequence[str | None]) -> bytes:
    return hashlib.sha256(json.dumps(parts, ensure_ascii=False).encode()).digest()


def _replaced(found: Memory, changed: NewMemory, occurred_at: datetime) -> dict[str, Any]:
    """The fields of a stored memory that a change replaces, as JSON holds them."""
    new = {**{name: getattr(changed, name) for name in _CHANGEABLE}, "occurred_at": occurred_at}
    old = {name: getattr(found, name) for name in _CHANGEABLE}
    was = {name: value for name, value in old.items() if _comparable(value) != _comparable(new[name])}
    return {name: value.isoformat() if isinstance(value, datetime) else value for name, value in was.items()}


def _comparable(value: Any) -> Any:
    """The value as it comes back from the store: tags as a list, a confidence in single precision."""
    if isinstance(value, float):
        return float(np.float32(value))
    return list(value) if isinstance(value, tuple) else value
