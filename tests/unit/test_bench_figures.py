"""The figures of the benchmark: growth, percentiles, recall and unit vectors."""

from __future__ import annotations

import numpy as np
import pytest

from benchmarks.turns.comparison import RetrievalScores
from benchmarks.turns.data import KnownQuestion, make_stock
from cognitive.bench.figures import growth, percentiles
from cognitive.bench.vectors import InterpolatedEmbedder
from cognitive.bench.workload import lines


class ByLength:
    model, dimension = "length/test", 8

    def embed(self, texts):
        vectors = np.array([[len(text) % (n + 2) + 1 for n in range(8)] for text in texts], dtype=np.float32)
        return vectors / np.linalg.norm(vectors, axis=1, keepdims=True)


@pytest.mark.parametrize(("power", "sizes"), [(0.0, (10, 1000)), (1.0, (10, 100, 1000)), (0.5, (4, 16, 10**6))])
def test_growth_is_the_exponent_of_time_over_size(power, sizes):
    assert growth({n: 3 * n**power for n in sizes}) == pytest.approx(power, abs=1e-3)


def test_single_size_has_no_growth_and_percentiles_are_ordered():
    assert growth({100: 5.0}) is None
    result = percentiles([float(n) for n in range(100, 0, -1)])
    assert result == {"p50": 50.5, "p95": 96.0, "p99": 100.0, "min": 1.0}


def test_scores_report_recall_by_kind_and_unwanted_memories():
    scores = RetrievalScores()
    for question, sources in (
        (KnownQuestion(0, "?", kind="identifier", source="a"), ["a", "b"]),
        (KnownQuestion(0, "?", kind="identifier", source="b"), ["a", "b"]),
        (KnownQuestion(0, "?", kind="superseded", source="z"), [*"abcdefghij", "z"]),
        (KnownQuestion(0, "?", kind="small talk", source=None), []),
        (KnownQuestion(0, "?", kind="small talk", source=None), ["a", "b", "c"]),
    ):
        scores.add("layer", question, sources)
    report = scores.as_json()
    assert report["kinds"]["identifier"] == {
        "questions": 2,
        "recall_at_10": {"layer": 1.0},
        "recall_at_1": {"layer": 0.5},
    }
    assert report["kinds"]["superseded"]["recall_at_10"] == {"layer": 0.0}
    assert report["recall_at_10"] == {"layer": 0.667}
    assert report["unwanted"] == {"layer": {"turns": 0.5, "memories": 1.5}}


def test_each_text_always_has_the_same_unit_vector():
    known = make_stock(20, size=200, seed=1)
    texts = [memory.content for memory in lines(200, known.statements[0], seed=1)]
    interpolated = InterpolatedEmbedder(ByLength(), known.texts())
    vectors = interpolated.embed(texts)
    assert np.allclose(np.linalg.norm(vectors, axis=1), 1, atol=1e-3)
    assert np.array_equal(vectors[50:90], InterpolatedEmbedder(ByLength(), known.texts()).embed(texts[50:90]))
    known_rows = [n for n, text in enumerate(texts) if text in known.texts()]
    assert np.array_equal(vectors[known_rows], ByLength().embed([texts[n] for n in known_rows]))
    assert not np.array_equal(vectors, ByLength().embed(texts))
    assert np.array_equal(InterpolatedEmbedder(ByLength(), texts).embed(texts), ByLength().embed(texts))
