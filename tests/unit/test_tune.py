"""The search improves a policy, and usage is recomputed for another half-life or threshold."""

from __future__ import annotations

import dataclasses
from datetime import timedelta

import numpy as np
import pytest
from making import AT, found, hit, uid

from brain.judgements import Verdict
from brain.past_turns import PastShown, PastTurn
from cognitive.errors import InvalidInput
from cognitive.lab.cases import (
    EvaluationCase,
    StoredTurn,
    restored_evaluation_case,
    to_logged_turn,
    unanswerable_settings,
    with_relearned_usage,
)
from cognitive.lab.evaluate import evaluate
from cognitive.lab.evidence import LoggedCandidate, LoggedTurn
from cognitive.lab.replay import again, unanswerable
from cognitive.lab.tune import SPACE, SettingRange, answerable, as_toml, balance, balance_gained, search, tune
from cognitive.plan import Signals
from cognitive.policy import Policy
from cognitive.policy.annotations import BEFORE_RECORD, BeforeRecord, Outside, Replayable
from cognitive.policy.constants import CONSTANTS, Constants
from cognitive.policy.policy import settings
from cognitive.recording.record import TurnInputs, encode
from cognitive.recording.recorded import decode
from cognitive.tokens import count
from cognitive.trace import WindowSimilarity

POLICY = Policy(evidence={"min_item_share": 0.4})


def verdict(n: int = 1, days: float = 1.0, used: bool = True, overlap: float = 0.5, **fields) -> Verdict:
    defaults = {
        "turn_id": f"t{days}",
        "memory_id": uid(n),
        "type": "fact",
        "via": "prompt",
        "propensity": 1.0,
        "rating": None,
        "threshold": POLICY.attribution_threshold,
    }
    return Verdict(**{**defaults, **fields}, at=AT - timedelta(days=days), overlap=overlap, used=used)


def case(*hits, verdicts=(), propensities=None) -> EvaluationCase:
    inputs = TurnInputs(
        Signals("Where is the tea?", question=True), "question", (), None, AT, "m", found(*hits, passages=5)
    )
    judged = {each.memory_id: each for each in verdicts}
    return EvaluationCase("now", inputs, {}, POLICY, judged, {}, propensities or {}, count, CONSTANTS)


# --- the search ---


def test_search_finds_the_best_value_of_each_setting():
    peak = {"evidence.min_item_share": 0.5, "limits.default": 3, "usage.weight": POLICY.usage.weight}

    def score(policy: Policy) -> float:
        return -sum(abs(policy.value(name) - best) for name, best in peak.items())

    trials = []
    best_policy, steps = search(POLICY, score, space=SPACE, tried=lambda *each: trials.append(each))
    assert {name: best_policy.value(name) for name in peak} == peak
    assert {step.name: (step.before, step.after) for step in steps if step.after != step.before} == {
        "evidence.min_item_share": (0.4, 0.5),
        "limits.default": (5, 3),
    }
    assert [step.name for step in steps] == [row.name for row in SPACE]
    assert len(trials) == sum(len(row.values) - (row.of(POLICY) in row.values) for row in SPACE)


def test_setting_without_effect_is_unchanged():
    best_policy, steps = search(POLICY, lambda policy: 0.5, space=SPACE)
    assert best_policy == POLICY
    assert all(step.before == step.after for step in steps)


def test_threshold_is_set_for_the_current_strategy():
    row = SettingRange("attribution_threshold", (0.2,))
    changed = row.set(POLICY, 0.2)
    assert changed.feedback.attribution_thresholds == {**POLICY.feedback.attribution_thresholds, "relative": 0.2}
    assert row.of(changed) == 0.2


def test_every_value_of_the_search_space_can_be_set():
    for row in SPACE:
        for value in row.values:
            assert row.of(row.set(POLICY, value)) == value


def test_balance_is_the_f1_score_of_shown_and_used_memories():
    kept = [LoggedCandidate(uid(1), 1.0, True, 1.0), LoggedCandidate(uid(2), 1.0, False, 1.0)]
    left = [LoggedCandidate(uid(1), 1.0, True, 1.0), LoggedCandidate(uid(2), 1.0, False, 0.0)]
    lost = [LoggedCandidate(uid(1), 1.0, True, 0.0), LoggedCandidate(uid(2), 1.0, False, 1.0)]
    assert [balance([LoggedTurn("t", tuple(each))]) for each in (kept, left, lost)] == pytest.approx([2 / 3, 1.0, 0.0])
    assert balance([]) == 0.0


