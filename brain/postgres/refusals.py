"""Explain why Postgres cannot be used: what is wrong with the address, the login or the database, and the remedy.

The resulting error has the remedy in its message and, alone, in its attribute `remedy`.
"""

from __future__ import annotations

import re
from collections.abc import Mapping
from urllib.parse import parse_qsl, unquote, urlencode, urlsplit, urlunsplit

import asyncpg

from brain.errors import SchemaError, StoreUnavailable

# The server does not answer, or the connection was lost.
AWAY = (
    OSError,
    asyncpg.PostgresConnectionError,
    asyncpg.InterfaceError,
    asyncpg.CannotConnectNowError,
    asyncpg.AdminShutdownError,
    asyncpg.CrashShutdownError,
    asyncpg.TooManyConnectionsError,
)
UPGRADE = "run `cognitive db upgrade --url URL-OF-THE-OWNER`"


def plain_url(url: str) -> str:
    """Return a database URL without the driver that SQLAlchemy's URLs name, as in `postgresql+asyncpg://`.

    Its parameter `ssl` becomes `sslmode`, the name that Postgres has for it.
    """
    plain = re.sub(r"^(postgres(?:ql)?)\+\w+(?=://)", r"\1", url)
    if plain == url:
        return url
    parts = urlsplit(plain)
    parameters = [("sslmode" if name == "ssl" else name, value) for name, value in parse_qsl(parts.query)]
    return urlunsplit(parts._replace(query=urlencode(parameters)))


def public_address(url: str) -> str:
    """Return the address of a database without login, password and parameters, for messages."""
    parts = urlsplit(plain_url(url))
    return urlunsplit(("postgresql", parts.netloc.rpartition("@")[2], parts.path, "", ""))


def login_of(url: str) -> str | None:
    """Return the login that a database URL names, or None."""
    name = urlsplit(url).username
    return unquote(name) if name else None


def refused(error: Exception, url: str, refusal: str = "cannot use this database") -> SchemaError:
    """Return the error for a server that refuses a login, a database, a role or, as `refusal` says, a statement."""
    reason, login = str(error).partition("\n")[0], login_of(url) or "LOGIN"
    for pattern, remedy in _REMEDIES.items():
        if (match := re.search(pattern, reason)) is not None:
            return SchemaError(f"{refusal}: {reason}", remedy=remedy.format(*match.groups(), login=login))
    return SchemaError(f"{refusal}: {error}")


def unreachable(error: Exception, url: str) -> StoreUnavailable:
    """Return the error for a server that does not answer at the address of the URL."""
    remedy = f"check that a server runs at {public_address(url)}, and that the database URL has the right host and port"
    return StoreUnavailable(f"cannot connect to Postgres: {error or 'no answer'}", remedy=remedy)


# Remedies by a pattern of Postgres's message, whose groups they name by number.
_REMEDIES: Mapping[str, str] = {
    r"password authentication failed|no password supplied|password": (
        "the password in the database URL is missing or wrong, or the login {login} does not exist; a superuser sets a "
        "password with ALTER ROLE \"{login}\" PASSWORD '…'"
    ),
    r'role "cognitive_\w+" does not exist': f"the database has no cognitive schema yet: {UPGRADE}",
    r'role "(.+)" does not exist': 'a superuser creates the login with CREATE ROLE "{0}" LOGIN IN ROLE cognitive_app',
    r'database "(.+)" does not exist': f'create it with CREATE DATABASE "{{0}}", then {UPGRADE}',
    r'permission denied to set role "(\w+)"': (
        'the login needs the role: run GRANT {0} TO "{login}" as the owner of the schema, or '
        "`cognitive db upgrade --url URL-OF-THE-OWNER --grant {login}`"
    ),
    r"permission denied for database": 'run GRANT CONNECT ON DATABASE … TO "{login}" as the owner of the database',
    r"permission denied for schema cognitive": (
        'run GRANT cognitive_app TO "{login}" as the owner of the schema, or '
        "`cognitive db upgrade --url URL-OF-THE-OWNER --grant {login}`"
    ),
    # roles belong to all databases of a server, but Citus registers them in each
    r"permission denied to alter role": (
        "the roles are there already, of another database or owner. In a second database of a cluster, run `INSERT INTO"
        " pg_dist_object (classid, objid, objsubid) SELECT 'pg_authid'::regclass, oid, 0 FROM pg_roles WHERE rolname"
        " LIKE 'cognitive\\_%' ON CONFLICT DO NOTHING` there as a superuser, then this command again; elsewhere run"
        " this as the role that created them"
    ),
    r'permission denied to grant role "(.+)"': "run this as a superuser, or as the role that created {0}",
    r"no pg_hba.conf entry": "allow the login, host and database in the server's pg_hba.conf, then reload the server",
}
