"""The connections: one pool, one role without privileges, one tenant per transaction.

The tenant is set with `SET LOCAL`, for the transaction only: a session-level SET would leak through a pooler. A
cancelled statement is given up by the server too; the connection to one that does not acknowledge that soon is cut,
since waiting for a frozen server has no bound. One that failed so many times in a row is asked no more until a probe is
answered (`brain.postgres.breaker`).
"""

from __future__ import annotations

import asyncio
import logging
from collections.abc import Callable
from functools import partial
from time import monotonic
from typing import Generic

import asyncpg

from brain.deadline import Deadline, late
from brain.errors import EmbeddedServerError, InvalidInput, StoreError, StoreUnavailable
from brain.postgres import event_loop
from brain.postgres.breaker import Breaker, Probe, may_wait
from brain.postgres.connection_setup import CONTENDED, LOST, fill, prepare
from brain.postgres.transaction import Connection as Connection
from brain.postgres.transaction import T as T
from brain.postgres.transaction import Work as Work
from brain.postgres.transaction import beginning, in_transaction

log = logging.getLogger(__name__)

APP_ROLE = "cognitive_app"
_ATTEMPTS = 4
_STATEMENTS = 100  # kept prepared per connection: asyncpg's own number, all of ours several times over
_CONNECT_SECONDS = 5.0
_PROBE_SECONDS = 1.0  # a server that lives answers within milliseconds; a connection to it may have to be made
_IN_TIME = "no answer in time"
_FAIR_SECONDS = 0.05  # what was given up sooner says nothing of the server: its turn had spent its time elsewhere


