"""Explain why a memory was shown in a turn, or why it was not. The record is read; nothing is run again."""

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
    """The explanation of one memory in one turn.

    `disposition` is None if no channel found the memory. `value` is the number that decided, `reason` names it, and
    `summary` is a plain sentence. `scores` are the raw scores of the channels, and `factors` the weighted parts of
    `relevance`.
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
    summary: str = ""


def explain(case: ExplainedCandidate, turn: RecordedTurn, judged: Judged | None = None) -> Explanation:
    """Return the explanation of a candidate; `judged` is the measured overlap and verdict, if there is one."""
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
        summary=describe(case),
    )


def explain_missing(missing: Missing, turn: RecordedTurn, memory_id: UUID, judged: Judged | None) -> Explanation:
    """Return the explanation of a memory that no channel found; the recall tool may have returned it."""
    overlap, used = judged or (None, None)
    searched = ", ".join(turn.channels) or "no channel: nothing was retrieved in this turn"
    reason = f"none of {len(missing.record.candidates)} candidates; searched: {searched}"
    return Explanation(
        turn.turn_id, memory_id, turn.at, None, reason, used=used, overlap=overlap, summary=describe_missing(missing)
    )
