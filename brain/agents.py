"""All agents at once, for whoever looks after the database: their names, and the models that they are read by.

Only roles above row level security see them. Any other role gets an error, and never an empty answer.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
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
    """For how many agents an embedding model is live, is being built, is ready to be, or has been."""

    model: str
    live: int
    building: int
    ready: int
    retired: int


async def names(url: str) -> tuple[str, ...]:
    """The names of all agents that have memories, in order.

    Raises:
        StoreUnavailable: nothing answers there.
        SchemaError: this role sees one agent at a time, or there is no schema.
    """
    return tuple(row["agent_id"] for row in await _fetch(url, SQL.agents()))


async def models(url: str) -> tuple[ModelOfAgents, ...]:
    """The embedding models of all agents.

    Raises: as `names` does.
    """
    return tuple(ModelOfAgents(**row) for row in await _fetch(url, SQL.agents_by_model()))


async def unsorted(url: str, *, large: int = LARGE) -> tuple[str, ...]:
    """The names of agents of whose vectors at least `large` are read together and lie in no cell, in order.

    Raises: as `names` does.
    """
    return tuple(row["agent_id"] for row in await _fetch(url, SQL.unsorted(min_vectors=large)))


async def _fetch(url: str, statement: tuple[Any, ...]) -> Sequence[Any]:
    async with connected(url, "look into this database", statement_seconds=_STATEMENT_SECONDS) as connection:
        try:
            async with connection.transaction():
                await connection.execute("SET LOCAL row_security = off")  # what it would hide is an error now
                return list(await connection.fetch(*statement))
        except asyncpg.InsufficientPrivilegeError as error:
            raise SchemaError(
                "this role sees one agent at a time: name the agents, or use one with BYPASSRLS"
            ) from error
