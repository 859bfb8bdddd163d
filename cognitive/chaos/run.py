"""All suites, at a size and with a seed, on a server of their own."""

from __future__ import annotations

import logging
import platform
import time
from collections.abc import Awaitable, Callable, Collection, Mapping
from datetime import UTC, datetime
from typing import Any

from cognitive.chaos import deadlines, feedback, isolation
from cognitive.chaos.ledger import Ledger
from cognitive.chaos.site import Site

Suite = Callable[[Ledger, int, float, Site], Awaitable[None]]


async def _deadlines(ledger: Ledger, seed: int, share: float, site: Site) -> None:
    await deadlines.suite(ledger, seed, int(10_000 * share), site)


async def _feedback(ledger: Ledger, seed: int, share: float, site: Site) -> None:
    await feedback.suite(ledger, seed, int(5_000 * share), max(2, int(20 * share)), site)


async def _hot(ledger: Ledger, seed: int, share: float, site: Site) -> None:
    await feedback.hot(ledger, seed, int(10_000 * share), site)


async def _isolation(ledger: Ledger, seed: int, share: float, site: Site) -> None:
    await isolation.suite(ledger, seed, int(20_000 * share), site)


SUITES: Mapping[str, Suite] = {
    "deadlines": _deadlines,
    "feedback": _feedback,
    "hot": _hot,
    "isolation": _isolation,
}


async def run(seed: int, share: float, names: Collection[str], moved: Callable[[str], None]) -> Mapping[str, Any]:
    """Runs suites by name, each on a server of its own, at a share of their full size.

    Returns what they did, what took how long, and what is wrong; the seed repeats the choices, not the timing.
    """
    told: dict[str, Any] = {}
    logging.disable(logging.CRITICAL)  # a warning for each fault says nothing new; the ledger counts
    for name in names:
        moved(name)
        ledger, began = Ledger(), time.monotonic()
        async with Site.opened() as site:
            await SUITES[name](ledger, seed, share, site)
        told[name] = {"seconds": round(time.monotonic() - began), **ledger.told(), "broken": ledger.broken}
    return {
        "seed": seed, "share": share, "at": datetime.now(UTC).isoformat(timespec="seconds"),
        "machine": f"{platform.machine()}, Python {platform.python_version()}",
        "broken": any(each["broken"] for each in told.values()), "suites": told,
    }  # fmt: skip
