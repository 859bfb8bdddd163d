"""The plan: its queries, limits and budgets, and the use of each of its fields."""

from __future__ import annotations

from dataclasses import fields, replace
from datetime import UTC, datetime
from typing import get_args

import pytest
from hypothesis import given
from hypothesis import strategies as st

from brain.types import MEMORY_TYPES
from cognitive.plan import DateRange, Frame, Plan, RetrievalQuery, Signals
from cognitive.policy import Policy
from cognitive.policy.tables import FRAMES
from cognitive.preflight import classification, signals
from cognitive.preflight.plan import create_plan

NOW = datetime(2026, 11, 18, 15, 30, tzinfo=UTC)
POLICY = Policy()
FRAME_NAMES: tuple[Frame, ...] = get_args(Frame)
MAY = DateRange(datetime(2026, 5, 1, tzinfo=UTC), datetime(2026, 6, 1, tzinfo=UTC), "last May")
HINTS = st.lists(st.tuples(st.sampled_from(MEMORY_TYPES), st.floats(0.1, 3)), max_size=4, unique_by=lambda h: h[0]).map(
    tuple
)
SIGNALS = st.builds(
    Signals,
    text=st.just("text"),
    question=st.booleans(),
    recency=st.floats(0, 1),
    hints=HINTS,
    dates=st.none() | st.just(MAY),
)


def planned(text: str, policy: Policy = POLICY) -> Plan:
    """Return the plan that the real rules make for a message."""
    parsed = signals.read(text, now=NOW)
    frame, reasons = classification.select_frame(text, parsed)
    return create_plan(parsed, frame, reasons, policy)


def made(frame: Frame = "task", policy: Policy = POLICY, **values) -> Plan:
    return create_plan(Signals("text", **values), frame, ("because",), policy)


def limits(plan: Plan) -> dict[str, int]:
    return {query.type: query.limit for query in plan.retrieval}


@pytest.mark.parametrize("type_", MEMORY_TYPES)
def test_hinted_type_gets_the_highest_limit(type_):
    assert limits(made(hints=((type_, 1.0),))) == {each: 8 if each == type_ else 3 for each in MEMORY_TYPES}


def test_strongest_hint_wins_and_equal_hints_share_the_highest_limit():
    assert limits(made(hints=(("fact", 1.0), ("procedure", 2.0))))["fact"] == 3
    equal = limits(made(hints=(("decision", 1.0), ("episode", 1.0))))
    assert (equal["decision"], equal["episode"], equal["fact"]) == (8, 8, 3)


def test_without_hints_all_types_get_the_same_limit():
    assert limits(made()) == dict.fromkeys(MEMORY_TYPES, 5)


@pytest.mark.parametrize("recency", [0.51, 0.8, 1.0])
def test_strong_recency_raises_limit_and_budget_of_episodes(recency):
    plan = made("conversation", recency=recency)
    assert limits(plan)["episode"] == 8
    assert plan.budgets["episode"] == 1000
    assert {query.recency_weight for query in plan.retrieval} == {recency}


@pytest.mark.parametrize("recency", [0.0, 0.3, 0.5])
def test_weak_recency_changes_neither_limit_nor_budget(recency):
    plan = made("conversation", recency=recency)
    assert limits(plan)["episode"] == 5
    assert plan.budgets["episode"] == FRAMES["conversation"].episode


def test_recency_never_lowers_the_budget_of_a_frame():
    roomy = Policy(budgets={"frames": {"task": {"episode": 3000}}})
    assert made("task", roomy, recency=1.0).budgets["episode"] == 3000


def test_date_raises_the_episode_limit_and_is_in_every_query():
    plan = made(dates=MAY, hints=(("fact", 1.0),))
    assert limits(plan)["episode"] == 8
    assert {query.dates for query in plan.retrieval} == {MAY}


def test_greeting_plans_no_retrieval():
    plan = planned("Hello there!")
    assert (plan.retrieval, dict(plan.budgets), plan.total) == ((), {}, 0)
    assert plan.frame == "conversation"
    assert plan.reasons


@pytest.mark.parametrize(
    ("text", "frame", "type_"),
    [
        pytest.param("what did we decide about Redis?", None, "decision", id="decision"),
        pytest.param("how do I deploy the billing service?", None, "procedure", id="procedure"),
        pytest.param("Why is the login failing with an error?", "debug", None, id="debug"),
        pytest.param("Hi, what did we decide about the schema?", None, "decision", id="after a greeting"),
    ],
)
def test_message_determines_frame_and_leading_type(text, frame, type_):
    plan = planned(text)
    assert frame is None or plan.frame == frame
    assert type_ is None or max(limits(plan), key=limits(plan).__getitem__) == type_


def test_query_text_is_the_sentence_without_the_greeting():
    assert {query.text for query in planned("Hi! what did we decide about Redis?").retrieval} == {
        "what did we decide about Redis?"
    }


# --- budgets: frame, hints, overrides ---


@pytest.mark.parametrize("frame", FRAME_NAMES)
def test_frame_sets_budgets_total_and_window(frame):
    plan, row = made(frame), FRAMES[frame]
    assert dict(plan.budgets) == {type_: getattr(row, type_) for type_ in MEMORY_TYPES}
    assert (plan.total, plan.window) == (row.total, row.window)


