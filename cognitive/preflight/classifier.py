"""Who is asked about a message that no rule knows: a port, and labelled sentences as its first adapter."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from copy import copy
from typing import Protocol

import numpy as np

from brain.embedding.embedders import CachedEmbedder
from brain.types import Vector, Vectors
from cognitive.policy import Policy
from cognitive.preflight.rules.categories import EXEMPLARS


class Classifier(Protocol):
    """Names the categories of a message. It is asked within the turn's deadline, only where the rules are silent."""

    async def classify(self, text: str, vector: Vector | None) -> tuple[str, ...]:
        """Categories of the policy, none if it does not know; `vector` is the message's, if it came in time."""


MIN_COSINE = 0.4  # below it a labelled sentence says nothing of a message
NEAREST = 5  # sentences vote; one alone may be near by accident

Classifiers = Callable[[Policy], Classifier | None]  # the classifier that turns under a policy ask; None: none


class ExemplarClassifier:
    """The category of the nearest labelled sentences. Embeds these once, and no message: it has a vector already."""

    def __init__(self, embedder: CachedEmbedder, policy: Policy) -> None:
        self._embedder = embedder
        self._policy = policy
        self._labels = tuple(label for label, sentences in EXEMPLARS.items() for _ in sentences)
        self._vectors: Vectors = np.empty((0, embedder.dimension), dtype=np.float32)

    async def prepare(self) -> None:
        """Embeds the sentences; before that, and if the model fails, it knows nothing.

        Raises:
            EmbeddingError: the model failed.
        """
        self._vectors = await self._embedder.embed([text for sentences in EXEMPLARS.values() for text in sentences])

    async def classify(self, text: str, vector: Vector | None) -> tuple[str, ...]:
        """At most one category, by the message's vector."""
        if vector is None or not len(self._vectors):
            return ()
        return nearest(vector, self._labels, self._vectors)

    def under(self, policy: Policy) -> Classifier | None:
        """The same sentences under another policy's floor; None where that policy does not want them."""
        if not policy.categories.exemplar_fallback:
            return None
        own = copy(self)
        own._policy = policy
        return own


def nearest(vector: Vector, labels: Sequence[str | None], vectors: Vectors) -> tuple[str, ...]:
    """The category that most of the nearest sentences have, or none.

    Args:
        vector: The message's, a unit vector.
        labels: The category of each sentence, None where it has none.
        vectors: Of the sentences, unit rows, shape (len(labels), dimension).

    Returns:
        At most one category: more than half of the votes, each weighed by its cosine, have it.
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
