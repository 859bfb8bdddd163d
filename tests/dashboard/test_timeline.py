"""The timeline of a memory. Its last step equals the current boost, whichever part of its past is read."""

from datetime import UTC, datetime, timedelta
from itertools import pairwise
from uuid import UUID
from zoneinfo import ZoneInfo

import pytest
from hypothesis import given
from hypothesis import strategies as st

from brain.analytics.memory_rows import MemoryRow
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
    """Return the memory's row as it is stored after these showings."""
    judged = [each for each in showings if each[1] is not None]
    shown = used = 0.0
    at = judged[0][0] if judged else None
    for when, was_used, rating in judged:
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
        None,
        None,
        shown,
        used,
        len(judged),
        sum(each[1] for each in judged),
        at,
    )


def timeline_of(showings, read=None, zone=UTC):
    return steps(row(showings), read if read is not None else showings, BASE, POLICY, CONSTANTS, NOW, zone)


# The showings are minutes apart, because the order of two showings at one moment is undefined.
SHOWINGS = st.dictionaries(
    st.integers(0, 80 * 288), st.tuples(st.booleans(), st.sampled_from([None, None, True])), min_size=1, max_size=30
).map(lambda drawn: [(NOW - timedelta(minutes=5 * n), *drawn[n]) for n in sorted(drawn, reverse=True)])


@given(SHOWINGS)
def test_last_step_equals_the_current_boost_and_all_showings_count(showings):
    timeline = timeline_of(showings)

    assert timeline[-1].boost == pytest.approx(boost_now(row(showings), BASE, POLICY, CONSTANTS, NOW).factor)
    assert sum(step.shown for step in timeline) == len(showings)
    assert sum(step.used for step in timeline) == sum(used for _, used, _ in showings)
    assert all(before.until == after.at for before, after in pairwise(timeline))
    assert timeline[0].at <= showings[0][0]
    assert timeline[-1].at <= NOW < timeline[-1].until
    assert len(timeline) <= 61


@given(SHOWINGS, st.integers(0, 29))
def test_last_step_is_right_when_only_recent_showings_are_read(showings, n):
    read = showings[min(n, len(showings) - 1) :]
    timeline = timeline_of(showings, read)

    assert timeline[-1].boost == pytest.approx(boost_now(row(showings), BASE, POLICY, CONSTANTS, NOW).factor, abs=1e-6)


def test_use_raises_the_boost_and_being_ignored_lowers_it():
    used = timeline_of([(NOW - timedelta(days=n), True, None) for n in (3, 2, 1)])
    ignored = timeline_of([(NOW - timedelta(days=n), False, None) for n in (3, 2, 1)])

    assert 1 < used[0].boost < used[1].boost < used[2].boost
    assert 1 > ignored[0].boost > ignored[1].boost > ignored[2].boost


def test_unjudged_showing_makes_no_step():
    assert timeline_of([(NOW, None, None)]) == ()


def test_steps_are_days_of_the_viewers_zone_or_hours_for_short_spans():
    late = datetime(2026, 10, 24, 23, 30, tzinfo=UTC)  # 01:30 in Berlin, on the day that the clocks change
    days = timeline_of([(late, True, None), (late + timedelta(days=2), True, None)], zone=BERLIN)
    hours = timeline_of([(NOW - timedelta(hours=5), True, None)])

    assert days[0].at.isoformat() == "2026-10-25T00:00:00+02:00"
    assert days[1].at.isoformat() == "2026-10-26T00:00:00+01:00"
    assert (hours[0].at, len(hours)) == (NOW.replace(hour=4, minute=0), 6)
