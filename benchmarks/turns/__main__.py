"""Time whole turns at given sizes: `python -m benchmarks.turns`.

In the same run, it times the least possible work of a turn (the floor) and other memory systems (peers).
"""

from __future__ import annotations

import asyncio
from collections.abc import Mapping, Sequence
from contextlib import AsyncExitStack
from pathlib import Path
from typing import Any

import click

from benchmarks.turns import peers as others
from benchmarks.turns.comparison import PeerComparison
from benchmarks.turns.data import make_stock
from brain.embedding.minilm import MiniLM
from brain.postgres.migrate import upgrade
from cognitive.bench import databases
from cognitive.bench.figures import growths
from cognitive.bench.turns import DEADLINE_MS, WARMING, measure
from cognitive.bench.workload import WorkloadSize
from cognitive.cli import printing
from cognitive.cli.answers import JsonCommand, run
from cognitive.cli.bench import SHAPE, TIMES, checked, options, show_growth, show_times
from cognitive.policy import Policy

_FOUND = "{recall_at_10: {…}, recall_at_1: {…}, kinds: {…: {questions, recall_at_10: {…}, recall_at_1: {…}}}, "


@click.command(
    cls=JsonCommand,
    shape=f"{{sizes: [{{{SHAPE}, peers: {{…: {{search_ms, store_ms, turn_ms}}: {TIMES}}}, "
    f"found: {_FOUND}unwanted: {{…: {{turns, memories}}}}}}}}], growth: {{pre_turn?, floor?, exact_floor?}}}}",
)
@options
@click.option("--peers", is_flag=True, help="The same turns through mem0 and LangGraph's store (group `peers`).")
def main(
    sizes: tuple[int, ...], agents: int, turns: int, seed: int, data: Path | None, url: str | None, peers: bool
) -> None:
    """Time whole turns at SIZES memories (default 1000 10000), beside the floor of the same run.

    The floor is the work that no turn can avoid: embed the message, read its ten nearest memories with one statement,
    commit a row. The answer to every question is known; the share found among the first ten is reported by kind of
    question, and how often memories were shown for small talk. Runs in temporary databases.
    """
    run(_measured(checked(sizes, agents), agents, turns, seed, data, url, peers), _show)


async def _measured(
    sizes: Sequence[int], agents: int, turns: int, seed: int, data: Path | None, url: str | None, peers: bool
) -> Mapping[str, Any]:
    real = await asyncio.to_thread(MiniLM)
    # peers store every exchange as memories; beside them, so does this layer
    policy = Policy(deadline_ms=DEADLINE_MS, capture="exchange" if peers else "off")
    told: list[dict[str, Any]] = []
    async with AsyncExitStack() as stack:
        server = await stack.enter_async_context(databases.server(url, data))
        own = await stack.enter_async_context(databases.database(server))
        beside = await stack.enter_async_context(others.opened(server, real.dimension)) if peers else (own, [])
        await upgrade(own)
        for memories in sizes:
            size, comparison = WorkloadSize(memories, agents, turns, seed), PeerComparison(beside[1], beside[0])
            work = make_stock(turns + WARMING, size.each, seed, agents).workload(size)
            with printing.progress("preparing") as moved:
                found = await measure(own, real, size, work, policy, moved, comparison)
            told.append(found | comparison.as_json())
    return {"sizes": told, "growth": growths(told)}


def _show(told: Mapping[str, Any]) -> None:
    show_times(told["sizes"])
    for each in told["sizes"]:
        printing.line(f"{each['memories']:,} memories:")
        printing.table(["p50", "search", "turn"], _searches(each))
        _show_found(each["found"])
    show_growth(told["growth"])


def _searches(each: Mapping[str, Any]) -> list[list[Any]]:
    own = ["cognitive", each["recall_ms"]["p50"], each["turn_ms"]["p50"]]
    return [own, *([name, ms["search_ms"]["p50"], ms["turn_ms"]["p50"]] for name, ms in each["peers"].items())]


def _show_found(found: Mapping[str, Any]) -> None:
    """Print the shares of answers found: a row for each kind of question, one for all, and one for small talk."""
    names = list(found["recall_at_10"])
    kinds = [
        [
            kind,
            each["questions"],
            *(f"{each['recall_at_10'][name]:.2f} / {each['recall_at_1'][name]:.2f}" for name in names),
        ]
        for kind, each in found["kinds"].items()
    ]
    whole = [f"{found['recall_at_10'][name]:.2f} / {found['recall_at_1'][name]:.2f}" for name in names]
    printing.line("Found among the first ten / first:")
    printing.table(["kind", "questions", *names], [*kinds, ["all", "", *whole]])
    unwanted = ", ".join(f"{name} {each['memories']}" for name, each in found["unwanted"].items())
    if unwanted:
        printing.line(f"Memories per turn of small talk, where none is wanted: {unwanted}.")


if __name__ == "__main__":
    main(prog_name="python -m benchmarks.turns")
