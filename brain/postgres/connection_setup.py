"""Open the connections of a pool within a time limit; check server, extension, schema and role once per connection.

This module also classifies the exceptions of asyncpg, and reduces the pools' log lines while Postgres is down.
"""

from __future__ import annotations

import logging
from collections.abc import Callable
from time import monotonic
from typing import Any

import asyncpg
from pydantic_core import from_json, to_json  # in a fifth of the time of the standard library

from brain.deadline import Deadline
from brain.errors import InvalidInput, SchemaError, StoreConflict, StoreError, StoreUnavailable
from brain.postgres.refusals import AWAY, UPGRADE, refused, unreachable
from brain.postgres.roles import OPERATOR
from brain.postgres.schema import MIN_PGVECTOR, MIN_POSTGRES, hidden_pgvector, pgvector_too_old, refusal
from brain.postgres.transaction import Connection
from brain.postgres.wire_types import decode_halfvec
from brain.postgres.writing import TypesByOids
from brain.users import ALL_USERS, View

# The connection was lost or timed out: the same idempotent work may succeed on a new connection.
LOST = (*AWAY, asyncpg.InternalClientError)
# A conflict with another transaction, or a migration that changed the plan of a prepared statement: retry.
CONTENDED = (
    asyncpg.SerializationError,
    asyncpg.DeadlockDetectedError,
    asyncpg.InvalidCachedStatementError,
    asyncpg.OutdatedSchemaCacheError,
)

# A new connection cannot be opened, or not yet.
_NOT_OPENED = (
    OSError,
    asyncpg.PostgresConnectionError,
    asyncpg.CannotConnectNowError,
    asyncpg.TargetServerAttributeNotMatched,
)
_LOG_SECONDS = 60.0  # between two log lines about failed reconnections
_OPEN_SECONDS = 10.0  # time limit for the first connections and their checks
_STATE = """
SELECT current_setting('server_version_num')::int / 10000 AS postgres,
       (SELECT extversion FROM pg_extension WHERE extname = 'vector') AS pgvector,
       (SELECT n.nspname FROM pg_type t JOIN pg_namespace n ON n.oid = t.typnamespace WHERE t.typname = 'halfvec') AS types,
       to_regtype('halfvec') IS NULL AS hidden, session_user AS login,
       to_regclass('cognitive.alembic_version') IS NOT NULL AS migrated,
       (SELECT rolsuper OR rolbypassrls FROM pg_roles WHERE rolname = current_user) AS above_policies,
       (SELECT pg_has_role(current_user, oid, 'USAGE') FROM pg_roles WHERE rolname = 'cognitive_operator') AS operates,
       current_user AS role
"""  # noqa: E501
# Read as JSON, so that a missing column `oldest` is null and not an error.
_VERSION = "SELECT version_num, to_jsonb(v) ->> 'oldest' AS oldest FROM cognitive.alembic_version AS v"

# asyncpg asks Postgres about each type that a statement has, once per connection, when it prepares the statement. One
# query with all types that statements of this package have lets it ask before the connection is used.
_TYPES = """
SELECT NULL::bool[], NULL::bytea[], NULL::float4[], NULL::float8[], NULL::int2[], NULL::int4[], NULL::int8[],
       NULL::jsonb[], NULL::text[], NULL::timestamptz[], NULL::uuid[], NULL::{types}.halfvec[]
"""


def server_settings(role: str, read_only: bool, pooled: bool, clustered: bool) -> dict[str, str]:
    """Return the Postgres settings, such as the role, with which the connections of a pool are opened.

    For a pooler they include only what it accepts.
    """
    settings = {"application_name": "cognitive-layer", "timezone": "UTC"}
    if pooled:
        return settings
    settings["role"] = role
    settings["default_transaction_isolation"] = "read committed"  # for calls that are a whole transaction
    if read_only:
        settings["default_transaction_read_only"] = "on"
    if clustered:  # hiding shards from the catalog slows down asyncpg's look at types a hundredfold
        settings["citus.override_table_visibility"] = "off"
    return settings


async def fill(pool: asyncpg.Pool, url: str) -> None:
    """Open the first connections of a pool to the database at `url`. If one of them cannot be used, close all of them.

    Raises:
        SchemaError: the address, the login or the database is not usable; the message gives the reason.
        StoreUnavailable: the server does not answer (yet).
    """
    try:
        await Deadline(_OPEN_SECONDS * 1000).within(_open(pool))
    except ValueError as error:
        raise SchemaError(f"not a usable database URL: {error}") from error
    except (*LOST, TimeoutError) as error:
        if "startup parameter" in str(error):  # only a pooler refuses the role as a startup parameter
            raise SchemaError(f"this is a pooler: set COGNITIVE_POOLER=transaction ({error})") from error
        raise unreachable(error, url) from error
    except asyncpg.PostgresError as error:
        raise refused(error, url) from error


async def _open(pool: asyncpg.Pool) -> None:
    try:
        await pool
    except BaseException:
        pool.terminate()
        raise


