"""Decayed sums: a running sum equals a replay of its events at any time, in any order."""

from __future__ import annotations

import math
from datetime import UTC, datetime, timedelta, timezone

import pytest
from hypothesis import given
from hypothesis import strategies as st

from brain.decay import added, decayed

AT = datetime(2026, 9, 1, 12, tzinfo=UTC)
HALF_LIVES = st.sampled_from([0.01, 0.5, 3.0, 7.0, 30.0, 365.0])
EVENTS = st.lists(
    st.tuples(st.integers(min_value=0, max_value=3 * 365 * 86_400), st.floats(min_value=0, max_value=5)),
    min_size=1,
    max_size=40,
)
DATES = st.datetimes(timezones=st.just(UTC))


def replayed(events, now, half_life_days):
    """Return the decayed sum by definition: each event is halved once per half-life of its age."""
    return math.fsum(
        weight * 2.0 ** -min(2_000.0, (now - at).total_seconds() / 86_400 / half_life_days) for at, weight in events
    )


def running_sum(events, half_life_days):
    """Return the decayed sum and its time after adding the events one by one."""
    mass, as_of = 0.0, events[0][0]
    for at, weight in events:
        mass, as_of = added(mass, as_of, weight, at, half_life_days)
    return mass, as_of


@given(EVENTS, HALF_LIVES, st.integers(min_value=0, max_value=365 * 86_400), st.randoms(use_true_random=False))
def test_running_sum_equals_a_replay_in_any_order_of_arrival(steps, half_life, later, shuffle):
    events = [(AT + timedelta(seconds=seconds), weight) for seconds, weight in steps]
    now = max(at for at, _ in events) + timedelta(seconds=later)
    shuffle.shuffle(events)
    mass, as_of = running_sum(events, half_life)
    assert as_of == max(at for at, _ in events)
    assert decayed(mass, as_of, now, half_life) == pytest.approx(replayed(events, now, half_life), rel=1e-9, abs=1e-9)


@given(HALF_LIVES, st.integers(min_value=-700_000, max_value=2_000_000), st.floats(min_value=0, max_value=1e6))
def test_mass_halves_with_every_half_life(half_life, days, mass):
    at = AT + timedelta(days=days)
    assert decayed(mass, at, at, half_life) == mass
    for n in (1, 2, 5):
        later = at + n * timedelta(days=half_life)
        assert decayed(mass, at, later, half_life) == pytest.approx(mass * 0.5**n, rel=1e-6)


@given(DATES, DATES, DATES, st.sampled_from([1e-6, 0.001, 7.0, 1e6]))
def test_any_date_and_half_life_give_a_finite_nonnegative_mass(one, other, now, half_life):
    mass, as_of = added(*added(0.0, one, 1.0, one, half_life), 1e6, other, half_life)
    for value in (mass, decayed(mass, as_of, now, half_life)):
        assert math.isfinite(value)
        assert 0 <= value <= 1e6 + 1


@given(DATES, DATES, HALF_LIVES)
def test_mass_never_grows_with_time(as_of, at, half_life):
    assert decayed(1.0, as_of, at, half_life) <= 1.0


def test_mass_at_an_earlier_time_is_unchanged():
    assert decayed(3.0, AT, AT - timedelta(days=100), 7.0) == 3.0


def test_late_event_counts_as_much_as_a_timely_one():
    early, late = (AT, 1.0), (AT + timedelta(days=7), 1.0)
    assert running_sum([early, late], 7.0) == running_sum([late, early], 7.0) == (pytest.approx(1.5), late[0])


def test_time_zone_of_an_event_does_not_matter():
    tokyo = AT.astimezone(timezone(timedelta(hours=9)))
    assert decayed(1.0, tokyo, AT + timedelta(days=7), 7.0) == pytest.approx(0.5)
