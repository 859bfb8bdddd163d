"""The store of memories: remember, get, update and supersede them. Each transaction is limited to one agent."""

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

from brain import archive, filter_sql, memory_rows, redacting
from brain.archive import ArchivedMemory, MemoryMetadata
from brain.claims import claim_key
from brain.embedding.embedders import Embedders
from brain.errors import StoreError, UnknownMemory
from brain.filters import NO_FILTER, MemoryFilter
from brain.indexing import IndexedPassage, passages, surroundings, texts
from brain.languages import AgentLanguages
from brain.memory_rows import SQL, PreparedMemory
from brain.postgres.database import Connection, Database, T
from brain.postgres.database import Work as WorkOf
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
    "metadata",
    "expires_at",
)
MAX_TRIES = 50  # attempts of a write, each repeated because another write came first
BATCH = 256  # memories per transaction: large enough to amortise a commit, small enough to show progress

Progress = Callable[[int, int], None]
# Write prepared memories in a transaction; return False if they must be prepared again.
Work = Callable[[list[PreparedMemory], Connection], Awaitable[bool]]


class MemoryStore:
    """Stores and reads the memories of all agents; an agent sees only its own.

    `on_growth(agent_id)` is called after a write if the agent's language must be recognised again.
    """

    def __init__(
        self,
        database: Database | _UserView,
        embedders: Embedders,
        redactor: Redactor = UNREDACTED,
        languages: AgentLanguages | None = None,
        on_growth: Callable[[str], object] = lambda agent_id: None,
    ) -> None:
        self._database = database
        self._embedders = embedders
        self._redactor = redactor
        self._languages = languages if languages is not None else AgentLanguages()
        self._on_growth = on_growth

    def of_user(self, user_id: str) -> MemoryStore:
        """Return this store in the view of a user; '' is the view without a user."""
        assert isinstance(self._database, Database)
        view = _UserView(self._database, user_id)
        return MemoryStore(view, self._embedders, self._redactor, self._languages, self._on_growth)

    async def remember(
        self, agent_id: str, memories: Sequence[NewMemory], *, now: datetime, progress: Progress | None = None
    ) -> list[UUID]:
        """Store memories in batches, each in one transaction, and return their ids in order.

        A memory that exists already (see `NewMemory`) is not stored again, and the existing id is returned. `progress`
        is called with (done, total) after each batch.

        Raises:
            UnknownMemory: the agent has no memory with the id in `supersedes`; the batch is not written.
            EmbeddingError: a text could not be embedded; the batch is not written.
        """
        ids: list[UUID] = []
        for start in range(0, len(memories), BATCH):
            batch = await self._redacted(memories[start : start + BATCH])
            ids += await self._remember_batch(agent_id, batch, now, partial(self._write_batch, agent_id))
            if progress is not None:
                progress(len(ids), len(memories))
        return ids

    async def restore(self, agent_id: str, archived: Sequence[ArchivedMemory], *, now: datetime) -> list[UUID]:
        """Store exported memories with their ids and metadata, and return their ids in this store.

        A memory that the agent has already stays unchanged, and its existing id is returned.

        Raises:
            UnknownMemory: the agent has no memory with the id in `supersedes`; the batch is not written.
            EmbeddingError: a text could not be embedded; the batch is not written.
        """
        ids: list[UUID] = []
        for start in range(0, len(archived), BATCH):
            batch = await self._redactor.run(partial(archive.redacted, archived[start : start + BATCH]))
            metadata = {identity(each.memory): each.kept for each in reversed(batch)}
            work = partial(self._write_restored, agent_id, metadata)
            ids += await self._remember_batch(agent_id, [each.memory for each in batch], now, work)
        return ids

    async def _write_restored(
        self, agent_id: str, metadata: Mapping[bytes, MemoryMetadata], prepared: list[PreparedMemory], c: Connection
    ) -> bool:
        restored = [replace(item, id=metadata[item.identity].id, kept=metadata[item.identity]) for item in prepared]
        return await memory_rows.write(c, agent_id, restored, self._embedders, self._languages)

    async def remember_of_turn(
        self, agent_id: str, turn_id: str, memories: Sequence[NewMemory], *, now: datetime, read_at: datetime
    ) -> None:
        """Store memories that were extracted from a recorded turn, as `remember` does.

        `read_at` is the time when the turn was read, by the clock of the database. If a memory of the agent was erased
        after this time, nothing is stored, because the extracted texts may contain the erased one.
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
        valid = await c.fetchval(*SQL.has_turn(agent_id=agent_id, turn_id=turn_id, read_at=read_at))
        return not valid or await memory_rows.write(c, agent_id, prepared, self._embedders, self._languages)

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
        """Index memories and write them. Start again if the agent's embedding models or languages changed meanwhile."""
        for _ in range(MAX_TRIES if fresh else 0):
            prepared = await self._prepare(agent_id, fresh, now)
            if await self._database.run(agent_id, partial(work, prepared)):
                if self._languages.take_due(agent_id):
                    self._on_growth(agent_id)
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
                claim_key(memory.content, memory.speaker),
            )
            for key, memory in fresh.items()
        ]

    def _indexed(self, agent_id: str, memory: NewMemory, occurred_at: datetime) -> list[IndexedPassage]:
        languages = self._languages.of(agent_id).written
        return passages(memory.content, memory.speaker, _surroundings(memory), occurred_at, languages)

    async def _vectors(
        self, agent_id: str, pieces: list[IndexedPassage]
    ) -> dict[str, Iterator[tuple[int, str, Vector]]]:
        """Embed the texts of passages with each embedding model that the agent's new memories need.

        Returns (ordinal of the passage, field, vector) for each text, by model.
        """
        inputs, embedded = texts(pieces), {}
        for embedder in self._embedders.writing(agent_id):
            vectors = await embedder.embed([text for _, _, text in inputs])
            pairs = zip(inputs, vectors, strict=True)
            embedded[embedder.model] = iter([(ordinal, field, vector) for (ordinal, field, _), vector in pairs])
        return embedded

    async def get(self, agent_id: str, ids: Sequence[UUID]) -> list[Memory]:
        """Return the memories with these ids, in the same order; ids that do not exist are left out."""
        rows = await self._database.run(
            agent_id, lambda c: c.fetch(*SQL.get_memories(agent_id=agent_id, memory_ids=list(ids)))
        )
        memories = {row["id"]: as_value(Memory, row) for row in rows}
        return [memories[id] for id in ids if id in memories]

    async def find_by_source(self, agent_id: str, type_: MemoryType, sources: Sequence[str]) -> list[Memory]:
        """Return the memories of a type that were stored under these sources, oldest first."""
        identities = [_identity_by_source(type_, source) for source in sources]
        return await self.get(agent_id, list((await self._existing(agent_id, identities)).values()))

    async def find(self, agent_id: str, wanted: MemoryFilter, limit: int, offset: int = 0) -> list[Memory]:
        """Return a page of the memories that a filter admits, oldest first, with those that are hidden."""
        admitted = filter_sql.condition(wanted)
        statement = filter_sql.filled(SQL.find_memories, admitted.sql)
        bound = statement(agent_id=agent_id, limit=limit, offset=offset, **admitted.values)
        return [as_value(Memory, row) for row in await self._database.run(agent_id, lambda c: c.fetch(*bound))]

    async def pinned(self, agent_id: str, now: datetime, wanted: MemoryFilter = NO_FILTER) -> list[Memory]:
        """Return the pinned memories that a filter admits and that are visible at the time `now`, oldest first."""
        admitted = filter_sql.condition(wanted)
        statement = filter_sql.filled(SQL.pinned_memories, admitted.sql)
        bound = statement(agent_id=agent_id, now=now, **admitted.values)
        return [as_value(Memory, row) for row in await self._database.run(agent_id, lambda c: c.fetch(*bound))]

    async def update(self, agent_id: str, id: UUID, change: Callable[[Memory], NewMemory]) -> Memory:
        """Replace a memory by the result of `change`, index it again, and return it.

        The memory keeps its id, session, source and place in the order of memories. If another process changes it
        meanwhile, `change` is called again with the new state.

        Raises:
            UnknownMemory: the agent has no memory with this id.
            InvalidInput: another memory has the same content, speaker, session and time.
            StoreError: other processes changed the memory 50 times in a row.
        """
        for _ in range(MAX_TRIES):
            if await self._update_once(agent_id, id, change):
                return (await self.get(agent_id, [id]))[0]
        raise StoreError(f"memory {id} was changed by other processes {MAX_TRIES} times in a row; try again")

    async def _update_once(self, agent_id: str, id: UUID, change: Callable[[Memory], NewMemory]) -> bool:
        row = await self._database.run(
            agent_id, lambda c: c.fetchrow(*SQL.versioned_memory(agent_id=agent_id, memory_id=id))
        )
        if row is None:
            raise UnknownMemory(f"agent {agent_id!r} has no memory {id}")
        old = as_value(Memory, row)
        [changed] = await self._redacted([change(old)])
        occurred_at = changed.occurred_at or old.occurred_at
        pieces = self._indexed(agent_id, changed, occurred_at)
        vectors = {model: list(each) for model, each in (await self._vectors(agent_id, pieces)).items()}
        claim = claim_key(changed.content, changed.speaker)
        prepared = PreparedMemory(id, identity(changed), changed, occurred_at, pieces, vectors, claim)
        replaced = _replaced(old, changed, occurred_at)
        rewritten = await self._database.run(
            agent_id,
            lambda c: memory_rows.rewrite(
                c, agent_id, prepared, row["version"], replaced, self._embedders, self._languages
            ),
        )
        if rewritten:
            old_passages = passages(old.content, old.speaker, _surroundings(old), old.occurred_at)
            self._embedders.forget([text for _, _, text in texts(old_passages)])
        return rewritten

    async def revisions(self, agent_id: str, id: UUID) -> list[Revision]:
        """Return the last changes of a memory, at most `memory_rows.MAX_REVISIONS`, latest first.

        Raises:
            UnknownMemory: the agent has no memory with this id.
        """
        rows = await self._database.run(agent_id, lambda c: c.fetch(*SQL.revisions(agent_id=agent_id, memory_id=id)))
        if not rows:
            raise UnknownMemory(f"agent {agent_id!r} has no memory {id}")
        return [as_value(Revision, row) for row in rows if row["number"] is not None]


