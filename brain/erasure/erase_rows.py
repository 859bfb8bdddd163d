"""Delete the rows of memories inside a transaction, with their index entries, usage and exposures."""

from __future__ import annotations

from uuid import UUID

from brain import value_rows
from brain.memory_rows import SQL, count
from brain.postgres.database import Connection
from brain.receipts import Receipt


async def erase(c: Connection, agent_id: str, ids: list[UUID]) -> Receipt:
    """Delete memories of the transaction's scope and all rows that refer to them, under the lock of their writers.

    Memories that they replaced stay hidden.
    """
    postings = count(await c.execute(*SQL.delete_postings(agent_id=agent_id, memory_ids=ids)))
    gone = await c.fetchrow(*SQL.delete_passages(agent_id=agent_id, memory_ids=ids))
    embeddings = count(await c.execute(*SQL.delete_embeddings(agent_id=agent_id, memory_ids=ids)))
    await value_rows.delete(c, agent_id, ids)
    usage = count(await c.execute(*SQL.delete_usage(agent_id=agent_id, memory_ids=ids)))
    responses = await c.fetchval(*SQL.withhold_responses(agent_id=agent_id, memory_ids=ids))
    exposures = count(await c.execute(*SQL.delete_exposures(agent_id=agent_id, memory_ids=ids)))
    revisions = count(await c.execute(*SQL.delete_revisions(agent_id=agent_id, memory_ids=ids)))
    memories = await c.fetchval(*SQL.delete_memories(agent_id=agent_id, memory_ids=ids))
    await c.execute(*SQL.clear_pointers(agent_id=agent_id, memory_ids=ids))
    await c.execute(
        *SQL.add_to_counts(
            agent_id=agent_id,
            seqs=0,
            session_numbers=0,
            memories=-memories,
            passages=-gone["passages"],
            sessions=0,
            content_lexemes=-gone["content_lexemes"],
            context_lexemes=-gone["context_lexemes"],
        ),
    )
    return Receipt(
        agent_id, memories, gone["passages"], embeddings, postings, exposures, usage, revisions, responses=responses
    )
