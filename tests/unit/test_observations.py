"""Observations computed from turns that are built by hand."""

from __future__ import annotations

import pytest
from making import AT, candidate, uid

from cognitive.degradation import Degradation
from cognitive.plan import Plan, Signals
from cognitive.policy import Policy
from cognitive.telemetry import metrics as instruments
from cognitive.telemetry.metrics import INSTRUMENTS, STAGES, degraded
from cognitive.telemetry.operations import (
    MEMORY_INSTRUMENTS,
    post_turn_observations,
    pre_turn_observations,
    recall_observations,
)
from cognitive.trace import COUNTED, Boost, CandidateResult, SectionBudgets, Trace, WindowSimilarity
from cognitive.turn import Attribution, Outcome, Report, Shown, TurnContext

PLAN = Plan(Signals("Where?"), "question", (), {"fact": 100}, 100, 3, True, (), Policy().version, ("coding", "memory"))


def result(n, disposition, type="fact", similarity=None, boost=1.0):
    base = candidate(n, type=type)._replace(similarity=similarity, boost=Boost(factor=boost))
    return CandidateResult(base, disposition, 0.5, "because")


RESULTS = (
    result(1, "shown", boost=1.2, similarity=WindowSimilarity(0.3, 0.25)),
    result(2, "restated", similarity=WindowSimilarity(0.9, 0.75)),
    result(3, "duplicate", similarity=WindowSimilarity(None, 0.5)),
    result(4, "over_budget", type="episode"),
    result(5, "over_limit", type="episode"),
    result(6, "irrelevant", type="episode"),
    result(7, "pinned", type="decision"),
)


def context(*reasons: str, candidates=RESULTS) -> TurnContext:
    trace = Trace(
        "Where?",
        "p",
        AT,
        candidates=candidates,
        timings={"retrieve": 12.0, "assemble": 3.0},
        sections=SectionBudgets({"fact": 100, "episode": 50}, 150),
    )
    shown = (Shown(uid(1), "fact", "Tea is served at noon.", None, 0.5, tokens=17),)
    return TurnContext("a", "s", "t", AT, "Where?", "", "", shown, PLAN, (), (), reasons, trace)


def counted(observations) -> dict[tuple[str, ...], list[float]]:
    counts = {}
    for instrument, values, labels in observations:
        counts.setdefault((instrument.name.removeprefix("cognitive_"), *labels), []).extend(values)
    return counts


def test_prepared_turn_counts_candidates_by_disposition():
    assert counted(pre_turn_observations(context(), 0.02)) == {
        ("pre_turn_seconds",): [0.02],
        ("turns_prepared_total", "question", "no"): [1],
        ("stage_seconds", "retrieve"): [0.012],
        ("stage_seconds", "assemble"): [0.003],
        ("intents_total", "coding"): [1],
        ("intents_total", "memory"): [1],
        ("memories_retrieved_total", "fact"): [1, 1, 1],
        ("memories_retrieved_total", "episode"): [1, 1, 1],
        ("memories_retrieved_total", "decision"): [1],
        ("memories_injected_total", "fact"): [1],
        ("memories_deduped_total", "fact"): [1, 1],
        ("memories_trimmed_total", "episode"): [1, 1],
        ("memories_abstained_total", "episode"): [1],
        ("boost_factor",): [1.2],
        ("dedup_similarity", "cosine"): [0.3, 0.9],
        ("dedup_similarity", "containment"): [0.25, 0.75, 0.5],
        ("context_tokens", "fact"): [17],
        ("context_tokens", "episode"): [0],
    }


def test_degraded_turn_counts_each_stage_once():
    reasons = (
        Degradation("retrieval_late", "no answer in time"),
        Degradation("record_late", "not in time"),
        Degradation("record_failed", "again"),
        Degradation("memory_failed", "ValueError: odd"),
    )
    counts = counted(pre_turn_observations(context(*reasons), 0.3))
    assert counts["turns_prepared_total", "question", "yes"] == [1]
    assert {key[1]: values for key, values in counts.items() if key[0] == "degraded_total"} == {
        "retrieval": [1],
        "record": [1],
        "memory": [1],
    }
    assert {key[1]: values for key, values in counts.items() if key[0] == "fail_open_total"} == {"memory": [1]}


