"""The store of memories: remember, get, update and supersede them. Each transaction is limited to one agent."""

from __future__ import annotations

from collections.abc import Awaitable, Callable, Sequence
from dataclasses import replace
from datetime import datetime
from functools import partial
from typing import Any
from uuid import UUID

from brain import agent_rows, archive, filter_sql, memory_rows, redacting, superseding
from brain.archive import ArchivedMemory
from brain.embedding.embedders import Embedders
from brain.errors import StoreError, UnknownMemory
from brain.filters import MemoryFilter
from brain.forming import Condition
from brain.languages import AgentLanguages
from brain.memory_rows import SQL
from brain.ports import Progress
from brain.postgres.database import Bound, Connection, Database, T
from brain.postgres.transaction import write_as
from brain.postgres.wire_types import as_value
from brain.preparing import Preparation, PreparedMemory, identity, identity_by_source, replaced_fields
from brain.redacting import UNREDACTED, Redactor
from brain.types import Memory, MemoryType, NewMemory, Revision
from brain.users import SHARED, Scope

MAX_TRIES = 50  # attempts of a write, each repeated because another write came first
MAX_WISHES_READ = 10  # latest preferences and standing instructions that are read; the system message shows fewer
BATCH = 256  # memories per transaction: large enough to amortise a commit, small enough to show progress
_PINNED = SQL.pinned_memories.fill(condition="TRUE")

# Write prepared memories in a transaction; return False if they must be prepared again.
Work = Callable[[list[PreparedMemory], Connection], Awaitable[bool]]


