"""Assembly of the block: each candidate has one result, and exploration records the propensity of each."""

from __future__ import annotations

from collections import Counter
from datetime import timedelta
from math import isclose

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st
from making import AT, found, hit, past, uid

from brain.search import Hit, Masses
from brain.types import MEMORY_TYPES
from cognitive.context.assemble import assemble
from cognitive.plan import Signals
from cognitive.policy import Policy
from cognitive.policy.constants import CONSTANTS, Constants
from cognitive.policy.tables import FRAMES
from cognitive.preflight import plan as planning
from cognitive.recording.record import TurnInputs
from cognitive.tokens import count
from cognitive.trace import WindowSimilarity

pytestmark = pytest.mark.promise(number=6)

NARROW = {"abstention": False, "limits": {"default": 2}}
OFF, OFTEN = Policy(**NARROW), Policy(**NARROW, usage={"explore_every": 2})
NOT_IN_WINDOW = WindowSimilarity(None, 0.0)


def not_in_window(hits, _):
    return [NOT_IN_WINDOW] * len(hits)


def stored(n: int, type: str, cosine: float, words: int = 5, **fields) -> Hit:
    content = f"Memory {n}: " + " ".join(f"word{n}x{m}" for m in range(words))
    return hit(n, content, type=type, scores={"content_cosine": cosine}, **fields)


def inputs_of(plan, result, turn_id="t", counter=count.name, room=None):
    others = {"agent_id": "agent", "turn_id": turn_id, "counter": counter, "room": room}
    return TurnInputs.from_plan(plan, now=AT, model="m", found=result, **others)


def assemble_hits(hits, policy, *, turn_id="t", turns=(), frame="question", room=None):
    plan = planning.create_plan(Signals("Where is the tea?", question=True), frame, (), policy)
    inputs = inputs_of(plan, found(*hits, passages=len(hits), past=turns), turn_id, room=room)
    return assemble(plan, inputs, not_in_window, policy)


def names(assembled) -> list[int]:
    return [each.hit.memory_id.int for each in assembled.shown]


HITS = st.lists(
    st.tuples(st.sampled_from(MEMORY_TYPES), st.floats(0, 1), st.integers(1, 400), st.booleans()),
    min_size=0,
    max_size=14,
).map(
    lambda rows: [
        stored(n, type_, cosine, words, replaced_by=n + 1 if replaced and n < len(rows) else None)
        for n, (type_, cosine, words, replaced) in enumerate(rows, 1)
    ]
)


@given(HITS, st.integers(0, 12), st.sampled_from(list(FRAMES)), st.uuids().map(str), st.booleans())
@settings(max_examples=150)
def test_each_candidate_has_one_result_and_propensities_sum_to_shown_count(hits, every, frame, turn, dedup):
    policy = Policy(**NARROW, usage={"explore_every": 0 if every < 2 else every}, dedup={"enabled": dedup})
    assembled = assemble_hits(hits, policy, turn_id=turn, frame=frame)
    assert Counter(result.candidate.hit.memory_id for result in assembled.candidates) == Counter(
        h.memory_id for h in hits
    )
    shown = [result.candidate for result in assembled.candidates if result.disposition == "shown"]
    assert {each.hit.memory_id for each in shown} == {each.hit.memory_id for each in assembled.shown}
    propensities = [
        result.candidate.propensity
        for result in assembled.candidates
        if result.disposition == "shown" or result.candidate.propensity != 1.0
    ]
    assert all(0 < propensity <= 1 for propensity in propensities)
    assert isclose(sum(propensities), len(shown), abs_tol=1e-9)


@given(HITS, st.integers(0, 600), st.sampled_from(list(FRAMES)), st.booleans())
@settings(max_examples=60)
def test_block_never_exceeds_the_total_or_the_room_of_the_model(hits, room, frame, explored):
    assembled = assemble_hits(hits, OFTEN if explored else OFF, frame=frame, room=room)
    assert count(assembled.text) <= assembled.sections.total == min(room, FRAMES[frame].total)
    assert assembled.sections.reasons == (f"the model has room for {room} of {FRAMES[frame].total} tokens",)


