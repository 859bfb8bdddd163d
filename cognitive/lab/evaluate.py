"""Estimate the value of a policy from turns that ran under another policy, or report that the data is too little.

The value of a policy is the number of shown memories per turn that are used. The target policy is the one to evaluate,
and the logging policy is the one under which the turns ran. A propensity is the probability with which the logging
policy showed a memory. All estimates assume that

- the value of a turn is the sum over its memories: whether a memory is used does not depend on the others or its place;
- the propensities are exact: those that exploration drew with (`cognitive/context/explore.py`);
- "used" means the result of attribution, with its errors; a policy that shows memories that are easily credited looks
  better;
- turns are independent: what one turn shows does not change the next message or what the next turn can find.

Turns with an unknown outcome must be left out, because a memory counts as shown only if the outcome says whether it was
used. Confidence intervals are bootstrapped by resampling whole turns.
"""

from __future__ import annotations

from collections.abc import Callable, Sequence
from dataclasses import dataclass
from statistics import NormalDist
from typing import TypeAlias

import numpy as np
from numpy.typing import NDArray

from cognitive.lab.evidence import Log, LoggedTurn, evidence, read, unsupported_share

Numbers: TypeAlias = NDArray[np.float64]
Statistic: TypeAlias = Callable[[Numbers], Numbers]  # means of columns, shape (..., columns), to values, shape (...)

MIN_TURNS = 100  # fewer do not show the spread between turns
MIN_EFFECTIVE = 200.0  # effective turns with evidence on the difference between the policies
MIN_USES = 10.0  # uses among them; with one or two, intervals of 95 % contained the truth in 58 % of simulations
MAX_UNSUPPORTED = 0.05  # share of the added memories that were never tried; estimates are too low by their value
RESAMPLES = 2000
_NORMAL = NormalDist()


@dataclass(frozen=True, slots=True)
class Worth:
    """The value of a policy as estimated by one method, with confidence intervals.

    Attributes:
        used: number of used memories per turn.
        share: share of the shown memories that are used.
        gain: number of used memories per turn minus that under the logging policy. Both are estimated by the same
            method on the same resamples.
    """

    used: Estimate
    share: Estimate
    gain: Estimate


@dataclass(frozen=True, slots=True)
class Evaluation:
    """The estimated value of a target policy, from recorded turns that ran under another, the logging policy.

    The value is the number of used memories per turn. If `refusal` gives a reason, the data is too little and the
    figures prove nothing.

    Attributes:
        turns: number of logged turns.
        effective: effective sample size of the evidence on the difference between the policies, in turns.
        uses: number of used memories within this evidence.
        unsupported: share of the memories added by the target policy that the logging policy could never show.
        shown: memories per turn that the target policy shows; known, not estimated.
        logged_shown: memories per turn that the logging policy showed.
        tokens: tokens of memories per turn under the target policy.
        logged_tokens: tokens of memories per turn under the logging policy.
        logged: used memories per turn under the logging policy.
        ips: the estimate by inverse propensities.
        snips: the self-normalized estimate.
        doubly_robust: the doubly robust estimate.
        refusal: the reason why the data is too little, or None.
        uncompared: number of memories shown by the target policy that may repeat the conversation, because the logged
            turns did not compare them with it.
    """

    turns: int
    effective: float
    uses: float
    unsupported: float
    shown: float
    logged_shown: float
    tokens: float
    logged_tokens: float
    logged: Estimate
    ips: Worth
    snips: Worth
    doubly_robust: Worth
    refusal: str | None
    uncompared: int = 0


