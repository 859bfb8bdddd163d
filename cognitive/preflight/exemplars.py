"""The category of the labelled sentences nearest to a message that no rule knows."""

from __future__ import annotations

from collections.abc import Sequence

import numpy as np

from brain.types import Vector, Vectors
from cognitive.policy import Policy

NEAREST = 5  # sentences vote; one alone may be near by accident


def nearest(vector: Vector, labels: Sequence[str | None], vectors: Vectors, policy: Policy) -> tuple[str, ...]:
    """The category that most of the nearest sentences have, or none.

    Args:
        vector: The message's, a unit vector.
        labels: The category of each sentence, None where it has none.
        vectors: Of the sentences, unit rows, shape (len(labels), dimension).
        policy: `exemplar_floor` is the cosine below which a sentence does not vote.

    Returns:
        At most one category: more than half of the votes, each weighed by its cosine, have it.
    """
    if not len(labels):
        return ()
    cosines = vectors @ vector
    order = np.argsort(-cosines, kind="stable")[:NEAREST]
    votes: dict[str | None, float] = {}
    for n in order:
        if cosines[n] >= policy.exemplar_floor:
            votes[labels[n]] = votes.get(labels[n], 0.0) + float(cosines[n])
    best = max(votes, key=votes.__getitem__, default=None)
    return (best,) if best is not None and 2 * votes[best] > sum(votes.values()) else ()
