"""Whether anything is worth showing: a calibrated floor for the turn, for each type and for each memory."""

from __future__ import annotations

import math
from collections.abc import Callable, Sequence

from brain.search import SearchResult
from brain.terms import idf
from brain.types import MEMORY_TYPES, MemoryType
from cognitive.plan import Frame, Signals
from cognitive.policy import Policy
from cognitive.trace import Candidate, CandidateResult, StageResult

# What of the relevance speaks of the query itself; the rest (length, first person, ...) speaks for any query alike.
_MATCH = ("lexical", "lexical_context", "semantic", "semantic_context", "date")

_LARGE_STORE = 100  # passages
_WORDS_ONLY = 0.4  # of the floor; the rest is what a cosine brings to a usual memory question
_PAST = frozenset({"decision", "episode"})  # hints of these types speak of what was; the others of anything


def abstain(
    candidates: Sequence[Candidate], found: SearchResult, signals: Signals, policy: Policy, frame: Frame
) -> StageResult:
    """Drops every candidate if nothing stored is about the message. Otherwise it drops each type that holds nothing
    about it, and each candidate that matches far less than the best one does.
    """
    if not policy.abstention or not candidates:
        return StageResult(tuple(candidates))
    matched = {candidate.hit.memory_id: match(candidate) for candidate in candidates}

    def by(candidate: Candidate) -> float:
        return matched[candidate.hit.memory_id]

    known = evidence(candidates, found, signals, policy, by)
    least = _floor(candidates, found, policy, frame)
    if known < least:
        reason = f"nothing stored is about this message: its evidence is {known:.3f}, the floor {least:.3f}"
        return _drop_all(candidates, known, reason)
    spoken_for, dropped = _by_type(candidates, found, signals, policy, least, by)
    matches = list(map(by, spoken_for))
    floor = policy.evidence.min_item_share * max(matched.values())
    kept = tuple(candidate for candidate, value in zip(spoken_for, matches, strict=True) if value >= floor)
    below = tuple(
        CandidateResult(candidate, "irrelevant", value, f"matches {value:.3f}, the floor of this turn is {floor:.3f}")
        for candidate, value in zip(spoken_for, matches, strict=True)
        if value < floor
    )
    return StageResult(kept, dropped + below)


def _by_type(
    candidates: Sequence[Candidate],
    found: SearchResult,
    signals: Signals,
    policy: Policy,
    least: float,
    by: Callable[[Candidate], float],
) -> tuple[list[Candidate], tuple[CandidateResult, ...]]:
    """Candidates of the types that hold evidence enough by themselves, and the results of the others."""
    least *= policy.evidence.min_type_share
    crowds = {type_: [each for each in candidates if each.hit.type == type_] for type_ in MEMORY_TYPES}
    known = {type_: evidence(crowd, found, signals, policy, by) for type_, crowd in crowds.items() if crowd}
    kept = [candidate for candidate in candidates if known[candidate.hit.type] >= least]
    dropped = tuple(
        CandidateResult(each, "irrelevant", known[each.hit.type], _no_such(each.hit.type, known[each.hit.type], least))
        for each in candidates
        if known[each.hit.type] < least
    )
    return kept, dropped


def _no_such(type_: MemoryType, known: float, least: float) -> str:
    return f"no {type_} is about this message: their evidence is {known:.3f}, the floor of a type {least:.3f}"


def _floor(candidates: Sequence[Candidate], found: SearchResult, policy: Policy, frame: Frame) -> float:
    """The policy's floor. It is lower for a small store, where a rare word proves little and little can be injected
    wrongly, and lower where no vector came in time, so that there is no cosine.
    """
    size = min(1.0, math.log1p(found.passages) / math.log1p(_LARGE_STORE))
    dense = any("content_cosine" in candidate.hit.scores for candidate in candidates)
    return policy.evidence_threshold(frame) * size * (1.0 if dense else _WORDS_ONLY)


def evidence(
    candidates: Sequence[Candidate],
    found: SearchResult,
    signals: Signals,
    policy: Policy,
    by: Callable[[Candidate], float] | None = None,
) -> float:
    """How much evidence there is that the store holds something about the message.

    A sum of: the best cosine; the most idf mass of the message's words that one memory holds, absolutely and as a share
    of the message's; whether the message names a speaker; whether something was said on the date it names; whether it
    asks for what was decided or happened; how useful the best match was before; and what similar turns lacked. `by` is
    `match`, where it is known already.
    """
    mass = max(sum(found.idf.values()), 1e-6)
    cosine = max(candidate.hit.scores.get("content_cosine", 0.0) for candidate in candidates)
    matched = max(candidate.hit.scores.get("content_matched", 0.0) for candidate in candidates)
    named = any("speaker" in candidate.factors for candidate in candidates)
    dated = max(candidate.factors.get("date", 0.0) for candidate in candidates)
    asks_memory = not _PAST.isdisjoint(type_ for type_, _ in signals.hints)
    parts = (
        cosine,
        0.2 * matched / idf(found.passages, 0),  # in units of a word that no passage has
        0.2 * matched / mass,
        0.15 * named,
        0.15 * dated / max(policy.retrieval.relevance["date"], 1e-6),
        0.1 * asks_memory,
        0.2 * max(0.0, max(candidates, key=by or match).boost.factor - 1),
        max(0.0, max(candidate.boost.lift for candidate in candidates)),
    )
    return sum(parts)


def match(candidate: Candidate) -> float:
    """The part of a candidate's relevance that is due to the query, and what similar past turns add to it."""
    return sum([candidate.factors.get(name, 0.0) for name in _MATCH]) + candidate.boost.lift


def _drop_all(candidates: Sequence[Candidate], value: float, reason: str) -> StageResult:
    return StageResult((), tuple(CandidateResult(candidate, "irrelevant", value, reason) for candidate in candidates))
