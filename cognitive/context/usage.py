"""Say what past use is worth: a factor from a memory's own use, and a lift from what turns like this one used.

The factor is bounded, shrunk towards what is usual, and neutral for what was never shown.

A past turn is a lesson on the search: a memory that it used although its relevance stood far below the best needs a
lift, one that was the best anyway needs none, and one that stood high and was not used needs to sink a little. Lessons
carry over to a new query by its similarity to the old one. Carrying over the shortfall, and not the mere fact of use,
is what keeps unrelated questions unharmed (docs/decisions/0010-association.md).
"""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass, replace
from datetime import datetime
from math import exp
from uuid import UUID

from brain.decay import decayed
from brain.past_turns import PastShown, PastTurn
from brain.search import Hit, Masses, SearchResult
from cognitive.policy import Policy
from cognitive.policy.constants import Constants
from cognitive.trace import Boost

# The Beta posterior has an optimistic prior, since a new memory deserves its chance, of a
# strength that makes two noisy labels weigh little: its mean is OPTIMISM times the base rate, at most
# MAX_EXPECTED; its strength falls as use gets more common.
OPTIMISM = 3.0
MAX_EXPECTED = 0.6
MIN_BASE_RATE = 0.005
# A past turn weighs exp((cosine - 1) / WIDTH): for MiniLM paraphrases stand at 0.8 and more, which is a fifth and more.
WIDTH = 0.12
UNRELATED = 0.55  # cosine below which a turn was about something else
_FEW_USES = 3.0  # prior weight of a memory's being of use for one thing: an answer may well answer two questions
_MIN_SHOWN = 2  # showings from which the seed's rule applies
# Labels that credit decoys half as often as what was shown, or more often, are believed less and less. Until there is
# evidence decoys are taken to be credited a fifth as often, which weighs as much as five of them.
_CREDIBLE = 0.5
_CHANCE = 0.2
_DECOYS = 5
MAX_RELEVANCE_GAP = 0.25  # of relevance, which ends at 1
MARGIN = 0.12  # what was used should not just reach the best of its turn, it should stand above what was not
HIGH = 0.1  # below the best: what stood nearer to it and was not used sinks
_SINKS = 0.2  # of what a use lifts: not being used is weaker evidence than being used
_MANY = 0.1  # exponent: a turn that used many memories says less of each


@dataclass(frozen=True, slots=True)
class SimilarTurnUsage:
    """How past turns like this one shown and used a memory.

    `weighed_*` are sums of kernel weights; `shown` and `used` are decayed masses of the turns that were about the same
    thing at all, and `times_*` their counts. What was rated weighs more, as it does in the masses of the memory.
    """

    weighted_shown: float = 0.0
    weighted_used: float = 0.0
    shown: float = 0.0
    used: float = 0.0
    times_shown: int = 0
    times_used: int = 0


NO_SIMILAR_USAGE = SimilarTurnUsage()
_UNKNOWN = Boost()  # one object for all: most candidates were never shown


def combined_boosts(found: SearchResult, now: datetime, policy: Policy, constants: Constants) -> Mapping[UUID, Boost]:
    """What every memory that was found has earned by its use, in all turns and in those like this one."""
    trust = reliability(found.base, now, policy)
    lifted, boosted = lifts(found, now, policy, constants), boosts(found, now, policy, constants)
    raised = {
        id: replace(each, lift=trust * each.specificity * lifted[id].value)
        for id, each in boosted.items()
        if id in lifted
    }
    return {**boosted, **raised}


def boosts(found: SearchResult, now: datetime, policy: Policy, constants: Constants) -> dict[UUID, Boost]:
    """What usage says of every memory that was found."""
    near = nearby(found.past, now, policy)
    measure = BOOSTS[policy.usage.boost]
    trust = reliability(found.base, now, policy)
    return {
        hit.memory_id: measure(
            hit, found.base, now, policy, constants, near.get(hit.memory_id, NO_SIMILAR_USAGE) if near else None, trust
        )
        for hit in found.hits
    }


