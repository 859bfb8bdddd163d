"""Change the embedding model of an agent while turns go on: register, activate, roll back and drop models.

Each function can be killed at any time and called again. The slowest part, embedding all memories with the new model,
is in `brain.changes.backfill`.
"""

from __future__ import annotations

from dataclasses import dataclass
from datetime import datetime
from typing import Literal
from uuid import UUID

from brain import index_rows
from brain.changes.backfill import SQL, Backfill, lock
from brain.embedding.embedders import EmbeddingSpaces
from brain.errors import InvalidInput
from brain.memory_rows import SQL as WRITING
from brain.postgres.database import Connection
from brain.postgres.wire_types import as_value, count
from brain.statements import SqlStatement

State = Literal["building", "ready", "live", "retired"]

_DELETED = 2_000  # rows deleted per transaction: about 50 ms, for which writers wait


@dataclass(frozen=True, slots=True)
class ModelStatus:
    """A registered embedding model of an agent: its state, and how many memories lack its vectors.

    `since` is the time at which the model got its present state. `memories` is the number of all memories of the agent,
    `lacking` the number of those without vectors of this model.
    """

    model: str
    dimension: int
    state: State
    since: datetime
    memories: int
    lacking: int


@dataclass(frozen=True, slots=True)
class DroppedModel:
    """The result of deleting an embedding model: how many vectors of memories and of past turns were deleted."""

    agent_id: str
    model: str
    embeddings: int
    turns: int


@dataclass(frozen=True, slots=True)
class PastRequest:
    """A past turn to compare models on: its user ('' for none), message and record, and the memories that it used."""

    user_id: str
    message: str
    record: str | None
    used: tuple[UUID, ...]


@dataclass(frozen=True, slots=True)
class _StoredModel:
    """The stored row of an embedding model that is registered for an agent."""

    model: str
    dimension: int
    started_at: datetime
    completed_at: datetime | None
    live_at: datetime | None


