"""Roles for those who look: granted on purpose, and with less to see and to do than the application's own.

`cognitive_reader` reads every table under the same row level security, one agent at a time, and writes nothing.
`cognitive_overview` reads the tally of all agents, counts without a word of anybody's, and nothing else. A login
becomes one of them within a transaction; it inherits neither, since a policy holds for whoever has its role's
privileges.
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


@dataclass(frozen=True, slots=True)
class Granted:
    """What a login may become."""

    login: str
    reader: bool
    overview: bool

    @property
    def command(self) -> str:
        """What grants both."""
        return f"cognitive db roles {self.login} --overview --url URL-OF-THE-OWNER"


async def granted(connection: Any) -> Granted:
    """What the login of a connection may become, and finds all that it should read."""
    row = await connection.fetchrow(*SQL.granted(roles=list(ROLES)))
    return Granted(row["login"], READER in row["granted"], OVERVIEW in row["granted"])


async def create(url: str, logins: Sequence[str] = (), *, overview: bool = True) -> tuple[str, ...]:
    """Creates the roles, as one who owns the schema and may create roles, and lets `logins` become them.

    `overview` False: the logins may become the reader alone. Returns what they may become. Safe to run twice.

    Raises:
        StoreUnavailable: nothing answers there.
        SchemaError: the schema is missing, a login is, or this role may not do it.
    """
    granted = ROLES if overview else (READER,)
    async with connected(url, "create the roles") as connection, connection.transaction():
        await connection.execute(*SQL.create())
        for login in logins:
            await connection.execute(await connection.fetchval(*SQL.grant(roles=list(granted), login=login)))
    return granted
