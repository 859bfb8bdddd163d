"""Run the suites of the chaos test at a given size and with a given seed, each on a separate Postgres server."""

from __future__ import annotations

import asyncio
import logging
import math
import os
import platform
import time
import traceback
from collections.abc import Awaitable, Callable, Collection, Mapping
from dataclasses import dataclass
from datetime import UTC, datetime
from typing import Any

from benchmarks.chaos import deadlines, feedback, isolation, mixed
from benchmarks.chaos.report import SuiteReport
from benchmarks.chaos.site import Site


@dataclass(frozen=True, slots=True)
class SuiteSize:
    """The size of the suites: a share of their full size, and the minutes of a suite that runs for a given time."""

    share: float
    minutes: float

    def of(self, full: int) -> int:
        """Scale `full`, the number of turns, kills or queries of a full run, to this size.

        The result is at least one.
        """
        return max(1, math.ceil(full * self.share))


Suite = Callable[[SuiteReport, int, SuiteSize, Site], Awaitable[None]]


async def _deadlines(ledger: SuiteReport, seed: int, size: SuiteSize, site: Site) -> None:
    await deadlines.suite(ledger, seed, size.of(10_000), site)


async def _feedback(ledger: SuiteReport, seed: int, size: SuiteSize, site: Site) -> None:
    await feedback.suite(ledger, seed, size.of(5_000), max(2, size.of(20)), site)


async def _hot(ledger: SuiteReport, seed: int, size: SuiteSize, site: Site) -> None:
    await feedback.hot(ledger, seed, size.of(10_000), site)


async def _isolation(ledger: SuiteReport, seed: int, size: SuiteSize, site: Site) -> None:
    await isolation.suite(ledger, seed, size.of(20_000), site)


async def _mixed(ledger: SuiteReport, seed: int, size: SuiteSize, site: Site) -> None:
    await mixed.suite(ledger, seed, size.minutes, site)


SUITES: Mapping[str, Suite] = {
    "deadlines": _deadlines,
    "feedback": _feedback,
    "hot": _hot,
    "isolation": _isolation,
    "mixed": _mixed,
}


async def run(seed: int, size: SuiteSize, names: Collection[str], say: Callable[[str], None]) -> Mapping[str, Any]:
    """Run the named suites, each on a separate Postgres server, and return their reports by name.

    The same seed gives the same random choices, but not the same timing. A suite that raises an error counts as broken,
    and the others still run. If the run is cancelled, the reports so far are returned and marked as interrupted. `say`
    prints progress.
    """
    told: dict[str, Any] = {}
    logging.disable(logging.CRITICAL)  # a warning for each fault says nothing new; the ledger counts
    interrupted = False
    for name in names:
        say(f"{name} …")
        ledger, began, load = SuiteReport(), time.monotonic(), os.getloadavg()[0]
        interrupted = not await run_suite(ledger, name, _alone(ledger, name, seed, size), say)
        told[name] = {
            "seconds": round(time.monotonic() - began),
            "load": [round(each, 1) for each in (load, os.getloadavg()[0])],
            **ledger.as_json(),
            "broken": ledger.broken,
        }
        if interrupted:
            break
    at = datetime.now(UTC).isoformat(timespec="seconds")
    return {
        "seed": seed,
        "share": size.share,
        "minutes": size.minutes,
        "at": at,
        "machine": f"{platform.machine()}, {os.cpu_count()} cores, Python {platform.python_version()}",
        "interrupted": interrupted,
        "broken": any(each["broken"] for each in told.values()),
        "suites": told,
    }


async def run_suite(ledger: SuiteReport, name: str, suite: Awaitable[None], say: Callable[[str], None]) -> bool:
    """Await a suite and record its error in the report, if it raises one. Return False if it was interrupted."""
    try:
        await suite
    except asyncio.CancelledError:
        return False
    except Exception as error:
        say("".join(traceback.format_exception(error)))
        ledger.violations[f"{name}: the suite ended by {type(error).__name__}: {error}"] += 1
    return True


async def _alone(ledger: SuiteReport, name: str, seed: int, size: SuiteSize) -> None:
    async with Site.opened() as site:
        await SUITES[name](ledger, seed, size, site)
