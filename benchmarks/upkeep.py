"""Measure the upkeep lists: how many planted pairs they name, how many are right, and how long the first page takes.

    python -m benchmarks.upkeep --memories 100000

The memories are synthetic (`benchmarks.upkeep_texts`), on a temporary embedded server. Planted are the restatements and
contradictions of tests/data/upkeep.json, or those of another file of that form (`--pairs`). Of the first 100 listed
pairs a planted one is right, and so is one of two equal texts or of two texts planted for one statement. Pairs of the
half "fresh" were written before the lists were last tuned, and are counted apart, too.
"""

from __future__ import annotations

import argparse
import asyncio
import json
import os
import random
import sys
import tempfile
from collections.abc import Awaitable, Callable
from datetime import UTC, datetime, timedelta
from pathlib import Path
from time import perf_counter
from uuid import uuid4

import asyncpg

from benchmarks.upkeep_texts import texts
from brain.claims import claim_key
from brain.embedded import EmbeddedServer
from brain.embedding.minilm import MiniLM
from brain.postgres.migrate import upgrade
from brain.postgres.wire_types import decode_halfvec, encode_halfvec
from cognitive import CognitiveLayer, NewMemory
from cognitive.upkeep.pages import PairPage

AGENT = "big"
MAX_PAGES = 40
SINCE = datetime(2025, 1, 1, tzinfo=UTC)
COLUMNS = ["agent_id", "id", "seq", "identity", "type", "content", "occurred_at", "claim"]
VECTOR_COLUMNS = ["agent_id", "memory_id", "ordinal", "field", "model", "dimension", "type", "embedding"]
TYPES_SCHEMA = "SELECT extnamespace::regnamespace::text FROM pg_extension WHERE extname = 'vector'"
EMBEDDED = 2_000  # texts that are embedded at once
Lists = Callable[[str, int, str | None], Awaitable[PairPage]]


async def fill(url: str, contents: list[str]) -> None:
    """Insert memories with their vectors, but without passages, which the lists don't need."""
    rows = [
        (AGENT, uuid4(), n, uuid4().bytes, "fact", text, SINCE + timedelta(minutes=n), claim_key(text))
        for n, text in enumerate(contents)
    ]
    embedder = MiniLM()
    connection = await asyncpg.connect(url)
    await connection.set_type_codec(
        "halfvec",
        schema=await connection.fetchval(TYPES_SCHEMA),
        encoder=bytes,
        decoder=decode_halfvec,
        format="binary",
    )
    await connection.copy_records_to_table("memory", schema_name="cognitive", columns=COLUMNS, records=rows)
    for start in range(0, len(rows), EMBEDDED):
        part = rows[start : start + EMBEDDED]
        vectors = await asyncio.to_thread(embedder.embed, [row[5] for row in part])
        records = [
            (AGENT, row[1], 0, "content", embedder.model, embedder.dimension, "fact", encode_halfvec(vector))
            for row, vector in zip(part, vectors, strict=True)
        ]
        await connection.copy_records_to_table(
            "embedding", schema_name="cognitive", columns=VECTOR_COLUMNS, records=records
        )
    await connection.execute(
        "INSERT INTO cognitive.agent_state (agent_id, next_seq, language_chosen) VALUES ($1, $2, false)",
        AGENT,
        len(rows),
    )
    await connection.execute("INSERT INTO cognitive.corpus (agent_id, memories) VALUES ($1, $2)", AGENT, len(rows))
    await connection.execute("ANALYZE cognitive.memory, cognitive.embedding")
    await connection.close()


async def measure(
    name: str, call: Lists, planted: set[frozenset[str]], fresh: set[frozenset[str]], groups: dict[str, int]
) -> None:
    """Read the first `MAX_PAGES` pages of a list, and print what they name."""
    times, found, after = list[float](), list[frozenset[str]](), None
    while len(times) < MAX_PAGES:
        start = perf_counter()
        page = await call(AGENT, 50, after)
        times.append(perf_counter() - start)
        found += [frozenset((each.older.content, each.newer.content)) for each in page.items]
        after = page.next
        if after is None:
            break
    first = found[:100]
    right = sum(pair in planted or len(pair) == 1 or _one_statement(pair, groups) for pair in first)
    say(
        f"{name}: {len(planted & set(found))} of {len(planted)} listed, "
        f"fresh {len(fresh & set(found))} of {len(fresh)}, among {len(found)} pairs; of the first "
        f"{len(first)} right {right}; first page {times[0]:.2f} s, {len(times)} pages, {sum(times):.1f} s"
    )


def say(text: str) -> None:
    """Print a line at once."""
    sys.stdout.write(f"{text}\n")
    sys.stdout.flush()


def _one_statement(pair: frozenset[str], groups: dict[str, int]) -> bool:
    return None not in (numbers := {groups.get(text) for text in pair}) and len(numbers) == 1


def _groups(pairs: list[dict[str, str]]) -> dict[str, int]:
    """Return for each planted text the number of its statement: pairs that share a text are about one statement."""
    groups: dict[str, int] = {}
    for number, pair in enumerate(pairs):
        own = {pair["first"], pair["second"]}
        known = {groups[text] for text in own if text in groups}
        groups |= dict.fromkeys(own, number)
        groups |= {text: number for text, other in groups.items() if other in known}
    return groups


async def main() -> None:
    """Fill a database, plant the pairs, and measure both lists."""
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--memories", type=int, default=100_000)
    parser.add_argument("--pairs", type=Path, default=Path("tests/data/upkeep.json"))
    arguments = parser.parse_args()
    pairs = json.loads(arguments.pairs.read_text(encoding="utf-8"))
    planted = {kind: [pair for pair in pairs if pair["kind"] == kind] for kind in ("restated", "contradiction")}
    both = [text for each in planted.values() for pair in each for text in (pair["first"], pair["second"])]
    statements = list(dict.fromkeys(both))
    random.Random(1).shuffle(statements)
    with tempfile.TemporaryDirectory() as directory:
        os.chmod(directory, 0o711)  # under root, the server runs as another user, who needs access
        server = EmbeddedServer(Path(directory))
        urls = server.acquire()
        await upgrade(urls.owner)
        await fill(urls.admin, texts(arguments.memories))
        async with CognitiveLayer.open(urls.app) as layer:
            await layer.remember(AGENT, [NewMemory(type="fact", content=text) for text in statements])
            for name, kind in (("duplicates", "restated"), ("contradictions", "contradiction")):
                wanted = {frozenset((pair["first"], pair["second"])) for pair in planted[kind]}
                fresh = {
                    frozenset((pair["first"], pair["second"])) for pair in planted[kind] if pair["half"] == "fresh"
                }
                await measure(name, getattr(layer.upkeep, name), wanted, fresh, _groups(planted[kind]))
        server.release()


if __name__ == "__main__":
    asyncio.run(main())
