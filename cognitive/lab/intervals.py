"""How far an estimate may be off: whole rows are drawn again with replacement, and what comes of it is compared."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass
from statistics import NormalDist
from typing import TypeAlias

import numpy as np
from numpy.typing import NDArray

Numbers: TypeAlias = NDArray[np.float64]
Statistic: TypeAlias = Callable[[Numbers], Numbers]  # means of columns, shape (..., columns), to values, shape (...)

_NORMAL = NormalDist()


@dataclass(frozen=True, slots=True)
class Estimate:
    """A value, and the ends of its confidence interval."""

    value: float
    low: float
    high: float

    def __str__(self) -> str:
        return f"{self.value:.3f} ({self.low:.3f} to {self.high:.3f})"


@dataclass(frozen=True, slots=True)
class Resampled:
    """The mean of each column: as it is, (columns,); of each resample, (resamples, columns); without each row, (rows,
    columns). Statistics of the same object are paired: they saw the same rows drawn.
    """

    mean: Numbers
    drawn: Numbers
    without: Numbers

    def estimate(self, statistic: Statistic, level: float = 0.95) -> Estimate:
        """A statistic of the means with its BCa interval, which corrects the percentiles for bias and for skewness.

        Rows without any spread give an interval without any width. Efron, "Better Bootstrap Confidence Intervals",
        JASA 82 (1987), equations 2.3 and 6.6 (acceleration by the jackknife).
        """
        value, draws = float(statistic(self.mean)), statistic(self.drawn)
        left_out = statistic(self.without)
        influence = left_out.mean() - left_out
        spread = float((influence**2).sum()) ** 1.5
        acceleration = float((influence**3).sum()) / (6 * spread) if spread > 0 else 0.0
        below = float((draws < value).mean() + 0.5 * (draws == value).mean())
        bias = _NORMAL.inv_cdf(min(max(below, 1 / (len(draws) + 1)), 1 - 1 / (len(draws) + 1)))
        ends = [_corrected(share, bias, acceleration) for share in ((1 - level) / 2, (1 + level) / 2)]
        low, high = np.quantile(draws, ends)
        return Estimate(value, float(low), float(high))


def resample(rows: Numbers, *, resamples: int, seed: int) -> Resampled:
    """Means of `rows`, shape (rows, columns), over draws of as many rows with replacement."""
    size = len(rows)
    generator = np.random.default_rng(seed)
    drawn = [np.bincount(generator.integers(size, size=size), minlength=size) @ rows for _ in range(resamples)]
    return Resampled(rows.mean(axis=0), np.stack(drawn) / size, (rows.sum(axis=0) - rows) / max(1, size - 1))


def _corrected(share: float, bias: float, acceleration: float) -> float:
    """The percentile of the draws that stands for `share` of the true distribution."""
    shifted = bias + _NORMAL.inv_cdf(share)
    slope = 1 - acceleration * shifted
    # A slope of zero or less, from a handful of rows, would turn the order of the ends round.
    return _NORMAL.cdf(bias + shifted / slope) if slope > 0 else float(shifted > 0)