def evaluate(
    turns: Sequence[LoggedTurn], *, level: float = 0.95, resamples: int = RESAMPLES, seed: int = 0
) -> Evaluation:
    """Estimate how many shown memories per turn would be used under another policy, by three methods.

    The other policy is called the target policy. `turns` ran under the logging policy, and have the probabilities with
    which each of the two shows a memory. Every estimate has a confidence interval of confidence level `level`. All
    methods use the same bootstrap samples: `resamples` of them, each of whole turns. `seed` starts the random numbers.
    The order of the turns does not matter.

    Raises:
        InvalidInput: there are no turns, two have the same id, or a number is not a probability.
    """
    log = read(turns)
    drawn = _resampled(log, resamples, seed)
    (effective, uses), unsupported = evidence(log), unsupported_share(log)
    spent = [
        float((rate * each).sum() / log.turns) for rate in (log.target, log.propensity) for each in (1, log.tokens)
    ]
    return Evaluation(
        turns=log.turns,
        effective=effective,
        uses=uses,
        unsupported=unsupported,
        shown=spent[0],
        tokens=spent[1],
        logged_shown=spent[2],
        logged_tokens=spent[3],
        logged=drawn.estimate(lambda means: _ips(means[..., _WIDTH:]), level),
        ips=_worth(drawn, _ips, level),
        snips=_worth(drawn, _snips, level),
        doubly_robust=_worth(drawn, _doubly_robust, level),
        refusal=_refusal(log.turns, effective, uses, unsupported),
        uncompared=sum(turn.uncompared for turn in turns),
    )


def ips(turns: Sequence[LoggedTurn], *, level: float = 0.95, resamples: int = RESAMPLES, seed: int = 0) -> Estimate:
    """Estimate used memories per turn under the target policy, by inverse propensities.

    The estimate is the mean over turns of Σ used · target / propensity. `target` and `propensity` are the probabilities
    with which the target and the logging policy show a memory. The estimate is unbiased if every memory that the target
    policy shows has a positive propensity. Joachims, Swaminathan and Schnabel, "Unbiased Learning-to-Rank with Biased
    Feedback", WSDM 2017 (arXiv:1608.04468). Raises the same exceptions as `evaluate`.
    """
    return _resampled(read(turns), resamples, seed).estimate(_ips, level)


def snips(turns: Sequence[LoggedTurn], *, level: float = 0.95, resamples: int = RESAMPLES, seed: int = 0) -> Estimate:
    """Estimate used memories per turn under the target policy, by self-normalized inverse propensities.

    The weight of a shown memory is w = target / propensity (see `ips`). The estimate is Σ w·used / Σ w, the weighted
    share of shown memories that are used, times the known number of memories that the target policy shows. The share is
    in [0, 1] and does not vary with the sum of the weights: Swaminathan and Joachims, "The Self-Normalized Estimator
    for Counterfactual Learning", NIPS 2015. The estimate is computed separately for memories shown by default
    (propensity above one half) and by exploration (post-stratification), because the target policy's number of each is
    known. It is slightly biased in small samples. Raises the same exceptions as `evaluate`.
    """
    return _resampled(read(turns), resamples, seed).estimate(_snips, level)


def doubly_robust(
    turns: Sequence[LoggedTurn], *, level: float = 0.95, resamples: int = RESAMPLES, seed: int = 0
) -> Estimate:
    """Estimate used memories per turn under the target policy, by predictions corrected by the logged outcomes.

    The estimate is the mean over turns of Σ target · predicted + w · (used - predicted), with w = target / propensity
    for shown memories (see `ips`). It is unbiased if the propensities are exact, whatever the model predicts. For
    memories that were never shown, only the prediction counts. Dudík, Langford and Li, "Doubly Robust Policy Evaluation
    and Learning", ICML 2011 (arXiv:1103.4601). Raises the same exceptions as `evaluate`.
    """
    return _resampled(read(turns), resamples, seed).estimate(_doubly_robust, level)


_WIDTH = 9  # columns for each of the two policies


def _resampled(log: Log, resamples: int, seed: int) -> Resampled:
    """Draw bootstrap resamples of the logged turns, and return the means of the estimators' terms.

    The first columns have the terms for the target policy, the others those for the logging policy.
    """
    return resample(
        np.concatenate([_columns(log, log.target), _columns(log, log.propensity)], axis=1),
        resamples=resamples,
        seed=seed,
    )


def _columns(log: Log, target: Numbers) -> Numbers:
    """Return the terms of the estimators for each turn, as an array of shape (turns, _WIDTH).

    `target` has the probabilities with which the evaluated policy shows each candidate.
    """
    tried = log.propensity > 0
    weight = log.shown * np.divide(target, log.propensity, out=np.zeros_like(target), where=tried)
    strata = [log.propensity > 0.5, tried & (log.propensity <= 0.5)]
    columns = [
        weight * log.used,
        target * log.predicted + weight * (log.used - log.predicted),
        target,
        *(weight * log.used * stratum for stratum in strata),
        *(weight * stratum for stratum in strata),
        *(target * stratum for stratum in strata),
    ]
    return np.stack([log.by_turn(column) for column in columns], axis=1)


