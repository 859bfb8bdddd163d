"""`cognitive tune`: a better policy, searched on recorded turns, judged on later ones, and left for somebody to use."""

from __future__ import annotations

from datetime import datetime
from pathlib import Path

import click
from rich.console import Console
from rich.progress import Progress
from rich.table import Table

from cognitive import Policy
from cognitive.bootstrap import live_policy
from cognitive.cli.evaluate import COLUMNS, LAST, console, read, show, show_unanswered
from cognitive.cli.main import run
from cognitive.cli.moments import MOMENT, aware
from cognitive.errors import PolicyError
from cognitive.lab.evidence import never_answered
from cognitive.lab.tune import SPACE, Tuning, answerable, as_evidence, as_toml, tune


def _new(_context: click.Context, _option: click.Parameter, path: Path) -> Path:
    """A search ends with a file that nobody reads yet: what is there may be a policy that is live."""
    if path.exists():
        raise click.BadParameter(f"{str(path)!r} exists already; a policy is written to a new file")
    return path


@click.command()
@click.option("--agent", default="demo", show_default=True, help="Whose turns.")
@click.option("--since", type=MOMENT, help="Turns from then on: a day (UTC), or a time with offset.")
@click.option("--until", type=MOMENT, help="Turns before then.")
@LAST
@click.option(
    "--policy",
    "file",
    type=click.Path(path_type=Path, exists=True, dir_okay=False),
    help="Start from this policy; without it, from the live one.",
)
@click.option(
    "--out", default="policy.toml", show_default=True, type=click.Path(path_type=Path), callback=_new,
    help="A file that is not there yet.",
)  # fmt: skip
def command(
    agent: str, since: datetime | None, until: datetime | None, last: int, file: Path | None, out: Path
) -> None:
    """Search floors, limits, weights, half-life and threshold on the earlier 70 % of the turns, and judge on the rest.

    The policy found is written to a new file and takes effect only when COGNITIVE_POLICY names it. Nothing is written
    where the held-out turns cannot tell that it gains anything.
    """
    run(_tune(agent, aware(since), aware(until), last, file, out))


async def _tune(
    agent: str, since: datetime | None, until: datetime | None, last: int, file: Path | None, out: Path
) -> None:
    policy = Policy.load(file) if file else live_policy()
    cases, history = await read(agent, since, until, last)
    space = answerable(SPACE, cases, policy)
    trials = sum(len([value for value in row.values if value != row.of(policy)]) for row in space)
    with Progress(*COLUMNS, console=Console(stderr=True), transient=True) as progress:
        task = progress.add_task("searching", total=trials)

        def tried(name: str, value: object, score: float) -> None:
            progress.update(task, advance=1, description=f"{name} {value}: {score:.3f}")

        tuning = tune(cases, policy, as_evidence(history), space=space, tried=tried)
    _show(tuning)
    show_unanswered(never_answered(cases, tuning.policy))
    _keep(tuning, out)


def _keep(tuning: Tuning, out: Path) -> None:
    if not tuning.proven:
        console.print("Nothing is written: the held-out turns do not tell that this policy is better.", style="bold")
        return
    try:
        with out.open("x", encoding="utf-8") as file:
            file.write(as_toml(tuning.policy))
    except OSError as error:
        raise PolicyError(f"cannot write the policy to {str(out)!r}: {error.strerror}") from error
    console.print(f"Written to {out}; it takes effect when COGNITIVE_POLICY names it.", style="bold", highlight=False)


def _show(tuning: Tuning) -> None:
    table = Table("tunable", "now", "found", f"score on {tuning.training} turns", box=None)
    for step in tuning.steps:
        found = str(step.after) if step.after != step.before else "as it is"
        table.add_row(step.name, str(step.before), found, f"{step.score:.3f}")
    console.print(table)
    told = f"On {tuning.held_out.turns} held-out turns the score gains {tuning.gain}:"
    console.print(told, style="bold", highlight=False)
    show(tuning.held_out)
