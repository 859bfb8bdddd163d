"""Time the cost of telemetry per turn in microseconds: each part on a real context, and whole turns side by side.

    python -m benchmarks.telemetry --memories 1000

Each part is also timed alone, because the times of turns vary by more than a part takes. For whole turns, two layers
take turns alternately: one with metrics, one without; both create spans. Prints one JSON object.
"""

from __future__ import annotations

import argparse
import asyncio
import json
import statistics
import sys
import tempfile
from collections.abc import Callable
from pathlib import Path
from time import perf_counter, thread_time
from typing import Any

from benchmarks.pre_turn import StoredAtRandom, memories
from brain.embedded import EmbeddedServer
from brain.postgres.migrate import upgrade
from cognitive import CognitiveLayer, Message, Outcome, Policy, Turn
from cognitive.telemetry import attributes
from cognitive.telemetry.operations import post_turn_observations, pre_turn_observations
from cognitive.telemetry.prometheus import PrometheusMetrics
from cognitive.telemetry.spans import Span
from cognitive.turn import TurnContext

TIMES = 2_000
TURNS = 100


def microseconds(work: Callable[[], object]) -> float:
    """Return the processor time of a call of `work`: the minimum of five runs, so that other load does not count."""
    runs = []
    for _ in range(5):
        start = thread_time()
        for _ in range(TIMES):
            work()
        runs.append((thread_time() - start) / TIMES * 1e6)
    return round(min(runs), 1)


def turn(n: int) -> Turn:
    """Return a turn to run, with a message that depends on `n`."""
    talk = tuple(
        Message(role="user" if k % 2 == 0 else "assistant", content=f"We talked about point {k} of the plan.")
        for k in range(8)
    )
    return Turn(
        agent_id="bench", session_id="s", text=f"What did we say about topic{n}, number {n}?", conversation=talk
    )


FIRST = turn(0)


def spans(context: TurnContext) -> None:
    """Create the OpenTelemetry spans of a usual turn with their attributes."""
    types, hits = (
        [query.type for query in context.plan.retrieval],
        [result.candidate.hit for result in context.trace.candidates],
    )
    with Span("cognitive.pre_turn", lambda: attributes.turn(FIRST)) as whole:
        with Span("cognitive.plan", lambda: {"gen_ai.agent.id": "bench"}) as plan:
            plan.add_attributes(lambda: attributes.plan(context.plan))
        with Span("embeddings model", lambda: attributes.embeddings("model", 384, 1)):
            pass
        with Span("search_memory", lambda: attributes.search("bench", types)) as search:
            search.add_attributes(lambda: attributes.search_result(hits, ("dense", "lexical")))
        whole.add_attributes(lambda: attributes.context(context), lambda: attributes.context_content(context))


async def parts(layer: CognitiveLayer) -> dict[str, float]:
    """Time each part of telemetry on a real turn's context, such as spans and metrics.

    Returns microseconds by part.
    """
    context = await layer.pre_turn(FIRST)
    outcome = Outcome(response="Here is the answer.")
    report = await layer.post_turn(context, outcome)
    metrics = PrometheusMetrics()
    told: dict[str, float] = {
        "candidates": len(context.trace.candidates),
        "observations of a turn": len(list(pre_turn_observations(context, 0.02))),
        "metrics of pre_turn": microseconds(lambda: metrics.observe(pre_turn_observations(context, 0.02))),
        "metrics of post_turn": microseconds(lambda: metrics.observe(post_turn_observations(outcome, report, 0.02))),
        "spans, OpenTelemetry not loaded": microseconds(lambda: spans(context)),
    }
    start = perf_counter()
    from opentelemetry import trace

    told["milliseconds to import opentelemetry-api"] = round((perf_counter() - start) * 1000)
    told["spans, loaded, no provider"] = microseconds(lambda: spans(context))
    from opentelemetry.sdk.trace import TracerProvider
    from opentelemetry.sdk.trace.export import BatchSpanProcessor
    from opentelemetry.sdk.trace.export.in_memory_span_exporter import InMemorySpanExporter

    provider = TracerProvider()
    provider.add_span_processor(BatchSpanProcessor(InMemorySpanExporter()))
    trace.set_tracer_provider(provider)
    told["spans, recorded and exported in batches"] = microseconds(lambda: spans(context))
    return told


async def whole(observed: CognitiveLayer, plain: CognitiveLayer) -> dict[str, float]:
    """Return the median milliseconds of `pre_turn` in two layers: `observed` has metrics, `plain` has none."""
    took: dict[str, list[float]] = {"plain": [], "observed": []}
    for n in range(TURNS):
        layers = [("plain", plain), ("observed", observed)]
        for name, layer in layers if n % 2 else reversed(layers):
            start = perf_counter()
            await layer.pre_turn(turn(n if name == "plain" else n + TURNS))
            took[name].append((perf_counter() - start) * 1000)
    return {name: round(statistics.median(values[5:]), 2) for name, values in took.items()}


async def report(directory: str, size: int) -> None:
    """Measure with a database in `directory` and `size` memories, and print all figures as one JSON object."""
    embedder = StoredAtRandom()
    server = EmbeddedServer(Path(directory))
    urls = server.acquire()
    await upgrade(urls.owner)
    policy = Policy(deadline_ms=5_000, abstention=False)
    async with (
        CognitiveLayer.open(urls.app, embedder=embedder, policy=policy) as plain,
        CognitiveLayer.open(urls.app, embedder=embedder, policy=policy, metrics=PrometheusMetrics()) as observed,
    ):
        await plain.remember("bench", memories(size))
        told: dict[str, Any] = {**await parts(plain)}
        told["pre_turn p50 ms, both with spans, one with metrics"] = await whole(observed, plain)
        sys.stdout.write(json.dumps(told, indent=1) + "\n")
    server.release()


def main() -> None:
    """Parse the command line and time telemetry, with a database in a temporary directory."""
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--memories", type=int, default=1000)
    size = parser.parse_args().memories
    with tempfile.TemporaryDirectory(prefix="cognitive-bench-") as place:
        Path(place).chmod(0o711)  # for root: the server runs as another user, who must reach the folder
        asyncio.run(report(place, size))


if __name__ == "__main__":
    main()
