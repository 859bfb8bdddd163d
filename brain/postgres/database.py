"""A connection pool that runs work as one unprivileged role, for one agent and user per transaction.

Agent and user are set for the transaction only, with `SET LOCAL` or by the function that is called, since a
session-level SET would leak through a pooler. A cancelled statement is cancelled on the server too. If the server
doesn't acknowledge the cancellation soon, the connection is closed, because waiting for a frozen server could take
forever. After several failures in a row a circuit breaker refuses calls until a probe succeeds
(`brain.postgres.breaker`).
"""

from __future__ import annotations

import asyncio
import logging
from collections.abc import Callable, Sequence
from dataclasses import replace
from functools import partial
from time import monotonic
from typing import Any

import asyncpg

from brain.deadline import Deadline, late
from brain.errors import EmbeddedServerError, StoreError, StoreUnavailable
from brain.postgres import event_loop
from brain.postgres.breaker import NO_ANSWER, Breaker, CircuitBreakers, ask, failed_node, may_wait, node_of
from brain.postgres.connection_setup import CONTENDED, LOST, connect, fill, no_reset, prepare, rejected, server_settings
from brain.postgres.refusals import plain_url
from brain.postgres.transaction import Attempt, beginning, beginning_with, give_back, in_transaction, take
from brain.postgres.transaction import Bound as Bound
from brain.postgres.transaction import Connection as Connection
from brain.postgres.transaction import T as T
from brain.postgres.transaction import Work as Work
from brain.postgres.writing import ClusterConnection, ServerConnection
from brain.users import Scope

log = logging.getLogger(__name__)

APP_ROLE = "cognitive_app"
_CLOSED = "the layer is closed; call it inside its `with` block"
_ATTEMPTS = 4
_STATEMENTS = 100  # prepared statements cached per connection: asyncpg's default, more than this product has
_CONNECT_SECONDS = 5.0
_PROBE_SECONDS = 1.0  # a healthy server answers within milliseconds; the probe may have to connect first
_FAIR_SECONDS = 0.05  # a shorter wait does not count as a failure: the turn spent its time elsewhere


