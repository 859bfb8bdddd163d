"""Compute the figures of a benchmark: percentiles, ratios, and the growth of a time with the number of memories."""

from __future__ import annotations

import math
import statistics
from collections.abc import Mapping, Sequence
from typing import Any


def percentiles(values: Sequence[float]) -> dict[str, float]:
    """Return the percentiles p50, p95 and p99 and the minimum of times in milliseconds, rounded to 0.01.

    A percentile is the value at that share of the sorted values. With few values, p95 and p99 are the maximum.
    """
    ordered = sorted(values)
    upper = {name: ordered[min(len(ordered) - 1, int(len(ordered) * share))] for name, share in _SHARES}
    return {"p50": round(statistics.median(ordered), 2), **_rounded(upper), "min": round(ordered[0], 2)}


_SHARES = (("p95", 0.95), ("p99", 0.99))


def _rounded(values: Mapping[str, float]) -> dict[str, float]:
    return {name: round(value, 2) for name, value in values.items()}


def growth(times: Mapping[int, float]) -> float | None:
    """Return the slope of log(time) over log(number of memories), by least squares.

    The slope is 0 if the time is constant and 1 if it grows linearly. Returns None for fewer than two sizes.
    """
    if len(times) < 2:
        return None
    slope, _ = statistics.linear_regression(
        [math.log(n) for n in times], [math.log(max(t, 1e-9)) for t in times.values()]
    )
    return round(slope, 3)


def ratio(one: Sequence[float], other: Sequence[float]) -> float:
    """Return the median of `one` divided by the median of `other`."""
    return round(statistics.median(one) / max(statistics.median(other), 1e-9), 2)


def growths(sizes: Sequence[Mapping[str, Any]]) -> dict[str, float | None]:
    """Return how fast the times of `pre_turn` and of two floors grow with the number of memories.

    A floor is the least that any turn must do, with an approximate or with an exact vector search. `sizes` has the
    figures measured at each number of memories. The growth of a time is the slope that the function `growth` returns.
    """
    names = {"pre_turn": "pre_turn_ms", "floor": "floor_ms", "exact_floor": "exact_floor_ms"}
    return {name: growth({each["memories"]: each[key]["p50"] for each in sizes}) for name, key in names.items()}
