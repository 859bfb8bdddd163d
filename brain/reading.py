"""The connections of those who only look: as the role that may only read, where the login may become it.

Where it may not, as the application's own role; in transactions that Postgres lets write nothing, either way.
"""

from __future__ import annotations

import asyncio
from collections.abc import Awaitable, Callable

from brain import roles
from brain.breaker import Breaker
from brain.database import APP_ROLE, Database, T, Work
from brain.roles import Granted

_SECONDS = 10.0  # to find out what may be become


class Reading:
    """A pool of its own, opened on first use: looks and turns do not wait for one another's connections.

    `grant` creates the roles, of a server that is our own; it is awaited when they are not there. `url` is where to.
    `breaker` makes one for the pool: whether turns have an answer in time is another question than whether looks have.
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
    ) -> None:
        self.url = url
        self.own = grant is not None
        self._pool_size = pool_size
        self._pooled = pooled
        self._clustered = clustered
        self._revive = revive
        self._grant = grant
        self._breaker = breaker
        self._opening = asyncio.Lock()
        self._opened: tuple[Database, Granted] | None = None

    async def granted(self) -> Granted:
        """What the login may become.

        Raises:
            StoreUnavailable, SchemaError: as `Database.open`.
        """
        return (await self._open())[1]

    async def run(self, agent_id: str, work: Work[T], *, timeout: float = 60.0) -> T:
        """As `Database.run`; what writes is refused."""
        database, _ = await self._open()
        return await database.run(agent_id, work, timeout=timeout)

    async def close(self) -> None:
        """Closes the pool."""
        opened, self._opened = self._opened, None
        if opened is not None:
            await opened[0].close()

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