def test_custom_token_counter_decides_which_memories_fit():
    def letters(text):
        return len(text)

    plan = planning.create_plan(Signals("Where is the tea?", question=True), "question", (), OFF)
    inputs = inputs_of(plan, found(*FACTS, passages=8), counter="letters", room=260)
    text = assemble(plan, inputs, not_in_window, OFF, letters).text
    assert text
    assert len(text) <= 260 < len(assemble_hits(FACTS, OFF, room=260).text)


@given(HITS, st.integers(2, 12), st.sampled_from(list(FRAMES)), st.uuids().map(str))
@settings(max_examples=150)
def test_exploration_changes_at_most_one_place(hits, every, frame, turn):
    usual = assemble_hits(hits, OFF, turn_id=turn, frame=frame)
    explored_turn = assemble_hits(hits, Policy(**NARROW, usage={"explore_every": every}), turn_id=turn, frame=frame)
    assert len(usual.shown) == len(explored_turn.shown)
    changed = [(a, b) for a, b in zip(names(usual), names(explored_turn), strict=True) if a != b]
    assert len(changed) <= 1
    results = {result.candidate.hit.memory_id.int: result for result in explored_turn.candidates}
    for before, now in changed:
        assert results[before].disposition == "displaced"
        assert results[now].disposition == "shown"
    assert sum(each.tokens for each in explored_turn.shown) <= FRAMES[frame].total


FACTS = [stored(n, "fact", 0.9 - n / 100) for n in range(1, 9)]


def test_exploration_frequency_matches_the_recorded_propensity():
    count = 2_000
    shown: Counter[int] = Counter()
    propensities: dict[int, float] = {}
    for n in range(count):
        assembled = assemble_hits(FACTS, OFTEN, turn_id=f"turn-{n}")
        shown.update(names(assembled))
        propensities |= {
            result.candidate.hit.memory_id.int: result.candidate.propensity for result in assembled.candidates
        }
    assert propensities[1] == 1.0
    assert propensities[2] == 0.5
    assert [propensities[n] for n in (3, 4)] == [shown_propensity := propensities[3]] * 2
    assert 0 < shown_propensity < 0.5
    for n, propensity in propensities.items():
        if propensity < 1.0:
            assert abs(shown[n] / count - propensity) < 4.5 * (propensity * (1 - propensity) / count) ** 0.5


def test_without_exploration_every_propensity_is_one():
    assembled = assemble_hits(FACTS, OFF)
    assert names(assembled) == [1, 2]
    assert {result.candidate.propensity for result in assembled.candidates} == {1.0}
    assert "displaced" not in {result.disposition for result in assembled.candidates}


def test_same_turn_id_gives_the_same_exploration_draw():
    for n in range(20):
        assert assemble_hits(FACTS, OFTEN, turn_id=f"turn-{n}") == assemble_hits(FACTS, OFTEN, turn_id=f"turn-{n}")


def shown_over_turns(hits, policy=OFTEN, **options) -> set[int]:
    return {name for n in range(40) for name in names(assemble_hits(hits, policy, turn_id=f"turn-{n}", **options))}


@pytest.mark.parametrize("dedup", [True, False])
def test_superseded_memory_is_never_explored(dedup):
    hits = [*FACTS[:2], stored(3, "fact", 0.8, replaced_by=1), stored(4, "fact", 0.7)]
    assert shown_over_turns(hits, Policy(**NARROW, usage={"explore_every": 2}, dedup={"enabled": dedup})) == {1, 2, 4}


def test_memory_larger_than_the_total_is_never_explored():
    hits = [*FACTS[:2], stored(3, "fact", 0.8, words=2_000), stored(4, "fact", 0.7)]
    assert shown_over_turns(hits, frame="conversation") == {1, 2, 4}


