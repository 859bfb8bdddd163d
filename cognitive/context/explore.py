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
    """The result of exploration in a turn.

    Attributes:
        kept: the candidates to show, in order.
        propensities: the probability of being shown, by memory, of all kept candidates and of the whole pool; they sum
            to the number of shown memories. A memory that is missing could not have been shown.
        drawn: the candidate that took the place of another; None if the turn did not explore.
        displaced: the result of the candidate that lost its place; None if the turn did not explore.
    """

    kept: tuple[Candidate, ...]
    propensities: Mapping[UUID, float]
    drawn: Candidate | None = None
    displaced: CandidateResult | None = None


def explore(
    turn_id: str, agent_id: str, kept: Sequence[Candidate], below: Sequence[Candidate], every: int, *, room: int = 0
) -> Draw:
    """With probability 1 / `every`, replace a kept candidate by one of the first few below the cut, drawn uniformly.

    The drawn candidate replaces the kept one with the lowest score of its type, or of all types if its type has none.
    Only candidates take part that need no more tokens than the one they would replace plus `room`. The draw is a hash
    of agent and turn, so that a replayed turn draws the same.

    Args:
        turn_id: the turn's id, part of the hash.
        agent_id: the agent's id, part of the hash.
        kept: the candidates that would be shown, best first, with tokens. If there are none, nothing is drawn.
        below: the candidates that only a limit or a budget excluded, best first, with tokens.
        every: the average number of turns per exploration; 0 never explores.
        room: the tokens of the total that `kept` leaves free.
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
    """Return the candidates below the cut that fit, each with the kept candidate that it would replace."""
    if not kept:
        return []
    pairs = [(candidate, _last(kept, candidate)) for candidate in below]
    return [(candidate, last) for candidate, last in pairs if candidate.tokens <= last.tokens + room]


def _last(kept: Sequence[Candidate], candidate: Candidate) -> Candidate:
    """Return the kept candidate that another would replace: the lowest score of its type, or else of all types."""
    own = [each for each in kept if each.hit.type == candidate.hit.type]
    return min(reversed(own or kept), key=lambda each: each.score)


def _propensities(
    kept: Sequence[Candidate], pool: Sequence[tuple[Candidate, Candidate]], every: int
) -> dict[UUID, float]:
    """Return the probability of being shown, by memory.

    A candidate of the pool is shown with probability 1 / (every · pool size). A kept one is shown with 1 minus that
    probability for each pool candidate that would replace it.
    """
    each = 1 / (every * len(pool))
    at_risk = [last.hit.memory_id for _, last in pool]
    shown = {id: 1 - at_risk.count(id) * each for id in (candidate.hit.memory_id for candidate in kept)}
    return shown | {candidate.hit.memory_id: each for candidate, _ in pool}


def _uniforms(agent_id: str, turn_id: str) -> tuple[int, int]:
    """Return two pseudo-random 64-bit numbers of a turn. Ids contain no NUL, so each turn hashes a different text."""
    digest = hashlib.blake2b(f"{agent_id}\0{turn_id}".encode(), digest_size=16, person=b"explore").digest()
    return int.from_bytes(digest[:8]), int.from_bytes(digest[8:])
