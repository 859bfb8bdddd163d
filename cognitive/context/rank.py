"""The order: relevance, moved by what usage says, and re-sorted by the result."""

from __future__ import annotations

import math
from collections.abc import Mapping, Sequence
from dataclasses import replace
from uuid import UUID

from cognitive.policy import Policy
from cognitive.trace import Boost, Candidate


def rank(candidates: Sequence[Candidate], boosts: Mapping[UUID, Boost], policy: Policy) -> list[Candidate]:
    """Candidates by score, best first; equal ones in the agent's own order.

    score = relevance + usage_weight · log2(boost), halved for what was superseded. The boost is an addition of at most
    0.06 at the default weight: it settles near-ties and cannot lift the irrelevant over an exact match.
    """
    scored = [_scored(candidate, boosts[candidate.hit.memory_id], policy) for candidate in candidates]
    ordered = _after_their_replacement(sorted(scored, key=lambda c: (-c.score, c.hit.seq)))
    return [replace(candidate, rank=n) for n, candidate in enumerate(ordered, 1)]


def _scored(candidate: Candidate, earned: Boost, policy: Policy) -> Candidate:
    score = candidate.relevance + policy.usage_weight * math.log2(earned.factor)
    if candidate.hit.superseded_by is not None:
        score *= policy.superseded_factor
    return replace(candidate, boost=earned, score=score)


def _after_their_replacement(ordered: list[Candidate]) -> list[Candidate]:
    """A superseded memory never stands before the one that replaced it, whatever their scores."""
    place = {candidate.hit.memory_id: n for n, candidate in enumerate(ordered)}

    def key(item: tuple[int, Candidate]) -> tuple[int, int]:
        own, candidate = item
        latest, steps = own, 0
        successor: UUID | None = candidate.hit.superseded_by
        while successor is not None and successor in place and steps < len(ordered):
            latest, steps = max(latest, place[successor]), steps + 1
            successor = ordered[place[successor]].hit.superseded_by
        return latest, steps

    return [candidate for _, candidate in sorted(enumerate(ordered), key=key)]
