"""Explain, from the record of a turn, why a memory was shown or not. Nothing is run again."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass, field
from datetime import datetime
from typing import Any
from uuid import UUID

from brain.turn_records import RecordedTurn
from cognitive.lab.descriptions import ExplainedCandidate, Missing, describe, describe_missing

Judged = tuple[float, bool]  # overlap, verdict


@dataclass(frozen=True, slots=True)
class Explanation:
    """The explanation why one memory was shown in one turn or not.

    Attributes:
        disposition: why the candidate was shown or dropped ("shown", "duplicate" …); None if no search found the
            memory.
        reason: the disposition in words.
        value: the number that decided the disposition.
        rank_before, rank: rank by relevance, and the final rank, after past use and the rules of precedence.
        match: how well the memory matches the message, on one scale for all candidates; None in older records.
        threshold: the match that the memory needed, if it was dropped because its match is too low.
        boost: the data on the effect of past use on the score.
        scores: raw scores of the search channels.
        factors: weighted parts of `relevance`.
        used, overlap: whether the response used the memory, and the measured overlap; None if unknown.
        summary: the explanation in sentences.
    """

    turn_id: str
    memory_id: UUID
    at: datetime
    disposition: str | None
    reason: str
    value: float | None = None
    rank_before: int | None = None
    rank: int | None = None
    relevance: float | None = None
    score: float | None = None
    boost: Mapping[str, Any] = field(default_factory=dict)
    scores: Mapping[str, float] = field(default_factory=dict)
    factors: Mapping[str, float] = field(default_factory=dict)
    tokens: int | None = None
    used: bool | None = None
    overlap: float | None = None
    match: float | None = None
    threshold: float | None = None
    summary: str = ""


def explain(case: ExplainedCandidate, turn: RecordedTurn, judged: Judged | None = None) -> Explanation:
    """Explain why a candidate memory was shown in a turn or not.

    `judged` is the memory's overlap with the response and whether it counts as used, or None if this was not measured.
    """
    result, (overlap, used) = case.result, judged or (None, None)
    scores = case.record.scores.get((result.memory_id, result.ordinal), {})
    return Explanation(
        turn_id=turn.turn_id,
        memory_id=result.memory_id,
        at=turn.at,
        disposition=result.disposition,
        reason=result.reason,
        value=result.value,
        rank_before=result.rank_before,
        rank=result.rank,
        relevance=result.relevance,
        score=result.score,
        boost=result.boost.as_json() if result.boost is not None else {},
        scores=scores,
        factors=result.factors or {},
        tokens=result.tokens,
        used=used,
        overlap=overlap,
        match=result.match,
        threshold=result.threshold,
        summary=describe(case),
    )


def explain_missing(missing: Missing, turn: RecordedTurn, memory_id: UUID, judged: Judged | None) -> Explanation:
    """Explain why a turn did not show a memory that its search did not find.

    `judged` is not None if the response was compared with the memory nevertheless, because the model's recall tool
    returned the memory.
    """
    overlap, used = judged or (None, None)
    searched = ", ".join(turn.channels) or "no channel: nothing was retrieved in this turn"
    reason = f"none of {len(missing.record.candidates)} candidates; searched: {searched}"
    return Explanation(
        turn.turn_id, memory_id, turn.at, None, reason, used=used, overlap=overlap, summary=describe_missing(missing)
    )
