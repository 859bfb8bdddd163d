"""Exploration: occasionally show a memory that was just left out, with an exactly known probability.

A memory that is never shown gets no usage and keeps its low rank (Pandey et al., "Shuffling a Stacked Deck", VLDB
2005). Recorded probabilities are also what off-policy evaluation of another policy needs (`cognitive/lab/evaluate.py`).
"""

from __future__ import annotations

import hashlib
from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from itertools import islice
from uuid import UUID

from cognitive.trace import Candidate, CandidateResult

# Number of candidates below the cut that exploration draws from. Another ranking would mostly show one of the nearest,
# and a larger pool would spread the same number of trials over more memories.
POOL = 5


@dataclass(frozen=True, slots=True)
class Draw:
    """The result of exploration in a turn: the memories to show, and the probability of each.

    Attributes:
        kept: the candidates to show, in order.
        propensities: by memory, the probability of being shown, for the kept candidates and those that exploration
            could have shown instead. They sum to the number of shown memories. Any other memory could not have been
            shown.
        drawn: the candidate that took the place of another, or None if the turn did not explore.
        displaced: the result of the candidate that lost its place, or None if the turn did not explore.
    """

    kept: tuple[Candidate, ...]
    propensities: Mapping[UUID, float]
    drawn: Candidate | None = None
    displaced: CandidateResult | None = None


def explore(
    turn_id: str, agent_id: str, kept: Sequence[Candidate], below: Sequence[Candidate], every: int, *, room: int = 0
) -> Draw:
    """In one of `every` turns, replace a memory that would be shown by one that was just left out.

    The replacement is drawn uniformly from the best few candidates in `below` that fit. It displaces the candidate in
    `kept` with the lowest score among those of the same memory type, or among all if none has the same type. It fits if
    it needs at most `room` tokens more than the displaced candidate. The draw is a hash of agent and turn, so that a
    replayed turn draws the same candidate.

    Args:
        turn_id: the turn's id, part of the hash.
        agent_id: the agent's id, part of the hash.
        kept: the candidates that would be shown, best first, with tokens. If there are none, nothing is drawn.
        below: the candidates that were left out only for a limit or a budget, best first, with tokens.
        every: the average number of turns per exploration; 0 never explores.
        room: the tokens of the memory budget that `kept` leaves free.
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
        displaced=CandidateResult(last, "displaced", last.score, f"exploration showed rank {drawn.rank} instead"),
    )


def _fitting(kept: Sequence[Candidate], below: Sequence[Candidate], room: int) -> list[tuple[Candidate, Candidate]]:
    """Return the left-out candidates that would fit, each paired with the kept candidate that it would replace."""
    if not kept:
        return []
    pairs = [(candidate, _last(kept, candidate)) for candidate in below]
    return [(candidate, last) for candidate, last in pairs if candidate.tokens <= last.tokens + room]


def _last(kept: Sequence[Candidate], candidate: Candidate) -> Candidate:
    """Return the kept candidate that `candidate` would replace.

    It has the lowest score of the kept candidates of the same memory type, or of all if there are none of this type.
    """
    own = [each for each in kept if each.hit.type == candidate.hit.type]
    last: Candidate = min(reversed(own or kept), key=lambda each: each.score)
    return last


def _propensities(
    kept: Sequence[Candidate], pool: Sequence[tuple[Candidate, Candidate]], every: int
) -> dict[UUID, float]:
    """Return for each memory the probability that it is shown.

    `pool` has the candidates that exploration draws from, each with the kept candidate that it would replace. A
    candidate of the pool is shown with probability 1 / (every · pool size). A kept candidate is shown with probability
    1 - k / (every · pool size), where k is the number of candidates in the pool that would replace it.
    """
    each = 1 / (every * len(pool))
    at_risk = [last.hit.memory_id for _, last in pool]
    shown = {id: 1 - at_risk.count(id) * each for id in (candidate.hit.memory_id for candidate in kept)}
    return shown | {candidate.hit.memory_id: each for candidate, _ in pool}


def _uniforms(agent_id: str, turn_id: str) -> tuple[int, int]:
    """Return two pseudo-random 64-bit numbers that depend on the agent and the turn only.

    Ids contain no NUL, so each pair of agent and turn hashes a different text.
    """
    digest = hashlib.blake2b(f"{agent_id}\0{turn_id}".encode(), digest_size=16, person=b"explore").digest()
    return int.from_bytes(digest[:8]), int.from_bytes(digest[8:])
