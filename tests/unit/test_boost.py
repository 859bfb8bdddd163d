"""Boosts from usage: bounded, neutral without evidence, slow to change on few labels, and decaying with time."""

from __future__ import annotations

from dataclasses import replace
from datetime import UTC, datetime, timedelta

import pytest
from hypothesis import given
from hypothesis import strategies as st
from making import AT, candidate, found, hit, past, uid

from brain.search import Masses
from cognitive.context.assemble import order
from cognitive.context.ranking import rank
from cognitive.context.usage import boost, boosts, combined_boosts, reliability
from cognitive.plan import RetrievalQuery
from cognitive.policy import Policy
from cognitive.policy.constants import CONSTANTS, Constants

POLICY = Policy()
DATES = st.datetimes(timezones=st.just(UTC))


def experienced(times_shown: int, times_used: int, *, at: datetime = AT):
    return hit(
        1,
        times_shown=times_shown,
        times_used=times_used,
        usage_shown=float(times_shown),
        usage_used=float(times_used),
        usage_at=at if times_shown else None,
    )


def base(shown: float, used: float, *, at: datetime = AT, type: str = "fact"):
    return {type: Masses(float(shown), float(used), at)}


def factor(times_shown: int, times_used: int, rates=None, *, at=AT, now=AT, policy=POLICY) -> float:
    return boost(experienced(times_shown, times_used, at=at), rates or base(200, 40), now, policy, CONSTANTS).factor


COUNTS = st.integers(min_value=0, max_value=10_000).flatmap(
    lambda shown: st.tuples(st.just(shown), st.integers(min_value=0, max_value=shown))
)


@given(COUNTS, COUNTS, st.integers(min_value=0, max_value=3_000), st.floats(0.01, 1.0), st.floats(1.0, 2.0))
def test_factor_stays_within_its_bounds(own, of_type, days_later, lower, upper):
    bounds = Constants(min_boost=lower, max_boost=upper)
    earned = boost(experienced(*own), base(*of_type), AT + timedelta(days=days_later), POLICY, constants=bounds)
    assert lower <= earned.factor <= upper
    assert earned.shown >= earned.used >= 0


@given(DATES, DATES)
def test_factor_stays_within_its_bounds_for_any_dates(at, now):
    earned = boost(experienced(5, 2, at=at), base(50, 10, at=at), now, POLICY, CONSTANTS)
    assert CONSTANTS.min_boost <= earned.factor <= CONSTANTS.max_boost


@given(COUNTS)
def test_memory_never_shown_is_neutral_for_any_base_rate(of_type):
    assert boost(hit(1), base(*of_type), AT, POLICY, CONSTANTS).factor == 1.0
    assert boost(hit(1), {}, AT, POLICY, CONSTANTS).reason == "never shown"


@pytest.mark.parametrize("shown", [1, 2, 5, 20, 500])
def test_factor_never_falls_with_more_uses(shown):
    factors = [factor(shown, used) for used in range(shown + 1)]
    assert factors == sorted(factors)
    assert factors[0] < 1 < factors[-1]


def test_factor_never_rises_with_more_unused_showings():
    factors = [factor(shown, 0) for shown in range(50)]
    assert factors == sorted(factors, reverse=True)


@pytest.mark.parametrize("shown", [1, 2])
def test_one_or_two_labels_change_the_factor_little(shown):
    steps = POLICY.usage.weight * abs(factor(shown, 0) - 1), POLICY.usage.weight * abs(factor(shown, shown) - 1)
    assert max(steps) < 0.03
    assert factor(shown, 0) > 0.7
    assert factor(shown, shown) < 1.3


def test_many_labels_bring_the_factor_near_its_bounds():
    assert factor(300, 300) > 1.45
    assert factor(300, 0) < 0.55


def test_memory_used_as_often_as_the_optimistic_prior_is_neutral():
    expected = 3.0 * 41 / 205  # OPTIMISM times the smoothed base rate
    shown = 200
    assert factor(shown, round(shown * expected)) == pytest.approx(1.0, abs=0.01)