def test_gain_has_a_confidence_interval_and_is_zero_without_change():
    good, bad = LoggedCandidate(uid(1), 1.0, True, 1.0), LoggedCandidate(uid(2), 1.0, False, 0.0)
    left = [LoggedTurn(f"t{n}", (good, bad)) for n in range(40)]
    gained = balance_gained(left)
    assert gained.value == pytest.approx(1 - 2 / 3)
    assert gained.low > 0
    as_it_was = [LoggedTurn(f"t{n}", (good, dataclasses.replace(bad, target=1.0))) for n in range(40)]
    assert (balance_gained(as_it_was).value, balance_gained(as_it_was).low) == (0.0, 0.0)


def test_held_out_turns_are_the_latest_and_unseen_by_the_search():
    cases = [dataclasses.replace(case(), turn_id=f"t{n:03}") for n in range(200)]
    seen: dict[str, set[str]] = {}

    def turns(some, policy):
        seen.setdefault(policy.version, set()).update(each.turn_id for each in some)
        keeps = float(policy.evidence.min_item_share < 0.5)  # from this value on, the unused memory is left out
        return [
            LoggedTurn(
                each.turn_id, (LoggedCandidate(uid(1), 1.0, True, 1.0), LoggedCandidate(uid(2), 1.0, False, keeps))
            )
            for each in some
        ]

    tuning = tune(cases, POLICY, turns, space=[SettingRange("evidence.min_item_share", (0.4, 0.6))])
    assert tuning.policy.evidence.min_item_share == 0.6
    assert (tuning.training, tuning.held_out.turns) == (140, 60)
    assert seen[POLICY.version] == {each.turn_id for each in cases[:140]}
    assert tuning.gain.low > 0
    assert not tuning.proven, "60 turns are too few for a conclusion"
    with pytest.raises(InvalidInput, match="got 1"):
        tune(cases[:1], POLICY, turns)


# --- the file ---


def test_policy_file_holds_the_differences_and_is_read_back(tmp_path):
    policy = Policy(
        evidence={"min_item_share": 0.4},
        dedup={"enabled": False},
        feedback={"attribution": "windowed", "attribution_thresholds": {"windowed": 0.2}},
        budgets={"frames": {"debug": {"total": 9}}, "overrides": {"fact": 3}},
    )
    path = tmp_path / "policy.toml"
    path.write_text(as_toml(policy), encoding="utf-8")
    assert Policy.load(path) == policy
    assert "COGNITIVE_POLICY" in path.read_text(encoding="utf-8")
    assert "usage.half_life_days" not in path.read_text(encoding="utf-8")
    path.write_text(as_toml(POLICY), encoding="utf-8")
    assert Policy.load(path) == POLICY


# --- settings that a recording cannot answer ---


@pytest.mark.parametrize(
    ("recorded", "changes", "unanswered"),
    [
        ({}, {}, set()),
        ({"limits.default": 3, "deadline_ms": 9.0}, {"limits.default": 3, "deadline_ms": 9.0}, set()),
        ({}, {"deadline_ms": 9.0}, {"deadline_ms"}),
        ({}, {"limits.default": 4, "limits.hinted_type": 7, "limits.other_types": 2}, set()),
        (
            {},
            {"limits.default": 6, "limits.hinted_type": 9, "limits.other_types": 4},
            {"limits.default", "limits.hinted_type", "limits.other_types"},
        ),
        ({"limits.default": 8}, {"limits.default": 6}, set()),
        ({}, {"association.min_similarity": 0.62}, set()),
        ({}, {"association.min_similarity": 0.5}, {"association.min_similarity"}),
        ({}, {"association.weight": 0.3, "usage.boost": "rate"}, set()),
        ({"association.weight": 0.0, "usage.boost": "rate"}, {}, {"association.weight", "usage.boost"}),
        ({"association.weight": 0.0}, {}, {"association.weight"}),
        ({"association.weight": 0.0}, {"association.weight": 0.0, "association.min_similarity": 0.5}, set()),
        ({}, {"feedback.attribution": "windowed"}, {"feedback.attribution"}),
        ({"budgets.overrides": {"fact": 0}}, {}, {"budgets.overrides"}),
        ({}, {"placement": "journaled"}, {"placement"}),
        ({"placement": "journaled"}, {"placement": "system"}, set()),
        ({"placement": "journaled"}, {"placement": "journaled", "window.max_messages": 9}, {"window.max_messages"}),
        ({"placement": "journaled"}, {"placement": "system", "window.max_messages": 9}, set()),
        ({}, {"window.max_messages": 9}, set()),
        ({}, {"budgets.frames": {"debug": {"window": 9}}}, {"budgets.frames"}),
        ({}, {"budgets.frames": {"debug": {"total": 9}}}, set()),
    ],
)
def test_unanswerable_settings_are_compared_with_the_turns_policy(recorded, changes, unanswered):
    assert unanswerable(Policy().changed(changes), Policy().changed(recorded)) == unanswered


