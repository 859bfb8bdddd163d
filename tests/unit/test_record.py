"""Judgements of a turn: ratings and citations before the overlap, and none for an incomplete turn."""

from __future__ import annotations

import pytest
from making import uid

from brain.judgements import ExposureRow, Judgement
from cognitive import Outcome, Policy
from cognitive.feedback.attribute import attributions, judge_all, planned_under
from cognitive.turn import Attribution

BACKUPS = "Backups of the billing database are kept for 30 days in Frankfurt."
WALNUTS = "Ines is allergic to walnuts and carries an adrenaline pen."
LAKE = "I painted a lake at sunrise."
WITHHELD = "[withheld]"


def shown(n: int, content: str | None, speaker: str | None = None) -> ExposureRow:
    return ExposureRow(uid(n), "fact", "prompt", n, 1.0, None, None, None, content, speaker, None)


THREE = [shown(1, BACKUPS), shown(2, WALNUTS), shown(3, LAKE, "Caroline")]


def verdicts(policy=None, memories=THREE, message="", **outcome):
    judgements = judge_all(memories, (), message, Outcome(**outcome), policy or Policy()).shown
    return {judgement.memory_id.int: judgement.used for judgement in judgements}


@pytest.mark.parametrize(
    ("outcome", "expected"),
    [
        pytest.param({"response": f"Yes. {BACKUPS}"}, {1: True, 2: False, 3: False}, id="overlap"),
        pytest.param({"response": BACKUPS, "citations": (uid(2),)}, {1: False, 2: True, 3: False}, id="citation"),
        pytest.param(
            {"response": BACKUPS, "citations": (uid(2),), "ratings": {uid(2): False, uid(3): True}},
            {1: False, 2: False, 3: True},
            id="ratings override citation and overlap",
        ),
        pytest.param(
            {"response": BACKUPS, "ratings": {uid(2): True}}, {1: True, 2: True, 3: False}, id="rating of one memory"
        ),
        pytest.param({"response": ""}, {1: False, 2: False, 3: False}, id="empty response"),
        pytest.param({"response": None}, {1: False, 2: False, 3: False}, id="no response"),
        pytest.param({"response": WITHHELD}, {}, id="withheld response"),
        pytest.param({"response": WITHHELD, "ratings": {uid(2): True}}, {2: True}, id="withheld, rating"),
        pytest.param(
            {"response": WITHHELD, "citations": (uid(1),)}, {1: True, 2: False, 3: False}, id="withheld, citation"
        ),
    ],
)
def test_judgement_uses_ratings_then_citations_then_overlap(outcome, expected):
    assert verdicts(**outcome) == expected


@pytest.mark.parametrize("strategy", ["relative", "windowed", "jaccard"])
def test_each_strategy_judges_at_its_own_threshold(strategy):
    policy = Policy(feedback={"attribution": strategy})
    judgements = judge_all(THREE, (), "", Outcome(response=BACKUPS), policy).shown
    assert [each.used for each in judgements] == [each.overlap >= policy.attribution_threshold for each in judgements]
    assert judgements[0].used


def test_unreadable_recorded_policy_falls_back_to_the_current_one():
    own, holds = Policy(usage={"half_life_days": 1}), Policy()
    assert planned_under(own.model_dump(mode="json"), holds) == own
    assert planned_under(None, holds) is holds
    assert planned_under({"a_tunable_of_tomorrow": 1}, holds) is holds


def test_citation_of_a_memory_not_shown_is_ignored():
    assert set(verdicts(response="Hm.", citations=(uid(99),), ratings={uid(98): True})) == {1, 2, 3}


def test_overlap_is_recorded_even_if_a_rating_decides():
    first = judge_all(THREE, (), "", Outcome(response=BACKUPS, ratings={uid(1): False}), Policy()).shown[0]
    assert first.overlap > 0.9
    assert first.used is False


@pytest.mark.parametrize("status", ["failed", "abandoned"])
def test_incomplete_turn_has_no_judgements(status):
    assert verdicts(response=BACKUPS, status=status, citations=(uid(1),), ratings={uid(2): True}) == {}


def test_erased_memory_is_not_judged():
    assert verdicts(memories=[shown(1, None), shown(2, WALNUTS)], response=WALNUTS) == {2: True}


def test_turn_without_shown_memories_has_no_judgements():
    assert verdicts(memories=[], response=BACKUPS) == {}


def test_overlap_includes_the_speaker():
    lake = [shown(1, LAKE, "Caroline"), shown(2, LAKE, "Ines")]
    one, other = judge_all(lake, (), "", Outcome(response="Caroline painted a lake at sunrise."), Policy()).shown
    assert one.overlap > other.overlap


def test_judgements_keep_the_shown_order_and_become_attributions():
    judgements = judge_all(THREE, (), "", Outcome(response=WALNUTS), Policy()).shown
    assert [each.memory_id for each in judgements] == [uid(1), uid(2), uid(3)]
    assert attributions([Judgement(uid(1), 0.25, True)]) == (Attribution(uid(1), 0.25, True),)
