"""Time a change of embedding model from WordLlama to the default, and its effect on turns.

    python -m benchmarks.reembed --memories 10000

The agent is on a separate embedded server. Its memories are embedded again by the command `cognitive db reembed` in a
separate process (the worker), first at half load, then at full load. Meanwhile turns run one after another.
"""

from __future__ import annotations

import argparse
import asyncio
import os
import random
import signal
import statistics
import sys
import tempfile
from pathlib import Path
from time import perf_counter

from brain.embedded import EmbeddedServer
from brain.embedding.minilm import MiniLM
from brain.embedding.wordllama import WordLlama
from brain.postgres.migrate import upgrade
from cognitive import CognitiveLayer, NewMemory, Policy, Turn

CHECKOUT = Path(__file__).parents[1]
LINES = (CHECKOUT / "tests" / "data" / "boatyard.txt").read_text(encoding="utf-8").splitlines()
AGENT = "bench"


def say(line: str) -> None:
    """Print a line at once, without buffering."""
    sys.stdout.write(line + "\n")
    sys.stdout.flush()


def memories(n: int) -> list[NewMemory]:
    """Return `n` memories from a set of lines, varied by number, place and day so that no two are equal."""
    chosen, said = random.Random(8), [line for line in LINES if not line.startswith("? ")]
    return [
        NewMemory(type="episode", content=f"{chosen.choice(said)} Noted as number {k} on day {k % 365}.", source=str(k))
        for k in range(n)
    ]


async def turns(layer: CognitiveLayer, many: int) -> list[float]:
    """Run `many` turns one after another and return their durations in milliseconds."""
    asked, took = [line[2:] for line in LINES if line.startswith("? ")], []
    for n in range(many):
        turn = Turn(agent_id=AGENT, session_id=f"s{n}", text=f"{asked[n % len(asked)]} {n}")
        began = perf_counter()
        await layer.pre_turn(turn)
        took.append((perf_counter() - began) * 1000)
        await asyncio.sleep(0.02)
    return took


async def worker(url: str, *arguments: str) -> asyncio.subprocess.Process:
    """Start `cognitive db reembed` on the database in a separate process."""
    environment = {
        **os.environ,
        "PYTHONPATH": os.pathsep.join([str(CHECKOUT), *filter(None, sys.path)]),
        "COGNITIVE_DATABASE_URL": url,
        "COGNITIVE_EMBEDDING_MODELS": "wordllama",
    }
    command = (sys.executable, "-m", "cognitive.cli.entry", "db", "reembed", "--agent", AGENT, "--to", "minilm")
    return await asyncio.create_subprocess_exec(
        *command, *arguments, env=environment, stdout=asyncio.subprocess.DEVNULL
    )


async def lacking(layer: CognitiveLayer) -> int:
    """Return the number of memories without vectors of the new model, or -1 before the change has begun."""
    standings = await layer.admin.reembedding.list_models(AGENT)
    return next((each.lacking for each in standings if each.model == MiniLM.model), -1)


async def stretch(layer: CognitiveLayer, url: str, load: float, turns_: int) -> None:
    """Run the re-embedding worker at the load `load` during `turns_` turns, then kill it.

    Prints the worker's rate and the turns' latency.
    """
    process = await worker(url, "--load", str(load))
    before = await lacking(layer)
    while (now := await lacking(layer)) in (before, -1):  # noqa: ASYNC110 - it has started when the first batch is there
        await asyncio.sleep(0.2)
    began = perf_counter()
    took = await turns(layer, turns_)
    seconds, left = perf_counter() - began, await lacking(layer)
    process.send_signal(signal.SIGKILL)
    await process.wait()
    rate = (now - left) / seconds
    say(f"load {load}: {rate:.0f} memories/s beside turns, 10,000 in {10_000 / max(rate, 1e-9):.0f} s; {told(took)}")


def told(took: list[float]) -> str:
    """Return the median and 95th percentile of the durations of turns as a text."""
    ordered = sorted(took)
    return (
        f"pre_turn p50 {statistics.median(took):.1f} ms, p95 {ordered[int(len(ordered) * 0.95)]:.1f} ms ({len(took)})"
    )


async def report(n: int, turns_: int) -> None:
    """Measure a change of the embedding model for `n` memories, on a separate embedded server."""
    with tempfile.TemporaryDirectory(prefix="cognitive-bench-") as directory:
        os.chmod(directory, 0o711)  # for root: the server runs as another user, who must reach the folder
        server = EmbeddedServer(Path(directory))
        urls = server.acquire()
        try:
            await upgrade(urls.owner)
            policy, models = Policy(deadline_ms=5_000), (WordLlama(), MiniLM())
            async with CognitiveLayer.open(urls.app, policy=policy, embedder=models) as layer:
                await measured(layer, urls.app, n, turns_)
        finally:
            server.release()


async def measured(layer: CognitiveLayer, url: str, n: int, turns_: int) -> None:
    """Embed all memories with the new model, switch to it and drop the old vectors, while turns run.

    Prints the durations.
    """
    await layer.remember(AGENT, memories(n))
    say(f"{n} memories; alone: {told(await turns(layer, turns_))}")
    await layer.admin.reembedding.begin(AGENT, MiniLM.model)
    await stretch(layer, url, 0.5, turns_)
    await stretch(layer, url, 1.0, turns_)
    left, began = await lacking(layer), perf_counter()
    await (await worker(url, "--load", "1")).wait()
    seconds = perf_counter() - began
    say(f"the other {left} at load 1 with nothing beside: {seconds:.0f} s, 10,000 in {seconds / left * 10_000:.0f} s")
    began = perf_counter()
    await layer.admin.reembedding.cut_over(AGENT, MiniLM.model)
    say(f"cut-over {(perf_counter() - began) * 1000:.0f} ms; {told(await turns(layer, turns_))}")
    began = perf_counter()
    dropped = await layer.admin.reembedding.drop(AGENT, WordLlama.model)
    say(f"dropped {dropped.embeddings} vectors in {perf_counter() - began:.1f} s")


def main() -> None:
    """Parse the command line and time a change of the embedding model."""
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--memories", type=int, default=10_000)
    parser.add_argument("--turns", type=int, default=200)
    given = parser.parse_args()
    asyncio.run(report(given.memories, given.turns))


if __name__ == "__main__":
    main()
