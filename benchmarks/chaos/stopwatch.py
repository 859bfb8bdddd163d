"""Measure elapsed time, and how much of it the machine kept this process waiting for a processor.

An overloaded machine makes every process late. The kernel reports for each thread how long it was ready to run but did
not run (`/proc/self/task/*/schedstat`, in nanoseconds). Threads wait for the interpreter's lock, so one thread's wait
may delay all: the sum over the threads is an upper bound. A virtual machine also waits for its host. The kernel reports
this wait for each processor as stolen ticks (`/proc/stat`). A process that runs on one processor at a time lost at most
as many ticks as the processor with the most stolen ticks. The product's own computing time is in neither of these
waits. If the kernel reports nothing, the wait is 0.
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
    """A stopwatch that starts when it is created, and separates waiting for a processor from the rest.

    All times are in milliseconds.
    """

    def __init__(self) -> None:
        self._began, self._waited, self._stolen = perf_counter(), _waited(), _stolen()

    @property
    def elapsed(self) -> float:
        """The wall-clock time since the start."""
        return (perf_counter() - self._began) * 1000

    @property
    def waited(self) -> float:
        """The time since the start that this process spent waiting for a processor."""
        stolen = (now - before for before, now in zip(self._stolen, _stolen(), strict=False))
        return (_waited() - self._waited) / 1e6 + max(stolen, default=0) * _TICK

    @property
    def processing(self) -> float:
        """The wall-clock time since the start, without the time spent waiting for a processor."""
        return max(0.0, self.elapsed - self.waited)


def _waited() -> int:
    """Return the nanoseconds for which threads of this process were ready to run but had no processor."""
    waited = 0
    for thread in _THREADS.glob("*/schedstat"):
        with suppress(OSError, IndexError):  # it ended meanwhile
            waited += int(thread.read_text().split()[1])
    return waited


def _stolen() -> list[int]:
    """Return, per processor, the clock ticks that the virtual machine's host used for other machines."""
    with suppress(OSError, IndexError):
        lines = (line.split() for line in _STAT.read_text().splitlines())
        return [int(line[_STOLEN]) for line in lines if line[0].startswith("cpu") and line[0] != "cpu"]
    return []
