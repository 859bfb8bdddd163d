"""Measure the server's processor time per search with and without REPEATABLE READ, alternating.

    python -m benchmarks.snapshot postgresql://postgres@host/database --searches 2000

The database must be migrated already, and nothing else may use it meanwhile. The server must run on this machine,
because /proc is read. Other load does not matter: only the processor time of the one server process is measured.
"""

from __future__ import annotations

import argparse
import asyncio
import random
import sys
from collections.abc import Awaitable, Callable, Mapping
from pathlib import Path
from statistics import mean, stdev
from typing import TypeVar

import asyncpg

from brain.embedding.minilm import MiniLM
from brain.postgres.connection_setup import prepare
from brain.postgres.database import Connection
from brain.postgres.transaction import beginning, in_transaction
from brain.search import MemorySearch, Query
from brain.types import MemoryType
from brain.users import Scope
from cognitive import CognitiveLayer, NewMemory

T = TypeVar("T")
AGENT = "bench-snapshot"
WORDS = (Path(__file__).parents[1] / "tests" / "data" / "boatyard.txt").read_text(encoding="utf-8").split()
TYPES: Mapping[MemoryType, int] = {"fact": 10, "decision": 10, "procedure": 10, "episode": 20}
BLOCK = 50  # searches in a row; as long as half a second


class One:
    """A single connection used in place of the pool, so that its server process can be measured."""

    def __init__(self, connection: asyncpg.Connection) -> None:
        self.connection = connection
        self.snapshot = False

    async def run(
        self,
        scope: Scope,
        work: Callable[[Connection], Awaitable[T]],
        *,
        timeout: float = 60.0,
        snapshot: bool = False,
    ) -> T:
        """Run `work` in a transaction of the scope, with REPEATABLE READ if `snapshot` is set."""
        return await in_transaction(self.connection, work, beginning(scope, timeout, snapshot=self.snapshot))


def words(seed: int, count: int) -> str:
    """Return `count` random words; the same seed gives the same words."""
    return " ".join(random.Random(seed).choices(WORDS, k=count))


def seconds(pid: int) -> float:
    """Return the processor time that the process with this id has used, in seconds."""
    return int(Path(f"/proc/{pid}/schedstat").read_text().split()[0]) / 1e9


async def measured(url: str, searches: int) -> dict[bool, list[float]]:
    """Run searches in blocks, alternately with and without REPEATABLE READ.

    Returns the milliseconds of processor time per search for each block; the key is True with REPEATABLE READ.
    """
    model = await asyncio.to_thread(MiniLM)
    texts = [words(seed, 8) for seed in range(40)]
    queries = [Query(TYPES, text, vector, model.model) for text, vector in zip(texts, model.embed(texts), strict=True)]
    connection = await asyncpg.connect(url, server_settings={"role": "cognitive_app", "timezone": "UTC"})
    await prepare(connection, None)
    one, pid = One(connection), connection.get_server_pid()
    took: dict[bool, list[float]] = {False: [], True: []}
    search = MemorySearch(one, lambda agent, spaces: None)  # type: ignore[arg-type]
    for query in queries * 2:  # until Postgres has planned and read all of it
        await search.find(Scope(AGENT), query)
    for block in range(2 * searches // BLOCK):
        one.snapshot = block % 4 in (0, 3)
        began = seconds(pid)
        for n in range(BLOCK):
            await search.find(Scope(AGENT), queries[(block // 2 * BLOCK + n) % len(queries)])
        took[one.snapshot].append((seconds(pid) - began) / BLOCK * 1000)
    await connection.close()
    return took


async def report(url: str, searches: int) -> None:
    """Measure the searches with and without REPEATABLE READ, and print both times and their difference."""
    lines = [NewMemory(type="episode", content=words(n, 14), session_id=f"s{n // 20}") for n in range(1_000)]
    async with CognitiveLayer.open(url) as layer:
        await layer.remember(AGENT, lines)
        took = await measured(url, searches)
        await layer.erase_agent(AGENT)
    more = [with_it - without for without, with_it in zip(took[False], took[True], strict=True)]
    sys.stdout.write(
        f"READ COMMITTED {mean(took[False]):.2f} ms, REPEATABLE READ {mean(took[True]):.2f} ms a search,\n"
    )
    sys.stdout.write(
        f"difference {mean(more):+.2f} ± {stdev(more) / len(more) ** 0.5:.2f} ms (of {len(more)} pairs of blocks)\n"
    )


def main() -> None:
    """Parse the command line and measure the cost of REPEATABLE READ per search."""
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("url", help="a migrated database, as the superuser")
    parser.add_argument("--searches", type=int, default=2_000)
    given = parser.parse_args()
    asyncio.run(report(given.url, given.searches))


if __name__ == "__main__":
    main()
