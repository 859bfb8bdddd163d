"""Whether anything is worth showing: a calibrated floor, from the scores at hand."""

from __future__ import annotations

from collections.abc import Sequence

from brain.search import Found
from cognitive.policy import Policy
from cognitive.trace import Candidate, Fate, Sifted


def abstain(candidates: Sequence[Candidate], found: Found, policy: Policy) -> Sifted:
    """Keeps all candidates, or none if not even the best evidence speaks for the store knowing of this message."""
    if not policy.abstention or not candidates:
        return Sifted(tuple(candidates))
    confidence = evidence(found, policy)
    if confidence >= 0:
        return Sifted(tuple(candidates))
    because = "nothing stored is about this message"
    return Sifted((), tuple(Fate(candidate, "irrelevant", confidence, because) for candidate in candidates))


def evidence(found: Found, policy: Policy) -> float:
    """The log-odds that the store holds something about the query, from the best raw scores of any hit."""
    mass = max(sum(found.idf.values()), 1e-6)
    cosine = max((hit.scores.get("said_cosine", 0.0) for hit in found.hits), default=0.0)
    matched = max((hit.scores.get("said_matched", 0.0) for hit in found.hits), default=0.0) / mass
    return policy.evidence_cosine * cosine + policy.evidence_matched * matched - policy.evidence_floor
