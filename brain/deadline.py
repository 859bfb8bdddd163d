"""The one deadline primitive: a supervised task, waited for no longer than there is time.

`asyncio.wait_for` waits until the cancelled task has ended, which on a frozen server has no bound. Here a task that is
out of time is cancelled and left to end by itself; its owner cuts its connection. A task can ask which it was (`late`):
the clock, which may be the server's fault, or a caller who went away, which is nobody's.
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
    """A moment on the monotonic clock by which a turn's preparation must be over."""

    def __init__(self, milliseconds: float) -> None:
        self._end = monotonic() + milliseconds / 1000

    def left(self) -> float:
        """Seconds that remain, never negative."""
        return max(0.0, self._end - monotonic())

    def leaving(self, seconds: float) -> Deadline:
        """An earlier one, that keeps so many seconds for what comes after it."""
        return Deadline((self.left() - seconds) * 1000)

    async def within(self, work: Coroutine[Any, Any, T], share: float = 1.0) -> T:
        """The result of `work`, if it comes within this share of the time left.

        Raises:
            TimeoutError: it did not; `work` was cancelled and is not waited for.
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
    """Whether it was a `Deadline` that cancelled, and not a caller who went away."""
    return cancelled.args == (_LATE,)


@dataclass(frozen=True, slots=True)
class AttemptFailure:
    """Why foreign code gave no answer: it was late, or raised what `detail` says."""

    reason: Literal["late", "raised"]
    detail: str


async def attempt(work: Coroutine[Any, Any, T], seconds: float) -> T | AttemptFailure:
    """The answer of a host's own callable, which may take long and raise anything, within so many seconds."""
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


def _abandon(task: asyncio.Task[Any], because: str | None = None) -> None:
    _abandoned.add(task)
    task.add_done_callback(_settle)
    task.cancel(because)


def _settle(task: asyncio.Task[Any]) -> None:
    _abandoned.discard(task)
    if not task.cancelled():
        task.exception()  # fetched, so that asyncio does not report an error nobody waits for
