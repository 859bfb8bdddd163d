"""The store of memories: remember, get, update, supersede, forget. All in the tenant's own transactions."""

from __future__ import annotations

import hashlib
import json
from collections.abc import Callable, Iterable, Sequence
from dataclasses import dataclass
from datetime import UTC, datetime
from typing import Any
from uuid import UUID, uuid4

from brain import statements
from brain.database import Connection, Database, encode_halfvec
from brain.embedding.cached import CachedEmbedder
from brain.errors import UnknownMemory
from brain.indexing import IndexedPassage, passages
from brain.types import Memory, NewMemory, Receipt, Vector

SQL = statements.load("store")
BATCH = 256  # memories per transaction: large enough to amortise a commit, small enough to show progress

Progress = Callable[[int, int], None]


@dataclass(frozen=True, slots=True)
class _Prepared:
    """A memory ready to be written: indexed, embedded, with the id it gets if it is new."""

    id: UUID
    identity: bytes
    memory: NewMemory
    occurred_at: datetime
    passages: list[IndexedPassage]
    vectors: list[tuple[int, str, Vector]]  # (ordinal, field, vector)


class MemoryStore:
    """Memories of all agents, each agent's seen by itself only."""

    def __init__(self, database: Database, embedder: CachedEmbedder) -> None:
        self._database = database
        self._embedder = embedder

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
            ids += await self._remember_batch(agent_id, memories[start : start + BATCH], now)
            if progress is not None:
                progress(len(ids), len(memories))
        return ids

    async def _remember_batch(self, agent_id: str, batch: Sequence[NewMemory], now: datetime) -> list[UUID]:
        identities = [identity(memory) for memory in batch]
        known = await self._existing(agent_id, identities)
        fresh: dict[bytes, NewMemory] = {}
        for key, memory in zip(identities, batch, strict=True):
            if key not in known:
                fresh.setdefault(key, memory)
        prepared = await self._prepare(fresh, now)
        if prepared:
            await self._database.run(agent_id, lambda c: _write(c, agent_id, prepared, self._embedder))
            known = await self._existing(agent_id, identities)
        return [known[key] for key in identities]

    async def _existing(self, agent_id: str, identities: list[bytes]) -> dict[bytes, UUID]:
        rows = await self._database.run(agent_id, lambda c: c.fetch(SQL["existing_identities"], agent_id, identities))
        return {row["identity"]: row["id"] for row in rows}

    async def _prepare(self, fresh: dict[bytes, NewMemory], now: datetime) -> list[_Prepared]:
        indexed = {key: _indexed(memory, memory.occurred_at or now) for key, memory in fresh.items()}
        vectors = await self._vectors([piece for pieces in indexed.values() for piece in pieces])
        return [
            _Prepared(
                uuid4(),
                key,
                memory,
                memory.occurred_at or now,
                indexed[key],
                [next(vectors) for _ in _texts(indexed[key])],
            )
            for key, memory in fresh.items()
        ]

    async def _vectors(self, pieces: list[IndexedPassage]) -> Any:
        texts = list(_texts(pieces))
        vectors = await self._embedder.embed([text for _, _, text in texts])
        return iter([(ordinal, field, vector) for (ordinal, field, _), vector in zip(texts, vectors, strict=True)])

    async def get(self, agent_id: str, ids: Sequence[UUID]) -> list[Memory]:
        """The memories of these ids, in the order asked; ids that do not exist are left out."""
        rows = await self._database.run(agent_id, lambda c: c.fetch(SQL["get_memories"], agent_id, list(ids)))
        found = {row["id"]: _memory(row) for row in rows}
        return [found[id] for id in ids if id in found]

    async def pinned(self, agent_id: str) -> list[Memory]:
        """The agent's pinned memories that nothing has superseded, oldest first."""
        return [
            _memory(row)
            for row in await self._database.run(agent_id, lambda c: c.fetch(SQL["pinned_memories"], agent_id))
        ]

    async def update(self, agent_id: str, id: UUID, changed: NewMemory) -> Memory:
        """Replaces what a memory says, and indexes it anew; id, order, session and source stay.

        Raises:
            UnknownMemory: this agent has no such memory.
        """
        found = await self.get(agent_id, [id])
        if not found:
            raise UnknownMemory(f"agent {agent_id!r} has no memory {id}")
        occurred_at = changed.occurred_at or found[0].occurred_at
        pieces = _indexed(changed, occurred_at)
        vectors = list(await self._vectors(pieces))
        prepared = _Prepared(id, identity(changed), changed, occurred_at, pieces, vectors)
        await self._database.run(agent_id, lambda c: _rewrite(c, agent_id, prepared, self._embedder))
        return (await self.get(agent_id, [id]))[0]

    async def forget(self, agent_id: str, ids: Sequence[UUID]) -> Receipt:
        """Erases memories with every index entry, vector, count and exposure of them, in one transaction.

        Raises:
            UnknownMemory: an id that this agent does not have; nothing is erased.
        """
        wanted = list(dict.fromkeys(ids))
        memories = await self.get(agent_id, wanted)
        receipt = await self._database.run(agent_id, lambda c: _erase(c, agent_id, wanted))
        for memory in memories:
            pieces = passages(memory.content, memory.speaker, memory.context, memory.occurred_at)
            self._embedder.forget([text for _, _, text in _texts(pieces)])
        return receipt

    async def erase_agent(self, agent_id: str) -> Receipt:
        """Erases everything this agent ever had here: memories, turns, sessions, counts. Idempotent."""

        async def work(c: Connection) -> tuple[Any, Sequence[Any]]:
            rows, texts = await c.fetchrow(SQL["agent_rows"], agent_id), await c.fetch(SQL["agent_texts"], agent_id)
            await c.execute(SQL["erase_agent"], agent_id)
            return rows, texts

        rows, texts = await self._database.run(agent_id, work)
        for row in texts:
            self._embedder.forget([text for _, _, text in _texts(passages(*row))])
        return Receipt(agent_id, **dict(rows))