class Database:
    """A pool on one database, opened on first use and reopened when the server comes back.

    All work is done as `role`, and `read_only` in transactions that write nothing. `revive` is called, off the event
    loop, when a connection is lost: the embedded server is restarted by it. While `breaker` is open nothing is asked.
    `pooled`: behind a pooler that hands a connection of the server from client to client after each transaction, so
    that nothing is prepared beforehand, and the role is taken on within each transaction. `clustered`: the coordinator
    of a Citus cluster.
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
        pooled: bool = False,
        clustered: bool = False,
    ) -> None:
        self._url = url
        self._pooled = pooled
        self._clustered = clustered
        self._role = role
        self._read_only = read_only
        self._pool_size = pool_size
        self._revive = revive
        self._breaker = breaker or Breaker()
        self._probing = Probe(self._breaker, self._answers)
        self._pool: asyncpg.Pool | None = None
        self._loop: asyncio.AbstractEventLoop | None = None  # of its connections: another one would break them
        self._opening: asyncio.Task[None] | None = None
        self._closed = False

    @property
    def breaker(self) -> Breaker:
        """What says whether it is asked; the one that it was made with, which probes know too."""
        return self._breaker

    async def open(self) -> None:
        """Connects and checks server, extension, schema and role.

        Raises:
            SchemaError: something is missing; the message says what and what to do.
            StoreUnavailable: nothing answers at this address (yet).
        """
        if self._closed:
            raise StoreUnavailable("the database was closed")
        if self._pool is None:
            if self._opening is None or self._opening.done():
                self._opening = asyncio.create_task(self._opened())
            await self._shared(self._opening)

    async def _shared(self, opening: asyncio.Task[None]) -> None:
        """A turn may have less time than connecting takes: the next one finds what it began."""
        try:
            await asyncio.shield(opening)
        except asyncio.CancelledError:
            if opening.cancelled():  # and not the caller
                raise StoreUnavailable("the database was closed") from None
            raise

    async def close(self) -> None:
        """Closes the pool for good; connections that are stuck are cut after a moment."""
        self._closed = True
        await self._probing.stop()
        if self._opening is not None:
            self._opening.cancel()
            await asyncio.wait({self._opening})
        pool, self._pool = self._pool, None
        if pool is None:
            return
        try:
            async with asyncio.timeout(_CONNECT_SECONDS):
                await pool.close()
        except TimeoutError:
            pool.terminate()

    async def run(
        self, agent_id: str, work: Work[T], *, timeout: float = 60.0, durable: bool = True, snapshot: bool = False
    ) -> T:
        """Runs idempotent `work` in one transaction that sees only this agent's rows, within `timeout` seconds.

        Not `durable`, its commit does not wait for the disk: for what can be recorded again. With `snapshot` all of its
        statements see the rows as they were at the first one.
        A lost connection, a deadlock or a serialisation failure is tried again on a fresh connection.

        Raises:
            WrongEventLoop: its connections belong to another one.
            StoreUnavailable: no connection in time, or lost again and again; or the breaker is open.
            StoreError: Postgres refused the work; the cause is chained.
        """
        if self._loop is not None:
            event_loop.require(self._loop)
        deadline = Deadline(timeout * 1000)
        for attempt in range(1, _ATTEMPTS + 1):
            await self._admitted(deadline)
            try:
                return await self._watched(deadline, _Attempt(agent_id, work, deadline.left(), durable, snapshot))
            except CONTENDED as error:
                if attempt == _ATTEMPTS:
                    raise StoreError(f"Postgres gave up after {attempt} attempts: {error}") from error
            except TimeoutError as error:
                raise StoreUnavailable(f"no answer from Postgres within {timeout:g} s") from error
            except (*LOST, StoreUnavailable) as error:
                if attempt == _ATTEMPTS:
                    raise StoreUnavailable(f"Postgres is unavailable: {error}") from error
                await self._recover(attempt)
            except asyncpg.QueryCanceledError as error:
                raise StoreUnavailable(f"no answer from Postgres within {timeout:g} s") from error
            except asyncpg.ReadOnlySQLTransactionError as error:
                await self._expire()  # the next ones may lead to the primary, where the address names several servers
                raise StoreUnavailable(f"this Postgres only reads: it is a standby, or told to ({error})") from error
            except asyncpg.DataError as error:
                raise InvalidInput(f"Postgres cannot store this: {error}") from error
            except asyncpg.PostgresError as error:
                raise StoreError(f"Postgres refused: {error}") from error
        raise AssertionError("unreachable: the last attempt returns or raises")

    async def _admitted(self, deadline: Deadline) -> None:
        """Raises StoreUnavailable while the breaker is open; a patient caller waits for the next probe first."""
        if self._breaker.refusal() is not None and may_wait():
            await self._probing.next(deadline)
        if (refusal := self._breaker.refusal()) is not None:
            raise StoreUnavailable(refusal)

    async def _watched(self, deadline: Deadline, attempt: _Attempt[T]) -> T:
        """An attempt, and what it says of the server."""
        asked = monotonic()
        try:
            result = await deadline.within(self._attempt(attempt))
        except (*LOST, TimeoutError, StoreUnavailable, asyncpg.QueryCanceledError) as error:
            self._unanswered(attempt, asked, str(error) or _IN_TIME)
            raise
        except asyncio.CancelledError as cancelled:
            if late(cancelled):
                self._unanswered(attempt, asked, _IN_TIME)
            raise
        except asyncpg.PostgresError:
            self._breaker.answered()
            raise
        self._breaker.answered()
        return result

    async def _attempt(self, attempt: _Attempt[T]) -> T:
        await self.open()
        pool = self._pool
        if pool is None:
            raise StoreUnavailable("the database was closed")
        connection = await pool.acquire(timeout=attempt.timeout)
        attempt.connected = True
        try:
            return await in_transaction(connection, attempt.work, self._beginning(attempt))
        finally:
            await pool.release(connection)

    def _unanswered(self, attempt: _Attempt[T], asked: float, because: str) -> None:
        """Tells the breaker, unless it was not the server that was waited for. Opened by it, it is probed."""
        pool, now = self._pool, monotonic()
        full = pool is not None and pool.get_size() == self._pool_size and pool.get_idle_size() == 0
        if (full and not attempt.connected) or (because == _IN_TIME and now - asked < _FAIR_SECONDS):
            return
        if self._breaker.failed(asked, now, because) and not self._closed:
            log.warning("%s; probed in %.2g s", self._breaker.refusal(), self._breaker.wait)
            self._probing.begin()

    async def _answers(self) -> bool:
        probe = _Attempt("", _probed, _PROBE_SECONDS, durable=False, snapshot=False)
        try:
            if self._revive is not None:
                await asyncio.to_thread(self._revive)
            await Deadline(_PROBE_SECONDS * 1000).within(self._attempt(probe))
        except (*LOST, TimeoutError, StoreUnavailable, EmbeddedServerError, asyncpg.QueryCanceledError):
            return False
        except (StoreError, asyncpg.PostgresError):  # an answer: callers are to hear it
            return True
        except Exception:  # a probe that ended here would leave the breaker open for good
            log.exception("Postgres was probed in vain")
            return False
        return True

    def _settings(self) -> dict[str, str]:
        """What a connection is given when it is made; a pooler would have its next client have it too."""
        own = {"role": self._role} | ({"default_transaction_read_only": "on"} if self._read_only else {})
        return {"application_name": "cognitive-layer", "timezone": "UTC", **({} if self._pooled else own)}

    @property
    def _local_role(self) -> str | None:
        """The role that each transaction takes on; None where the connection has it."""
        return self._role if self._pooled else None

    def _beginning(self, attempt: _Attempt[T]) -> str:
        return beginning(
            attempt.agent_id,
            attempt.timeout,
            durable=attempt.durable,
            snapshot=attempt.snapshot,
            read_only=self._read_only,
            role=self._local_role,
            clustered=self._clustered,
        )

    async def _recover(self, attempt: int) -> None:
        await self._expire()
        if self._revive is not None:
            await asyncio.to_thread(self._revive)
        await asyncio.sleep(0.05 * 2**attempt)

    async def _expire(self) -> None:
        if self._pool is not None:
            await self._pool.expire_connections()

    async def _opened(self) -> None:
        pool = asyncpg.create_pool(
            self._url,
            min_size=min(3, self._pool_size),  # a turn reads what is pinned, what is found and its session at once
            max_size=self._pool_size,
            timeout=_CONNECT_SECONDS,
            init=partial(prepare, role=self._local_role),
            statement_cache_size=0 if self._pooled else _STATEMENTS,
            reset=_no_reset,
            server_settings=self._settings(),
        )
        await fill(pool)
        self._pool, self._loop = pool, asyncio.get_running_loop()


class _Attempt(Generic[T]):
    """Work for an agent within so many seconds, and whether it got a connection."""

    def __init__(self, agent_id: str, work: Work[T], timeout: float, durable: bool, snapshot: bool) -> None:
        self.agent_id = agent_id
        self.work = work
        self.timeout = timeout
        self.durable = durable
        self.snapshot = snapshot
        self.connected = False


async def _probed(connection: Connection) -> None:
    """The transaction around it is question enough."""


async def _no_reset(connection: Connection) -> None:
    """In place of asyncpg's reset, which costs a round trip: all our settings are local to their transaction."""
