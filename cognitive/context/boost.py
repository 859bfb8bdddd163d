"""What usage says of a memory: a bounded factor, shrunk towards what is usual, neutral for what was never shown."""

from __future__ import annotations

from collections.abc import Mapping
from datetime import datetime
from uuid import UUID

from brain.decay import decayed
from brain.search import Found, Hit, Masses
from cognitive.policy import Policy
from cognitive.trace import Boost

# The Beta posterior has an optimistic prior, since a new memory deserves its chance, of a
# strength that makes two noisy labels weigh little: its mean is OPTIMISM times the base rate, at most
# MOST_EXPECTED; its strength falls as use gets more common.
OPTIMISM = 3.0
MOST_EXPECTED = 0.6
LEAST_BASE_RATE = 0.005


def boosts(found: Found, now: datetime, policy: Policy) -> dict[UUID, Boost]:
    """What usage says of every memory that was found."""
    return {hit.memory_id: boost(hit, found.base, now, policy) for hit in found.hits}


def boost(hit: Hit, base: Mapping[str, Masses], now: datetime, policy: Policy) -> Boost:
    """A factor in [least_boost, most_boost] from decayed masses of a memory being shown and used.

    The rate is a Beta posterior, (used + m·e) / (shown + m), with e what a memory of its type is expected to reach,
    and m = max(2, 0.4 / base rate); the factor is 1 at e, and linear from there to its bounds at rates 1 and 0.
    Chapelle and Li (2011) and "Dynamic-Prior Thompson Sampling" (arXiv:2602.00943) for the prior.
    """
    if hit.times_shown == 0 or hit.usage_at is None:
        return Boost()
    shown = decayed(hit.usage_shown, hit.usage_at, now, policy.half_life_days)
    used = decayed(hit.usage_used, hit.usage_at, now, policy.half_life_days)
    usual = base_rate(base.get(hit.type), now, policy)
    expected = min(MOST_EXPECTED, OPTIMISM * usual)
    strength = max(2.0, 0.4 / usual)
    rate = (used + strength * expected) / (shown + strength)
    if rate >= expected:
        factor = 1 + (policy.most_boost - 1) * (rate - expected) / (1 - expected)
    else:
        factor = 1 - (1 - policy.least_boost) * (expected - rate) / expected
    return Boost(
        factor, shown, used, f"{factor:.2f}: used in {hit.times_used} of {hit.times_shown} turns that showed it"
    )


def base_rate(masses: Masses | None, now: datetime, policy: Policy) -> float:
    """How often a shown memory of the type is used at all; one in five until there is evidence."""
    if masses is None:
        return 1 / 5
    left = decayed(1.0, masses.at, now, policy.half_life_days)
    return max(LEAST_BASE_RATE, (masses.used * left + 1) / (masses.shown * left + 5))
