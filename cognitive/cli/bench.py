"""`cognitive bench`: measure how long turns take on this machine and on the user's database server."""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from pathlib import Path
from typing import Any, TypeVar

import click

from cognitive.cli import printing
from cognitive.cli.answers import JsonCommand, SuggestingGroup, run

TIMES = "{p50, p95, p99, min}"
SHAPE = (
    f"memories, agents, stored_per_second, turns, floor_ms: {TIMES}, exact_floor_ms: {TIMES}, recall_ms: {TIMES}, "
    f"pre_turn_ms: {TIMES}, post_turn_ms: {TIMES}, turn_ms: {TIMES}, stages_ms: {{…}}, pre_turn_by_floor, "
    "pre_turn_by_exact_floor, degraded, resident_mb, cold_ms, database_mb"
)
Command = TypeVar("Command", bound=Callable[..., Any])


@click.group(cls=SuggestingGroup)
def command() -> None:
    """Measure how long turns take, and how that grows with the number of memories."""


def options(function: Command) -> Command:
    """Add the arguments and options that all benchmarks share to a command's function."""
    for add in reversed(
        (
            click.argument("sizes", nargs=-1, type=click.IntRange(min=100)),
            click.option(
                "--agents",
                default=1,
                show_default=True,
                type=click.IntRange(min=1),
                help="Number of agents that share the memories.",
            ),
            click.option(
                "--turns",
                default=60,
                show_default=True,
                type=click.IntRange(min=10),
                help="Number of timed turns per size.",
            ),
            click.option("--seed", default=7, show_default=True, help="Seed of the generated memories and questions."),
            click.option(
                "--data",
                type=click.Path(path_type=Path, file_okay=False),
                help="Data directory of the embedded server.",
            ),
            click.option(
                "--url", help="URL of a role that may create databases; default: a temporary embedded server."
            ),
        )
    ):
        function = add(function)
    return function


def checked(sizes: tuple[int, ...], agents: int) -> tuple[int, ...]:
    """Return the numbers of memories to measure, by default 1,000 and 10,000.

    Raises UsageError if one of them leaves an agent fewer than 20 memories.
    """
    chosen = sizes or (1_000, 10_000)
    if any(size < agents * 20 for size in chosen):
        raise click.UsageError("every agent needs at least 20 memories; raise SIZES or lower --agents")
    return chosen


@command.command(cls=JsonCommand, shape=f"{{sizes: [{{{SHAPE}}}], growth: {{pre_turn?, floor?, exact_floor?}}}}")
@options
def turns(sizes: tuple[int, ...], agents: int, turns: int, seed: int, data: Path | None, url: str | None) -> None:
    """Time whole turns at SIZES memories (default 1000 10000), and compare them with the floor.

    The floor is the least that a turn could do: embed one message, query its ten nearest memories, and commit one row.
    The memories are generated, and their temporary databases are dropped afterwards.
    """
    run(_turns(checked(sizes, agents), agents, turns, seed, data, url), _show)


async def _turns(
    sizes: Sequence[int], agents: int, turns: int, seed: int, data: Path | None, url: str | None
) -> Mapping[str, Any]:
    from cognitive.bench.figures import growths
    from cognitive.bench.turns import timed_turns
    from cognitive.bench.workload import WorkloadSize

    with printing.progress("preparing") as advance:
        figures = await timed_turns(url, data, [WorkloadSize(size, agents, turns, seed) for size in sizes], advance)
    return {"sizes": figures, "growth": growths(figures)}


def _show(answer: Mapping[str, Any]) -> None:
    show_times(answer["sizes"])
    show_growth(answer["growth"])


def show_times(sizes: Sequence[Mapping[str, Any]]) -> None:
    """Print the measured times as a table with a row per number of memories, then the times of each stage of a turn."""
    names = "memories|floor|exact floor|pre_turn p50|p95|p99|by floor|cold|post_turn|stored/s"
    printing.table(names.split("|"), [_row(each) for each in sizes])
    for each in sizes:
        stages = ", ".join(f"{name} {times['p50']}" for name, times in each["stages_ms"].items())
        printing.line(f"{each['memories']:,} memories: {stages}.")
        printing.line(
            f"  {each['degraded']} degraded, {each['resident_mb']} MB resident, {each['database_mb']} MB database."
        )


def _row(each: Mapping[str, Any]) -> list[Any]:
    own = each["pre_turn_ms"]
    return [
        f"{each['memories']:,}",
        each["floor_ms"]["p50"],
        each["exact_floor_ms"]["p50"],
        *list(own.values())[:3],
        each["pre_turn_by_floor"],
        each["cold_ms"],
        each["post_turn_ms"]["p50"],
        each["stored_per_second"],
    ]


def show_growth(growth: Mapping[str, float | None]) -> None:
    """Print how fast the times grow with the number of memories, if more than one number was measured."""
    slopes = ", ".join(f"{name} {slope}" for name, slope in growth.items() if slope is not None)
    if slopes:
        printing.line(f"Growth (slope of log time over log memories): {slopes}.")
