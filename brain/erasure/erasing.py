"""Erasure: of some memories with all that was made of them, or of an agent with all that it has."""

from __future__ import annotations

import logging
from collections import Counter
from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field, replace
from functools import partial
from typing import TypeAlias
from uuid import UUID

from brain import caches, memory_rows
from brain.embedding.embedders import Embedders
from brain.erasure import purge_derived
from brain.erasure.purge_derived import Quoting
from brain.erasure.residue import Residue, says_nothing
from brain.errors import InvalidInput, StoreError, UnknownMemory
from brain.memory_rows import SQL
from brain.postgres.database import Connection, Database
from brain.store import MAX_TRIES, MemoryStore
from brain.types import Erasure, Memory, NewMemory, Receipt

_End: TypeAlias = Receipt | list[Quoting] | None  # of an erasure's last transaction

log = logging.getLogger(__name__)

_SECONDS = 600.0  # whatever an agent ever said is looked through, and nobody's turn waits for it


@dataclass(frozen=True, slots=True)
class _Sought:
    """Memories that are to be erased: what they say, and said before; the oldest transaction that ran meanwhile."""

    agent_id: str
    ids: list[UUID]
    texts: frozenset[str]
    remains: Residue
    since: int

    async def quoting(self, c: Connection) -> list[Quoting]:
        """The other memories that hold words of them."""
        return await purge_derived.quoting(c, self.agent_id, self.ids, self.remains, None)


@dataclass(slots=True)
class _Others:
    """Memories beside the erased ones that hold words of them, as they are found."""

    gone: list[UUID] = field(default_factory=list)  # they say nothing else
    cut: set[UUID] = field(default_factory=set)
    restated: set[UUID] = field(default_factory=set)


class Eraser:
    """What erases memories and agents, whose rows nobody else may see come back."""

    def __init__(self, database: Database, store: MemoryStore, embedders: Embedders) -> None:
        self._database = database
        self._store = store
        self._embedders = embedders

    async def remains(self, agent_id: str, ids: Sequence[UUID]) -> Residue:
        """What is to be looked for when these memories are erased: all that they say, and what they said before.

        Raises:
            UnknownMemory: an id that this agent does not have.
        """
        return Residue(sorted(await self._database.run(agent_id, partial(_said, agent_id, ids))))

    async def memories(self, agent_id: str, ids: Sequence[UUID]) -> Receipt:
        """Erases memories with every index entry, vector, count and exposure of them, and their words wherever else
        this agent's rows hold them. All that there is is looked through first, and memories that quote them are
        indexed anew, while turns go on; then one transaction erases, and looks at what was written meanwhile. Changed
        meanwhile, they are looked for again, by what they say now.

        Raises:
            UnknownMemory: an id that this agent does not have; nothing is erased.
            StoreError: they are changed, or memories that quote them stored, faster than these can be found.
        """
        for _ in range(MAX_TRIES):
            sought = await self._sought(agent_id, list(dict.fromkeys(ids)))
            others, before = await self._looked_through(sought)
            receipt = await self._finished(sought, others, before)
            if receipt is not None:
                self._embedders.drop(sought.remains.held)
                caches.empty()
                return receipt
        raise StoreError(f"what is to be erased was changed {MAX_TRIES} times in a row; nothing is erased")

    async def _sought(self, agent_id: str, ids: list[UUID]) -> _Sought:
        texts = await self._database.run(agent_id, partial(_said, agent_id, ids))
        since = await self._database.run(agent_id, lambda c: c.fetchval(*purge_derived.SQL.running()))
        return _Sought(agent_id, ids, texts, Residue(sorted(texts)), since)

    async def _looked_through(self, sought: _Sought) -> tuple[_Others, Counter[str]]:
        """All that there is, cut; and how many rows of what kind that were."""
        others, before = _Others(), Counter[str]()
        await self._leave(sought, await self._database.run(sought.agent_id, sought.quoting, timeout=_SECONDS), others)
        for part in purge_derived.parts(sought.remains):
            look = partial(_looked, part, sought)
            before.update(await self._database.run(sought.agent_id, look, timeout=_SECONDS))
        return others, before

    async def _finished(self, sought: _Sought, others: _Others, before: Counter[str]) -> Receipt | None:
        """What was erased, once nothing new quotes it; None if it says something new by now."""
        finish = partial(_erased, sought, others, before)
        for _ in range(MAX_TRIES):
            end = await self._database.run(sought.agent_id, finish, timeout=_SECONDS)
            if end is None or isinstance(end, Receipt):
                return end
            await self._leave(sought, end, others)
        raise StoreError(f"memories that quote what is to be erased came {MAX_TRIES} times in a row; nothing is erased")

    async def _leave(self, sought: _Sought, found: Sequence[Quoting], others: _Others) -> None:
        """Leaves memories without the words that they hold of erased ones; those that have no others are to go too."""
        for other in found:
            if other.restates:
                others.restated.add(other.id)
            if not other.differs:
                continue
            try:
                await self._store.update(sought.agent_id, other.id, partial(_without, sought.remains))
                others.cut.add(other.id)
            except UnknownMemory:
                log.debug("memory %s was erased meanwhile, by somebody else", other.id)
            except InvalidInput:  # nothing is left of it, or what another one says already
                others.gone.append(other.id)

    async def agent(self, agent_id: str) -> Receipt:
        """Erases everything this agent ever had here: memories, turns, sessions, counts. Idempotent.

        What is left is its name, when that was, and how many rows: a turn that was prepared before is known by it.
        """

        async def work(c: Connection) -> Receipt:
            await c.execute(*SQL.own_agent(agent_id=agent_id))
            await c.fetchrow(*SQL.lock_agent_row(agent_id=agent_id))
            receipt = Receipt(agent_id, **dict(await c.fetchrow(*SQL.agent_rows(agent_id=agent_id))))
            await c.execute(*SQL.erase_agent(agent_id=agent_id))
            await purge_derived.log(c, agent_id, "agent", purge_derived.counts(receipt))
            return receipt

        receipt = await self._database.run(agent_id, work, timeout=_SECONDS)
        self._embedders.drop(lambda _: True)  # whose a text was, the cache does not know
        caches.empty()
        return receipt

    async def past(self, agent_id: str) -> list[Erasure]:
        """What was erased of an agent and when, oldest first."""
        rows = await self._database.run(agent_id, lambda c: c.fetch(*purge_derived.SQL.erasures(agent_id=agent_id)))
        return [Erasure(**dict(row)) for row in rows]


