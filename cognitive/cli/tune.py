"""`cognitive tune`: search for a better policy on recorded turns, test it on later turns, and write it to a file."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import TYPE_CHECKING

import click

from brain.errors import PolicyError
from cognitive.cli import printing
from cognitive.cli.answers import JsonCommand, run
from cognitive.cli.evaluate import (
    EVALUATION,
    POLICY_SOURCE,
    PolicySource,
    TurnRange,
    read,
    show,
    show_unanswerable,
    turn_range,
)
from cognitive.cli.options import FILE, new_file

if TYPE_CHECKING:
    from cognitive.lab.evaluate import Estimate, Evaluation
    from cognitive.lab.tune import SearchStep, Tuning


@dataclass(frozen=True, slots=True)
class _TuningAnswer:
    policy: PolicySource
    steps: Sequence[SearchStep]
    training: int
    gain: Estimate
    held_out: Evaluation
    proven: bool
    written: str | None
    unanswerable: Sequence[str]


@click.command(
    cls=JsonCommand,
    shape=f"{{policy: {POLICY_SOURCE}, steps: [{{name, before, after, score}}], training, "
    f"gain: {{value?, low?, high?}}, held_out: {EVALUATION}, proven, written?, unanswerable: [setting]}}",
)
@turn_range
@click.option("--policy", "file", type=FILE, help="Policy file to start from; default: the agent's live policy.")
@click.option(
    "--out",
    default="policy.toml",
    show_default=True,
    type=click.Path(path_type=Path),
    callback=new_file,
    help="New file for the policy; it must not exist.",
)
def command(turns: TurnRange, file: Path | None, out: Path) -> None:
    """Search for a better policy on recorded turns: other thresholds, limits, weights and half-life.

    The search starts from the agent's policy and uses the earlier 70 % of the turns. Its result is tested on the rest.
    The result is written to a new file, which takes effect only through COGNITIVE_POLICY. If the later turns do not
    prove a gain, nothing is written and the command exits with 3.
    """
    run(_tune(turns, file, out), _show, succeeded=lambda answer: answer.proven)


async def _tune(turns: TurnRange, file: Path | None, out: Path) -> _TuningAnswer:
    from cognitive.lab.cases import unanswerable_settings
    from cognitive.lab.tune import SPACE, answerable, as_evidence, tune

    recorded = await read(turns, file)
    policy = recorded.policy
    space = answerable(SPACE, recorded.cases, policy)
    trials = sum(len([value for value in row.values if value != row.of(policy)]) for row in space)
    done = 0
    with printing.progress("searching") as advance:

        def report(name: str, value: object, score: float) -> None:
            nonlocal done
            done += 1
            advance(done, trials, f"{name} {value}: {score:.3f}")

        tuning = tune(recorded.cases, policy, as_evidence(recorded.history), space=space, tried=report)
    written = _write(tuning, out) if tuning.proven else None
    return _TuningAnswer(
        recorded.used,
        tuning.steps,
        tuning.training,
        tuning.gain,
        tuning.held_out,
        tuning.proven,
        written,
        unanswerable_settings(recorded.cases, tuning.policy),
    )


def _write(tuning: Tuning, out: Path) -> str:
    from cognitive.lab.tune import as_toml

    try:
        with out.open("x", encoding="utf-8") as file:
            file.write(as_toml(tuning.policy))
    except OSError as error:
        raise PolicyError(f"cannot write the policy to {str(out)!r}: {error.strerror}") from error
    return str(out)


def _show(answer: _TuningAnswer) -> None:
    rows = [
        (step.name, step.before, step.after if step.after != step.before else "unchanged", f"{step.score:.3f}")
        for step in answer.steps
    ]
    printing.table(("setting", "now", "best", f"score on {answer.training} turns"), rows)
    printing.line(f"Gain of the score on {answer.held_out.turns} held-out turns: {answer.gain}", style="bold")
    show(answer.held_out)
    show_unanswerable(answer.unanswerable)
    if answer.written is None:
        printing.line("Nothing is written: the held-out turns do not prove this policy better.", style="bold")
    else:
        printing.line(f"Written to {answer.written}; it takes effect when COGNITIVE_POLICY names it.", style="bold")
        if answer.policy.chosen:
            printing.line(
                "The version activated for the agent takes precedence over the file;"
                " `cognitive policy activate --previous` deactivates it."
            )
