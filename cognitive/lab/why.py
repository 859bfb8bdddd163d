"""Why a memory was shown in a turn, or why it was not: read from the record, nothing is run again."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass, field
from datetime import datetime
from typing import Any
from uuid import UUID

from cognitive.recording import Recording

Judged = tuple[float, bool]  # overlap, verdict
_TOLD = (
    "disposition",
    "because",
    "value",
    "rank_before",
    "rank",
    "relevance",
    "score",
    "boost",
    "factors",
    "tokens",
)


@dataclass(frozen=True, slots=True)
class Explanation:
    """The fate of one memory in one turn.

    `disposition` is None if the memory was no candidate: no channel found it. `value` is the number that decided and
    `because` says what it is; `scores` are the channels' raw scores, `factors` the weighted parts of the relevance.
    """

    turn_id: str
    memory_id: UUID
    at: datetime
    disposition: str | None
    because: str
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


def explain(turn: Mapping[str, Any], record: Recording, memory_id: UUID, judged: Judged | None = None) -> Explanation:
    """Reads a memory's fate out of a recorded turn; `judged` is the overlap and the verdict, if there was one."""
    fate = next((fate for fate in record.fates if fate["memory_id"] == memory_id), None)
    if fate is not None:
        return _explanation(turn, record, fate, judged)
    overlap, used = judged if judged is not None else (None, None)
    searched = ", ".join(turn["trace"]["channels"]) or "no channel: nothing was retrieved in this turn"
    because = f"none of {len(record.fates)} candidates; searched: {searched}"
    return Explanation(turn["turn_id"], memory_id, turn["at"], None, because, used=used, overlap=overlap)


def explain_all(turn: Mapping[str, Any], record: Recording, judged: Mapping[UUID, Judged]) -> list[Explanation]:
    """Every candidate of a recorded turn, by rank."""
    return [_explanation(turn, record, fate, judged.get(fate["memory_id"])) for fate in record.fates]


def _explanation(
    turn: Mapping[str, Any], record: Recording, fate: Mapping[str, Any], judged: Judged | None
) -> Explanation:
    overlap, used = judged if judged is not None else (None, None)
    told = {name: fate[name] for name in _TOLD if name in fate}
    scores = record.scores.get((fate["memory_id"], fate["ordinal"]), {})
    return Explanation(
        turn["turn_id"], fate["memory_id"], turn["at"], scores=scores, used=used, overlap=overlap, **told
    )
