"""A circuit breaker for Postgres: it stops calls to a server that does not answer, and probes the server.

    closed ── `failures` failures in a row ──▶ open ── a probe succeeds ──▶ half-open ── a call succeeds ──▶ closed
                                                ▲                               │
                                                └────────── a call fails ───────┘

While the breaker is open, calls fail at once instead of waiting for a timeout, and one probe at a time runs in the
background. The breaker reads no clock: callers pass the time, in seconds of a monotonic clock.

A function decorated with `waits_for_recovery` waits for the next probe instead of failing at once. Calls that store,
erase, rate or search are decorated, because they have no fallback and a timeout of seconds. Turns are not: their
deadline is short, and their outcome is safe in the journal.
"""

from __future__ import annotations

import asyncio
import logging
from collections.abc import Awaitable, Callable, Coroutine
from contextlib import suppress
from contextvars import ContextVar
from functools import wraps
from time import monotonic
from typing import Any, Literal, ParamSpec, TypeVar

from brain.deadline import Deadline

log = logging.getLogger(__name__)

P = ParamSpec("P")
T = TypeVar("T")
State = Literal["closed", "half-open", "open"]

_waiting: ContextVar[bool] = ContextVar("waits_for_recovery", default=False)


class Breaker:
    """Counts consecutive failures of Postgres, and refuses calls after `failures` of them (0: never refuses).

    Calls that were already running at the previous failure do not count again: twenty turns that time out together
    behind a blocked event loop are one failure. When Postgres answers a call, the breaker closes and lets calls through
    again. While it is open, Postgres is probed in the background, first after `wait` seconds. The wait doubles with
    each failed probe, up to `longest` seconds, until a call succeeds.
    """

    def __init__(self, failures: int = 5, wait: float = 0.25, longest: float = 5.0) -> None:
        self._most = failures
        self._first_wait = wait
        self._longest = longest
        self._state: State = "closed"
        self._wait = wait
        self._failures = 0
        self._since = float("-inf")  # failures of calls that began before are not counted
        self._reason = ""

    @property
    def state(self) -> State:
        """The state: closed (calls pass), open (calls are refused) or half-open (calls pass after a probe)."""
        return self._state

    @property
    def wait(self) -> float:
        """The number of seconds between two probes of Postgres. It doubles after a failed probe."""
        return self._wait

    def refusal(self) -> str | None:
        """Return the reason why calls are refused now, or None if they are allowed."""
        if self._state != "open":
            return None
        return f"the circuit breaker is open: Postgres failed {self._failures} times in a row ({self._reason})"

    def answered(self) -> None:
        """Close the breaker: Postgres answered a call, even if with an error."""
        self._state, self._failures, self._wait = "closed", 0, self._first_wait

    def failed(self, began: float, now: float, reason: str) -> bool:
        """Count the failure of a call that ran from `began` to `now`.

        Return True if this failure opened the breaker.
        """
        if began < self._since or self._state == "open":
            return False
        self._failures, self._since, self._reason = self._failures + 1, now, reason
        if not self._most or (self._state == "closed" and self._failures < self._most):
            return False
        self._wait = self._wait if self._state == "closed" else self._doubled()
        self._state = "open"
        return True

    def probed(self, *, answered: bool, now: float) -> None:
        """Record the result of a probe of Postgres: let calls through again if it answered, else double the wait."""
        if self._state != "open":
            return
        if answered:
            self._state, self._since = "half-open", now
        else:
            self._wait = self._doubled()

    def _doubled(self) -> float:
        return min(2 * self._wait, self._longest)


class Probe:
    """Calls `answers` in the background at intervals until it returns True, to find out when Postgres is back."""

    def __init__(self, breaker: Breaker, answers: Callable[[], Awaitable[bool]]) -> None:
        self._breaker = breaker
        self._answers = answers
        self._task: asyncio.Task[None] | None = None
        self._finished = asyncio.Event()  # set when the next probe has finished

    def begin(self) -> None:
        """Start to probe Postgres in the background, until the breaker is no longer open."""
        self._task = asyncio.create_task(self._probe())

    async def next(self, deadline: Deadline) -> None:
        """Wait until the next probe has finished, whatever its result, or until the deadline."""
        with suppress(TimeoutError):
            async with asyncio.timeout(deadline.left()):
                await self._finished.wait()

    async def stop(self) -> None:
        """Stop probing Postgres, and wake the callers that wait for the next probe."""
        if self._task is not None:
            self._task.cancel()
            await asyncio.wait({self._task})
        self._finished.set()

    async def _probe(self) -> None:
        while self._breaker.state == "open":
            await asyncio.sleep(self._breaker.wait)
            self._breaker.probed(answered=await self._answers(), now=monotonic())
            self._finished.set()
            self._finished = asyncio.Event()
        log.info("Postgres answers again")


def waits_for_recovery(call: Callable[P, Coroutine[Any, Any, T]]) -> Callable[P, Coroutine[Any, Any, T]]:
    """Decorate a coroutine function so that it waits for the next probe of Postgres while the breaker is open.

    Without the decorator, a call fails at once. The decorator also affects all functions that the decorated one calls.
    """

    @wraps(call)
    async def waiting(*args: P.args, **kwargs: P.kwargs) -> T:
        before = _waiting.set(True)
        try:
            return await call(*args, **kwargs)
        finally:
            _waiting.reset(before)

    return waiting


def may_wait() -> bool:
    """Return True if the current code runs inside a function decorated with `waits_for_recovery`."""
    return _waiting.get()
