"""Probing: while the breaker is open, one probe at a time asks Postgres, beside all callers."""

from __future__ import annotations

import asyncio
import logging
from collections.abc import Awaitable, Callable
from contextlib import suppress
from time import monotonic

from brain.deadline import Deadline
from brain.postgres.breaker import Breaker

log = logging.getLogger(__name__)


class Probing:
    """Asks by `answers`, which says whether there was an answer, until there is one."""

    def __init__(self, breaker: Breaker, answers: Callable[[], Awaitable[bool]]) -> None:
        self._breaker = breaker
        self._answers = answers
        self._asking: asyncio.Task[None] | None = None
        self._asked = asyncio.Event()  # of the next probe

    def begin(self) -> None:
        """Probes, beside the callers, from now until the breaker is no longer open."""
        self._asking = asyncio.create_task(self._ask())

    async def next(self, deadline: Deadline) -> None:
        """Returns when the next probe has ended, however it ended, or when the deadline is reached."""
        with suppress(TimeoutError):
            async with asyncio.timeout(deadline.left()):
                await self._asked.wait()

    async def stop(self) -> None:
        """Gives up probing; nobody waits for a probe any longer."""
        if self._asking is not None:
            self._asking.cancel()
            await asyncio.wait({self._asking})
        self._asked.set()

    async def _ask(self) -> None:
        while self._breaker.state == "open":
            await asyncio.sleep(self._breaker.wait)
            self._breaker.probed(answered=await self._answers(), now=monotonic())
            self._asked.set()
            self._asked = asyncio.Event()
        log.info("Postgres is asked again")
