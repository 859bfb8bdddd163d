"""Check after a soak that the server released its resources: connections, the journal, memory, files and threads."""

from __future__ import annotations

import asyncio
import json
import statistics
from pathlib import Path
from time import monotonic
from typing import Any

import asyncpg

from benchmarks.soak.report import SoakReport
from brain.journal import Journal, journal_name
from cognitive.server.config import ServerConfig

MAX_GROWTH = 4.0  # megabytes a minute beside what fills the bounded caches: a leak of 10 KB a turn is more
SETTLED = 2.0  # seconds until no connection is in use
WARM = 0.4  # of the time: caches fill, and the first contexts are not yet let go


async def check_connections(url: str, ledger: SoakReport) -> None:
    """Check that all database connections of the server become idle within two seconds after the soak test."""
    postgres, began = await asyncpg.connect(url), monotonic()
    try:
        while True:
            states = await postgres.fetch(
                "SELECT coalesce(state, '') AS state, wait_event, query FROM pg_stat_activity"
                " WHERE application_name = 'cognitive-layer' AND coalesce(state, '') <> 'idle'"
            )
            if not states:
                ledger.seconds["until all connections were idle"].append(monotonic() - began)
                return
            if monotonic() - began > SETTLED:
                ledger.violations[f"connections in use: {[tuple(row) for row in states]}"] += 1
                return
            await asyncio.sleep(0.05)
    finally:
        await postgres.close()


async def check_journal(directory: Path, ledger: SoakReport) -> None:
    """Check that the server delivered every journal entry to the database.

    Entries may remain only for turns whose start was never stored. Failures are added to `ledger`.
    """
    journal = Journal(directory / "journal" / journal_name(None))
    for _ in range(60):
        if not (left := journal.count()):
            break
        await asyncio.sleep(1)
    ledger.violations.update({"journal: not drained": left})
    ledger.counts["outcomes parked"] = journal.count(parked=True)


def check_samples(path: Path, ledger: SoakReport) -> dict[str, Any]:
    """Check that the server's memory, files and threads do not grow once its caches are filled.

    `path` is the file of samples that `benchmarks.soak.server` writes. Returns the figures.
    """
    looks = [json.loads(line) for line in path.read_text().splitlines()]
    warm = looks[int(len(looks) * WARM) :]
    minutes = [(look["at"] - warm[0]["at"]) / 60 for look in warm]
    slope = statistics.linear_regression(minutes, [look["megabytes"] - look["cached"] for look in warm]).slope
    if slope > MAX_GROWTH:
        ledger.violations[f"memory: grows by {slope:.1f} MB a minute beside its caches"] += 1
    last, most = looks[-1], {name: max(look[name] for look in looks) for name in looks[-1]}
    if most["contexts"] > ServerConfig().max_cached_contexts:
        ledger.violations[f"contexts: {most['contexts']} are kept"] += 1
    for name, least in (("tasks", 12), ("threads", 12), ("files", 12)):
        if last[name] > looks[2][name] + least:
            ledger.violations[f"{name}: {looks[2][name]} at first, {last[name]} in the end"] += 1
    whole = looks[-1]["at"] - looks[0]["at"]
    return {
        "megabytes": [round(look["megabytes"]) for look in looks[:: max(1, len(looks) // 12)]],
        "megabytes a minute, warm, beside its caches": round(slope, 2),
        "most": {k: round(v) for k, v in most.items() if k != "at"},
        "last": {k: round(v) for k, v in last.items() if k != "at"},
        "processor": round((last["processor"] - looks[0]["processor"]) / whole, 2),
        "late by ms, p50 of the worst of a second": statistics.median(look["lag_ms"] for look in looks),
    }
