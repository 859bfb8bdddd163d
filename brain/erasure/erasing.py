"""Erase memories with everything derived from them, a user's rows, or an agent with all its rows.

A user's memories are erased in the view of the user: rows of other users are neither searched, counted nor locked. A
shared memory was shown in turns of all users, and is erased from the rows of all of them in the operator's view.
"""

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
from brain.erasure import erase_rows, preview, purge_derived
from brain.erasure.purge_derived import Purge, Quoting
from brain.erasure.residue import Residue, says_nothing
from brain.errors import InvalidInput, StoreConflict, StoreError, UnknownMemory
from brain.memory_rows import SQL
from brain.postgres.database import Connection, Database, T, Work
from brain.postgres.transaction import write_as
from brain.receipts import Erasure, Receipt, total
from brain.store import MAX_TRIES, MemoryStore
from brain.types import Memory, NewMemory
from brain.users import SHARED, Scope

_End: TypeAlias = Receipt | list[Quoting] | None  # of an erasure's last transaction

log = logging.getLogger(__name__)

_PREVIEW_SECONDS = 30.0
_SECONDS = 600.0  # timeout: all texts of an agent are searched, while turns go on


@dataclass(frozen=True, slots=True)
class _Sought:
    """The memories that an erasure must remove, with all their texts.

    `since` is the oldest database transaction that was running when the texts were read.
    """

    purge: Purge
    ids: list[UUID]
    texts: frozenset[str]
    since: int

    @property
    def scope(self) -> Scope:
        """The view in which the memories are erased."""
        return _view(Scope(self.purge.agent_id, self.purge.user_id))

    async def quoting(self, c: Connection) -> list[Quoting]:
        """Return the other memories that contain text of the memories to erase."""
        return await purge_derived.quoting(c, self.purge, self.ids, None)


@dataclass(slots=True)
class _Others:
    """Other memories that contain erased text, collected during an erasure."""

    gone: list[Quoting] = field(default_factory=list)  # they would be empty
    cut: set[UUID] = field(default_factory=set)
    restated: set[UUID] = field(default_factory=set)


