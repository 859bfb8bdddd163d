"""How long something took, and for how much of that the machine kept this process waiting for a processor.

A machine that has too much to do makes every process late. For how long it did, the kernel says of each thread
(`/proc/self/task/*/schedstat`: nanoseconds that it was ready to run and did not). Threads take turns at the
interpreter's lock, so that what one of them waits all of them may: the sum is the most that it can have cost. What the
product computes itself is never in it. Where the kernel does not say, it is nothing.
"""

from __future__ import annotations

from contextlib import suppress
from pathlib import Path
from time import perf_counter

_THREADS = Path("/proc/self/task")


class Stopwatch:
    """Runs from when it is made; all in milliseconds."""

    def __init__(self) -> None:
        self._began, self._waited = perf_counter(), _waited()

    @property
    def taken(self) -> float:
        """By the clock."""
        return (perf_counter() - self._began) * 1000

    @property
    def kept(self) -> float:
        """Waiting for a processor."""
        return (_waited() - self._waited) / 1e6

    @property
    def own(self) -> float:
        """By the clock, less what was spent waiting."""
        return max(0.0, self.taken - self.kept)


def _waited() -> int:
    """Nanoseconds that these threads were ready to run and did not."""
    waited = 0
    for thread in _THREADS.glob("*/schedstat"):
        with suppress(OSError, IndexError):  # it ended meanwhile
            waited += int(thread.read_text().split()[1])
    return waited
