"""Classifiers for messages that match no rule: the interface, and an implementation by labelled sentences."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from typing import Protocol

import numpy as np

from brain.embedding.embedders import CachedEmbedder
from brain.types import Vector, Vectors
from cognitive.policy import Policy
from cognitive.preflight.rules.exemplars import EXEMPLARS


class Classifier(Protocol):
    """Interface of a component that finds the categories of work that a message asks for.

    It is called within the turn's deadline, and only if no rule found a category.
    """

    async def classify(self, text: str, vector: Vector | None) -> tuple[str, ...]:
        """Return the names of the policy's categories that a message belongs to, or an empty tuple if undecided.

        `vector` is the embedding of `text`, or None if it was not ready in time.
        """


MIN_COSINE = 0.4  # of a labelled sentence with the message, to vote on its category
NEAREST = 5  # labelled sentences that vote; a single one may be near by accident

Classifiers = Callable[[Policy], Classifier | None]  # returns the classifier of turns under a policy, or None


class ExemplarClassifier:
    """Finds a message's category by the labelled sentences (`EXEMPLARS`) whose embeddings are nearest.

    It embeds the sentences once. It never embeds a message: the turn already has the message's vector.
    """

    def __init__(self, embedder: CachedEmbedder) -> None:
        self._embedder = embedder
        self._labels = tuple(label for label, sentences in EXEMPLARS.items() for _ in sentences)
        self._vectors: Vectors = np.empty((0, embedder.dimension), dtype=np.float32)

    async def prepare(self) -> None:
        """Embed the labelled sentences; until this succeeds, `classify` returns no category.

        Raises:
            EmbeddingError: the embedding model failed.
        """
        self._vectors = await self._embedder.embed([text for sentences in EXEMPLARS.values() for text in sentences])

    async def classify(self, text: str, vector: Vector | None) -> tuple[str, ...]:
        """Return at most one category for a message, by its vector; none without a vector."""
        if vector is None or not len(self._vectors):
            return ()
        return nearest(vector, self._labels, self._vectors)

    def under(self, policy: Policy) -> Classifier | None:
        """Return this classifier for use under a policy, or None if the policy disables `exemplar_fallback`."""
        return self if policy.categories.exemplar_fallback else None


def nearest(vector: Vector, labels: Sequence[str | None], vectors: Vectors) -> tuple[str, ...]:
    """Return the category that most of the labelled sentences nearest to a message have, or none.

    Args:
        vector: The embedding of the message, a unit vector.
        labels: The category of each sentence, None for sentences of no category.
        vectors: The embeddings of the sentences as unit rows, shape (len(labels), dimension).

    Returns:
        At most one category: the label with more than half of the votes, each vote weighted by its cosine.
    """
    if not len(labels):
        return ()
    cosines = vectors @ vector
    order = np.argsort(-cosines, kind="stable")[:NEAREST]
    votes: dict[str | None, float] = {}
    for n in order:
        if cosines[n] >= MIN_COSINE:
            votes[labels[n]] = votes.get(labels[n], 0.0) + float(cosines[n])
    best = max(votes, key=votes.__getitem__, default=None)
    return (best,) if best is not None and 2 * votes[best] > sum(votes.values()) else ()
