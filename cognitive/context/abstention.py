"""Abstention: drop the candidate memories that are probably not about the user's message.

Evidence is a number computed from words, embeddings and past use. It is compared with a calibrated threshold, first for
all candidates of the turn together, then for the candidates of each memory type. Last, each candidate's match with the
message is compared with the best match. The weights in `evidence` are this project's own calibration.
"""

from __future__ import annotations

import math
from collections.abc import Callable, Mapping, Sequence

from brain.search import SearchResult
from brain.terms import idf
from brain.types import MEMORY_TYPES, MemoryType
from cognitive.plan import Frame, Signals
from cognitive.policy import Policy
from cognitive.trace import Candidate, CandidateResult, StageResult

# The relevance factors that depend on the query; the others (length, first person, ...) are the same for all queries.
_MATCH = ("lexical", "lexical_context", "semantic", "semantic_context", "date")

_LARGE_STORE = 100  # passages
_WORDS_ONLY = 0.4  # share of the threshold without vectors; a typical memory question gets the rest from its cosine
_PAST = frozenset({"decision", "episode"})  # a hint of one of these types means that the message asks about the past


def abstain(
    candidates: Sequence[Candidate], found: SearchResult, signals: Signals, policy: Policy, frame: Frame
) -> StageResult:
    """Drop the candidate memories that are not about the message, with the disposition "irrelevant".

    If the evidence of all candidates together is below the turn's threshold, all are dropped. Otherwise each memory
    type with too little evidence is dropped. Of the rest, each candidate is dropped whose match with the message is
    less than `evidence.min_item_share` of the best match.
    """
    if not policy.abstention or not candidates:
        return StageResult(tuple(candidates))
    matched = {candidate.hit.memory_id: match(candidate) for candidate in candidates}

    def match_of(candidate: Candidate) -> float:
        return matched[candidate.hit.memory_id]

    total = evidence(candidates, found, signals, policy, match_of)
    threshold = _threshold(candidates, found, policy, frame)
    if total < threshold:
        reason = f"nothing stored is about this message: evidence {total:.3f}, threshold {threshold:.3f}"
        return _drop_all(candidates, total, reason)
    eligible, dropped = _by_type(candidates, found, signals, policy, threshold, match_of)
    matches = list(map(match_of, eligible))
    min_match = policy.evidence.min_item_share * max(matched.values())
    kept = tuple(candidate for candidate, value in zip(eligible, matches, strict=True) if value >= min_match)
    below = tuple(
        CandidateResult(candidate, "irrelevant", value, f"match {value:.3f}, threshold of this turn {min_match:.3f}")
        for candidate, value in zip(eligible, matches, strict=True)
        if value < min_match
    )
    return StageResult(kept, dropped + below)


def _by_type(
    candidates: Sequence[Candidate],
    found: SearchResult,
    signals: Signals,
    policy: Policy,
    threshold: float,
    match_of: Callable[[Candidate], float],
) -> tuple[list[Candidate], tuple[CandidateResult, ...]]:
    """Drop all candidates of a memory type if the evidence that this type matches the message is below its threshold.

    Return the remaining candidates, and for each dropped one a record that says why.
    """
    threshold *= policy.evidence.min_type_share
    groups = {type_: [each for each in candidates if each.hit.type == type_] for type_ in MEMORY_TYPES}
    values = {type_: evidence(group, found, signals, policy, match_of) for type_, group in groups.items() if group}
    kept = [candidate for candidate in candidates if values[candidate.hit.type] >= threshold]
    dropped = tuple(
        CandidateResult(each, "irrelevant", values[each.hit.type], _reason(each.hit.type, values, threshold))
        for each in candidates
        if values[each.hit.type] < threshold
    )
    return kept, dropped


def _reason(type_: MemoryType, values: Mapping[MemoryType, float], threshold: float) -> str:
    return f"no {type_} is about this message: evidence {values[type_]:.3f}, threshold of a type {threshold:.3f}"


def _threshold(candidates: Sequence[Candidate], found: SearchResult, policy: Policy, frame: Frame) -> float:
    """Return the evidence below which a turn shows no memory.

    It is the policy's threshold for turns of this frame (question, task, ...), lowered for a small store or missing
    vectors. In a small store a rare word proves little, and there is little that could be shown wrongly. Without
    vectors the cosine is missing from the evidence.
    """
    size = min(1.0, math.log1p(found.passages) / math.log1p(_LARGE_STORE))
    dense = any("content_cosine" in candidate.hit.scores for candidate in candidates)
    return policy.evidence_threshold(frame) * size * (1.0 if dense else _WORDS_ONLY)


def evidence(
    candidates: Sequence[Candidate],
    found: SearchResult,
    signals: Signals,
    policy: Policy,
    match_of: Callable[[Candidate], float] | None = None,
) -> float:
    """Return a number for how likely the candidate memories are about the user's message; higher is likelier.

    It is a sum with calibrated weights over all candidates together. Its parts are:

    - the best cosine of the message and a memory;
    - the highest idf mass (sum of the words' rarity) of the message's words that one memory contains, absolutely and as
      a share of the mass of all words of the message;
    - 0.15 if the message names the speaker of a memory;
    - up to 0.15 if the message names a date and a memory is from about that date;
    - 0.1 if the message asks for past decisions or events;
    - the boost (the factor from past use) of the best match, if it is above 1, and the highest lift (see `usage`).

    `match_of` returns how well a candidate matches the message. The default is the function `match`; a caller that has
    computed the matches already passes its own function, to reuse them.
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
        0.2 * max(0.0, max(candidates, key=match_of or match).boost.factor - 1),
        max(0.0, max(candidate.boost.lift for candidate in candidates)),
    )
    return sum(parts)


def match(candidate: Candidate) -> float:
    """Return how well a candidate memory matches the query.

    It is the sum of the relevance factors that depend on the query, plus the lift learned from similar past turns.
    """
    return sum([candidate.factors.get(name, 0.0) for name in _MATCH]) + candidate.boost.lift


def _drop_all(candidates: Sequence[Candidate], value: float, reason: str) -> StageResult:
    return StageResult((), tuple(CandidateResult(candidate, "irrelevant", value, reason) for candidate in candidates))
