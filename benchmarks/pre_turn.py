"""Time `pre_turn` by stage for agents of several sizes, as ratios to the floor of the same run.

    python -m benchmarks.pre_turn 1000 10000 100000

The floor is the work that no pre-turn can avoid: one embedding of the message and one plain pgvector query for the ten
nearest memories. Stored vectors are random, which does not change the time; messages are embedded by the real model.
Memories are written through `remember`, whose rate is reported too. Prints one JSON object per size.
"""

from __future__ import annotations

import argparse
import asyncio
import json
import random
import statistics
import sys
import tempfile
from collections.abc import Sequence
from datetime import UTC, datetime, timedelta
from pathlib import Path
from time import perf_counter
from typing import Any

import asyncpg
import numpy as np

from brain.embedded import EmbeddedServer, ServerUrls
from brain.embedding.minilm import MiniLM
from brain.postgres.migrate import upgrade
from brain.postgres.wire_types import encode_halfvec
from brain.types import Vectors
from cognitive import CognitiveLayer, Message, NewMemory, Outcome, Policy, Turn

WORDS = Path(__file__).read_text(encoding="utf-8").lower().split() + [f"topic{n}" for n in range(4000)]
START = datetime(2026, 1, 1, tzinfo=UTC)
TURNS = 60


class StoredAtRandom:
    """An embedder that uses the real model for few texts (messages).

    For many texts at a time (memories), it returns random unit vectors.
    """

    model = MiniLM.model
    dimension = MiniLM.dimension

    def __init__(self) -> None:
        self._real = MiniLM()
        self._random = np.random.default_rng(7)

    def embed(self, texts: Sequence[str]) -> Vectors:
        """Return unit vectors of shape (len(texts), dimension)."""
        if len(texts) <= 32:
            return self._real.embed(texts)
        vectors = self._random.standard_normal((len(texts), self.dimension)).astype(np.float32)
        found: Vectors = vectors / np.linalg.norm(vectors, axis=1, keepdims=True)
        return found


def memories(size: int) -> list[NewMemory]:
    """Return `size` lines of conversation as memories, in sessions of 25.

    A tenth are decisions, facts and procedures.
    """
    chance = random.Random(size)
    lines, before = [], ""
    for n in range(size):
        text = " ".join(chance.choices(WORDS, k=chance.randint(8, 30)))
        kind = chance.choices(("episode", "fact", "decision", "procedure"), (90, 5, 3, 2))[0]
        spoken = kind == "episode"
        lines.append(
            NewMemory(
                type=kind,
                content=text,
                speaker=chance.choice(("Ines", "Tomasz")) if spoken else None,
                context=before if spoken else "",
                session_id=f"s{n // 25}" if spoken else None,
                occurred_at=START + timedelta(minutes=n),
                source=str(n),
            )
        )
        before = text
    return lines


def percentiles(values: list[float]) -> dict[str, float]:
    """Return p50, p95 and the minimum of times in milliseconds."""
    ordered = sorted(values)
    return {
        "p50": round(statistics.median(ordered), 2),
        "p95": round(ordered[int(len(ordered) * 0.95)], 2),
        "min": round(ordered[0], 2),
    }


async def floor(urls: ServerUrls, agent: str, embedder: StoredAtRandom, messages: list[str]) -> list[float]:
    """Time the work that no `pre_turn` can avoid (embedding and one query), and return the milliseconds per message."""
    connection = await asyncpg.connect(urls.app)
    await connection.set_type_codec("halfvec", schema="public", encoder=bytes, decoder=bytes, format="binary")
    nearest = await connection.prepare(
        "SELECT memory_id FROM cognitive.embedding WHERE agent_id = $1 AND field = 'content'"
        " ORDER BY embedding <=> $2 LIMIT 10"
    )
    took = []
    async with connection.transaction():
        await connection.execute("SELECT set_config('cognitive.agent_id', $1, true)", agent)
        for message in messages:
            start = perf_counter()
            await nearest.fetch(agent, encode_halfvec(embedder.embed([message])[0]))
            took.append((perf_counter() - start) * 1000)
    await connection.close()
    return took[5:]


async def measure(layer: CognitiveLayer, urls: ServerUrls, size: int, embedder: StoredAtRandom) -> dict[str, Any]:
    """Store `size` memories, run turns, and return the measured times and rates."""
    agent = f"bench-{size}"
    start = perf_counter()
    await layer.remember(agent, memories(size))
    rate = size / (perf_counter() - start)
    admin = await asyncpg.connect(urls.admin)
    await admin.execute("VACUUM ANALYZE")
    await admin.close()
    chance = random.Random(1)
    messages = [f"What did we say about {' and '.join(chance.sample(WORDS, 3))}, number {n}?" for n in range(TURNS)]
    talk = tuple(
        Message(role="user" if n % 2 == 0 else "assistant", content=f"We talked about point {n} of the plan.")
        for n in range(8)
    )
    least = await floor(urls, agent, embedder, messages)
    stages: dict[str, list[float]] = {}
    took, after, degraded = list[float](), list[float](), 0
    for n, message in enumerate(messages):
        turn = Turn(agent_id=agent, session_id="bench", text=message + " ", conversation=talk)
        start = perf_counter()
        context = await layer.pre_turn(turn)
        took.append((perf_counter() - start) * 1000)
        degraded += bool(context.degraded)
        for stage, milliseconds in context.trace.timings.items():
            stages.setdefault(stage, []).append(milliseconds)
        start = perf_counter()
        await layer.post_turn(context, Outcome(response=f"Here is the answer, number {n}."))
        after.append((perf_counter() - start) * 1000)
    whole = percentiles(took[5:])
    return {
        "memories": size,
        "remembered per second": round(rate),
        "floor ms": percentiles(least),
        "pre_turn ms": whole,
        "ratio p50": round(whole["p50"] / percentiles(least)["p50"], 1),
        "stages p50 ms": {stage: round(statistics.median(values[5:]), 2) for stage, values in stages.items()},
        "post_turn ms": percentiles(after[5:]),
        "degraded": degraded,
        "candidates": len(context.trace.candidates),
    }


async def report(directory: str, sizes: list[int]) -> None:
    """Measure `pre_turn` for each number of memories in `sizes`, and print one JSON object per number.

    The database is in `directory`.
    """
    embedder = StoredAtRandom()
    server = EmbeddedServer(Path(directory))
    urls = server.acquire()
    await upgrade(urls.owner)
    async with CognitiveLayer.open(urls.app, embedder=embedder, policy=Policy(deadline_ms=5_000)) as layer:
        for size in sizes:
            sys.stdout.write(json.dumps(await measure(layer, urls, size, embedder)) + "\n")
            sys.stdout.flush()
    server.release()


def main() -> None:
    """Parse the command line and time `pre_turn` with a database in a temporary directory."""
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("sizes", type=int, nargs="*", default=[1000, 10_000], help="memories of an agent")
    sizes = parser.parse_args().sizes
    with tempfile.TemporaryDirectory(prefix="cognitive-bench-") as place:
        Path(place).chmod(0o711)  # for root: the server runs as another user, who must reach the folder
        asyncio.run(report(place, sizes))


if __name__ == "__main__":
    main()