def boost(
    hit: Hit,
    base: Mapping[str, Masses],
    now: datetime,
    policy: Policy,
    constants: Constants,
    near: SimilarTurnUsage | None = None,
    trust: float = 1.0,
) -> Boost:
    """A factor in [min_boost, max_boost] from three levels of evidence: type, memory, and turns like this one.

    The memory's rate is a Beta posterior, (used + m·e) / (shown + m), with e what a memory of its type is expected to
    reach, and m = max(2, 0.4 / base rate); where there are past turns to compare with, the rate in those like this one
    is shrunk to it in the same way. The factor is 1 at e, and linear from there to its bounds at rates 1 and 0. What is
    used as often in turns about something else is no better here: above e it counts only beyond that rate. Labels that
    cannot be told from chance move nothing (`trust`, an exponent). Chapelle and Li (2011) and "Dynamic-Prior Thompson
    Sampling" (arXiv:2602.00943) for the prior.

    Args:
        near: What turns like this one say of it; None if there are no past turns to tell them from others.
    """
    if hit.times_shown == 0 or hit.usage_at is None:
        return _UNKNOWN
    shown, used = _left(hit, now, policy)
    usual = base_rate(base.get(hit.type), now, policy)
    expected = min(MAX_EXPECTED, OPTIMISM * usual)
    strength = max(2.0, 0.4 / usual)
    rate, elsewhere = (used + strength * expected) / (shown + strength), 0.0
    if near is not None:
        far_shown, far_used = max(0.0, shown - near.shown), max(0.0, used - near.used)
        elsewhere = (far_used + strength * expected) / (far_shown + strength)
        prior = max(0.3, 0.05 / usual)
        rate = (near.weighted_used + prior * rate) / (near.weighted_shown + prior)
    factor = _factor(rate, expected, max(expected, elsewhere), constants) ** trust
    specific = min(1.0, (near.used + _FEW_USES) / (used + _FEW_USES)) if near is not None else 1.0
    return Boost(factor, shown, used, _counted(hit, near), specific)


def seed_rate(
    hit: Hit,
    base: Mapping[str, Masses],
    now: datetime,
    policy: Policy,
    constants: Constants,
    near: SimilarTurnUsage | None = None,
    trust: float = 1.0,
) -> Boost:
    """The seed's rule, exactly: 0.5 + used ÷ shown, by plain counts, from the second showing on."""
    shown, used = _left(hit, now, policy)
    if hit.times_shown < _MIN_SHOWN:
        return Boost(1.0, shown, used, f"shown fewer than {_MIN_SHOWN} times")
    factor = 0.5 + hit.times_used / hit.times_shown
    return Boost(factor, shown, used, _counted(hit, None))


BOOSTS: Mapping[str, Callable[..., Boost]] = {"posterior": boost, "rate": seed_rate}


def nearby(past: Sequence[PastTurn], now: datetime, policy: Policy) -> dict[UUID, SimilarTurnUsage]:
    """By memory, what the past turns most like this one say of it."""
    found: dict[UUID, SimilarTurnUsage] = {}
    for turn in past:
        weight = decayed(exp((turn.cosine - 1) / WIDTH), turn.at, now, policy.association.half_life_days)
        related = turn.cosine >= UNRELATED
        mass = decayed(1.0, turn.at, now, policy.usage.half_life_days) if related else 0.0
        for each in turn.shown:
            so_far = found.get(each.memory_id, NO_SIMILAR_USAGE)
            worth = policy.feedback.rating_weight if each.rated else 1.0
            found[each.memory_id] = SimilarTurnUsage(
                so_far.weighted_shown + worth * weight,
                so_far.weighted_used + worth * weight * each.used,
                so_far.shown + worth * mass,
                so_far.used + worth * mass * each.used,
                so_far.times_shown + related,
                so_far.times_used + (related and each.used),
            )
    return found


def reliability(base: Mapping[str, Masses], now: datetime, policy: Policy) -> float:
    """How far the labels can be believed, in [0, 1]: 1 - credit of decoys ÷ credit of what was shown, over one half.

    Decoys are memories that were not shown and are judged all the same: a label that credits them as often as what was
    shown says nothing, and ranking falls back to relevance.
    """
    totals = [(decayed(1.0, masses.at, now, policy.usage.half_life_days), masses) for masses in base.values()]
    shown = sum(left * masses.shown for left, masses in totals)
    used = sum(left * masses.used for left, masses in totals)
    decoys = sum(left * masses.decoys for left, masses in totals)
    credited = sum(left * masses.decoys_used for left, masses in totals)
    rate = (used + 1) / (shown + 5)
    chance = (credited + _CHANCE * rate * _DECOYS) / (decoys + _DECOYS)
    return min(1.0, max(0.0, 1 - chance / rate) / _CREDIBLE)


