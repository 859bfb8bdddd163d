"""Usage: compute how past use changes a memory's score, by a factor (the boost) and an addition (the lift).

The boost is a bounded factor from how often the memory was used when it was shown. It is shrunk towards the usual rate
of the memory's type, and 1 for a memory that was never shown.

The lift is an addition to relevance, learned from past turns with a similar message. In such a turn, a memory that was
used although its relevance was far below the best gets a positive lift, one that was the best anyway gets almost none,
and one with high relevance that was not used gets a small negative lift. The lift grows with the similarity of the two
messages. Because it depends on how much relevance the memory lacked, and not only on its use, unrelated questions are
not harmed (docs/decisions/0010-association.md).
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
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

# The beta prior of a memory's use rate is optimistic, so that a new memory gets its chance: its mean is OPTIMISM times
# the base rate, at most MAX_EXPECTED. It is strong enough that two noisy labels change little, and weaker if use is
# common.
OPTIMISM = 3.0
MAX_EXPECTED = 0.6
MIN_BASE_RATE = 0.005
# A past turn weighs exp((cosine - 1) / WIDTH). With MiniLM, paraphrases have a cosine of 0.8 or more, and so a weight
# of 0.19 or more.
WIDTH = 0.12
UNRELATED = 0.55  # cosine below which a past turn counts as one about something else
_FEW_USES = 3.0  # prior uses that a memory counts as specific to this message; one answer may fit two questions
_MIN_SHOWN = 2  # times a memory must have been shown for the boost "rate"
_CREDIBLE = 0.5  # labels are less reliable if they credit decoys at least half as often as shown memories
_CHANCE = 0.2  # prior of how often decoys are credited, as a share of the rate of shown memories
_DECOYS = 5  # decoys that this prior counts as
MAX_RELEVANCE_GAP = 0.25  # maximum relevance that a lift adds at weight 1; relevance is at most about 1
MARGIN = 0.04  # added to the gap of a used memory, so that it comes out above those that were not used
HIGH = 0.1  # relevance gap below which a memory that was not used gets a negative lift
_SINKS = 0.2  # size of a negative lift relative to a positive one: not being used is weaker evidence than being used
_MANY = 0.1  # exponent of the number of used memories by which a turn's lesson is divided


@dataclass(frozen=True, slots=True)
class SimilarTurnUsage:
    """The usage of a memory in past turns whose message is similar to this turn's.

    Attributes:
        weighted_shown: the sum of the similarity weights of the turns that showed it.
        weighted_used: the same sum over the turns that used it.
        shown: the number of related turns that showed it, older turns counting less. A turn is related if the cosine of
            the messages is at least UNRELATED.
        used: the number of related turns that used it, older turns counting less.
        times_shown: the plain number of related turns that showed it.
        times_used: the plain number of related turns that used it.

    A memory that a user rated counts `feedback.rating_weight` times, except in the plain numbers.
    """

    weighted_shown: float = 0.0
    weighted_used: float = 0.0
    shown: float = 0.0
    used: float = 0.0
    times_shown: int = 0
    times_used: int = 0


NO_SIMILAR_USAGE = SimilarTurnUsage()
_UNKNOWN = Boost()  # shared, because most candidates were never shown


def combined_boosts(found: SearchResult, now: datetime, policy: Policy, constants: Constants) -> Mapping[UUID, Boost]:
    """Return for every memory that was found its boost (a factor from past use), with its lift (an addition).

    The lift is multiplied by the share of the memory's uses that were in similar turns, and by the reliability of the
    labels "used" and "not used".
    """
    lifted, boosted = lifts(found, now, policy, constants), boosts(found, now, policy, constants)
    if not lifted:
        return boosted
    reliable = reliability(found.base, now, policy)
    raised = {
        id: replace(each, lift=reliable * each.specificity * lifted[id].value)
        for id, each in boosted.items()
        if id in lifted
    }
    return {**boosted, **raised}


def boosts(found: SearchResult, now: datetime, policy: Policy, constants: Constants) -> dict[UUID, Boost]:
    """Return the boost of each memory found: the factor by which its past use changes its score."""
    similar = usage_in_similar_turns(found.past, now, policy)
    # without vectors, past turns are not compared, and a memory is judged by its totals
    compared = bool(similar) or any(hit.vector is not None for hit in found.hits)
    reliable = reliability(found.base, now, policy)
    return {
        hit.memory_id: boost(
            hit,
            found.base,
            now,
            policy,
            constants,
            similar.get(hit.memory_id, NO_SIMILAR_USAGE) if compared else None,
            reliable,
        )
        for hit in found.hits
    }


def boost(
    hit: Hit,
    base: Mapping[str, Masses],
    now: datetime,
    policy: Policy,
    constants: Constants,
    similar: SimilarTurnUsage | None = None,
    reliable: float = 1.0,
) -> Boost:
    """Return the boost of a memory: a factor from min_boost to max_boost by which past use changes its score.

    The memory's use rate is the mean of a beta posterior, (used + m·e) / (shown + m). Here e is the rate expected of a
    memory of its type, min(MAX_EXPECTED, OPTIMISM · base rate), and m = max(2, 0.4 / base rate). If past turns can be
    compared, the rate in turns similar to this one is used instead, shrunk towards the memory's rate in the same way.
    The factor is 1 at rate e, and linear from there to max_boost at rate 1 and to min_boost at rate 0. A rate above e
    raises the factor only by the part above the memory's rate in turns about something else. The factor is raised to
    the power `reliable`, so that labels no better than chance change nothing. The prior follows Chapelle and Li, "An
    Empirical Evaluation of Thompson Sampling" (2011), and "Dynamic-Prior Thompson Sampling" (arXiv:2602.00943).

    With the setting `usage.boost` = "rate", the boost is the memory's plain use rate instead (see `_rate_boost`).

    Args:
        hit: the memory, with how often it was shown and used.
        base: by memory type, how often its memories were shown and used, older turns counting less.
        now: the turn's time.
        policy: the kind of boost, and the half-life with which usage decays.
        constants: the bounds of the factor.
        similar: the memory's usage in similar turns, or None if past turns cannot be compared.
        reliable: the reliability of the labels "used" and "not used", from 0 to 1 (see `reliability`).
    """
    if policy.usage.boost == "rate":
        return _rate_boost(hit, now, policy)
    if hit.times_shown == 0 or hit.usage_at is None:
        return _UNKNOWN
    shown, used = _decayed_usage(hit, now, policy)
    usual = base_rate(base.get(hit.type), now, policy)
    expected = min(MAX_EXPECTED, OPTIMISM * usual)
    strength = max(2.0, 0.4 / usual)
    rate, elsewhere = (used + strength * expected) / (shown + strength), 0.0
    if similar is not None:
        far_shown, far_used = max(0.0, shown - similar.shown), max(0.0, used - similar.used)
        elsewhere = (far_used + strength * expected) / (far_shown + strength)
        prior = max(0.3, 0.05 / usual)
        rate = (similar.weighted_used + prior * rate) / (similar.weighted_shown + prior)
    factor = _factor(rate, expected, max(expected, elsewhere), constants) ** reliable
    specific = min(1.0, (similar.used + _FEW_USES) / (used + _FEW_USES)) if similar is not None else 1.0
    return Boost(factor, shown, used, _counted(hit, similar), specific)


def _rate_boost(hit: Hit, now: datetime, policy: Policy) -> Boost:
    """Return a memory's boost by its plain use rate: 0.5 + times used / times shown.

    The counts do not decay. A memory that was shown fewer than twice has the factor 1.
    """
    shown, used = _decayed_usage(hit, now, policy)
    if hit.times_shown < _MIN_SHOWN:
        return Boost(1.0, shown, used, f"shown fewer than {_MIN_SHOWN} times")
    factor = 0.5 + hit.times_used / hit.times_shown
    return Boost(factor, shown, used, _counted(hit, None))


def usage_in_similar_turns(past: Sequence[PastTurn], now: datetime, policy: Policy) -> dict[UUID, SimilarTurnUsage]:
    """Return for each memory how often past turns with a similar message showed and used it.

    The weight of a past turn is exp((cosine - 1) / WIDTH), where the cosine compares its message with this turn's. The
    weight is halved with each half-life of the past turn's age. The formula is this project's own.
    """
    usages: dict[UUID, SimilarTurnUsage] = {}
    for turn in past:
        weight = decayed(exp((turn.cosine - 1) / WIDTH), turn.at, now, policy.association.half_life_days)
        related = turn.cosine >= UNRELATED
        mass = decayed(1.0, turn.at, now, policy.usage.half_life_days) if related else 0.0
        for each in turn.shown:
            so_far = usages.get(each.memory_id, NO_SIMILAR_USAGE)
            worth = policy.feedback.rating_weight if each.rated else 1.0
            usages[each.memory_id] = SimilarTurnUsage(
                so_far.weighted_shown + worth * weight,
                so_far.weighted_used + worth * weight * each.used,
                so_far.shown + worth * mass,
                so_far.used + worth * mass * each.used,
                so_far.times_shown + related,
                so_far.times_used + (related and each.used),
            )
    return usages


def reliability(base: Mapping[str, Masses], now: datetime, policy: Policy) -> float:
    """Return how reliably the agent's memories are labelled as used or not used, from 0 to 1.

    It is (1 - decoy rate / shown rate) / 0.5, clipped. The rates are how often attribution labels decoys and shown
    memories as used. Decoys are memories that were not shown, so their labels are chance. If both rates are equal, the
    result is 0 and ranking falls back to relevance. The formula is this project's own.
    """
    totals = [(decayed(1.0, masses.at, now, policy.usage.half_life_days), masses) for masses in base.values()]
    shown = sum(left * masses.shown for left, masses in totals)
    used = sum(left * masses.used for left, masses in totals)
    decoys = sum(left * masses.decoys for left, masses in totals)
    credited = sum(left * masses.decoys_used for left, masses in totals)
    rate = (used + 1) / (shown + 5)
    chance = (credited + _CHANCE * rate * _DECOYS) / (decoys + _DECOYS)
    return min(1.0, max(0.0, 1 - chance / rate) / _CREDIBLE)


def _decayed_usage(hit: Hit, now: datetime, policy: Policy) -> tuple[float, float]:
    """Return how often a memory was shown and how often it was used, both decayed to the time `now`."""
    if hit.usage_at is None:
        return 0.0, 0.0
    shown, used = (
        decayed(mass, hit.usage_at, now, policy.usage.half_life_days) for mass in (hit.usage_shown, hit.usage_used)
    )
    return shown, used


def _factor(rate: float, expected: float, reference: float, constants: Constants) -> float:
    """Return the boost for a use rate: above 1 only for a rate above `reference`, below 1 only below `expected`."""
    if rate > reference:
        return 1 + (constants.max_boost - 1) * (rate - reference) / (1 - expected)
    if rate < expected:
        return 1 - (1 - constants.min_boost) * (expected - rate) / expected
    return 1.0


def _counted(hit: Hit, similar: SimilarTurnUsage | None) -> str:
    """Return how often a memory was used when it was shown, as a sentence for explanations."""
    counts = f"used in {hit.times_used} of {hit.times_shown} turns that showed it"
    if similar is None or not similar.times_shown:
        return counts
    return f"{counts}, in {similar.times_used} of {similar.times_shown} similar turns"


def base_rate(masses: Masses | None, now: datetime, policy: Policy) -> float:
    """Return the share of shown memories of a type that are used: 1 in 5 until there is evidence, and at least 0.005.

    `masses` has how often memories of the type were shown and used.
    """
    if masses is None:
        return 1 / 5
    left = decayed(1.0, masses.at, now, policy.usage.half_life_days)
    return max(MIN_BASE_RATE, (masses.used * left + 1) / (masses.shown * left + 5))


@dataclass(frozen=True, slots=True)
class Lift:
    """An addition to a memory's relevance, learned from similar past turns, and how many of them showed and used it."""

    value: float = 0.0
    shown: int = 0
    used: int = 0