class Eraser:
    """Erases memories, users or agents from the database, including text that was derived from them."""

    def __init__(self, database: Database, store: MemoryStore, embedders: Embedders) -> None:
        self._database = database
        self._store = store
        self._embedders = embedders

    async def remains(self, scope: Scope, ids: Sequence[UUID]) -> dict[Scope, Residue]:
        """Return the texts to search for when the memories `ids` are erased: their present and earlier contents.

        They are grouped by the views of the memories' users, because only rows that such a view reaches are searched.

        Raises:
            UnknownMemory: the view does not see one of the ids.
            InvalidInput: a user's view would erase a shared memory.
        """
        owned = await self._owned(scope, ids)
        return {owner: Residue(sorted(await self._said(owner, own))) for owner, own in owned.items()}

    async def memories(self, scope: Scope, ids: Sequence[UUID]) -> Receipt:
        """Erase memories with their index entries, vectors and usage, and remove their text from other rows.

        While turns go on, the existing rows are searched for the text, and other memories that quote the erased ones
        are changed and indexed again. Then one transaction erases the memories, and searches the rows that were written
        meanwhile. If a memory to erase got a new text meanwhile, everything is repeated with that text. In the
        operator's view, the memories of each user are erased one after another. Calling it again is safe.

        Raises:
            UnknownMemory: the view does not see one of the ids; nothing is erased.
            InvalidInput: a user's view would erase a shared memory; nothing is erased.
            StoreError: memories of a user change, or new memories quote them, faster than they can be found. They stay;
                in the operator's view, memories of other users may be erased already.
        """
        owned = await self._owned(scope, ids)
        notes = scope.user is None
        return total(scope.agent_id, [await self._memories(owner, own, notes) for owner, own in owned.items()])

    async def _owned(self, scope: Scope, ids: Sequence[UUID]) -> dict[Scope, list[UUID]]:
        """Return the memories that a view is to erase, by the views of their users."""
        bound = SQL.owners(agent_id=scope.agent_id, memory_ids=list(ids))
        rows = await self._database.run(scope, lambda c: c.fetch(*bound))
        owners = {row["id"]: row["user_id"] for row in rows}
        memory_rows.require_known(scope.agent_id, ids, owners)
        owned: dict[Scope, list[UUID]] = {}
        for id in dict.fromkeys(ids):
            if owners[id] == SHARED and scope.user is not None:
                raise InvalidInput(f"memory {id} is shared: forget it in the view without a user, or as an operator")
            owned.setdefault(scope.as_user(owners[id]), []).append(id)
        return owned

    async def _memories(self, scope: Scope, ids: list[UUID], notes: bool) -> Receipt:
        for _ in range(MAX_TRIES):
            sought = await self._sought(scope, ids, notes)
            others, before = await self._looked_through(sought)
            receipt = await self._finished(sought, others, before)
            if receipt is not None:
                self._embedders.drop(sought.purge.remains.contains_any)
                caches.empty()
                return receipt
        raise StoreError(f"the memories {_listed(ids)} were changed {MAX_TRIES} times in a row and are not erased")

    async def preview(self, scope: Scope, ids: Sequence[UUID]) -> Receipt:
        """Return the receipt that `memories` would have now; nothing is changed. Its errors are those of `remains`."""
        owned = await self._owned(scope, ids)
        notes = scope.user is None
        return total(scope.agent_id, [await self._preview(owner, own, notes) for owner, own in owned.items()])

    async def _preview(self, scope: Scope, ids: list[UUID], notes: bool) -> Receipt:
        purge = Purge(*scope.key, Residue(sorted(await self._said(scope, ids))), notes)
        return await self._database.run(_view(scope), partial(preview.preview, purge, ids), timeout=_PREVIEW_SECONDS)

    async def _said(self, scope: Scope, ids: list[UUID]) -> frozenset[str]:
        return await self._database.run(_view(scope), partial(_said, scope.agent_id, ids))

    async def _sought(self, scope: Scope, ids: list[UUID], notes: bool) -> _Sought:
        texts = await self._said(scope, ids)
        since = await self._database.run(scope, lambda c: c.fetchval(*purge_derived.SQL.running()))
        return _Sought(Purge(*scope.key, Residue(sorted(texts)), notes), ids, texts, since)

    async def _looked_through(self, sought: _Sought) -> tuple[_Others, Counter[str]]:
        """Remove the text of the memories to erase from all existing rows.

        Return the other memories that contained this text, and the numbers of changed rows by kind.
        """
        others, before = _Others(), Counter[str]()
        await self._leave(sought, await self._run(sought, sought.quoting), others)
        for part in purge_derived.parts(sought.purge):
            before.update(await self._run(sought, partial(_looked, part, sought)))
        return others, before

    async def _run(self, sought: _Sought, work: Work[T]) -> T:
        return await self._database.run(sought.scope, work, timeout=_SECONDS)

    async def _finished(self, sought: _Sought, others: _Others, before: Counter[str]) -> Receipt | None:
        """Erase the memories once no new memory quotes them, and return the receipt.

        Return None if one of the memories to erase was changed meanwhile.
        """
        finish = partial(_erased, sought, others, before)
        for _ in range(MAX_TRIES):
            end = await self._run(sought, finish)
            if end is None or isinstance(end, Receipt):
                return end
            await self._leave(sought, end, others)
        raise StoreError(
            f"new memories quoted {_listed(sought.ids)} {MAX_TRIES} times in a row; these memories are not erased"
        )

    async def _leave(self, sought: _Sought, found: Sequence[Quoting], others: _Others) -> None:
        """Cut erased text out of the memories in `found`, and record in `others` what became of each.

        Memories of which nothing would be left are recorded too, so that they are erased with the others.
        """
        for other in found:
            if other.restates:
                others.restated.add(other.id)
            if not other.differs:
                continue
            try:
                owner = Scope(sought.scope.agent_id, other.user_id)
                await self._store.update(owner, other.id, partial(_without, sought.purge.remains))
                others.cut.add(other.id)
            except UnknownMemory:
                log.debug("memory %s was erased meanwhile by another call", other.id)
            except InvalidInput:  # the rest is empty, or equal to another memory
                others.gone.append(other)

    async def agent(self, agent_id: str) -> Receipt:
        """Erase all rows of an agent, except one log entry. Calling it again is safe.

        The log entry has the agent's id, the time and the numbers of rows. With it, turns that began before the erasure
        are recognised later.
        """

        async def work(c: Connection) -> Receipt:
            await c.execute(*SQL.own_rows(agent_id=agent_id))
            await c.fetchrow(*SQL.lock_agent_row(agent_id=agent_id))
            receipt = await erase_rows.erase_agent(c, agent_id)
            await purge_derived.log(c, agent_id, "agent", purge_derived.counts(receipt))
            return receipt

        return await self._forgotten(agent_id, work)

    async def user(self, agent_id: str, user_id: str) -> Receipt:
        """Erase all rows of one user of an agent, except one log entry. Calling it again is safe.

        The log entry has the user's id, the time and the numbers of rows, so that turns of the user that began before
        are recognised later. Rows of other users and shared rows stay, with one exception: turns that recorded the user
        before turns were kept apart by users are deleted, and the texts of their sessions cleared.
        """

        async def work(c: Connection) -> Receipt:
            await write_as(c, user_id)
            await c.execute(*SQL.own_rows(agent_id=agent_id))
            receipt = await erase_rows.erase_user(c, agent_id, user_id)
            await purge_derived.log(c, agent_id, "user", purge_derived.counts(receipt))
            return receipt

        return await self._forgotten(agent_id, work)

    async def _forgotten(self, agent_id: str, work: Work[Receipt]) -> Receipt:
        receipt = await self._database.run(Scope.all_users(agent_id), work, timeout=_SECONDS)
        self._embedders.drop(lambda _: True)  # the cache does not know the agent of a text
        caches.empty()
        return receipt

    async def past(self, scope: Scope) -> list[Erasure]:
        """Return the log of the erasures that a view sees, oldest first."""
        bound = purge_derived.SQL.erasures(agent_id=scope.agent_id)
        rows = await self._database.run(scope, lambda c: c.fetch(*bound))
        return [Erasure(**dict(row)) for row in rows]


