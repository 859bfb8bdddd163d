"""Time the dashboard's reads and pages on a database made by `benchmarks/large.py`.

    python -m benchmarks.dashboard /path/to/data --times 20 --only reads

A read is a query of the database. It runs as for a page: with the application's role under row level security, through
the pool, and its rows are converted to values. The pages are requested over HTTP from a separate server, one after
another: every kind of URL that a page links to, and the most expensive searches. Prints tables of p50 and p95 in
milliseconds, and the size of the result.
"""

from __future__ import annotations

import argparse
import asyncio
import html
import re
import statistics
import sys
from collections.abc import Awaitable, Callable
from datetime import UTC, datetime, timedelta
from functools import partial
from pathlib import Path
from time import perf_counter
from typing import Any
from urllib.parse import parse_qsl, urlsplit

import httpx

from brain.analytics.memories import MemoryListFilter, UsageThresholds
from brain.analytics.turn_rows import Period, ResultPage, TurnFilter
from brain.analytics.turns import TurnAnalytics
from brain.embedded import EmbeddedServer
from brain.embedding.minilm import MiniLM
from brain.postgres import roles
from brain.postgres.database import Database
from brain.postgres.migrate import upgrade
from brain.users import Scope
from cognitive import CognitiveLayer
from cognitive.server.assembly import mounts
from cognitive.server.config import ServerConfig
from tests.serving import running

AGENT = "big"
START = f"/ui/overview?agent={AGENT}"
MAX_PAGES, MAX_PATH_LENGTH = 150, 14
# What a form asks and no link does; `{memory}` is one that the latest turn did not find.
ASKED = (
    "turns?q=neither+nor",
    "turns?q=ba&frame=debug&degraded=yes",
    "turns?user=user-3&from=2026-01-01T00:00",
    "turns?showed=procedure&used=yes",
    "turns?held=trimmed&status=failed",
    "turns/why?why={memory}",
    "turns?model=none&cut=yes",
    "turns?reason=none",
    "turns?slower=5000&stage=search",
    "overview?range=90d",
    "memories?q=neither+nor",
    "memories?q=ba+be&hits=200&type=fact",
    "memories?q=ba&age=over90d",
    "memories?tag=none",
    "memories?type=fact&tag=tag-0&age=over90d",
    "memories?group=never&type=procedure",
    "memories?group=stale&tag=tag-0",
    "memory?id={memory}",
    "memory/chart?id={memory}&chart=boost&as=svg",
    "what-if/answer?dedup.threshold=0.6",
    "what-if/answer?feedback.attribution_thresholds.int8=0.2&range=90d",
    "catalog?range=90d",
    "health?range=90d",
)
# What two addresses of the same page may differ in and still be measured each.
TELLING = ("q", "why", "range", "group", "of", "chart")
HOTTEST = "SELECT memory_id FROM cognitive.usage WHERE agent_id = $1 ORDER BY times_shown DESC LIMIT 1"
Read = Callable[[], Awaitable[Any]]


async def reads(f: TurnAnalytics, database: Database) -> dict[str, Read]:
    """Return a function for every database read of the dashboard, by name, with usual and with expensive arguments."""
    now = datetime.now(UTC)
    week, month, year = (Period(now - timedelta(days=days), now) for days in (7, 30, 365))
    hourly, local = Period(week.since, now, "hour"), Period(month.since, now, "day", "Asia/Kolkata")
    past = now - timedelta(days=180)
    turns, memories = await f.turns(Scope(AGENT)), await f.memories(Scope(AGENT))
    turn, memory, habit = turns.rows[0], memories.rows[0], UsageThresholds(7.0)
    hottest = await database.run(Scope(AGENT), lambda c: c.fetchval(HOTTEST, AGENT))
    return {
        "totals, a week": lambda: f.totals(Scope(AGENT), week),
        "totals, a year": lambda: f.totals(Scope(AGENT), year),
        **{
            f"totals by {by}, a month": partial(f.totals, Scope(AGENT), month, by)
            for by in ("type", "category", "tool")
        },
        **{
            f"totals by {by}, a year": partial(f.totals, Scope(AGENT), year, by) for by in ("category", "stage", "tool")
        },
        "series, a week by the hour": lambda: f.series(Scope(AGENT), hourly),
        "series, a month of the viewer's days": lambda: f.series(Scope(AGENT), local),
        "series by type, a month": lambda: f.series(Scope(AGENT), month, "type"),
        "series by stage, a month": lambda: f.series(Scope(AGENT), month, "stage"),
        "series, a year": lambda: f.series(Scope(AGENT), year),
        "all agents, a month": lambda: f.fleet.agents(month),
        "all agents, a year": lambda: f.fleet.agents(year),
        "all agents day by day, a year": lambda: f.fleet.days(year),
        "worst degraded agents, a month": lambda: f.fleet.agents(month, "degraded"),
        "models of the latest turns": lambda: f.recent.models(Scope(AGENT), month),
        "reasons of degradation": lambda: f.recent.degradations(Scope(AGENT), month),
        "passages by embedding model": lambda: f.recent.embedded(Scope(AGENT)),
        "turns, the latest": lambda: f.turns(Scope(AGENT)),
        "turns that failed": lambda: f.turns(Scope(AGENT), TurnFilter(status="failed")),
        "turns of a session": lambda: f.turns(Scope(AGENT), TurnFilter(session_id=turn.session_id)),
        "turns of a category, half a year ago": lambda: f.turns(
            Scope(AGENT), TurnFilter(category="coding", until=past)
        ),
        "turns with words that none has": lambda: f.turns(Scope(AGENT), TurnFilter(words="neither nor")),
        "a turn": lambda: f.turn(Scope(AGENT), turn.turn_id),
        "memories, the latest": lambda: f.memories(Scope(AGENT)),
        "memories of a type and a tag": lambda: f.memories(
            Scope(AGENT), MemoryListFilter(types=("fact",), tag="tag-0")
        ),
        "memories of a session": lambda: f.memories(Scope(AGENT), MemoryListFilter(session_id=memory.session_id)),
        "memories with words that none has": lambda: f.memories(Scope(AGENT), MemoryListFilter(words="neither nor")),
        "sizes of groups": lambda: f.group_sizes(Scope(AGENT), habit, now),
        **{
            f"group: {each}": partial(f.group, Scope(AGENT), each, habit, now)
            for each in ("never", "ignored", "rising", "stale")
        },
        "a memory": lambda: f.lifecycle(Scope(AGENT), hottest),
        "turns that showed the most shown memory": lambda: f.showings(Scope(AGENT), hottest),
        "when it was shown": lambda: f.shown_at(Scope(AGENT), hottest),
        "near-duplicates": lambda: f.similar(Scope(AGENT), memory.id, MiniLM.model),
        "policies": lambda: f.policies(Scope(AGENT)),
        "tools left out": lambda: f.omitted_tools(Scope(AGENT)),
        "tools left out, half a year ago": lambda: f.omitted_tools(
            Scope(AGENT), Period(past - timedelta(days=30), past)
        ),
        "health": lambda: f.health(Scope(AGENT)),
    }


