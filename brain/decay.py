"""Exponential forgetting, as forward-decayed sums: the one definition of it.

Forward decay (Cormode et al., "Forward Decay: A Practical Time Decay Model for Streaming Systems", ICDE 2009): an
event at time t is stored with weight 2^((t - L) / H), L a fixed landmark and H the half-life; the sum as of `now` is
the stored sum times 2^(-(now - L) / H). Adding is commutative, so the sum does not depend on the order of arrival, it
is exact at any `now`, and nothing has to be rewritten as time passes.
"""

from __future__ import annotations

from datetime import UTC, datetime

LANDMARK = datetime(2026, 1, 1, tzinfo=UTC)
# A double overflows after 1,024 half-lives from the landmark (19 years at 7 days); beyond this many an event counts
# as no later, which loses nothing but the order of events that far ahead.
_MOST_HALF_LIVES = 900.0


def _half_lives(at: datetime, half_life_days: float) -> float:
    elapsed = (at - LANDMARK).total_seconds() / 86_400 / half_life_days
    return max(-_MOST_HALF_LIVES, min(_MOST_HALF_LIVES, elapsed))


def gain(at: datetime, half_life_days: float) -> float:
    """What an event at `at` adds to a stored sum, per unit of weight."""
    return float(2.0 ** _half_lives(at, half_life_days))


def mass(stored: float, now: datetime, half_life_days: float) -> float:
    """The decayed sum as of `now`, from a stored one. Events later than `now` count as if they happened now or more."""
    return float(stored * 2.0 ** -_half_lives(now, half_life_days))
