"""Write the values of memories by which filters find them, in a transaction (see `brain.filter_values`)."""

from __future__ import annotations

from collections.abc import Collection
from uuid import UUID

from brain import statements
from brain.postgres.database import Connection

SQL = statements.load("value_rows")


async def insert(c: Connection, agent_id: str, ids: Collection[UUID]) -> None:
    """Insert the tags of stored memories, and the values in their attributes and metadata."""
    if ids:
        await c.execute(*SQL.insert_values(agent_id=agent_id, memory_ids=list(ids)))


async def delete(c: Connection, agent_id: str, ids: Collection[UUID]) -> None:
    """Delete the values of memories. Call it before the memories are deleted or changed."""
    await c.execute(*SQL.delete_values(agent_id=agent_id, memory_ids=list(ids)))
