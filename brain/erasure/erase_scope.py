"""Delete all rows of an agent, or of one user of it, inside a transaction in the operator's view.

Each statement writes one table, so that a cluster runs it on the machine with the agent's rows.
"""

from __future__ import annotations

from brain import statements
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


async def agent(c: Connection, agent_id: str) -> Receipt:
    """Delete all rows of the agent, and return their numbers."""
    rows = dict(await c.fetchrow(*_OF_AGENT.rows(agent_id=agent_id)))
    for table in (*_TABLES_OF_USERS, *_TABLES_OF_AGENTS):
        await c.execute(*_OF_AGENT.erase.fill(table=table)(agent_id=agent_id))
    policies = [count(await c.execute(*_OF_AGENT.erase.fill(table=table)(agent_id=agent_id))) for table in _POLICIES]
    return Receipt(agent_id, policies=sum(policies), **rows)


async def user(c: Connection, agent_id: str, user_id: str) -> Receipt:
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
