"""Open read-only connections for dashboards and analysis.

They use the read-only role if the login may use it, and otherwise the application's role; their transactions are
read-only in both cases. If a standby is configured, reads go to the standby first, so that they take no capacity from
turns.
"""

from __future__ import annotations

import asyncio
import logging
from collections.abc import Awaitable, Callable, Iterator
from contextlib import contextmanager
from contextvars import ContextVar
from dataclasses import dataclass
from math import inf
from time import monotonic
from typing import Any

from brain import statements
from brain.deadline import Deadline
from brain.errors import StoreError, StoreUnavailable
from brain.postgres import roles
from brain.postgres.admin_connection import connected
from brain.postgres.breaker import Breaker
from brain.postgres.database import APP_ROLE, Connection, Database, T, Work
from brain.postgres.roles import Granted
from brain.users import Scope

log = logging.getLogger(__name__)

SQL = statements.load("replica")

_ROLES_SECONDS = 10.0  # timeout of the query for the available roles
_STANDBY_MS = 2_000.0  # timeout to connect to a standby: less than a page's timeout
_RETRY_SECONDS = 5.0  # for which a failed standby is not used
_PRIMARY_SECONDS = 2.0  # maximum age of the primary's position, from which a page's lag is computed
_ASK_SECONDS = 1.0  # timeout of the query for that position: the standby is read without it too
_COMPARE_MS = 2_000.0  # timeout for comparing both servers: a health check must not hang on one of them


@dataclass(frozen=True, slots=True)
class ReadServer:
    """The replication state of a Postgres server.

    Attributes:
        standby: True if the server is a standby that replays the log of a primary.
        cluster: the system identifier, which a standby shares with its primary.
        position: the server's position in the write-ahead log, in bytes.
        since: seconds since the last replayed transaction, or None if there was none.
    """

    standby: bool
    cluster: int
    position: int
    since: float | None


@dataclass(frozen=True, slots=True)
class Replica:
    """The state of a standby server: how far it lags behind its primary, and whether it may be read.

    Attributes:
        unfit: the reason why the standby is not read, or None if it can be read.
        bytes: how much of the primary's write-ahead log the standby has not replayed yet, in bytes.
        seconds: how far the standby lags behind in time; 0 if it has replayed the whole log.
    """

    unfit: str | None
    bytes: int = 0
    seconds: float = 0.0


async def server(connection: Any) -> ReadServer:
    """Return the replication state of the server that a connection leads to."""
    return ReadServer(**dict(await connection.fetchrow(*SQL.server())))


def unfit(replica: ReadServer, cluster: int) -> str | None:
    """Return the reason why a server is not a standby of the cluster `cluster`, or None if it is one."""
    if not replica.standby:
        return "it accepts writes: it was promoted, or is no standby"
    return None if replica.cluster == cluster else "it is a standby of another server"


async def compared(url: str, replica_url: str) -> Replica:
    """Connect to a primary and its standby and return the standby's lag.

    Raises nothing: if a server does not answer, `unfit` in the result gives the reason.
    """
    try:
        async with asyncio.timeout(_COMPARE_MS / 1000):
            replica, primary = await asyncio.gather(
                _server_at("the replica", replica_url), _server_at("the primary", url)
            )
    except (StoreError, TimeoutError) as error:
        return Replica(str(error) or f"no answer within {_COMPARE_MS / 1000:g} s")
    if (reason := unfit(replica, primary.cluster)) is not None:
        return Replica(reason)
    behind = max(0, primary.position - replica.position)
    return Replica(None, behind, (replica.since or 0.0) if behind else 0.0)


async def _server_at(which: str, url: str) -> ReadServer:
    try:
        async with connected(url, "inspect it") as connection:
            return await server(connection)
    except StoreError as error:
        raise StoreUnavailable(f"{which} does not answer: {error}") from error


@dataclass(slots=True)
class ReadLag:
    """The greatest lag of a standby among the reads of a block, in seconds; None if only the primary was read."""

    seconds: float | None = None


_measured: ContextVar[ReadLag | None] = ContextVar("read_lag", default=None)


