"""`cognitive evaluate`: estimate from recorded turns how many memories per turn would be used under another policy."""

from __future__ import annotations

import functools
from collections.abc import Callable, Sequence
from dataclasses import dataclass
from datetime import datetime
from pathlib import Path
from typing import TYPE_CHECKING, Any

import click

import cognitive
from brain.errors import InvalidInput
from cognitive.cli import printing
from cognitive.cli.answers import JsonCommand, run
from cognitive.cli.opening import note_users, opened
from cognitive.cli.options import AGENT, FILE, SINCE, UNTIL, USER

if TYPE_CHECKING:
    from brain.judgements import Verdict
    from cognitive.lab.cases import EvaluationCase
    from cognitive.lab.evaluate import Evaluation

POLICY_SOURCE = "{version, source, chosen}"
_MAX_TURNS = click.option(
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
    """A policy to evaluate, its version, and where it comes from.

    `chosen` is True if the policy is a version that was activated for the agent.
    """

    version: str
    source: str
    chosen: bool = False


@dataclass(frozen=True, slots=True)
class TurnRange:
    """Recorded turns: of which agent and user, in which time range, and at most how many of the latest."""

    agent: str
    user_id: str | None
    since: datetime | None
    until: datetime | None
    limit: int


def turn_range(function: Callable[..., None]) -> Callable[..., None]:
    """Add the options that choose recorded turns to a command. It gets them as `turns`, a `TurnRange`."""

    @AGENT
    @USER
    @SINCE
    @UNTIL
    @_MAX_TURNS
    @functools.wraps(function)
    def command(
        *args: Any,
        agent: str,
        user_id: str | None,
        since: datetime | None,
        until: datetime | None,
        limit: int,
        **options: Any,
    ) -> None:
        function(*args, turns=TurnRange(agent, user_id, since, until, limit), **options)

    return command


@dataclass(frozen=True, slots=True)
class RecordedTurns:
    """Recorded turns and the policy to evaluate on them.

    Attributes:
        policy: the policy to evaluate.
        used: its version and where it comes from.
        cases: the turns that can be replayed.
        history: the agent's verdicts: which memories that a turn showed were used by its response.
        read: the number of turns that were read, including those that cannot be replayed.
        recorded: the number of turns recorded in the time range.
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
@turn_range
def command(file: Path | None, turns: TurnRange) -> None:
    """Estimate how good a policy is: how many memories per turn would be used under it.

    Three methods of estimation are applied, each with a confidence interval. If the recorded turns cannot support an
    estimate, give the reason and exit with 3.
    """
    run(_evaluate(file, turns), _show, succeeded=lambda answer: answer.evaluation.refusal is None)


async def _evaluate(file: Path | None, turns: TurnRange) -> _EvaluationAnswer:
    from cognitive.lab.cases import to_logged_turn, unanswerable_settings
    from cognitive.lab.evaluate import evaluate

    recorded = await read(turns, file)
    logged = []
    with printing.progress("replaying") as advance:
        for done, case in enumerate(recorded.cases, 1):
            logged.append(to_logged_turn(case, recorded.policy, recorded.history))
            advance(done, len(recorded.cases))
    unanswerable = unanswerable_settings(recorded.cases, recorded.policy)
    return _EvaluationAnswer(recorded.used, evaluate(logged), unanswerable)


async def read(turns: TurnRange, file: Path | None) -> RecordedTurns:
    """Read recorded turns of a user, or without a user, and load the policy to evaluate on them.

    The policy is that of `file`, or the agent's live policy if `file` is None. All candidates of the turns are held in
    memory.

    Raises:
        InvalidInput: no completed turn can be replayed.
    """
    agent, user_id = turns.agent, turns.user_id
    async with opened() as layer:
        policy, used = await load_policy(layer, agent, file)
        recorded = await layer.explain.turn_ids(agent, turns.since, turns.until, user_id=user_id)
        turn_ids = recorded[-turns.limit :]
        with printing.progress("reading turns") as advance:
            cases, history = await layer.explain.evaluation_cases(agent, turn_ids, advance, user_id=user_id)
        if not recorded:
            await note_users(layer, agent, user_id, "turns", options="--user NAME")
    if len(turn_ids) < len(recorded):
        printing.note(f"read the latest {len(turn_ids)} of {len(recorded)} turns; raise --limit to read more")
    if not cases:
        raise InvalidInput(f"agent {agent!r}: none of {len(turn_ids)} turns is completed and can be replayed")
    printing.note(f"{len(cases)} of {len(turn_ids)} turns are completed and can be replayed")
    return RecordedTurns(policy, used, cases, history, len(turn_ids), len(recorded))


async def load_policy(
    layer: cognitive.CognitiveLayer, agent: str, file: Path | None
) -> tuple[cognitive.Policy, PolicySource]:
    """Return the policy that `file` gives to an agent, or the agent's live policy if `file` is None, with its source.

    Also prints a note that names the policy.

    Raises:
        PolicyError: the file does not hold a policy.
    """
    policy, source = await _live(layer, agent) if file is None else _from_file(agent, file)
    printing.note(f"policy {source.version}: {source.source}")
    return policy, source


def _from_file(agent: str, file: Path) -> tuple[cognitive.Policy, PolicySource]:
    policy = cognitive.Policy.load(file).for_agent(agent)
    return policy, PolicySource(policy.version, f"from the file {file}")


async def _live(layer: cognitive.CognitiveLayer, agent: str) -> tuple[cognitive.Policy, PolicySource]:
    running, effective = await layer.policies.running(agent), await layer.policies.effective(agent)
    activation, live = effective.activations.get("live"), running.policy
    if activation is None or activation.version is None:
        source = "the host's policy" if running.same_base else "that of the agent's latest turn"
        return live, PolicySource(live.version, source)
    return live, PolicySource(live.version, f"activated for the agent by {activation.author}", chosen=True)


def _show(answer: _EvaluationAnswer) -> None:
    show(answer.evaluation)
    show_unanswerable(answer.unanswerable)


def show(answer: Evaluation) -> None:
    """Print the evaluation of a policy as a table, or the reason if no estimate is possible."""
    worths = (
        ("inverse propensities", answer.ips),
        ("self-normalised", answer.snips),
        ("doubly robust", answer.doubly_robust),
    )
    rows = [(name, worth.used, worth.share, worth.gain) for name, worth in worths]
    printing.table(("estimate", "used per turn", "share of shown", "gain in used per turn"), rows)
    costs = f"shown per turn {answer.logged_shown:.2f} → {answer.shown:.2f}"
    costs += (
        f", tokens {answer.logged_tokens:.0f} → {answer.tokens:.0f}, used under the recorded policies {answer.logged}"
    )
    printing.line(f"{costs}; {answer.turns} turns, effective sample size {answer.effective:.0f}")
    if answer.uncompared:
        printing.line(f"{answer.uncompared} showings would be of memories that were not compared with the conversation")
    if answer.refusal:
        printing.line(f"No estimate: {answer.refusal}.", style="bold yellow")


def show_unanswerable(names: Sequence[str]) -> None:
    """Print the names of changed settings whose effect recorded turns cannot show, because the data is not recorded."""
    if names:
        reason = "the records lack the candidates and measures of these values"
        printing.line(f"Not evaluated: {', '.join(names)}; {reason}.")
