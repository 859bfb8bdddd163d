"""Lifts from past turns: bounded, from similar turns only, as large as the relevance gap, unchanged by repetition."""

from __future__ import annotations

import pytest
from hypothesis import given
from hypothesis import strategies as st
from making import AT, candidate, found, ids, past, uid

from cognitive.context.ranking import rank
from cognitive.context.usage import MARGIN, MAX_RELEVANCE_GAP, Lift, lifts, similarity
from cognitive.policy import Policy
from cognitive.policy.constants import CONSTANTS, Constants
from cognitive.trace import Boost

POLICY = Policy()
FULL = Policy(association={"weight": 1.0})
SAME = 1.0  # the cosine of a question with itself


def lift(n: int, *turns, policy=FULL, now=AT) -> float:
    return lifts(found(past=turns), now, policy, CONSTANTS).get(uid(n), Lift()).value


GAPS = st.none() | st.floats(0, 1.5)
SHOWN = st.tuples(st.integers(1, 6), st.booleans(), GAPS, st.booleans())
TURNS = st.lists(
    st.builds(
        lambda cosine, shown, words, days, n: past(cosine, *shown, n=n, words=words, days=days),
        st.floats(-1, 1),
        st.lists(SHOWN, max_size=6, unique_by=lambda each: each[0]),
        st.floats(0, 1),
        st.floats(-100, 1_000),
        st.integers(0, 99),
    ),
    max_size=8,
)
POLICIES = st.builds(
    lambda **association: Policy(association=association),
    weight=st.floats(0, 2),
    min_similarity=st.floats(0, 1),
    half_life_days=st.floats(0.1, 1_000),
)
CHOSEN = st.builds(Constants, association_full_similarity=st.floats(0, 1), association_lexical_share=st.floats(0, 0.99))


@given(TURNS, POLICIES, CHOSEN)
def test_lift_stays_within_its_bounds(turns, policy, constants):
    for each in lifts(found(past=tuple(turns)), AT, policy, constants).values():
        assert abs(each.value) <= policy.association.weight * MAX_RELEVANCE_GAP + 1e-12
        assert 0 <= each.used <= each.shown <= len(turns)


@given(st.booleans(), GAPS)
def test_negative_lift_has_a_tighter_bound_than_positive_lift(rated, gap):
    lowered = lift(1, past(SAME, (1, False, gap, rated)))
    assert -MAX_RELEVANCE_GAP * (1 if rated else 0.2) < lowered <= 0


@given(TURNS, st.randoms(use_true_random=False))
def test_order_of_past_turns_does_not_change_lifts(turns, rolled):
    shuffled = list(turns)
    rolled.shuffle(shuffled)
    assert lifts(found(past=tuple(shuffled)), AT, POLICY, CONSTANTS) == lifts(
        found(past=tuple(turns)), AT, POLICY, CONSTANTS
    )


@given(TURNS)
def test_zero_association_weight_gives_zero_lifts(turns):
    assert all(
        each.value == 0
        for each in lifts(found(past=tuple(turns)), AT, Policy(association={"weight": 0.0}), CONSTANTS).values()
    )


# --- the turns that count ---


@pytest.mark.parametrize("cosine", [-1.0, 0.0, 0.3, 0.55, POLICY.association.min_similarity])
@pytest.mark.parametrize("used", [True, False])
def test_turn_about_another_topic_gives_no_lift(cosine, used):
    assert lifts(found(past=[past(cosine, (1, used, 0.1))]), AT, FULL, CONSTANTS) == {}


@given(st.floats(-1, 1), st.floats(0, 0.95), st.floats(0, 1))
def test_turns_below_the_search_cosine_would_give_no_lift(cosine, words, floor):
    """The search selects past turns by cosine alone, so it must not exclude a turn that would give a lift."""
    constants, least = Constants(association_lexical_share=words), max(floor, words)
    if cosine < constants.association_cosine(least):
        assert similarity(past(cosine, words=1.0), constants) < least + 1e-9


def test_lift_grows_with_the_similarity_of_the_question():
    learned = [
        lift(1, past(cosine, (1, True, 0.1)))
        for cosine in (0.5, 0.6, 0.65, 0.7, 0.75, CONSTANTS.association_full_similarity)
    ]
    assert learned == sorted(set(learned))
    assert lift(1, past(1.0, (1, True, 0.1))) == pytest.approx(learned[-1])


def test_shared_words_separate_questions_of_the_same_cosine():
    same_words, other_words = (past(0.65, (1, True, 0.1), words=words) for words in (1.0, 0.0))
    assert lift(1, same_words) > 0
    assert lift(1, other_words) == 0


def test_lift_decays_by_half_per_half_life():
    policy = Policy(association={"weight": 1.0, "half_life_days": 10.0})
    ages = [lift(1, past(SAME, (1, True, 0.1), days=days), policy=policy) for days in (0, 10, 20, 1_000)]
    assert ages[1] == pytest.approx(ages[0] / 2)
    assert ages[2] == pytest.approx(ages[0] / 4)
    assert ages[3] == pytest.approx(0, abs=1e-12)
    lowered = [-lift(1, past(SAME, (1, False, 0.0), days=days), policy=policy) for days in (0, 10)]
    assert lowered[0] > 0
    assert lowered[1] == pytest.approx(lowered[0] / 2)


