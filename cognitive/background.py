"""Run a layer's background tasks: limited in number, logged when they fail, awaited when the layer closes."""

from __future__ import annotations

import asyncio
import logging
from collections.abc import Awaitable, Callable, Collection, Coroutine
from typing import Any

from brain.errors import CognitiveError

log = logging.getLogger(__name__)


class Background:
    """Holds all background work of a layer, in one queue per kind of work, and waits for it when the layer closes.

    The queues are drained in the order of their creation.
    """

    def __init__(self) -> None:
        self._at_close: list[Callable[[], Awaitable[None]]] = []

    def queue(self, max_tasks: int, *, at_close: float | None = None) -> BackgroundQueue:
        """Create a queue that runs at most `max_tasks` tasks at a time.

        When the layer closes, it waits at most `at_close` seconds for the queue's tasks, or without limit if that is
        None.
        """
        queue = BackgroundQueue(max_tasks)
        self._at_close.append(lambda: queue.drain(at_close))
        return queue

    def on_close(self, ending: Callable[[], Awaitable[None]]) -> None:
        """Register a function to await when the layer closes, for work that is not in a queue."""
        self._at_close.append(ending)

    async def drain(self) -> None:
        """Wait until all background work is done, has failed, or has exceeded the time limit of its queue."""
        for ending in self._at_close:
            await ending()


class BackgroundQueue:
    """Runs at most `max_tasks` background tasks at a time and refuses further ones, so that memory stays bounded."""

    def __init__(self, max_tasks: int) -> None:
        self._max_tasks = max_tasks
        self._running: dict[asyncio.Task[None], tuple[str, ...]] = {}

    def start(self, work: Coroutine[Any, Any, None], *name: str) -> bool:
        """Start `work` as a background task with a name, which is a tuple of strings.

        Return False, and do not start it, if the queue is full or a task with this name is running.
        """
        if len(self._running) >= self._max_tasks or (name and name in self._running.values()):
            work.close()
            return False
        task = asyncio.create_task(work, name=" ".join(name) or "work beside a turn")
        self._running[task] = name
        task.add_done_callback(self._ended)
        return True

    def running(self, *name: str) -> list[asyncio.Task[None]]:
        """Return the running tasks whose names begin with the strings `name`, in the order of their start."""
        return [task for task, task_name in self._running.items() if task_name[: len(name)] == name]

    async def drain(self, seconds: float | None = None) -> None:
        """Wait until all tasks are done or have failed; after `seconds`, cancel those that are still running."""
        if self._running:
            _, late = await asyncio.wait(self._running, timeout=seconds)
            await _cancel(late)

    async def wait_for(self, *name: str) -> None:
        """Wait until the tasks whose names begin with the strings `name` are done or have failed."""
        if tasks := self.running(*name):
            await asyncio.wait(tasks)

    async def stop(self, *name: str) -> None:
        """Cancel the tasks whose names begin with the strings `name`."""
        await _cancel(self.running(*name))

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


async def _cancel(tasks: Collection[asyncio.Task[None]]) -> None:
    for task in tasks:
        task.cancel()
    await asyncio.gather(*tasks, return_exceptions=True)
