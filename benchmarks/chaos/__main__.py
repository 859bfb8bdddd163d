"""Break everything around the layer on a separate server and report the results: `python -m benchmarks.chaos`."""

from __future__ import annotations

import random
import sys
from collections.abc import Mapping
from typing import Any

import click

from benchmarks.chaos.run import SUITES, SuiteSize
from benchmarks.chaos.run import run as run_suites
from cognitive.cli import printing
from cognitive.cli.answers import FAILED, JsonCommand, run

_INTERRUPTED = 130  # the exit code of shells for Ctrl-C


@click.command(
    cls=JsonCommand,
    shape="{seed, share, minutes, at, machine, interrupted, broken, suites: "
    "{…: {seconds, load: […], counts: {…}, milliseconds: {…}, skipped: […], violations: {…}, broken}}}",
)
@click.option("--seed", type=int, help="Repeats the choices of a run; it is printed.")
@click.option(
    "--share",
    type=click.FloatRange(0.001, 100),
    default=1.0,
    show_default=True,
    help="Share of the full size: 0.1 is a tenth.",
)
@click.option("--minutes", type=click.FloatRange(0.5), help="That `mixed` lasts; default: an hour, or its share.")
@click.option("--only", type=click.Choice(list(SUITES)), multiple=True, help="These suites and no others.")
def main(seed: int | None, share: float, minutes: float | None, only: tuple[str, ...]) -> None:
    """Break Postgres, the network, the embedder and the clients on purpose, and check that the promises hold.

    Runs on a temporary server; your database is not touched. At full size: 10,000 turns under 19 faults, 5,000 turns
    with 40 kills of clients and servers, 10,000 concurrent outcomes for 40 memories, 20,000 fuzzed queries, and an hour
    of mixed load while faults come and go. Exits with 1 if a promise is violated, and with 130 if it was interrupted;
    the results so far are printed in any case.
    """
    chosen = seed if seed is not None else random.randrange(1 << 30)
    told: dict[str, Any] = {}
    run(_broken(chosen, share, minutes or 60 * share, only or tuple(SUITES), told), _show)
    if told["broken"]:
        sys.exit(FAILED)
    if told["interrupted"]:
        sys.exit(_INTERRUPTED)


async def _broken(
    seed: int, share: float, minutes: float, names: tuple[str, ...], told: dict[str, Any]
) -> Mapping[str, Any]:
    click.echo(f"seed {seed}", err=True)
    told |= await run_suites(seed, SuiteSize(share, minutes), names, lambda said: click.echo(said, err=True))
    return told


def _show(told: Mapping[str, Any]) -> None:
    printing.line(f"seed {told['seed']}, {told['share']:g} of the full size, {told['at']}, {told['machine']}")
    for name, suite in told["suites"].items():
        before, after = suite["load"]
        head = f"\n{name}: {suite['seconds']} s, load {before} before and {after} after"
        printing.line(head, "bold red" if suite["broken"] else "bold green")
        for what, count in suite["counts"].items():
            printing.line(f"  {count:>8}  {what}")
        for what, taken in suite["milliseconds"].items():
            printing.line(f"  {taken['n']:>8}  {what}: p50 {taken['p50']}, p99 {taken['p99']}, max {taken['max']} ms")
        for why in suite["skipped"]:
            printing.line(f"   SKIPPED  {why}", "bold yellow")
        for what, count in suite["violations"].items():
            printing.line(f"  {count:>8}  WRONG {what}", "bold red")
    if told["interrupted"]:
        printing.line("\nInterrupted: this is what there was so far.", "bold yellow")


if __name__ == "__main__":
    main(prog_name="python -m benchmarks.chaos")
