"""Embed memories and past turns that have no vectors of a model, while turns go on.

The work can be killed at any time and started again, and several workers can share it. Workers take memories in the
order of their ids. At the end they search for memories that still have no vectors: those written by processes without
the model, edited while they were embedded, or left by workers that died. A memory's vectors are stored only if the
memory has not changed since it was read; the lock of the agent's row excludes other writers meanwhile.
"""

from __future__ import annotations

import asyncio
from collections.abc import Callable, Iterable, Mapping, Sequence
from dataclasses import dataclass
from datetime import datetime
from itertools import chain
from time import monotonic
from typing import Any
from uuid import UUID

from brain import agent_rows, index_rows, statements
from brain.embedding.embedders import Embedders
from brain.errors import InvalidInput
from brain.indexing import IndexedPassage, PassageVector, passages, surroundings, texts
from brain.languages import ENGLISH
from brain.memory_rows import share_agent, share_users
from brain.ports import Progress
from brain.postgres.database import AllUsersView, Connection, Database
from brain.postgres.transaction import write_as
from brain.postgres.wire_types import as_value, count, encode_halfvec
from brain.preparing import embedded
from brain.types import MemoryType

SQL = statements.load("reembedding")


_START = UUID(int=0)
_MAX_CHARACTERS = 50_000  # characters per batch: about 60 passages, half a second for a small model
_MAX_PASSES = 20  # passes over remaining memories; a process that writes faster must have the model itself
_TURNS = 64  # turns per batch


@dataclass(frozen=True, slots=True)
class PendingMemory:
    """A memory that must be embedded or indexed again.

    Any change to its row in the database gives it another `version`.
    """

    id: UUID
    user_id: str
    type: MemoryType
    content: str
    speaker: str | None
    context: str
    entities: Sequence[str]
    attributes: Mapping[str, Any]
    occurred_at: datetime
    version: str
    session_number: int | None = None

    def passages(self, *languages: str) -> list[IndexedPassage]:
        """Return the memory's passages, indexed in these languages, English by default."""
        around = surroundings(self.type, self.context, self.entities, self.attributes)
        return passages(self.content, self.speaker, around, self.occurred_at, languages or (ENGLISH,))


@dataclass(frozen=True, slots=True)
class Pace:
    """The speed of a background worker: memories per batch, and the share of the time that it works."""

    batch: int = 64
    load: float = 0.5

    def __post_init__(self) -> None:
        if not 1 <= self.batch <= 1_000 or not 0 < self.load <= 1:
            raise InvalidInput(f"expected a batch of 1 to 1000 and a load in (0, 1], got {self.batch} and {self.load}")

    async def rest(self, worked: float) -> None:
        """Sleep after `worked` seconds of work, so that the worker is busy only for its share of the time."""
        await asyncio.sleep(worked * (1 - self.load) / self.load)


