"""What another policy would have been worth, from turns that this one logged; or that the log cannot tell.

The worth of a policy is the number of shown memories per turn that are used. All estimates assume that

- the worth of a turn is the sum over its memories: whether one is used does not depend on what is shown beside it or
  where, so that the probability of showing each memory suffices, and not that of showing them together;
- the propensities are true: exactly those the draw was made with (`cognitive/context/explore.py`);
- "used" means what attribution measured, with its errors; a policy that shows what is easily credited looks better;
- turns are independent: what one turn shows does not change what the next is asked or can find.

Turns whose outcome is unknown must be left out: a memory counts as shown if it was judged. How far an estimate may be
off is told by drawing whole turns again with replacement.
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
MIN_EFFECTIVE = 200.0  # turns' worth of evidence on what the policies do differently
MIN_USES = 10.0  # among them; with one or two, intervals of 95 % held the truth in 58 % (docs/benchmarks.md)
MAX_UNSUPPORTED = 0.05  # of what the policy adds; the estimates are too low by at most its worth
RESAMPLES = 2000
_NORMAL = NormalDist()


@dataclass(frozen=True, slots=True)
class Worth:
    """What a policy is worth by one estimator: used memories per turn, their share of the shown, and the difference in
    used memories per turn to the logging policy by the same estimator, over the same resamples of turns.
    """

    used: Estimate
    share: Estimate
    gain: Estimate


@dataclass(frozen=True, slots=True)
class Evaluation:
    """Everything a log says of a target policy; where `refusal` says why it cannot tell, the figures prove nothing.

    `effective` is the evidence on what the policies do differently, in turns, and `uses` how many uses it holds;
    `unsupported` is the share of what the target adds that was never tried. `shown` and `tokens` are what the target
    spends per turn, `logged_shown` and `logged_tokens` what the logging policy does: these are known, not estimated.
    `logged` is the logging policy's own worth, in used memories per turn. Of `uncompared` showings in all turns nobody
    knows whether the conversation said the memory already: the target shows them, and the log did not compare them.
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
    """All estimates over the same resamples of whole turns; the order of the turns does not matter.

    Raises:
        InvalidInput: no turns, two of one id, or numbers that are no probabilities.
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
    """Used memories per turn by inverse propensities: the mean over turns of Σ used · target / propensity.

    Unbiased where all that the target shows was tried. Joachims, Swaminathan and Schnabel, "Unbiased Learning-to-Rank
    with Biased Feedback", WSDM 2017 (arXiv:1608.04468). Errors as in `evaluate`.
    """
    return _resampled(read(turns), resamples, seed).estimate(_ips, level)


def snips(turns: Sequence[LoggedTurn], *, level: float = 0.95, resamples: int = RESAMPLES, seed: int = 0) -> Estimate:
    """Used memories per turn, self-normalised: the weighted share of use, times how many the target shows per turn.

    The weights w = target / propensity of the shown sum, in expectation, to the number the target shows, which is
    known. Σ w·used / Σ w is therefore a share in [0, 1], free of the chance that made the weights large or small:
    Swaminathan and Joachims, "The Self-Normalized Estimator for Counterfactual Learning", NIPS 2015. It is taken apart
    for what is shown by default (propensity above one half) and what is tried, since how many of either the target
    shows is known too (post-stratification), and a lucky number of trials would else pull on what is certain. Slightly
    biased in small samples. Errors as in `evaluate`.
    """
    return _resampled(read(turns), resamples, seed).estimate(_snips, level)


def doubly_robust(
    turns: Sequence[LoggedTurn], *, level: float = 0.95, resamples: int = RESAMPLES, seed: int = 0
) -> Estimate:
    """Used memories per turn by a model, corrected by what was shown: Σ target · predicted + w · (used - predicted).

    Unbiased if the propensities are true, whatever the model; of what was never tried the model alone speaks. Dudík,
    Langford and Li, "Doubly Robust Policy Evaluation and Learning", ICML 2011 (arXiv:1103.4601). Errors as in
    `evaluate`.
    """
    return _resampled(read(turns), resamples, seed).estimate(_doubly_robust, level)


_WIDTH = 9  # columns for each of the two policies


def _resampled(log: Log, resamples: int, seed: int) -> Resampled:
    """Over the turns: the columns of the target policy, then those of the logging policy as if it were the target."""
    return resample(
        np.concatenate([_columns(log, log.target), _columns(log, log.propensity)], axis=1),
        resamples=resamples,
        seed=seed,
    )


def _columns(log: Log, target: Numbers) -> Numbers:
    """Per turn what the estimators are made of; shape (turns, _WIDTH)."""
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
            f"{unsupported:.0%} of what this policy would add was never tried: of that only the model in the doubly"
            " robust estimate speaks; log turns with usage.explore_every set"
        )
    if effective < MIN_EFFECTIVE:
        reasons.append(
            f"where the policies differ there is evidence of {effective:.0f} turns, {MIN_EFFECTIVE:.0f} are needed"
        )
    if uses < MIN_USES:
        reasons.append(
            f"the evidence holds {uses:.0f} uses, {MIN_USES:.0f} are needed: of rarer events no interval can be told"
        )
    return "; ".join(reasons) or None


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