async def pages(client: httpx.AsyncClient, memory: str) -> dict[str, Read]:
    """Return an HTTP request for every kind of URL that a page of the dashboard links to.

    The keys are the path and the names of the URL's parameters.
    """
    found = dict[str, str]()
    waiting = [START, *(f"/ui/{each.format(memory=memory)}&agent={AGENT}" for each in ASKED)]
    while waiting and len(found) < MAX_PAGES:
        address = waiting.pop(0)
        kind = _kind(address)
        path = kind.partition("?")[0]
        if kind in found or sum(each.partition("?")[0] == path for each in found) >= MAX_PATH_LENGTH:
            continue
        found[kind] = address
        answer = await client.get(address)
        if answer.status_code == 200 and answer.headers["content-type"].startswith("text/html"):
            waiting += [each for each in _links(answer.text) if _kind(each) not in found]
    return {kind: partial(client.get, address) for kind, address in found.items()}


def _kind(address: str) -> str:
    parts = urlsplit(address)
    asked = [
        f"{name}={value}" if name in TELLING and len(value) < 12 else name
        for name, value in parse_qsl(parts.query)
        if name != "agent"
    ]
    return parts.path + (f"?{'&'.join(sorted(asked))}" if asked else "")


def _links(page: str) -> list[str]:
    """Return the URLs of dashboard pages that the HTML `page` links to. Links to static files are left out."""
    links = (html.unescape(each) for each in re.findall(r'(?:href|hx-get)="([^"#]+)', page))
    return [each for each in dict.fromkeys(links) if each.startswith("/ui/") and "/static/" not in each]


async def measure(read: Read, times: int) -> tuple[list[float], Any]:
    """Run a read repeatedly; return its sorted durations in milliseconds and its last result."""
    took, found = [], None
    for _ in range(times):
        start = perf_counter()
        found = await read()
        took.append((perf_counter() - start) * 1000)
    return sorted(took), found


def came_to(found: Any) -> str:
    """Return the size of a read's result in words, such as its number of rows."""
    if isinstance(found, httpx.Response):
        return f"{found.status_code}, {len(found.content) / 1000:.0f} kB"
    if isinstance(found, ResultPage):
        return f"{len(found.rows)} rows of {found.looked} looked at"
    return f"{len(found)} rows" if isinstance(found, list) else type(found).__name__


def say(line: str) -> None:
    """Print a line at once, without buffering."""
    sys.stdout.write(line + "\n")
    sys.stdout.flush()


async def table(named: str, wanted: dict[str, Read], times: int) -> None:
    """Measure the reads or pages in `wanted`, and print a table of the results with the title `named`."""
    say(f"| {named} | p50 ms | p95 ms | came to |\n|---|---|---|---|")
    for name, read in wanted.items():
        took, found = await measure(read, times)
        p95 = took[min(len(took) - 1, int(len(took) * 0.95))]
        say(f"| {name} | {statistics.median(took):.1f} | {p95:.1f} | {came_to(found)} |")


async def report(directory: Path, times: int, only: str | None) -> None:
    """Measure the dashboard on the database in `directory` and print the tables."""
    server = EmbeddedServer(directory)
    urls = server.acquire()
    await upgrade(urls.owner)
    await roles.create(urls.admin, ["cognitive_app"])
    database = Database(urls.app)
    try:
        if only != "pages":
            await table("read", await reads(TurnAnalytics(database), database), times)
        memory = await database.run(Scope(AGENT), lambda c: c.fetchval(HOTTEST, AGENT))
    finally:
        await database.close()
    try:
        if only != "reads":
            async with (
                CognitiveLayer.open(urls.app) as layer,
                running(layer, ServerConfig(port=0), mounts(layer)) as (url, _),
                httpx.AsyncClient(base_url=url, timeout=120) as client,
            ):
                await table("page", await pages(client, str(memory)), times)
    finally:
        server.release()


def main() -> None:
    """Parse the command line, and time the dashboard's reads and pages."""
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("data", type=Path, help="data directory of an embedded server")
    parser.add_argument("--times", type=int, default=20)
    parser.add_argument("--only", choices=("reads", "pages"))
    given = parser.parse_args()
    asyncio.run(report(given.data, given.times, given.only))


if __name__ == "__main__":
    main()