def lifts(found: SearchResult, now: datetime, policy: Policy, constants: Constants) -> Mapping[UUID, Lift]:
    """Return for each memory its lift, the addition to its relevance that similar past turns suggest.

    A lift is within ± association.weight · MAX_RELEVANCE_GAP. Of several past turns only the most decisive one counts,
    not their sum: the same question asked ten times is one lesson.
    """
    lessons: dict[UUID, list[tuple[bool, float]]] = {}
    counts: dict[UUID, tuple[int, int]] = {}
    for turn in found.past:
        weight = _weight(turn, now, policy, constants)
        for each in turn.shown if weight > 0 else ():
            shown, used = counts.get(each.memory_id, (0, 0))
            counts[each.memory_id] = shown + 1, used + each.used
            lessons.setdefault(each.memory_id, []).append((each.rated, weight * _lesson(each)))
    return {id: Lift(policy.association.weight * _decisive(lessons[id]), *count) for id, count in counts.items()}


def _lesson(shown: PastShown) -> float:
    """Return the change in relevance that a similar past turn suggests for a memory that it showed.

    The relevance gap is how far the memory's relevance was below that of the turn's best candidate. For a used memory
    the change is the gap plus MARGIN, at most MAX_RELEVANCE_GAP. For a memory that was not used it is negative if the
    gap was below HIGH. A user's rating overrides the measured gap: +MAX_RELEVANCE_GAP if useful, -HIGH if not.
    """
    if shown.used:
        return MAX_RELEVANCE_GAP if shown.rated else min(MAX_RELEVANCE_GAP, (shown.relevance_gap or 0.0) + MARGIN)
    if shown.rated:
        return -HIGH
    return -_SINKS * max(0.0, HIGH - shown.relevance_gap) if shown.relevance_gap is not None else 0.0


