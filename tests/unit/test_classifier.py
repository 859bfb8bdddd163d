"""The fallback classifier: a clear majority of the nearest example sentences, or nothing."""

from __future__ import annotations

import numpy as np
import pytest
from making import beside, unit

from brain.embedding.embedders import CachedEmbedder
from cognitive.plan import CATEGORIES
from cognitive.preflight.classifier import ExemplarClassifier, nearest
from cognitive.preflight.rules.exemplars import EXEMPLARS


def named(*labelled: tuple[str | None, float]) -> tuple[str, ...]:
    """Return the guess for example sentences with these labels and cosines to the message."""
    labels = [label for label, _ in labelled]
    vectors = np.stack([beside(cosine) for _, cosine in labelled])
    return nearest(unit(1, 0), labels, vectors)


def test_majority_of_near_examples_names_the_category():
    assert named(("media", 0.8), ("media", 0.7), ("coding", 0.75)) == ("media",)


@pytest.mark.parametrize(
    "labelled",
    [
        [("media", 0.39), ("media", 0.3)],
        [("media", 0.8), ("coding", 0.8)],
        [(None, 0.8), (None, 0.7), ("media", 0.75)],
        [("media", 0.9), (None, 0.8), ("coding", 0.8), ("crypto", 0.8)],
    ],
    ids=["far", "undecided", "about nothing", "no majority"],
)
def test_no_clear_majority_names_no_category(labelled):
    assert named(*labelled) == ()


def test_only_the_nearest_examples_vote():
    assert named(*[("media", 0.9)] * 5, *[("coding", 0.8)] * 20) == ("media",)


def test_examples_are_distinct_and_exclude_casual_and_complex():
    sentences = [text for each in EXEMPLARS.values() for text in each]
    assert len(set(sentences)) == len(sentences)
    assert set(EXEMPLARS) == {*CATEGORIES, None} - {"casual", "complex"}


async def test_classifier_needs_a_message_vector_and_prepared_examples(embedder):
    cached = CachedEmbedder(embedder)
    classifier = ExemplarClassifier(cached)
    text = "blur the faces and cut the first ten seconds"
    vector = (await cached.embed([text]))[0]
    assert await classifier.classify(text, vector) == ()
    await classifier.prepare()
    assert await classifier.classify(text, vector) == ("media",)
    assert await classifier.classify(text, None) == ()
    cached.close()
