"""A change of embedding model while turns go on: build the new space, make it live by one row, roll back, drop the old.

Everything here may be killed at any moment and run again, by several workers at once. A worker takes memories in the
order of their ids; when it has come to the end it looks for what is still lacking: what other processes wrote without
the model, what was edited while it was being embedded, the batches of workers that died. Vectors are put there only for
the version of a memory that was read, under the lock of the agent's writers.
"""

from __future__ import annotations

import asyncio
from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass
from datetime import datetime
from time import monotonic
from typing import Any, Literal
from uuid import UUID

from brain import statements, vectors
from brain.database import Connection, Database
from brain.embedding.several import Embedders
from brain.errors import InvalidInput
from brain.halfvec import encode_halfvec
from brain.indexing import passages, texts
from brain.spaces import Spaces
from brain.writing import SQL as WRITING
from brain.writing import count, share_agent

SQL = statements.load("reembedding")

State = Literal["building", "ready", "live", "retired"]
Progress = Callable[[int, int], None]  # (done, total)

_START = UUID(int=0)
_MOST_CHARACTERS = 50_000  # of a batch: some 60 passages, half a second of a small model
_MOST_PASSES = 20  # over what is lacking; whoever writes faster than that has to get the model himself
_TURNS = 64  # at a time
_DELETED = 2_000  # rows per transaction: some 50 ms, and others wait no longer


@dataclass(frozen=True, slots=True)
class Standing:
    """A model of an agent: `lacking` of its `memories` have no vectors of it, `since` is when it came to its state."""

    model: str
    dimension: int
    state: State
    since: datetime
    memories: int
    lacking: int


@dataclass(frozen=True, slots=True)
class Pace:
    """How fast a worker goes: memories per batch, and the share of the time that it works."""

    batch: int = 64
    load: float = 0.5

    def __post_init__(self) -> None:
        if not 1 <= self.batch <= 1_000 or not 0 < self.load <= 1:
            raise InvalidInput(f"expected a batch of 1 to 1000 and a load in (0, 1], got {self.batch} and {self.load}")

    async def rest(self, worked: float) -> None:
        """Waits as long as the load asks for after so many seconds of work."""
        await asyncio.sleep(worked * (1 - self.load) / self.load)


@dataclass(frozen=True, slots=True)
class Dropped:
    """What was removed of a model: vectors of memories, vectors of past turns."""

    agent_id: str
    model: str
    embeddings: int
    turns: int


@dataclass(frozen=True, slots=True)
class Asked:
    """A past turn: what it asked, in words and as recorded, and the memories that it used."""

    message: str
    record: str | None
    used: tuple[UUID, ...]


