"""The connections: one pool, one role without privileges, one tenant per transaction.

The tenant is set with `set_config(…, true)`, for the transaction only: a session-level SET would leak through a
pooler. A cancelled statement is given up by the server too; the connection to one that does not acknowledge that soon
is cut, since waiting for a frozen server has no bound.
"""

from __future__ import annotations

import asyncio
import json
from collections.abc import Awaitable, Callable
from typing import Any, TypeAlias, TypeVar

import asyncpg
import numpy as np
from numpy.typing import NDArray

from brain import loops
from brain.deadline import Deadline
from brain.errors import InvalidInput, SchemaError, StoreError, StoreUnavailable
from brain.schema import HEAD, LEAST_PGVECTOR, LEAST_POSTGRES, pgvector_too_old

T = TypeVar("T")
Connection: TypeAlias = Any  # asyncpg ships no types: a connection of its pool
Work = Callable[[Connection], Awaitable[T]]

APP_ROLE = "cognitive_app"
_ATTEMPTS = 4
_CONNECT_SECONDS = 5.0
_UNDO_SECONDS = 1.0  # a server that lives acknowledges a cancellation within milliseconds
# Statements are planned once per connection: planning the search anew for each call costs more than running it.
_SET_TENANT = """
SELECT set_config('cognitive.agent_id', $1, true), set_config('statement_timeout', $2, true),
       set_config('synchronous_commit', $3, true), set_config('plan_cache_mode', 'force_generic_plan', true)
"""
_STATE = """
SELECT current_setting('server_version_num')::int / 10000 AS postgres,
       (SELECT extversion FROM pg_extension WHERE extname = 'vector') AS pgvector,
       (SELECT n.nspname FROM pg_type t JOIN pg_namespace n ON n.oid = t.typnamespace WHERE t.typname = 'halfvec') AS types,
       to_regclass('cognitive.alembic_version') IS NOT NULL AS migrated,
       (SELECT rolsuper OR rolbypassrls FROM pg_roles WHERE rolname = current_user) AS above_policies,
       current_user AS role
"""  # noqa: E501

# The server went away, or made us wait and gave up: the same idempotent work may succeed on a new connection.
_LOST = (
    OSError,
    asyncpg.PostgresConnectionError,
    asyncpg.InterfaceError,
    asyncpg.InternalClientError,
    asyncpg.CannotConnectNowError,
    asyncpg.AdminShutdownError,
    asyncpg.CrashShutdownError,
    asyncpg.TooManyConnectionsError,
)
_CONTENDED = (asyncpg.SerializationError, asyncpg.DeadlockDetectedError)
_MISCONFIGURED = (
    asyncpg.InvalidAuthorizationSpecificationError,
    asyncpg.InvalidCatalogNameError,
    asyncpg.InvalidParameterValueError,
    asyncpg.InsufficientPrivilegeError,
)


class Database:
    """A pool on one database, opened on first use and reopened when the server comes back.

    All work is done as `role`, and `read_only` in transactions that write nothing. `revive` is called, off the event
    loop, when a connection is lost: the embedded server is restarted by it.
    """

    def __init__(
        self,
        url: str,
        *,
        pool_size: int = 8,
        revive: Callable[[], None] | None = None,
        role: str = APP_ROLE,
        read_only: bool = False,
    ) -> None:
        self._url = url
        self._settings = {"role": role, "application_name": "cognitive-layer", "timezone": "UTC"}
        if read_only:
            self._settings["default_transaction_read_only"] = "on"
        self._pool_size = pool_size
        self._revive = revive
        self._pool: asyncpg.Pool | None = None
        self._loop: asyncio.AbstractEventLoop | None = None  # of its connections: another one would break them
        self._opening = asyncio.Lock()

    async def open(self) -> None:
        """Connects and checks server, extension, schema and role.

        Raises:
            SchemaError: something is missing; the message says what and what to do.
            StoreUnavailable: nothing answers at this address (yet).
        """
        async with self._opening:
            if self._pool is None:
                self._pool, self._loop = await self._connect(), asyncio.get_running_loop()

    async def close(self) -> None:
        """Closes the pool; connections that are stuck are cut after a moment."""
        pool, self._pool = self._pool, None
        if pool is None:
            return
        try:
            async with asyncio.timeout(_CONNECT_SECONDS):
                await pool.close()
        except TimeoutError:
            pool.terminate()

    async def run(self, agent_id: str, work: Work[T], *, timeout: float = 60.0, durable: bool = True) -> T:
        """Runs idempotent `work` in one transaction that sees only this agent's rows, within `timeout` seconds.

        Not `durable`, its commit does not wait for the disk: for what can be recorded again.
        A lost connection, a deadlock or a serialisation failure is tried again on a fresh connection.

        Raises:
            WrongEventLoop: its connections belong to another one.
            StoreUnavailable: no connection in time, or lost again and again.
            StoreError: Postgres refused the work; the cause is chained.
        """
        if self._loop is not None:
            loops.require(self._loop)
        deadline = Deadline(timeout * 1000)
        for attempt in range(1, _ATTEMPTS + 1):
            try:
                return await deadline.within(self._attempt(agent_id, work, deadline.left(), durable))
            except _CONTENDED as error:
                if attempt == _ATTEMPTS:
                    raise StoreError(f"Postgres gave up after {attempt} attempts: {error}") from error
            except TimeoutError as error:
                raise StoreUnavailable(f"no answer from Postgres within {timeout:g} s") from error
            except (*_LOST, StoreUnavailable) as error:
                if attempt == _ATTEMPTS:
                    raise StoreUnavailable(f"Postgres is unavailable: {error}") from error
                await self._recover(attempt)
            except asyncpg.QueryCanceledError as error:
                raise StoreUnavailable(f"no answer from Postgres within {timeout:g} s") from error
            except asyncpg.DataError as error:
                raise InvalidInput(f"Postgres cannot store this: {error}") from error
            except asyncpg.PostgresError as error:
                raise StoreError(f"Postgres refused: {error}") from error
        raise AssertionError("unreachable: the last attempt returns or raises")

    async def _attempt(self, agent_id: str, work: Work[T], timeout: float, durable: bool) -> T:
        if self._pool is None:
            await self.open()
        pool = self._pool
        if pool is None:
            raise StoreUnavailable("the database was closed")
        connection = await pool.acquire(timeout=timeout)
        try:
            return await _in_transaction(
                connection, work, (agent_id, _milliseconds(timeout), "on" if durable else "off")
            )
        finally:
            await pool.release(connection)

    async def _recover(self, attempt: int) -> None:
        if self._pool is not None:
            await self._pool.expire_connections()
        if self._revive is not None:
            await asyncio.to_thread(self._revive)
        await asyncio.sleep(0.05 * 2**attempt)

    async def _connect(self) -> asyncpg.Pool:
        try:
            pool = await asyncpg.create_pool(
                self._url,
                min_size=min(3, self._pool_size),  # a turn reads what is pinned, what is found and its session at once
                max_size=self._pool_size,
                timeout=_CONNECT_SECONDS,
                init=_prepare,
                reset=_nothing_to_reset,
                server_settings=self._settings,
            )
        except asyncpg.ClientConfigurationError as error:
            raise SchemaError(f"not a usable database URL: {error}") from error
        except _MISCONFIGURED as error:
            raise SchemaError(
                f"cannot use this database: {error}. Has `cognitive db upgrade` been run on it?"
            ) from error
        except (*_LOST, TimeoutError) as error:
            raise StoreUnavailable(f"cannot connect to Postgres: {error or 'no answer'}") from error
        except (ValueError, asyncpg.PostgresError) as error:
            raise SchemaError(f"cannot use this database: {error}") from error
        return pool


