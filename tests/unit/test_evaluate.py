"""Off-policy estimates: exact for the logging policy, unbiased under exploration, refused without evidence."""

from __future__ import annotations

import random
from dataclasses import replace

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st
from making import uid

from cognitive.errors import InvalidInput
from cognitive.lab.evaluate import doubly_robust, evaluate, ips, resample, snips
from cognitive.lab.evidence import LoggedCandidate, LoggedTurn

FEW = {"resamples": 200}
RATES = (0.8, 0.5, 0.3, 0.2)  # use rates of the memories when shown: two are shown by default, the others in trials


def choice(n: int, propensity: float, used: bool | None, target: float, predicted: float = 0.25) -> LoggedCandidate:
    return LoggedCandidate(uid(n), propensity, used, target, predicted, tokens=10 * n)


def logged_turns(turns: int, target=(1, 0, 1, 0), every: float = 2.0, seed: int = 0) -> list[LoggedTurn]:
    """Return logged turns. They show the first memory, and the second one or, once in `every` turns, a trial."""
    chance = random.Random(seed)
    trial = 1 / every / 2
    rows = []
    for n in range(turns):
        last = chance.choices((1, 2, 3), (1 - 2 * trial, trial, trial))[0]
        rows.append(
            LoggedTurn(
                f"turn-{n}",
                tuple(
                    choice(m, propensity, chance.random() < rate if m in (0, last) else None, float(target[m]))
                    for m, (propensity, rate) in enumerate(zip((1, 1 - 2 * trial, trial, trial), RATES, strict=True))
                ),
            )
        )
    return rows


ESTIMATORS = pytest.mark.parametrize("estimator", [ips, snips, doubly_robust])


@ESTIMATORS
def test_estimators_are_unbiased(estimator):
    values = [estimator(logged_turns(300, seed=seed), resamples=2).value for seed in range(60)]
    error = np.std(values) / np.sqrt(len(values))
    assert abs(np.mean(values) - (RATES[0] + RATES[2])) < 3.5 * error


@ESTIMATORS
def test_logging_policy_is_estimated_at_its_observed_value(estimator):
    turns = [LoggedTurn(f"{n}", (choice(1, 1.0, n % 4 == 0, 1.0), choice(2, 1.0, False, 1.0))) for n in range(400)]
    assert estimator(turns, **FEW).value == pytest.approx(0.25)
    evaluation = evaluate(turns, **FEW)
    assert evaluation.logged.value == pytest.approx(0.25)
    assert evaluation.ips.share.value == pytest.approx(0.125)
    assert (evaluation.effective, evaluation.unsupported, evaluation.refusal) == (400, 0, None)


def test_unchanged_policy_has_zero_gain():
    same = [
        LoggedTurn(turn.turn_id, tuple(replace(c, target=c.propensity) for c in turn.candidates))
        for turn in logged_turns(200)
    ]
    evaluation = evaluate(same, **FEW)
    for worth in (evaluation.ips, evaluation.snips, evaluation.doubly_robust):
        assert (worth.gain.value, worth.gain.low, worth.gain.high) == (0, 0, 0)
    assert evaluation.refusal is None


def test_self_normalised_estimate_stays_at_most_one():
    lucky = [LoggedTurn(f"{n}", (choice(1, 0.01, True, 1.0),)) for n in range(150)]
    assert snips(lucky, **FEW).value == pytest.approx(1.0)
    assert ips(lucky, **FEW).value == pytest.approx(100.0)


def test_accurate_predictions_narrow_the_doubly_robust_interval():
    turns = [
        LoggedTurn(turn.turn_id, tuple(replace(c, predicted=RATES[c.memory_id.int]) for c in turn.candidates))
        for turn in logged_turns(1000)
    ]
    by_model, by_weight = doubly_robust(turns, **FEW), ips(turns, **FEW)
    assert by_model.high - by_model.low < by_weight.high - by_weight.low


def test_evaluation_reports_memories_and_tokens_per_turn():
    evaluation = evaluate(logged_turns(100), **FEW)
    assert (evaluation.shown, evaluation.tokens) == (2, 20)
    assert evaluation.logged_shown == pytest.approx(2)
    assert evaluation.logged_tokens == pytest.approx(10 * 0.5 + 20 * 0.25 + 30 * 0.25)


