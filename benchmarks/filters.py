"""Measure `recall` under filters that admit 0.01, 1, 10 and 90 % of an agent's memories.

    python -m benchmarks.filters /path/to/data --memories 100000 --queries 100

The argument is the data directory of an embedded server; the memories are stored there unless it has them. Each query
is timed without a filter and with a filter of each share, alternately, first without cells and then with cells
(`cognitive db index`). The first ten memories found are compared with those of an exact scan: the same ranking of all
memories that the filter admits, each compared with the query.
"""

from __future__ import annotations

import argparse
import asyncio
import random
import statistics
import sys
from collections.abc import AsyncIterator, Sequence
from contextlib import asynccontextmanager
from pathlib import Path
from time import perf_counter
from typing import Any
from uuid import UUID

import asyncpg

from brain import admission
from brain.embedded import EmbeddedServer
from brain.embedding.minilm import MiniLM
from brain.postgres.migrate import upgrade
from cognitive import CognitiveLayer, NewMemory, Policy
from cognitive.bench.vectors import InterpolatedEmbedder
from cognitive.bench.workload import Question, WorkloadSize, statement_workload

AGENT = "filters"
SHARES = (0.0001, 0.01, 0.1, 0.9)
TEXTS = 2_000  # embedded by the real model; the vectors of the others are interpolated
BATCH = 20_000
_STEP = 61_803  # prime: the ranks of the memories are a permutation


def memories(size: int) -> tuple[list[NewMemory], Sequence[Question]]:
    """Return memories with metadata, and questions about some of them. `metadata.rank` is different in each memory."""
    workload = statement_workload(WorkloadSize(size, 1, 100, 7), TEXTS)
    stored = [
        memory.model_copy(
            update={
                "tags": (f"tag-{n % 11}",),
                "metadata": {
                    "rank": n * _STEP % size,
                    "team": f"team-{n % 17}",
                    "file": {"path": f"src/module_{n % 1_000}.py", "line": n % 777},
                    "note": f"other data that a host keeps beside memory {n}",
                },
            }
        )
        for n, memory in enumerate(workload.memories_of(0))
    ]
    return stored, workload.questions


async def fill(urls: Any, size: int) -> None:
    """Store the memories, unless the agent has them."""
    stored, _ = memories(size)
    async with CognitiveLayer.open(urls.app, embedder=_interpolated(size)) as layer:
        if await layer.admin.find(AGENT, limit=1):
            return
        for first in range(0, size, BATCH):
            await layer.remember(AGENT, stored[first : first + BATCH])
    await vacuum(urls)


def _interpolated(size: int) -> InterpolatedEmbedder:
    return InterpolatedEmbedder(MiniLM(), statement_workload(WorkloadSize(size, 1, 100, 7), TEXTS).texts)


async def vacuum(urls: Any) -> None:
    """Vacuum all tables, as autovacuum does after some time."""
    connection = await asyncpg.connect(urls.admin)
    await connection.execute("VACUUM ANALYZE")
    await connection.close()


def window(share: float, size: int, chance: random.Random) -> dict[str, Any]:
    """Return a filter that admits a share of the memories, others in each call."""
    count = max(1, round(share * size))
    first = chance.randint(0, size - count)
    return {"metadata.rank": {"gte": first, "lte": first + count - 1}}


async def first_ten(layer: CognitiveLayer, question: str, where: Any) -> tuple[list[UUID], float]:
    """Return the ids of the first ten memories, and the milliseconds that the recall took."""
    start = perf_counter()
    hits = await layer.recall(AGENT, question, where=where)
    return [hit.memory_id for hit in hits], (perf_counter() - start) * 1000


@asynccontextmanager
async def exact() -> AsyncIterator[None]:
    """Make all searches with a filter exact: every memory that is admitted is listed and compared with the query."""
    usual, admission.MAX_LISTED = admission.MAX_LISTED, 10**9
    try:
        yield
    finally:
        admission.MAX_LISTED = usual


async def measure(layer: CognitiveLayer, size: int, questions: Sequence[Question]) -> None:
    """Print the medians and the agreement with an exact scan, for each share."""
    chance = random.Random(5)
    for question in questions[:5]:
        for share in SHARES:
            await first_ten(layer, question.question, window(share, size, chance))
            await first_ten(layer, question.question, None)
    times: dict[float | None, list[float]] = {}
    agreement: dict[float, list[float]] = {}
    for question in questions:
        for share in SHARES:
            where = window(share, size, chance)
            _, plain = await first_ten(layer, question.question, None)
            found, filtered = await first_ten(layer, question.question, where)
            async with exact():
                wanted, _ = await first_ten(layer, question.question, where)
            times.setdefault(None, []).append(plain)
            times.setdefault(share, []).append(filtered)
            agreement.setdefault(share, []).append(len(set(found) & set(wanted)) / max(1, len(wanted)))
    plain = statistics.median(times[None])
    say(f"  without a filter: {plain:.1f} ms")
    for share in SHARES:
        median = statistics.median(times[share])
        say(f"  {share:.2%}: {median:.1f} ms ({median / plain:.2f}), agreement {statistics.mean(agreement[share]):.4f}")


def say(line: str) -> None:
    """Print a line at once, without buffering."""
    sys.stdout.write(line + "\n")
    sys.stdout.flush()


async def run(directory: Path, size: int, queries: int) -> None:
    """Store the memories and measure, without cells and with cells."""
    server = EmbeddedServer(directory)
    urls = server.acquire()
    try:
        await upgrade(urls.owner)
        await fill(urls, size)
        questions = memories(size)[1][:queries]
        policy = Policy(deadlines={"recall_ms": 60_000.0})
        async with CognitiveLayer.open(urls.app, policy=policy) as layer:
            connection = await asyncpg.connect(urls.admin)
            cells = await connection.fetchval("SELECT count(*) FROM cognitive.cell")
            await connection.close()
            if not cells:
                say("without cells")
                await measure(layer, size, questions)
                await layer.admin.build_vector_index(AGENT)
                await vacuum(urls)
            say("with cells")
            await measure(layer, size, questions)
    finally:
        server.release()


def main() -> None:
    """Parse the command line and measure."""
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("data", type=Path, help="data directory of an embedded server")
    parser.add_argument("--memories", type=int, default=100_000)
    parser.add_argument("--queries", type=int, default=100)
    given = parser.parse_args()
    asyncio.run(run(given.data, given.memories, given.queries))


if __name__ == "__main__":
    main()
