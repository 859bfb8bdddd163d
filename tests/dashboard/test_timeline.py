"""A memory's use over time: its last step is what the boost says now, whatever part of its past is read."""

from datetime import UTC, datetime, timedelta
from itertools import pairwise
from uuid import UUID
from zoneinfo import ZoneInfo

import pytest
from hypothesis import given
from hypothesis import strategies as st

from brain.analytics.memories import MemoryRow
from brain.decay import added
from brain.search import Masses
from cognitive.dashboard.timeline import boost_now, steps
from cognitive.policy import Policy
from cognitive.policy.constants import CONSTANTS

NOW = datetime(2026, 11, 2, 9, 30, tzinfo=UTC)
POLICY = Policy()
BASE = {"fact": Masses(40.0, 8.0, NOW)}
BERLIN = ZoneInfo("Europe/Berlin")


def row(showings):
    """The memory as the writers leave it after these showings."""
    counted = [each for each in showings if each[1] is not None]
    shown = used = 0.0
    at = counted[0][0] if counted else None
    for when, was_used, rating in counted:
        weight = POLICY.feedback.rating_weight if rating is not None else 1.0
        shown, latest = added(shown, at, weight, when, POLICY.usage.half_life_days)
        used, at = added(used, at, weight * was_used, when, POLICY.usage.half_life_days)
        assert latest == at
    return MemoryRow(
        UUID(int=1),
        1,
        "fact",
        "x",
        None,
        NOW,
        None,
        (),
        False,
        None,
        shown,
        used,
        len(counted),
        sum(each[1] for each in counted),
        at,
    )


def course(showings, read=None, zone=UTC):
    return steps(row(showings), read if read is not None else showings, BASE, POLICY, CONSTANTS, NOW, zone)


# Some minutes apart: of two showings at one moment either might be the one that is read.
SHOWINGS = st.dictionaries(
    st.integers(0, 80 * 288), st.tuples(st.booleans(), st.sampled_from([None, None, True])), min_size=1, max_size=30
).map(lambda drawn: [(NOW - timedelta(minutes=5 * n), *drawn[n]) for n in sorted(drawn, reverse=True)])


@given(SHOWINGS)
def test_the_last_step_is_what_the_boost_says_now_and_every_showing_is_in_one_step(showings):
    told = course(showings)

    assert told[-1].boost == pytest.approx(boost_now(row(showings), BASE, POLICY, CONSTANTS, NOW).factor)
    assert sum(step.shown for step in told) == len(showings)
    assert sum(step.used for step in told) == sum(used for _, used, _ in showings)
    assert all(before.until == after.at for before, after in pairwise(told))
    assert told[0].at <= showings[0][0]
    assert told[-1].at <= NOW < told[-1].until
    assert len(told) <= 61


@given(SHOWINGS, st.integers(0, 29))
def test_what_was_before_the_showings_that_are_read_is_what_the_memory_holds_beyond_them(showings, n):
    read = showings[min(n, len(showings) - 1) :]
    told = course(showings, read)

    assert told[-1].boost == pytest.approx(boost_now(row(showings), BASE, POLICY, CONSTANTS, NOW).factor, abs=1e-6)


def test_use_raises_and_being_passed_over_lowers():
    used = course([(NOW - timedelta(days=n), True, None) for n in (3, 2, 1)])
    ignored = course([(NOW - timedelta(days=n), False, None) for n in (3, 2, 1)])

    assert 1 < used[0].boost < used[1].boost < used[2].boost
    assert 1 > ignored[0].boost > ignored[1].boost > ignored[2].boost


def test_a_showing_that_was_not_judged_is_no_step():
    assert course([(NOW, None, None)]) == ()


def test_days_are_those_of_the_viewer_and_a_course_of_hours_is_told_by_the_hour():
    late = datetime(2026, 10, 24, 23, 30, tzinfo=UTC)  # half past one in Berlin, on the day that its clock is changed
    days = course([(late, True, None), (late + timedelta(days=2), True, None)], zone=BERLIN)
    hours = course([(NOW - timedelta(hours=5), True, None)])

    assert days[0].at.isoformat() == "2026-10-25T00:00:00+02:00"
    assert days[1].at.isoformat() == "2026-10-26T00:00:00+01:00"
    assert (hours[0].at, len(hours)) == (NOW.replace(hour=4, minute=0), 6)