def identity(memory: NewMemory) -> bytes:
    """What makes two memories the same: (type, source), or without a source (type, speaker, session, time, content)."""
    occurred_at = memory.occurred_at.astimezone(UTC).isoformat() if memory.occurred_at else None
    parts = (
        ["source", memory.type, memory.source]
        if memory.source is not None
        else ["content", memory.type, memory.speaker, memory.session_id, occurred_at, memory.content]
    )
    return hashlib.sha256(json.dumps(parts, ensure_ascii=False).encode()).digest()


def _indexed(memory: NewMemory, occurred_at: datetime) -> list[IndexedPassage]:
    return passages(memory.content, memory.speaker, memory.context, occurred_at)


def _texts(pieces: Iterable[IndexedPassage]) -> list[tuple[int, str, str]]:
    texts = []
    for piece in pieces:
        texts.append((piece.ordinal, "said", piece.said_text))
        if piece.around_text is not None:
            texts.append((piece.ordinal, "around", piece.around_text))
    return texts


def _memory(row: Any) -> Memory:
    return Memory(**{**dict(row), "tags": tuple(row["tags"]), "entities": tuple(row["entities"])})


async def _write(c: Connection, agent_id: str, prepared: list[_Prepared], embedder: CachedEmbedder) -> None:
    corpus = await c.fetchrow(SQL["lock_corpus"], agent_id)
    await _check_superseded(c, agent_id, prepared)
    stored = await _insert_memories(c, agent_id, prepared, corpus["next_seq"])
    written = [item for item in prepared if item.id in stored]
    sessions, opened = await _touch_sessions(c, agent_id, written, corpus["next_session"])
    await _insert_index(c, agent_id, written, sessions, embedder)
    superseding = [item for item in written if item.memory.supersedes is not None]
    if superseding:
        await c.execute(
            SQL["mark_superseded"],
            agent_id,
            [item.id for item in superseding],
            [item.memory.supersedes for item in superseding],
        )
    pieces = [piece for item in written for piece in item.passages]
    await c.execute(
        SQL["grow_corpus"],
        agent_id,
        len(prepared),
        opened,
        len(written),
        len(pieces),
        opened,
        sum(piece.said_length for piece in pieces),
        sum(piece.around_length for piece in pieces),
    )


async def _check_superseded(c: Connection, agent_id: str, prepared: list[_Prepared]) -> None:
    named = {item.memory.supersedes for item in prepared if item.memory.supersedes is not None}
    known = {row["id"] for row in await c.fetch(SQL["known_ids"], agent_id, list(named))} if named else set()
    for missing in sorted(named - known, key=str):
        raise UnknownMemory(f"supersedes names {missing}, which agent {agent_id!r} does not have")


async def _insert_memories(c: Connection, agent_id: str, prepared: list[_Prepared], next_seq: int) -> set[UUID]:
    memories = [item.memory for item in prepared]
    rows = await c.fetch(
        SQL["insert_memories"], agent_id,
        [item.id for item in prepared], [next_seq + n for n in range(len(prepared))],
        [item.identity for item in prepared], [m.type for m in memories], [m.content for m in memories],
        [m.speaker for m in memories], [m.context for m in memories], [item.occurred_at for item in prepared],
        [m.session_id for m in memories], [m.source for m in memories],
        [{"tags": m.tags, "entities": m.entities} for m in memories], [m.confidence for m in memories],
        [m.pinned for m in memories], [m.supersedes for m in memories], [dict(m.attributes) for m in memories],
    )  # fmt: skip
    return {row["id"] for row in rows}