def test_use_counts_less_where_the_base_rate_is_high():
    assert factor(4, 2, base(1_000, 900)) < factor(4, 2, base(1_000, 50))


def test_base_rate_is_that_of_the_type_of_the_memory():
    rates = base(1_000, 900) | base(1_000, 10, type="episode")
    assert factor(4, 2, rates) == factor(4, 2, base(1_000, 900))


@pytest.mark.parametrize(("shown", "used"), [(30, 30), (30, 0)], ids=["always used", "never used"])
def test_factor_decays_towards_neutral(shown, used):
    distances = [
        abs(factor(shown, used, base(2_000, 400, at=AT + timedelta(days=days)), now=AT + timedelta(days=days)) - 1)
        for days in (0, 7, 14, 28, 56, 112)
    ]
    assert distances == sorted(distances, reverse=True)
    assert distances[0] > 0.25
    assert distances[-1] < 0.01


def test_reset_memory_is_neutral():
    assert (
        boost(hit(1, usage_shown=0.0, usage_used=0.0, times_shown=0), base(200, 40), AT, POLICY, CONSTANTS).factor
        == 1.0
    )


def test_half_life_comes_from_the_policy():
    week = Policy(usage={"half_life_days": 7.0})
    year = Policy(usage={"half_life_days": 365.0})
    later = AT + timedelta(days=60)
    slow = boost(experienced(30, 30), {}, later, year, CONSTANTS).factor
    fast = boost(experienced(30, 30), {}, later, week, CONSTANTS).factor
    assert slow > fast > 1


def test_boost_reason_states_the_numbers_of_turns():
    earned = boost(experienced(5, 4), base(200, 40), AT, POLICY, CONSTANTS)
    assert earned.reason == f"{earned.factor:.2f}: used in 4 of 5 turns that showed it"


def test_each_candidate_gets_a_boost_that_ranking_uses():
    hits = (hit(1), experienced(5, 5), hit(3))
    earned = boosts(found(*hits, base=base(200, 40)), AT, POLICY, CONSTANTS)
    assert set(earned) == {uid(1), uid(3)}
    assert [c.boost for c in rank([candidate(3)], earned, POLICY, CONSTANTS)] == [earned[uid(3)]]


# --- similar turns ---

SAME, ALIKE, UNRELATED = 1.0, 0.85, 0.1  # cosines
RARE = base(1_000, 50)  # one use in 20 showings; the prior expects three times that rate


def among(
    alike: tuple[int, int], elsewhere: tuple[int, int], *, cosine: float = SAME, rates=RARE, policy=POLICY, **options
):
    """Return the boost of a memory from (times shown, times used) in similar turns and in others."""
    turns = [
        past(at, (1, n < used), n=n)
        for at, (shown, used) in ((cosine, alike), (UNRELATED, elsewhere))
        for n in range(shown)
    ]
    both = experienced(alike[0] + elsewhere[0], alike[1] + elsewhere[1])
    return boosts(found(both, base=rates, past=tuple(turns)), AT, policy, **{"constants": CONSTANTS, **options})[uid(1)]


TIMES = st.integers(0, 40).flatmap(lambda shown: st.tuples(st.just(shown), st.integers(0, shown)))


@given(TIMES, TIMES, st.floats(-1, 1), COUNTS, st.floats(0.01, 1.0), st.floats(1.0, 2.0))
def test_factor_with_similar_turns_stays_within_its_bounds(alike, elsewhere, cosine, of_type, lower, upper):
    bounds = Constants(min_boost=lower, max_boost=upper)
    earned = among(alike, elsewhere, cosine=cosine, rates=base(*of_type), constants=bounds)
    assert lower <= earned.factor <= upper


