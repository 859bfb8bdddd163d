"""The circuit breaker: whether a database that did not answer is asked again, its probes, and who waits for them.

    closed ── so many failures in a row ──▶ open ── its probe is answered ──▶ half-open ── an answer ──▶ closed
                                             ▲                                   │
                                             └──────────── a failure ────────────┘

While it is open nothing is asked, so that no caller waits for what will not come; one probe at a time asks, beside all
callers. Time is an input of the breaker, in seconds of a clock that only goes forward.

A call that `waits_for_recovery` waits for the next probe instead of being refused at once. A turn does not: its
deadline is short, and its outcome is safe in the journal. What stores, erases, rates or searches has nothing to fall
back on, and seconds to spare.
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
    """Counts failures in a row and says when to ask no more. With `failures` of 0 it never opens.

    What was asked before the last failure was known is no failure of its own: twenty turns that are late together, as
    behind a blocked event loop, are one. Any answer closes it. The wait before a probe begins with `wait` seconds and
    doubles up to `longest` until there was an answer to somebody else than a probe.
    """

    def __init__(self, failures: int = 5, wait: float = 0.25, longest: float = 5.0) -> None:
        self._most = failures
        self._first_wait = wait
        self._longest = longest
        self._state: State = "closed"
        self._wait = wait
        self._failures = 0
        self._since = float("-inf")  # what was asked before says nothing new
        self._because = ""

    @property
    def state(self) -> State:
        """Where it stands."""
        return self._state

    @property
    def wait(self) -> float:
        """Seconds from when it opened, or from the last probe, to the next probe."""
        return self._wait

    def refusal(self) -> str | None:
        """Why nothing may be asked now, in words; None if it may."""
        if self._state != "open":
            return None
        return f"Postgres is not asked: it failed {self._failures} times in a row ({self._because})"

    def answered(self) -> None:
        """Somebody had an answer, be it a refusal."""
        self._state, self._failures, self._wait = "closed", 0, self._first_wait

    def failed(self, asked: float, now: float, because: str) -> bool:
        """Somebody who asked then has had no answer by now. True if it opened for that."""
        if asked < self._since or self._state == "open":
            return False
        self._failures, self._since, self._because = self._failures + 1, now, because
        if not self._most or (self._state == "closed" and self._failures < self._most):
            return False
        self._wait = self._wait if self._state == "closed" else self._doubled()
        self._state = "open"
        return True

    def probed(self, *, answered: bool, now: float) -> None:
        """What came of a probe: with an answer, callers may ask again."""
        if self._state != "open":
            return
        if answered:
            self._state, self._since = "half-open", now
        else:
            self._wait = self._doubled()

    def _doubled(self) -> float:
        return min(2 * self._wait, self._longest)


class Probe:
    """Asks by `answers`, which returns whether there was an answer, until there is one."""

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
        """Gives up probing; no caller waits for a probe any longer."""
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


def waits_for_recovery(call: Callable[P, Coroutine[Any, Any, T]]) -> Callable[P, Coroutine[Any, Any, T]]:
    """Let a call, and whatever it calls, wait for the breaker's next probe instead of being refused at once."""

    @wraps(call)
    async def waiting(*args: P.args, **kwargs: P.kwargs) -> T:
        before = _waiting.set(True)
        try:
            return await call(*args, **kwargs)
        finally:
            _waiting.reset(before)

    return waiting


def may_wait() -> bool:
    """Return whether the call that this is part of waits for the next probe."""
    return _waiting.get()