@pytest.mark.parametrize("name", settings())
def test_every_setting_is_marked_for_replay_once(name):
    marks = [mark for mark in settings()[name].metadata if isinstance(mark, BeforeRecord | Replayable | Outside)]
    assert len(marks) == 1


@pytest.mark.parametrize("name", ["categories.learned_weights", "categories.user_profiles", "categories.rules"])
def test_category_settings_cannot_be_replayed(name):
    assert settings()[name].metadata.count(BEFORE_RECORD) == 1


def test_search_uses_only_values_that_all_turns_can_answer():
    space = [SettingRange("limits.default", (2, 4, 6)), SettingRange("evidence.min_item_share", (0.3, 0.5))]
    cases = [dataclasses.replace(case(), policy=Policy(limits={"default": limit})) for limit in (4, 8)]
    assert answerable(space, cases, POLICY) == [SettingRange("limits.default", (2, 4)), space[1]]
    assert unanswerable_settings(cases, Policy(limits={"default": 6}, deadline_ms=9.0)) == [
        "deadline_ms",
        "limits.default",
    ]


def test_search_space_is_answerable_and_includes_the_defaults():
    assert answerable(SPACE, [case()], POLICY) == list(SPACE)
    assert all(row.of(POLICY) in row.values for row in SPACE)


# --- evidence ---


def test_candidates_not_compared_with_the_window_are_counted():
    turn = case(hit(1, scores={"content_cosine": 0.9}), verdicts=[])
    not_compared = dataclasses.replace(turn, policy=Policy(abstention=False, dedup={"enabled": False}))
    window_similarities = dataclasses.replace(not_compared, similarity={(uid(1), 0): WindowSimilarity(0.1, 0.0)})
    logged = [to_logged_turn(each, Policy(abstention=False), []) for each in (not_compared, window_similarities)]
    assert [each.uncompared for each in logged] == [1, 0]
    assert evaluate(logged[:1]).uncompared == 1
    assert to_logged_turn(not_compared, not_compared.policy, []).uncompared == 0


@pytest.mark.parametrize(
    ("recorded", "kept"),
    [
        (CONSTANTS.digest, True),
        ("", True),
        (Constants(version_threshold=1.0).digest, False),
    ],
)
def test_turn_recorded_with_other_constants_is_not_evidence(recorded, kept):
    inputs = dataclasses.replace(case().inputs, counter=count.name, constants=recorded)
    record = decode(encode(inputs, (), text="", prefix=""))
    assert (restored_evaluation_case(StoredTurn("t", record, {}, {}, POLICY, {}, count, CONSTANTS)) is not None) == kept


def test_same_half_life_keeps_the_recorded_usage():
    turn = case(hit(1, usage_shown=0.3, usage_used=0.2, times_shown=1, times_used=1, usage_at=AT))
    assert with_relearned_usage(turn, POLICY, [verdict()]) is turn.inputs


def test_other_half_life_recounts_usage_before_the_turn():
    turn = case(hit(1), hit(2, usage_shown=9.0, times_shown=9, usage_at=AT))
    history = [verdict(days=1), verdict(days=3, used=False), verdict(days=-1), verdict(days=2, turn_id="now")]
    slow = Policy(usage={"half_life_days": 2.0})
    one, two = with_relearned_usage(turn, slow, history).found.hits
    assert (one.times_shown, one.times_used, one.usage_at) == (2, 1, AT - timedelta(days=1))
    assert (one.usage_shown, one.usage_used) == pytest.approx((1 + 0.5, 1.0))
    assert (two.times_shown, two.usage_shown, two.usage_at) == (0, 0.0, None)
    base = with_relearned_usage(turn, slow, history).found.base["fact"]
    assert (base.shown, base.used) == pytest.approx((1.5, 1.0))


def test_other_threshold_changes_only_overlap_verdicts():
    turn = case(hit(1))
    strict = Policy(feedback={"attribution_thresholds": {"relative": 0.6}})
    history = [
        verdict(days=1, overlap=0.5),
        verdict(days=2, overlap=0.7),
        verdict(days=3, overlap=0.1, used=True),
        verdict(days=4, overlap=0.5, rating=True),
    ]
    [again] = with_relearned_usage(turn, strict, history).found.hits
    assert (again.times_shown, again.times_used) == (4, 3), "verdicts by citation and rating are kept"


def test_overlap_verdicts_are_recognised_by_their_turns_threshold():
    """With a threshold of 0.6 the overlap decided; with the default one a citation did, which is kept."""
    lenient = Policy(feedback={"attribution_thresholds": {"relative": 0.01}})
    history = [
        verdict(days=1, overlap=0.5, used=False, threshold=0.6),
        verdict(days=2, overlap=0.5, used=False),
        verdict(days=3, overlap=0.5, used=False, threshold=None),
    ]
    [again] = with_relearned_usage(case(hit(1)), lenient, history).found.hits
    assert (again.times_shown, again.times_used) == (3, 1)


