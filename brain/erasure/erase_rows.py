"""Delete rows inside a transaction: those of memories, with all that refers to them, of an agent, or of one user of it.

The rows of an agent or a user are deleted in the operator's view, each table by its own statement, which a cluster
runs on the machine with the agent's rows.
"""

from __future__ import annotations

from uuid import UUID

from brain import index_rows, statements, value_rows
from brain.memory_rows import SQL
from brain.postgres.database import Connection
from brain.postgres.wire_types import count
from brain.receipts import Receipt
from brain.users import SHARED

_OF_AGENT = statements.load("erase_scope", own="true")
_OF_USER = statements.load("erase_scope", own="user_id = cognitive.scope()")
_SESSIONS = statements.load("sessions")

# Rows that refer to others come before them.
_TABLES_OF_USERS = (
    *("posting", "cell", "corpus", "memory_value", "exposure", "usage", "revision", "usage_base", "shadow", "turn"),
    *("session", "artifact", "subtask", "erasure", "memory"),
)
_POLICIES = ("policy_activation", "policy_version")
_TABLES_OF_AGENTS = ("rollup", "policy", "embedding_model", "agent_state")


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


async def erase_agent(c: Connection, agent_id: str) -> Receipt:
    """Delete all rows of the agent, and return their numbers."""
    rows = dict(await c.fetchrow(*_OF_AGENT.rows(agent_id=agent_id)))
    for table in (*_TABLES_OF_USERS, *_TABLES_OF_AGENTS):
        await c.execute(*_OF_AGENT.erase.fill(table=table)(agent_id=agent_id))
    policies = [count(await c.execute(*_OF_AGENT.erase.fill(table=table)(agent_id=agent_id))) for table in _POLICIES]
    return Receipt(agent_id, policies=sum(policies), **rows)


async def erase_user(c: Connection, agent_id: str, user_id: str) -> Receipt:
    """Delete the rows of the transaction's user, and return their numbers.

    Turns that recorded the user before turns were kept apart by users are deleted too, and the texts of their sessions
    cleared.
    """
    rows = dict(await c.fetchrow(*_OF_USER.rows(agent_id=agent_id)))
    for table in _TABLES_OF_USERS:
        await c.execute(*_OF_USER.erase.fill(table=table)(agent_id=agent_id))
    rows["turns"] += await _recorded_turns(c, agent_id)
    return Receipt(agent_id, user_id=user_id, **rows)


async def _recorded_turns(c: Connection, agent_id: str) -> int:
    """Delete the shared turns that record the transaction's user, and return their number."""
    turns = await c.fetch(*_OF_USER.recorded_turns(agent_id=agent_id))
    if turns:
        ids = [row["turn_id"] for row in turns]
        for table in ("exposure", "shadow", "turn"):
            await c.execute(*_OF_USER.erase_recorded.fill(table=table)(agent_id=agent_id, turn_ids=ids))
        # turns are locked before sessions, as in the closing of a turn
        sessions = sorted({row["session_id"] for row in turns})
        await c.execute(*_SESSIONS.clear(agent_id=agent_id, user_id=SHARED, session_ids=sessions))
    return len(turns)
