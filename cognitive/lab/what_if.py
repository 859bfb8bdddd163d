"""What some settings would have changed in recorded turns: other memories, other tokens, and what that is worth, as far
as the record can tell.
"""

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

RESAMPLES = 500  # for somebody who moves a slider; `cognitive evaluate` draws four times as many
MAX_CHANGED_TURNS = 20  # turns whose difference is told memory by memory
_SHOWN = 0.5  # probability from which a memory counts as shown; a trial's is lower


@dataclass(frozen=True, slots=True)
class Sample:
    """Completed turns that still come out as they were, newest first: of the `examined` latest ones, of `recorded` in
    all.

    `messages` has each turn's time and message, `history` what was judged, back to `since` if that is not all.
    """

    cases: tuple[EvaluationCase, ...]
    messages: Mapping[str, tuple[datetime, str]]
    examined: int
    recorded: int
    history: tuple[Verdict, ...] = ()
    since: datetime | None = None


@dataclass(frozen=True, slots=True)
class MovedMemory:
    """A memory that enters or leaves; `used` is the verdict, None if nobody knows, and `expected` an estimate then."""

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
    """What another threshold makes of the overlaps that were measured: of `judged` showings, how many counted as used,
    and would.
    """

    judged: int
    used: tuple[int, int]


@dataclass(frozen=True, slots=True)
class WhatIf:
    """What would have changed in `turns` turns.

    `differing` of them would have shown other memories; the first are told in `changed`. `entered` and `left` count
    memories over all turns, `used` what was used of those shown, before, and `kept` how many of these would still be
    shown: these are known. `expected_uses` is how many of those that enter would be used, by their own past: an
    estimate. `evaluation` has intervals, and says where the record cannot tell; None without turns. `unanswerable` are
    settings whose worth no record tells; `other_policy` turns were planned under another policy than the one that
    holds; `not_run` were not run for want of time. `examined`, `recorded` and `since` are the sample's.
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
    """Runs every turn of a sample again under its own policy with some rows moved, for as long as `go_on` says; of
    those that were not run, the answer says how many.

    Raises:
        InvalidInput: a row that may not be changed, or a bad value.
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
    """Whether what was learnt before each turn must be counted again, from all that was judged by then."""
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
