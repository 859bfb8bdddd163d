"""Exploration: now and then one memory from just below the cut is shown, and with which probability is known exactly.

What is never shown earns nothing and stays below for ever (Pandey et al., "Shuffling a Stacked Deck", VLDB 2005); and
without it no log can tell what another policy would have been worth (`cognitive/lab/evaluate.py`).
"""

from __future__ import annotations

import hashlib
from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from itertools import islice
from uuid import UUID

from cognitive.trace import Candidate, CandidateResult

# Another ranking mostly shows what stands next to the cut of this one, and all in the pool share what is learnt.
POOL = 5


@dataclass(frozen=True, slots=True)
class Draw:
    """What a turn shows, in order, and the probability of being shown of every candidate it could have shown.

    `propensities` holds all that were kept and the whole pool, whether drawn or not; they sum to the number shown, and
    whoever is missing could not have been shown. `drawn` and `displaced` are None in a turn that explored nothing.
    """

    kept: tuple[Candidate, ...]
    propensities: Mapping[UUID, float]
    drawn: Candidate | None = None
    displaced: CandidateResult | None = None


def explore(
    turn_id: str, agent_id: str, kept: Sequence[Candidate], below: Sequence[Candidate], every: int, *, room: int = 0
) -> Draw:
    """With probability 1 / `every` one of the first few below the cut, each as likely, takes the place of a kept one.

    It displaces the lowest-scored one of its type, or of all if its type has none, so no type gets more than before
    unless it had nothing. Of `below`, best first, only those take part that need no more tokens than what they would
    displace and the `room` left of the total. The chance is a hash of agent and turn: a turn replayed draws the same.

    Args:
        turn_id: The turn; with the agent it decides the draw.
        agent_id: The agent.
        kept: What would be shown, best first, with tokens. A turn that shows nothing stays silent.
        below: What failed by its limit or the budget only, with tokens: nothing that is said already or irrelevant.
        every: Turns per exploration, on average; 0 never explores.
        room: Tokens of the total that `kept` leaves.
    """
    pool = list(islice(_fitting(kept, below, room), POOL)) if every else []
    if not pool:
        return Draw(tuple(kept), {candidate.hit.memory_id: 1.0 for candidate in kept})
    propensities = _propensities(kept, pool, every)
    chance, choice = _uniforms(agent_id, turn_id)
    if chance % every:
        return Draw(tuple(kept), propensities)
    drawn, last = pool[choice % len(pool)]
    return Draw(
        kept=tuple(drawn if candidate is last else candidate for candidate in kept),
        propensities=propensities,
        drawn=drawn,
        displaced=CandidateResult(last, "displaced", last.score, f"rank {drawn.rank} was tried in its place"),
    )


def _fitting(kept: Sequence[Candidate], below: Sequence[Candidate], room: int) -> list[tuple[Candidate, Candidate]]:
    """Each candidate below the cut that fits, with the memory that it would displace."""
    if not kept:
        return []
    pairs = [(candidate, _last(kept, candidate)) for candidate in below]
    return [(candidate, last) for candidate, last in pairs if candidate.tokens <= last.tokens + room]


def _last(kept: Sequence[Candidate], candidate: Candidate) -> Candidate:
    own = [each for each in kept if each.hit.type == candidate.hit.type]
    return min(reversed(own or kept), key=lambda each: each.score)


def _propensities(
    kept: Sequence[Candidate], pool: Sequence[tuple[Candidate, Candidate]], every: int
) -> dict[UUID, float]:
    each = 1 / (every * len(pool))
    at_risk = [last.hit.memory_id for _, last in pool]
    shown = {id: 1 - at_risk.count(id) * each for id in (candidate.hit.memory_id for candidate in kept)}
    return shown | {candidate.hit.memory_id: each for candidate, _ in pool}


def _uniforms(agent_id: str, turn_id: str) -> tuple[int, int]:
    """Two numbers of 64 bits; a label holds no NUL, so no two turns share a text."""
    digest = hashlib.blake2b(f"{agent_id}\0{turn_id}".encode(), digest_size=16, person=b"explore").digest()
    return int.from_bytes(digest[:8]), int.from_bytes(digest[8:])
