"""The circuit breaker: whether a database that did not answer is worth asking again just now.

    closed ── so many failures in a row ──▶ open ── its probe is answered ──▶ half-open ── an answer ──▶ closed
                                             ▲                                   │
                                             └──────────── a failure ────────────┘

While it is open nothing is asked, so that nobody waits for what will not come; a probe is, beside all callers, by
whoever owns the breaker. Time is an input, in seconds of a clock that only goes forward.
"""

from __future__ import annotations

from typing import Literal

State = Literal["closed", "half-open", "open"]


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
