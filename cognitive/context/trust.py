"""Trust: drop memories that are not trusted enough for their type, and too many memories of one source.

A memory's trust is a level that follows from the way in which it was stored (`brain.types.Trust`) and never changes
with use. Memories that the host program stored are exempt from the limit per source, since they are no attempt to
inject text into prompts. For the others, the source is the speaker, or else the session, or else the source name that
the caller set.
"""

from __future__ import annotations

from collections import Counter
from collections.abc import Sequence

from brain.search import Hit
from brain.types import TRUSTS, Memory
from cognitive.policy import Policy
from cognitive.trace import Candidate, CandidateResult, StageResult


def drop_untrusted(candidates: Sequence[Candidate], policy: Policy) -> StageResult:
    """Drop the candidates whose trust level is below the policy's minimum for their memory type, as "distrusted"."""
    if not policy.trust.min_level:
        return StageResult(tuple(candidates))
    kept, dropped = [], []
    for candidate in candidates:
        hit = candidate.hit
        if is_trusted(hit, policy):
            kept.append(candidate)
        else:
            reason = f"trust is {hit.trust}; type {hit.type} needs at least {policy.trust.min_level[hit.type]}"
            dropped.append(CandidateResult(candidate, "distrusted", TRUSTS.index(hit.trust), reason))
    return StageResult(tuple(kept), tuple(dropped))


def trusted_pinned(memories: Sequence[Memory], policy: Policy) -> tuple[Memory, ...]:
    """Return the pinned memories that may be shown: those with enough trust, and not too many of one source."""
    counts = Counter[tuple[str, ...]]()
    kept = []
    for memory in memories:
        origin = source(memory)
        if is_trusted(memory, policy) and (
            not policy.trust.max_per_source or counts[origin] < policy.trust.max_per_source
        ):
            counts[origin] += origin != ()
            kept.append(memory)
    return tuple(kept)


def is_trusted(memory: Hit | Memory, policy: Policy) -> bool:
    """Return True if a memory has at least the trust level that the policy requires for its type."""
    return TRUSTS.index(memory.trust) >= TRUSTS.index(policy.trust.min_level.get(memory.type, TRUSTS[0]))


def cap_per_source(candidates: Sequence[Candidate], limit: int, times: int = 1) -> StageResult:
    """Keep the first `limit` candidates of each source (0: all), and drop the others as "source_cap".

    `times` multiplies the limit, for candidates that may repeat each other.
    """
    counts = Counter[tuple[str, ...]]()
    kept, dropped = [], []
    for candidate in candidates:
        origin = source(candidate.hit)
        counts[origin] += origin != ()
        if not limit or counts[origin] <= limit * times:
            kept.append(candidate)
        else:
            reason = f"number {counts[origin]} of one {origin[1]} with trust {origin[0]}; at most {limit} are shown"
            dropped.append(CandidateResult(candidate, "source_cap", counts[origin], reason))
    return StageResult(tuple(kept), tuple(dropped))


def source(hit: Hit | Memory) -> tuple[str, ...]:
    """Return the source of a memory as (trust, kind of source, name), to count the memories of each source.

    The kind is "speaker", "session", "source" or "origin", the first of them that the memory has. The tuple is empty
    for a memory that the host program stored, because the limit per source does not apply to it.
    """
    if hit.trust == TRUSTS[-1]:
        return ()
    names = (("speaker", hit.speaker), ("session", hit.session_id), ("source", hit.source), ("origin", hit.trust))
    return (hit.trust, *next((name, value) for name, value in names if value))