def test_turns_without_memories_count():
    turns = [*logged_turns(200), *(LoggedTurn(f"silent-{n}", ()) for n in range(200))]
    assert ips(turns, **FEW).value == pytest.approx(ips(logged_turns(200), **FEW).value / 2)


def test_evaluation_is_deterministic_and_independent_of_turn_order():
    turns = logged_turns(150)
    assert evaluate(turns, **FEW) == evaluate(turns[::-1], **FEW) == evaluate(list(turns), **FEW)


def test_without_exploration_a_policy_that_adds_memories_is_refused():
    turns = [
        LoggedTurn(turn.turn_id, tuple(replace(c, propensity=float(c.memory_id.int < 2)) for c in turn.candidates))
        for turn in logged_turns(1000)
        if all(c.used is None for c in turn.candidates[2:])
    ]
    evaluation = evaluate(turns, **FEW)
    assert evaluation.unsupported == 1
    assert "100% of the memories that this policy would add were never tried" in evaluation.refusal


def test_without_exploration_a_policy_that_shows_less_is_evaluated():
    turns = [LoggedTurn(f"{n}", (choice(1, 1.0, True, 1.0), choice(2, 1.0, n % 2 == 0, 0.0))) for n in range(300)]
    evaluation = evaluate(turns, **FEW)
    assert evaluation.refusal is None
    assert evaluation.ips.gain.value == pytest.approx(-0.5)


def test_effective_turns_count_only_where_the_policies_differ():
    evaluation = evaluate(logged_turns(3000, every=60), **FEW)
    trials = sum(turn.candidates[2].used is not None for turn in logged_turns(3000, every=60))
    assert evaluation.effective == pytest.approx(trials)
    assert f"are worth {trials} independent turns, 200 are needed" in evaluation.refusal


def test_too_few_uses_in_trials_are_refused():
    turns = [
        LoggedTurn(
            turn.turn_id,
            tuple(
                replace(c, used=False if c.used and c.propensity < 0.5 else c.used, target=t)
                for c, t in zip(turn.candidates, (1.0, 1.0, 1.0, 0.0), strict=True)
            ),
        )
        for turn in logged_turns(2000, every=4)
    ]
    evaluation = evaluate(turns, **FEW)
    assert evaluation.effective > 200
    assert evaluation.uses < 10
    assert "independent uses, 10 are needed" in evaluation.refusal


def test_too_few_turns_are_refused():
    assert "99 turns are too few" in evaluate(logged_turns(99, every=2), **FEW).refusal
    assert evaluate(logged_turns(2000, every=2), **FEW).refusal is None


@pytest.mark.parametrize(
    ("log", "message"),
    [
        pytest.param([], "at least one", id="nothing"),
        pytest.param([LoggedTurn("a", ()), LoggedTurn("a", ())], "same id", id="a turn twice"),
        pytest.param([LoggedTurn("a", (choice(1, 1.5, True, 1.0),))], "propensity", id="more than certain"),
        pytest.param([LoggedTurn("a", (choice(1, 1.0, True, float("nan")),))], "target", id="no number"),
        pytest.param(
            [LoggedTurn("a", (choice(1, 0.0, True, 1.0),))], "could not have been", id="shown with zero propensity"
        ),
    ],
)
def test_invalid_log_is_refused(log, message):
    with pytest.raises(InvalidInput, match=message):
        evaluate(log)


@given(st.lists(st.floats(-5, 5), min_size=1, max_size=40), st.integers(0, 9))
@settings(max_examples=60)
def test_interval_is_ordered_and_within_the_data(values, seed):
    rows = np.array(values)[:, None]
    estimate = resample(rows, resamples=100, seed=seed).estimate(lambda means: means[..., 0])
    slack = 1e-9
    assert min(values) - slack <= estimate.low <= estimate.high <= max(values) + slack


def test_bootstrap_interval_of_a_mean_matches_the_normal_interval():
    rows = np.random.default_rng(3).normal(2.0, 1.0, (400, 1))
    estimate = resample(rows, resamples=4000, seed=1).estimate(lambda means: means[..., 0])
    error = rows.std() / 20
    assert estimate.low == pytest.approx(estimate.value - 1.96 * error, abs=0.15 * error)
    assert estimate.high == pytest.approx(estimate.value + 1.96 * error, abs=0.15 * error)
