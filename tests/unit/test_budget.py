"""Fitting into token budgets: never over the total, whole memories only, each type served."""

from __future__ import annotations

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st
from making import candidate, ids

from brain.types import MEMORY_TYPES
from cognitive.context.budget import fit, limit

pytestmark = pytest.mark.promise(number=6)

TYPES = st.sampled_from(MEMORY_TYPES)
CANDIDATES = st.lists(st.tuples(TYPES, st.integers(0, 60)), max_size=20).map(
    lambda candidates: [candidate(n, type=type_, tokens=tokens) for n, (type_, tokens) in enumerate(candidates, 1)]
)
BUDGETS = st.dictionaries(TYPES, st.integers(0, 150))


def cost(each):
    return each.tokens


def fitted(candidates, budgets, total, overhead=0):
    return fit(candidates, budgets, total, cost=cost, overhead=overhead)


def facts(*tokens):
    return [candidate(n, type="fact", tokens=each) for n, each in enumerate(tokens, 1)]


@given(CANDIDATES, BUDGETS, st.integers(0, 400), st.integers(0, 50))
@settings(max_examples=100)
def test_kept_tokens_never_exceed_the_total_minus_overhead(candidates, budgets, total, overhead):
    kept = fitted(candidates, budgets, total, overhead).kept
    assert sum(map(cost, kept)) <= max(0, total - overhead)


@given(CANDIDATES, BUDGETS, st.integers(0, 400))
@settings(max_examples=100)
def test_each_candidate_is_kept_or_dropped_once_in_order(candidates, budgets, total):
    selection = fitted(candidates, budgets, total)
    kept, dropped = ids(selection.kept), ids(result.candidate for result in selection.dropped)
    assert sorted(kept + dropped) == list(range(1, len(candidates) + 1))
    assert kept == sorted(kept)
    assert dropped == sorted(dropped)


@given(CANDIDATES, BUDGETS)
@settings(max_examples=100)
def test_candidates_within_their_section_budgets_are_kept(candidates, budgets):
    """The total is the sum of the section budgets, so a candidate that fits its section is kept."""
    first = dict.fromkeys(MEMORY_TYPES, 0)
    within_budget = []
    total = sum(budgets.values())
    for each in candidates:
        type_ = each.hit.type
        if first[type_] + each.tokens <= budgets.get(type_, 0):
            first[type_] += each.tokens
            within_budget.append(each)
    assert set(ids(within_budget)) <= set(ids(fitted(candidates, budgets, total).kept))


@given(CANDIDATES, BUDGETS, st.integers(0, 400))
@settings(max_examples=100)
def test_dropped_candidate_exceeds_the_remaining_tokens(candidates, budgets, total):
    selection = fitted(candidates, budgets, total)
    left = total - sum(map(cost, selection.kept))
    for result in selection.dropped:
        assert result.disposition == "over_budget"
        assert result.value == result.candidate.tokens > left
        assert f"{left} left" in result.reason


@given(CANDIDATES, BUDGETS, st.integers(0, 400))
@settings(max_examples=50)
def test_fitting_does_not_cut_memories(candidates, budgets, total):
    before = {each.hit.memory_id: each.hit.content for each in candidates}
    assert all(before[each.hit.memory_id] == each.hit.content for each in fitted(candidates, budgets, total).kept)


def test_short_memory_behind_a_too_long_one_is_kept():
    selection = fitted(facts(90, 20, 30, 40), {"fact": 60}, 60)
    assert ids(selection.kept) == [2, 3]
    assert ids(result.candidate for result in selection.dropped) == [1, 4]


@pytest.mark.parametrize(("best", "kept"), [(0, [2]), (99, [2]), (100, [1]), (500, [1])])
def test_best_match_alone_may_exceed_the_total_up_to_a_limit(best, kept):
    selection = fit(facts(90, 20, 30), {"fact": 35}, 35, cost=cost, overhead=10, best=best)
    assert ids(selection.kept) == kept
    assert len(selection.dropped) == 2


def test_section_keeps_its_budget_although_other_types_rank_higher():
    candidates = [*facts(40, 40, 40), candidate(4, type="episode", tokens=30)]
    assert ids(fitted(candidates, {"fact": 80, "episode": 30}, 110).kept) == [1, 2, 4]


