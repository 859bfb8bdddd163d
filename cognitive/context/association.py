"""What similar past turns used is wanted again, by as much as this agent's search was short of it then.

A past turn is a lesson on the search: a memory that it used although its relevance stood far below the best needs a
lift, one that was the best anyway needs none, and one that stood high and was not used needs to sink a little. Lessons
carry over to a new query by its similarity to the old one. Carrying over the shortfall, and not the mere fact of use,
is what keeps unrelated questions unharmed (docs/decisions/0010-association.md).
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from datetime import datetime
from uuid import UUID

from brain.decay import decayed
from brain.search import Found, PastShown, PastTurn
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
    lessons: dict[UUID, list[tuple[bool, float]]] = {}
    counts: dict[UUID, tuple[int, int]] = {}
    for turn in found.past:
        weight = _weight(turn, now, policy)
        for each in turn.shown if weight > 0 else ():
            shown, used = counts.get(each.memory_id, (0, 0))
            counts[each.memory_id] = shown + 1, used + each.used
            lessons.setdefault(each.memory_id, []).append((each.rated, weight * _lesson(each)))
    return {id: Lift(policy.association_weight * _telling(lessons[id]), *counted) for id, counted in counts.items()}


def _lesson(shown: PastShown) -> float:
    """What a turn that asked the same says of a memory: what it lacked, or by how much it stood too high.

    A rating says it outright: it belongs to the best, or it does not.
    """
    if shown.used:
        return MOST_LACKED if shown.rated else min(MOST_LACKED, (shown.lacked or 0.0) + MARGIN)
    if shown.rated:
        return -HIGH
    return -_SINKS * max(0.0, HIGH - shown.lacked) if shown.lacked is not None else 0.0


def _telling(lessons: Sequence[tuple[bool, float]]) -> float:
    """The lesson that counts: a rating before what was measured, a use before its absence, then the greatest."""
    rated = [value for by_somebody, value in lessons if by_somebody]
    values = rated or [value for _, value in lessons]
    return max(values) if max(values) > 0 else min(values)


def similarity(turn: PastTurn, policy: Policy) -> float:
    """How like this query a past turn's was, at most 1: words tell apart what embeddings of short questions confuse."""
    return (1 - policy.association_words) * turn.cosine + policy.association_words * turn.words


def _weight(turn: PastTurn, now: datetime, policy: Policy) -> float:
    """In [0, 1]: by similarity between the policy's two bounds, by age, and less for a turn that used many."""
    span = max(1e-6, policy.association_full - policy.association_floor)
    near = min(1.0, max(0.0, (similarity(turn, policy) - policy.association_floor) / span))
    many = max(1, sum(each.used for each in turn.shown)) ** _MANY
    return decayed(near / many, turn.at, now, policy.association_half_life_days)
