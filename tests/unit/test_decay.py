"""Forgetting: a stored sum is what a replay of its events gives, whatever their order, at any time."""

from __future__ import annotations

import math
from datetime import UTC, datetime, timedelta, timezone

import pytest
from hypothesis import given
from hypothesis import strategies as st

from brain.decay import LANDMARK, gain, mass

HALF_LIVES = st.sampled_from([3.0, 7.0, 30.0, 365.0])
EVENTS = st.lists(
    st.tuples(st.integers(min_value=0, max_value=3 * 365 * 86_400), st.floats(min_value=0, max_value=5)),
    min_size=1,
    max_size=40,
)


def replayed(events, now, half_life_days):
    """The decayed sum by its definition: every event, halved once per half-life of its age."""
    return math.fsum(weight * 2.0 ** (-((now - at).total_seconds() / 86_400) / half_life_days) for at, weight in events)


@given(EVENTS, HALF_LIVES, st.integers(min_value=0, max_value=365 * 86_400), st.randoms(use_true_random=False))
def test_a_stored_sum_equals_a_replay_of_its_events_in_any_order_of_arrival(steps, half_life, later, shuffle):
    start = datetime(2026, 3, 1, tzinfo=UTC)
    events = [(start + timedelta(seconds=seconds), weight) for seconds, weight in steps]
    now = max(at for at, _ in events) + timedelta(seconds=later)
    shuffle.shuffle(events)
    stored = 0.0
    for at, weight in events:
        stored += weight * gain(at, half_life)
    assert mass(stored, now, half_life) == pytest.approx(replayed(events, now, half_life), rel=1e-9, abs=1e-9)


@given(HALF_LIVES, st.integers(min_value=-800, max_value=800))
def test_a_mass_halves_with_every_half_life(half_life, days):
    at = LANDMARK + timedelta(days=days)
    stored = gain(at, half_life)
    assert mass(stored, at, half_life) == pytest.approx(1.0, rel=1e-9)
    for n in (1, 2, 5):
        assert mass(stored, at + n * timedelta(days=half_life), half_life) == pytest.approx(0.5**n, rel=1e-6)


@pytest.mark.parametrize("half_life", [3.0, 7.0])  # the policy allows nothing shorter
@pytest.mark.parametrize("year", [2020, 2026, 2030, 2032])
def test_the_shortest_half_life_still_forgets_years_from_now(year, half_life):
    at = datetime(year, 9, 1, tzinfo=UTC)
    assert mass(gain(at, half_life), at + timedelta(days=10 * half_life), half_life) == pytest.approx(2**-10, rel=1e-6)


@pytest.mark.parametrize("year", [1, 1970, 2026, 2100, 9999])
@pytest.mark.parametrize("half_life", [0.001, 1.0, 7.0, 10_000.0])
def test_no_date_overflows(year, half_life):
    at = datetime(year, 6, 15, tzinfo=UTC)
    for value in (gain(at, half_life), mass(1.0, at, half_life), mass(1e6 * gain(at, half_life), at, half_life)):
        assert math.isfinite(value)
        assert value >= 0


@pytest.mark.parametrize("half_life", [0.001, 1.0, 7.0])
def test_an_event_of_the_far_future_does_not_blind_the_sum_for_the_present(half_life):
    future = gain(datetime(9999, 1, 1, tzinfo=UTC), half_life)
    assert math.isfinite(mass(future, datetime(2026, 6, 1, tzinfo=UTC), half_life))


def test_masses_add_up():
    early, late = LANDMARK + timedelta(days=3), LANDMARK + timedelta(days=10)
    stored = gain(early, 7.0) + gain(late, 7.0)
    assert mass(stored, late, 7.0) == pytest.approx(1.5)


def test_the_time_zone_of_an_event_does_not_matter():
    at = datetime(2026, 9, 1, 12, tzinfo=UTC)
    assert gain(at, 7.0) == gain(at.astimezone(timezone(timedelta(hours=9))), 7.0)
