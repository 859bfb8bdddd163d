"""Decoys: candidates that were not shown are judged like shown memories, to measure credit by chance."""

from __future__ import annotations

from typing import get_args
from uuid import uuid4

import pytest
from hypothesis import example, given
from hypothesis import strategies as st
from making import candidate, uid

from brain.judgements import Decoy, ExposureRow
from cognitive import Outcome, Policy, ToolCall
from cognitive.feedback.attribute import judge_all
from cognitive.trace import CandidateResult, Disposition, decoys

BACKUPS = "Backups of the billing database are kept for 30 days in Frankfurt."
WALNUTS = "Ines is allergic to walnuts and carries an adrenaline pen."
LAKE = "I painted a lake at sunrise."
SHOWN = [ExposureRow(uid(1), "fact", "prompt", 0, 1.0, None, None, None, BACKUPS, None, None)]
NOT_SHOWN = [Decoy("fact", WALNUTS, None), Decoy("episode", LAKE, "Caroline")]
DISPOSITIONS = st.lists(st.sampled_from(get_args(Disposition)), max_size=20)


def credit(shown=SHOWN, not_shown=NOT_SHOWN, message="", policy=None, **outcome):
    return list(judge_all(shown, not_shown, message, Outcome(**outcome), policy or Policy()).decoys)


# --- selection ---


@given(DISPOSITIONS)
@example(["shown", *["over_limit"] * 3, "duplicate", *["irrelevant"] * 3, "over_budget"])
def test_decoys_are_the_first_five_candidates_dropped_by_score_or_limit(dispositions):
    results = [CandidateResult(candidate(n), disposition, 0.0, "") for n, disposition in enumerate(dispositions, 1)]
    chosen = [id.int for id in decoys(results)]
    assert chosen == sorted(chosen)
    assert len(chosen) <= 5
    allowed = {"irrelevant", "over_limit", "over_budget"}
    assert chosen == [n for n, disposition in enumerate(dispositions, 1) if disposition in allowed][:5]


@pytest.mark.parametrize("seen", ["shown", "pinned", "restated", "duplicate", "superseded", "displaced"])
def test_seen_duplicate_or_replaced_candidate_is_not_a_decoy(seen):
    assert decoys([CandidateResult(candidate(1), seen, 0.0, "")]) == []


# --- judgement ---


def test_decoy_restated_in_the_response_is_credited():
    assert credit(response=WALNUTS) == [("fact", True), ("episode", False)]
    assert credit(response="Caroline painted a lake at sunrise.") == [("fact", False), ("episode", True)]
    assert credit(response=BACKUPS) == [("fact", False), ("episode", False)]


@pytest.mark.parametrize("strategy", ["relative", "windowed", "jaccard"])
@pytest.mark.parametrize("response", [WALNUTS, BACKUPS, f"{BACKUPS} {WALNUTS}", "Caroline painted a lake."])
def test_decoys_are_judged_by_the_same_rule_as_shown_memories(strategy, response):
    """If the decoys had been shown with the other memories, each would have the same verdict."""
    policy = Policy(feedback={"attribution": strategy})
    as_shown = [
        ExposureRow(uid(n), d.type, "prompt", n, 1.0, None, None, None, d.content, d.speaker, None)
        for n, d in enumerate(NOT_SHOWN, 2)
    ]
    verdicts = judge_all([*as_shown, *SHOWN], (), "", Outcome(response=response), policy).shown
    assert [used for _, used in credit(response=response, policy=policy)] == [v.used for v in verdicts[:2]]


def test_decoy_is_not_credited_for_words_of_a_shown_memory():
    twin = [Decoy("fact", "Backups of the billing database were moved to Dublin in spring.", None)]
    assert credit(not_shown=twin, response=BACKUPS) == [("fact", False)]
    assert credit(not_shown=twin, response="The billing database backups were moved to Dublin.") == [("fact", True)]


def test_decoys_do_not_change_the_verdicts_of_shown_memories():
    alone = judge_all(SHOWN, (), "", Outcome(response=f"{BACKUPS} {WALNUTS}"), Policy()).shown
    assert [each.used for each in alone] == [True]


def test_policy_threshold_applies_to_decoys():
    strict = Policy(feedback={"attribution_thresholds": {"relative": 1.0}})
    partly = "Walnuts are what Ines is allergic to."
    assert credit(response=partly)[0] == ("fact", True)
    assert credit(response=partly, policy=strict)[0] == ("fact", False)


def test_quoted_tool_output_credits_no_decoy():
    call = ToolCall(name="read", result=WALNUTS)
    assert credit(response=WALNUTS, tool_calls=[call]) == [("fact", False), ("episode", False)]


@pytest.mark.parametrize(
    "change",
    [
        pytest.param({"shown": []}, id="nothing was shown"),
        pytest.param(
            {"shown": [ExposureRow(uid(1), "fact", "prompt", 0, 1.0, None, None, None, None, None, None)]},
            id="the shown memory is erased",
        ),
        pytest.param({"not_shown": []}, id="no decoys"),
        pytest.param({"status": "failed"}, id="the turn failed"),
        pytest.param({"status": "abandoned"}, id="the turn was abandoned"),
        pytest.param({"citations": (uid(1),)}, id="the host cited a memory"),
        pytest.param({"citations": (uuid4(),)}, id="the host cited an unknown memory"),
    ],
)
def test_unmeasured_turn_counts_no_decoys(change):
    assert credit(response=WALNUTS, **change) == []
