"""A quick, seeded version of what `regret.py` measures at length."""

from __future__ import annotations

import numpy as np
import pytest
from regret import ARMS, LABELS, Arm, cumulative, ranked, regrets, seeds_factors
from world import START, World, memory

from brain.search import Found

SEEDS, TURNS = 2, 400


@pytest.fixture(scope="module")
def lost():
    """Regret at the end by arm and kind of labels, per seed."""
    return {
        (arm, kind): cumulative(ARMS[arm], labels, SEEDS, TURNS)[:, -1]
        for arm in ARMS
        for kind, labels in LABELS.items()
        if kind != "noisy"
    }


def test_clean_labels_lower_regret(lost):
    assert (lost["ours", "clean"] < lost["no feedback", "clean"]).all()


def test_labels_that_say_nothing_cost_little_where_the_seeds_rule_pays_much(lost):
    plain = lost["no feedback", "uninformative"]
    assert lost["ours", "uninformative"].mean() < 1.1 * plain.mean()
    assert lost["seed's rule", "uninformative"].mean() > 1.3 * plain.mean()


def test_no_order_beats_the_oracle():
    assert (regrets(ARMS["ours"], LABELS["clean"], 5, 60) >= 0).all()


def test_who_knows_the_truth_regrets_nothing():
    world = World(9)
    rates = iter([world.message().rates for _ in range(30)])

    def true_factors(found, now):
        of = next(rates)
        return {hit.memory_id: 0.5 + of[hit.memory_id.int] for hit in found.hits}

    oracle = Arm(true_factors, lambda candidates, factors: sorted(candidates, key=lambda c: -factors[c.hit.memory_id]))
    assert np.allclose(regrets(oracle, LABELS["clean"], 9, 30), 0)


def test_the_seeds_rule_is_the_seeds():
    hits = (
        memory(1), memory(2, times_shown=1, times_used=1), memory(3, times_shown=2, times_used=2),
        memory(4, times_shown=4, times_used=0),
    )  # fmt: skip
    assert list(seeds_factors(Found(hits), START).values()) == [1.0, 1.0, 1.5, 0.5]


def test_an_arm_is_decided_by_its_seed():
    arm = Arm(seeds_factors, ranked)
    assert np.array_equal(regrets(arm, LABELS["noisy"], 3, 40), regrets(arm, LABELS["noisy"], 3, 40))