def _left(hit: Hit, now: datetime, policy: Policy) -> tuple[float, float]:
    """What is left of a memory's masses of being shown and used."""
    if hit.usage_at is None:
        return 0.0, 0.0
    shown, used = (
        decayed(mass, hit.usage_at, now, policy.usage.half_life_days) for mass in (hit.usage_shown, hit.usage_used)
    )
    return shown, used


def _factor(rate: float, expected: float, reference: float, constants: Constants) -> float:
    if rate > reference:
        return 1 + (constants.max_boost - 1) * (rate - reference) / (1 - expected)
    if rate < expected:
        return 1 - (1 - constants.min_boost) * (expected - rate) / expected
    return 1.0


def _counted(hit: Hit, near: SimilarTurnUsage | None) -> str:
    told = f"used in {hit.times_used} of {hit.times_shown} turns that showed it"
    if near is None or not near.times_shown:
        return told
    return f"{told}, in {near.times_used} of {near.times_shown} like this one"


def base_rate(masses: Masses | None, now: datetime, policy: Policy) -> float:
    """How often a shown memory of the type is used at all; one in five until there is evidence."""
    if masses is None:
        return 1 / 5
    left = decayed(1.0, masses.at, now, policy.usage.half_life_days)
    return max(MIN_BASE_RATE, (masses.used * left + 1) / (masses.shown * left + 5))


@dataclass(frozen=True, slots=True)
class Lift:
    """What past turns add to a memory's relevance, and how many of those alike showed and used it."""

    value: float = 0.0
    shown: int = 0
    used: int = 0


NO_LIFT = Lift()


def lifts(found: SearchResult, now: datetime, policy: Policy, constants: Constants) -> Mapping[UUID, Lift]:
    """By memory, what past turns add to its relevance, within ± association.weight · MAX_LACKED.

    The lesson that says most counts, not their sum: the same question asked ten times is no ten lessons.
    """
    lessons: dict[UUID, list[tuple[bool, float]]] = {}
    counts: dict[UUID, tuple[int, int]] = {}
    for turn in found.past:
        weight = _weight(turn, now, policy, constants)
        for each in turn.shown if weight > 0 else ():
            shown, used = counts.get(each.memory_id, (0, 0))
            counts[each.memory_id] = shown + 1, used + each.used
            lessons.setdefault(each.memory_id, []).append((each.rated, weight * _lesson(each)))
    return {id: Lift(policy.association.weight * _telling(lessons[id]), *counted) for id, counted in counts.items()}


def _lesson(shown: PastShown) -> float:
    """What a turn that asked the same says of a memory: what it lacked, or by how much it stood too high.

    A rating says it outright: it belongs to the best, or it does not.
    """
    if shown.used:
        return MAX_RELEVANCE_GAP if shown.rated else min(MAX_RELEVANCE_GAP, (shown.relevance_gap or 0.0) + MARGIN)
    if shown.rated:
        return -HIGH
    return -_SINKS * max(0.0, HIGH - shown.relevance_gap) if shown.relevance_gap is not None else 0.0


def _telling(lessons: Sequence[tuple[bool, float]]) -> float:
    """The lesson that counts: a rating before what was measured, a use before its absence, then the greatest."""
    rated = [value for by_somebody, value in lessons if by_somebody]
    values = rated or [value for _, value in lessons]
    return max(values) if max(values) > 0 else min(values)


def similarity(turn: PastTurn, constants: Constants) -> float:
    """How like this query a past turn's was, at most 1: words tell apart what embeddings of short questions confuse."""
    lexical = constants.association_lexical_share
    return (1 - lexical) * turn.cosine + lexical * turn.words


def _weight(turn: PastTurn, now: datetime, policy: Policy, constants: Constants) -> float:
    """In [0, 1]: by similarity between the policy's two bounds, by age, and less for a turn that used many."""
    span = max(1e-6, constants.association_full_similarity - policy.association.min_similarity)
    near = min(1.0, max(0.0, (similarity(turn, constants) - policy.association.min_similarity) / span))
    many = max(1, sum(each.used for each in turn.shown)) ** _MANY
    return decayed(near / many, turn.at, now, policy.association.half_life_days)
