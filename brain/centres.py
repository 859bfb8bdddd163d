"""Centres that vectors of unit length are nearest to: spherical k-means, deterministic, in two stages where many."""

from __future__ import annotations

import math

import numpy as np
from numpy.typing import NDArray

from brain.types import Vectors

SIZE = 200  # vectors of a cell: as many centres as this cost a turn about as much as the cells that it reads
FEWEST = 8  # vectors that a centre is the mean of at least: fewer would say too much of one of them
_ROUNDS = 8
_AT_ONCE = 64  # centres found in one stage; more are found within groups of vectors, in two
_BATCH = 8_192  # rows compared at a time, to bound the memory


def centres(sample: Vectors, count: int) -> Vectors:
    """About so many centres of a sample, of shape (centres, dimension), of unit length; fewer of fewer groups.

    Spherical k-means (Dhillon and Modha, 2001), begun at vectors that are spread evenly over the sample.
    """
    if count <= _AT_ONCE:
        return _means(sample, count)
    groups = _means(sample, math.isqrt(count))
    own = nearest(sample, groups)
    sizes = np.bincount(own, minlength=len(groups))
    shares = np.maximum(1, np.rint(count * sizes / len(sample)).astype(int))
    return np.concatenate([_means(sample[own == n], share) for n, share in enumerate(shares.tolist()) if sizes[n]])


def nearest(vectors: Vectors, centres: Vectors) -> NDArray[np.int64]:
    """For each vector the place of its nearest centre."""
    parts = [np.argmax(vectors[n : n + _BATCH] @ centres.T, axis=1) for n in range(0, len(vectors), _BATCH)]
    return np.concatenate(parts) if parts else np.zeros(0, dtype=np.int64)


def _means(sample: Vectors, count: int) -> Vectors:
    count = max(1, min(count, len(sample) // FEWEST))
    found = sample[np.arange(count) * (len(sample) // count)]
    for _ in range(_ROUNDS):
        found = _moved(sample, nearest(sample, found), len(found))
    return found


def _moved(sample: Vectors, own: NDArray[np.int64], count: int) -> Vectors:
    """The means of the groups, of unit length, without groups of too few; of all if every group is."""
    order = np.argsort(own, kind="stable")
    sizes = np.bincount(own, minlength=count)
    starts = np.concatenate([[0], np.cumsum(sizes)[:-1]])[sizes > 0]
    sums = np.add.reduceat(sample[order], starts)
    kept = sums[sizes[sizes > 0] >= FEWEST] if (sizes >= FEWEST).any() else sample.sum(axis=0)[None, :]
    lengths = np.linalg.norm(kept, axis=1, keepdims=True)
    means: Vectors = (kept / np.maximum(lengths, 1e-9)).astype(np.float32)
    return means
