"""`cognitive replay`: recorded turns, run again."""

from __future__ import annotations

import sys
from collections import Counter
from collections.abc import Sequence
from datetime import datetime
from pathlib import Path

import click
from rich.console import Console
from rich.progress import BarColumn, MofNCompleteColumn, Progress, TextColumn, TimeElapsedColumn
from rich.table import Table
from rich.text import Text

from cognitive import CognitiveLayer, Policy
from cognitive.cli.evaluate import show_unanswered
from cognitive.cli.main import run
from cognitive.cli.moments import MOMENT, aware
from cognitive.questions import Replay

console = Console()
_NO_STAGES = "without stages"  # heartbeats, and turns whose memory failed


@click.command()
@click.argument("turn_ids", nargs=-1)
@click.option("--agent", default="demo", show_default=True, help="Whose turns.")
@click.option("--since", type=MOMENT, help="Turns from then on: a day (UTC), or a time with offset.")
@click.option("--until", type=MOMENT, help="Turns before then.")
@click.option(
    "--policy", "file", type=click.Path(path_type=Path, exists=True, dir_okay=False), help="Run them under this policy."
)
def command(
    turn_ids: tuple[str, ...], agent: str, since: datetime | None, until: datetime | None, file: Path | None
) -> None:
    """Run TURN_IDS again, or all turns of a time, and compare what comes out with what was shown, byte for byte.

    Under another policy the difference is printed: which memories would have entered and left the prompt, tokens, and
    how many would have been used (an estimate where a memory was not shown). Exits with 1 if a turn came out different
    though nothing has changed since.
    """
    run(_replay(agent, turn_ids, aware(since), aware(until), Policy.load(file) if file else None))


async def _replay(
    agent: str, turn_ids: Sequence[str], since: datetime | None, until: datetime | None, policy: Policy | None
) -> None:
    async with CognitiveLayer.open() as layer:
        turns = turn_ids or await layer.turn_ids(agent, since, until)
        replays: list[Replay] = []
        columns = (TextColumn("replaying"), BarColumn(), MofNCompleteColumn(), TimeElapsedColumn())
        with Progress(*columns, console=Console(stderr=True), transient=True) as progress:
            for turn_id in progress.track(turns):
                replay = await layer.replay(agent, turn_id, policy)
                replays += [replay] if replay is not None else []
    if policy is None:
        _compared(replays, len(turns))
    else:
        _differing(replays)
    if any(replay.verdict == "different" for replay in replays):
        sys.exit(1)


def _compared(replays: Sequence[Replay], turns: int) -> None:
    """The turns that did not come out the same, and a line that sums up."""
    for replay in replays:
        if replay.verdict != "identical":
            console.print(f"{replay.verdict}: {replay.turn_id}: {replay.because}", markup=False, highlight=False)
    counts = Counter(replay.verdict for replay in replays)
    summary = [f"{counts['identical']} identical", f"{counts['changed since']} changed since"]
    summary += [f"{counts['different']} different"]
    summary += [f"{turns - len(replays)} {_NO_STAGES}"] if turns > len(replays) else []
    console.print(", ".join(summary), style="bold", highlight=False)


def _differing(replays: Sequence[Replay]) -> None:
    """What another policy would have shown, turn by turn, and in all."""
    table = Table("turn", "entered", "left", "moved", "tokens", "used (est.)", "not compared", "message", box=None)
    for replay in replays:
        change = replay.difference
        if change.none and replay.verdict != "changed since":
            continue
        table.add_row(
            replay.turn_id, str(len(change.entered)), str(len(change.left)), str(len(change.moved)),
            f"{change.tokens[0]} → {change.tokens[1]}", f"{change.use[0]:.1f} → {change.use[1]:.1f}",
            str(len(change.uncompared) or ""), Text(replay.message[:50]),
        )  # fmt: skip
    console.print(table)
    tokens, use = ([sum(each) for each in zip(*pairs, strict=True)] for pairs in (
        [replay.difference.tokens for replay in replays] or [(0, 0)],
        [replay.difference.use for replay in replays] or [(0.0, 0.0)],
    ))  # fmt: skip
    same = sum(replay.difference.none for replay in replays)
    console.print(
        f"{same} of {len(replays)} turns show the same; tokens {tokens[0]} → {tokens[1]},"
        f" memories used {use[0]:.1f} → {use[1]:.1f} (an estimate)", style="bold", highlight=False,
    )  # fmt: skip
    show_unanswered(sorted(frozenset[str]().union(*(replay.unanswered for replay in replays))))