def _ips(means: Numbers) -> Numbers:
    return means[..., 0]


def _doubly_robust(means: Numbers) -> Numbers:
    return means[..., 1]


def _snips(means: Numbers) -> Numbers:
    used, weight, expected = means[..., 3:5], means[..., 5:7], means[..., 7:9]
    share = np.divide(used, weight, out=np.zeros_like(used), where=weight > 0)
    return np.asarray((share * expected).sum(axis=-1))


def _worth(drawn: Resampled, statistic: Statistic, level: float) -> Worth:
    def share(means: Numbers) -> Numbers:
        count = np.asarray(means[..., 2])
        return np.divide(statistic(means), count, out=np.zeros_like(count), where=count > 0)

    return Worth(
        used=drawn.estimate(statistic, level),
        share=drawn.estimate(share, level),
        gain=drawn.estimate(lambda means: statistic(means) - statistic(means[..., _WIDTH:]), level),
    )


def _refusal(turns: int, effective: float, uses: float, unsupported: float) -> str | None:
    reasons = []
    if turns < MIN_TURNS:
        reasons.append(f"{turns} {'turn is' if turns == 1 else 'turns are'} too few, {MIN_TURNS} are needed")
    if unsupported > MAX_UNSUPPORTED:
        reasons.append(
            f"{unsupported:.0%} of the memories that this policy would add were never tried; set usage.explore_every"
            " to try them"
        )
    if effective < MIN_EFFECTIVE:
        reasons.append(
            f"the turns in which the policies differ are worth {effective:.0f} independent turns,"
            f" {MIN_EFFECTIVE:.0f} are needed"
        )
    if uses < MIN_USES:
        reasons.append(
            f"the used memories in which the policies differ are worth {uses:.0f} independent"
            f" {'use' if round(uses) == 1 else 'uses'}, {MIN_USES:.0f} are needed"
        )
    return "; ".join(reasons) or None


@dataclass(frozen=True, slots=True)
class Estimate:
    """An estimated value with the lower and upper end of its confidence interval."""

    value: float
    low: float
    high: float

    def __str__(self) -> str:
        return f"{self.value:.3f} ({self.low:.3f} to {self.high:.3f})"


@dataclass(frozen=True, slots=True)
class Resampled:
    """Means of the columns of a data matrix, for the data and for bootstrap resamples of its rows.

    `mean` has shape (columns,). `drawn` has shape (resamples, columns). `without` has shape (rows, columns): row i is
    the mean without row i of the data. Two statistics of one object can be compared resample by resample, because they
    use the same resamples.
    """

    mean: Numbers
    drawn: Numbers
    without: Numbers

    def estimate(self, statistic: Statistic, level: float = 0.95) -> Estimate:
        """Return a statistic of the column means with its BCa confidence interval (corrected for bias and skewness).

        Rows without variance give an interval of width zero. Efron, "Better Bootstrap Confidence Intervals", JASA 82
        (1987), equations 2.3 and 6.6 (acceleration by the jackknife).
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
    """Draw bootstrap resamples of the rows of a matrix, shape (rows, columns), and return the column means of each.

    Each resample has as many rows as the matrix, drawn with replacement.
    """
    size = len(rows)
    generator = np.random.default_rng(seed)
    drawn = [np.bincount(generator.integers(size, size=size), minlength=size) @ rows for _ in range(resamples)]
    return Resampled(rows.mean(axis=0), np.stack(drawn) / size, (rows.sum(axis=0) - rows) / max(1, size - 1))


def _corrected(share: float, bias: float, acceleration: float) -> float:
    """Return the percentile of the resamples at which an end of the BCa interval lies.

    `share` is the end's nominal percentile, for example 0.025.
    """
    shifted = bias + _NORMAL.inv_cdf(share)
    slope = 1 - acceleration * shifted
    # A slope of zero or less, from a handful of rows, would turn the order of the ends round.
    return _NORMAL.cdf(bias + shifted / slope) if slope > 0 else float(shifted > 0)