@pytest.mark.parametrize(
    ("frame", "numbers"),
    [
        ("conversation", (3000, 500, 500, 0, 600, 3)),
        ("question", (6000, 1000, 1500, 500, 500, 5)),
        ("task", (8000, 2000, 1500, 1500, 1000, 5)),
        ("decision", (12000, 3500, 2000, 2000, 1000, 8)),
        ("creative", (6000, 1000, 1500, 500, 500, 4)),
        ("debug", (10000, 1500, 1000, 2500, 1000, 6)),
    ],
)
def test_frame_budgets_have_their_default_values(frame, numbers):
    row = FRAMES[frame]
    assert (row.total, row.decision, row.fact, row.procedure, row.episode, row.window) == numbers


@given(SIGNALS, st.sampled_from(FRAME_NAMES))
def test_hinted_type_always_has_a_limit_and_a_budget(parsed, frame):
    plan = create_plan(parsed, frame, (), POLICY)
    for type_, _ in parsed.hints:
        assert limits(plan)[type_] > 0
        assert plan.budgets[type_] > 0


def test_hinted_type_gets_a_budget_even_if_the_frame_has_none():
    assert made("conversation").budgets["procedure"] == 0
    assert made("conversation", hints=(("procedure", 1.0),)).budgets["procedure"] == FRAMES["question"].procedure


def test_budget_override_of_zero_disables_the_type():
    plan = made("conversation", Policy(budgets={"overrides": {"episode": 0}}), recency=1.0, hints=(("episode", 1.0),))
    assert "episode" not in {query.type for query in plan.retrieval}


@pytest.mark.parametrize("tokens", [123, 9_000])
def test_budget_override_replaces_the_planned_budget(tokens):
    policy = Policy(budgets={"overrides": {"episode": tokens}})
    plan = made("conversation", policy, recency=1.0, hints=(("episode", 1.0),))
    assert plan.budgets["episode"] == tokens
    assert plan.budgets["fact"] == FRAMES["conversation"].fact


def test_limit_of_zero_disables_the_query():
    assert limits(made(policy=Policy(limits={"default": 0}))) == {}
    assert limits(made(policy=Policy(limits={"other_types": 0}), hints=(("fact", 1.0),))) == {"fact": 8}


def test_limits_come_from_the_policy():
    policy = Policy(limits={"default": 2, "hinted_type": 20, "other_types": 1})
    assert set(limits(made(policy=policy)).values()) == {2}
    assert sorted(limits(made(policy=policy, hints=(("fact", 1.0),))).values()) == [1, 1, 1, 20]


@given(SIGNALS, st.sampled_from(FRAME_NAMES))
def test_plan_is_consistent_and_deterministic(parsed, frame):
    plan = create_plan(parsed, frame, ("because",), POLICY)
    assert plan == create_plan(parsed, frame, ("because",), POLICY)
    assert {query.type for query in plan.retrieval} == set(plan.budgets)
    assert [query.type for query in plan.retrieval] == [t for t in MEMORY_TYPES if t in plan.budgets]
    assert all(query.limit > 0 for query in plan.retrieval)


# --- use of the fields ---


def test_plan_reasons_are_fired_rules_and_frame_reasons():
    plan = planned("what did we decide about Redis?")
    assert plan.reasons[: len(plan.signals.fired)] == plan.signals.fired != ()
    debug = planned("The build fails with a KeyError")
    assert len(debug.reasons) > len(debug.signals.fired)
    assert len(set(plan.reasons)) == len(plan.reasons)


def test_plan_holds_policy_version_thinking_and_dedup():
    plan = create_plan(Signals("text"), "task", (), POLICY, thinking="high")
    assert (plan.policy, plan.thinking) == (POLICY.version, "high")
    assert made(policy=Policy(dedup={"enabled": False})).dedup is False
    assert made().dedup is True


CONSUMERS = {
    Plan: {
        "signals",
        "frame",
        "retrieval",
        "budgets",
        "total",
        "window",
        "dedup",
        "reasons",
        "policy",
        "categories",
        "caps",
        "max_memories",
        "tools",
        "removed",
        "thinking",
        "model",
        "hint",
    },
    RetrievalQuery: {"type", "text", "limit", "recency_weight", "dates", "newest"},
}


@pytest.mark.parametrize("value", CONSUMERS, ids=lambda value: value.__name__)
def test_every_plan_field_is_read_by_a_stage(value, root):
    """Code after preflight reads `plan.field` or `query.field`, or the host reads the field on the context."""
    assert {field.name for field in fields(value)} == CONSUMERS[value]
    product = [path for path in (root / "cognitive").rglob("*.py") if path.parent.name not in ("preflight", "rules")]
    source = "\n".join(path.read_text(encoding="utf-8") for path in product if path.name != "plan.py")
    passed_on = {"reasons", "caps", "tools", "hint"}  # public on `context.plan`, for the host and the recording
    unread = {name for name in CONSUMERS[value] if f".{name}" not in source}
    assert unread <= passed_on


def test_plan_is_frozen():
    plan = made()
    assert replace(plan, total=1) != plan
    with pytest.raises(AttributeError):
        plan.total = 1  # type: ignore[misc]
