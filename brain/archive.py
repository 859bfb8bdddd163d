"""An agent's memories, whole and a page at a time; and what was kept of them elsewhere, put back."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from typing import Any
from uuid import UUID

from brain import statements
from brain.archived import Base, Kept
from brain.postgres.database import Connection, Database

SQL = statements.load("archive")


class Archive:
    """Reads what an export needs, and writes what an import brings beside the memories; each agent's by itself."""

    def __init__(self, database: Database) -> None:
        self._database = database

    async def page(self, agent_id: str, after: int, limit: int) -> list[Mapping[str, Any]]:
        """The next memories behind a place in the agent's order, each with its place `seq`: the fields of `NewMemory`
        and of `Kept`, as they are stored.
        """
        return [
            dict(row)
            for row in await self._database.run(
                agent_id, lambda c: c.fetch(*SQL.page(agent_id=agent_id, after_seq=after, limit=limit))
            )
        ]

    async def bases(self, agent_id: str) -> list[Base]:
        """What is usual for the agent's memories, by type."""
        return [
            Base(**dict(row))
            for row in await self._database.run(agent_id, lambda c: c.fetch(*SQL.bases(agent_id=agent_id)))
        ]

    async def put_bases(self, agent_id: str, bases: Sequence[Base]) -> None:
        """Keeps what is usual for those types of which nothing is known yet."""
        rows = [SQL.put_base.values(agent_id=agent_id, **dict(base)) for base in bases]
        await self._database.run(agent_id, lambda c: c.executemany(SQL.put_base.sql, rows))

    async def repoint(self, agent_id: str, ids: Mapping[UUID, UUID]) -> None:
        """Repoints memories that name others by their ids elsewhere to the ids that these have here."""
        moved = [(was, id) for was, id in ids.items() if was != id]
        if moved:
            were, here = zip(*moved, strict=True)
            await self._database.run(
                agent_id, lambda c: c.execute(*SQL.repoint(agent_id=agent_id, old_ids=list(were), new_ids=list(here)))
            )


async def put_kept(c: Connection, agent_id: str, kept: Sequence[Kept]) -> None:
    """What is kept of memories, in the transaction that stores them."""
    await c.execute(
        *SQL.put_kept(
            agent_id=agent_id,
            memory_ids=[each.id for each in kept],
            superseded_by=[each.superseded_by for each in kept],
            created_at=[each.created_at for each in kept],
            updated_at=[each.updated_at for each in kept],
        ),
    )
    used = [(each.id, each.usage) for each in kept if each.usage is not None]
    await c.execute(
        *SQL.put_usage(
            agent_id=agent_id,
            memory_ids=[id for id, _ in used],
            shown=[u.shown for _, u in used],
            used=[u.used for _, u in used],
            times_shown=[u.times_shown for _, u in used],
            times_used=[u.times_used for _, u in used],
            last_at=[u.last_at for _, u in used],
        ),
    )
    changes = [(each.id, change) for each in kept for change in each.revisions]
    await c.execute(
        *SQL.put_revisions(
            agent_id=agent_id,
            memory_ids=[id for id, _ in changes],
            numbers=[change.number for _, change in changes],
            contents=[dict(change.was) for _, change in changes],
            changed_at=[change.at for _, change in changes],
        ),
    )
