"""Write the values of memories by which filters find them, in a transaction (see `brain.filter_values`)."""

from __future__ import annotations

from collections.abc import Collection, Mapping
from uuid import UUID

from brain import statements
from brain.postgres.database import Bound, Connection
from brain.types import NewMemory

SQL = statements.load("value_rows")


def insert(agent_id: str, memories: Mapping[UUID, NewMemory]) -> Bound:
    """Return the statement that inserts the tags of memories, and the values in their attributes and metadata."""
    return SQL.insert_values(
        agent_id=agent_id,
        memory_ids=list(memories),
        types=[memory.type for memory in memories.values()],
        tags=[memory.tags for memory in memories.values()],
        attributes=[dict(memory.attributes) for memory in memories.values()],
        metadata=[dict(memory.metadata) for memory in memories.values()],
    )


async def delete(c: Connection, agent_id: str, ids: Collection[UUID]) -> None:
    """Delete the values of memories. Call it before the memories are deleted or changed."""
    await c.execute(*SQL.delete_values(agent_id=agent_id, memory_ids=list(ids)))