def _milliseconds(seconds: float) -> str:
    return str(max(1, int(seconds * 1000)))


async def _in_transaction(connection: Connection, work: Work[T], settings: tuple[str, str, str]) -> T:
    transaction = connection.transaction()
    try:
        await transaction.start()
        await connection.fetchrow(_SET_TENANT, *settings)
        result = await work(connection)
        await transaction.commit()
    except asyncio.CancelledError:
        await _undone(connection, transaction)
        raise
    except BaseException:
        if not connection.is_closed() and connection.is_in_transaction():
            await transaction.rollback()
        raise
    return result


async def _undone(connection: Connection, transaction: Any) -> None:
    """Has Postgres give up what was cancelled and keeps the connection; one that does not answer soon is cut.

    Nobody waits for this, see `Deadline`. To connect and to plan all statements anew costs several turns, and whoever
    is late because there is too much to do would make more of it.
    """
    try:
        async with asyncio.timeout(_UNDO_SECONDS):
            await transaction.rollback()
    except (Exception, asyncio.CancelledError):  # whatever it was, the connection is of no more use
        connection.terminate()


async def _nothing_to_reset(connection: Connection) -> None:
    """All settings are local to their transaction, so the default reset would only cost a round trip."""


async def _prepare(connection: Connection) -> None:
    """Checks the database once per connection and teaches it our types."""
    state = await connection.fetchrow(_STATE)
    if state["postgres"] < LEAST_POSTGRES:
        raise SchemaError(f"Postgres {state['postgres']} is too old: {LEAST_POSTGRES} or newer is needed")
    if state["pgvector"] is None or pgvector_too_old(state["pgvector"]):
        found = state["pgvector"] or "none"
        raise SchemaError(
            f"the extension pgvector {LEAST_PGVECTOR} or newer is needed in this database (found: {found}). Install it"
            " on the server and run `cognitive db upgrade` as a role that may create extensions"
        )
    if not state["migrated"]:
        raise SchemaError("this database has no cognitive schema yet: run `cognitive db upgrade`")
    revision = await connection.fetchval("SELECT version_num FROM cognitive.alembic_version")
    if revision != HEAD:
        raise SchemaError(
            f"the schema is at revision {revision}, this version needs {HEAD}: run `cognitive db upgrade`"
        )
    if state["above_policies"]:
        raise SchemaError(
            f"the role {state['role']} must be neither superuser nor BYPASSRLS: row level security would not bind it"
        )
    await connection.set_type_codec(
        "halfvec", schema=state["types"], encoder=bytes, decoder=decode_halfvec, format="binary"
    )
    await connection.set_type_codec("jsonb", schema="pg_catalog", encoder=json.dumps, decoder=json.loads)


def encode_halfvec(vector: NDArray[np.float32]) -> bytes:
    """pgvector's binary form: dimension and an unused word as 16-bit integers, then big-endian half floats.

    Vectors are bound in this form: asyncpg would take an array in an array for a matrix.
    """
    return len(vector).to_bytes(2, "big") + b"\x00\x00" + vector.astype(">f2").tobytes()


def decode_halfvec(value: bytes) -> NDArray[np.float32]:
    """The reverse of `encode_halfvec`."""
    return np.frombuffer(value, dtype=">f2", offset=4).astype(np.float32)
