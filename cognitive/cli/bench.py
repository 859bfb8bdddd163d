"""`cognitive bench`: what the layer takes, on this machine, beside what nobody can do without."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from pathlib import Path
from typing import Any

import click

from cognitive.cli import printing
from cognitive.cli.answers import Answering, run
from cognitive.cli.chaos import command as chaos

_TIMES = "{p50, p95, p99, min}"


@click.group()
def command() -> None:
    """Measure: how long turns take and how that grows, and what holds when everything else breaks."""


command.add_command(chaos)


@command.command(
    cls=Answering,
    shape=f"{{sizes: [{{memories, agents, stored_per_second, turns, floor_ms: {_TIMES}, exact_floor_ms: {_TIMES}, "
    f"recall_ms: {_TIMES}, pre_turn_ms: {_TIMES}, post_turn_ms: {_TIMES}, turn_ms: {_TIMES}, stages_ms: {{…}}, "
    "peers: {…: {search_ms, store_ms, turn_ms}}, pre_turn_by_floor, pre_turn_by_exact_floor, "
    "found: {recall_at_10: {…}, recall_at_1: {…}, kinds: {…: {questions, recall_at_10: {…}, recall_at_1: {…}}}, "
    "unwanted: {…: {turns, memories}}}, degraded, resident_mb, cold_ms, database_mb}], "
    "growth: {pre_turn?, floor?, exact_floor?}}",
)
@click.argument("sizes", nargs=-1, type=click.IntRange(min=100))
@click.option("--agents", default=1, show_default=True, type=click.IntRange(min=1), help="Who share the memories.")
@click.option("--turns", default=60, show_default=True, type=click.IntRange(min=10), help="Measured of each size.")
@click.option("--peers", is_flag=True, help="The same turns through mem0 and LangGraph's store (the extra `bench`).")
@click.option("--seed", default=7, show_default=True, help="Decides what is stored and asked.")
@click.option(
    "--data", type=click.Path(path_type=Path, file_okay=False), help="Where the embedded server keeps its data."
)
@click.option("--url", help="A server's role that may create databases; default: an embedded server for the time.")
def turns(
    sizes: tuple[int, ...], agents: int, turns: int, peers: bool, seed: int, data: Path | None, url: str | None
) -> None:
    """Time whole turns at SIZES memories (default 1000 10000), as ratios to the floor of the same run.

    The floor is what no turn can do without: the message embedded, its ten nearest memories read by one statement,
    a row committed. The answer to every question is known; the share found among the first ten is told by kind of
    question beside the times, and how often memories came with small talk.
    It happens in databases of its own, which are dropped.
    """
    if any(size < agents * 20 for size in sizes or (1_000,)):
        raise click.UsageError("give every agent at least 20 memories")
    run(_turns(sizes or (1_000, 10_000), agents, turns, peers, seed, data, url), _show)


async def _turns(
    sizes: Sequence[int], agents: int, turns: int, peers: bool, seed: int, data: Path | None, url: str | None
) -> Mapping[str, Any]:
    from cognitive.bench import peers as others
    from cognitive.bench import run as bench
    from cognitive.bench.figures import growth
    from cognitive.bench.turns import Size

    told: list[dict[str, Any]] = []
    async with bench.opened(url, data) as opened:
        with others.opened(opened.peers_url if peers else None, opened.dimension) as beside:
            for size in sizes:
                with printing.progress("preparing") as moved:
                    told.append(await opened.measure(Size(size, agents, turns, seed), beside, moved))
    kinds = {"pre_turn": "pre_turn_ms", "floor": "floor_ms", "exact_floor": "exact_floor_ms"}
    slopes = {name: growth({each["memories"]: each[key]["p50"] for each in told}) for name, key in kinds.items()}
    return {"sizes": told, "growth": slopes}


def _show(told: Mapping[str, Any]) -> None:
    names = [
        "memories",
        "floor",
        "exact floor",
        "pre_turn p50",
        "p95",
        "p99",
        "by floor",
        "cold",
        "post_turn",
        "stored/s",
    ]
    printing.table(names, [_row(each) for each in told["sizes"]])
    for each in told["sizes"]:
        stages = ", ".join(f"{name} {times['p50']}" for name, times in each["stages_ms"].items())
        printing.line(f"{each['memories']:,} memories: {stages}.")
        printing.line(
            f"  {each['degraded']} degraded, {each['resident_mb']} MB resident, {each['database_mb']} MB of database."
        )
        printing.table(["p50", "search", "turn"], _searches(each))
        _show_found(each["found"])
    slopes = ", ".join(f"{name} {slope}" for name, slope in told["growth"].items() if slope is not None)
    if slopes:
        printing.line(f"Growth (slope of log time over log memories): {slopes}.")


def _row(each: Mapping[str, Any]) -> list[Any]:
    own = each["pre_turn_ms"]
    return [
        f"{each['memories']:,}", each["floor_ms"]["p50"], each["exact_floor_ms"]["p50"], *list(own.values())[:3],
        each["pre_turn_by_floor"], each["cold_ms"], each["post_turn_ms"]["p50"], each["stored_per_second"],
    ]  # fmt: skip


def _searches(each: Mapping[str, Any]) -> list[list[Any]]:
    own = ["cognitive", each["recall_ms"]["p50"], each["turn_ms"]["p50"]]
    return [own, *([name, ms["search_ms"]["p50"], ms["turn_ms"]["p50"]] for name, ms in each["peers"].items())]


def _show_found(found: Mapping[str, Any]) -> None:
    """A row per kind, then all of them; then what came with small talk."""
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
