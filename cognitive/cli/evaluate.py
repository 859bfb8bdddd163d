"""`cognitive evaluate`: estimate from recorded turns how many memories per turn would be used under another policy."""

from __future__ import annotations

import functools
from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass, replace
from datetime import datetime
from pathlib import Path
from typing import TYPE_CHECKING, Any

import click

import cognitive
from brain.errors import InvalidInput
from cognitive.cli import printing
from cognitive.cli.answers import JsonCommand, run
from cognitive.cli.opening import note_users, opened, turns_by_user
from cognitive.cli.options import AGENT, FILE, SINCE, UNTIL, view

if TYPE_CHECKING:
    from brain.judgements import Verdict
    from brain.users import UserId
    from cognitive.lab.cases import EvaluationCase
    from cognitive.lab.evaluate import Evaluation

POLICY_SOURCE = "{version, source, chosen}"
_MAX_TURNS = click.option(
    "--limit",
    default=1_000,
    show_default=True,
    type=click.IntRange(min=1),
    help="Maximum latest turns per user.",
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
    """Recorded turns: of which agent and users, in which time range, and at most how many of a user's latest."""

    agent: str
    user_id: UserId
    since: datetime | None
    until: datetime | None
    limit: int


def turn_range(function: Callable[..., None]) -> Callable[..., None]:
    """Add the options that choose recorded turns to a command. It gets them as `turns`, a `TurnRange`."""

    @AGENT
    @view
    @SINCE
    @UNTIL
    @_MAX_TURNS
    @functools.wraps(function)
    def command(
        *args: Any,
        agent: str,
        user_id: UserId,
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
    """

    policy: cognitive.Policy
    used: PolicySource
    cases: list[EvaluationCase]
    history: list[Verdict]


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
    """Read recorded turns of a user, of all, or without a user, and load the policy to evaluate on them.

    The policy is that of `file`, or the agent's live policy if `file` is None. All candidates of the turns are held in
    memory.

    Raises:
        InvalidInput: no completed turn can be replayed.
    """
    agent = turns.agent
    async with opened() as layer:
        policy, used = await load_policy(layer, agent, file)
        recorded = await turns_by_user(layer, agent, turns.user_id, turns.since, turns.until)
        latest = {user_id: turn_ids[-turns.limit :] for user_id, turn_ids in recorded.items()}
        cases, history = await _cases(layer, agent, latest)
        if not any(recorded.values()):
            await note_users(layer, agent, turns.user_id, "turns")
    found, looked = sum(map(len, recorded.values())), sum(map(len, latest.values()))
    if looked < found:
        printing.note(f"read the latest {looked} of {found} turns; raise --limit to read more")
    if not cases:
        raise InvalidInput(f"agent {agent!r}: none of {looked} turns is completed and can be replayed")
    printing.note(f"{len(cases)} of {looked} turns are completed and can be replayed")
    return RecordedTurns(policy, used, cases, history)


async def _cases(
    layer: cognitive.CognitiveLayer, agent: str, turns: Mapping[str | None, Sequence[str]]
) -> tuple[list[EvaluationCase], list[Verdict]]:
    """Return the turns, by user, that can be replayed, and the verdicts in the views of these users, in time order."""
    cases: list[EvaluationCase] = []
    history: dict[Verdict, None] = {}  # each user's view has those of turns without a user too
    for user_id, turn_ids in turns.items():
        with printing.progress("reading turns") as advance:
            own, verdicts = await layer.explain.evaluation_cases(agent, turn_ids, advance, user_id=user_id)
        # A turn's id is unique per user only.
        cases += [replace(case, turn_id=f"{user_id or ''}/{case.turn_id}") for case in own]
        history |= dict.fromkeys(verdicts)
    cases.sort(key=lambda case: case.inputs.now)
    return cases, sorted(history, key=lambda verdict: verdict.at)


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
        printing.line(f"showings of memories that were not compared with the conversation: {answer.uncompared}")
    if answer.refusal:
        printing.line(f"No estimate: {answer.refusal}.", style="bold yellow")


def show_unanswerable(names: Sequence[str]) -> None:
    """Print the names of changed settings whose effect recorded turns cannot show, because the data is not recorded."""
    if names:
        reason = "the records lack the candidates and measures of these values"
        printing.line(f"Not evaluated: {', '.join(names)}; {reason}.")
