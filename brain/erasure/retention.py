"""Delete rows by age, in batches. Each memory type and each kind of row is kept for its own number of days.

The kind "hidden" is for memories that are superseded, retired, expired or merged, by the time since which they are.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from datetime import datetime, timedelta
from functools import partial
from typing import Any
from uuid import UUID

from brain import statements
from brain.erasure import erase_rows, purge_derived
from brain.memory_rows import SQL as WRITING
from brain.memory_rows import share_agent, share_users
from brain.memory_types import Retained
from brain.postgres.database import AllUsersView, Connection, Database
from brain.postgres.transaction import write_as
from brain.postgres.wire_types import count
from brain.types import MEMORY_TYPES

SQL = statements.load("retention")

_BATCH = 200  # rows per transaction: a turn waits for one only milliseconds
_ENDS: Mapping[Retained, str] = {
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

        Exposures without a turn are deleted with the turns, and not counted. An interrupted call can be repeated.
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
        while batch := await self._database.run(agent_id, partial(_due, agent_id, kind, until)):
            if kind in MEMORY_TYPES or kind == "hidden":
                ended += await self._erased(agent_id, kind, until, batch)
            else:
                ended += [row["id"] for row in batch]
            if len(batch) < _BATCH:
                break
        if kind == "turns":
            while await self._database.run(agent_id, partial(_delete_exposures, agent_id, until)) == _BATCH:
                pass
        return ended

    async def _erased(self, agent_id: str, kind: Retained, until: datetime, rows: Sequence[Any]) -> list[object]:
        """Erase memories with their index entries and usage, and return their ids.

        Each user has a separate transaction, so that writers of the agent never wait for the erasure of many
        users' memories. Turns and sessions stay, since those have their own ages.
        """
        ended = list[object]()
        for user_id in sorted({row["user_id"] for row in rows}):
            ids = [row["id"] for row in rows if row["user_id"] == user_id]
            ended += await self._database.run(agent_id, partial(_erase, agent_id, user_id, kind, until, ids))
        return ended


def _until(now: datetime, days: float) -> datetime:
    return now - timedelta(days=days)


async def _counted(agent_id: str, kind: Retained, until: datetime, c: Connection) -> int:
    if kind in MEMORY_TYPES:
        return int(await c.fetchval(*SQL.count_memories(agent_id=agent_id, until=until, type=kind)))
    return int(await c.fetchval(*SQL[f"count_{kind}"](agent_id=agent_id, until=until)))


async def _due(agent_id: str, kind: Retained, until: datetime, c: Connection) -> Sequence[Any]:
    """Return a batch of the memories that are older than `until`; delete rows of other kinds, and return their ids."""
    if kind in MEMORY_TYPES:
        bound = SQL.old_memories(agent_id=agent_id, until=until, limit=_BATCH, type=kind)
    elif kind == "hidden":
        bound = SQL.hidden_memories(agent_id=agent_id, until=until, limit=_BATCH)
    elif kind == "turns":
        bound = SQL.old_turns(agent_id=agent_id, until=until, limit=_BATCH)
    else:
        bound = SQL[_ENDS[kind]](agent_id=agent_id, until=until, limit=_BATCH)
    rows: Sequence[Any] = await c.fetch(*bound)
    if kind == "turns":
        old = {"user_ids": [row["user_id"] for row in rows], "turn_ids": [row["turn_id"] for row in rows]}
        for table in ("exposure", "shadow", "turn"):
            await c.execute(*SQL.delete_turns.fill(table=table)(agent_id=agent_id, **old))
    return rows


async def _delete_exposures(agent_id: str, until: datetime, c: Connection) -> int:
    """Delete a batch of the exposures before `until` that have no turn, and return their number."""
    return count(await c.execute(*SQL.delete_exposures(agent_id=agent_id, until=until, limit=_BATCH)))


async def _erase(
    agent_id: str, user_id: str, kind: Retained, until: datetime, ids: list[UUID], c: Connection
) -> list[object]:
    """Erase memories of a user that are still older than `until`, and return their ids."""
    await share_agent(c, agent_id)
    await share_users(c, agent_id, [user_id])  # no row is left of a user who is erased at the same time
    await write_as(c, user_id)
    due = SQL.still_hidden if kind == "hidden" else SQL.still_old
    bound = due(agent_id=agent_id, memory_ids=ids, until=until)
    if not await c.fetch(*bound):
        return []
    await c.fetchrow(*WRITING.lock_agent_row(agent_id=agent_id))
    still = [row["id"] for row in await c.fetch(*bound)]
    if still:
        await erase_rows.erase(c, agent_id, still)
    return list(still)
