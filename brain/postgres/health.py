"""Read the state of a database from its catalogs, over a single connection.

Unlike the pool, this works without the schema and the role, so that it can report what is missing.
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
from brain.postgres.roles import OPERATOR, Granted

SQL = statements.load("health")

_STATEMENT_SECONDS = 10.0


@dataclass(frozen=True, slots=True)
class TableHealth:
    """The state of a table, from Postgres's catalogs.

    `bytes` is its size on disk without indexes. `alive` and `dead` are the estimated numbers of live and dead rows.
    `analysed` is True if it was ever analyzed.
    """

    name: str
    bytes: int
    analysed: bool
    alive: int
    dead: int


@dataclass(frozen=True, slots=True)
class Activity:
    """The current load of a Postgres server.

    Attributes:
        bytes: size of the database.
        connections: open connections to the database.
        max_connections: connections that the server allows.
        running: connections that run a statement.
        waiting: connections that are idle in a transaction.
        unseen: connections of other users, whose state Postgres hides from an ordinary login.
        oldest_transaction: seconds since the oldest open transaction began; None without one.
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
    """The state of a database as read from Postgres's catalogs, for `cognitive doctor` and the dashboard.

    Attributes:
        version: the server's version as text.
        postgres: its major version.
        pgvector: the installed version of the extension, None if it is missing.
        available: the version of the extension that the server could install.
        login: the role that connects.
        login_above: True if `login` bypasses row level security.
        role_above: True if the application's role bypasses row level security; None if the role does not exist.
        member: True if `login` may use the application's role; None if the role does not exist.
        migrated: True if the schema exists.
        revision: the schema's revision; None without a schema, or if `login` may not read it.
        ahead: seconds by which the database's clock is ahead of this machine's, accurate to `round_trip`.
        round_trip: seconds that one query took.
        unprotected: tables without row level security.
        broken_indexes: indexes that Postgres does not use.
        tables: size and statistics of each table.
        granted: the read-only roles that `login` may use; None without a schema.
        activity: the load of the server.
        oldest: the revision of the oldest code that may use the schema.
        operator: True if `login` may use the operator's role, which sees the rows of all users.
        inherits_operator: True if the application's role has the privileges of the operator's role without setting it.
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
    operator: bool = True
    inherits_operator: bool = False


async def examine(url: str) -> DatabaseHealth:
    """Read the catalogs of the database at a URL and return its state.

    Raises:
        StoreUnavailable: the server does not answer.
        SchemaError: Postgres refused the URL or its role.
    """
    async with connected(url, "inspect this database", statement_seconds=_STATEMENT_SECONDS) as connection:
        return await _examined(connection)


async def _examined(connection: Any) -> DatabaseHealth:
    await connection.fetchval("SELECT 1")  # warm up, so that the round trip is measured without first-use costs
    sent_at = datetime.now(UTC)
    server = dict(await connection.fetchrow(*SQL.server(role=APP_ROLE, operator=OPERATOR)))
    received_at = datetime.now(UTC)
    rows = {name: await connection.fetch(*SQL[name]()) for name in ("unprotected", "broken_indexes", "tables")}
    midpoint = sent_at + (received_at - sent_at) / 2
    revision, oldest = await _revision(connection) if server["migrated"] else (None, None)
    return DatabaseHealth(
        ahead=(server.pop("now") - midpoint).total_seconds(),
        round_trip=(received_at - sent_at).total_seconds(),
        revision=revision,
        oldest=oldest,
        unprotected=tuple(row["name"] for row in rows["unprotected"]),
        granted=await roles.granted(connection) if server["migrated"] else None,
        activity=Activity(**dict(await connection.fetchrow(*SQL.activity()))),
        broken_indexes=tuple(row["name"] for row in rows["broken_indexes"]),
        tables=tuple(TableHealth(**row) for row in rows["tables"]),
        **server,
    )


async def _revision(connection: Any) -> tuple[str | None, str | None]:
    """Return the schema's revision, and the revision of the oldest code that may use the schema.

    If the login may not read them, they are read as the application's role. Both are None if that fails too.
    """
    try:
        return await _read(connection)
    except asyncpg.InsufficientPrivilegeError:
        pass
    try:
        async with connection.transaction():
            await connection.execute(f"SET LOCAL ROLE {APP_ROLE}")
            return await _read(connection)
    except asyncpg.PostgresError:
        return None, None  # the report on roles gives the reason


async def _read(connection: Any) -> tuple[str | None, str | None]:
    row = await connection.fetchrow(*SQL.revision())
    return (row["revision"], row["oldest"]) if row is not None else (None, None)
