"""Note the turns whose captured lines a model is to read, so that it reads each once, also after failures and crashes.

A process reserves turns before it asks the model. If it ends before it stored what the model formed, they are due again
when the reservation is over. Turns that failed wait longer and longer; after the last failure they are parked.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from datetime import datetime, timedelta
from uuid import UUID

from brain import statements
from brain.forming import Condition
from brain.postgres.database import Connection, Database
from brain.users import SHARED, Scope

SQL = statements.load("model_readings")


@dataclass(frozen=True, slots=True)
class WaitingTurn:
    """A turn that a model is to read: how often it failed, and the seconds until it is due."""

    turn_id: str
    failures: int
    wait: float


@dataclass(frozen=True, slots=True)
class UnreadTurns:
    """Counts of a user's completed turns that a model did not read: never requested, waiting, and parked."""

    scope: Scope
    new: int
    waiting: int
    parked: int


def check(scope: Scope, turn_id: str, read_at: datetime, *, end: bool) -> Condition:
    """Return the condition that a model is still to read a turn; with `end` it has then read it."""

    async def noted(c: Connection) -> bool:
        if end:
            return await _end(c, scope, turn_id, read_at)
        return bool(await c.fetchval(*SQL.check(agent_id=scope.agent_id, turn_id=turn_id)))

    return noted


def check_line(scope: Scope, line_id: UUID, read_at: datetime) -> Condition:
    """Return the condition that a parked line is still to read, and that no memories were erased since `read_at`."""

    async def holds(c: Connection) -> bool:
        return await _parked_line(c, scope, line_id, read_at) is not None

    return holds


class ModelReadings:
    """Lists the turns that a model is to read, reserves them, and notes what became of them."""

    def __init__(self, database: Database) -> None:
        self._database = database

    async def request(self, scope: Scope, *, parked: bool) -> None:
        """Note the completed turns of a scope that no model was to read; with `parked` those that failed too."""
        bound = SQL.request(agent_id=scope.agent_id, parked=parked)
        await self._database.run(scope, lambda c: c.execute(*bound))

    async def unread(self, agent_id: str) -> list[UnreadTurns]:
        """Return the users of an agent with turns that a model did not read."""
        rows = await self._database.run(Scope.all_users(agent_id), lambda c: c.fetch(*SQL.unread(agent_id=agent_id)))
        return [
            UnreadTurns(_scope(agent_id, row["user_id"]), row["new"], row["waiting"], row["parked"]) for row in rows
        ]

    async def sessions(self, agent_id: str, limit: int) -> list[tuple[Scope, str, float]]:
        """Return at most `limit` sessions with turns to read, each with its scope and its seconds without a turn."""
        bound = SQL.sessions(agent_id=agent_id, limit=limit)
        rows = await self._database.run(Scope.all_users(agent_id), lambda c: c.fetch(*bound))
        return [(_scope(agent_id, row["user_id"]), row["session_id"], row["quiet"]) for row in rows]

    async def waiting(self, scope: Scope, session_id: str) -> list[WaitingTurn]:
        """Return the turns of a session that a model is to read, oldest first."""
        bound = SQL.waiting(agent_id=scope.agent_id, session_id=session_id)
        return [WaitingTurn(**row) for row in await self._database.run(scope, lambda c: c.fetch(*bound))]

    async def claim(self, scope: Scope, turn_ids: Sequence[str], seconds: float) -> tuple[list[str], datetime | None]:
        """Reserve turns for this process for a number of seconds, if they are due and not reserved already.

        Return those that were reserved, and the time by the database's clock; it is None if there are none.
        """
        bound = SQL.claim(agent_id=scope.agent_id, turn_ids=list(turn_ids), seconds=seconds)
        rows = await self._database.run(scope, lambda c: c.fetch(*bound))
        claimed = {row["turn_id"] for row in rows}
        at = rows[0]["until"] - timedelta(seconds=seconds) if rows else None
        return [turn_id for turn_id in turn_ids if turn_id in claimed], at

    async def postpone(self, scope: Scope, turn_ids: Sequence[str], seconds: float) -> None:
        """Have turns read after a number of seconds."""
        bound = SQL.postpone(agent_id=scope.agent_id, turn_ids=list(turn_ids), seconds=seconds)
        await self._database.run(scope, lambda c: c.execute(*bound))

    async def fail(self, scope: Scope, turn_ids: Sequence[str], pauses: Sequence[float]) -> list[str]:
        """Count a failure of turns, which pause for the seconds in `pauses` by failure. Return the parked ones."""

        async def work(c: Connection) -> list[str]:
            now = await c.fetchval(*SQL.clock())
            due = [now + timedelta(seconds=pause) for pause in pauses]
            bound = SQL.fail(agent_id=scope.agent_id, turn_ids=list(turn_ids), due=due)
            return [row["turn_id"] for row in await c.fetch(*bound) if row["parked"]]

        return await self._database.run(scope, work)

    async def end(self, scope: Scope, turn_id: str, read_at: datetime) -> None:
        """Note that a turn was read at the time `read_at`, unless memories were erased since."""
        await self._database.run(scope, lambda c: _end(c, scope, turn_id, read_at))

    async def parked_line(self, scope: Scope, line_id: UUID, read_at: datetime | None = None) -> datetime | None:
        """Return the time by the database's clock if a parked line is visible and still to read, else None.

        With `read_at`, it is None too if memories were erased since this time.
        """
        return await self._database.run(scope, lambda c: _parked_line(c, scope, line_id, read_at))

    async def spent(self, agent_id: str) -> int:
        """Return the tokens that a model took of the agent's budget today (UTC)."""
        bound = SQL.spent(agent_id=agent_id)
        return await self._database.run(Scope(agent_id), lambda c: c.fetchval(*bound)) or 0

    async def spend(self, agent_id: str, tokens: int) -> None:
        """Count tokens that a model took of the agent's budget of today (UTC)."""

        async def work(c: Connection) -> None:
            day = await c.fetchval(*SQL.today())
            await c.execute(*SQL.spend(agent_id=agent_id, tokens=tokens, day=day))

        await self._database.run(Scope(agent_id), work)


async def _end(c: Connection, scope: Scope, turn_id: str, read_at: datetime) -> bool:
    return bool(await c.fetchval(*SQL.end(agent_id=scope.agent_id, turn_id=turn_id, read_at=read_at)))


async def _parked_line(c: Connection, scope: Scope, line_id: UUID, read_at: datetime | None) -> datetime | None:
    bound = SQL.parked_line(agent_id=scope.agent_id, memory_id=line_id, read_at=read_at)
    at: datetime | None = await c.fetchval(*bound)
    return at


def _scope(agent_id: str, user_id: str | None) -> Scope:
    return Scope(agent_id, user_id or SHARED)