class MemoryStore:
    """Stores and reads the memories of all agents; an agent sees only its own.

    `on_growth(agent_id)` is called after a write if the agent's language must be recognised again.
    """

    def __init__(
        self,
        database: Database,
        embedders: Embedders,
        redactor: Redactor = UNREDACTED,
        languages: AgentLanguages | None = None,
        on_growth: Callable[[str], object] = lambda agent_id: None,
    ) -> None:
        self._database = database
        self._embedders = embedders
        self._redactor = redactor
        self._languages = languages if languages is not None else AgentLanguages()
        self._preparation = Preparation(embedders, self._languages)
        self._write_rows = partial(memory_rows.write, embedders=embedders, languages=self._languages)
        self._on_growth = on_growth

    async def remember(
        self,
        agent_id: str,
        memories: Sequence[NewMemory],
        *,
        now: datetime,
        detect_updates: bool = False,
        progress: Progress | None = None,
    ) -> list[UUID]:
        """Store memories in batches, each in one transaction per user, and return their ids in order.

        Each memory is written in the view of the user that it names. With `detect_updates`, it supersedes earlier ones
        with another value of the same attribute, as formed memories always do, and is superseded by later ones.

        A memory that exists already (see `NewMemory`) is not stored again, and the existing id is returned. `progress`
        is called with (done, total) after each batch.

        Raises:
            UnknownMemory: the view has no memory with the id in `supersedes`; nothing is written.
            InvalidInput: the memory in `supersedes` has another user; nothing is written.
            EmbeddingError: a text could not be embedded; the batch is not written.
        """

        async def store(scope: Scope, own: Sequence[NewMemory]) -> list[UUID]:
            async def work(prepared: list[PreparedMemory], c: Connection) -> bool:
                return await self._write_rows(c, scope, prepared, detect_updates=detect_updates)

            return await self._remember_batch(scope, own, now, work)

        await self._require_replaceable(agent_id, [memory for memory in memories if memory.supersedes is not None])
        ids: list[UUID] = []
        for start in range(0, len(memories), BATCH):
            batch = await self._redacted(memories[start : start + BATCH])
            ids += await _per_user(agent_id, batch, lambda memory: memory.user_id, store)
            if progress is not None:
                progress(len(ids), len(memories))
        return ids

    async def restore(self, agent_id: str, archived: Sequence[ArchivedMemory], *, now: datetime) -> list[UUID]:
        """Store exported memories with their ids and metadata, and return their ids in this store.

        A memory that the agent has already stays unchanged, and its existing id is returned.

        Raises:
            EmbeddingError: a text could not be embedded; the batch is not written.
        """

        async def store(scope: Scope, own: Sequence[ArchivedMemory]) -> list[UUID]:
            metadata = {identity(each.memory): each.kept for each in reversed(own)}

            async def work(prepared: list[PreparedMemory], c: Connection) -> bool:
                found = ((item, metadata[item.identity]) for item in prepared)
                restored = [replace(item, id=kept.id, kept=kept) for item, kept in found]
                return await self._write_rows(c, scope, restored)

            return await self._remember_batch(scope, [each.memory for each in own], now, work)

        ids: list[UUID] = []
        for start in range(0, len(archived), BATCH):
            batch = await self._redactor.run(partial(archive.redacted, archived[start : start + BATCH]))
            ids += await _per_user(agent_id, batch, lambda each: each.memory.user_id, store)
        return ids

    async def prepare(self, agent_id: str, memories: Sequence[NewMemory], now: datetime) -> list[PreparedMemory]:
        """Redact, index and embed memories that are about to be stored; of equal ones only the last.

        Raises:
            EmbeddingError: a text could not be embedded.
        """
        redacted = await self._redacted(memories)
        return await self._preparation.prepare(agent_id, {identity(memory): memory for memory in redacted}, now)

    def forget_vectors(self, prepared: Sequence[PreparedMemory]) -> None:
        """Remove the vectors of memories that are not stored after all from the cache."""
        for item in prepared:
            self._preparation.forget(item.memory, item.occurred_at)

    async def remember_of_turn(
        self,
        scope: Scope,
        turn_id: str,
        memories: Sequence[NewMemory],
        *,
        now: datetime,
        read_at: datetime,
        shared: bool = False,
        condition: Condition | None = None,
        prepared: list[PreparedMemory] | None = None,
    ) -> None:
        """Store memories that were extracted from a recorded turn, as `remember` does.

        They are those of the turn's user, or with `shared` the agent's. With a `condition` they are stored if it holds
        in the same transaction. `prepared` is what `prepare` returned for these memories, at most `BATCH`.

        `read_at` is the time when the turn was read, by the clock of the database. If a memory of the agent was erased
        after this time, nothing is stored, because the extracted texts may contain the erased one.
        """
        owner = scope.as_user(None) if shared else scope
        view = scope if owner == scope else Scope.all_users(scope.agent_id)  # only this writes two users' rows

        async def work(prepared: list[PreparedMemory], c: Connection) -> bool:
            if owner != scope:
                await memory_rows.share_users(c, scope.agent_id, [scope.key[1]])
                await write_as(c, scope.key[1])
            if not await c.fetchval(*SQL.has_turn(agent_id=scope.agent_id, turn_id=turn_id, read_at=read_at)):
                return self._leave_out(prepared)
            # The agent's row is locked before the turn, which conditions lock.
            state = await agent_rows.locked(c, scope.agent_id) if condition is not None else None
            if condition is not None and not await condition(c):
                return self._leave_out(prepared)
            if owner != scope:
                await write_as(c, owner.key[1])
            return await self._write_rows(c, owner, prepared, state=state)

        for start in range(0, len(memories), BATCH):
            batch = prepared or await self.prepare(scope.agent_id, memories[start : start + BATCH], now)
            await self._write(view, batch, now, work)

    async def remember_if(
        self, scope: Scope, memories: Sequence[NewMemory], *, now: datetime, condition: Condition
    ) -> None:
        """Store at most 256 memories of a view, as `remember` does, if a condition holds in the same transaction."""

        async def work(prepared: list[PreparedMemory], c: Connection) -> bool:
            state = await agent_rows.locked(c, scope.agent_id)  # before the turn, which conditions lock
            if not await condition(c):
                return self._leave_out(prepared)
            return await self._write_rows(c, scope, prepared, state=state)

        await self._write(scope, await self.prepare(scope.agent_id, memories, now), now, work)

    async def update(self, scope: Scope, id: UUID, change: Callable[[Memory], NewMemory]) -> Memory:
        """Replace a memory by the result of `change`, index it again, and return it.

        The memory keeps its id, session, source and place in the order of memories. If another process changes it
        meanwhile, `change` is called again with the new state.

        Raises:
            UnknownMemory: the view has no memory with this id.
            InvalidInput: the memory is shared, and the view a user's; or another memory has the same content, speaker,
                session and time.
            StoreError: other processes changed the memory 50 times in a row.
        """
        for _ in range(MAX_TRIES):
            if await self._update_once(scope, id, change) and (updated := await self.get(scope, [id])):
                return updated[0]
        raise StoreError(f"memory {id} was changed by other processes {MAX_TRIES} times in a row; try again")

    async def get(self, scope: Scope, ids: Sequence[UUID]) -> list[Memory]:
        """Return the memories with these ids, in the same order; ids that do not exist are left out."""
        rows = await self._fetch(scope, SQL.get_memories(agent_id=scope.agent_id, memory_ids=list(ids)))
        memories = {row["id"]: as_value(Memory, row) for row in rows}
        return [memories[id] for id in ids if id in memories]

    async def identities(
        self, agent_id: str, memories: Sequence[NewMemory]
    ) -> tuple[list[tuple[str, bytes]], set[tuple[str, bytes]]]:
        """Return each memory's user and identity, in order, and which of these pairs the agent has already."""
        pairs = [(memory.user_id or SHARED, identity(memory)) for memory in await self._redacted(memories)]
        users, identities = [user_id for user_id, _ in pairs], [each for _, each in pairs]
        bound = SQL.ids_of_users(agent_id=agent_id, user_ids=users, identities=identities)
        rows = await self._fetch(Scope.all_users(agent_id), bound)
        return pairs, {(row["user_id"], row["identity"]) for row in rows}

    async def find_by_source(self, scope: Scope, type_: MemoryType, sources: Sequence[str]) -> list[Memory]:
        """Return the memories of a type that were stored under these sources, oldest first."""
        identities = [identity_by_source(type_, source) for source in sources]
        return await self.get(scope, list((await self._existing(scope, identities)).values()))

    async def find_by_owner_and_source(
        self, scope: Scope, type_: MemoryType, wanted: Sequence[tuple[str, str]]
    ) -> list[Memory]:
        """Return the memories of a type that were stored for these owners, each under its source."""
        owners, identities = [owner for owner, _ in wanted], [identity_by_source(type_, source) for _, source in wanted]
        bound = SQL.ids_of_users(agent_id=scope.agent_id, user_ids=owners, identities=identities)
        return await self.get(scope, [row["id"] for row in await self._fetch(scope, bound)])

    async def visible_sources(
        self, scope: Scope, sources: Sequence[tuple[str, str]], tag: str, without: Sequence[UUID]
    ) -> set[tuple[str, str]]:
        """Return the pairs (owner, source) of `sources` for which a visible memory has the tag.

        The memories with the ids `without` do not count.
        """
        owners, named = [owner for owner, _ in sources], [source for _, source in sources]
        bound = SQL.visible_sources(
            agent_id=scope.agent_id, user_ids=owners, sources=named, tag=tag, memory_ids=list(without)
        )
        return {(row["user_id"], row["source"]) for row in await self._fetch(scope, bound)}

    async def find(self, scope: Scope, wanted: MemoryFilter, limit: int, offset: int = 0) -> list[Memory]:
        """Return a page of the memories that a filter admits, oldest first, with those that are hidden."""
        admitted = filter_sql.condition(wanted)
        statement = filter_sql.filled(SQL.find_memories, admitted.sql)
        bound = statement(agent_id=scope.agent_id, limit=limit, offset=offset, **admitted.values)
        return [as_value(Memory, row) for row in await self._fetch(scope, bound)]

    async def pinned(self, scope: Scope, now: datetime) -> list[Memory]:
        """Return the memories that the system message may show at the time `now`.

        These are pinned memories, oldest first, then the latest preferences and standing instructions of the view's
        user, oldest first: at most `MAX_WISHES_READ`.
        """
        bound = _PINNED(agent_id=scope.agent_id, now=now, wishes=MAX_WISHES_READ)
        return [as_value(Memory, row) for row in await self._fetch(scope, bound)]

    async def revisions(self, scope: Scope, id: UUID) -> list[Revision]:
        """Return the last changes of a memory, at most `memory_rows.MAX_REVISIONS`, latest first.

        Raises:
            UnknownMemory: the agent has no memory with this id.
        """
        rows = await self._fetch(scope, SQL.revisions(agent_id=scope.agent_id, memory_id=id))
        if not rows:
            raise UnknownMemory(f"{scope} has no memory {id}")
        return [as_value(Revision, row) for row in rows if row["number"] is not None]

    async def _require_replaceable(self, agent_id: str, memories: Sequence[NewMemory]) -> None:
        """Raise the errors of `superseding.replaceable` for those of the memories that are not stored yet."""
        new = await self._redacted(memories)
        for user_id in dict.fromkeys(memory.user_id for memory in new):
            scope = Scope(agent_id, user_id or SHARED)
            own = {identity(memory): memory.supersedes for memory in new if memory.user_id == user_id}
            known = await self._existing(scope, list(own))
            superseded = [id for key, id in own.items() if key not in known]
            await self._database.run(scope, partial(superseding.replaceable, scope=scope, superseded=superseded))

    async def _remember_batch(self, scope: Scope, batch: Sequence[NewMemory], now: datetime, work: Work) -> list[UUID]:
        """Store those memories that the view does not have yet, by `work`; return the ids of all, in order."""
        identities = [identity(memory) for memory in batch]
        first = dict(zip(reversed(identities), reversed(batch), strict=True))
        for _ in range(MAX_TRIES):
            known = await self._existing(scope, identities)
            fresh = {key: first[key] for key in identities if key not in known}
            if not fresh:
                return [known[key] for key in identities]
            await self._write(scope, await self._preparation.prepare(scope.agent_id, fresh, now), now, work)
        raise StoreError(f"other processes erased memories of the batch {MAX_TRIES} times in a row; try again")

    async def _write(self, scope: Scope, prepared: list[PreparedMemory], now: datetime, work: Work) -> None:
        """Write memories. Prepare them again first if the agent's embedding models or languages changed meanwhile.

        Raises:
            StoreError: these changed 50 times in a row.
        """
        if not prepared:
            return
        for _ in range(MAX_TRIES):
            if await self._database.run(scope, partial(work, prepared), first=agent_rows.sharing(scope.agent_id)):
                if self._languages.take_due(scope.agent_id):
                    self._on_growth(scope.agent_id)
                return
            again = {item.identity: item.memory for item in prepared}
            prepared = await self._preparation.prepare(scope.agent_id, again, now)
        raise StoreError(f"the agent's models or languages changed {MAX_TRIES} times in a row; try again")

    async def _redacted(self, memories: Sequence[NewMemory]) -> list[NewMemory]:
        return await self._redactor.run(lambda redact: [redacting.memory(memory, redact) for memory in memories])

    async def _existing(self, scope: Scope, identities: list[bytes]) -> dict[bytes, UUID]:
        rows = await self._fetch(scope, SQL.existing_identities(agent_id=scope.agent_id, identities=identities))
        return {row["identity"]: row["id"] for row in rows}

    async def _fetch(self, scope: Scope, bound: Bound) -> list[Any]:
        return await self._database.run(scope, lambda c: c.fetch(*bound))

    def _leave_out(self, prepared: Sequence[PreparedMemory]) -> bool:
        """Forget the vectors of memories that are not stored: their text may have been erased. Return True."""
        self.forget_vectors(prepared)
        return True

    async def _update_once(self, scope: Scope, id: UUID, change: Callable[[Memory], NewMemory]) -> bool:
        """Rewrite a memory once. Return False if another process has changed it meanwhile."""
        rows = await self._fetch(scope, SQL.versioned_memory(agent_id=scope.agent_id, memory_id=id))
        if not rows:
            raise UnknownMemory(f"{scope} has no memory {id}")
        old, version = as_value(Memory, rows[0]), rows[0]["version"]
        memory_rows.require_own(scope, {id: old.owner})
        [prepared] = await self.prepare(scope.agent_id, [change(old)], old.occurred_at)
        item, replaced = replace(prepared, id=id), replaced_fields(old, prepared.memory, prepared.occurred_at)
        rewritten = await self._database.run(
            scope,
            lambda c: memory_rows.rewrite(c, scope, item, version, replaced, self._embedders, self._languages),
            first=agent_rows.sharing(scope.agent_id),
        )
        if rewritten:
            self._preparation.forget(old, old.occurred_at)
        return rewritten


async def _per_user(
    agent_id: str,
    memories: Sequence[T],
    user_of: Callable[[T], str | None],
    store: Callable[[Scope, Sequence[T]], Awaitable[list[UUID]]],
) -> list[UUID]:
    """Store memories in the views of their users, one after the other; return the ids in the order of `memories`."""
    places: dict[Scope, list[int]] = {}
    for place, memory in enumerate(memories):
        places.setdefault(Scope(agent_id, user_of(memory) or SHARED), []).append(place)
    ids: dict[int, UUID] = {}
    for scope, own in places.items():
        ids.update(zip(own, await store(scope, [memories[place] for place in own]), strict=True))
    return [ids[place] for place in range(len(memories))]
