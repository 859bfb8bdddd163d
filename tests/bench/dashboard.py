"""How long the dashboard's reads take, on a database that `tests/bench/large.py` made.

    python tests/bench/dashboard.py /path/to/data [times]

Each read as a page makes it: as the application's role, bound by row level security, through the pool, rows turned into
values. Prints a table: read, p50 and p95 in milliseconds, and what it came to.
"""

from __future__ import annotations

import asyncio
import statistics
import sys
from collections.abc import Awaitable, Callable
from datetime import UTC, datetime, timedelta
from pathlib import Path
from time import perf_counter
from typing import Any

from brain import roles
from brain.database import Database
from brain.embedded import EmbeddedServer
from brain.embedding.minilm import MiniLM
from brain.figure_rows import Habit, MemoryFilter, Page, Period, TurnFilter
from brain.figures import Figures

AGENT = "big"
HOTTEST = "SELECT memory_id FROM cognitive.usage WHERE agent_id = $1 ORDER BY times_shown DESC LIMIT 1"
Read = Callable[[], Awaitable[Any]]


async def reads(f: Figures, database: Database) -> dict[str, Read]:
    """Every read, at its usual size and at its worst."""
    now = datetime.now(UTC)
    week, month, year = (Period(now - timedelta(days=days), now) for days in (7, 30, 365))
    hourly, local = Period(week.since, now, "hour"), Period(month.since, now, "day", "Asia/Kolkata")
    past = now - timedelta(days=180)
    turns, memories = await f.turns(AGENT), await f.memories(AGENT)
    turn, memory, habit = turns.rows[0], memories.rows[0], Habit(7.0)
    hottest = await database.run(AGENT, lambda c: c.fetchval(HOTTEST, AGENT))
    return {
        "totals, a week": lambda: f.totals(AGENT, week),
        "totals, a year": lambda: f.totals(AGENT, year),
        **{f"totals by {by}, a month": lambda by=by: f.totals(AGENT, month, by) for by in ("type", "category", "tool")},
        **{f"totals by {by}, a year": lambda by=by: f.totals(AGENT, year, by) for by in ("category", "stage", "tool")},
        "series, a week by the hour": lambda: f.series(AGENT, hourly),
        "series, a month of the viewer's days": lambda: f.series(AGENT, local),
        "series by type, a month": lambda: f.series(AGENT, month, "type"),
        "series by stage, a month": lambda: f.series(AGENT, month, "stage"),
        "series, a year": lambda: f.series(AGENT, year),
        "all agents, a month": lambda: f.across.agents(month),
        "all agents, a year": lambda: f.across.agents(year),
        "all agents day by day, a year": lambda: f.across.days(year),
        "worst degraded agents, a month": lambda: f.across.agents(month, "degraded"),
        "models of the latest turns": lambda: f.lately.models(AGENT, month),
        "reasons of degradation": lambda: f.lately.degradations(AGENT, month),
        "passages by embedding model": lambda: f.lately.embedded(AGENT),
        "turns, the latest": lambda: f.turns(AGENT),
        "turns that failed": lambda: f.turns(AGENT, TurnFilter(status="failed")),
        "turns of a session": lambda: f.turns(AGENT, TurnFilter(session_id=turn.session_id)),
        "turns of a category, half a year ago": lambda: f.turns(AGENT, TurnFilter(category="coding", until=past)),
        "turns with words that none has": lambda: f.turns(AGENT, TurnFilter(words="neither nor")),
        "a turn": lambda: f.turn(AGENT, turn.turn_id),
        "memories, the latest": lambda: f.memories(AGENT),
        "memories of a type and a tag": lambda: f.memories(AGENT, MemoryFilter(types=("fact",), tag="tag-0")),
        "memories of a session": lambda: f.memories(AGENT, MemoryFilter(session_id=memory.session_id)),
        "memories with words that none has": lambda: f.memories(AGENT, MemoryFilter(words="neither nor")),
        "sizes of groups": lambda: f.group_sizes(AGENT, habit, now),
        **{f"group: {name}": lambda name=name: f.group(AGENT, name, habit, now)
           for name in ("never", "ignored", "rising", "stale")},
        "a memory": lambda: f.life(AGENT, hottest),
        "turns that showed the most shown memory": lambda: f.showings(AGENT, hottest),
        "when it was shown": lambda: f.shown_at(AGENT, hottest),
        "near-duplicates": lambda: f.near(AGENT, memory.id, MiniLM.model),
        "policies": lambda: f.policies(AGENT),
        "tools left out": lambda: f.left_out(AGENT),
        "tools left out, half a year ago": lambda: f.left_out(AGENT, Period(past - timedelta(days=30), past)),
        "health": lambda: f.health(AGENT),
    }  # fmt: skip


async def measure(read: Read, times: int) -> tuple[list[float], Any]:
    """Milliseconds, sorted, and what was read last."""
    took, found = [], None
    for _ in range(times):
        start = perf_counter()
        found = await read()
        took.append((perf_counter() - start) * 1000)
    return sorted(took), found


def came_to(found: Any) -> str:
    """How much was read."""
    if isinstance(found, Page):
        return f"{len(found.rows)} rows of {found.looked} looked at"
    return f"{len(found)} rows" if isinstance(found, list) else type(found).__name__


def say(line: str) -> None:
    """A line, at once."""
    sys.stdout.write(line + "\n")
    sys.stdout.flush()


async def main(directory: Path, times: int) -> None:
    """Prints the table."""
    server = EmbeddedServer(directory)
    urls = server.acquire()
    await roles.create(urls.admin, ["cognitive_app"])
    database = Database(urls.app)
    try:
        say("| read | p50 ms | p95 ms | came to |\n|---|---|---|---|")
        for name, read in (await reads(Figures(database), database)).items():
            took, found = await measure(read, times)
            p95 = took[min(len(took) - 1, int(len(took) * 0.95))]
            say(f"| {name} | {statistics.median(took):.1f} | {p95:.1f} | {came_to(found)} |")
    finally:
        await database.close()
        server.release()


if __name__ == "__main__":
    asyncio.run(main(Path(sys.argv[1]), int(sys.argv[2]) if len(sys.argv) > 2 else 20))
