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
from uuid import UUID

import httpx

from brain.analytics.memory_rows import MemoryListFilter, MemoryRow, UsageGroup
from brain.analytics.turn_rows import Dimension, Period, ResultPage, TurnFilter, TurnListRow
from brain.analytics.turns import TurnAnalytics
from brain.embedded import EmbeddedServer
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
    "turns?used_unshown=yes",
    "turns?rated=useful",
    "user?user=user-3",
    "memories?user=user-3",
    "turns?shown_type=procedure&used=yes",
    "turns?dropped=trimmed&status=failed",
    "turns/why?why={memory}",
    "turns?model=none&tools_cut=yes",
    "turns?degradation=none",
    "turns?min_ms=5000&stage=search",
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
    """Return a function for every database read of the dashboard, by name, with usual and with expensive arguments.

    The reads are those of an operator's pages: in the view of all users.
    """
    now, scope = datetime.now(UTC), Scope.all_users(AGENT)
    hottest = await database.run(scope, lambda c: c.fetchval(HOTTEST, AGENT))
    return {
        **count_reads(f, scope, now),
        **fleet_reads(f, now),
        **turn_reads(f, scope, now, (await f.turns(scope)).rows[0]),
        **memory_reads(f, scope, now, (await f.memories(scope)).rows[0], hottest),
    }


def days(now: datetime, count: int) -> Period:
    """Return the period of the latest `count` days."""
    return Period(now - timedelta(days=count), now)


def count_reads(f: TurnAnalytics, scope: Scope, now: datetime) -> dict[str, Read]:
    """Return the reads of stored counts."""
    week, month, year = (days(now, count) for count in (7, 30, 365))
    hourly, local = Period(week.since, now, "hour"), Period(month.since, now, "day", "Asia/Kolkata")
    by: tuple[tuple[str, Period, tuple[Dimension, ...]], ...] = (
        ("a month", month, ("type", "category", "tool")),
        ("a year", year, ("category", "stage", "tool")),
    )
    return {
        "totals, a week": partial(f.totals, scope, week),
        "totals, a year": partial(f.totals, scope, year),
        **{f"totals by {each}, {name}": partial(f.totals, scope, over, each) for name, over, all in by for each in all},
        "series, a week by the hour": partial(f.series, scope, hourly),
        "series, a month of the viewer's days": partial(f.series, scope, local),
        "series by type, a month": partial(f.series, scope, month, "type"),
        "series by stage, a month": partial(f.series, scope, month, "stage"),
        "series, a year": partial(f.series, scope, year),
        "policies": partial(f.policies, scope),
    }


def fleet_reads(f: TurnAnalytics, now: datetime) -> dict[str, Read]:
    """Return the reads of the counts of all agents."""
    month, year = days(now, 30), days(now, 365)
    return {
        "all agents day by day, a year": partial(f.fleet.days, year),
        "worst degraded agents, a month": partial(f.fleet.worst, month, 6),
        "list of agents, a month": partial(f.fleet.listed, month, "turns", ""),
        "list of agents, a year": partial(f.fleet.listed, year, "turns", ""),
    }


def turn_reads(f: TurnAnalytics, scope: Scope, now: datetime, turn: TurnListRow) -> dict[str, Read]:
    """Return the reads of turns; `turn` is one of them."""
    month, past = days(now, 30), now - timedelta(days=180)
    return {
        "models of the latest turns": partial(f.recent.models, scope, month),
        "reasons of degradation": partial(f.recent.degradations, scope, month),
        "turns, the latest": partial(f.turns, scope),
        "turns that failed": partial(f.turns, scope, TurnFilter(status="failed")),
        "turns of a session": partial(f.turns, scope, TurnFilter(session_id=turn.session_id)),
        "turns of a category, half a year ago": partial(f.turns, scope, TurnFilter(category="coding", until=past)),
        "turns with words that none has": partial(f.turns, scope, TurnFilter(words="neither nor")),
        "a turn": partial(f.turn, Scope.of(AGENT, turn.owner), turn.turn_id),
        "tools left out": partial(f.omitted_tools, scope),
        "tools left out, half a year ago": partial(f.omitted_tools, scope, Period(past - timedelta(days=30), past)),
        "health": partial(f.health, scope),
        "users": partial(f.users.list, AGENT),
    }


def memory_reads(f: TurnAnalytics, scope: Scope, now: datetime, memory: MemoryRow, hottest: UUID) -> dict[str, Read]:
    """Return the reads of memories; `memory` is one of them, and `hottest` the one that most turns showed."""
    half_life_days, own = 7.0, Scope.of(AGENT, memory.user_id)
    groups: tuple[UsageGroup, ...] = ("never", "ignored", "rising", "stale")
    return {
        "passages by embedding model": partial(f.recent.embedded, scope),
        "memories, the latest": partial(f.memories, scope),
        "memories of a type and a tag": partial(f.memories, scope, MemoryListFilter(types=("fact",), tag="tag-0")),
        "memories of a session": partial(f.memories, scope, MemoryListFilter(session_id=memory.session_id)),
        "memories with words that none has": partial(f.memories, scope, MemoryListFilter(words="neither nor")),
        "sizes of groups": partial(f.group_sizes, scope, half_life_days, now),
        **{f"group: {each}": partial(f.group, scope, each, half_life_days, now) for each in groups},
        "a memory": partial(f.lifecycle, scope, hottest),
        "turns that showed the most shown memory": partial(f.showings, scope, hottest),
        "when it was shown": partial(f.shown_at, scope, hottest),
        "near-duplicates": partial(f.similar, own, memory.id),
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
        memory = await database.run(Scope.all_users(AGENT), lambda c: c.fetchval(HOTTEST, AGENT))
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
