"""Note the turns whose captured lines are still to form memories, so that each forms them once, also after a crash."""

from __future__ import annotations

from collections.abc import Awaitable, Callable

from brain import statements
from brain.postgres.database import Connection, Database
from brain.preparing import identity_by_source
from brain.users import SHARED, Scope

SQL = statements.load("forming")

# Runs inside a transaction in the view of a turn's user; returns False to write nothing.
Condition = Callable[[Connection], Awaitable[bool]]


def begin(scope: Scope, turn_id: str, line: str, *, by_model: bool = False) -> Condition:
    """Return the condition that notes a turn as one whose lines are to form memories. It always holds.

    `line` is the source of the user's line. If it is stored already, the turn was noted with it and is not noted again,
    so that a repeated outcome changes no memories. With `by_model`, a model is to read the lines too
    (`brain.model_readings`).
    """
    known = identity_by_source("episode", line)

    async def note(c: Connection) -> bool:
        await c.execute(*SQL.begin(agent_id=scope.agent_id, turn_id=turn_id, line=known, by_model=by_model))
        return True

    return note


def check(scope: Scope, turn_id: str, *, end: bool = False) -> Condition:
    """Return the condition that a turn's lines are still to form memories. With `end`, they have then formed them."""

    async def noted(c: Connection) -> bool:
        statement = SQL.end if end else SQL.check
        return bool(await c.fetchval(*statement(agent_id=scope.agent_id, turn_id=turn_id)))

    return noted


class FormingTurns:
    """Lists the turns whose lines are still to form memories, and removes turns from the list."""

    def __init__(self, database: Database) -> None:
        self._database = database

    async def list(self, agent_id: str, limit: int) -> list[tuple[Scope, str]]:
        """Return at most `limit` such turns of all users of an agent, oldest first, each with the view of its user."""
        scope = Scope.all_users(agent_id)
        rows = await self._database.run(scope, lambda c: c.fetch(*SQL.waiting(agent_id=agent_id, limit=limit)))
        return [(Scope(agent_id, row["user_id"] or SHARED), row["turn_id"]) for row in rows]

    async def holds(self, scope: Scope, turn_id: str) -> bool:
        """Return True if a turn's lines are still to form memories."""
        return bool(await self._database.run(scope, check(scope, turn_id)))

    async def end(self, scope: Scope, turn_id: str) -> None:
        """Note that a turn's lines have formed what they form."""
        await self._database.run(scope, check(scope, turn_id, end=True))