def test_unused_section_budget_goes_to_other_types_in_rank_order():
    candidates = [*facts(40, 40, 40), candidate(4, type="episode", tokens=10)]
    assert ids(fitted(candidates, {"fact": 40, "episode": 60}, 100).kept) == [1, 2, 4]


def test_type_without_a_section_uses_the_remaining_budget():
    assert ids(fitted(facts(30), {}, 50).kept) == [1]
    assert ids(fitted(facts(30), {"episode": 50}, 20).kept) == []


def test_cost_function_sets_the_tokens_of_candidates():
    selection = fit(facts(0, 0), {"fact": 30}, 30, cost=lambda each: 7 * each.hit.memory_id.int)
    assert [each.tokens for each in selection.kept] == [7, 14]


def test_zero_room_drops_all_candidates_with_a_reason():
    selection = fitted(facts(5), {"fact": 10}, 10, overhead=99)
    assert selection.kept == ()
    assert [result.reason for result in selection.dropped] == ["5 tokens, 0 left"]
    assert fitted([], {}, 0).kept == ()


@given(CANDIDATES, st.dictionaries(TYPES, st.integers(0, 5)))
def test_limit_keeps_the_first_candidates_of_each_type(candidates, limits):
    selection = limit(candidates, limits)
    for type_ in MEMORY_TYPES:
        own = [each for each in candidates if each.hit.type == type_]
        assert [each for each in selection.kept if each.hit.type == type_] == own[: limits.get(type_, 0)]
    assert sorted(ids(selection.kept) + ids(result.candidate for result in selection.dropped)) == list(
        range(1, len(candidates) + 1)
    )


def test_candidate_over_the_limit_has_its_place_as_reason():
    [result] = limit(facts(1, 1, 1), {"fact": 2}).dropped
    assert (result.disposition, result.value, result.reason) == (
        "over_limit",
        3,
        "number 3 of its type; at most 2 of type fact are shown",
    )


def test_fit_does_not_change_its_input():
    candidates = facts(10, 20)
    copies = list(candidates)
    fit(candidates, {"fact": 5}, 15, cost=lambda each: 1)
    assert candidates == copies


@given(CANDIDATES, BUDGETS, st.integers(0, 400), st.sets(TYPES))
@settings(max_examples=100)
def test_section_exceeds_its_budget_only_by_unused_budget(candidates, budgets, total, preferred):
    kept = fit(candidates, budgets, total, cost=cost, preferred_types=preferred).kept
    used = {type_: sum(cost(each) for each in kept if each.hit.type == type_) for type_ in MEMORY_TYPES}
    over = sum(max(0, used[type_] - budgets.get(type_, 0)) for type_ in MEMORY_TYPES)
    within = sum(min(used[type_], budgets.get(type_, 0)) for type_ in MEMORY_TYPES)
    assert over <= max(0, total - within)
    for type_ in MEMORY_TYPES:
        own = [each for each in candidates if each.hit.type == type_ and each not in kept]
        room = min(total - sum(used.values()), budgets.get(type_, 0) - used[type_])
        assert all(each.tokens > room for each in own)


@given(CANDIDATES, BUDGETS, st.integers(0, 400), st.sets(TYPES))
@settings(max_examples=100)
def test_larger_total_never_fills_fewer_tokens(candidates, budgets, total, preferred):
    """Two totals give different results only if one more memory fits, and that memory fills the larger total."""
    less, more = (
        fit(candidates, budgets, each, cost=cost, preferred_types=preferred).kept for each in (total, total + 1)
    )
    assert sum(map(cost, less)) <= sum(map(cost, more))


@given(CANDIDATES, BUDGETS, st.integers(0, 400), TYPES)
@settings(max_examples=100)
def test_preferred_type_gets_a_memory_if_one_fits(candidates, budgets, total, type_):
    kept = fit(candidates, budgets, total, cost=cost, preferred_types={type_}).kept
    room = min(total, budgets.get(type_, 0))
    if any(each.hit.type == type_ and each.tokens <= room for each in candidates):
        assert any(each.hit.type == type_ for each in kept)
