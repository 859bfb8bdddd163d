"""Usage: bounded, neutral for the unknown, slow to believe a label or two, and forgotten with time."""

from __future__ import annotations

from datetime import UTC, datetime, timedelta

import pytest
from hypothesis import given
from hypothesis import strategies as st
from making import AT, candidate, found, hit, uid

from brain.search import Masses
from cognitive.context.boost import boost, boosts
from cognitive.context.rank import rank
from cognitive.policy import Policy

POLICY = Policy()
DATES = st.datetimes(timezones=st.just(UTC))


def experienced(times_shown: int, times_used: int, *, at: datetime = AT):
    return hit(
        1, times_shown=times_shown, times_used=times_used, usage_shown=float(times_shown),
        usage_used=float(times_used), usage_at=at if times_shown else None,
    )  # fmt: skip


def base(shown: float, used: float, *, at: datetime = AT, type: str = "fact"):
    return {type: Masses(float(shown), float(used), at)}


def factor(times_shown: int, times_used: int, rates=None, *, at=AT, now=AT, policy=POLICY) -> float:
    return boost(experienced(times_shown, times_used, at=at), rates or base(200, 40), now, policy).factor


COUNTS = st.integers(min_value=0, max_value=10_000).flatmap(
    lambda shown: st.tuples(st.just(shown), st.integers(min_value=0, max_value=shown))
)


@given(COUNTS, COUNTS, st.integers(min_value=0, max_value=3_000), st.floats(0.01, 1.0), st.floats(1.0, 2.0))
def test_a_factor_stays_within_its_bounds(own, of_type, days_later, least, most):
    policy = Policy(least_boost=least, most_boost=most)
    earned = boost(experienced(*own), base(*of_type), AT + timedelta(days=days_later), policy)
    assert least <= earned.factor <= most
    assert earned.shown >= earned.used >= 0


@given(DATES, DATES)
def test_no_clock_breaks_a_factor(at, now):
    earned = boost(experienced(5, 2, at=at), base(50, 10, at=at), now, POLICY)
    assert POLICY.least_boost <= earned.factor <= POLICY.most_boost


@given(COUNTS)
def test_what_was_never_shown_is_neutral_whatever_its_type_earned(of_type):
    assert boost(hit(1), base(*of_type), AT, POLICY).factor == 1.0
    assert boost(hit(1), {}, AT, POLICY).because == "never shown"


@pytest.mark.parametrize("shown", [1, 2, 5, 20, 500])
def test_more_use_of_the_same_showings_never_lowers_a_factor(shown):
    factors = [factor(shown, used) for used in range(shown + 1)]
    assert factors == sorted(factors)
    assert factors[0] < 1 < factors[-1]


def test_more_showings_without_use_never_raise_a_factor():
    factors = [factor(shown, 0) for shown in range(50)]
    assert factors == sorted(factors, reverse=True)


@pytest.mark.parametrize("shown", [1, 2])
def test_a_label_or_two_move_little(shown):
    steps = POLICY.usage_weight * abs(factor(shown, 0) - 1), POLICY.usage_weight * abs(factor(shown, shown) - 1)
    assert max(steps) < 0.03
    assert factor(shown, 0) > 0.7
    assert factor(shown, shown) < 1.3


def test_much_evidence_reaches_near_the_bounds():
    assert factor(300, 300) > 1.45
    assert factor(300, 0) < 0.55


def test_what_is_used_as_often_as_an_optimist_expects_is_neutral():
    expected = 3.0 * 41 / 205  # OPTIMISM times the smoothed base rate
    shown = 200
    assert factor(shown, round(shown * expected)) == pytest.approx(1.0, abs=0.01)


def test_where_use_is_common_a_single_use_says_less():
    assert factor(4, 2, base(1_000, 900)) < factor(4, 2, base(1_000, 50))


def test_the_base_rate_is_that_of_the_memorys_own_type():
    rates = base(1_000, 900) | base(1_000, 10, type="episode")
    assert factor(4, 2, rates) == factor(4, 2, base(1_000, 900))


@pytest.mark.parametrize(("shown", "used"), [(30, 30), (30, 0)], ids=["always used", "never used"])
def test_a_factor_decays_towards_neutral(shown, used):
    distances = [
        abs(factor(shown, used, base(2_000, 400, at=AT + timedelta(days=days)), now=AT + timedelta(days=days)) - 1)
        for days in (0, 7, 14, 28, 56, 112)
    ]
    assert distances == sorted(distances, reverse=True)
    assert distances[0] > 0.25
    assert distances[-1] < 0.01


def test_a_memory_that_was_reset_is_new_again():
    assert boost(hit(1, usage_shown=0.0, usage_used=0.0, times_shown=0), base(200, 40), AT, POLICY).factor == 1.0


def test_the_half_life_is_the_policys():
    week = Policy(half_life_days=7.0)
    year = Policy(half_life_days=365.0)
    later = AT + timedelta(days=60)
    kept = boost(experienced(30, 30), {}, later, year).factor
    faded = boost(experienced(30, 30), {}, later, week).factor
    assert kept > faded > 1


def test_a_boost_explains_itself_in_numbers_of_turns():
    earned = boost(experienced(5, 4), base(200, 40), AT, POLICY)
    assert earned.because == f"{earned.factor:.2f}: used in 4 of 5 turns that showed it"


def test_every_memory_found_gets_a_boost_that_rank_can_use():
    hits = (hit(1), experienced(5, 5), hit(3))
    earned = boosts(found(*hits, base=base(200, 40)), AT, POLICY)
    assert set(earned) == {uid(1), uid(3)}
    assert [c.boost for c in rank([candidate(3)], earned, POLICY)] == [earned[uid(3)]]
