"""What a database is like, seen from outside: asked of its catalogues over a connection of its own.

It needs neither schema nor role, so that it can say what is missing: the pool refuses such a
database as a whole.
"""

from __future__ import annotations

from dataclasses import dataclass
from datetime import UTC, datetime
from typing import Any

import asyncpg

from brain import statements
from brain.postgres import roles
from brain.postgres.admin_connection import connected
from brain.postgres.database import APP_ROLE
from brain.postgres.roles import Granted

SQL = statements.load("health")

_STATEMENT_SECONDS = 10.0


@dataclass(frozen=True, slots=True)
class TableHealth:
    """A table: bytes on disk without its indexes, rows by the statistics, and whether it was ever analysed."""

    name: str
    bytes: int
    analysed: bool
    alive: int
    dead: int


@dataclass(frozen=True, slots=True)
class Activity:
    """What the server is doing: the database's bytes, its connections of those that the server allows, how many of them
    run a statement and how many sit in a transaction, and for how many seconds the oldest transaction has been open.

    Of connections of other users (`unseen`) Postgres tells an ordinary login no more than that they are there.
    """

    bytes: int
    connections: int
    max_connections: int
    running: int
    waiting: int
    unseen: int
    oldest_transaction: float | None


@dataclass(frozen=True, slots=True)
class DatabaseHealth:
    """What the catalogues say.

    `pgvector` is the installed version, None if there is none, and `available` the one that could be installed.
    `login` is who connects; `login_above` and `role_above` say whether that role and the application's stand above row
    level security, and `member` whether `login` may become the latter; both are None where it does not exist.
    `revision` is None without a schema, and where it may not be read; `oldest` is the oldest code that it serves.
    `ahead` is by how many seconds the clock of the database is ahead of this machine's, known to within `round_trip`.
    `granted` is what `login` may become to look at the record, None without a schema.
    """

    version: str
    postgres: int
    pgvector: str | None
    available: str | None
    login: str
    login_above: bool
    role_above: bool | None
    member: bool | None
    migrated: bool
    revision: str | None
    ahead: float
    round_trip: float
    unprotected: tuple[str, ...]
    broken_indexes: tuple[str, ...]
    tables: tuple[TableHealth, ...]
    granted: Granted | None = None
    activity: Activity | None = None
    oldest: str | None = None


async def examine(url: str) -> DatabaseHealth:
    """Looks at the database at a URL. Reads catalogues only, and changes nothing.

    Raises:
        StoreUnavailable: nothing answers there.
        SchemaError: the URL or its role is refused.
    """
    async with connected(url, "look into this database", statement_seconds=_STATEMENT_SECONDS) as connection:
        return await _examined(connection)


async def _examined(connection: Any) -> DatabaseHealth:
    await connection.fetchval("SELECT 1")  # the first statement pays for what later ones find ready
    asked = datetime.now(UTC)
    server = dict(await connection.fetchrow(*SQL.server(role=APP_ROLE)))
    answered = datetime.now(UTC)
    named = {name: await connection.fetch(*SQL[name]()) for name in ("unprotected", "broken_indexes", "tables")}
    between = asked + (answered - asked) / 2
    revision, oldest = await _revision(connection) if server["migrated"] else (None, None)
    return DatabaseHealth(
        ahead=(server.pop("now") - between).total_seconds(),
        round_trip=(answered - asked).total_seconds(),
        revision=revision,
        oldest=oldest,
        unprotected=tuple(row["name"] for row in named["unprotected"]),
        granted=await roles.granted(connection) if server["migrated"] else None,
        activity=Activity(**dict(await connection.fetchrow(*SQL.activity()))),
        broken_indexes=tuple(row["name"] for row in named["broken_indexes"]),
        tables=tuple(TableHealth(**row) for row in named["tables"]),
        **server,
    )


async def _revision(connection: Any) -> tuple[str | None, str | None]:
    """The revision and the oldest code that it serves, as the login may read it, or else as the application may."""
    try:
        return await _read(connection)
    except asyncpg.InsufficientPrivilegeError:
        pass
    try:
        async with connection.transaction():
            await connection.execute(f"SET LOCAL ROLE {APP_ROLE}")
            return await _read(connection)
    except asyncpg.PostgresError:
        return None, None  # the checks on roles say why


async def _read(connection: Any) -> tuple[str | None, str | None]:
    row = await connection.fetchrow(*SQL.revision())
    return (row["revision"], row["oldest"]) if row is not None else (None, None)
