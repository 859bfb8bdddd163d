"""Measure what HTTP adds to `pre_turn`: the same turns in process and over loopback, alternating in one run."""

from __future__ import annotations

import asyncio
import statistics
import sys
from time import perf_counter

from cognitive import CognitiveLayer, NewMemory, Policy, Turn
from cognitive.client import CognitiveClient
from cognitive.server.config import ServerConfig
from tests.serving import running

_AGENT, _MEMORIES, _TURNS = "bench-http", 500, 200
_TOPICS = ("crane", "harbour", "ledger", "turbine", "orchard", "cellar", "violin", "glacier", "bakery", "compass")


async def main() -> None:
    """Run the same turns in process and over HTTP, and print p50 and p95 of the times of `pre_turn` for both."""
    async with (
        CognitiveLayer.open(policy=Policy(deadline_ms=5_000)) as layer,
        running(layer, ServerConfig(port=0)) as (url, _),
        CognitiveClient.open(url, pre_turn_seconds=10) as client,
    ):
        await layer.remember(
            _AGENT,
            [
                NewMemory(
                    type="fact", content=f"The {_TOPICS[n % 10]} was inspected for the {n}th time.", source=str(n)
                )
                for n in range(_MEMORIES)
            ],
        )
        taken: dict[str, list[float]] = {"in process": [], "over HTTP": []}
        for n in range(_TURNS):
            for name, each in (("in process", layer), ("over HTTP", client)):
                text = f"When was the {_TOPICS[n % 10]} inspected, {name} {n}?"
                started = perf_counter()
                context = await each.pre_turn(Turn(agent_id=_AGENT, session_id=name, text=text))
                taken[name].append((perf_counter() - started) * 1000)
                assert not context.degraded, context.degraded
        await layer.erase_agent(_AGENT)
    for name, times in taken.items():
        p50, p95 = statistics.median(times), statistics.quantiles(times, n=20)[-1]
        sys.stdout.write(f"{name:>10}: p50 {p50:6.1f} ms, p95 {p95:6.1f} ms\n")


if __name__ == "__main__":
    asyncio.run(main())