class Reembedding(Backfill):
    """Changes the embedding model of an agent.

    It registers a new model, makes it live, rolls back to the old one, and deletes vectors.
    """

    async def list_models(self, agent_id: str) -> tuple[ModelStatus, ...]:
        """Return the registered models of an agent with their progress, oldest first.

        Counting the missing vectors takes about 2 s for a million memories.
        """

        async def work(c: Connection) -> tuple[ModelStatus, ...]:
            spaces = await _spaces(c, agent_id)
            memories = await c.fetchval(*SQL.memories(agent_id=agent_id))
            kept = [as_value(_StoredModel, row) for row in await c.fetch(*SQL.kept(agent_id=agent_id))]
            lacking = [await c.fetchval(*SQL.lacking(agent_id=agent_id, model=each.model)) for each in kept]
            return tuple(_standing(each, spaces, memories, n) for each, n in zip(kept, lacking, strict=True))

        return await self._database.run(agent_id, work)

    async def live(self, agent_id: str) -> str | None:
        """Return the model that the agent's searches use, None if nothing is stored."""
        return (await self._database.run(agent_id, lambda c: _spaces(c, agent_id))).live

    async def begin(self, agent_id: str, model: str) -> None:
        """Register a model, so that new memories are embedded with it too. Do nothing if it is already registered.

        Raises:
            EmbeddingError: this process does not have the model, or the stored vectors have another dimension.
            InvalidInput: there is no such agent.
        """
        embedder = self._embedders.named(model)

        async def work(c: Connection) -> None:
            await lock(c, agent_id)
            row = await c.fetchrow(*WRITING.spaces(agent_id=agent_id))
            index_rows.check(EmbeddingSpaces.of(row["live"], row["kept"]), model, embedder.dimension)
            if not row["named"]:
                live = row["live"] or model
                await index_rows.name_live(c, agent_id, live, self._dimension(live))
            await c.execute(*WRITING.keep_space(agent_id=agent_id, model=model, dimension=embedder.dimension))
            self._embedders.remember(agent_id, await _spaces(c, agent_id))

        await self._database.run(agent_id, work)

    def _dimension(self, model: str) -> int | None:
        return next((each.dimension for each in self._embedders if each.model == model), None)

    async def cut_over(self, agent_id: str, model: str) -> str:
        """Make a model the live one, which searches use, and return the previous live model.

        Every process uses the new model from its next read on.

        Raises:
            InvalidInput: the model is not registered, or memories have no vectors of it; nothing is changed.
        """
        lacking = await self._lacking(agent_id, model)
        if lacking:
            raise InvalidInput(f"agent {agent_id!r}: {lacking} memories lack vectors of {model}; build it first")
        return await self._name(agent_id, model)

    async def roll_back(self, agent_id: str) -> tuple[str, str]:
        """Make the previous live model live again, at once; return the models before and after.

        Memories that were stored since the model was last live may have no vectors of it; `fill` embeds them.

        Raises:
            InvalidInput: there was no previous live model, or its vectors were dropped; nothing is changed.
        """
        models = await self.list_models(agent_id)
        retired = [each for each in models if each.state == "retired"]
        if not retired:
            raise InvalidInput(f"agent {agent_id!r} has no model to go back to")
        before = max(retired, key=lambda each: (each.since, each.model)).model
        return await self._name(agent_id, before), before

    async def _name(self, agent_id: str, model: str) -> str:
        async def work(c: Connection) -> str:
            await lock(c, agent_id)
            spaces = await _spaces(c, agent_id)
            if model not in spaces.kept or spaces.live is None:
                raise InvalidInput(f"{model} is not kept for agent {agent_id!r}")
            if spaces.live != model:
                await index_rows.name_live(c, agent_id, model, spaces.kept[model].dimension)
            self._embedders.remember(agent_id, await _spaces(c, agent_id))
            return spaces.live

        return await self._database.run(agent_id, work)

    async def droppable(self, agent_id: str) -> tuple[str, ...]:
        """Return the models whose vectors `drop` can delete.

        These are the registered models that were live before, and unregistered models of which some vectors are left.
        """
        models = await self.list_models(agent_id)
        live, known = await self.live(agent_id), {each.model for each in models}
        stored = {
            row["model"]
            for row in await self._database.run(agent_id, lambda c: c.fetch(*SQL.stored(agent_id=agent_id)))
        }
        retired = {each.model for each in models if each.state == "retired"}
        return tuple(sorted(retired | (stored - known - {live})))

    async def drop(self, agent_id: str, model: str) -> DroppedModel:
        """Unregister a model and delete its vectors in small transactions; an interrupted call can be repeated.

        Past turns keep their vector of the live model if they have one, and are compared with new turns by that vector.

        Raises:
            InvalidInput: the model is live.
        """

        async def release(c: Connection) -> int:
            await lock(c, agent_id)
            live = (await _spaces(c, agent_id)).live
            if live == model:
                raise InvalidInput(f"{model} is the live model of agent {agent_id!r}")
            await c.execute(*SQL.release_cells(agent_id=agent_id, model=model))
            await c.execute(*SQL.release(agent_id=agent_id, model=model))
            moved = count(await c.execute(*SQL.own_turns(agent_id=agent_id, model=model, live_model=live)))
            await c.execute(*SQL.delete_own_vectors(agent_id=agent_id, model=live))
            return moved + count(await c.execute(*SQL.delete_turn_vectors(agent_id=agent_id, model=model)))

        turns = await self._database.run(agent_id, release)
        turns += await self._in_pieces(agent_id, model, SQL.clear_turns)
        return DroppedModel(agent_id, model, await self._in_pieces(agent_id, model, SQL.delete_vectors), turns)

    async def _in_pieces(self, agent_id: str, model: str, statement: SqlStatement) -> int:
        gone = 0
        while piece := count(
            await self._database.run(
                agent_id, lambda c: c.execute(*statement(agent_id=agent_id, model=model, limit=_DELETED))
            )
        ):
            gone += piece
        return gone

    async def past_requests(self, agent_id: str, latest: int) -> list[PastRequest]:
        """Return the latest completed turns with their messages and used memories, newest first."""
        rows = await self._database.run(
            agent_id, lambda c: c.fetch(*SQL.past_requests(agent_id=agent_id, limit=latest))
        )
        return [PastRequest(row["user_id"], row["message"], row["record"], tuple(row["used"])) for row in rows]


def _standing(kept: _StoredModel, spaces: EmbeddingSpaces, memories: int, lacking: int) -> ModelStatus:
    state, since = _state(kept, spaces.live)
    return ModelStatus(kept.model, kept.dimension, state, since, memories, lacking)


def _state(kept: _StoredModel, live: str | None) -> tuple[State, datetime]:
    if kept.model == live:
        return "live", kept.live_at or kept.started_at
    if kept.live_at is not None:
        return "retired", kept.live_at
    if kept.completed_at is None:
        return "building", kept.started_at
    return "ready", kept.completed_at


async def _spaces(c: Connection, agent_id: str) -> EmbeddingSpaces:
    row = await c.fetchrow(*WRITING.spaces(agent_id=agent_id))
    return EmbeddingSpaces.of(row["live"], row["kept"])