async def _said(agent_id: str, ids: Sequence[UUID], c: Connection) -> frozenset[str]:
    """Return all texts that memories have now or had in earlier versions.

    Raises:
        UnknownMemory: the agent does not have one of the ids.
    """
    rows = await c.fetch(*SQL.get_memories(agent_id=agent_id, memory_ids=list(ids)))
    memory_rows.require_known(agent_id, ids, {row["id"] for row in rows})
    before = await c.fetch(*purge_derived.SQL.said_before(agent_id=agent_id, memory_ids=list(ids)))
    said = [dict(row) for row in rows] + [row["previous"] for row in before]
    return frozenset(text for each in said for text in purge_derived.texts(each))


async def _erased(sought: _Sought, others: _Others, before: Counter[str], c: Connection) -> _End:
    """Erase the memories in one transaction and return the receipt, unless something was written meanwhile.

    If other memories with erased text were stored meanwhile, erase nothing and return those memories, so that they can
    be changed first. If a memory to erase has a new text that was not searched for, erase nothing and return None.
    """
    agent_id, gone = sought.scope.agent_id, [*sought.ids, *(other.id for other in others.gone)]
    await c.execute(*SQL.own_rows(agent_id=agent_id))  # turns are recorded before this, or see the erasure
    if sought.scope.sees_all:  # so are memories; those of a user are stored under the user's lock
        await c.fetchrow(*SQL.lock_agent_row(agent_id=agent_id))
    if await _said(agent_id, sought.ids, c) - sought.texts:
        return None
    owners = {row["user_id"] for row in await c.fetch(*SQL.owners(agent_id=agent_id, memory_ids=sought.ids))}
    if owners != {sought.purge.user_id}:
        raise StoreConflict("memories to erase were assigned to users meanwhile; nothing is erased, try again")
    late = await purge_derived.quoting(c, sought.purge, gone, sought.since)
    if any(other.differs for other in late):
        return late
    receipt = await _erased_rows(sought, others, c)
    touched = before + await purge_derived.erase(c, sought.purge, sought.since)
    receipt = replace(
        receipt,
        user_id=sought.purge.user_id or None,
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


async def _erased_rows(sought: _Sought, others: _Others, c: Connection) -> Receipt:
    """Delete the rows of the memories, and those of other memories of which nothing is left, each in its scope."""
    erased_user = sought.purge.user_id
    gone = {erased_user: list(sought.ids)}
    for other in others.gone:
        gone.setdefault(other.user_id, []).append(other.id)
    receipts = [await erase_rows.erase(c, sought.scope.agent_id, gone.pop(erased_user))]
    for user_id, ids in sorted(gone.items()):  # only an erasure of shared memories finds those of users
        await write_as(c, user_id)
        receipts.append(await erase_rows.erase(c, sought.scope.agent_id, ids))
    if gone:
        await write_as(c, erased_user)
    return total(sought.scope.agent_id, receipts)


async def _looked(part: purge_derived.Part, sought: _Sought, c: Connection) -> Mapping[str, int]:
    return await part(c, sought.purge, None)


def _without(remains: Residue, memory: Memory) -> NewMemory:
    """Return a memory without erased text.

    Raises:
        InvalidInput: nothing would be left of its content.
    """
    left = preview.without(memory, remains)
    if says_nothing(left.content):
        raise InvalidInput(f"content: nothing is left of memory {memory.id}")
    return left


def _view(owner: Scope) -> Scope:
    """Return the view that erases memories of `owner`; shared ones may be quoted in the rows of all users."""
    return owner if owner.user is not None else Scope.all_users(owner.agent_id)


def _listed(ids: Sequence[UUID]) -> str:
    return ", ".join(map(str, ids[:3])) + (f" and {len(ids) - 3} others" if len(ids) > 3 else "")
