"""Convert recorded turns into data on another policy: what it would have shown, what was shown, and what was used."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass, replace
from datetime import datetime
from uuid import UUID

from brain.decay import decayed
from brain.judgements import Verdict
from brain.passage_texts import Key, PassageText
from brain.past_turns import PastTurn
from brain.search import Hit, Masses
from brain.types import Memory
from cognitive.context.assemble import AssembledContext, cost
from cognitive.lab.evidence import LoggedCandidate, LoggedTurn
from cognitive.lab.replay import again, expected_use, replay, unanswerable, uncompared
from cognitive.policy import Policy
from cognitive.policy.constants import Constants
from cognitive.recording.record import TurnInputs
from cognitive.recording.recorded import Recording
from cognitive.tokens import TokenCounter
from cognitive.trace import WindowSimilarity


@dataclass(frozen=True, slots=True)
class EvaluationCase:
    """A completed turn whose replay reproduces the recorded prompt, as the input for evaluating other policies.

    `policy` is the turn's own policy, and `verdicts` say whether the memories in its prompt were used. `propensities`
    are the probabilities of being shown, for the memories that exploration (random trials) decided on. The replay takes
    `inputs`, `similarity`, `counter` and `constants`. `tokens` are those of the shown memories.
    `missing` are candidates that were forgotten or changed since: the replay runs without the forgotten ones and with
    the changed texts, and shows the same memories as the turn.
    """

    turn_id: str
    inputs: TurnInputs
    similarity: Mapping[Key, WindowSimilarity]
    policy: Policy
    verdicts: Mapping[UUID, Verdict]
    tokens: Mapping[UUID, int]
    propensities: Mapping[UUID, float]
    counter: TokenCounter
    constants: Constants
    missing: frozenset[UUID] = frozenset()


@dataclass(frozen=True, slots=True)
class StoredTurn:
    """A completed turn with what a replay of it needs.

    `contents` and `pinned` are the current texts of the passages and pinned memories that its record refers to.
    `policy`, `verdicts`, `counter` and `constants` are those of the case.
    """

    turn_id: str
    record: Recording
    contents: Mapping[Key, PassageText]
    pinned: Mapping[UUID, Memory]
    policy: Policy
    verdicts: Mapping[UUID, Verdict]
    counter: TokenCounter
    constants: Constants


def evaluation_case(turn: StoredTurn) -> EvaluationCase | None:
    """Replay a turn with the memories' current texts; return it as a case, or None if its prompt is not reproduced.

    If candidates were forgotten or changed since, it is enough that the replay shows the same memories.
    """
    replayed = replay(turn.record, turn.contents, turn.pinned, turn.policy, turn.counter, turn.constants)
    missing = replayed.gone | replayed.changed
    tokens = {candidate.hit.memory_id: candidate.tokens for candidate in replayed.assembled.shown}
    if not replayed.identical and not (missing and tokens.keys() == _shown(turn.record)):
        return None
    return _case(turn, replayed.inputs, tokens, missing)


def restored_evaluation_case(turn: StoredTurn) -> EvaluationCase | None:
    """Return a completed turn as an EvaluationCase without replaying it, which takes a tenth of the time.

    Return None if a replay might not reproduce the prompt: a memory that the turn found is gone or changed, or the
    token counter or the constants differ.
    """
    restored = turn.record.restored(turn.contents, turn.pinned)
    if restored.gone or restored.changed or restored.inputs.counter != turn.counter.name:
        return None
    if not restored.inputs.ran_by(turn.constants):
        return None
    candidates = turn.record.candidates
    tokens = {result.memory_id: result.tokens or 0 for result in candidates if result.disposition == "shown"}
    return _case(turn, restored.inputs, tokens)


def _case(
    turn: StoredTurn, inputs: TurnInputs, tokens: Mapping[UUID, int], missing: frozenset[UUID] = frozenset()
) -> EvaluationCase:
    return EvaluationCase(
        turn_id=turn.turn_id,
        inputs=inputs,
        similarity=turn.record.similarity,
        policy=turn.policy,
        verdicts=turn.verdicts,
        tokens=tokens,
        propensities=_tried(turn.record),
        counter=turn.counter,
        constants=turn.constants,
        missing=missing,
    )


def _shown(record: Recording) -> set[UUID]:
    return {result.memory_id for result in record.candidates if result.disposition == "shown"}


def _tried(record: Recording) -> Mapping[UUID, float]:
    return {result.memory_id: result.propensity for result in record.candidates if result.propensity is not None}


def to_logged_turn(case: EvaluationCase, policy: Policy, history: Sequence[Verdict]) -> LoggedTurn:
    """Replay a turn under another policy; return the memories that it showed or that the other policy would show.

    Whether a memory was used is taken from the turn's recorded verdict, whatever the other policy's attribution
    threshold: a policy must not look better by crediting more. The other policy's threshold and half-life affect only
    the usage learned before the turn, which is computed again from the verdicts in `history`.
    """
    inputs = with_relearned_usage(case, policy, history)
    assembled = again(inputs, case.similarity, policy, case.counter, case.constants)
    target = show_probabilities(assembled)
    ids = dict.fromkeys((*case.verdicts, *case.propensities, *target))
    found = {
        result.candidate.hit.memory_id: result.candidate
        for result in assembled.candidates
        if result.candidate.hit.memory_id in ids
    }
    tokens = {id: cost(candidate, case.counter, policy) for id, candidate in found.items()}
    expected = {id: expected_use(candidate, inputs, policy) for id, candidate in found.items()}
    return LoggedTurn(
        case.turn_id,
        tuple(
            LoggedCandidate(
                memory_id=id,
                propensity=_propensity(case, id),
                used=case.verdicts[id].used if id in case.verdicts else None,
                target=target.get(id, 0.0),
                predicted=expected.get(id, 0.0),
                tokens=tokens.get(id, case.tokens.get(id, 0)),
            )
            for id in ids
        ),
        len(uncompared(assembled, policy)),
    )


def unanswerable_settings(cases: Sequence[EvaluationCase], policy: Policy) -> list[str]:
    """Return the sorted names of the policy's changed settings whose effect on at least one turn cannot be computed."""
    planned_under = {case.policy.version: case.policy for case in cases}
    return sorted(frozenset[str]().union(*(unanswerable(policy, was) for was in planned_under.values())))


