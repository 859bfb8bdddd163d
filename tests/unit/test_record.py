"""What is counted of a turn: the host's word before the overlap, and nothing of a turn that did not complete."""

from __future__ import annotations

import pytest
from making import uid

from brain.turn_records import ExposureRow, Judgement
from cognitive import Outcome, Policy
from cognitive.feedback.attribute import attributions, judge, planned_under
from cognitive.turn import Attribution

BACKUPS = "Backups of the billing database are kept for 30 days in Frankfurt."
WALNUTS = "Ines is allergic to walnuts and carries an adrenaline pen."
LAKE = "I painted a lake at sunrise."


def shown(n: int, content: str | None, speaker: str | None = None) -> ExposureRow:
    return ExposureRow(uid(n), "fact", "prompt", n, 1.0, None, None, None, content, speaker, None)


THREE = [shown(1, BACKUPS), shown(2, WALNUTS), shown(3, LAKE, "Caroline")]


def verdicts(policy=None, memories=THREE, message="", **outcome):
    judgements = judge(memories, message, Outcome(**outcome), policy or Policy())
    return {judgement.memory_id.int: judgement.used for judgement in judgements}


def test_the_overlap_decides_where_the_host_says_nothing():
    assert verdicts(response=f"Yes. {BACKUPS}") == {1: True, 2: False, 3: False}


@pytest.mark.parametrize("strategy", ["relative", "windowed", "jaccard"])
def test_each_strategy_judges_at_its_own_threshold(strategy):
    policy = Policy(feedback={"attribution": strategy})
    judgements = judge(THREE, "", Outcome(response=BACKUPS), policy)
    assert [each.used for each in judgements] == [each.overlap >= policy.attribution_threshold for each in judgements]
    assert judgements[0].used


def test_a_turn_is_judged_by_what_its_record_says_and_by_what_holds_where_nobody_can_read_that():
    own, holds = Policy(usage={"half_life_days": 1}), Policy()
    assert planned_under(own.model_dump(mode="json"), holds) == own
    assert planned_under(None, holds) is holds
    assert planned_under({"a_tunable_of_tomorrow": 1}, holds) is holds


def test_citations_say_which_were_used_and_therefore_which_were_not():
    assert verdicts(response=BACKUPS, citations=(uid(2),)) == {1: False, 2: True, 3: False}


def test_a_rating_outranks_citation_and_overlap_for_its_memory_alone():
    rated = verdicts(response=BACKUPS, citations=(uid(2),), ratings={uid(2): False, uid(3): True})
    assert rated == {1: False, 2: False, 3: True}
    assert verdicts(response=BACKUPS, ratings={uid(2): True}) == {1: True, 2: True, 3: False}


def test_citing_what_was_not_shown_teaches_nothing_about_it():
    assert set(verdicts(response="Hm.", citations=(uid(99),), ratings={uid(98): True})) == {1, 2, 3}


def test_the_overlap_is_recorded_though_the_host_decides():
    first = judge(THREE, "", Outcome(response=BACKUPS, ratings={uid(1): False}), Policy())[0]
    assert first.overlap > 0.9
    assert first.used is False


@pytest.mark.parametrize("status", ["failed", "abandoned"])
def test_a_turn_that_did_not_complete_judges_nothing(status):
    assert verdicts(response=BACKUPS, status=status, citations=(uid(1),), ratings={uid(2): True}) == {}


def test_a_memory_erased_meanwhile_is_left_out():
    assert verdicts(memories=[shown(1, None), shown(2, WALNUTS)], response=WALNUTS) == {2: True}


def test_an_empty_response_used_nothing():
    assert verdicts(response="") == {1: False, 2: False, 3: False}
    assert verdicts(response=None) == {1: False, 2: False, 3: False}


def test_a_response_that_is_withheld_tells_of_nothing_and_the_host_still_does():
    assert verdicts(response="[withheld]") == {}
    assert verdicts(response="[withheld]", ratings={uid(2): True}) == {2: True}
    assert verdicts(response="[withheld]", citations=(uid(1),)) == {1: True, 2: False, 3: False}


def test_nothing_shown_is_nothing_judged():
    assert verdicts(memories=[], response=BACKUPS) == {}


def test_the_speaker_is_part_of_what_was_shown():
    lake = [shown(1, LAKE, "Caroline"), shown(2, LAKE, "Ines")]
    one, other = judge(lake, "", Outcome(response="Caroline painted a lake at sunrise."), Policy())
    assert one.overlap > other.overlap


def test_judgements_come_in_the_order_shown_and_go_out_as_attributions():
    judgements = judge(THREE, "", Outcome(response=WALNUTS), Policy())
    assert [each.memory_id for each in judgements] == [uid(1), uid(2), uid(3)]
    assert attributions([Judgement(uid(1), 0.25, True)]) == (Attribution(uid(1), 0.25, True),)