def test_other_threshold_changes_usage_in_similar_turns():
    turn = case(hit(1), hit(2))
    past = (PastTurn("then", AT, 0.9, 0.9, (PastShown(uid(1), True, 0.1), PastShown(uid(2), True, 0.1))),)
    inputs = dataclasses.replace(turn.inputs, found=dataclasses.replace(turn.inputs.found, past=past))
    strict = Policy(feedback={"attribution_thresholds": {"relative": 0.6}})
    history = [verdict(1, turn_id="then", overlap=0.5), verdict(1, turn_id="other", overlap=0.7)]
    [again] = with_relearned_usage(dataclasses.replace(turn, inputs=inputs), strict, history).found.past
    assert [shown.used for shown in again.shown] == [False, True], "usage without a verdict is kept"


def test_logged_turn_includes_candidates_of_either_policy():
    hits = [hit(n, f"The tea number {n} is green.", scores={"content_cosine": 0.9 - n / 100}) for n in range(1, 8)]
    turn = case(*hits, verdicts=[verdict(n, used=n == 1) for n in range(1, 6)], propensities={uid(6): 0.1})
    unfiltered = Policy(abstention=False, dedup={"enabled": False})
    logged = to_logged_turn(dataclasses.replace(turn, policy=unfiltered), unfiltered, [])
    choices = {choice.memory_id.int: choice for choice in logged.candidates}
    assert {n for n, choice in choices.items() if choice.target == 1.0} == {1, 2, 3, 4, 5}
    assert choices[1].used is True
    assert choices[2].used is False
    assert (choices[6].used, choices[6].propensity, choices[6].target) == (None, 0.1, 0.0)
    wide = Policy(abstention=False, dedup={"enabled": False}, limits={"default": 7})
    seven = {choice.memory_id.int: choice for choice in to_logged_turn(turn, wide, []).candidates}[7]
    assert (seven.used, seven.propensity, seven.target) == (None, 0.0, 1.0)
    assert 0 < seven.predicted < 1
    assert seven.tokens > 0


@pytest.mark.parametrize("every", [2, 5])
def test_exploring_policy_has_no_gain_on_its_own_log(every):
    policy = Policy(abstention=False, dedup={"enabled": False}, usage={"explore_every": every})
    hits = [hit(n, f"The tea number {n} is green.", scores={"content_cosine": 0.9 - n / 100}) for n in range(1, 13)]
    logged, explored = [], 0
    for n in range(60):
        own = dataclasses.replace(case(*hits), turn_id=f"t{n}", policy=policy)
        own = dataclasses.replace(own, inputs=dataclasses.replace(own.inputs, agent_id="a", turn_id=own.turn_id))
        replayed = again(own.inputs, {}, policy, count, CONSTANTS)
        verdicts = {
            each.hit.memory_id: verdict(
                each.hit.memory_id.int, used=n % 3 == 0, propensity=float(np.float32(each.propensity))
            )
            for each in replayed.shown
        }
        propensities = {
            result.candidate.hit.memory_id: result.candidate.propensity
            for result in replayed.candidates
            if result.candidate.propensity != 1.0
        }
        explored += any(result.disposition == "displaced" for result in replayed.candidates)
        logged.append(
            to_logged_turn(dataclasses.replace(own, verdicts=verdicts, propensities=propensities), policy, [])
        )
    assert 0 < explored < 60
    assert sum(choice.target for choice in logged[0].candidates) == pytest.approx(policy.limits.default)
    assert all(choice.target == choice.propensity for turn in logged for choice in turn.candidates)
    assert all(choice.tokens for turn in logged for choice in turn.candidates)
    evaluation = evaluate(logged)
    assert evaluation.logged.value > 0
    for each in (evaluation.ips, evaluation.snips, evaluation.doubly_robust):
        assert (each.gain.low, each.gain.value, each.gain.high) == pytest.approx((0.0, 0.0, 0.0), abs=1e-12)


def test_target_probabilities_include_exploration():
    hits = [hit(n, f"The tea number {n} is green.", scores={"content_cosine": 0.9 - n / 100}) for n in range(1, 13)]
    turn = case(*hits, verdicts=[verdict(n) for n in range(1, 6)])
    policy = Policy(abstention=False, dedup={"enabled": False}, usage={"explore_every": 4})
    target = {choice.memory_id.int: choice.target for choice in to_logged_turn(turn, policy, []).candidates}
    assert target == pytest.approx({**dict.fromkeys(range(1, 5), 1.0), 5: 0.75, **dict.fromkeys(range(6, 11), 0.05)})
