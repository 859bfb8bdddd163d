"""The roles beside the application's: read-only ones for dashboards and analysis, and the operator's.

The role `cognitive_reader` reads every table under the same row level security as the application, one agent at a time.
The role `cognitive_overview` reads only the counts of all agents, which contain no text. A login uses a role by setting
it within a transaction. It does not inherit the role's privileges, because a row level security policy for a role also
applies to every login that inherits from the role.

The role `cognitive_operator` reads and writes the rows of all users of one agent. Migrations create it and grant it to
the application's role, which sets it for the calls over all users, such as the erasure of an agent.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from typing import Any

from brain import statements
from brain.postgres.admin_connection import connected

SQL = statements.load("roles")

READER = "cognitive_reader"
OVERVIEW = "cognitive_overview"
ROLES = (READER, OVERVIEW)
OPERATOR = "cognitive_operator"
CREATE_OPERATOR = (
    f"CREATE ROLE {OPERATOR} NOLOGIN NOSUPERUSER NOBYPASSRLS NOCREATEDB NOCREATEROLE",
    # without inheritance, since its row level security policies would bind the application's role too
    f"GRANT {OPERATOR} TO cognitive_app WITH INHERIT FALSE, SET TRUE",
)


@dataclass(frozen=True, slots=True)
class Granted:
    """The read-only roles that a login may use: one reads a single agent, the other the counts of all agents."""

    login: str
    reader: bool
    overview: bool

    @property
    def command(self) -> str:
        """The command that grants both roles to the login."""
        return f"cognitive db roles {self.login} --overview --url URL-OF-THE-OWNER"


async def granted(connection: Any) -> Granted:
    """Return the read-only roles that the connection's login may use.

    A role that lacks a privilege on one of its tables is left out.
    """
    row = await connection.fetchrow(*SQL.granted(roles=list(ROLES)))
    return Granted(row["login"], READER in row["granted"], OVERVIEW in row["granted"])


async def admit(url: str, logins: Sequence[str]) -> None:
    """Let logins act as the application: grant them the role `cognitive_app`. A repeated call is safe.

    Raises:
        StoreUnavailable: the server does not answer.
        SchemaError: a login is missing, or the URL's role may not grant the role.
    """
    async with connected(url, "grant the role cognitive_app") as connection, connection.transaction():
        for login in logins:
            await connection.execute(await connection.fetchval(*SQL.admit(login=login)))


async def create(url: str, logins: Sequence[str] = (), *, overview: bool = True) -> tuple[str, ...]:
    """Create the read-only roles, grant them to `logins`, and return the roles that were granted.

    The URL's role must own the schema and be allowed to create roles. Without `overview` the logins get only the role
    `cognitive_reader`. A repeated call is safe.

    Raises:
        StoreUnavailable: the server does not answer.
        SchemaError: the schema or a login is missing, or the URL's role lacks a privilege.
    """
    granted = ROLES if overview else (READER,)
    async with connected(url, "create the roles") as connection, connection.transaction():
        await connection.execute(*SQL.create())
        for login in logins:
            await connection.execute(await connection.fetchval(*SQL.grant(roles=list(granted), login=login)))
    return granted


async def missing_operator(connection: Any) -> tuple[str, ...]:
    """Return the statements that still have to run before the application's role can set the operator's role."""
    state = await connection.fetchrow(*SQL.operator(role="cognitive_app", operator=OPERATOR))
    return () if state["granted"] else CREATE_OPERATOR[state["exists"] :]


async def create_operator(url: str) -> None:
    """Create the operator's role and grant it to the application's role, as far as that is missing.

    Raises:
        StoreUnavailable: the server does not answer.
        SchemaError: the URL's role may not create or grant roles.
    """
    async with connected(url, "create the operator's role") as connection, connection.transaction():
        for statement in await missing_operator(connection):
            await connection.execute(statement)