def test_memory_that_similar_turns_used_is_shown_first():
    """A lift moves a memory from below the limit to the first place of the text; a zero weight removes the lift."""
    turns = (past(1.0, (5, True, 0.2), (1, False, 0.0)),)
    usage = {"times_shown": 1, "times_used": 1, "usage_shown": 1.0, "usage_used": 1.0, "usage_at": AT}
    hits = [*FACTS[:4], stored(5, "fact", 0.5, **usage)]
    assert 5 not in names(assemble_hits(hits, OFF))
    lifted = assemble_hits(hits, OFF, turns=turns)
    assert names(lifted)[0] == 5
    assert "Memory 5" in lifted.text
    unweighted = assemble_hits(hits, Policy(**NARROW, association={"weight": 0.0}), turns=turns)
    assert 5 not in names(unweighted)
    assert uid(5) in {result.candidate.hit.memory_id for result in unweighted.candidates}


@pytest.mark.parametrize(("dedup", "disposition"), [(True, "restated"), (False, "shown")])
def test_repeated_message_is_left_out_only_with_dedup(dedup, disposition):
    asked = hit(1, "Where is the tea?", type="episode", speaker="user", scores={"content_cosine": 0.9})
    policy = Policy(abstention=False, dedup={"enabled": dedup})
    assert [each.disposition for each in assemble_hits([asked], policy).candidates] == [disposition]


def test_duplicates_leave_their_places_to_other_candidates():
    same = [
        hit(n, "Ada wants the kayak repaired soon.", type="fact", scores={"content_cosine": 0.9}) for n in range(1, 13)
    ]
    shown = names(assemble_hits([*same, stored(13, "fact", 0.8)], Policy(abstention=False, limits={"default": 2})))
    assert shown == [1, 13]


@pytest.mark.parametrize(
    "other",
    [
        {"version_threshold": 1.0},
        {"max_boost": 1.2},
        {"association_lexical_share": 0.9},
        {"lexical_dedup_threshold": 0.99},
        {"max_learned_budget": 1.1},
    ],
    ids=lambda other: next(iter(other)),
)
def test_each_constant_changes_the_assembled_turn(other):
    used = {"times_shown": 9, "times_used": 9, "usage_shown": 9.0, "usage_used": 9.0, "usage_at": AT}
    scores = {"content_cosine": 0.8, "content_matched": 1.0}
    hits = [
        hit(1, "The blue tea pot stands in the galley.", scores={"content_cosine": 0.9}),
        hit(2, "The blue tea pot stands in the ship galley.", scores={"content_cosine": 0.85}),
        hit(3, "Tea was served at nine on the quay.", scores=scores, replaced_by=4),
        hit(4, "Tea was poured at nine on the quay.", scores=scores, occurred_at=AT + timedelta(days=1)),
        hit(5, "Old tea leaves go to the roses behind the shed.", scores=scores),
        hit(6, "Lemon and honey are kept beside the stove.", scores={"content_cosine": 0.5}, **used),
        hit(7, "Mugs hang on the brass hooks by the door.", scores=scores),
        hit(8, "Mugs hang on the brass hooks by the window.", scores=scores, occurred_at=AT + timedelta(days=1)),
    ]
    policy = Policy(abstention=False, budgets={"learned": True})
    plan = planning.create_plan(Signals("Where is the tea?", question=True), "question", (), policy)
    base = {"fact": Masses(900.0, 600.0, AT), "decision": Masses(900.0, 0.0, AT)}
    turns = (past(0.75, (6, True, 0.2), words=0.4),)
    inputs = inputs_of(plan, found(*hits, passages=6, base=base, past=turns), room=100)
    usual, varied = (assemble(plan, inputs, not_in_window, policy, count, c) for c in (CONSTANTS, Constants(**other)))
    assert (usual.candidates, usual.sections) != (varied.candidates, varied.sections)
    assert CONSTANTS.digest != Constants(**other).digest
    assert usual == assemble(plan, inputs, not_in_window, policy)
