"""How long something took, and for how much of that the machine kept this process waiting for a processor.

A machine that has too much to do makes every process late. For how long it did, the kernel says of each thread
(`/proc/self/task/*/schedstat`: nanoseconds that it was ready to run and did not). Threads take turns at the
interpreter's lock, so that what one of them waits all of them may: the sum is the most that it can have cost. A virtual
machine waits for its host besides, and says so of each processor (`/proc/stat`: stolen ticks); a process that computes
on one at a time lost what the worst of them did. What the product computes itself is in neither. Where the kernel says
nothing of it, it is nothing.
"""

from __future__ import annotations

import os
from contextlib import suppress
from pathlib import Path
from time import perf_counter

_THREADS = Path("/proc/self/task")
_STAT = Path("/proc/stat")
_STOLEN = 8  # the column of a processor's line, after its name
_TICK = 1000 / os.sysconf("SC_CLK_TCK")  # milliseconds


class ProcessorStopwatch:
    """Runs from when it is made; all in milliseconds."""

    def __init__(self) -> None:
        self._began, self._waited, self._stolen = perf_counter(), _waited(), _stolen()

    @property
    def elapsed(self) -> float:
        """By the clock."""
        return (perf_counter() - self._began) * 1000

    @property
    def waited(self) -> float:
        """Waiting for a processor."""
        stolen = (now - before for before, now in zip(self._stolen, _stolen(), strict=False))
        return (_waited() - self._waited) / 1e6 + max(stolen, default=0) * _TICK

    @property
    def processing(self) -> float:
        """By the clock, less what was spent waiting."""
        return max(0.0, self.elapsed - self.waited)


def _waited() -> int:
    """Nanoseconds that these threads were ready to run and did not."""
    waited = 0
    for thread in _THREADS.glob("*/schedstat"):
        with suppress(OSError, IndexError):  # it ended meanwhile
            waited += int(thread.read_text().split()[1])
    return waited


def _stolen() -> list[int]:
    """Ticks that the host took from each processor."""
    with suppress(OSError, IndexError):
        lines = (line.split() for line in _STAT.read_text().splitlines())
        return [int(line[_STOLEN]) for line in lines if line[0].startswith("cpu") and line[0] != "cpu"]
    return []