def show_probabilities(assembled: AssembledContext) -> Mapping[UUID, float]:
    """Return the probability with which a policy shows each memory, over all possible draws of exploration.

    A memory that is not shown is included only if exploration (a random trial) could have shown it.
    """
    return {
        result.candidate.hit.memory_id: result.candidate.propensity
        for result in assembled.candidates
        if result.disposition == "shown" or result.candidate.propensity < 1
    }


def _propensity(case: EvaluationCase, id: UUID) -> float:
    """Return the probability with which a turn showed a memory: from its record (more precise), else its verdict."""
    known = case.verdicts[id].propensity if id in case.verdicts else 0.0
    return case.propensities.get(id, known)


def with_relearned_usage(case: EvaluationCase, policy: Policy, history: Sequence[Verdict]) -> TurnInputs:
    """Return a turn's inputs with the memory usage that the store would have had if `policy` had always been in use.

    If the half-life, threshold and rating weight equal those of the turn's policy, the recorded inputs are returned.
    Otherwise the verdicts before the turn are counted again, in the same decaying sums as in the store (`brain.decay`).
    """
    if _learns_alike(policy, case.policy):
        return case.inputs
    before = [verdict for verdict in history if verdict.at < case.inputs.now and verdict.turn_id != case.turn_id]
    own: dict[UUID, list[Verdict]] = {}
    types: dict[str, list[Verdict]] = {}
    for verdict in before:
        own.setdefault(verdict.memory_id, []).append(verdict)
        types.setdefault(verdict.type, []).append(verdict)
    hits = tuple(_with_relearned_usage(hit, own.get(hit.memory_id, []), policy) for hit in case.inputs.found.hits)
    base = {
        type_: _with_decoys(_summed(shown, policy), case.inputs.found.base.get(type_)) for type_, shown in types.items()
    }
    past = _past(case, policy, before)
    return replace(case.inputs, found=replace(case.inputs.found, hits=hits, base=base, past=past))


def _past(case: EvaluationCase, policy: Policy, before: Sequence[Verdict]) -> tuple[PastTurn, ...]:
    """Return the similar past turns of a case, with each memory's use decided by the given policy's threshold.

    Past turns whose verdicts are not in `before` stay unchanged.
    """
    used = {(verdict.turn_id, verdict.memory_id): counts_as_used(verdict, policy) for verdict in before}
    return tuple(
        replace(turn, shown=tuple(replace(s, used=used.get((turn.turn_id, s.memory_id), s.used)) for s in turn.shown))
        for turn in case.inputs.found.past
    )


def _learns_alike(one: Policy, other: Policy) -> bool:
    return (one.usage.half_life_days, one.attribution_threshold, one.feedback.rating_weight) == (
        other.usage.half_life_days,
        other.attribution_threshold,
        other.feedback.rating_weight,
    )


def _with_relearned_usage(hit: Hit, shown: Sequence[Verdict], policy: Policy) -> Hit:
    if not shown:
        return hit._replace(usage_shown=0.0, usage_used=0.0, times_shown=0, times_used=0, usage_at=None)
    masses = _summed(shown, policy)
    times = sum(counts_as_used(verdict, policy) for verdict in shown)
    return hit._replace(
        usage_shown=masses.shown,
        usage_used=masses.used,
        times_shown=len(shown),
        times_used=times,
        usage_at=masses.at,
    )


def _summed(shown: Sequence[Verdict], policy: Policy) -> Masses:
    at: datetime = max(verdict.at for verdict in shown)
    weights = [
        (1.0 if verdict.rating is None else policy.feedback.rating_weight)
        * decayed(1.0, verdict.at, at, policy.usage.half_life_days)
        for verdict in shown
    ]
    used = sum(weight for weight, verdict in zip(weights, shown, strict=True) if counts_as_used(verdict, policy))
    return Masses(sum(weights), used, at)


def _with_decoys(masses: Masses, was: Masses | None) -> Masses:
    """Add the recorded counts of decoys (memories that were judged but not shown) to sums that were counted again."""
    return masses if was is None else replace(masses, decoys=was.decoys, decoys_used=was.decoys_used)


def counts_as_used(verdict: Verdict, policy: Policy) -> bool:
    """Return True if a memory's overlap with the response makes it count as used at a policy's threshold.

    A stored verdict that contradicts the overlap came from a rating or a citation, and is kept. So is a verdict whose
    threshold is unknown.
    """
    if verdict.rating is not None or verdict.threshold is None:
        return verdict.used
    decided = verdict.used == (verdict.overlap >= verdict.threshold)
    return verdict.overlap >= policy.attribution_threshold if decided else verdict.used
