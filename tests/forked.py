"""Processes that tests kill.

They are forked from a process that has already imported the product, because a new interpreter needs seconds for that.
"""

from __future__ import annotations

import asyncio
import multiprocessing
import os
import warnings
from collections.abc import AsyncIterator, Callable
from contextlib import asynccontextmanager
from multiprocessing.connection import Connection
from typing import Any

_FORKS = multiprocessing.get_context("forkserver")
_FORKS.set_forkserver_preload(["cognitive.bootstrap"])


class Forked:
    """A process that runs `work(connection, *arguments)`, a module-level function, and sends messages to the test."""

    def __init__(self, work: Callable[..., None], *arguments: Any) -> None:
        self._connection, remote = _FORKS.Pipe()
        self._process = _FORKS.Process(target=_run, args=(remote, dict(os.environ), work, arguments))
        self._process.start()
        remote.close()

    async def receive(self) -> Any:
        """Return the next message of the process."""
        return await asyncio.to_thread(self._connection.recv)

    def send(self, message: Any) -> None:
        """Send a message to the process."""
        self._connection.send(message)

    def signal(self, number: int) -> None:
        """Send a signal to the process."""
        os.kill(self._process.pid, number)

    async def receive_all(self) -> list[Any]:
        """Return the remaining messages after the process has ended."""
        messages = []
        try:
            while True:
                messages.append(await self.receive())
        except (EOFError, OSError):  # the connection closed between two messages or within one
            await asyncio.to_thread(self._process.join)
        return messages

    async def kill(self) -> list[Any]:
        """Kill the process and return the messages that were not yet received."""
        self._process.kill()
        return await self.receive_all()

    @property
    def code(self) -> int | None:
        """The exit code, or None while the process runs."""
        return self._process.exitcode


@asynccontextmanager
async def forked(work: Callable[..., None], *arguments: Any) -> AsyncIterator[Forked]:
    """Run a process and kill it on exit."""
    process = Forked(work, *arguments)
    try:
        yield process
    finally:
        await process.kill()
        process._connection.close()
        process._process.close()


def _run(
    connection: Connection, environment: dict[str, str], work: Callable[..., None], arguments: tuple[Any, ...]
) -> None:
    os.environ.clear()
    os.environ.update(environment)
    warnings.simplefilter("error")
    work(connection, *arguments)
