"""A short, seeded run of the simulation in `off_policy.py`."""

from __future__ import annotations

import numpy as np
import pytest
from off_policy import ESTIMATORS, holds, log, replicate, situations, truth

from cognitive.lab.evaluate import evaluate

TIMES, TURNS, EVERY = 50, 1500, 2
MIN_COVERAGE = 0.88  # nominally 0.95; a correct implementation falls below this with a probability of 1 %


@pytest.fixture(scope="module")
def world():
    return situations(1, candidates=7, messages=60)


@pytest.fixture(scope="module")
def evaluations(world):
    return [only for (only,) in replicate(world, TURNS, EVERY, TIMES, levels=(0.95,), resamples=300)]


@pytest.mark.parametrize("estimator", ESTIMATORS)
def test_confidence_intervals_have_their_nominal_coverage(world, evaluations, estimator):
    value, gain = truth(world, EVERY)
    accepted = [each for each in evaluations if each.refusal is None]
    assert len(accepted) >= 0.9 * TIMES
    coverage = np.mean([holds(each, estimator, value, gain) for each in accepted], axis=0)
    assert (coverage >= MIN_COVERAGE).all()


@pytest.mark.parametrize("estimator", ESTIMATORS)
def test_gain_estimates_are_unbiased(world, evaluations, estimator):
    gains = [getattr(each, estimator).gain.value for each in evaluations]
    error = np.std(gains) / np.sqrt(len(gains))
    assert abs(np.mean(gains) - truth(world, EVERY)[1]) < 3.5 * error


def test_snips_and_doubly_robust_have_narrower_intervals_than_ips(evaluations):
    def width(estimator):
        return np.mean([getattr(each, estimator).gain.high - getattr(each, estimator).gain.low for each in evaluations])

    assert width("snips") < width("ips")
    assert width("doubly_robust") < width("ips")


def test_log_without_exploration_is_refused(world):
    evaluation = evaluate(log(world, TURNS, 0, seed=0), resamples=100)
    assert evaluation.unsupported == 1
    assert "were never tried" in evaluation.refusal
    # the refusal is right: the estimate has the wrong sign
    assert evaluation.ips.gain.high < 0 < truth(world, 0)[1]


def test_log_with_little_exploration_is_refused(world):
    evaluation = evaluate(log(world, TURNS, 20, seed=0), resamples=100)
    assert "the turns in which the policies differ are worth" in evaluation.refusal
