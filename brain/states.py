"""Hide memories and show them again: retire, supersede, merge and restore them.

Nothing is deleted, and each step can be undone.

A memory has one state: `hidden_at` and `hidden_reason`, both null while it stays visible (see `brain.types.Memory`).
If several things would hide it, only the earliest counts. When memories are stored, superseding
(`brain.superseding`) and expiry (`brain.memory_rows`) set the same state.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from datetime import datetime
from uuid import UUID

from brain import memory_rows
from brain.errors import InvalidInput
from brain.memory_rows import SQL
from brain.postgres.database import Connection, Database
from brain.postgres.wire_types import as_value
from brain.superseding import SQL as SQL_OF_VERSIONS
from brain.types import HiddenReason, Memory, MemoryType, Trust, above
from brain.users import Scope


@dataclass(frozen=True, slots=True)
class _State:
    """The fields of a memory that decide whether it may be hidden or shown again."""

    id: UUID
    user_id: str
    type: MemoryType
    trust: Trust
    hidden_at: datetime | None
    hidden_reason: HiddenReason | None
    expires_at: datetime | None

    def require_visible(self, name: str, now: datetime) -> None:
        """Raise InvalidInput if the memory is hidden at the time `now`; `name` is the argument that names it."""
        if self.hidden_at is not None and self.hidden_at <= now:
            hidden = f"{name}: memory {self.id} is hidden since {self.hidden_at}: {self.hidden_reason}"
            raise InvalidInput(f"{hidden}; `restore` shows it again")

    def require_hidden(self, now: datetime) -> None:
        """Raise InvalidInput if nothing hides the memory but an expiry after the time `now`."""
        if self.hidden_at is None or (self.hidden_reason == "expired" and self.hidden_at > now):
            raise InvalidInput(f"ids: memory {self.id} is not hidden")


class MemoryStates:
    """Retires, supersedes, merges and restores memories of one agent at a time.

    The methods change all of the given memories or none. `retire` and `restore` change those of several users in the
    operator's view, and then lock each of these users: give them a limited number. The methods raise UnknownMemory for
    an id that the agent does not have, and InvalidInput if a memory has more trust than the author, `by`, or is shared
    and the view is a user's.
    """

    def __init__(self, database: Database) -> None:
        self._database = database

    async def check(self, scope: Scope, ids: Sequence[UUID], *, by: Trust, now: datetime, hidden: bool) -> None:
        """Raise the error that `retire` or, if they are `hidden`, `restore` of memories would raise; change nothing."""

        async def work(c: Connection) -> None:
            for state in await _states(c, scope, ids, by):
                if hidden:
                    state.require_hidden(now)
                else:
                    state.require_visible("ids", now)

        await self._database.run(scope, work)

    async def retire(self, scope: Scope, ids: Sequence[UUID], *, by: Trust, now: datetime) -> None:
        """Hide memories from the time `now` on.

        Raises:
            InvalidInput: a memory is hidden already.
        """

        async def work(c: Connection) -> None:
            for state in await _locked(c, scope, ids, by):
                state.require_visible("ids", now)
            await _hide(c, scope.agent_id, "retired", ids, now)

        await self._database.run(scope, work)

    async def supersede(
        self, scope: Scope, ids: Sequence[UUID], by_memory: Memory, *, by: Trust, now: datetime
    ) -> None:
        """Hide memories from the time of another one on, because that one says what holds instead.

        Raises:
            InvalidInput: a memory is hidden already, or the other one is.
        """

        async def work(c: Connection) -> None:
            for state in await _locked(c, scope, [*ids, by_memory.id], by):
                state.require_visible("ids", now)
            await _hide(c, scope.agent_id, "superseded", ids, by_memory.occurred_at, by_memory.id)
            await c.execute(*SQL_OF_VERSIONS.name_older(agent_id=scope.agent_id, older=ids[:1], newer=[by_memory.id]))

        await self._database.run(scope, work)

    async def restore(self, scope: Scope, ids: Sequence[UUID], *, by: Trust, now: datetime) -> None:
        """Show hidden memories again, as if nothing had hidden them. An expiry that is past is removed.

        A memory that superseded one of them does so no longer.

        Raises:
            InvalidInput: a memory is not hidden.
        """

        async def work(c: Connection) -> None:
            for state in await _locked(c, scope, ids, by):
                state.require_hidden(now)
            await c.execute(*SQL.show(agent_id=scope.agent_id, memory_ids=list(ids), now=now))
            await c.execute(*SQL.forget_replaced(agent_id=scope.agent_id, memory_ids=list(ids)))

        await self._database.run(scope, work)

    async def merge(self, scope: Scope, ids: Sequence[UUID], into: UUID, *, by: Trust, now: datetime) -> None:
        """Hide memories from the time `now` on, because the memory `into` says the same.

        Raises:
            InvalidInput: a memory is hidden, has another type than `into`, or is `into` itself.
        """
        if into in ids:
            raise InvalidInput(f"into: memory {into} cannot be merged into itself")

        async def work(c: Connection) -> None:
            *merged, target = await _locked(c, scope, [*ids, into], by)
            target.require_visible("into", now)
            for state in merged:
                state.require_visible("ids", now)
                if state.type != target.type:
                    raise InvalidInput(f"ids: memory {state.id} is a {state.type}, and {into} is a {target.type}")
            await _hide(c, scope.agent_id, "merged", ids, now, into)

        await self._database.run(scope, work)


async def _locked(c: Connection, scope: Scope, ids: Sequence[UUID], by: Trust) -> list[_State]:
    """Lock the agent's row and return the states of memories, in the order of `ids`."""
    await memory_rows.share_agent(c, scope.agent_id)
    if scope.sees_all:
        owners = await c.fetch(*SQL.owners(agent_id=scope.agent_id, memory_ids=list(ids)))
        await memory_rows.share_users(c, scope.agent_id, [row["user_id"] for row in owners])
    await c.fetchrow(*SQL.lock_agent_row(agent_id=scope.agent_id))
    return await _states(c, scope, ids, by)


async def _states(c: Connection, scope: Scope, ids: Sequence[UUID], by: Trust) -> list[_State]:
    """Return the states of memories that the view may change, in the order of `ids`."""
    rows = await c.fetch(*SQL.states(agent_id=scope.agent_id, memory_ids=list(ids)))
    states = {row["id"]: as_value(_State, row) for row in rows}
    memory_rows.require_known(scope.agent_id, ids, states)
    if not scope.sees_all:
        memory_rows.require_own(scope, {state.id: state.user_id for state in states.values()})
    for state in states.values():
        if above(state.trust, by):
            raise InvalidInput(f"trust: an author with trust {by!r} cannot hide or show a memory of {state.trust!r}")
    return [states[id] for id in ids]


async def _hide(
    c: Connection, agent_id: str, reason: HiddenReason, ids: Sequence[UUID], at: datetime, into: UUID | None = None
) -> None:
    await c.execute(
        *SQL.hide(
            agent_id=agent_id,
            reason=reason,
            memory_ids=list(ids),
            hidden_at=[at] * len(ids),
            replaced_by=[into] * len(ids),
        )
    )