async def _touch_sessions(
    c: Connection, agent_id: str, written: list[_Prepared], next_session: int, *, new: bool = True
) -> tuple[dict[str, int], int]:
    """Numbers of the sessions these memories belong to, and how many of them were opened by this."""
    touched: dict[str, list[_Prepared]] = {}
    for item in written:
        if item.memory.session_id is not None:
            touched.setdefault(item.memory.session_id, []).append(item)
    if not touched:
        return {}, 0
    known = {row["session_id"]: row["no"] for row in await c.fetch(SQL["session_numbers"], agent_id, list(touched))}
    opened = [session for session in touched if session not in known]
    numbers = known | {session: next_session + n for n, session in enumerate(opened)}
    groups = list(touched.values())
    await c.fetch(
        SQL["touch_sessions"], agent_id, list(touched), [numbers[session] for session in touched],
        [len(group) * new for group in groups],
        [sum(piece.said_length for item in group for piece in item.passages) for group in groups],
        [min(item.occurred_at for item in group) for group in groups],
        [max(item.occurred_at for item in group) for group in groups],
    )  # fmt: skip
    return numbers, len(opened)


async def _insert_index(
    c: Connection, agent_id: str, written: list[_Prepared], sessions: dict[str, int], embedder: CachedEmbedder
) -> None:
    pieces = [(item, piece) for item in written for piece in item.passages]
    await c.execute(
        SQL["insert_passages"], agent_id,
        [item.id for item, _ in pieces], [piece.ordinal for _, piece in pieces],
        [piece.start for _, piece in pieces], [piece.stop for _, piece in pieces],
        [piece.said_length for _, piece in pieces], [piece.around_length for _, piece in pieces],
        [" ".join(piece.around) for _, piece in pieces],
    )  # fmt: skip
    postings = [(item, piece, lexeme) for item, piece in pieces for lexeme in piece.around]
    await c.execute(
        SQL["insert_postings"], agent_id,
        [lexeme for _, _, lexeme in postings], [item.id for item, _, _ in postings],
        [piece.ordinal for _, piece, _ in postings], [item.memory.type for item, _, _ in postings],
        [sessions.get(item.memory.session_id or "") for item, _, _ in postings],
        [piece.said.get(lexeme, 0) for _, piece, lexeme in postings],
        [piece.around[lexeme] for _, piece, lexeme in postings],
        [piece.said_length for _, piece, _ in postings], [piece.around_length for _, piece, _ in postings],
    )  # fmt: skip
    vectors = [(item, *vector) for item in written for vector in item.vectors]
    await c.execute(
        SQL["insert_embeddings"], agent_id,
        [item.id for item, *_ in vectors], [ordinal for _, ordinal, _, _ in vectors],
        [field for _, _, field, _ in vectors], [item.memory.type for item, *_ in vectors],
        embedder.model, embedder.dimension, [encode_halfvec(vector) for *_, vector in vectors],
    )  # fmt: skip


async def _rewrite(c: Connection, agent_id: str, item: _Prepared, embedder: CachedEmbedder) -> None:
    await c.fetchrow(SQL["lock_corpus"], agent_id)
    await c.execute(SQL["delete_postings"], agent_id, [item.id])
    gone = await c.fetchrow(SQL["delete_passages"], agent_id, [item.id])
    await c.execute(SQL["delete_embeddings"], agent_id, [item.id])
    memory = item.memory
    await c.execute(
        SQL["replace_memory"], agent_id, item.id, memory.content, memory.speaker, memory.context, item.occurred_at,
        list(memory.tags), list(memory.entities), memory.confidence, memory.pinned, dict(memory.attributes),
    )  # fmt: skip
    sessions, _ = await _touch_sessions(c, agent_id, [item], 0, new=False)
    await _insert_index(c, agent_id, [item], sessions, embedder)
    await c.execute(
        SQL["grow_corpus"], agent_id, 0, 0, 0, len(item.passages) - gone["passages"], 0,
        sum(piece.said_length for piece in item.passages) - gone["said_lexemes"],
        sum(piece.around_length for piece in item.passages) - gone["around_lexemes"],
    )  # fmt: skip


async def _erase(c: Connection, agent_id: str, ids: list[UUID]) -> Receipt:
    await c.fetchrow(SQL["lock_corpus"], agent_id)
    known = {row["id"] for row in await c.fetch(SQL["known_ids"], agent_id, ids)}
    for id in ids:
        if id not in known:
            raise UnknownMemory(f"agent {agent_id!r} has no memory {id}")
    postings = count(await c.execute(SQL["delete_postings"], agent_id, ids))
    gone = await c.fetchrow(SQL["delete_passages"], agent_id, ids)
    embeddings = count(await c.execute(SQL["delete_embeddings"], agent_id, ids))
    usage = count(await c.execute(SQL["delete_usage"], agent_id, ids))
    exposures = count(await c.execute(SQL["delete_exposures"], agent_id, ids))
    memories = await c.fetchval(SQL["delete_memories"], agent_id, ids)
    await c.execute(SQL["clear_pointers"], agent_id, ids)
    await c.execute(
        SQL["grow_corpus"], agent_id, 0, 0, -memories, -gone["passages"], 0,
        -gone["said_lexemes"], -gone["around_lexemes"],
    )  # fmt: skip
    return Receipt(agent_id, memories, gone["passages"], embeddings, postings, exposures, usage)


def count(tag: str) -> int:
    """The number of rows in a command tag such as 'DELETE 3'."""
    return int(tag.rsplit(" ", 1)[-1])
