"""Learned weights only add, stay within their bounds and come with their evidence."""

from __future__ import annotations

from datetime import UTC, datetime

from hypothesis import given
from hypothesis import strategies as st

from brain.turn_records import TurnToolCalls
from cognitive.plan import CATEGORIES
from cognitive.policy import Policy
from cognitive.preflight import classification, signals
from cognitive.preflight.category_learning import (
    MAX_FACTOR,
    MAX_TOOLS,
    NOTHING_LEARNED,
    PROFILE_WEIGHT,
    ToolUsage,
    learn,
    user_factors,
)

POLICY = Policy()
TOOLS = st.sampled_from(("exec", "read", "web_search", "mcp__a", "mcp__b", "message", *"cdefghij"))
TURNS = st.lists(
    st.builds(
        TurnToolCalls,
        st.none() | st.sampled_from("uv"),
        st.lists(st.sampled_from(CATEGORIES), max_size=3, unique=True).map(tuple),
        st.lists(TOOLS, max_size=4).map(tuple),
    ),
    max_size=40,
)


def turns(category: str, *called: str, times: int = 1, user: str | None = None) -> list[TurnToolCalls]:
    return [TurnToolCalls(user, (category,), called)] * times


def test_repeatedly_called_tool_is_learned_for_the_category():
    learned = learn(turns("monitoring", "web_search", times=3), POLICY)
    assert learned.tools_for(("monitoring", "coding")) == ("web_search",)
    assert learned.tools_for(("coding",)) == ()


def test_too_few_or_too_rare_calls_teach_nothing():
    assert learn(turns("monitoring", "web_search", times=2), POLICY).tools == {}
    rare = [*turns("monitoring", "web_search", times=3), *turns("monitoring", "exec", times=97)]
    assert learn(rare, POLICY).tools == {}
    assert learn(rare[:60], POLICY).tools == {"monitoring": ("web_search",)}


def test_call_explained_by_another_category_is_not_counted():
    both = [TurnToolCalls(None, ("coding", "memory"), ("edit", "shears"))] * 5
    assert learn(both, POLICY).tools == {"coding": ("shears",), "memory": ("shears",)}
    assert ToolUsage("memory", "edit", 5, 5) not in learn(both, POLICY).tool_usage


def test_category_learns_only_its_most_called_tools():
    observed = [call for n in range(9) for call in turns("media", f"tool{n}", times=4 + n)]
    assert learn(observed, POLICY).tools["media"] == ("tool8", "tool7", "tool6", "tool5", "tool4")


def test_tool_usage_counts_calls_and_turns():
    observed = [*turns("media", "exec", "exec", times=3), *turns("media", "read")]
    assert learn(observed, POLICY).tool_usage == (ToolUsage("media", "exec", 3, 4), ToolUsage("media", "read", 1, 4))


def test_learned_factor_grows_with_evidence_but_does_not_fire_alone():
    def kinds(learned):
        text = "the deployment"
        read = signals.read(text, now=datetime(2026, 11, 18, tzinfo=UTC))
        return classification.classify_turn(text, read, (), (), POLICY, learned.factors).categories

    assert kinds(NOTHING_LEARNED) == ()
    assert kinds(learn(turns("coding", "exec", times=9), POLICY)) == (), "a few turns are not enough"
    assert kinds(learn(turns("coding", "exec", times=5_000), POLICY)) == ()
    assert learn(turns("coding", "exec", times=500), POLICY).factors["coding"] > 1.45
    assert learn(turns("coding", "message", times=500), POLICY).factors == {}


@given(TURNS)
def test_learned_values_are_bounded_and_independent_of_order(observed):
    learned = learn(observed, POLICY)
    assert all(1.0 <= factor <= MAX_FACTOR for factor in learned.factors.values())
    assert all(len(tools) <= MAX_TOOLS for tools in learned.tools.values())
    assert learned == learn(observed[::-1], POLICY)
    for usage in learned.tool_usage:
        assert 1 <= usage.called <= usage.turns


@given(TURNS)
def test_profile_factors_never_fall_below_one_or_exceed_the_weight(observed):
    for user in ("u", "v", "w", None):
        factors = user_factors(learn(observed, POLICY), user)
        assert all(1.0 <= factor <= 1.0 + PROFILE_WEIGHT for factor in factors.values())


def test_profile_belongs_to_one_user():
    learned = learn([*turns("crypto", times=30, user="u"), *turns("media", times=30, user="v")], POLICY)
    assert learned.users == {"u": {"crypto": 30}, "v": {"media": 30}}
    assert user_factors(learned, "u") == {"crypto": 1.0 + 0.25 * 30 / 40}
    assert user_factors(learned, "w") == user_factors(learned, None) == {}
