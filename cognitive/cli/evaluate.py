"""`cognitive evaluate`: what another policy would have been worth, from turns that were logged."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from datetime import datetime
from pathlib import Path
from typing import TYPE_CHECKING

import click

import cognitive
from brain.errors import InvalidInput
from cognitive.cli import printing
from cognitive.cli.answers import JsonCommand, run
from cognitive.cli.options import AGENT, FILE, SINCE, UNTIL

if TYPE_CHECKING:
    from brain.turn_records import Verdict
    from cognitive.lab.evaluate import Evaluation
    from cognitive.lab.evidence import EvaluationCase

POLICY_SOURCE = "{version, source, chosen}"
MAX_TURNS = click.option(
    "--limit",
    default=1_000,
    show_default=True,
    type=click.IntRange(min=1),
    help="Maximum number of latest turns.",
)
ESTIMATE = "{value?, low?, high?}"
WORTH = f"{{used: {ESTIMATE}, share: {ESTIMATE}, gain: {ESTIMATE}}}"
EVALUATION = (
    "{turns, effective, uses, unsupported, shown, logged_shown, tokens, logged_tokens, "
    f"logged: {ESTIMATE}, ips: {WORTH}, snips: {WORTH}, doubly_robust: {WORTH}, refusal?, uncompared}}"
)


@dataclass(frozen=True, slots=True)
class PolicySource:
    """A policy by its version, and where it comes from; `chosen` says that it was, over the operator's file."""

    version: str
    source: str
    chosen: bool = False


@dataclass(frozen=True, slots=True)
class RecordedTurns:
    """What recorded turns say, and the policy that is asked about: turns that can be replayed, of how many that were
    read, of how many there are.
    """

    policy: cognitive.Policy
    used: PolicySource
    cases: list[EvaluationCase]
    history: list[Verdict]
    read: int
    recorded: int


@dataclass(frozen=True, slots=True)
class _EvaluationAnswer:
    policy: PolicySource
    evaluation: Evaluation
    unanswerable: Sequence[str]


@click.command(cls=JsonCommand, shape=f"{{policy: {POLICY_SOURCE}, evaluation: {EVALUATION}, unanswerable: [setting]}}")
@click.option("--policy", "file", type=FILE, help="Policy file; default: the agent's live policy.")
@AGENT
@SINCE
@UNTIL
@MAX_TURNS
def command(file: Path | None, agent: str, since: datetime | None, until: datetime | None, limit: int) -> None:
    """Estimate the worth of a policy: used memories per turn, by three estimators with intervals.

    If the log cannot support an answer, give the reason and exit with 3.
    """
    run(_evaluate(file, agent, since, until, limit), _show, succeeded=lambda told: told.evaluation.refusal is None)


async def _evaluate(
    file: Path | None, agent: str, since: datetime | None, until: datetime | None, limit: int
) -> _EvaluationAnswer:
    from cognitive.lab.evaluate import evaluate
    from cognitive.lab.evidence import to_logged_turn, unanswerable_settings

    found = await read(agent, since, until, limit, file)
    turns = []
    with printing.progress("replaying") as moved:
        for done, case in enumerate(found.cases, 1):
            turns.append(to_logged_turn(case, found.policy, found.history))
            moved(done, len(found.cases))
    return _EvaluationAnswer(found.used, evaluate(turns), unanswerable_settings(found.cases, found.policy))


async def read(
    agent: str, since: datetime | None, until: datetime | None, limit: int, file: Path | None
) -> RecordedTurns:
    """A file's policy, or what holds for the agent, and the recorded turns of a time that can be evidence on it, of the
    last so many: all that they found is held in memory.

    Raises:
        InvalidInput: there is none.
    """
    async with cognitive.CognitiveLayer.open() as layer:
        policy, used = await load_policy(layer, agent, file)
        recorded = await layer.explain.turn_ids(agent, since, until)
        turn_ids = recorded[-limit:]
        with printing.progress("reading turns") as moved:
            cases, history = await layer.explain.evaluation_cases(agent, turn_ids, moved)
    if len(turn_ids) < len(recorded):
        printing.note(f"the latest {len(turn_ids)} of {len(recorded)} turns are read; --limit reads more")
    if not cases:
        raise InvalidInput(f"agent {agent!r} has no completed turn that could be replayed, of {len(turn_ids)} turns")
    printing.note(f"{len(cases)} of {len(turn_ids)} turns are completed and come out as they were")
    return RecordedTurns(policy, used, cases, history, len(turn_ids), len(recorded))


async def load_policy(
    layer: cognitive.CognitiveLayer, agent: str, file: Path | None
) -> tuple[cognitive.Policy, PolicySource]:
    """An agent's policy, of a file or without one what holds, and what to call it, which a note says as well.

    Raises:
        PolicyError: the file does not hold a policy.
    """
    policy, used = await _held(layer, agent) if file is None else _named(agent, file)
    printing.note(f"policy {used.version}: {used.source}")
    return policy, used


def _named(agent: str, file: Path) -> tuple[cognitive.Policy, PolicySource]:
    policy = cognitive.Policy.load(file).for_agent(agent)
    return policy, PolicySource(policy.version, f"of the file {file}")


async def _held(layer: cognitive.CognitiveLayer, agent: str) -> tuple[cognitive.Policy, PolicySource]:
    standing = await layer.policies.effective(agent)
    choice, live = standing.activations.get("live"), standing.live
    if choice is None or choice.version is None:
        return live, PolicySource(live.version, "the operator's own, which holds for the agent")
    return live, PolicySource(live.version, f"holds for the agent since {choice.author} chose it", chosen=True)


def _show(told: _EvaluationAnswer) -> None:
    show(told.evaluation)
    show_unanswerable(told.unanswerable)


def show(told: Evaluation) -> None:
    """An evaluation as a table, and the refusal if there is one."""
    worths = (
        ("inverse propensities", told.ips),
        ("self-normalised", told.snips),
        ("doubly robust", told.doubly_robust),
    )
    rows = [(name, worth.used, worth.share, worth.gain) for name, worth in worths]
    printing.table(("estimate", "used per turn", "share of the shown", "gain in used per turn"), rows)
    spent = f"shown per turn {told.logged_shown:.2f} → {told.shown:.2f}"
    spent += f", tokens {told.logged_tokens:.0f} → {told.tokens:.0f}, used as it was {told.logged}"
    printing.line(f"{spent}; {told.turns} turns, {told.effective:.0f} as evidence on what differs")
    if told.uncompared:
        printing.line(f"{told.uncompared} showings would be of memories that were not compared with the conversation")
    if told.refusal:
        printing.line(f"It cannot be told: {told.refusal}.", style="bold yellow")


def show_unanswerable(names: Sequence[str]) -> None:
    """Settings of a policy that the figures say nothing of."""
    if names:
        why = "no turn has a record of what it would have found or measured under their values"
        printing.line(f"Not answered: {', '.join(names)}; {why}.")
