"""The order: relevance, moved by what usage says, and re-sorted by the result."""

from __future__ import annotations

import math
from collections.abc import Mapping, Sequence
from uuid import UUID

from cognitive.context.precedence import precede
from cognitive.plan import RetrievalQuery
from cognitive.policy import Policy
from cognitive.trace import Boost, Candidate


def rank(
    candidates: Sequence[Candidate], boosts: Mapping[UUID, Boost], policy: Policy, query: RetrievalQuery | None = None
) -> list[Candidate]:
    """Candidates by score, best first, equal ones in the agent's own order; and as `precedence` says for the query.

    score = relevance + usage_weight · log2(boost) + lift, halved for what was superseded. The boost is an addition of
    at most 0.005 at the default weight: it settles near-ties and cannot lift the irrelevant over an exact match. The
    lift is what the search lacked for the same question before, at most 0.2 at the default weight.
    """
    scores = {c.hit.memory_id: _score(c, boosts[c.hit.memory_id], policy) for c in candidates}
    by_score = sorted(candidates, key=lambda c: (-scores[c.hit.memory_id], c.hit.seq))
    return [
        Candidate(
            candidate.hit,
            relevance=candidate.relevance,
            factors=candidate.factors,
            rank_before=candidate.rank_before,
            boost=boosts[candidate.hit.memory_id],
            score=scores[candidate.hit.memory_id],
            rank=n,
        )
        for n, candidate in enumerate(precede(by_score, query, policy), 1)
    ]


def _score(candidate: Candidate, earned: Boost, policy: Policy) -> float:
    if policy.combine == "multiply":
        score = candidate.relevance * earned.factor
    else:
        score = candidate.relevance + policy.usage_weight * math.log2(earned.factor)
    score += earned.lift
    return score * policy.superseded_factor if candidate.hit.superseded_by is not None else score