class _UserView:
    """Runs work in the view of one user."""

    def __init__(self, database: Database, user_id: str) -> None:
        self._database = database
        self._user_id = user_id

    async def run(self, agent_id: str, work: WorkOf[T]) -> T:
        """Run work as `Database.run` does, in the view of the user."""
        return await self._database.run(agent_id, work, user_id=self._user_id)


def _surroundings(memory: NewMemory | Memory) -> str:
    return surroundings(memory.type, memory.context, memory.entities, memory.attributes)


def identity(memory: NewMemory) -> bytes:
    """Return a digest that identifies a memory of an agent: equal digests mean the same memory.

    It is the SHA-256 of the type and source or, if there is no source, of the type, speaker, session, time and content.
    """
    if memory.source is not None:
        return _identity_by_source(memory.type, memory.source)
    occurred_at = memory.occurred_at.astimezone(UTC).isoformat() if memory.occurred_at else None
    return _digest(["content", memory.type, memory.speaker, memory.session_id, occurred_at, memory.content])


def _identity_by_source(type_: MemoryType, source: str) -> bytes:
    return _digest(["source", type_, source])


def _digest(parts: Sequence[str | None]) -> bytes:
    return hashlib.sha256(json.dumps(parts, ensure_ascii=False).encode()).digest()


def _replaced(memory: Memory, changed: NewMemory, occurred_at: datetime) -> dict[str, Any]:
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
