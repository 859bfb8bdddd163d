"""What similar past turns used is wanted again, by as much as this agent's search was short of it then.

A past turn is a lesson on the search: a memory that it used although its relevance stood far below the best needs a
lift, one that was the best anyway needs none, and one that stood high and was not used needs to sink a little. Lessons
carry over to a new query by its similarity to the old one. Carrying over the shortfall, and not the mere fact of use,
is what keeps unrelated questions unharmed (docs/decisions/0010-association.md).
"""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass
from datetime import datetime
from uuid import UUID

from brain.decay import decayed
from brain.search import Found, PastTurn
from cognitive.policy import Policy

MOST_LACKED = 0.25  # of relevance, which ends at 1
MARGIN = 0.12  # what was used should not just reach the best of its turn, it should stand above what was not
HIGH = 0.1  # below the best: what stood nearer to it and was not used sinks
_SINKS = 0.2  # of what a use lifts: not being used is weaker evidence than being used
_MANY = 0.1  # exponent: a turn that used many memories says less of each


@dataclass(frozen=True, slots=True)
class Lift:
    """What past turns add to a memory's relevance, and how many of those alike showed and used it."""

    value: float = 0.0
    shown: int = 0
    used: int = 0


NO_LIFT = Lift()


def lifts(found: Found, now: datetime, policy: Policy) -> Mapping[UUID, Lift]:
    """By memory, what past turns add to its relevance, within ± association_weight · MOST_LACKED.

    The lesson that says most counts, not their sum: the same question asked ten times is no ten lessons.
    """
    raised: dict[UUID, float] = {}
    sunk: dict[UUID, float] = {}
    counts: dict[UUID, tuple[int, int]] = {}
    for turn in found.past:
        weight = _weight(turn, now, policy)
        if weight <= 0:
            continue
        for each in turn.shown:
            shown, used = counts.get(each.memory_id, (0, 0))
            counts[each.memory_id] = shown + 1, used + each.used
            if each.used:
                lacked = min(MOST_LACKED, (each.lacked or 0.0) + MARGIN)
                raised[each.memory_id] = max(raised.get(each.memory_id, 0.0), weight * lacked)
            elif each.lacked is not None:
                sunk[each.memory_id] = max(sunk.get(each.memory_id, 0.0), weight * max(0.0, HIGH - each.lacked))
    strength = policy.association_weight
    return {
        id: Lift(strength * raised[id] if id in raised else -strength * _SINKS * sunk.get(id, 0.0), shown, used)
        for id, (shown, used) in counts.items()
    }


def similarity(turn: PastTurn, policy: Policy) -> float:
    """How like this query a past turn's was, at most 1: words tell apart what embeddings of short questions confuse."""
    return (1 - policy.association_words) * turn.cosine + policy.association_words * turn.words


def _weight(turn: PastTurn, now: datetime, policy: Policy) -> float:
    """In [0, 1]: by similarity between the policy's two bounds, by age, and less for a turn that used many."""
    span = max(1e-6, policy.association_full - policy.association_floor)
    near = min(1.0, max(0.0, (similarity(turn, policy) - policy.association_floor) / span))
    many = max(1, sum(each.used for each in turn.shown)) ** _MANY
    return decayed(near / many, turn.at, now, policy.association_half_life_days)
