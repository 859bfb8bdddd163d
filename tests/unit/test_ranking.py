"""Candidates are ordered by score, ties by sequence; a superseded memory ranks below its replacement."""

from __future__ import annotations

import math

import pytest
from hypothesis import given
from hypothesis import strategies as st
from making import AT, candidate, found, hit, ids, uid

from cognitive.context.ranking import candidates, rank
from cognitive.plan import RetrievalQuery
from cognitive.policy import Policy
from cognitive.policy.constants import CONSTANTS
from cognitive.trace import Boost

POLICY = Policy()
NEUTRAL = Boost()
RECALLED = RetrievalQuery("fact", "When is tea served?", 5)


def ranked(*candidates, boosts=None, policy=POLICY):
    neutral = {each.hit.memory_id: NEUTRAL for each in candidates}
    return rank(
        candidates, neutral | {uid(n): Boost(factor) for n, factor in (boosts or {}).items()}, policy, CONSTANTS
    )


def test_candidates_are_sorted_by_score_not_by_boost():
    got = ranked(candidate(1, relevance=0.9), candidate(2, relevance=0.3), boosts={1: 0.5, 2: 1.5})
    assert ids(got) == [1, 2]
    assert [each.score for each in got] == sorted((each.score for each in got), reverse=True)


def test_usage_decides_a_near_tie_in_both_directions():
    pair = candidate(1, relevance=0.508), candidate(2, relevance=0.51)
    assert ids(ranked(*pair)) == [2, 1]
    assert ids(ranked(*pair, boosts={1: 1.5})) == [1, 2]
    assert ids(ranked(*pair, boosts={2: 0.5})) == [1, 2]


def test_usage_cannot_rank_an_irrelevant_memory_above_a_match():
    assert ids(ranked(candidate(1, relevance=0.45), candidate(2, relevance=0.25), boosts={1: 0.5, 2: 1.5})) == [1, 2]


def test_score_is_relevance_plus_weighted_log_of_the_boost():
    [one] = ranked(candidate(1, relevance=0.4), boosts={1: 1.5})
    assert one.score == pytest.approx(0.4 + POLICY.usage.weight * math.log2(1.5))
    assert one.boost.factor == 1.5


def test_usage_weight_of_zero_ignores_usage():
    got = ranked(
        candidate(1, relevance=0.5),
        candidate(2, relevance=0.51),
        boosts={1: 1.5, 2: 0.5},
        policy=Policy(usage={"weight": 0.0}),
    )
    assert ids(got) == [2, 1]


def test_factor_below_one_on_a_score_is_recorded_with_its_causes():
    asking = candidate(1, "Where is the tea?", relevance=0.5, type="episode", speaker="user", confidence=0.5)
    lowered = {each.hit.memory_id.int: each.lowered for each in ranked(asking, candidate(2, relevance=0.5))}
    assert lowered == {
        1: "multiplied by 0.45, because its confidence is 0.50"
        " and it only asks, refuses or says that something is not known",
        2: "",
    }


def test_equal_scores_are_ordered_by_sequence_number():
    three = [candidate(n, relevance=0.5) for n in (3, 1, 2)]
    assert ids(ranked(*three)) == ids(ranked(*reversed(three))) == [1, 2, 3]


def test_ranks_start_at_one():
    assert [each.rank for each in ranked(candidate(1, relevance=0.1), candidate(2, relevance=0.9))] == [1, 2]
    assert ranked() == []


@pytest.mark.parametrize("old_relevance", [0.1, 0.5, 0.99])
def test_superseded_memory_ranks_below_its_replacement(old_relevance):
    got = ranked(candidate(1, relevance=old_relevance, replaced_by=2), candidate(2, relevance=0.05), boosts={1: 1.5})
    assert ids(got) == [2, 1]


def test_chain_of_superseded_memories_ranks_newest_first():
    chain = [
        candidate(1, relevance=0.9, replaced_by=2),
        candidate(2, relevance=0.8, replaced_by=3),
        candidate(3, relevance=0.1),
    ]
    assert ids(ranked(*chain)) == [3, 2, 1]


def test_other_candidates_keep_their_order_around_a_superseded_one():
    got = ranked(
        candidate(1, relevance=0.9, replaced_by=4),
        candidate(2, relevance=0.6),
        candidate(3, relevance=0.5),
        candidate(4, relevance=0.3),
    )
    assert ids(got) == [2, 3, 4, 1]


def test_superseded_memory_with_a_low_score_stays_below_better_ones():
    got = ranked(candidate(1, relevance=0.1, replaced_by=3), candidate(2, relevance=0.5), candidate(3, relevance=0.9))
    assert ids(got) == [3, 2, 1]


def test_replacement_matches_as_well_as_what_it_replaced():
    """Of a chain, too, in any order of storing; and a replacement that is no candidate changes nothing."""
    weak, strong = {"content_cosine": 0.1, "content_bm25": 0.5}, {"content_cosine": 0.7}
    first, middle, lost = hit(1, replaced_by=2, scores=strong), hit(2, replaced_by=3, scores={}), hit(5, replaced_by=99)
    got = candidates(found(hit(3, scores=weak), middle, first, hit(4, scores=weak), lost), RECALLED, AT, POLICY)
    assert {each.hit.memory_id.int: dict(each.hit.scores) for each in got} == {
        1: strong,
        2: strong,
        3: {"content_cosine": 0.7, "content_bm25": 0.5},
        4: weak,
        5: {},
    }
    assert ids(ranked(*got)).index(3) < ids(ranked(*got)).index(4)


@pytest.mark.parametrize("members", [1, 2, 3, 5])
def test_circular_replacements_keep_every_candidate(members):
    circle = [candidate(n, relevance=n / 10, replaced_by=n % members + 1) for n in range(1, members + 1)]
    assert sorted(ids(ranked(*circle))) == list(range(1, members + 1))


@st.composite
def ranking_cases(draw):
    size = draw(st.integers(1, 12))
    relevances = draw(st.lists(st.floats(0, 1), min_size=size, max_size=size))
    factors = draw(st.lists(st.floats(0.5, 1.5), min_size=size, max_size=size))
    newer = [draw(st.none() | st.integers(n + 1, size + 3)) if n < size else None for n in range(1, size + 1)]
    candidates = [candidate(n, relevance=relevances[n - 1], replaced_by=newer[n - 1]) for n in range(1, size + 1)]
    return draw(st.permutations(candidates)), dict(enumerate(factors, 1))


@given(ranking_cases())
def test_ranking_keeps_all_candidates_and_replacements_lead(case):
    candidates, factors = case
    got = ranked(*candidates, boosts=factors)
    assert sorted(ids(got)) == sorted(ids(candidates))
    assert [each.rank for each in got] == list(range(1, len(got) + 1))
    place = {each.hit.memory_id: n for n, each in enumerate(got)}
    for each in got:
        if each.hit.replaced_by in place:
            assert place[each.hit.replaced_by] < place[each.hit.memory_id]


@given(ranking_cases())
def test_ranking_does_not_depend_on_the_input_order(case):
    candidates, factors = case
    assert ids(ranked(*candidates, boosts=factors)) == ids(ranked(*reversed(candidates), boosts=factors))


@given(ranking_cases())
def test_current_memories_are_ordered_by_score(case):
    candidates, factors = case
    current = [each for each in ranked(*candidates, boosts=factors) if each.hit.replaced_by is None]
    keys = [(-each.score, each.hit.seq) for each in current]
    assert keys == sorted(keys)
