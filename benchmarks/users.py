"""Measure what the other users of an agent cost one of them: a search among 10,000 users beside a single user's.

    python -m benchmarks.users /path/to/data --users 10000 --private 100 --shared 5000

The argument is the data directory of an embedded server; rows of the agents `one` and `many` are replaced. Both have
the same shared memories and the same user `user-0`; `many` has further users with as many memories. Each query runs for
`user-0` of both agents in turn. The results must be equal, and the medians are compared, before and after the vector
index is built. The memories are synthetic: words by Zipf's law, and vectors of hashed words.
"""

from __future__ import annotations

import argparse
import asyncio
import sys
from collections.abc import Sequence
from datetime import UTC, datetime, timedelta
from pathlib import Path
from statistics import median
from time import perf_counter
from typing import Any

import asyncpg
import numpy as np

from benchmarks.chaos.sample_data import WordEmbedder
from benchmarks.large import say, vocabulary
from brain.embedded import EmbeddedServer
from brain.embedding.embedders import CachedEmbedder, Embedders
from brain.ivf_index import IvfIndex
from brain.postgres.database import Database
from brain.postgres.migrate import upgrade
from brain.search import MemorySearch, Query, SearchResult
from brain.store import MemoryStore
from brain.types import NewMemory
from brain.users import Scope

ONE, MANY, USER = "one", "many", "user-0"
TABLES = ("memory", "passage", "posting", "memory_value", "embedding", "session", "corpus")
AT = datetime(2026, 9, 1, 12, tzinfo=UTC)
QUERIES = 60


def sentences(count: int, chance: np.random.Generator, words: Sequence[str]) -> list[str]:
    """Return sentences of eleven words each, some of them frequent."""
    picked = chance.zipf(1.3, (count, 11)) * 2654435761 % len(words)
    return [" ".join(words[n] for n in row).capitalize() + "." for row in picked.tolist()]


async def fill(database: Database, admin: asyncpg.Connection, users: int, private: int, shared: int) -> list[str]:
    """Store the memories of both agents, and return the sentences of `one`."""
    said = sentences(shared + private, np.random.default_rng(21), vocabulary(20_000))
    for user, own in (("", said[:shared]), (USER, said[shared:])):
        store = MemoryStore(database, Embedders([CachedEmbedder(WordEmbedder())]))
        memories = [
            NewMemory(
                type=("fact", "episode")[n % 2],
                content=content,
                session_id=f"{user}s{n // 25}",
                occurred_at=AT + timedelta(minutes=n),
                user_id=user or None,
            )
            for n, content in enumerate(own)
        ]
        await store.remember(ONE, memories, now=AT)
    await admin.execute("SET session_replication_role = replica; SET synchronous_commit = off")  # no foreign keys
    await copied(admin, "agent_state", "", 1)
    for table in TABLES:
        await copied(admin, table, "AND user_id = ''", 1)
        await copied(admin, table, "AND user_id <> ''", users)
    await admin.execute("VACUUM (ANALYZE)")
    return said


async def copied(admin: asyncpg.Connection, table: str, condition: str, users: int) -> None:
    """Copy rows of `one` for `many`: private rows for each user, with other ids for all users but the first."""
    began = perf_counter()
    id = "CASE n WHEN 0 THEN {0} ELSE md5({0}::text || n)::uuid END"
    changed = {"agent_id": f"'{MANY}'", "id": id.format("id"), "memory_id": id.format("memory_id")}
    if users > 1:
        changed["user_id"] = "'user-' || n"
    rows = await admin.fetch(
        "SELECT attname FROM pg_attribute WHERE attrelid = $1::text::regclass AND attnum > 0 AND NOT attisdropped",
        f"cognitive.{table}",
    )
    names = [row["attname"] for row in rows]
    await admin.execute(
        f"INSERT INTO cognitive.{table} ({', '.join(names)}) SELECT {', '.join(changed.get(n, n) for n in names)}"
        f" FROM generate_series(0, {users - 1}) AS n CROSS JOIN cognitive.{table} WHERE agent_id = '{ONE}' {condition}"
    )
    say(f"  {table}: {perf_counter() - began:.0f} s")


def seen(result: SearchResult) -> list[tuple[Any, ...]]:
    """Return what a search found, to compare it with another."""
    return [(hit.memory_id, hit.ordinal, tuple(sorted(hit.scores.items()))) for hit in result.hits]


async def compare(database: Database, said: Sequence[str]) -> float:
    """Search as the user of both agents; print the medians, and return that of `many` by that of `one`.

    Raises:
        AssertionError: the results differ.
    """
    chance = np.random.default_rng(7)
    search = MemorySearch(database)
    took: dict[str, list[float]] = {ONE: [], MANY: []}
    for n in range(QUERIES + 5):
        words = chance.choice(said[int(chance.integers(len(said)))].strip(".").split(), 4)
        [vector] = WordEmbedder().embed([" ".join(words)])
        query = Query({"fact": 24, "episode": 24}, " ".join(words), vector, WordEmbedder.model)
        results = {}
        for agent in (ONE, MANY) if n % 2 else (MANY, ONE):
            began = perf_counter()
            results[agent] = await search.find(Scope(agent, USER), query)
            if n >= 5:  # statements are planned in the first calls
                took[agent].append((perf_counter() - began) * 1000)
        assert seen(results[ONE]) == seen(results[MANY]), words
    one, many = median(took[ONE]), median(took[MANY])
    say(f"  one {one:.1f} ms, many {many:.1f} ms, ratio {many / one:.2f}; equal results")
    return many / one


async def main(arguments: Sequence[str]) -> None:
    """Run the benchmark with command line arguments."""
    parser = argparse.ArgumentParser(prog="python -m benchmarks.users")
    parser.add_argument("data", type=Path)
    parser.add_argument("--users", type=int, default=10_000)
    parser.add_argument("--private", type=int, default=100)
    parser.add_argument("--shared", type=int, default=5_000)
    parser.add_argument("--keep", action="store_true", help="measure the rows of an earlier run")
    options = parser.parse_args(arguments)
    server = EmbeddedServer(options.data)
    urls = server.acquire()
    try:
        await upgrade(urls.owner)
        admin, database = await asyncpg.connect(urls.admin), Database(urls.app, pool_size=2)
        if options.keep:
            said = sentences(options.shared + options.private, np.random.default_rng(21), vocabulary(20_000))
        else:
            for table in (*TABLES, "cell", "agent_state", "embedding_model"):
                await admin.execute(f"DELETE FROM cognitive.{table} WHERE agent_id = ANY($1)", [ONE, MANY])
            said = await fill(database, admin, options.users, options.private, options.shared)
        say("without cells:")
        await compare(database, said)
        for agent in (ONE, MANY):
            began = perf_counter()
            groups = await IvfIndex(database, large=options.shared // 4).build(agent)
            say(f"  index of {agent}: {len(groups)} groups, {perf_counter() - began:.1f} s")
        say("with cells of the shared memories:")
        await compare(database, said)
        await admin.execute(
            "UPDATE cognitive.embedding SET cell = NULL WHERE cell IS NOT NULL; DELETE FROM cognitive.cell"
        )
        await database.close()
        await admin.close()
    finally:
        server.release()


if __name__ == "__main__":
    asyncio.run(main(sys.argv[1:]))
