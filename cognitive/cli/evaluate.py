"""`cognitive evaluate`: what another policy would have been worth, from turns that were logged."""

from __future__ import annotations

from collections.abc import Sequence
from datetime import datetime
from pathlib import Path

import click
from rich.console import Console
from rich.progress import BarColumn, MofNCompleteColumn, Progress, TextColumn, TimeElapsedColumn
from rich.table import Table

from brain.ledger import Verdict
from cognitive import CognitiveLayer, Policy
from cognitive.cli.main import run
from cognitive.cli.moments import MOMENT, aware
from cognitive.errors import InvalidInput
from cognitive.lab.evaluate import Evaluation, evaluate
from cognitive.lab.evidence import Case, logged, never_answered

console = Console()
LAST = click.option(
    "--last", default=1_000, show_default=True, type=click.IntRange(min=1), help="At most so many turns, the latest."
)
COLUMNS = (TextColumn("{task.description}"), BarColumn(), MofNCompleteColumn(), TimeElapsedColumn())


@click.command()
@click.option(
    "--policy", "file", required=True, type=click.Path(path_type=Path, exists=True, dir_okay=False), help="A TOML file."
)
@click.option("--agent", default="demo", show_default=True, help="Whose turns.")
@click.option("--since", type=MOMENT, help="Turns from then on: a day (UTC), or a time with offset.")
@click.option("--until", type=MOMENT, help="Turns before then.")
@LAST
def command(file: Path, agent: str, since: datetime | None, until: datetime | None, last: int) -> None:
    """Estimate what a policy would have been worth: used memories per turn, by three estimators, with intervals.

    It refuses where the log cannot tell, and says why; the figures then prove nothing.
    """
    run(_evaluate(file, agent, aware(since), aware(until), last))


async def _evaluate(file: Path, agent: str, since: datetime | None, until: datetime | None, last: int) -> None:
    policy = Policy.load(file)
    cases, history = await read(agent, since, until, last)
    with Progress(*COLUMNS, console=Console(stderr=True), transient=True) as progress:
        turns = [logged(case, policy, history) for case in progress.track(cases, description="replaying")]
    show(evaluate(turns))
    show_unanswered(never_answered(cases, policy))


async def read(
    agent: str, since: datetime | None, until: datetime | None, last: int
) -> tuple[list[Case], list[Verdict]]:
    """The recorded turns of a time that can be evidence, of the last so many: all that they found is held in memory.

    Raises:
        InvalidInput: there is none.
    """
    async with CognitiveLayer.open() as layer:
        recorded = await layer.turn_ids(agent, since, until)
        turn_ids = recorded[-last:]
        with Progress(*COLUMNS, console=Console(stderr=True), transient=True) as progress:
            task = progress.add_task("reading turns", total=len(turn_ids))
            cases, history = await layer.questions.cases(
                agent, turn_ids, lambda done, total: progress.update(task, completed=done, total=total)
            )
    if len(turn_ids) < len(recorded):
        console.print(f"the latest {len(turn_ids)} of {len(recorded)} turns are read; --last reads more", style="dim")
    if not cases:
        raise InvalidInput(f"agent {agent!r} has no completed turn that could be replayed, of {len(turn_ids)} turns")
    console.print(f"{len(cases)} of {len(turn_ids)} turns are completed and come out as they were", style="dim")
    return cases, history


def show(told: Evaluation) -> None:
    """An evaluation as a table, and the refusal if there is one."""
    table = Table("estimate", "used per turn", "share of the shown", "gain in used per turn", box=None)
    rows = (("inverse propensities", told.ips), ("self-normalised", told.snips), ("doubly robust", told.doubly_robust))
    for name, worth in rows:
        table.add_row(name, str(worth.used), str(worth.share), str(worth.gain))
    console.print(table)
    spent = f"shown per turn {told.logged_shown:.2f} → {told.shown:.2f}"
    spent += f", tokens {told.logged_tokens:.0f} → {told.tokens:.0f}, used as it was {told.logged}"
    console.print(f"{spent}; {told.turns} turns, {told.effective:.0f} as evidence on what differs", highlight=False)
    if told.uncompared:
        console.print(f"{told.uncompared} showings would be of memories that were not compared with the conversation")
    if told.refusal:
        console.print(f"It cannot be told: {told.refusal}.", style="bold yellow", highlight=False)


def show_unanswered(names: Sequence[str]) -> None:
    """Tunables of a policy that the figures say nothing of."""
    if names:
        why = "no turn has a record of what it would have found or measured under their values"
        console.print(f"Not answered: {', '.join(names)}; {why}.", highlight=False)