async def prepare(connection: Connection, role: str | None) -> None:
    """Check the database over a new connection, register the connection's type codecs, and look up its types.

    All of it happens in one transaction that has `role` set: a pooler may use another server connection for the next
    transaction.

    Raises:
        SchemaError: the database lacks something; the message says what it lacks and what to do.
    """
    async with connection.transaction():
        if role is not None:
            await connection.execute(f"SET LOCAL ROLE {role}")
        await _check(connection)


async def _check(connection: Connection) -> None:
    state = await connection.fetchrow(_STATE)
    if state["postgres"] < MIN_POSTGRES:
        raise SchemaError(f"Postgres {state['postgres']} is too old: {MIN_POSTGRES} or newer is needed")
    if state["pgvector"] is None or pgvector_too_old(state["pgvector"]):
        found = state["pgvector"] or "none"
        raise SchemaError(
            f"the extension pgvector {MIN_PGVECTOR} or newer is needed in this database (found: {found}). Install it"
            " on the server and run `cognitive db upgrade` as a role that may create extensions"
        )
    if state["hidden"]:
        raise hidden_pgvector(state["types"], state["login"])
    version = await connection.fetchrow(_VERSION) if state["migrated"] else None
    if version is None:
        raise SchemaError("this database has no cognitive schema yet", remedy=UPGRADE)
    if (reason := refusal(version["version_num"], version["oldest"])) is not None:
        raise SchemaError(reason)
    if state["above_policies"]:
        raise SchemaError(
            f"the role {state['role']} must be neither superuser nor BYPASSRLS: row level security would not bind it"
        )
    if state["operates"]:
        raise SchemaError(
            f"the role {state['role']} inherits from {OPERATOR}, which is only to be set for calls over all users: run"
            f" `GRANT {OPERATOR} TO {state['role']} WITH INHERIT FALSE` for each grant"
        )
    await connection.set_type_codec(
        "halfvec", schema=state["types"], encoder=bytes, decoder=decode_halfvec, format="binary"
    )
    await connection.set_type_codec("jsonb", schema="pg_catalog", encoder=_json, decoder=from_json)
    await connection.fetch(_TYPES.format(types='"{}"'.format(state["types"].replace('"', '""'))))


def _json(value: object) -> str:
    return to_json(value).decode()


def rejected(error: asyncpg.PostgresError, user_id: View) -> StoreError | InvalidInput:
    """Return the error for work that Postgres refused in the view of `user_id`, and would refuse again."""
    match error:
        case asyncpg.ReadOnlySQLTransactionError():
            return StoreUnavailable(f"this Postgres is read-only: a standby, or set to read-only ({error})")
        case asyncpg.DataError():
            return InvalidInput(f"Postgres cannot store this: {error}")
        case asyncpg.ProgramLimitExceededError():  # an index entry has at most 2,704 bytes
            reason = str(error).partition("\n")[0]
            return InvalidInput(f"an id or a name is too long, or several are together: {reason}")
        case asyncpg.UniqueViolationError():
            return StoreConflict("another transaction stored a row with the same id meanwhile; try again")
        case asyncpg.LockNotAvailableError():  # only the locks that keep off erasures limit the wait
            return StoreError("memories of this agent or user are being erased; try again later")
        case asyncpg.InsufficientPrivilegeError() if user_id is ALL_USERS and "role" in str(error):
            return SchemaError(
                f"calls over all users need the role {OPERATOR}: run `cognitive db upgrade`, or"
                f" `GRANT {OPERATOR} TO cognitive_app WITH INHERIT FALSE, SET TRUE` ({error})"
            )
    return StoreError(f"Postgres refused: {error}")


class ConnectError(ConnectionError):
    """A pool of this package could not open a connection; the cause is chained."""


async def connect(*arguments: Any, known_types: TypesByOids, **options: Any) -> asyncpg.Connection:
    """Open a connection for a pool, as `asyncpg.connect` does. The pool's connections share `known_types`.

    Raises:
        ConnectError: the server does not answer, or not yet.
    """
    try:
        connection = await asyncpg.connect(*arguments, **options)
    except _NOT_OPENED as error:
        raise ConnectError(str(error) or "no answer") from error
    connection.known_types = known_types
    return connection


class BriefReconnections(logging.Filter):
    """A log filter that reduces asyncpg's reports of failed reconnections to one line a minute.

    asyncpg reconnects by itself, at intervals of up to a minute, and logs each failed attempt with a traceback of
    twenty lines. Reports about pools of the host, and of other failures, are not changed.
    """

    def __init__(self, clock: Callable[[], float] = monotonic) -> None:
        super().__init__()
        self._clock = clock
        self._next = float("-inf")  # no line before this time

    def filter(self, record: logging.LogRecord) -> bool:
        """Shorten the record of a failed reconnection. Return False if there was one in the last minute."""
        error = record.exc_info[1] if record.exc_info else None
        if not isinstance(error, ConnectError):
            return True
        if (now := self._clock()) < self._next:
            return False
        self._next = now + _LOG_SECONDS
        record.msg, record.args, record.exc_info = "%s: %s", (record.getMessage(), error), None
        return True


logging.getLogger("asyncpg.pool").addFilter(BriefReconnections())


async def no_reset(connection: Connection) -> None:
    """Do nothing when a connection returns to the pool.

    It replaces asyncpg's reset, which costs a round trip and is not needed: all our settings end with their
    transaction.
    """
