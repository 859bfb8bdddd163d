"""A search result that arrives too late is dropped, and the turn reports a degradation."""

from __future__ import annotations

from making import hit, unit

from brain.search import SearchResult
from cognitive.context.retrieve import Retrieved
from cognitive.degradation import Degradation

FOUND = Retrieved(SearchResult((hit(),)), None, ("lexical",), (Degradation("embedding_late", "late"),))


def test_result_in_time_is_kept():
    assert FOUND.in_time(left=0.025, reserved=0.05) is FOUND


def test_late_result_is_dropped_and_reported():
    late = FOUND.in_time(left=0.024, reserved=0.05)
    assert (late.found.hits, late.channels) == ((), ())
    assert late.degraded == ("embedding: late", "retrieval: the candidates arrived too late to be ranked")
    assert [each.code for each in late.degraded] == ["embedding_late", "retrieval_late"]


def test_hit_is_printed_without_the_numbers_of_its_vector():
    printed = repr(hit(1, "Tea is served at noon.", vector=unit(1.0, 2.0)))
    assert "content='Tea is served at noon.'" in printed
    assert "array" not in printed
    assert printed.startswith("Hit(memory_id=UUID(")


def test_empty_result_is_never_late():
    nothing = Retrieved(SearchResult(()), None, ())
    assert nothing.in_time(left=0.0, reserved=0.05) is nothing
