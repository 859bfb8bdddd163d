"""Work beside the turns: bounded, named, and logged when it goes wrong. A layer owns all of it and ends it at close."""

from __future__ import annotations

import asyncio
import logging
from collections.abc import Awaitable, Callable, Collection, Coroutine
from typing import Any

from brain.errors import CognitiveError

log = logging.getLogger(__name__)


class Background:
    """All work beside the turns of a layer, in queues by kind; ended in the order in which they were created."""

    def __init__(self) -> None:
        self._endings: list[Callable[[], Awaitable[None]]] = []

    def queue(self, max_tasks: int, *, at_close: float | None = None) -> BackgroundQueue:
        """Return a queue of at most `max_tasks` tasks, which a closing layer awaits for `at_close` seconds at most."""
        queue = BackgroundQueue(max_tasks)
        self._endings.append(lambda: queue.drain(at_close))
        return queue

    def on_close(self, ending: Callable[[], Awaitable[None]]) -> None:
        """Await `ending` when the layer closes, for work that is kept in no queue."""
        self._endings.append(ending)

    async def drain(self) -> None:
        """Return when all work is done, has failed, or took longer than its queue is given."""
        for ending in self._endings:
            await ending()


class BackgroundQueue:
    """At most so many pieces of work at a time; what cannot keep up is left out, and memory does not grow."""

    def __init__(self, max_tasks: int) -> None:
        self._max_tasks = max_tasks
        self._running: dict[asyncio.Task[None], tuple[str, ...]] = {}

    def start(self, work: Coroutine[Any, Any, None], *name: str) -> bool:
        """Has work done, unless there is too much of it, or some of this very name. False if it is left out."""
        if len(self._running) >= self._max_tasks or (name and name in self._running.values()):
            work.close()
            return False
        task = asyncio.create_task(work, name=" ".join(name) or "work beside a turn")
        self._running[task] = name
        task.add_done_callback(self._ended)
        return True

    def running(self, *name: str) -> list[asyncio.Task[None]]:
        """The work whose names begin with this, the earliest first."""
        return [task for task, own in self._running.items() if own[: len(name)] == name]

    async def drain(self, seconds: float | None = None) -> None:
        """Returns when all is done or has failed; what is not within so many seconds is given up."""
        if self._running:
            _, late = await asyncio.wait(self._running, timeout=seconds)
            await _stopped(late)

    async def wait_for(self, *name: str) -> None:
        """Returns when the work whose names begin with this is done or has failed."""
        if own := self.running(*name):
            await asyncio.wait(own)

    async def stop(self, *name: str) -> None:
        """Gives up the work whose names begin with this."""
        await _stopped(self.running(*name))

    def _ended(self, task: asyncio.Task[None]) -> None:
        self._running.pop(task, None)
        if task.cancelled() or (error := task.exception()) is None:
            return
        expected = isinstance(error, CognitiveError)
        log.log(
            logging.WARNING if expected else logging.ERROR,
            "%r failed: %s",
            task.get_name(),
            error,
            exc_info=None if expected else error,
        )


async def _stopped(tasks: Collection[asyncio.Task[None]]) -> None:
    for task in tasks:
        task.cancel()
    await asyncio.gather(*tasks, return_exceptions=True)
