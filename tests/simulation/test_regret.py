"""A short, seeded run of the simulation in `regret.py`."""

from __future__ import annotations

import numpy as np
import pytest
from regret import ARMS, DECOYS, LABELS, Arm, Ledger, earned_by_the_seeds_rule, ranked, regrets
from world import DIMENSIONS, START, World, memory

from brain.past_turns import PastShown
from brain.search import SearchResult
from cognitive.policy.constants import CONSTANTS
from cognitive.trace import Boost

SEEDS, TURNS = 2, 200


@pytest.fixture(scope="module")
def final_regret():
    """Return the final regret of each seed by arm and kind of labels."""

    def at_the_end(arm, kind):
        return np.array([regrets(ARMS[arm], LABELS[kind], seed, TURNS).sum() for seed in range(SEEDS)])

    plain = at_the_end("no feedback", "clean")  # ignores labels, so that one kind suffices
    return {("no feedback", kind): plain for kind in LABELS} | {
        (arm, kind): at_the_end(arm, kind) for arm in ("seed's rule", "ours") for kind in LABELS
    }


@pytest.mark.parametrize("kind", ["clean", "noisy"])
def test_informative_labels_lower_regret(final_regret, kind):
    assert (final_regret["ours", kind] < final_regret["no feedback", kind]).all()
    assert (final_regret["ours", kind] < final_regret["seed's rule", kind]).all()


def test_uninformative_labels_raise_regret_only_of_the_seed_rule(final_regret):
    plain = final_regret["no feedback", "uninformative"]
    assert (final_regret["ours", "uninformative"] < 1.03 * plain).all()
    assert final_regret["seed's rule", "uninformative"].mean() > 1.3 * plain.mean()


def test_no_order_beats_the_oracle():
    assert (regrets(ARMS["ours"], LABELS["clean"], 5, 60) >= 0).all()


def test_oracle_has_no_regret():
    world = World(9)
    rates = iter([world.message().rates for _ in range(30)])

    def true_factors(found, now):
        message_rates = next(rates)
        return {hit.memory_id: Boost(0.5 + message_rates[hit.memory_id.int]) for hit in found.hits}

    def by_factor(candidates, earned):
        return sorted(candidates, key=lambda each: -earned[each.hit.memory_id].factor)

    oracle = Arm(true_factors, by_factor)
    assert np.allclose(regrets(oracle, LABELS["clean"], 9, 30), 0)


def test_seed_rule_gives_the_original_factors():
    hits = (
        memory(1),
        memory(2, times_shown=1, times_used=1),
        memory(3, times_shown=2, times_used=2),
        memory(4, times_shown=4, times_used=0),
    )
    assert [each.factor for each in earned_by_the_seeds_rule(SearchResult(hits), START).values()] == [
        1.0,
        1.0,
        1.5,
        0.5,
    ]


def test_messages_of_a_topic_are_similar_enough_to_learn_from():
    world = World(4)
    vectors = np.array([world.message().vector for _ in range(300)])
    cosines = np.sort(vectors @ vectors.T, axis=1)[:, -2]  # the most similar other message
    assert (cosines > CONSTANTS.association_full_similarity).mean() > 0.95


def test_simulated_relevance_is_spread_like_the_products():
    world = World(4)
    best = np.array([np.sort(world.message().relevance(0.2))[::-1][[0, 9]] for _ in range(100)]).mean(axis=0)
    assert 0.1 < best[0] - best[1] < 0.15


def test_ledger_returns_similar_turns_relevance_gaps_and_decoys():
    ledger, directions = Ledger(3), np.eye(DIMENSIONS)
    gaps = np.array([0.0, 0.05, 0.2])
    for direction in directions[:3]:
        ledger.learn(direction, {0: False, 2: True}, gaps, [True] + [False] * (DECOYS - 1), START)
    found = ledger.found([0, 1, 2], 0.8 * directions[1] + 0.6 * directions[2])
    assert [(turn.turn_id, round(turn.cosine, 2), round(turn.words, 2)) for turn in found.past] == [
        ("1", 0.8, 0.8),
        ("2", 0.6, 0.6),
    ]
    assert found.past[0].shown == (
        PastShown(memory(0).memory_id, False, 0.0),
        PastShown(memory(2).memory_id, True, 0.2),
    )
    masses = found.base["fact"]
    assert (masses.shown, masses.used, masses.decoys, masses.decoys_used) == (6, 3, 3 * DECOYS, 3)


def test_simulation_is_deterministic_for_a_seed():
    arm = Arm(earned_by_the_seeds_rule, ranked)
    assert np.array_equal(regrets(arm, LABELS["noisy"], 3, 40), regrets(arm, LABELS["noisy"], 3, 40))
