"""Watch this process's memory, open files and threads during a suite. They must not grow once caches are filled."""

from __future__ import annotations

import asyncio
import os
import statistics
import threading
from dataclasses import dataclass
from pathlib import Path
from time import monotonic

from benchmarks.chaos.report import SuiteReport

_EVERY = 5.0  # seconds
_STATUS = Path("/proc/self/status")
_WARM = 0.4  # of the time: caches fill until then
_JUDGED_FROM = 600.0  # seconds of work: in less, what is allocated at first is all that grows
_MAX_GROWTH = 4.0  # megabytes a minute: bounded caches go on filling for some time; a leak of 10 KB a turn is more
_MAX_MORE = 16  # files or threads: a pool's connections, and the threads of the loop's executor


@dataclass(frozen=True, slots=True)
class _Look:
    at: float
    megabytes: float
    files: int
    threads: int


async def watched(ledger: SuiteReport, suite: str) -> None:
    """Sample the memory, files and threads of this process until cancelled. Then record a violation if they grew."""
    try:
        looks = [_look()]
    except OSError:
        ledger.skipped.append("this system does not say what a process holds")
        return
    try:
        while True:
            await asyncio.sleep(_EVERY)
            looks.append(_look())
    finally:
        _judged(ledger, suite, looks)


def _look() -> _Look:
    status = dict(line.split(":", 1) for line in _STATUS.read_text().splitlines())
    held = int(status["RssAnon"].split()[0]) / 1024
    return _Look(monotonic(), held, len(os.listdir("/proc/self/fd")), threading.active_count())


def _judged(ledger: SuiteReport, suite: str, looks: list[_Look]) -> None:
    lasted, warm = looks[-1].at - looks[0].at, looks[int(len(looks) * _WARM) :]
    ledger.counts[f"{suite}: megabytes held at first"] = round(looks[0].megabytes)
    ledger.counts[f"{suite}: megabytes held in the end"] = round(looks[-1].megabytes)
    for what in ("files", "threads"):
        first, last = getattr(warm[0], what), getattr(warm[-1], what)
        ledger.counts[f"{suite}: {what} in the end"] = last
        ledger.require(last <= first + _MAX_MORE, f"{suite}: {first} {what} once it was warm, {last} in the end")
    if lasted < _JUDGED_FROM:
        ledger.skipped.append(f"growth of memory: judged from {_JUDGED_FROM / 60:g} minutes on")
        return
    minutes = [(look.at - warm[0].at) / 60 for look in warm]
    slope = statistics.linear_regression(minutes, [look.megabytes for look in warm]).slope
    ledger.counts[f"{suite}: kilobytes that it grew a minute, warm"] = round(slope * 1024)
    ledger.require(slope <= _MAX_GROWTH, f"{suite}: memory grows by {slope:.1f} MB a minute")
