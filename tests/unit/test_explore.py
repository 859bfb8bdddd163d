"""Exploration: at most one place per turn, a draw decided by the turn id, and a propensity for each memory."""

from __future__ import annotations

import math
import subprocess
import sys
from collections import Counter

from hypothesis import given, settings
from hypothesis import strategies as st
from making import candidate, ids, uid

from cognitive.context.explore import POOL, explore
from cognitive.policy import Policy

TYPES = st.sampled_from(["fact", "decision", "episode"])
TYPES_AND_TOKENS = st.lists(st.tuples(TYPES, st.integers(1, 60)), max_size=20)
TURNS = st.uuids().map(str)
EVERY = st.integers(2, 40)


def ranked(*types_and_tokens, start=1):
    """Return candidates with descending scores from (type, tokens)."""
    return [
        candidate(n, type=type, tokens=tokens, score=1 - n / 100, rank=n)
        for n, (type, tokens) in enumerate(types_and_tokens, start)
    ]


def facts(start, count, tokens=10):
    return ranked(*[("fact", tokens)] * count, start=start)


KEPT, BELOW = facts(1, 3), facts(4, 8)


def frequencies(turns, kept, below, every, **options):
    """Return how often each candidate was shown in these turns, and the recorded propensities."""
    draws = [explore(f"turn-{n}", "agent", kept, below, every, **options) for n in range(turns)]
    return Counter(each.hit.memory_id for draw in draws for each in draw.kept), draws[0].propensities


@given(TURNS, TYPES_AND_TOKENS, TYPES_AND_TOKENS, EVERY, st.integers(0, 50))
@settings(max_examples=200)
def test_propensities_sum_to_the_number_shown_and_cover_every_shown(turn, above, under, every, room):
    kept, below = ranked(*above), ranked(*under, start=50)
    draw = explore(turn, "agent", kept, below, every, room=room)
    assert math.isclose(sum(draw.propensities.values()), len(draw.kept), abs_tol=1e-9)
    assert len(draw.kept) == len(kept)
    assert all(0 < draw.propensities[each.hit.memory_id] <= 1 for each in draw.kept)
    assert all(0 < value <= 1 for value in draw.propensities.values())


@given(TURNS, TYPES_AND_TOKENS, TYPES_AND_TOKENS, EVERY, st.integers(0, 50))
@settings(max_examples=200)
def test_at_most_one_place_changes_within_the_token_room(turn, above, under, every, room):
    kept, below = ranked(*above), ranked(*under, start=50)
    draw = explore(turn, "agent", kept, below, every, room=room)
    changed = [(old, new) for old, new in zip(kept, draw.kept, strict=True) if old is not new]
    assert changed == ([] if draw.drawn is None else [(draw.displaced.candidate, draw.drawn)])
    assert sum(each.tokens for each in draw.kept) <= sum(each.tokens for each in kept) + room


@given(TURNS, TYPES_AND_TOKENS, TYPES_AND_TOKENS, EVERY)
@settings(max_examples=200)
def test_explored_memory_displaces_the_last_one_of_its_type(turn, above, under, every):
    kept = ranked(*above)
    draw = explore(turn, "agent", kept, ranked(*under, start=50), every)
    if draw.drawn is not None:
        type = draw.drawn.hit.type
        own = [each for each in kept if each.hit.type == type] or kept
        assert draw.displaced.candidate is own[-1]
        assert draw.displaced.disposition == "displaced"


@given(TURNS, TYPES_AND_TOKENS, TYPES_AND_TOKENS)
def test_disabled_exploration_changes_nothing(turn, above, under):
    assert Policy().usage.explore_every == 0
    kept = ranked(*above)
    draw = explore(turn, "agent", kept, ranked(*under, start=50), Policy().usage.explore_every)
    assert draw.kept == tuple(kept)
    assert (draw.drawn, draw.displaced) == (None, None)
    assert draw.propensities == {each.hit.memory_id: 1.0 for each in kept}


@given(TURNS, EVERY)
def test_turn_without_shown_memories_explores_nothing(turn, every):
    draw = explore(turn, "agent", [], BELOW, every)
    assert (draw.kept, draw.propensities) == ((), {})


def test_only_the_last_place_and_the_pool_have_propensities_below_one():
    draw = explore("turn", "agent", KEPT, BELOW, 20)
    assert draw.propensities == {
        uid(1): 1.0,
        uid(2): 1.0,
        uid(3): 1 - 1 / 20,
        **{uid(n): 1 / 20 / POOL for n in range(4, 4 + POOL)},
    }


def test_displacement_probability_is_shared_by_the_pool_per_type():
    kept = ranked(("fact", 10), ("episode", 10))
    below = ranked(("fact", 10), ("episode", 10), ("fact", 10), start=3)
    draw = explore("turn", "agent", kept, below, 10)
    assert draw.propensities[uid(1)] == 1 - 2 / 30
    assert draw.propensities[uid(2)] == 1 - 1 / 30


def test_candidate_larger_than_the_room_is_not_explored():
    below = [*facts(4, 2, tokens=30), *facts(6, 1)]
    assert explore("turn", "agent", KEPT, below, 2).propensities.keys() == {uid(n) for n in (1, 2, 3, 6)}
    assert explore("turn", "agent", KEPT, below, 2, room=20).propensities.keys() == {uid(n) for n in range(1, 7)}


def test_shown_frequencies_match_the_propensities():
    turns = 20_000
    shown, propensities = frequencies(turns, KEPT, BELOW, 4)
    for id, propensity in propensities.items():
        error = math.sqrt(propensity * (1 - propensity) / turns)
        assert abs(shown[id] / turns - propensity) <= 4.5 * error
    assert shown.keys() == propensities.keys()


def test_agents_draw_independently_for_the_same_turn_id():
    turns = 8_000
    both = sum(
        explore(f"{n}", "a", KEPT, BELOW, 4).drawn is not None
        and explore(f"{n}", "b", KEPT, BELOW, 4).drawn is not None
        for n in range(turns)
    )
    assert abs(both / turns - 1 / 16) < 0.013


def test_replayed_turn_draws_the_same_in_every_process(root):
    program = (
        "import sys; sys.path.insert(0, 'tests/unit')\n"
        "from test_explore import BELOW, KEPT, explore, ids\n"
        "print([ids(explore(f'turn-{n}', 'agent', KEPT, BELOW, 3).kept) for n in range(40)])"
    )
    here = str([ids(explore(f"turn-{n}", "agent", KEPT, BELOW, 3).kept) for n in range(40)])
    for seed in ("0", "4242"):
        run = subprocess.run(
            [sys.executable, "-c", program],
            cwd=root,
            env={"PYTHONHASHSEED": seed, "PYTHONPATH": "."},
            capture_output=True,
            text=True,
            check=True,
        )
        assert run.stdout.strip() == here
