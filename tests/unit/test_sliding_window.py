"""The start of the window keeps it within bounds, can be computed incrementally, and moves in large steps."""

from __future__ import annotations

from hypothesis import given, settings
from hypothesis import strategies as st

from cognitive.window.sliding_window import MessageSize, WindowLimits, WindowSize, find_start

BOUNDS = WindowSize(20, 1_000, 500)
RULES = WindowLimits(BOUNDS, low=0.5, keep_last=4, every=5)
UNITS = st.lists(
    st.builds(
        lambda messages, characters, number: MessageSize(
            WindowSize(messages, characters, characters // 3),
            WindowSize(messages, min(characters, 20), 6),
            iteration=number,
        ),
        st.integers(1, 3),
        st.integers(0, 400),
        st.integers(0, 6),
    ),
    max_size=60,
)


def used(units, at):
    sizes = (unit.stubbed if n < at.stubs else unit.whole for n, unit in enumerate(units) if n >= at.start)
    return sum(sizes, WindowSize())


@given(UNITS)
@settings(max_examples=200)
def test_window_stays_within_bounds_and_keeps_the_newest_whole(units):
    at = find_start(units, RULES)
    assert used(units, at).beyond(BOUNDS) is None or at.start == len(units) - 1
    assert not units or at.stubs < len(units)


@given(UNITS, st.integers(0, 60))
@settings(max_examples=200)
def test_incremental_start_equals_the_start_computed_anew(units, length):
    earlier, whole = find_start(units[:length], RULES), find_start(units, RULES)
    later = find_start(units[earlier.start :], RULES, earlier.stubs - earlier.start)
    assert (later.start + earlier.start, later.stubs + earlier.start) == (whole.start, whole.stubs)


def test_window_start_moves_in_large_steps():
    units = [MessageSize(WindowSize(1, 50, 10), WindowSize(1, 50, 10)) for _ in range(400)]
    starts = [find_start(units[:n], RULES).start for n in range(401)]
    assert starts == sorted(starts)
    assert len(set(starts)) <= 400 // 10 + 1


def test_old_results_become_stubs_except_the_last_and_the_recent():
    units = [MessageSize(WindowSize(2, 100, 10), WindowSize(2, 10, 5), at=float(n)) for n in range(11)]
    rules = WindowLimits(WindowSize(100, 1_000, 500), low=0.5, keep_last=4)
    assert find_start(units, rules) == type(find_start([], rules))(0, 9, "characters")
    recent = WindowLimits(WindowSize(100, 1_000, 500), low=0.5, keep_last=4, keep_recent=5.0)
    assert find_start(units, recent).stubs == 6


def test_every_fifth_iteration_compacts_results_above_the_low_mark():
    units = [MessageSize(WindowSize(2, 100, 10), WindowSize(2, 10, 5), iteration=n + 1) for n in range(5)]
    assert find_start(units, RULES).trigger is None
    more = [MessageSize(WindowSize(2, 150, 10), WindowSize(2, 10, 5), iteration=n + 1) for n in range(5)]
    assert (find_start(more, RULES).start, find_start(more, RULES).stubs, find_start(more, RULES).trigger) == (
        0,
        3,
        "iterations",
    )