@pytest.mark.parametrize("share", [0.2, 0.5, 0.8, 1.0])
def test_memory_used_equally_in_all_turns_gains_nothing_in_similar_turns(share):
    """This is the pattern of an adversarial memory, which is credited in every turn."""
    factors = [among((20, round(20 * share)), (n, round(n * share))).factor for n in (20, 60, 200, 1_000)]
    assert factors == sorted(factors, reverse=True)
    assert factors[-1] == pytest.approx(1.0, abs=0.02)


@pytest.mark.parametrize("share", [0.4, 0.5, 0.8, 1.0])
def test_memory_used_only_in_similar_turns_gains(share):
    used = round(20 * share)
    assert among((20, used), (20, 0)).factor > 1.05
    assert among((20, used), (20, 0)).factor > among((20, used), (20, used)).factor + 0.02


def test_memory_used_only_in_other_turns_loses():
    assert among((20, 0), (20, 20)).factor < 0.8 < 1 < factor(40, 20, RARE)


def test_use_counts_more_in_a_more_similar_turn():
    factors = [among((3, 3), (10, 0), cosine=cosine).factor for cosine in (0.3, 0.7, 0.8, 0.9, 1.0)]
    assert factors == sorted(factors)
    assert factors[-1] > factors[0] + 0.1


def test_memory_shown_in_no_past_turn_is_judged_by_its_totals():
    alone = boosts(found(experienced(9, 9), base=RARE), AT, POLICY, CONSTANTS)[uid(1)].factor
    others = boosts(found(experienced(9, 9), base=RARE, past=(past(SAME, (2, True)),)), AT, POLICY, CONSTANTS)[
        uid(1)
    ].factor
    assert alone > 1.1
    assert 1 <= others < alone, "all its uses were in turns about other topics"


@pytest.mark.parametrize("elsewhere", [(0, 0), (5, 0), (5, 5)])
def test_rating_counts_only_in_the_turn_that_it_rates(elsewhere):
    """A rating weighs more both in the totals and in the turn that it rates."""
    weight = POLICY.feedback.rating_weight
    shown, used = 1 + elsewhere[0], 1 + elsewhere[1]
    factors = []
    for rated in (False, True):
        more = weight - 1 if rated else 0.0
        memory = hit(
            1, times_shown=shown, times_used=used, usage_shown=shown + more, usage_used=used + more, usage_at=AT
        )
        turn = past(SAME, (1, True))
        turn = replace(turn, shown=(replace(turn.shown[0], rated=rated),))
        factors.append(boosts(found(memory, base=RARE, past=(turn,)), AT, POLICY, CONSTANTS)[uid(1)].factor)
    measured, rated = factors
    assert rated > measured


def test_boost_reason_states_the_use_in_similar_turns():
    assert among((5, 4), (7, 1)).reason.endswith("used in 5 of 12 turns that showed it, in 4 of 5 similar turns")


def test_use_in_similar_turns_decays_with_age():
    fresh, old = (
        boosts(found(experienced(1, 1), base=RARE, past=(past(SAME, (1, True), days=days),)), AT, POLICY, CONSTANTS)[
            uid(1)
        ].factor
        for days in (0, 300)
    )
    assert fresh > old


# --- unreliable labels ---


def judged(shown: float, used: float, decoys: float, decoys_used: float):
    return {"fact": Masses(shown, used, AT, decoys, decoys_used)}


LEARNT = (past(SAME, (1, True, 0.1), (2, False, 0.0)),)
SEEN = (
    experienced(1, 1),
    hit(2, times_shown=9, times_used=0, usage_shown=9.0, usage_used=0.0, usage_at=AT),
)


def learnt(rates, policy=POLICY):
    return combined_boosts(found(*SEEN, base=rates, past=LEARNT), AT, policy, CONSTANTS)


@given(COUNTS, st.floats(0.0, 1.0))
def test_label_reliability_is_between_0_and_1(shown, credited):
    rates = judged(*shown, 500.0, 500.0 * credited)
    assert 0 <= reliability(rates, AT, POLICY) <= 1


