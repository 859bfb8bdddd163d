"""The benchmark: slopes, percentiles, statements that have one answer each, vectors of unit length."""

from __future__ import annotations

import numpy as np
import pytest

from cognitive.bench.data import Between, lines, stock
from cognitive.bench.figures import growth, percentiles


class ByLength:
    model, dimension = "length/test", 8

    def embed(self, texts):
        vectors = np.array([[len(text) % (n + 2) + 1 for n in range(8)] for text in texts], dtype=np.float32)
        return vectors / np.linalg.norm(vectors, axis=1, keepdims=True)


@pytest.mark.parametrize(("power", "sizes"), [(0.0, (10, 1000)), (1.0, (10, 100, 1000)), (0.5, (4, 16, 10**6))])
def test_growth_is_the_power_that_a_time_grows_by(power, sizes):
    assert growth({n: 3 * n**power for n in sizes}) == pytest.approx(power, abs=1e-3)


def test_one_size_has_no_growth_and_percentiles_are_in_order():
    assert growth({100: 5.0}) is None
    found = percentiles([float(n) for n in range(100, 0, -1)])
    assert found == {"p50": 50.5, "p95": 96.0, "p99": 100.0, "min": 1.0}


def test_every_question_has_one_statement_and_all_of_them_are_stored():
    known = stock(120, seed=3)
    assert len(set(known.statements.values())) == len({asked.question for asked in known.questions}) == 120
    stored = list(lines(1_000, known, seed=3))
    assert len({memory.source for memory in stored}) == len({memory.content for memory in stored}) == 1_000
    assert {memory.content for memory in stored if memory.source in known.statements} == set(known.statements.values())
    assert stored == list(lines(1_000, known, seed=3))


def test_lines_that_nobody_asks_for_get_vectors_of_unit_length_between_statements():
    known = stock(20, seed=1)
    texts = [memory.content for memory in lines(60, known, seed=1)]
    vectors = Between(ByLength(), known, seed=1).embed(texts)
    assert np.allclose(np.linalg.norm(vectors, axis=1), 1, atol=1e-3)
    assert np.array_equal(vectors, Between(ByLength(), known, seed=1).embed(texts))
    asked = [n for n, text in enumerate(texts) if text in set(known.statements.values())]
    assert np.array_equal(vectors[asked], ByLength().embed([texts[n] for n in asked]))
