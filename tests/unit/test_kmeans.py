"""Centres of vectors: unit length, none for a few outliers, deterministic."""

from __future__ import annotations

import numpy as np
from hypothesis import given, settings
from hypothesis import strategies as st

from brain.ivf_index import MIN_VECTORS, centres, nearest


def unit(vectors):
    return (vectors / np.linalg.norm(vectors, axis=1, keepdims=True)).astype(np.float32)


@settings(max_examples=25)
@given(st.integers(1, 600), st.integers(1, 150), st.integers(0, 5))
def test_any_sample_has_a_bounded_number_of_unit_centres(size, count, seed):
    sample = unit(np.random.default_rng(seed).standard_normal((size, 6)))
    result = centres(sample, count)
    assert 1 <= len(result) <= max(1, min(1.5 * count + 8, size / 2 + 1))
    assert np.allclose(np.linalg.norm(result, axis=1), 1, atol=1e-4)
    assert np.array_equal(result, centres(sample, count))


def test_each_cluster_has_a_centre_and_outliers_have_none():
    chance = np.random.default_rng(1)
    middles = unit(chance.standard_normal((5, 32)))
    sample = unit(np.repeat(middles, 60, axis=0) + 0.05 * chance.standard_normal((300, 32)))
    odd = unit(chance.standard_normal((MIN_VECTORS - 2, 32)))
    result = centres(np.concatenate([sample, odd]), 20)
    assert (sample @ result.T).max(axis=1).min() > 0.9
    assert len(set(nearest(middles, result).tolist())) == 5
    assert (odd @ result.T).max() < 0.99


def test_identical_vectors_have_one_centre():
    same = unit(np.ones((100, 4)))
    assert len(centres(same, 10)) == 1
