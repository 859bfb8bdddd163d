"""Erasure: of some memories with all that was made of them, or of an agent with all that it has."""

from __future__ import annotations

from collections import Counter
from collections.abc import Mapping, Sequence
from dataclasses import asdict, dataclass, field, replace
from functools import partial
from uuid import UUID

from brain import caches, writing
from brain.embedding.several import Embedders
from brain.erasure import derived
from brain.erasure.derived import Quoting
from brain.erasure.remains import Remains
from brain.errors import InvalidInput, StoreError, UnknownMemory
from brain.postgres.database import Connection, Database
from brain.store import MOST_TRIES, MemoryStore
from brain.types import Erasure, Memory, NewMemory, Receipt
from brain.writing import SQL

_SECONDS = 600.0  # whatever an agent ever said is looked through, and nobody's turn waits for it


@dataclass(slots=True)
class _Others:
    """Memories beside the erased ones that hold words of them, as they are found."""

    gone: list[UUID]  # the erased ones, and those that said nothing else
    cut: set[UUID] = field(default_factory=set)
    restated: set[UUID] = field(default_factory=set)


class Erasing:
    """What erases memories and agents, whose rows nobody else may see come back."""

    def __init__(self, database: Database, store: MemoryStore, embedders: Embedders) -> None:
        self._database = database
        self._store = store
        self._embedders = embedders

    async def remains(self, agent_id: str, ids: Sequence[UUID]) -> Remains:
        """What is to be looked for when these memories are erased: all that they say, and what they said before.

        Raises:
            UnknownMemory: an id that this agent does not have.
        """
        memories = await self._store.get(agent_id, ids)
        writing.require_known(agent_id, ids, {memory.id for memory in memories})
        rows = await self._database.run(agent_id, lambda c: c.fetch(derived.SQL["said_before"], agent_id, list(ids)))
        said = [asdict(memory) for memory in memories] + [row["was"] for row in rows]
        return Remains([text for each in said for text in derived.texts(each)])

    async def memories(self, agent_id: str, ids: Sequence[UUID]) -> Receipt:
        """Erases memories with every index entry, vector, count and exposure of them, and their words wherever else
        this agent's rows hold them. All that there is is looked through first, and memories that quote them are
        indexed anew, while turns go on; then one transaction erases, and looks at what was written meanwhile.

        Raises:
            UnknownMemory: an id that this agent does not have; nothing is erased.
            StoreError: memories that quote them are stored faster than they can be found.
        """
        wanted = list(dict.fromkeys(ids))
        remains = await self.remains(agent_id, wanted)
        since = await self._database.run(agent_id, lambda c: c.fetchval(derived.SQL["running"]))
        others, before = _Others(wanted), Counter[str]()
        found = await self._database.run(
            agent_id, lambda c: derived.quoting(c, agent_id, wanted, remains, None), timeout=_SECONDS
        )
        await self._leave(agent_id, found, others)
        for part in derived.parts(remains):
            look = partial(_looked, part, agent_id, remains)
            before.update(await self._database.run(agent_id, look, timeout=_SECONDS))
        for _ in range(MOST_TRIES):
            finish = partial(_erased, agent_id, remains, since, others, before)
            left = await self._database.run(agent_id, finish, timeout=_SECONDS)
            if isinstance(left, Receipt):
                self._embedders.drop(remains.held)
                caches.empty()
                return left
            await self._leave(agent_id, left, others)
        raise StoreError(
            f"memories that quote what is to be erased came {MOST_TRIES} times in a row; nothing is erased"
        )

    async def _leave(self, agent_id: str, found: Sequence[Quoting], others: _Others) -> None:
        """Leaves memories without the words that they hold of erased ones; those that have no others are to go too."""
        for other in found:
            if other.restates:
                others.restated.add(other.id)
            if not other.differs:
                continue
            if await self._unquoted(agent_id, other):
                others.cut.add(other.id)
            else:
                others.gone.append(other.id)

    async def _unquoted(self, agent_id: str, other: Quoting) -> bool:
        """Leaves a memory without the words that it holds of erased ones. False if it has no others."""
        if other.says_nothing:
            return False
        try:
            await self._store.update(agent_id, other.id, lambda found: _changed(found, other))
        except UnknownMemory:  # erased meanwhile, by somebody else
            return True
        except InvalidInput:  # what is left of it, another one says already
            return False
        return True

    async def agent(self, agent_id: str) -> Receipt:
        """Erases everything this agent ever had here: memories, turns, sessions, counts. Idempotent.

        What is left is its name, when that was, and how many rows: a turn that was prepared before is known by it.
        """

        async def work(c: Connection) -> Receipt:
            await c.execute(SQL["own_agent"], agent_id)
            await c.fetchrow(SQL["lock_corpus"], agent_id)
            receipt = Receipt(agent_id, **dict(await c.fetchrow(SQL["agent_rows"], agent_id)))
            await c.execute(SQL["erase_agent"], agent_id)
            await derived.log(c, agent_id, "agent", derived.counts(receipt))
            return receipt

        receipt = await self._database.run(agent_id, work, timeout=_SECONDS)
        self._embedders.drop(lambda _: True)  # whose a text was, the cache does not know
        caches.empty()
        return receipt

    async def past(self, agent_id: str) -> list[Erasure]:
        """What was erased of an agent and when, oldest first."""
        rows = await self._database.run(agent_id, lambda c: c.fetch(derived.SQL["erasures"], agent_id))
        return [Erasure(**dict(row)) for row in rows]


async def _erased(
    agent_id: str, remains: Remains, since: int, others: _Others, before: Counter[str], c: Connection
) -> Receipt | list[Quoting]:
    """What an erasure removed; or, and then nothing is erased, the memories stored since that are to be cut first."""
    await c.execute(SQL["own_agent"], agent_id)  # what a turn says is recorded before this, or knows of it
    late = await derived.quoting(c, agent_id, others.gone, remains, since)
    if any(other.differs for other in late):
        return late
    receipt = await writing.erase(c, agent_id, others.gone)
    touched = before + await derived.erase(c, agent_id, remains, since)
    receipt = replace(
        receipt, responses=receipt.responses + touched["responses"],
        revisions=receipt.revisions + touched["revisions"], artifacts=touched["artifacts"],
        turns_cut=touched["turns"], sessions_cut=touched["sessions"], subtasks_cut=touched["subtasks"],
        notes_cut=touched["notes"], memories_cut=len(others.cut),
        restated=len(others.restated | {other.id for other in late}),
    )  # fmt: skip
    await derived.log(c, agent_id, "memories", derived.counts(receipt))
    return receipt


async def _looked(part: derived.Part, agent_id: str, remains: Remains, c: Connection) -> Mapping[str, int]:
    return await part(c, agent_id, remains, None)


def _changed(memory: Memory, left: Quoting) -> NewMemory:
    fields = {name: getattr(memory, name) for name in NewMemory.model_fields}
    return NewMemory(
        **{**fields, "content": left.content, "context": left.context, "attributes": dict(left.attributes)}
    )