class Backfill:
    """Embeds existing memories and past turns with another model, which takes most of the time of a change of model."""

    def __init__(self, database: Database, embedders: Embedders) -> None:
        self._database = AllUsersView(database)
        self._embedders = embedders

    async def fill(
        self, agent_id: str, model: str, pace: Pace = Pace(), progress: Progress = lambda done, total: None
    ) -> int:
        """Embed every memory that has no vectors of a registered model, and return how many still have none.

        `progress` is called with the number of embedded memories and the number of all memories.

        Raises:
            EmbeddingError: this process does not have the model, or the model failed.
            InvalidInput: the model is not registered for the agent.
        """
        total = await self._database.run(agent_id, lambda c: c.fetchval(*SQL.memories(agent_id=agent_id)))
        lacking = await self._lacking(agent_id, model)
        done = total - lacking
        progress(done, total)
        while rows := await self._take(agent_id, model, pace.batch):
            done += await self._embed(agent_id, model, rows, pace)
            progress(min(done, total), total)
        for _ in range(_MAX_PASSES):
            if not (lacking := await self._lacking(agent_id, model)):
                await self._database.run(agent_id, lambda c: c.execute(*SQL.complete(agent_id=agent_id, model=model)))
                break
            await self._sweep(agent_id, model, pace)
        progress(total - lacking, total)
        return lacking

    async def _lacking(self, agent_id: str, model: str) -> int:
        return int(
            await self._database.run(agent_id, lambda c: c.fetchval(*SQL.lacking(agent_id=agent_id, model=model)))
        )

    async def _take(self, agent_id: str, model: str, batch: int) -> list[PendingMemory]:
        """Reserve the next memories for this worker and return them; return an empty list if none is left."""

        async def work(c: Connection) -> list[PendingMemory]:
            held = await c.fetchrow(*SQL.hold(agent_id=agent_id, model=model))
            if held is None:
                raise InvalidInput(f"{model} is not kept for agent {agent_id!r}")
            rows = _bounded(
                await c.fetch(
                    *SQL.next_lacking(agent_id=agent_id, model=model, after_id=held["last_memory_id"], limit=batch)
                )
            )
            if rows:
                await c.execute(*SQL.reach(agent_id=agent_id, model=model, memory_id=rows[-1].id))
            return rows

        return await self._database.run(agent_id, work)

    async def _sweep(self, agent_id: str, model: str, pace: Pace) -> None:
        """Embed all memories that still have no vectors, in one pass."""
        after = _START
        while rows := await self._after(agent_id, model, after, pace.batch):
            await self._embed(agent_id, model, rows, pace)
            after = rows[-1].id

    async def _after(self, agent_id: str, model: str, after: UUID, batch: int) -> list[PendingMemory]:
        rows = await self._database.run(
            agent_id, lambda c: c.fetch(*SQL.next_lacking(agent_id=agent_id, model=model, after_id=after, limit=batch))
        )
        return _bounded(rows)

    async def _embed(self, agent_id: str, model: str, memories: Sequence[PendingMemory], pace: Pace) -> int:
        """Embed memories and store the vectors of those that were not changed meanwhile; return their number."""
        began, embedder = monotonic(), self._embedders.named(model)
        pieces = [memory.passages() for memory in memories]
        vectors = await embedded(embedder, pieces)
        embedder.forget(texts(chain.from_iterable(pieces)))  # they will not be embedded again

        async def work(c: Connection) -> int:
            await share_users(c, agent_id, [memory.user_id for memory in memories])
            await lock(c, agent_id)
            ids, versions = [memory.id for memory in memories], [memory.version for memory in memories]
            unchanged = {
                row["id"]
                for row in await c.fetch(
                    *SQL.unchanged(agent_id=agent_id, model=model, memory_ids=ids, versions=versions)
                )
            }
            put: dict[str, list[tuple[UUID, MemoryType, PassageVector]]] = {}
            for memory, own in zip(memories, vectors, strict=True):
                if memory.id in unchanged:
                    put.setdefault(memory.user_id, []).extend((memory.id, memory.type, each) for each in own)
            for user_id, rows in put.items():
                await write_as(c, user_id)
                await c.execute(*index_rows.insert_vectors(agent_id, model, rows))
            return len(unchanged)

        done = await self._database.run(agent_id, work)
        await pace.rest(monotonic() - began)
        return done

    async def fill_turns(
        self, agent_id: str, model: str, latest: int, asked: Callable[[str, str | None], str], pace: Pace = Pace()
    ) -> int:
        """Embed the latest completed turns that have no vector of a model, and return how many got one.

        For each turn, `asked` is called with the turn's message and its record, and returns the query text to embed.
        """
        embedder, done = self._embedders.named(model), 0
        while rows := await self._database.run(
            agent_id, lambda c: c.fetch(*SQL.next_turns(agent_id=agent_id, model=model, latest=latest, limit=_TURNS))
        ):
            began = monotonic()
            said = [asked(row["message"], row["record"]) for row in rows]
            found = await embedder.embed(said)
            embedder.forget(said)
            put = await self._put_turns(agent_id, model, rows, list(found))
            if not put:  # the turns were erased, or the model was dropped meanwhile
                break
            done += put
            await pace.rest(monotonic() - began)
        return done

    async def _put_turns(self, agent_id: str, model: str, rows: Sequence[Any], found: list[Any]) -> int:
        users, turns = [row["user_id"] for row in rows], [row["turn_id"] for row in rows]

        async def work(c: Connection) -> int:
            await share_agent(c, agent_id)
            await share_users(c, agent_id, users)
            encoded = [encode_halfvec(vector) for vector in found]
            return count(
                await c.execute(
                    *SQL.insert_turns(
                        agent_id=agent_id, model=model, user_ids=users, turn_ids=turns, embeddings=encoded
                    )
                )
            )

        return await self._database.run(agent_id, work)


async def lock(c: Connection, agent_id: str) -> None:
    """Lock the agent's row until the transaction ends, so that no other writer stores memories meanwhile.

    Raises:
        InvalidInput: there is no such agent.
    """
    if await agent_rows.locked_if_exists(c, agent_id) is None:
        raise InvalidInput(f"there is no agent {agent_id!r}")


def by_user(memories: Iterable[Any]) -> list[tuple[str, list[Any]]]:
    """Return memories, or rows of memories, grouped by their user, whose rows a transaction writes together."""
    groups: dict[str, list[Any]] = {}
    for memory in memories:
        user_id = memory.user_id if isinstance(memory, PendingMemory) else memory["user_id"]
        groups.setdefault(user_id, []).append(memory)
    return list(groups.items())


def _bounded(rows: Sequence[Any]) -> list[PendingMemory]:
    """Return as many of the first memories as fit into a batch by their total length, but at least one."""
    taken: list[PendingMemory] = []
    characters = 0
    for memory in (as_value(PendingMemory, row) for row in rows):
        characters += len(memory.content) + len(memory.context)
        if taken and characters > _MAX_CHARACTERS:
            break
        taken.append(memory)
    return taken
