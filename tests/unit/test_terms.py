"""Query words to read: all for a small agent, the rarest for a large one, by exact or estimated counts."""

from __future__ import annotations

from uuid import NAMESPACE_OID, UUID, uuid5

import pytest
from hypothesis import given
from hypothesis import strategies as st

from brain.terms import (
    LARGE_AGENT_PASSAGES,
    MAX_COMMON,
    MAX_COUNTED_POSTINGS,
    MAX_POSTINGS,
    MAX_READ,
    Term,
    select_terms,
    terms,
)

COUNTS = st.dictionaries(st.text(min_size=1, max_size=4), st.integers(0, 40_000), max_size=12)


@pytest.mark.parametrize("holding", [1_500, 40_000])
def test_estimated_count_is_within_10_percent(holding):
    ids = sorted(uuid5(NAMESPACE_OID, f"memory {n}").int for n in range(holding))
    counts = {
        "ferry": [(MAX_COUNTED_POSTINGS // 2, 40, MAX_COUNTED_POSTINGS, str(UUID(int=ids[MAX_COUNTED_POSTINGS - 1])))]
    }
    estimate = terms(counts, ["ferry"], 10_000)["ferry"]
    assert estimate.all_passages == pytest.approx(holding, rel=0.1)
    assert estimate.content_passages == pytest.approx(holding / 2, rel=0.1)
    assert estimate.sessions <= 10_000


def test_exact_counts_are_returned_in_query_order():
    counts = {"a": [(3, 2, 5, None)], "b": [(1, 1, 1, None)]}
    result = terms(counts, ["b", "a"], 7)
    assert list(result.items()) == [("b", Term(1, 1, 1)), ("a", Term(3, 2, 5))]


def test_counts_of_shared_and_private_memories_are_added():
    assert terms({"a": [(3, 2, 5, None), (1, 1, 4, None)]}, ["a"], 7) == {"a": Term(4, 3, 9)}


@given(COUNTS)
def test_small_agent_reads_every_word_that_is_not_too_common(counts):
    chosen = select_terms({word: Term(n, 1, n) for word, n in counts.items()}, LARGE_AGENT_PASSAGES)
    assert list(chosen.read) == [word for word, n in counts.items() if 0 < n < MAX_POSTINGS]
    assert not chosen.common


@given(COUNTS)
def test_large_agent_reads_the_rarest_words_within_the_bound(counts):
    chosen = select_terms({word: Term(n, 1, n) for word, n in counts.items()}, LARGE_AGENT_PASSAGES + 1)
    assert sum(chosen.read.values()) <= MAX_READ
    assert len(chosen.common) <= MAX_COMMON
    rarest_left_out = min((n for word, n in counts.items() if n and word not in chosen.read), default=None)
    if rarest_left_out is not None:
        assert all(n <= rarest_left_out for n in chosen.read.values())
        assert rarest_left_out in chosen.common.values()
