"""Learned budgets follow the usage of their types within bounds, if learning is enabled."""

from __future__ import annotations

from datetime import timedelta

from hypothesis import given
from hypothesis import strategies as st
from making import AT, found

from brain.search import Masses
from cognitive.context.budget import section_budgets
from cognitive.plan import Signals
from cognitive.policy import Policy
from cognitive.policy.constants import CONSTANTS
from cognitive.policy.tables import FRAMES
from cognitive.preflight import plan as planning

ON = Policy(budgets={"learned": True})
MASSES = st.builds(lambda shown, share: Masses(shown, shown * share, AT), st.floats(0, 10_000), st.floats(0, 1))
USED = {"fact": Masses(900.0, 600.0, AT), "decision": Masses(900.0, 0.0, AT), "procedure": Masses(900.0, 90.0, AT)}


def learn(base, policy=ON, *, hints=(), room=None, now=AT):
    plan = planning.create_plan(Signals("Where is the tea?", hints=hints), "question", (), policy)
    return plan, section_budgets(plan, found(base=base), room, now, policy, CONSTANTS)


def test_disabled_learning_keeps_the_planned_budgets():
    plan, planned = learn(USED, Policy())
    assert planned.budgets is plan.budgets
    assert (planned.total, planned.reasons) == (FRAMES["question"].total, ())


def test_budget_of_an_unused_type_shrinks_to_the_bound():
    plan, learned = learn(USED)
    assert learned.budgets["decision"] == plan.budgets["decision"] / 2
    assert learned.budgets["fact"] == plan.budgets["fact"] * 1.5
    assert learned.total == plan.total
    assert [reason.split(":")[0] for reason in learned.reasons] == list(plan.budgets)
    assert "decision: 1000 changed to 500 tokens, because it is used 0.0" in " ".join(learned.reasons)


def test_few_showings_change_budgets_by_less_than_6_percent():
    plan, learned = learn({"decision": Masses(1.0, 0.0, AT), "fact": Masses(1.0, 1.0, AT)})
    assert all(abs(learned.budgets[type_] / plan.budgets[type_] - 1) < 0.06 for type_ in plan.budgets)


def test_old_usage_does_not_change_budgets():
    _, learned = learn(USED, now=AT + timedelta(days=365))
    assert learned.reasons == ()


def test_hinted_types_and_overrides_keep_their_budget():
    plan, learned = learn(USED, hints=(("decision", 0.9),))
    assert learned.budgets["decision"] == plan.budgets["decision"]
    _, overridden = learn(USED, Policy(budgets={"learned": True, "overrides": {"decision": 700}}))
    assert overridden.budgets["decision"] == 700


@given(st.dictionaries(st.sampled_from(["decision", "fact", "procedure", "episode"]), MASSES), st.integers(0, 9_000))
def test_learned_budgets_stay_within_bounds_and_available_tokens(base, room):
    plan, learned = learn(base, room=room)
    assert learned.total == min(plan.total, room)
    for type_, planned in plan.budgets.items():
        assert 0.5 * planned <= learned.budgets[type_] <= 1.5 * planned
