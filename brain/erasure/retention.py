"""Delete rows by age, in batches. Each memory type and each kind of row is kept for its own number of days.

The kind "hidden" is for memories that are superseded, retired, expired or merged, by the time since which they are.
"""

from __future__ import annotations

from collections.abc import Mapping
from datetime import datetime, timedelta
from functools import partial
from typing import Literal, get_args

from brain import statements
from brain.erasure import erase_rows, purge_derived
from brain.memory_rows import SQL as WRITING
from brain.postgres.database import AllUsersView, Connection, Database
from brain.postgres.transaction import write_as
from brain.types import MEMORY_TYPES, MemoryType

SQL = statements.load("retention")

Kind = Literal["hidden", "turns", "artifacts", "subtasks", "sessions", "erasures"]
KINDS: tuple[Kind, ...] = get_args(Kind)
Retained = MemoryType | Kind
_BATCH = 200  # rows per transaction: a turn waits for one only milliseconds
_ENDS: Mapping[Retained, str] = {
    "turns": "delete_turns",
    "artifacts": "delete_artifacts",
    "subtasks": "delete_subtasks",
    "sessions": "clear_sessions",
    "erasures": "delete_erasures",
}


class Retention:
    """Deletes memories, turns and other rows that are older than the policy allows, one agent at a time."""

    def __init__(self, database: Database) -> None:
        self._database = AllUsersView(database)

    async def due(self, agent_id: str, days: Mapping[Retained, float], now: datetime) -> dict[Retained, int]:
        """Return how many rows of each kind are older than their number of days. Deletes nothing."""
        due = dict[Retained, int]()
        for kind, kept in days.items():
            due[kind] = await self._database.run(agent_id, partial(_counted, agent_id, kind, _until(now, kept)))
        return {kind: number for kind, number in due.items() if number}

    async def enforce(self, agent_id: str, days: Mapping[Retained, float], now: datetime) -> dict[Retained, int]:
        """Delete the rows that are older than the number of days for their kind, and return how many of each kind.

        An interrupted call can be repeated.
        """
        gone = dict[Retained, int]()
        for kind, kept in days.items():
            number = len(await self._all(agent_id, kind, _until(now, kept)))
            if number:
                gone[kind] = number
        if gone:
            counts = {str(kind): number for kind, number in gone.items()}
            await self._database.run(agent_id, lambda c: purge_derived.log(c, agent_id, "retention", counts))
        return gone

    async def _all(self, agent_id: str, kind: Retained, until: datetime) -> list[object]:
        ended = list[object]()
        while batch := await self._database.run(agent_id, partial(_ended, agent_id, kind, until)):
            ended += batch
            if len(batch) < _BATCH:
                break
        return ended


def _until(now: datetime, days: float) -> datetime:
    return now - timedelta(days=days)


async def _counted(agent_id: str, kind: Retained, until: datetime, c: Connection) -> int:
    if kind in MEMORY_TYPES:
        return int(await c.fetchval(*SQL.count_memories(agent_id=agent_id, until=until, type=kind)))
    return int(await c.fetchval(*SQL[f"count_{kind}"](agent_id=agent_id, until=until)))


async def _ended(agent_id: str, kind: Retained, until: datetime, c: Connection) -> list[object]:
    """Delete a batch of the rows of one kind that are older than `until`, and return their ids.

    Memories are deleted with their index entries and usage. Their turns and sessions stay, since those have their own
    ages.
    """
    if kind in MEMORY_TYPES or kind == "hidden":
        found = (
            SQL.hidden_memories(agent_id=agent_id, until=until, limit=_BATCH)
            if kind == "hidden"
            else SQL.old_memories(agent_id=agent_id, until=until, limit=_BATCH, type=kind)
        )
        await c.fetchrow(*WRITING.lock_agent_row(agent_id=agent_id))
        rows = await c.fetch(*found)
        for user_id in sorted({row["user_id"] for row in rows}):
            await write_as(c, user_id)
            await erase_rows.erase(c, agent_id, [row["id"] for row in rows if row["user_id"] == user_id])
        return [row["id"] for row in rows]
    return [row["id"] for row in await c.fetch(*SQL[_ENDS[kind]](agent_id=agent_id, until=until, limit=_BATCH))]
