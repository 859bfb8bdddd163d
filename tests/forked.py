"""Processes that tests kill, forked from one that has the product imported: a new Python takes seconds for that."""

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
    """A process that runs `work(talk, *arguments)`, a function of a module; what it says is heard one by one."""

    def __init__(self, work: Callable[..., None], *arguments: Any) -> None:
        self._talk, theirs = _FORKS.Pipe()
        self._process = _FORKS.Process(target=_run, args=(theirs, dict(os.environ), work, arguments))
        self._process.start()
        theirs.close()

    async def heard(self) -> Any:
        """What it says next."""
        return await asyncio.to_thread(self._talk.recv)

    def tell(self, what: Any) -> None:
        """Lets it hear something."""
        self._talk.send(what)

    def signal(self, number: int) -> None:
        """As `kill` does."""
        os.kill(self._process.pid, number)

    async def rest(self) -> list[Any]:
        """All that it still says until it has ended by itself."""
        said = []
        try:
            while True:
                said.append(await self.heard())
        except (EOFError, OSError):  # between two words, or in the middle of one
            await asyncio.to_thread(self._process.join)
        return said

    async def slain(self) -> list[Any]:
        """Kills it, and returns what it had said that nobody heard."""
        self._process.kill()
        return await self.rest()

    @property
    def code(self) -> int | None:
        """How it ended, if it did."""
        return self._process.exitcode


@asynccontextmanager
async def forked(work: Callable[..., None], *arguments: Any) -> AsyncIterator[Forked]:
    """One that is gone on the way out."""
    process = Forked(work, *arguments)
    try:
        yield process
    finally:
        await process.slain()
        process._talk.close()
        process._process.close()


def _run(talk: Connection, environment: dict[str, str], work: Callable[..., None], arguments: tuple[Any, ...]) -> None:
    os.environ.clear()
    os.environ.update(environment)
    warnings.simplefilter("error")
    work(talk, *arguments)
