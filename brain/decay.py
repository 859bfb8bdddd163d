"""Exponential decay of usage counts; the SQL function `cognitive.decay` computes the same.

A decayed sum is stored with the time for which it is valid. This is forward decay (Cormode et al., "Forward Decay: A
Practical Time Decay Model for Streaming Systems", ICDE 2009) with the latest event as the landmark. To add an event,
both the sum and the event's weight are decayed to the later of their two times, and then added. The sum therefore does
not depend on the order of arrival, takes O(1) space and time, is exact at any later time, and never overflows.
"""

from __future__ import annotations

from datetime import datetime

_MAX_HALF_LIVES = 1000.0  # after that nothing is left; Postgres raises an underflow error for smaller numbers


def decayed(mass: float, as_of: datetime, at: datetime, half_life_days: float) -> float:
    """Return a sum after exponential decay from the time `as_of` to `at`: mass · 2^(-(at - as_of) / half-life).

    If `at` is before `as_of`, the sum is returned unchanged.
    """
    half_lives = (at - as_of).total_seconds() / 86_400 / half_life_days
    return float(mass * 0.5 ** min(_MAX_HALF_LIVES, max(0.0, half_lives)))


def added(mass: float, as_of: datetime, weight: float, at: datetime, half_life_days: float) -> tuple[float, datetime]:
    """Add an event of weight `weight` at the time `at` to the decayed sum `mass`, which is valid for the time `as_of`.

    Returns the new sum and the time for which it is valid.
    """
    latest = max(as_of, at)
    return (
        decayed(mass, as_of, latest, half_life_days) + decayed(weight, at, latest, half_life_days),
        latest,
    )