@pytest.mark.parametrize("others", range(1, 8))
def test_lift_of_a_memory_shrinks_with_the_number_used_in_the_turn(others):
    def among(many):
        return lift(1, past(SAME, (1, True, 0.1), *((n + 2, True, 0.1) for n in range(many))))

    assert among(others) < among(others - 1)
    assert among(others) > 0


def test_unused_memories_do_not_reduce_the_lift_of_used_ones():
    unused = ((n, False, 0.0) for n in range(2, 9))
    assert lift(1, past(SAME, (1, True, 0.1), *unused)) == lift(1, past(SAME, (1, True, 0.1)))


# --- the size of a lift ---


@pytest.mark.parametrize("gap", [0.0, 0.03, 0.1, 0.12])
def test_repeated_question_ranks_the_used_memory_first(gap):
    """The used memory ends above the unused one that ranked before it, by the margin."""
    learned = lifts(found(past=[past(SAME, (1, True, gap), (2, False, 0.0))]), AT, FULL, CONSTANTS)
    assert learned[uid(1)].value == pytest.approx(gap + MARGIN)
    pair = candidate(2, relevance=0.6), candidate(1, relevance=0.6 - gap)
    ordered = rank(pair, {id: Boost(lift=each.value) for id, each in learned.items()}, POLICY, CONSTANTS)
    assert ids(ordered) == [1, 2]


def test_lift_of_a_distant_memory_stops_at_the_bound():
    assert lift(1, past(SAME, (1, True, 0.9))) == MAX_RELEVANCE_GAP


def test_larger_relevance_gap_gives_a_larger_lift():
    learned = [lift(1, past(SAME, (1, True, gap))) for gap in (0.0, 0.05, 0.1, 0.15)]
    assert learned == sorted(set(learned))


def test_unknown_relevance_gap_is_treated_as_zero_for_used_memories():
    assert lift(1, past(SAME, (1, True, None))) == lift(1, past(SAME, (1, True, 0.0))) > 0
    assert lift(1, past(SAME, (1, False, None))) == 0


@given(TURNS, st.integers(2, 12))
def test_repeated_turns_do_not_increase_a_lift(turns, times):
    once, often = (lifts(found(past=tuple(turns) * n), AT, FULL, CONSTANTS) for n in (1, times))
    assert {id: each.value for id, each in often.items()} == {id: each.value for id, each in once.items()}
    assert all(often[id].shown == times * each.shown for id, each in once.items())


def test_disuse_lowers_a_memory_less_than_use_lifts_it():
    lowered, raised = lift(1, past(SAME, (1, False, 0.0))), lift(1, past(SAME, (1, True, 0.0)))
    assert lowered < 0 < -lowered < raised


def test_penalty_for_disuse_shrinks_to_zero_with_the_relevance_gap():
    learned = [lift(1, past(SAME, (1, False, gap))) for gap in (0.0, 0.05, 0.1, 0.15, 0.5)]
    assert learned == sorted(learned)
    assert learned[:3] == sorted(set(learned[:3]))
    assert learned[3:] == [0, 0]


def test_one_use_outweighs_many_turns_without_use():
    turns = [past(SAME, (1, False, 0.0), n=n) for n in range(9)]
    assert lift(1, *turns) < 0
    assert lift(1, *turns, past(0.9, (1, True, 0.0), n=9)) > 0


@given(GAPS, GAPS)
def test_rating_gives_a_larger_lift_than_measured_use(gap, other):
    measured, rated = ([(1, used, gap, is_rated) for used in (False, True)] for is_rated in (False, True))
    useless, useful = (lift(1, past(SAME, each)) for each in rated)
    assert useless <= lift(1, past(SAME, measured[0])) < lift(1, past(SAME, measured[1])) <= useful
    assert useful == lift(1, past(SAME, (1, True, 9.0))), "a useful memory ranks with the best, whatever its gap was"
    assert useless < lift(1, past(SAME, (1, False, 0.0))), "a useless memory sinks below an unused one"
    assert lift(1, past(SAME, rated[0]), *[past(SAME, (1, True, other), n=n) for n in range(2, 5)]) == useless
    assert lift(1, past(SAME, rated[1]), *[past(SAME, (1, False, other), n=n) for n in range(2, 5)]) == useful


def test_lift_counts_the_turns_that_it_comes_from():
    turns = [past(SAME, (1, True)), past(0.9, (1, False)), past(0.8, (2, True)), past(0.1, (1, True))]
    learned = lifts(found(past=turns), AT, FULL, CONSTANTS)
    assert {id.int: (each.shown, each.used) for id, each in learned.items()} == {1: (2, 1), 2: (1, 1)}


def test_lift_counts_towards_the_match_of_a_memory():
    """A memory that is known to answer the question must not be dropped because its words do not match."""
    lifted = rank([candidate(1, relevance=0.1)], {uid(1): Boost(lift=0.1)}, POLICY, CONSTANTS)[0]
    assert lifted.match == pytest.approx(candidate(1, relevance=0.1).match + 0.1)
