"""Exponential forgetting: the one definition of it, which `cognitive.decayed` in the database repeats.

A decayed sum is stored with the time it is of. Forward decay (Cormode et al., "Forward Decay: A Practical Time Decay
Model for Streaming Systems", ICDE 2009) with the last event as the landmark: an event at t adds its weight as of the
later of the two times, so that the sum does not depend on the order of arrival, is O(1), exact at any later time, and
never overflows.
"""

from __future__ import annotations

from datetime import datetime

_MAX_HALF_LIVES = 1000.0  # below that nothing is left, and Postgres would call it an underflow


def decayed(mass: float, as_of: datetime, at: datetime, half_life_days: float) -> float:
    """What is left at `at` of a mass that was whole at `as_of`: mass · 2^(-(at - as_of) / half-life).

    A mass of later than `at` is taken as it is.
    """
    half_lives = (at - as_of).total_seconds() / 86_400 / half_life_days
    return float(mass * 0.5 ** min(_MAX_HALF_LIVES, max(0.0, half_lives)))


def added(mass: float, as_of: datetime, weight: float, at: datetime, half_life_days: float) -> tuple[float, datetime]:
    """A decayed sum and its time after one more event, whichever of the two is later."""
    latest = max(as_of, at)
    return (
        decayed(mass, as_of, latest, half_life_days) + decayed(weight, at, latest, half_life_days),
        latest,
    )