def test_labels_are_reliable_without_contrary_decoys():
    assert reliability({}, AT, POLICY) == 1.0
    assert reliability(judged(10, 2, 0, 0), AT, POLICY) == 1.0
    assert reliability(judged(500, 100, 500, 10), AT, POLICY) == 1.0


@pytest.mark.parametrize("credited", [0.25, 0.5, 1.0])
def test_usage_has_no_effect_if_decoys_are_used_more_than_shown(credited):
    for each in learnt(judged(1_000, 200, 1_000, 1_000 * credited)).values():
        assert (each.factor, each.lift) == (1.0, 0.0)


def test_usage_has_little_effect_if_decoys_are_used_as_often_as_shown():
    believed, doubted = learnt(judged(1_000, 200, 1_000, 20)), learnt(judged(1_000, 200, 1_000, 200))
    assert believed[uid(1)].factor > 1.2
    assert believed[uid(2)].factor < 0.8
    assert believed[uid(1)].lift > 0 > believed[uid(2)].lift
    for each in doubted.values():
        assert each.factor == pytest.approx(1.0, abs=0.02)
        assert each.lift == pytest.approx(0.0, abs=0.005)


@given(st.floats(0, 1_000), st.floats(0, 1_000))
def test_usage_has_less_effect_with_more_credited_decoys(one, other):
    fewer, more = (learnt(judged(1_000, 200, 1_000, credited)) for credited in sorted((one, other)))
    for id in fewer:
        assert abs(more[id].factor - 1) <= abs(fewer[id].factor - 1) + 1e-12
        assert abs(more[id].lift) <= abs(fewer[id].lift) + 1e-12


@given(*[st.floats(0, 1_000)] * 4)
def test_label_reliability_is_computed_with_decayed_masses(shown, used, decoys, credited):
    week_ago = judged(shown, used, decoys, credited)
    left = judged(*(mass / 2 for mass in (shown, used, decoys, credited)))
    later = AT + timedelta(days=POLICY.usage.half_life_days)
    assert reliability(week_ago, later, POLICY) == pytest.approx(reliability(left, AT, POLICY))


def test_label_reliability_recovers_as_decoys_decay():
    doubted = judged(20, 4, 20, 12)
    trusts = [reliability(doubted, AT + timedelta(days=days), POLICY) for days in (0, 7, 70, 700)]
    assert trusts == sorted(trusts)
    assert trusts[0] == 0.0
    assert trusts[-1] == 1.0


# --- the seed ---

SEED = Policy.seed()


@given(COUNTS, st.integers(0, 3_000), st.sampled_from([(), LEARNT]))
def test_seed_factor_is_half_plus_the_rate_from_the_second_showing(counts, days, turns):
    shown, used = counts
    search_result = found(experienced(shown, used), base=judged(100, 5, 100, 100), past=turns)
    earned = combined_boosts(search_result, AT + timedelta(days=days), SEED, CONSTANTS)[uid(1)]
    assert earned.factor == (0.5 + used / shown if shown >= 2 else 1.0)
    assert earned.lift == 0.0


def test_seed_orders_by_relevance_times_its_factor():
    records = [(0, 0), (1, 0), (1, 1), (2, 0), (4, 1), (4, 2), (10, 9), (6, 6)]
    hits = [
        hit(
            n,
            times_shown=shown,
            times_used=used,
            usage_shown=float(shown),
            usage_used=float(used),
            usage_at=AT,
            scores={"content_cosine": 0.9 - n / 20},
        )
        for n, (shown, used) in enumerate(records, 1)
    ]
    ordered = order([RetrievalQuery("fact", "Tea?", 5)], found(*hits, past=LEARNT), AT, SEED, CONSTANTS)
    factors = {uid(n): 0.5 + used / shown if shown >= 2 else 1.0 for n, (shown, used) in enumerate(records, 1)}
    assert [each.score for each in ordered] == [each.relevance * factors[each.hit.memory_id] for each in ordered]
    assert [each.score for each in ordered] == sorted((each.score for each in ordered), reverse=True)
    assert [each.rank_before for each in ordered] != [each.rank for each in ordered]
