"""Deadlines: run a coroutine as a task and stop waiting for it when the time is up.

`asyncio.wait_for` waits until the cancelled task has ended, which may take forever if a server is frozen. A `Deadline`
cancels a late task and lets it end in the background, where the task's owner closes the connection. A cancelled task
calls `late` to find out who cancelled it: a deadline, which may be the server's fault, or the task's caller.
"""

from __future__ import annotations

import asyncio
from collections.abc import Coroutine
from dataclasses import dataclass
from time import monotonic
from typing import Any, Literal, TypeVar

T = TypeVar("T")

_LATE = "out of time"
_abandoned: set[asyncio.Task[Any]] = set()  # the event loop holds tasks weakly


class Deadline:
    """A point in time on the monotonic clock, created from the number of milliseconds until then."""

    def __init__(self, milliseconds: float) -> None:
        self.milliseconds = milliseconds
        self._end = monotonic() + milliseconds / 1000

    def left(self) -> float:
        """Return the remaining seconds until the deadline, at least 0."""
        return max(0.0, self._end - monotonic())

    def leaving(self, seconds: float) -> Deadline:
        """Return a deadline `seconds` before this one, so that this time is left for other work.

        Its `milliseconds` stay those of this one, for messages.
        """
        earlier = Deadline(self.milliseconds)
        earlier._end = self._end - seconds
        return earlier

    def limit(self, share: float = 1.0) -> asyncio.Timeout:
        """Return a context manager that cancels its block after this share of the remaining time, with a TimeoutError.

        Unlike `within`, it needs no task, and it waits until the cancelled block has ended. Use it for work that ends
        at once.
        """
        return asyncio.timeout(self.left() * share)

    async def within(self, work: Coroutine[Any, Any, T], share: float = 1.0) -> T:
        """Run `work` and return its result if it is ready within this share of the remaining time.

        Raises:
            TimeoutError: `work` was not ready in time; it is cancelled and ends in the background.
        """
        task = asyncio.ensure_future(work)
        try:
            await asyncio.wait({task}, timeout=self.left() * share)
        except asyncio.CancelledError:
            _abandon(task)
            raise
        if not task.done():
            _abandon(task, _LATE)
            raise TimeoutError
        return task.result()


def late(cancelled: asyncio.CancelledError) -> bool:
    """Return True if a task was cancelled by a `Deadline`, and False if its caller cancelled it."""
    return cancelled.args == (_LATE,)


def cancel_late(task: asyncio.Task[Any]) -> None:
    """Cancel a task because its time is up, as a `Deadline` does."""
    task.cancel(_LATE)


@dataclass(frozen=True, slots=True)
class AttemptFailure:
    """The failure of a function that the host supplied: it was too slow, or raised the error described by `detail`."""

    reason: Literal["late", "raised"]
    detail: str


async def attempt(work: Coroutine[Any, Any, T], seconds: float) -> T | AttemptFailure:
    """Run a coroutine that the host supplied, and return its result.

    Returns an `AttemptFailure` if it raises an error or takes more than `seconds`.
    """
    task = asyncio.ensure_future(work)
    try:
        await asyncio.wait({task}, timeout=seconds)
    finally:
        if not task.done():
            _abandon(task)
    if not task.done():
        return AttemptFailure("late", f"no answer within {seconds:g} s")
    if task.cancelled():
        return AttemptFailure("raised", "CancelledError")
    error = task.exception()
    return AttemptFailure("raised", f"{type(error).__name__}: {error}") if error is not None else task.result()


def _abandon(task: asyncio.Task[Any], message: str | None = None) -> None:
    _abandoned.add(task)
    task.add_done_callback(_discard)
    task.cancel(message)


def _discard(task: asyncio.Task[Any]) -> None:
    _abandoned.discard(task)
    if not task.cancelled():
        task.exception()  # retrieved, so that asyncio does not log an unretrieved error
