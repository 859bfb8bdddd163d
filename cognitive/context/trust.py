"""Whose word it is: memories that a type does not trust are left out, and no one source fills a turn.

Trust comes from the way in (`brain.types.Trust`) and never from use. What a program handed over is nobody's attempt to
get into a prompt, and is not counted here; of the rest, a source is whoever spoke, or else the session, or else the
caller's own name for it.
"""

from __future__ import annotations

from collections import Counter
from collections.abc import Sequence

from brain.search import Hit
from brain.types import TRUSTS, Memory
from cognitive.policy import Policy
from cognitive.trace import Candidate, CandidateResult, StageResult


def drop_untrusted(candidates: Sequence[Candidate], policy: Policy) -> StageResult:
    """Those whose source is trusted enough for their type."""
    if not policy.trust.min_level:
        return StageResult(tuple(candidates))
    kept, dropped = [], []
    for candidate in candidates:
        hit = candidate.hit
        if _enough(hit, policy):
            kept.append(candidate)
        else:
            reason = f"its source is {hit.trust}; a {hit.type} is shown from {policy.trust.min_level[hit.type]} on"
            dropped.append(CandidateResult(candidate, "distrusted", TRUSTS.index(hit.trust), reason))
    return StageResult(tuple(kept), tuple(dropped))


def trusted_pinned(memories: Sequence[Memory], policy: Policy) -> tuple[Memory, ...]:
    """Those that stand in the prefix: what is pinned passes the trust of its type and the cap of its source, too."""
    taken = Counter[tuple[str, ...]]()
    kept = []
    for memory in memories:
        of = source(memory)
        if _enough(memory, policy) and (not policy.trust.max_per_source or taken[of] < policy.trust.max_per_source):
            taken[of] += of != ()
            kept.append(memory)
    return tuple(kept)


def _enough(memory: Hit | Memory, policy: Policy) -> bool:
    return TRUSTS.index(memory.trust) >= TRUSTS.index(policy.trust.min_level.get(memory.type, TRUSTS[0]))


def cap_per_source(candidates: Sequence[Candidate], policy: Policy) -> StageResult:
    """The first so many of each source, in the order given; 0 in the policy is no bound."""
    taken = Counter[tuple[str, ...]]()
    kept, dropped = [], []
    for candidate in candidates:
        of = source(candidate.hit)
        taken[of] += of != ()
        if not policy.trust.max_per_source or taken[of] <= policy.trust.max_per_source:
            kept.append(candidate)
        else:
            reason = f"place {taken[of]} of {policy.trust.max_per_source} for one {of[1]}, whose word is {of[0]}"
            dropped.append(CandidateResult(candidate, "source_cap", taken[of], reason))
    return StageResult(tuple(kept), tuple(dropped))


def source(hit: Hit | Memory) -> tuple[str, ...]:
    """The source of a memory: its trust, the field that names it, its name; empty for what a program handed over."""
    if hit.trust == TRUSTS[-1]:
        return ()
    told = (("speaker", hit.speaker), ("session", hit.session_id), ("source", hit.source), ("way in", hit.trust))
    return (hit.trust, *next((name, value) for name, value in told if value))