def _decisive(lessons: Sequence[tuple[bool, float]]) -> float:
    """Return which of several suggested changes to a memory's relevance is applied.

    Each is a pair (is rated, change) from a similar past turn. Changes from a user's rating come before measured ones,
    and positive changes before negative ones. Of these, the largest change is applied.
    """
    rated = [value for is_rated, value in lessons if is_rated]
    values = rated or [value for _, value in lessons]
    return max(values) if max(values) > 0 else min(values)


def similarity(turn: PastTurn, constants: Constants) -> float:
    """Return the similarity of a past turn's message to this turn's: a weighted mean of cosine and shared words.

    It is at most 1. Shared words distinguish short questions that embeddings confuse.
    """
    lexical = constants.association_lexical_share
    return (1 - lexical) * turn.cosine + lexical * turn.words


def _weight(turn: PastTurn, now: datetime, policy: Policy, constants: Constants) -> float:
    """Return the weight of a past turn in the lifts of the memories that it showed, from 0 to 1.

    It rises linearly with similarity, from `association.min_similarity` to the constant `association_full_similarity`,
    is halved with each half-life of age, and is lower for a turn that used many memories.
    """
    span = max(1e-6, constants.association_full_similarity - policy.association.min_similarity)
    near = min(1.0, max(0.0, (similarity(turn, constants) - policy.association.min_similarity) / span))
    many = max(1, sum(each.used for each in turn.shown)) ** _MANY
    return decayed(near / many, turn.at, now, policy.association.half_life_days)
