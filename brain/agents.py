"""Queries over all agents, for the operators of a database: names and embedding models.

Only roles that bypass row level security can run them. Any other role gets an error, never an empty result.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from datetime import UTC, datetime, timedelta
from typing import Any

import asyncpg

from brain import statements
from brain.errors import SchemaError
from brain.ivf_index import LARGE
from brain.postgres.admin_connection import connected

SQL = statements.load("agents")

_STATEMENT_SECONDS = 30.0


@dataclass(frozen=True, slots=True)
class ModelOfAgents:
    """An embedding model and how many agents use it.

    There is a count for each state of the model in an agent: `live` (its vectors are searched), `building` (they are
    being computed), `ready` (it can become live) and `retired`.
    """

    model: str
    live: int
    building: int
    ready: int
    retired: int


async def names(url: str) -> tuple[str, ...]:
    """Return the names of all agents that have memories, sorted.

    Raises:
        StoreUnavailable: the server does not answer.
        SchemaError: the role does not bypass row level security, or there is no schema.
    """
    return tuple(row["agent_id"] for row in await _fetch(url, SQL.agents()))


async def models(url: str) -> tuple[ModelOfAgents, ...]:
    """Return the embedding models in use, each with the numbers of agents that use it. Raises the errors of `names`."""
    return tuple(ModelOfAgents(**row) for row in await _fetch(url, SQL.agents_by_model()))


async def unsorted(url: str, *, large: int = LARGE) -> tuple[str, ...]:
    """Return the sorted names of agents with large groups of vectors that are not in the IVF index.

    A group is large if it has at least `large` vectors. It consists of the vectors that one search reads: those of one
    model, field and memory type. Raises the errors of `names`.
    """
    return tuple(row["agent_id"] for row in await _fetch(url, SQL.unsorted(min_vectors=large)))


async def degraded_turns(url: str) -> tuple[int, int]:
    """Return how many turns all agents had today and yesterday (UTC), and in how many a part failed or was late.

    Raises the errors of `names`.
    """
    midnight = datetime.now(UTC).replace(hour=0, minute=0, second=0, microsecond=0)
    [row] = await _fetch(url, SQL.degraded_turns(since=midnight - timedelta(days=1)))
    return row["turns"], row["degraded"]


async def without_users(url: str) -> tuple[str, ...]:
    """Return the sorted names of agents that captured messages of several speakers, and that have no users.

    Raises the errors of `names`.
    """
    return tuple(row["agent_id"] for row in await _fetch(url, SQL.without_users()))


async def parked_turns(url: str) -> tuple[tuple[str, int, str], ...]:
    """Return the agents with turns that a model failed to read three times: name, number and the id of one of them.

    Exchanges of conversations without turns are counted too; these are named "memory " and the id of a line's memory.

    Raises the errors of `names`.
    """
    return tuple((row["agent_id"], row["turns"], row["first"]) for row in await _fetch(url, SQL.parked_turns()))


async def _fetch(url: str, statement: tuple[Any, ...]) -> Sequence[Any]:
    async with connected(url, "inspect this database", statement_seconds=_STATEMENT_SECONDS) as connection:
        try:
            async with connection.transaction():
                await connection.execute("SET LOCAL row_security = off")  # an error instead of hidden rows
                return list(await connection.fetch(*statement))
        except asyncpg.InsufficientPrivilegeError as error:
            raise SchemaError(
                "this role sees one agent at a time: name the agents, or use one with BYPASSRLS"
            ) from error