async def _said(agent_id: str, ids: Sequence[UUID], c: Connection) -> frozenset[str]:
    """All that memories say, and what they said before.

    Raises:
        UnknownMemory: an id that this agent does not have.
    """
    rows = await c.fetch(*SQL.get_memories(agent_id=agent_id, memory_ids=list(ids)))
    memory_rows.require_known(agent_id, ids, {row["id"] for row in rows})
    before = await c.fetch(*purge_derived.SQL.said_before(agent_id=agent_id, memory_ids=list(ids)))
    said = [dict(row) for row in rows] + [row["previous"] for row in before]
    return frozenset(text for each in said for text in purge_derived.texts(each))


async def _erased(sought: _Sought, others: _Others, before: Counter[str], c: Connection) -> _End:
    """What an erasure removed. Or, and then nothing is erased: memories stored since that are to be cut first; None, if
    what is to be erased says something by now that was not looked for.
    """
    agent_id, gone = sought.agent_id, [*sought.ids, *others.gone]
    await c.execute(*SQL.own_agent(agent_id=agent_id))  # what a turn says is recorded before this, or knows of it
    await c.fetchrow(*SQL.lock_agent_row(agent_id=agent_id))  # and so is what anybody remembers or changes
    if await _said(agent_id, sought.ids, c) - sought.texts:
        return None
    late = await purge_derived.quoting(c, agent_id, gone, sought.remains, sought.since)
    if any(other.differs for other in late):
        return late
    receipt = await memory_rows.erase(c, agent_id, gone)
    touched = before + await purge_derived.erase(c, agent_id, sought.remains, sought.since)
    receipt = replace(
        receipt,
        responses=receipt.responses + touched["responses"],
        revisions=receipt.revisions + touched["revisions"],
        artifacts=touched["artifacts"],
        turns_cut=touched["turns"],
        sessions_cut=touched["sessions"],
        subtasks_cut=touched["subtasks"],
        notes_cut=touched["notes"],
        memories_cut=len(others.cut),
        restated=len(others.restated | {other.id for other in late}),
    )
    await purge_derived.log(c, agent_id, "memories", purge_derived.counts(receipt))
    return receipt


async def _looked(part: purge_derived.Part, sought: _Sought, c: Connection) -> Mapping[str, int]:
    return await part(c, sought.agent_id, sought.remains, None)


def _without(remains: Residue, memory: Memory) -> NewMemory:
    """A memory as it stands now, cut.

    Raises:
        InvalidInput: nothing is left of what it says.
    """
    fields = {name: getattr(memory, name) for name in NewMemory.model_fields}
    said = {name: fields[name] for name in purge_derived.QUOTING}
    left = NewMemory(**{**fields, **purge_derived.without(said, memory.trust, remains)})
    if says_nothing(left.content):
        raise InvalidInput(f"content: nothing is left of memory {memory.id}")
    return left