class Reembedding:
    """The models of agents, and how one takes the place of another."""

    def __init__(self, database: Database, embedders: Embedders) -> None:
        self._database = database
        self._embedders = embedders

    async def standings(self, agent_id: str) -> tuple[Standing, ...]:
        """The agent's models, the first kept first. Counts what each lacks: about 2 s for a million memories."""

        async def work(c: Connection) -> tuple[Standing, ...]:
            spaces = await _spaces(c, agent_id)
            memories = await c.fetchval(SQL["memories"], agent_id)
            rows = [dict(row) for row in await c.fetch(SQL["kept"], agent_id)]
            lacking = [await c.fetchval(SQL["lacking"], agent_id, row["model"]) for row in rows]
            return tuple(_standing(row, spaces, memories, n) for row, n in zip(rows, lacking, strict=True))

        return await self._database.run(agent_id, work)

    async def live(self, agent_id: str) -> str | None:
        """The model that the agent's reads use, None if nothing is stored."""
        return (await self._database.run(agent_id, lambda c: _spaces(c, agent_id))).live

    async def begin(self, agent_id: str, model: str) -> None:
        """Has what is written from now on embedded with a model, too. One that is kept already stays as it is.

        Raises:
            EmbeddingError: this process does not have the model, or its vectors there are of another dimension.
            InvalidInput: there is no such agent.
        """
        embedder = self._embedders.named(model)

        async def work(c: Connection) -> None:
            await _lock(c, agent_id)
            row = await c.fetchrow(WRITING["spaces"], agent_id)
            vectors.check(Spaces.of(row["live"], row["kept"]), model, embedder.dimension)
            if not row["named"]:
                await c.execute(
                    WRITING["name_live"], agent_id, row["live"] or model, self._dimension(row["live"] or model)
                )
            await c.execute(WRITING["keep_space"], agent_id, model, embedder.dimension)
            self._embedders.told(agent_id, await _spaces(c, agent_id))

        await self._database.run(agent_id, work)

    def _dimension(self, model: str) -> int | None:
        return next((each.dimension for each in self._embedders if each.model == model), None)

    async def fill(
        self, agent_id: str, model: str, pace: Pace = Pace(), progress: Progress = lambda done, total: None
    ) -> int:
        """Gives every memory vectors of a model that `begin` keeps, and returns how many still lack them.

        Raises:
            EmbeddingError: this process does not have the model, or the model failed.
            InvalidInput: the model is not kept, or no longer.
        """
        total = await self._database.run(agent_id, lambda c: c.fetchval(SQL["memories"], agent_id))
        lacking = await self._lacking(agent_id, model)
        done = total - lacking
        progress(done, total)
        while rows := await self._take(agent_id, model, pace.batch):
            done += await self._embed(agent_id, model, rows, pace)
            progress(min(done, total), total)
        for _ in range(_MOST_PASSES):
            if not (lacking := await self._lacking(agent_id, model)):
                await self._database.run(agent_id, lambda c: c.execute(SQL["complete"], agent_id, model))
                break
            await self._sweep(agent_id, model, pace)
        progress(total - lacking, total)
        return lacking

    async def _lacking(self, agent_id: str, model: str) -> int:
        return int(await self._database.run(agent_id, lambda c: c.fetchval(SQL["lacking"], agent_id, model)))

    async def _take(self, agent_id: str, model: str, batch: int) -> list[Mapping[str, Any]]:
        """The next memories, which no other worker takes meanwhile; none at the end."""

        async def work(c: Connection) -> list[Mapping[str, Any]]:
            held = await c.fetchrow(SQL["hold"], agent_id, model)
            if held is None:
                raise InvalidInput(f"{model} is not kept for agent {agent_id!r}")
            rows = _bounded(await c.fetch(SQL["next_lacking"], agent_id, model, held["reached"], batch))
            if rows:
                await c.execute(SQL["reach"], agent_id, model, rows[-1]["id"])
            return rows

        return await self._database.run(agent_id, work)

    async def _sweep(self, agent_id: str, model: str, pace: Pace) -> None:
        """One pass over all that is lacking, whoever left it."""
        after = _START
        while rows := await self._after(agent_id, model, after, pace.batch):
            await self._embed(agent_id, model, rows, pace)
            after = rows[-1]["id"]

    async def _after(self, agent_id: str, model: str, after: UUID, batch: int) -> list[Mapping[str, Any]]:
        rows = await self._database.run(agent_id, lambda c: c.fetch(SQL["next_lacking"], agent_id, model, after, batch))
        return _bounded(rows)

    async def _embed(self, agent_id: str, model: str, rows: Sequence[Mapping[str, Any]], pace: Pace) -> int:
        """Embeds memories and puts the vectors of those that have not changed meanwhile; returns how many."""
        began, embedder = monotonic(), self._embedders.named(model)
        wanted = [(row, text) for row in rows for text in texts(_passages(row))]
        found = await embedder.embed([text for _, (_, _, text) in wanted])
        embedder.forget([text for _, (_, _, text) in wanted])  # nobody asks for them again

        async def work(c: Connection) -> int:
            await _lock(c, agent_id)
            ids, versions = [row["id"] for row in rows], [row["version"] for row in rows]
            unchanged = {row["id"] for row in await c.fetch(SQL["unchanged"], agent_id, model, ids, versions)}
            put = [
                (row["id"], row["type"], (ordinal, field, vector))
                for (row, (ordinal, field, _)), vector in zip(wanted, found, strict=True)
                if row["id"] in unchanged
            ]
            await vectors.insert(c, agent_id, model, put)
            return len(unchanged)

        done = await self._database.run(agent_id, work)
        await pace.rest(monotonic() - began)
        return done

    async def fill_turns(
        self, agent_id: str, model: str, latest: int, asked: Callable[[str, str | None], str], pace: Pace = Pace()
    ) -> int:
        """Gives the latest completed turns vectors of a model, of what `asked` makes of message and record; returns how
        many got one.
        """
        embedder, done = self._embedders.named(model), 0
        while rows := await self._database.run(
            agent_id, lambda c: c.fetch(SQL["next_turns"], agent_id, model, latest, _TURNS)
        ):
            began = monotonic()
            said = [asked(row["message"], row["record"]) for row in rows]
            found = await embedder.embed(said)
            embedder.forget(said)
            put = await self._put_turns(agent_id, model, [row["turn_id"] for row in rows], list(found))
            if not put:  # erased, or no longer kept: whoever did that has the last word
                break
            done += put
            await pace.rest(monotonic() - began)
        return done

    async def _put_turns(self, agent_id: str, model: str, ids: list[str], found: list[Any]) -> int:
        async def work(c: Connection) -> int:
            await share_agent(c, agent_id)
            encoded = [encode_halfvec(vector) for vector in found]
            return count(await c.execute(SQL["insert_turns"], agent_id, model, ids, encoded))

        return await self._database.run(agent_id, work)

    async def cut_over(self, agent_id: str, model: str) -> str:
        """Makes a model live, which every process sees with its next read, and returns the one that was.

        Raises:
            InvalidInput: it is not kept, or memories lack vectors of it; nothing was changed.
        """
        lacking = await self._lacking(agent_id, model)
        if lacking:
            raise InvalidInput(f"agent {agent_id!r}: {lacking} memories lack vectors of {model}; build it first")
        return await self._name(agent_id, model)

    async def roll_back(self, agent_id: str) -> tuple[str, str]:
        """Makes the model live that was so before, and returns the one that was and the one that is.

        At once, whatever it lacks by now: `fill` gives it that.

        Raises:
            InvalidInput: none was live before, or its vectors were dropped; nothing was changed.
        """
        standings = await self.standings(agent_id)
        retired = [each for each in standings if each.state == "retired"]
        if not retired:
            raise InvalidInput(f"agent {agent_id!r} has no model to go back to")
        before = max(retired, key=lambda each: (each.since, each.model)).model
        return await self._name(agent_id, before), before

    async def _name(self, agent_id: str, model: str) -> str:
        async def work(c: Connection) -> str:
            await _lock(c, agent_id)
            spaces = await _spaces(c, agent_id)
            if model not in spaces.kept or spaces.live is None:
                raise InvalidInput(f"{model} is not kept for agent {agent_id!r}")
            if spaces.live != model:
                await c.execute(WRITING["name_live"], agent_id, model, spaces.kept[model].dimension)
            self._embedders.told(agent_id, await _spaces(c, agent_id))
            return spaces.live

        return await self._database.run(agent_id, work)

    async def droppable(self, agent_id: str) -> tuple[str, ...]:
        """The models that `drop` would free of: those that were live before, and what is left of others unkept."""
        standings = await self.standings(agent_id)
        live, known = await self.live(agent_id), {each.model for each in standings}
        stored = {
            row["model"] for row in await self._database.run(agent_id, lambda c: c.fetch(SQL["stored"], agent_id))
        }
        retired = {each.model for each in standings if each.state == "retired"}
        return tuple(sorted(retired | (stored - known - {live})))

    async def drop(self, agent_id: str, model: str) -> Dropped:
        """Removes a model's vectors, in small transactions; goes on where it was interrupted. Past turns that have one
        of the live model too are compared by that from now on.

        Raises:
            InvalidInput: it is live.
        """

        async def release(c: Connection) -> int:
            await _lock(c, agent_id)
            live = (await _spaces(c, agent_id)).live
            if live == model:
                raise InvalidInput(f"{model} is the live model of agent {agent_id!r}")
            await c.execute(SQL["release"], agent_id, model)
            moved = count(await c.execute(SQL["own_turns"], agent_id, model, live))
            return moved + count(await c.execute(SQL["delete_turn_vectors"], agent_id, model))

        turns = await self._database.run(agent_id, release)
        turns += await self._in_pieces(agent_id, model, "clear_turns")
        return Dropped(agent_id, model, await self._in_pieces(agent_id, model, "delete_vectors"), turns)

    async def _in_pieces(self, agent_id: str, model: str, statement: str) -> int:
        gone = 0
        while piece := count(
            await self._database.run(agent_id, lambda c: c.execute(SQL[statement], agent_id, model, _DELETED))
        ):
            gone += piece
        return gone

    async def asked(self, agent_id: str, latest: int) -> list[Asked]:
        """The latest completed turns, newest first."""
        rows = await self._database.run(agent_id, lambda c: c.fetch(SQL["asked_turns"], agent_id, latest))
        return [Asked(row["message"], row["record"], tuple(row["used"])) for row in rows]