@pytest.mark.parametrize(
    "reason",
    [
        Degradation("window_over_limit", "beyond its bound of tokens, and nothing is left to cut"),
        Degradation("window_late", "not in time; only the newest messages, truncated"),
        Degradation("tools_late", "not ranked in time; reduced to their names"),
        Degradation("retrieval_failed", "OSError: refused"),
    ],
)
def test_degradation_of_a_single_stage_is_not_counted_as_fail_open(reason):
    assert not any(key[0] == "fail_open_total" for key in counted(pre_turn_observations(context(reason), 0.1)))


def test_unknown_stage_is_counted_as_other():
    assert degraded((Degradation("session_failed", "gone"), Degradation("server_failed", "gone"))) == (
        "session",
        "other",
    )


def test_outcome_counts_overlaps_and_used_memories_by_type():
    used = [
        Attribution(uid(1), 0.4, True, "fact"),
        Attribution(uid(2), 0.1, False, "fact"),
        Attribution(uid(3), 0.6, True, "episode"),
        Attribution(uid(4), 0.5, True),
    ]
    report = Report("t", tuple(used), recorded=True)
    assert counted(post_turn_observations(Outcome(response="x"), report, 0.01)) == {
        ("post_turn_seconds",): [0.01],
        ("turns_settled_total", "completed", "postgres"): [1],
        ("overlap",): [0.4, 0.1, 0.6, 0.5],
        ("memories_referenced_total", "fact"): [1],
        ("memories_referenced_total", "episode"): [1],
        ("memories_referenced_total", "unknown"): [1],
    }


def test_duplicate_outcome_is_counted_without_attributions():
    report = Report("t", (Attribution(uid(1), 0.4, True, "fact"),), recorded=True, duplicate=True)
    counts = counted(post_turn_observations(Outcome(response="x"), report, 0.01))
    assert counts == {("post_turn_seconds",): [0.01], ("turns_settled_total", "duplicate", "postgres"): [1]}


def test_failed_turn_in_the_journal_is_counted_with_both_labels():
    counts = counted(post_turn_observations(Outcome(status="failed"), Report("t", (), recorded=False), 0.01))
    assert ("turns_settled_total", "failed", "journal") in counts


def test_recall_without_results_is_counted_as_empty():
    assert ("recall_calls_total", "empty") in counted(recall_observations((), 0.1))


def test_observations_use_the_labels_of_their_instrument():
    observations = [
        *pre_turn_observations(context(Degradation("prefix_failed", "gone")), 0.1),
        *recall_observations((), 0.1),
        *post_turn_observations(Outcome(response="x"), Report("t", (), True), 0.1),
    ]
    for instrument, _, labels in observations:
        assert len(labels) == len(instrument.labels)
        assert all(not known or value in known for known, value in zip(instrument.labels.values(), labels, strict=True))


def test_instruments_have_only_labels_of_low_cardinality():
    allowed = {
        "stage",
        "frame",
        "degraded",
        "outcome",
        "kept",
        "intent",
        "memory_type",
        "section",
        "measure",
        "operation",
        "error",
        "state",
        "rule",
    }
    assert {label for each in INSTRUMENTS for label in each.labels} <= allowed


def test_duration_buckets_start_at_1_ms_and_include_the_deadlines():
    policy = Policy()
    for name, deadline in (
        ("PRE_TURN_SECONDS", policy.deadline_ms),
        ("POST_TURN_SECONDS", policy.deadlines.post_turn_ms),
        ("RECALL_SECONDS", policy.deadlines.recall_ms),
    ):
        buckets = getattr(instruments, name).buckets
        assert buckets[0] == 0.001
        assert deadline / 1000 in buckets


def test_share_buckets_include_each_threshold():
    policy = Policy()
    dedup = {policy.dedup.threshold, policy.dedup.containment_threshold}
    assert dedup <= set(instruments.DEDUP_SIMILARITY.buckets)
    assert set(policy.feedback.attribution_thresholds.values()) <= set(instruments.OVERLAP.buckets)


def test_stages_are_unique_and_dispositions_have_instruments():
    assert len(set(STAGES)) == len(STAGES)
    assert set(COUNTED.values()) == set(MEMORY_INSTRUMENTS)
    assert set(MEMORY_INSTRUMENTS.values()) <= set(INSTRUMENTS)
