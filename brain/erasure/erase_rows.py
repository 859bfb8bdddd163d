"""Delete the rows of memories inside a transaction, with their index entries, usage and exposures."""

from __future__ import annotations

from uuid import UUID

from brain import index_rows, value_rows
from brain.memory_rows import SQL
from brain.postgres.database import Connection
from brain.postgres.wire_types import count
from brain.receipts import Receipt


async def erase(c: Connection, agent_id: str, ids: list[UUID]) -> Receipt:
    """Delete memories of the transaction's scope and all rows that refer to them, under the lock of their writers.

    Memories that they replaced stay hidden.
    """
    index = await index_rows.delete(c, agent_id, ids)
    await value_rows.delete(c, agent_id, ids)
    usage = count(await c.execute(*SQL.delete_usage(agent_id=agent_id, memory_ids=ids)))
    withheld = await c.fetch(*SQL.withhold_responses(agent_id=agent_id, memory_ids=ids))
    exposures = count(await c.execute(*SQL.delete_exposures(agent_id=agent_id, memory_ids=ids)))
    revisions = count(await c.execute(*SQL.delete_revisions(agent_id=agent_id, memory_ids=ids)))
    gone = await c.fetch(*SQL.delete_memories(agent_id=agent_id, memory_ids=ids))
    await index_rows.subtract_from_sessions(c, agent_id, index, gone, number=1)
    await c.execute(*SQL.clear_pointers(agent_id=agent_id, memory_ids=ids))
    await c.execute(*index_rows.add_to_counts(agent_id, (), index, memories=-len(gone)))
    return Receipt(
        agent_id,
        len(gone),
        index.passages,
        index.embeddings,
        index.postings,
        exposures,
        usage,
        revisions,
        responses=sum(row["kept"] for row in withheld),
    )