def _standing(row: Mapping[str, Any], spaces: Spaces, memories: int, lacking: int) -> Standing:
    state, since = _state(row, spaces.live)
    return Standing(row["model"], row["dimension"], state, since, memories, lacking)


def _state(row: Mapping[str, Any], live: str | None) -> tuple[State, datetime]:
    if row["model"] == live:
        return "live", row["live_at"] or row["begun_at"]
    if row["live_at"] is not None:
        return "retired", row["live_at"]
    if row["completed_at"] is None:
        return "building", row["begun_at"]
    return "ready", row["completed_at"]


async def _lock(c: Connection, agent_id: str) -> None:
    if await c.fetchrow(SQL["lock"], agent_id) is None:
        raise InvalidInput(f"there is no agent {agent_id!r}")


async def _spaces(c: Connection, agent_id: str) -> Spaces:
    row = await c.fetchrow(WRITING["spaces"], agent_id)
    return Spaces.of(row["live"], row["kept"])


def _passages(row: Mapping[str, Any]) -> Any:
    return passages(row["content"], row["speaker"], row["context"], row["occurred_at"])


def _bounded(rows: Sequence[Mapping[str, Any]]) -> list[Mapping[str, Any]]:
    """The first of these memories that make up a batch: one at least."""
    taken: list[Mapping[str, Any]] = []
    characters = 0
    for row in rows:
        characters += len(row["content"]) + len(row["context"])
        if taken and characters > _MOST_CHARACTERS:
            break
        taken.append(row)
    return taken
