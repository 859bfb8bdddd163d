"""The connections of those who only look: as the role that may only read, where the login may become it.

Where it may not, as the application's own role; in transactions that Postgres lets write nothing, either way. A standby
is asked first, where there is one: whoever only looks takes nothing from the turns then.
"""

from __future__ import annotations

import asyncio
import logging
from collections.abc import Awaitable, Callable
from dataclasses import dataclass
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

log = logging.getLogger(__name__)

SQL = statements.load("replica")

_SECONDS = 10.0  # to find out what may be become
_STANDBY_MS = 2_000.0  # to connect to a standby: less than the page that waits for it has
_AGAIN = 5.0  # seconds in which a standby that could not be read is not asked
_PATIENCE_MS = 2_000.0  # for both servers: who asks how they are must not wait for one that does not answer


@dataclass(frozen=True, slots=True)
class ReadServer:
    """A server: whether it replays another one's log, the number of its cluster, which a standby shares with its
    primary, how many bytes its log goes, and the seconds since the latest transaction that it replayed, if any.
    """

    standby: bool
    cluster: int
    position: int
    since: float | None


@dataclass(frozen=True, slots=True)
class Replica:
    """How a standby does. `unfit` says why it is not read, None if it is; then `bytes` and `seconds` are what it is
    behind. Both are 0 where it has replayed all that its primary has written.
    """

    unfit: str | None
    bytes: int = 0
    seconds: float = 0.0


async def server(connection: Any) -> ReadServer:
    """The server of a connection."""
    return ReadServer(**dict(await connection.fetchrow(*SQL.server())))


def unfit(replica: ReadServer, cluster: int) -> str | None:
    """Why a server is no standby of that cluster, None if it is one."""
    if not replica.standby:
        return "it takes writes itself: it was promoted, or is no standby"
    return None if replica.cluster == cluster else "it is a standby of another server"


async def compared(url: str, replica_url: str) -> Replica:
    """The standby beside its primary, each asked over a connection of its own. Raises nothing: an absence is told."""
    try:
        async with asyncio.timeout(_PATIENCE_MS / 1000):
            replica, primary = await asyncio.gather(
                _server_at("the replica", replica_url), _server_at("the primary", url)
            )
    except (StoreError, TimeoutError) as error:
        return Replica(str(error) or f"no answer within {_PATIENCE_MS / 1000:g} s")
    if (because := unfit(replica, primary.cluster)) is not None:
        return Replica(because)
    behind = max(0, primary.position - replica.position)
    return Replica(None, behind, (replica.since or 0.0) if behind else 0.0)


async def _server_at(which: str, url: str) -> ReadServer:
    try:
        async with connected(url, "look at it") as connection:
            return await server(connection)
    except StoreError as error:
        raise StoreUnavailable(f"{which} does not answer: {error}") from error


class ReadDatabase:
    """A pool of its own, opened on first use: looks and turns do not wait for one another's connections.

    `grant` creates the roles, of a server that is our own; it is awaited when they are not there. `url` is where to.
    `breaker` makes one for the pool: whether turns have an answer in time is another question than whether looks have.
    `standby` leads to a standby of the server; while that one is away, or is none, the server itself is asked.
    """

    def __init__(
        self,
        url: str,
        *,
        pool_size: int = 4,
        pooled: bool = False,
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
        self._clustered = clustered
        self._revive = revive
        self._grant = grant
        self._breaker = breaker
        self._standby = standby
        self._standby_from = 0.0  # by the monotonic clock
        self._cluster: int | None = None
        self._opening = asyncio.Lock()
        self._opened: tuple[Database, Granted] | None = None

    async def granted(self) -> Granted:
        """What the login may become.

        Raises:
            StoreUnavailable, SchemaError: as `Database.open`.
        """
        return (await self._open())[1]

    async def run(self, agent_id: str, work: Work[T], *, timeout: float = 60.0) -> T:
        """As `Database.run`; what writes is refused. A standby has half of the time, and the server itself the rest."""
        if self._standby is not None and monotonic() >= self._standby_from:
            try:
                return await self._of_standby(self._standby, agent_id, work, timeout / 2)
            except (StoreError, TimeoutError) as error:
                self._standby_from = monotonic() + _AGAIN
                log.warning("the standby is not read, the primary is: %s", str(error) or "no answer in time")
        database, _ = await self._open()
        return await database.run(agent_id, work, timeout=timeout)

    async def compared(self) -> Replica | None:
        """How the standby does beside the server; None where there is none to ask."""
        return await compared(self.url, self._standby.url) if self._standby is not None else None

    async def close(self) -> None:
        """Closes the pool."""
        if self._standby is not None:
            await self._standby.close()
        opened, self._opened = self._opened, None
        if opened is not None:
            await opened[0].close()

    async def _of_standby(self, standby: ReadDatabase, agent_id: str, work: Work[T], seconds: float) -> T:
        """Asked within the same transaction whether it is one: it may have been promoted since."""
        if self._cluster is None:
            database, _ = await self._open()
            self._cluster = (await database.run("", server, timeout=seconds)).cluster
        cluster = self._cluster

        async def checked(connection: Connection) -> T:
            if (because := unfit(await server(connection), cluster)) is not None:
                raise StoreError(because)
            return await work(connection)

        await Deadline(_STANDBY_MS).within(standby.granted())
        return await standby.run(agent_id, checked, timeout=seconds)

    async def _open(self) -> tuple[Database, Granted]:
        async with self._opening:
            if self._opened is None:
                granted = await self._asked()
                if self._grant is not None and not (granted.reader and granted.overview):
                    await self._grant()
                    granted = await self._asked()
                role = roles.READER if granted.reader else APP_ROLE
                self._opened = self._database(role, self._pool_size), granted
            return self._opened

    async def _asked(self) -> Granted:
        """Asked once, over a connection that is given back: what is granted later holds from the next start on."""
        database = self._database(APP_ROLE, 1)
        try:
            return await database.run("", roles.granted, timeout=_SECONDS)
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
            clustered=self._clustered,
            breaker=self._breaker(),
        )
