"""The connections: one pool, one role without privileges, one tenant per transaction.

The tenant is set with `set_config(…, true)`, for the transaction only: a session-level SET would leak through a
pooler. A cancelled statement is given up by the server too; the connection to one that does not acknowledge that soon
is cut, since waiting for a frozen server has no bound. One that failed so many times in a row is asked no more until a
probe is answered (`brain.breaker`).
"""

from __future__ import annotations

import asyncio
import json
import logging
from collections.abc import Awaitable, Callable
from contextlib import suppress
from time import monotonic
from typing import Any, Generic, TypeAlias, TypeVar

import asyncpg
import numpy as np
from numpy.typing import NDArray

from brain import loops
from brain.breaker import Breaker
from brain.deadline import Deadline, late
from brain.errors import EmbeddedServerError, InvalidInput, SchemaError, StoreError, StoreUnavailable
from brain.schema import HEAD, LEAST_PGVECTOR, LEAST_POSTGRES, pgvector_too_old

T = TypeVar("T")
Connection: TypeAlias = Any  # asyncpg ships no types: a connection of its pool
Work = Callable[[Connection], Awaitable[T]]

log = logging.getLogger(__name__)

APP_ROLE = "cognitive_app"
_ATTEMPTS = 4
_STATEMENTS = 100  # kept prepared per connection: asyncpg's own number, all of ours several times over
_CONNECT_SECONDS = 5.0
_UNDO_SECONDS = 1.0  # a server that lives acknowledges a cancellation within milliseconds
_PROBE_SECONDS = 1.0  # a server that lives answers within milliseconds; a connection to it may have to be made
_IN_TIME = "no answer in time"
_FAIR_SECONDS = 0.05  # what was given up sooner says nothing of the server: its turn had spent its time elsewhere
# Statements are planned once per connection: planning the search anew for each call costs more than running it.
# As text and not with parameters: one round trip and not two. The agent's name is written in hexadecimal digits.
_BEGIN = """
BEGIN;
SELECT set_config('cognitive.agent_id', convert_from(decode('{agent}', 'hex'), 'UTF8'), true),
       set_config('statement_timeout', '{milliseconds}', true), set_config('synchronous_commit', '{commit}', true),
       set_config('plan_cache_mode', 'force_generic_plan', true)
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
    loop, when a connection is lost: the embedded server is restarted by it. While `breaker` is open nothing is asked.
    Behind a pooler that hands a connection of the server from client to client after each transaction, nothing can be
    prepared beforehand: `prepared` says whether it may be.
    """

    def __init__(
        self,
        url: str,
        *,
        pool_size: int = 8,
        revive: Callable[[], None] | None = None,
        role: str = APP_ROLE,
        read_only: bool = False,
        breaker: Breaker | None = None,
        prepared: bool = True,
    ) -> None:
        self._url = url
        self._prepared = prepared
        self._settings = {"role": role, "application_name": "cognitive-layer", "timezone": "UTC"}
        if read_only:
            self._settings["default_transaction_read_only"] = "on"
        self._pool_size = pool_size
        self._revive = revive
        self.breaker = breaker or Breaker()
        self._probing: asyncio.Task[None] | None = None
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
        if self._probing is not None:
            self._probing.cancel()
            await asyncio.wait({self._probing})
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
            StoreUnavailable: no connection in time, or lost again and again; or the breaker is open.
            StoreError: Postgres refused the work; the cause is chained.
        """
        if self._loop is not None:
            loops.require(self._loop)
        deadline = Deadline(timeout * 1000)
        for attempt in range(1, _ATTEMPTS + 1):
            if (refusal := self.breaker.refusal()) is not None:
                raise StoreUnavailable(refusal)
            try:
                return await self._watched(deadline, _Attempt(agent_id, work, deadline.left(), durable))
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

    async def _watched(self, deadline: Deadline, attempt: _Attempt[T]) -> T:
        """An attempt, and what it says of the server."""
        asked = monotonic()
        try:
            result = await deadline.within(self._attempt(attempt))
        except (*_LOST, TimeoutError, StoreUnavailable, asyncpg.QueryCanceledError) as error:
            self._unanswered(attempt, asked, str(error) or _IN_TIME)
            raise
        except asyncio.CancelledError as cancelled:
            if late(cancelled):
                self._unanswered(attempt, asked, _IN_TIME)
            raise
        except asyncpg.PostgresError:
            self.breaker.answered()
            raise
        self.breaker.answered()
        return result

    async def _attempt(self, attempt: _Attempt[T]) -> T:
        if self._pool is None:
            await self.open()
        pool = self._pool
        if pool is None:
            raise StoreUnavailable("the database was closed")
        connection = await pool.acquire(timeout=attempt.timeout)
        attempt.connected = True
        try:
            return await _in_transaction(connection, attempt.work, attempt.begin)
        finally:
            await pool.release(connection)

    def _unanswered(self, attempt: _Attempt[T], asked: float, because: str) -> None:
        """Tells the breaker, unless it was not the server that was waited for. Opened by it, it is probed."""
        pool, now = self._pool, monotonic()
        full = pool is not None and pool.get_size() == self._pool_size and pool.get_idle_size() == 0
        if (full and not attempt.connected) or (because == _IN_TIME and now - asked < _FAIR_SECONDS):
            return
        if self.breaker.failed(asked, now, because):
            log.warning("%s; probed in %.2g s", self.breaker.refusal(), self.breaker.wait)
            self._probing = asyncio.create_task(self._probe())

    async def _probe(self) -> None:
        """Asks until there is an answer; then callers may ask again."""
        while self.breaker.state == "open":
            await asyncio.sleep(self.breaker.wait)
            self.breaker.probed(answered=await self._answers(), now=monotonic())
        log.info("Postgres is asked again")

    async def _answers(self) -> bool:
        probe = _Attempt("", _probed, _PROBE_SECONDS, durable=False)
        try:
            if self._revive is not None:
                await asyncio.to_thread(self._revive)
            await Deadline(_PROBE_SECONDS * 1000).within(self._attempt(probe))
        except (*_LOST, TimeoutError, StoreUnavailable, EmbeddedServerError, asyncpg.QueryCanceledError):
            return False
        except (StoreError, asyncpg.PostgresError):  # an answer: callers are to hear it
            return True
        return True

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
                statement_cache_size=_STATEMENTS if self._prepared else 0,
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


class _Attempt(Generic[T]):
    """Work for an agent within so many seconds, and whether it got a connection."""

    def __init__(self, agent_id: str, work: Work[T], timeout: float, durable: bool) -> None:
        self.work = work
        self.timeout = timeout
        self.begin = _BEGIN.format(
            agent=agent_id.encode("utf-8", "surrogatepass").hex(),  # what is no text is refused there, by its name
            milliseconds=max(1, int(timeout * 1000)),
            commit="on" if durable else "off",
        )
        self.connected = False


async def _probed(connection: Connection) -> None:
    """The transaction around it is question enough."""


async def _in_transaction(connection: Connection, work: Work[T], begin: str) -> T:
    """Plain statements: asyncpg's own transaction cannot be rolled back once its first or last one was cancelled."""
    try:
        await connection.execute(begin)
        result = await work(connection)
        await connection.execute("COMMIT")
    except asyncio.CancelledError:
        await _undone(connection)
        raise
    except BaseException:
        if not connection.is_closed() and connection.is_in_transaction():
            await connection.execute("ROLLBACK")
        raise
    return result


async def _undone(connection: Connection) -> None:
    """Has Postgres give up what was cancelled and keeps the connection; one that does not answer soon is cut.

    Nobody waits for this, see `Deadline`. To connect and to plan all statements anew costs several turns, and whoever
    is late because there is too much to do would make more of it.
    """
    try:
        async with asyncio.timeout(_UNDO_SECONDS):
            with suppress(asyncpg.InFailedSQLTransactionError):
                await connection.execute("SELECT 1")  # its turn comes when Postgres has acknowledged the cancellation
            if connection.is_in_transaction():
                await connection.execute("ROLLBACK")
    except (Exception, asyncio.CancelledError):  # whatever it was, the connection is of no more use
        connection.terminate()


async def _nothing_to_reset(connection: Connection) -> None:
    """All settings are local to their transaction, so the default reset would only cost a round trip."""


async def _prepare(connection: Connection) -> None:
    """Checks the database once per connection and teaches it our types, in one transaction: see `prepared`."""
    async with connection.transaction():
        await _checked(connection)


async def _checked(connection: Connection) -> None:
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