class Database:
    """A connection pool for one database, opened on first use and reopened when the server is back.

    Args:
        url: the address of the database.
        pool_size: the maximum number of connections.
        revive: called in a thread when a connection is lost; it restarts the embedded server.
        role: the role that runs all work.
        read_only: run all work in read-only transactions.
        breaker: refuses calls while it is open.
        pooled: the URL leads to a pooler in transaction mode. Each transaction sets the role.
        prepares: False prepares no statement, for a pooler that does not keep them.
        clustered: the URL leads to the coordinator of a Citus cluster.
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
        prepares: bool = True,
        clustered: bool = False,
    ) -> None:
        self._url = plain_url(url)
        self._pooled = pooled
        self._prepares = prepares
        self._clustered = clustered
        self._role = role
        self._local_role = role if pooled else None  # set by each transaction, since a pooler's connections lack it
        self._read_only = read_only
        self._pool_size = pool_size
        self._revive = revive
        self._breakers = CircuitBreakers(breaker or Breaker(), self._answers, self._node_of if clustered else None)
        self._pool: asyncpg.Pool | None = None
        self._loop: asyncio.AbstractEventLoop | None = None  # connections work only in the loop that opened them
        self._opening: asyncio.Task[None] | None = None
        self._closed = False

    @property
    def breaker(self) -> Breaker:
        """The circuit breaker that refuses calls while Postgres does not answer."""
        return self._breakers.server

    @property
    def pool_size(self) -> int:
        """The maximum number of connections."""
        return self._pool_size

    async def open(self) -> None:
        """Connect to Postgres, and check server, extension, schema and role.

        Raises:
            SchemaError: the database lacks something; the message says what it lacks and what to do.
            StoreUnavailable: the server does not answer (yet).
        """
        if self._closed:
            raise StoreUnavailable(_CLOSED)
        if self._pool is None:
            if self._opening is None or self._opening.done():
                self._opening = asyncio.create_task(self._open_pool())
            await self._wait_for(self._opening)

    async def _wait_for(self, opening: asyncio.Task[None]) -> None:
        """Wait until the pool is open. If the caller is cancelled, the task `opening` continues for other callers."""
        try:
            await asyncio.shield(opening)
        except asyncio.CancelledError:
            if opening.cancelled():  # the pool was closed; the caller was not cancelled
                raise StoreUnavailable(_CLOSED) from None
            raise

    async def close(self) -> None:
        """Close the pool for good; terminate connections that do not close within 5 seconds."""
        self._closed = True
        await self._breakers.stop()
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
        self,
        scope: Scope,
        work: Work[T],
        *,
        timeout: float = 60.0,
        durable: bool = True,
        snapshot: bool = False,
        first: Sequence[Bound] = (),
    ) -> T:
        """Run idempotent `work` in one transaction that sees only the rows of this scope; return its result.

        A lost connection, a deadlock or a serialization failure is retried on a fresh connection.

        Args:
            scope: the agent and user whose rows row level security admits. The operator's view sets another role.
            work: a coroutine function that takes the connection. It may run several times.
            timeout: seconds for all attempts together.
            durable: False lets the commit return before it is on disk, for rows that can be written again.
            snapshot: True gives all statements the same snapshot (REPEATABLE READ). They only read.
            first: statements to run before `work`, such as locks. Their parameters are texts; their rows are not read.

        Raises:
            WrongEventLoop: the pool was opened in another event loop.
            StoreUnavailable: no connection in time, the connection was lost repeatedly, or the breaker is open.
            InvalidInput: Postgres cannot store a value.
            StoreConflict: another transaction stored a row with the same key meanwhile.
            StoreError: Postgres refused the work; the cause is chained.
        """
        return await self._run_with_retries(Attempt(scope, work, timeout, durable, snapshot, first))

    @property
    def can_call(self) -> bool:
        """True if `call` may be used: the role belongs to the connection, and one server has all rows."""
        return not self._pooled and not self._clustered

    async def call(self, scope: Scope, function: Bound) -> None:
        """Call an SQL function that sets the scope itself. The call is a whole transaction, in one round trip."""
        await self._run_with_retries(Attempt(scope, lambda c: c.execute(*function), 60.0, alone=True))

    async def _run_with_retries(self, attempt: Attempt[T]) -> T:
        """Run an attempt until it succeeds, up to four times, and translate the errors of asyncpg."""
        if self._closed:
            raise StoreUnavailable(_CLOSED)
        if self._loop is not None:
            event_loop.require(self._loop)
        scope, timeout = attempt.scope, attempt.timeout
        deadline = Deadline(timeout * 1000)
        for number in range(1, _ATTEMPTS + 1):
            await self._check_breaker(scope.agent_id, deadline)
            try:
                return await self._run_and_report(deadline, replace(attempt, timeout=deadline.left()))
            except CONTENDED as error:
                if number == _ATTEMPTS:
                    raise StoreError(f"{number} attempts conflicted with other transactions: {error}") from error
            except (TimeoutError, asyncpg.QueryCanceledError) as error:
                raise StoreUnavailable(f"no answer from Postgres within {timeout:g} s") from error
            except (*LOST, StoreUnavailable) as error:
                if number == _ATTEMPTS:
                    raise StoreUnavailable(f"Postgres is unavailable: {error}") from error
                await self._recover(number, lost=not _stay_usable(error))
            except asyncpg.PostgresError as error:
                if isinstance(error, asyncpg.ReadOnlySQLTransactionError):
                    await self._expire()  # with several servers in the address, new connections may reach the primary
                raise rejected(error, scope.user_id) from error
        raise AssertionError("unreachable: the last attempt returns or raises")

    async def _check_breaker(self, agent_id: str, deadline: Deadline) -> None:
        """Raise StoreUnavailable if the circuit breaker of the server, or of the agent's node, is open.

        Inside a function decorated with `waits_for_recovery`, wait for the next probe of Postgres first.
        """
        breaker, probe = self._breakers.of(agent_id)
        if breaker.refusal() is not None and may_wait():
            await probe.next(deadline)
        if (refusal := breaker.refusal()) is not None:
            raise StoreUnavailable(refusal)

    async def _run_and_report(self, deadline: Deadline, attempt: Attempt[T]) -> T:
        """Run an attempt of an agent's work, and report its success or failure to the circuit breaker."""
        began = monotonic()
        try:
            result = await deadline.within(self._run_once(attempt))
        except (*LOST, TimeoutError, StoreUnavailable, asyncpg.QueryCanceledError) as error:
            if (node := failed_node(error)) is not None:
                self._breakers.blame(attempt.scope.agent_id, node)
            reason = "" if isinstance(error, asyncpg.QueryCanceledError) else getattr(error, "problem", str(error))
            self._count_failure(attempt, began, reason or NO_ANSWER)
            raise
        except asyncio.CancelledError as cancelled:
            if late(cancelled):
                self._count_failure(attempt, began, NO_ANSWER)
            raise
        except asyncpg.PostgresError:
            self._breakers.answered(attempt.scope.agent_id)
            raise
        self._breakers.answered(attempt.scope.agent_id)
        return result

    async def _run_once(self, attempt: Attempt[T]) -> T:
        """Run an attempt once, on a connection of the pool."""
        await self.open()
        pool = self._pool
        if pool is None:
            raise StoreUnavailable(_CLOSED)
        connection = await take(pool, max(attempt.timeout, _CONNECT_SECONDS))
        attempt.connected = True
        try:
            # nothing depends on the end of a transaction that only reads
            return await in_transaction(
                connection, attempt.work, *self._beginning(attempt), commit=not attempt.snapshot
            )
        finally:
            await give_back(pool, connection)

    def _count_failure(self, attempt: Attempt[T], began: float, reason: str) -> None:
        """Report a failed attempt to the circuit breaker, unless the server may be healthy.

        It may be if the attempt only waited for a free connection of the pool, or had no time to get an answer.
        """
        if self._waited_for_pool(attempt) or (reason == NO_ANSWER and monotonic() - began < _FAIR_SECONDS):
            return
        self._breakers.failed(attempt.scope.agent_id, began, reason)

    def _waited_for_pool(self, attempt: Attempt[Any]) -> bool:
        pool = self._pool
        full = pool is not None and pool.get_size() == self._pool_size and pool.get_idle_size() == 0
        return full and not attempt.connected

    async def _node_of(self, agent_id: str) -> str | None:
        """Return the node with an agent's rows, '' if the coordinator does not say, or None if the pool is busy."""
        attempt = Attempt(Scope(agent_id), partial(node_of, agent_id=agent_id), _PROBE_SECONDS, durable=False)
        try:
            return await Deadline(_PROBE_SECONDS * 1000).within(self._run_once(attempt)) or ""
        except (*LOST, TimeoutError, StoreError, asyncpg.PostgresError):
            return None if self._waited_for_pool(attempt) else ""

    async def _answers(self, agent_id: str) -> bool:
        """Return True if Postgres answers: the server itself for '', or the node with this agent's rows."""
        probe = Attempt(Scope(agent_id), partial(ask, agent_id=agent_id), _PROBE_SECONDS, durable=False)
        try:
            if self._revive is not None:
                await asyncio.to_thread(self._revive)
            await Deadline(_PROBE_SECONDS * 1000).within(self._run_once(probe))
        except (*LOST, TimeoutError, StoreUnavailable, EmbeddedServerError, asyncpg.QueryCanceledError):
            return False
        except (StoreError, asyncpg.PostgresError):  # the server answers; let callers see its error
            return True
        except Exception:  # an uncaught error would end the probing and leave the breaker open for good
            log.exception("the probe of Postgres failed")
            return False
        return True

    def _beginning(self, attempt: Attempt[T]) -> tuple[str, ...]:
        if attempt.alone:
            return ()
        begin = beginning(
            attempt.scope,
            attempt.timeout,
            durable=attempt.durable,
            snapshot=attempt.snapshot,
            read_only=self._read_only,
            role=self._local_role,
            clustered=self._clustered,
        )
        return beginning_with(begin, attempt.first, self._clustered)

    async def _recover(self, number: int, *, lost: bool) -> None:
        """Wait before another attempt; the wait doubles with each of the `number` attempts so far.

        If connections were `lost`, replace all of the pool first.
        """
        if lost:
            await self._expire()
            if self._revive is not None:
                await asyncio.to_thread(self._revive)
        await asyncio.sleep(0.05 * 2**number)

    async def _expire(self) -> None:
        if self._pool is not None:
            await self._pool.expire_connections()

    async def _open_pool(self) -> None:
        pool = asyncpg.create_pool(
            self._url,
            min_size=min(3, self._pool_size),  # the reads of a turn, the record of another, and an outcome
            max_size=self._pool_size,
            timeout=_CONNECT_SECONDS,
            connect=partial(connect, known_types={}),
            connection_class=ClusterConnection if self._clustered else ServerConnection,
            init=partial(prepare, role=self._local_role),
            statement_cache_size=_STATEMENTS if self._prepares else 0,
            max_cacheable_statement_size=0,  # no maximum: to plan a search takes longer than to run it
            reset=no_reset,
            server_settings=server_settings(self._role, self._read_only, self._pooled, self._clustered),
        )
        await fill(pool, self._url)
        self._pool, self._loop = pool, asyncio.get_running_loop()


def _stay_usable(error: BaseException) -> bool:
    """Return True if the pool's open connections can still be used after this error.

    They can if only a node behind the server failed, or if the server refused one more connection.
    """
    return failed_node(error) is not None or isinstance(error, asyncpg.TooManyConnectionsError)


class AllUsersView:
    """Runs work with the operator's role, in transactions that see and write the rows of all users of an agent."""

    def __init__(self, database: Database) -> None:
        self._database = database

    async def run(self, agent_id: str, work: Work[T], *, timeout: float = 60.0) -> T:
        """Run work as `Database.run` does, for all users. Shared rows are written until `write_as` names a user."""
        return await self._database.run(Scope.all_users(agent_id), work, timeout=timeout)