@contextmanager
def measured_lag() -> Iterator[ReadLag]:
    """Measure the lag of the reads by `ReadDatabase.run` inside the block, and in tasks that it starts."""
    lag = ReadLag()
    token = _measured.set(lag)
    try:
        yield lag
    finally:
        _measured.reset(token)


def current_lag() -> float | None:
    """Return the lag that the surrounding `measured_lag` has measured so far, or None."""
    lag = _measured.get()
    return lag.seconds if lag is not None else None


class _LagsTooMuch(StoreError):
    """Raised when a standby lags more than its reader accepts."""


class ReadDatabase:
    """A pool of read-only connections for dashboards and analysis, so that reads and turns do not wait for each other.

    The pool is opened on first use.

    Args:
        url: the address of the server.
        pool_size: the maximum number of connections.
        pooled: the address leads to a pooler in transaction mode.
        prepares: False prepares no statement, for a pooler that does not keep them.
        clustered: the address leads to the coordinator of a Citus cluster.
        revive: called in a thread when a connection is lost, to restart the embedded server.
        grant: creates the read-only roles of an embedded server; awaited if they are missing.
        breaker: makes the circuit breaker of the pool, which is separate from the one for turns.
        standby: the pool of a standby server, which is read instead of the server while it is usable.
    """

    def __init__(
        self,
        url: str,
        *,
        pool_size: int = 4,
        pooled: bool = False,
        prepares: bool = True,
        clustered: bool = False,
        revive: Callable[[], None] | None = None,
        grant: Callable[[], Awaitable[object]] | None = None,
        breaker: Callable[[], Breaker] = Breaker,
        standby: ReadDatabase | None = None,
    ) -> None:
        self.url = url
        self.own = grant is not None
        self._pool_size = pool_size
        self._pooled = pooled
        self._prepares = prepares
        self._clustered = clustered
        self._revive = revive
        self._grant = grant
        self._breaker = breaker
        self._standby = standby
        self._standby_after = 0.0  # the standby is not used before this time of the monotonic clock
        self._primary: ReadServer | None = None  # its state when it was last asked
        self._primary_until = 0.0  # until this time of the monotonic clock, its position is recent enough
        self._opening = asyncio.Lock()
        self._opened: tuple[Database, Granted] | None = None

    async def granted(self) -> Granted:
        """Return the read-only roles that the login may use.

        Raises:
            StoreUnavailable, SchemaError: as `Database.open`.
        """
        return (await self._open())[1]

    async def run(self, scope: Scope, work: Work[T], *, timeout: float = 60.0) -> T:
        """Run read-only work as `Database.run` does, on the standby if there is one, else on the server.

        The standby gets half of the timeout. If it fails, the work is run on the server.
        """
        result, lag = await self.run_lagging(scope, work, inf, timeout=timeout)
        measured = _measured.get()
        if measured is not None and lag is not None:
            measured.seconds = max(lag, measured.seconds or 0.0)
        return result

    async def run_lagging(
        self, scope: Scope, work: Work[T], max_seconds: float, *, timeout: float, snapshot: bool = False
    ) -> tuple[T, float | None]:
        """Run read-only work on the standby if it lags at most `max_seconds`, and return the result and its lag.

        Otherwise the work is run on the server, as by `run`, and the lag is None.
        """
        deadline = Deadline(timeout * 1000)
        if self._standby is not None and monotonic() >= self._standby_after:
            try:
                reading = self._run_on_standby(self._standby, scope, work, max_seconds, timeout / 2, snapshot)
                return await deadline.within(reading, 0.5)
            except _LagsTooMuch as error:
                log.info("reading from the primary, not from the standby: %s", error)
            except (StoreError, TimeoutError) as error:
                self._standby_after = monotonic() + _RETRY_SECONDS
                log.warning("reading from the primary, not from the standby: %s", str(error) or "no answer in time")
        database, _ = await self._open()
        return await database.run(scope, work, timeout=max(deadline.left(), 0.001), snapshot=snapshot), None

    async def compared(self) -> Replica | None:
        """Return how far the standby lags behind the server, or None if no standby is configured."""
        return await compared(self.url, self._standby.url) if self._standby is not None else None

    async def close(self) -> None:
        """Close the pool, and the standby's pool if there is one."""
        if self._standby is not None:
            await self._standby.close()
        opened, self._opened = self._opened, None
        if opened is not None:
            await opened[0].close()

    async def _run_on_standby(
        self,
        standby: ReadDatabase,
        scope: Scope,
        work: Work[T],
        max_seconds: float,
        timeout: float,
        snapshot: bool,
    ) -> tuple[T, float]:
        """Run work on the standby, after checking in the same transaction that it may be read; return its lag too.

        It may not be read after its promotion to a primary, or if it lags more than `max_seconds`.
        """
        primary, recent = await self._primary_state(timeout, exactly=max_seconds < inf)

        async def checked(connection: Connection) -> tuple[T, float]:
            state = await server(connection)
            if (reason := unfit(state, primary.cluster)) is not None:
                raise StoreError(reason)
            lag = (state.since or 0.0) if state.position < primary.position or not recent else 0.0
            if lag > max_seconds:
                raise _LagsTooMuch(f"it lags {lag:.1f} s, more than {max_seconds:g} s")
            return await work(connection), lag

        await Deadline(_STANDBY_MS).within(standby.granted())
        reading, _ = await standby._open()
        return await reading.run(scope, checked, timeout=timeout, snapshot=snapshot)

    async def _primary_state(self, timeout: float, *, exactly: bool) -> tuple[ReadServer, bool]:
        """Return the primary's state, and whether it is recent: read now if `exactly`, else up to 2 seconds old.

        If the primary does not answer, return its last state, so that the standby can be read while the primary is
        away. Raise the error if `exactly`, or if there is no last state.
        """
        known = self._primary
        if known is not None and not exactly and monotonic() < self._primary_until:
            return known, True
        database, _ = await self._open()
        optional = known is not None and not exactly
        try:
            self._primary = await database.run(Scope(""), server, timeout=_ASK_SECONDS if optional else timeout)
        except StoreError:
            if known is None or exactly:
                raise
            return known, False
        self._primary_until = monotonic() + _PRIMARY_SECONDS
        return self._primary, True

    async def _open(self) -> tuple[Database, Granted]:
        """Return the pool, opened with the read-only role if the login may use it, and the roles that it may use."""
        async with self._opening:
            if self._opened is None:
                granted = await self._read_roles()
                if self._grant is not None and not (granted.reader and granted.overview):
                    await self._grant()
                    granted = await self._read_roles()
                role = roles.READER if granted.reader else APP_ROLE
                self._opened = self._database(role, self._pool_size), granted
            return self._opened

    async def _read_roles(self) -> Granted:
        """Return the read-only roles that the login may use.

        They are read from the database once, so that a later grant takes effect only after a restart.
        """
        database = self._database(APP_ROLE, 1)
        try:
            return await database.run(Scope(""), roles.granted, timeout=_ROLES_SECONDS)
        finally:
            await database.close()

    def _database(self, role: str, pool_size: int) -> Database:
        return Database(
            self.url,
            pool_size=pool_size,
            revive=self._revive,
            role=role,
            read_only=True,
            pooled=self._pooled,
            prepares=self._prepares,
            clustered=self._clustered,
            breaker=self._breaker(),
        )


class LaggingReads:
    """Runs reads on a standby that lags at most `max_seconds`, if there is one, and otherwise on the primary.

    `lag` is how far the standby lagged at the latest read, in seconds; None if the primary was read.
    """

    def __init__(self, reading: ReadDatabase, max_seconds: float) -> None:
        self._reading = reading
        self._max_seconds = max_seconds
        self.lag: float | None = None

    async def run(self, scope: Scope, work: Work[T], *, timeout: float = 60.0, snapshot: bool = False) -> T:
        """Run read-only work as `Database.run` does."""
        result, self.lag = await self._reading.run_lagging(
            scope, work, self._max_seconds, timeout=timeout, snapshot=snapshot
        )
        return result
