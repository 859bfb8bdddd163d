"""Compute what changed settings would have changed in recorded turns: memories, tokens and estimated value."""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass
from datetime import datetime
from uuid import UUID

from brain.turn_records import Verdict
from cognitive.lab.evaluate import Evaluation, evaluate
from cognitive.lab.evidence import (
    EvaluationCase,
    LoggedCandidate,
    LoggedTurn,
    counts_as_used,
    to_logged_turn,
    unanswerable_settings,
)
from cognitive.policy import Policy
from cognitive.policy.live import with_changes

RESAMPLES = 500  # fewer than for `cognitive evaluate` (2,000), because a user waits
MAX_CHANGED_TURNS = 20  # turns listed with each changed memory
_SHOWN = 0.5  # minimum probability of a memory that counts as shown; those of exploration are lower


@dataclass(frozen=True, slots=True)
class Sample:
    """Completed turns that still replay identically, newest first.

    `examined` turns were read, of `recorded` in the period. `messages` has each turn's time and message. `history` are
    the judged memories, back to `since` if not all were read.
    """

    cases: tuple[EvaluationCase, ...]
    messages: Mapping[str, tuple[datetime, str]]
    examined: int
    recorded: int
    history: tuple[Verdict, ...] = ()
    since: datetime | None = None


@dataclass(frozen=True, slots=True)
class MovedMemory:
    """A memory that enters or leaves. `used` is the verdict, None if unknown; then `expected` is an estimate."""

    memory_id: UUID
    type: str
    content: str
    tokens: int
    used: bool | None
    expected: float


@dataclass(frozen=True, slots=True)
class ChangedTurn:
    """A turn that would have shown other memories."""

    turn_id: str
    at: datetime
    message: str
    entered: tuple[MovedMemory, ...]
    left: tuple[MovedMemory, ...]
    tokens: tuple[int, int]


@dataclass(frozen=True, slots=True)
class Relabelled:
    """The effect of another attribution threshold on `judged` showings: how many count as used, before and after."""

    judged: int
    used: tuple[int, int]


@dataclass(frozen=True, slots=True)
class WhatIf:
    """The effect of changed settings on `turns` turns.

    Attributes:
        turns: turns that were run.
        differing: turns that would have shown other memories.
        changed: the first of these turns, memory by memory.
        entered: memories that would have been shown in addition, over all turns.
        left: memories that would not have been shown.
        used: used memories among those shown.
        kept: used memories that would still be shown.
        expected_uses: estimated uses among the memories that enter.
        evaluation: estimates with intervals, which says where the record is not enough; None without turns.
        unanswerable: changed settings whose effect no record can show.
        relabelled: the effect of another attribution threshold.
        other_policy: turns that were planned with another policy than the live one.
        not_run: turns that were left out for lack of time.
        examined: turns that were read for the sample.
        recorded: turns recorded in the period.
        since: start of the history, if not all was read.
    """

    turns: int
    differing: int
    changed: tuple[ChangedTurn, ...]
    entered: int
    left: int
    used: int
    kept: int
    expected_uses: float
    evaluation: Evaluation | None
    unanswerable: tuple[str, ...]
    relabelled: Relabelled | None
    other_policy: int
    not_run: int = 0
    examined: int = 0
    recorded: int = 0
    since: datetime | None = None


def what_if(
    sample: Sample, moved: Mapping[str, float | int], live: Policy, go_on: Callable[[], bool] = lambda: True
) -> WhatIf:
    """Run every turn of a sample again with its own policy and the changed settings, while `go_on` returns True.

    Raises:
        InvalidInput: a setting that cannot be changed, or an invalid value.
    """
    policies = {case.policy.version: with_changes(case.policy, moved) for case in sample.cases}
    done: list[tuple[EvaluationCase, LoggedTurn]] = []
    for case in sample.cases:
        if done and not go_on():
            break
        done.append((case, to_logged_turn(case, policies[case.policy.version], sample.history)))
    turns = [turn for _, turn in done]
    differing = [(case, turn) for case, turn in done if any(_enters(c) or _leaves(c) for c in turn.candidates)]
    choices = [choice for turn in turns for choice in turn.candidates]
    cases = [case for case, _ in done]
    return WhatIf(
        turns=len(done),
        differing=len(differing),
        changed=tuple(_changed(case, turn, sample) for case, turn in differing[:MAX_CHANGED_TURNS]),
        entered=sum(map(_enters, choices)),
        left=sum(map(_leaves, choices)),
        used=sum(choice.used is True for choice in choices),
        kept=sum(choice.used is True and not _leaves(choice) for choice in choices),
        expected_uses=sum(choice.predicted for choice in choices if _enters(choice)),
        evaluation=evaluate(turns, resamples=RESAMPLES) if turns else None,
        unanswerable=_unanswerable(cases, policies),
        relabelled=_relabelled(cases, policies, moved),
        other_policy=sum(case.policy.version != live.version for case in cases),
        not_run=len(sample.cases) - len(done),
        examined=sample.examined,
        recorded=sample.recorded,
        since=sample.since,
    )


def needs_history(moved: Mapping[str, float | int]) -> bool:
    """Return True if the changes affect what was learned before each turn, so that `history` is needed."""
    learnt = ("usage.half_life_days", "feedback.rating_weight")
    return any(name in learnt or name.startswith("feedback.attribution_") for name in moved)


def _enters(choice: LoggedCandidate) -> bool:
    return choice.used is None and choice.target > _SHOWN


def _leaves(choice: LoggedCandidate) -> bool:
    return choice.used is not None and choice.target < _SHOWN


def _changed(case: EvaluationCase, turn: LoggedTurn, sample: Sample) -> ChangedTurn:
    hits = {hit.memory_id: hit for hit in case.inputs.found.hits}
    was = sum(choice.tokens for choice in turn.candidates if choice.used is not None)
    now = sum(choice.tokens for choice in turn.candidates if choice.target > _SHOWN)

    def told(choice: LoggedCandidate) -> MovedMemory:
        hit = hits.get(choice.memory_id)
        type_, content = (hit.type, hit.content) if hit is not None else ("", "")
        return MovedMemory(choice.memory_id, type_, content, choice.tokens, choice.used, choice.predicted)

    entered = tuple(told(choice) for choice in turn.candidates if _enters(choice))
    left = tuple(told(choice) for choice in turn.candidates if _leaves(choice))
    return ChangedTurn(case.turn_id, *sample.messages[case.turn_id], entered, left, (was, now))


def _unanswerable(cases: Sequence[EvaluationCase], policies: Mapping[str, Policy]) -> tuple[str, ...]:
    by_version = {case.policy.version: case for case in cases}
    names = {name for version, case in by_version.items() for name in unanswerable_settings([case], policies[version])}
    return tuple(sorted(names))


def _relabelled(
    cases: Sequence[EvaluationCase], policies: Mapping[str, Policy], moved: Mapping[str, float | int]
) -> Relabelled | None:
    if not any(name.startswith("feedback.attribution_thresholds.") for name in moved):
        return None
    pairs = [(verdict, case) for case in cases for verdict in case.verdicts.values()]
    now = sum(counts_as_used(verdict, policies[case.policy.version]) for verdict, case in pairs)
    return Relabelled(len(pairs), (sum(verdict.used for verdict, _ in pairs), now))
