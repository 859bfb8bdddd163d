"""Compute how recorded turns would have differed with changed settings: memories, tokens and estimated value."""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass
from datetime import datetime
from uuid import UUID

from brain.judgements import Verdict
from cognitive.lab.cases import EvaluationCase, counts_as_used, to_logged_turn, unanswerable_settings
from cognitive.lab.evaluate import Evaluation, evaluate
from cognitive.lab.evidence import LoggedCandidate, LoggedTurn
from cognitive.policy import Policy
from cognitive.policy.live import with_changes

RESAMPLES = 500  # fewer than for `cognitive evaluate` (2,000), because a user waits
MAX_CHANGED_TURNS = 20  # turns listed with each changed memory
_SHOWN = 0.5  # minimum probability of a memory that counts as shown; those of exploration are lower


@dataclass(frozen=True, slots=True)
class Sample:
    """Recorded turns for what-if questions, newest first: those whose replay shows the memories that they showed.

    Attributes:
        cases: the turns.
        messages: time, message and user of each turn, by turn id.
        examined: number of turns that were read to find the cases.
        recorded: number of completed turns in the period that the question is about.
        history: verdicts (used or not) on memories shown before the latest turn, to compute their usage again.
        since: time of the earliest verdict in `history` if older verdicts were not read, else None.
    """

    cases: tuple[EvaluationCase, ...]
    messages: Mapping[str, tuple[datetime, str, str | None]]
    examined: int
    recorded: int
    history: tuple[Verdict, ...] = ()
    since: datetime | None = None


@dataclass(frozen=True, slots=True)
class MovedMemory:
    """A memory that a changed setting adds to a turn or removes from it.

    `used` says whether the response used it, or None if the turn did not show it. `expected` is the estimated
    probability that a response uses it.
    """

    memory_id: UUID
    type: str
    content: str
    tokens: int
    used: bool | None
    expected: float


@dataclass(frozen=True, slots=True)
class ChangedTurn:
    """A turn that would have shown other memories with the changed settings. `user_id` is None for a shared turn.

    `entered` are the memories that it would have shown in addition, `left` those that it would not have shown. `tokens`
    are the total tokens of the shown memories, without and with the changes.
    """

    turn_id: str
    at: datetime
    message: str
    user_id: str | None
    entered: tuple[MovedMemory, ...]
    left: tuple[MovedMemory, ...]
    tokens: tuple[int, int]


@dataclass(frozen=True, slots=True)
class Relabelled:
    """The effect of another attribution threshold: how many shown memories count as used with the old and the new one.

    `judged` is the number of shown memories with a verdict. `used` has the two numbers of used memories.
    """

    judged: int
    used: tuple[int, int]


@dataclass(frozen=True, slots=True)
class WhatIf:
    """The result of a what-if question: how recorded turns would have differed with changed settings.

    Attributes:
        turns: number of turns that were replayed.
        differing: number of turns that would have shown other memories.
        changed: the first of the differing turns, with the memories that differ.
        entered: number of memories that would have been shown in addition, over all turns.
        left: number of memories that would not have been shown.
        used: number of shown memories that the responses used.
        kept: number of used memories that would still be shown.
        expected_uses: estimated number of uses of the additional memories.
        evaluation: estimated value with intervals, which also reports if the data is too little; None without turns.
        unanswerable: changed settings whose effect cannot be computed from the records.
        relabelled: the effect of another attribution threshold, or None if it was not changed.
        other_policy: number of turns that ran under another policy than the live one.
        not_run: number of turns that were left out for lack of time.
        examined: number of turns that were read for the sample.
        recorded: number of completed turns in the period that the question is about.
        since: time of the earliest verdict that usage was computed from, if older verdicts were not read; else None.
        incomplete: number of replayed turns that lack a candidate, because it was forgotten or changed since.
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
    incomplete: int = 0


def what_if(sample: Sample, moved: Mapping[str, float | int], live: Policy, go_on: Callable[[], bool]) -> WhatIf:
    """Replay every turn of a sample with its own policy and the changed settings, and sum up the differences.

    `moved` has the changed settings by dotted name. The replay stops early when `go_on` returns False. `live` is the
    agent's present policy.

    Raises:
        InvalidInput: a setting may not change at run time, or a value is invalid.
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
        incomplete=sum(bool(case.missing) for case in cases),
    )


def needs_history(moved: Mapping[str, float | int]) -> bool:
    """Return True if the changed settings affect the usage learned before each turn.

    The usage must then be computed again from the verdicts in `Sample.history`.
    """
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
