"""A separate Postgres server for one suite, which the suite can stop, freeze and kill."""

from __future__ import annotations

import asyncio
import os
import signal
import tempfile
from collections.abc import AsyncIterator, Iterator
from contextlib import asynccontextmanager, contextmanager, suppress
from pathlib import Path
from typing import Any, Self

import asyncpg

from brain.embedded import EmbeddedServer, ServerUrls
from brain.postgres.migrate import upgrade

_DATA = "COGNITIVE_DATA_DIR"
_OURS = "application_name = 'cognitive-layer'"
_AT_WORK = f"""
SELECT array_agg(concat_ws(', ', state, wait_event, left(regexp_replace(query, '\\s+', ' ', 'g'), 60)))
FROM pg_stat_activity WHERE {_OURS} AND state <> 'idle'
"""
_MIN_MEMORY = 2_000_000_000  # bytes free in /dev/shm: killed servers that write to a busy disk take minutes


class Site:
    """A Postgres server with the schema, in a data directory that is used by one suite only."""

    def __init__(self, directory: Path) -> None:
        self.directory = directory
        self.server = EmbeddedServer(directory)
        self.urls: ServerUrls = self.server.acquire()

    @classmethod
    @asynccontextmanager
    async def opened(cls) -> AsyncIterator[Self]:
        """Create a server in a temporary directory, and stop it when the block ends.

        The directory is in memory if enough is free.
        """
        # journals of the layers on this server are kept beside it
        memory = _in_memory()
        with tempfile.TemporaryDirectory(prefix="cognitive-chaos-", dir=memory) as place, setting(_DATA, place):
            os.chmod(place, 0o711)  # for root: the server runs as another user, who must reach the folder
            site = await asyncio.to_thread(cls, Path(place))
            await upgrade(site.urls.owner)
            try:
                yield site
            finally:
                await asyncio.to_thread(site.server.release)

    async def back(self) -> None:
        """Start the server again if it was killed."""
        await asyncio.to_thread(self.server.ensure_running)

    def signal(self, number: int) -> None:
        """Send a signal to the main process of the Postgres server and to all its children."""
        for pid in self._processes():
            with suppress(ProcessLookupError):
                os.kill(pid, number)

    def kill(self) -> None:
        """Kill the main process of the server, as the kernel does when memory runs out.

        Its child processes may live on for a moment.
        """
        with suppress(ProcessLookupError):
            os.kill(self._postmaster(), signal.SIGKILL)

    async def ask(self, statement: str, *arguments: Any) -> Any:
        """Run a statement as the superuser and return the first value of its result."""
        connection = await asyncpg.connect(self.urls.admin)
        try:
            return await connection.fetchval(statement, *arguments)
        finally:
            await connection.close()

    async def busy(self) -> list[str]:
        """Return the state and statement of each connection of a layer that is not idle, as Postgres reports them."""
        return list(await self.ask(_AT_WORK) or ())

    async def connected(self) -> int:
        """Return the number of connections that layers have open to the server."""
        return int(await self.ask(f"SELECT count(*) FROM pg_stat_activity WHERE {_OURS}"))

    def _postmaster(self) -> int:
        return int((self.directory / "postgres" / "cluster" / "postmaster.pid").read_text().split("\n", 1)[0])

    def _processes(self) -> list[int]:
        postmaster = self._postmaster()
        found = [postmaster]
        for stat in Path("/proc").glob("[0-9]*/stat"):
            with suppress(OSError):
                if int(stat.read_text().rsplit(")", 1)[1].split()[1]) == postmaster:
                    found.append(int(stat.parent.name))
        return found


@contextmanager
def setting(name: str, value: str) -> Iterator[None]:
    """Set an environment variable for the duration of the block, also for processes started there."""
    before, os.environ[name] = os.environ.get(name), value
    try:
        yield
    finally:
        del os.environ[name]
        if before is not None:
            os.environ[name] = before


def _in_memory() -> str | None:
    if not os.access("/dev/shm", os.W_OK):
        return None
    memory = os.statvfs("/dev/shm")
    roomy = memory.f_bavail * memory.f_frsize > _MIN_MEMORY
    return "/dev/shm" if roomy and not memory.f_flag & os.ST_NOEXEC else None
