"""Preflight in whole turns: the tools for the model, the recorded plan, and learning from calls."""

from __future__ import annotations

import asyncio
import logging
from datetime import UTC, datetime

import pytest

from brain.users import Scope
from cognitive import CognitiveLayer, Message, NewMemory, Outcome, Policy, Tool, ToolCall, Turn
from cognitive.preflight.plan import sections
from tests.internals import internals

NOW = datetime(2026, 11, 18, 15, 30, tzinfo=UTC)
CORE = (
    "exec",
    "read",
    "write",
    "edit",
    "apply_patch",
    "process",
    "web_fetch",
    "web_search",
    "memory_search",
    "memory_get",
    "message",
)
FOREIGN = ("mcp__calendar", "mcp__mail")
TOOLS = tuple(Tool(name=name) for name in (*CORE, *FOREIGN))
FRANK = Policy(deadline_ms=10_000, abstention=False)


def ask(agent: str, text: str, **fields) -> Turn:
    return Turn(**{"agent_id": agent, "session_id": "s", "text": text, "tools": TOOLS, "now": NOW, **fields})


def names(context) -> tuple[str, ...]:
    return tuple(tool.name for tool in context.tools)


@pytest.fixture
async def frank(urls, embedder):
    async with CognitiveLayer.open(urls.app, policy=FRANK, embedder=embedder) as layer:
        yield layer


async def test_model_gets_the_planned_tools_and_all_unknown_tools(frank, agent):
    context = await frank.pre_turn(ask(agent, "swap 1 SOL for USDC"))
    assert context.plan.categories == ("crypto",)
    assert names(context) == context.plan.tools == ("exec", "web_fetch", "web_search", "message", *FOREIGN)
    assert (context.thinking, context.plan.hint.startswith("[Context: crypto task | tools: exec")) == ("medium", True)


async def test_hint_names_only_tools_offered_to_a_weak_model(frank, agent):
    many = [Tool(name=f"mcp__tool_{n}", description="Does what is asked of it. " * 9) for n in range(300)]
    context = await frank.pre_turn(ask(agent, "gpu status", tools=(*TOOLS, *many), model="some/weak-model"))
    offered = names(context)
    assert len(offered) < len(context.plan.tools)
    assert {"exec", "message"} <= set(offered)
    named = context.plan.hint.partition("tools: ")[2].partition(" |")[0].split(", ")
    assert set(named[:-1]) <= set(offered)
    assert named[-1] == f"{len(offered) - len(named) + 1} more"
    assert context.plan.hint in context.prompt()[-1].content


@pytest.mark.parametrize("kind", ["heartbeat", "subagent", "cron"])
async def test_heartbeat_subagent_and_cron_turns_are_not_planned(frank, agent, kind):
    context = await frank.pre_turn(ask(agent, "hey", kind=kind, thinking="high"))
    assert names(context) == context.plan.tools == (*CORE, *FOREIGN)
    assert (context.thinking, context.plan.hint, context.plan.categories) == ("high", None, ())


async def test_category_limits_the_memories_of_a_statement(frank, agent):
    notes = [f"The deployment script number {n} lives in folder {n}." for n in range(12)]
    await frank.remember(agent, [NewMemory(type="fact", content=note) for note in notes])
    text = "fix the deployment script in folder 3"
    capped = await frank.pre_turn(ask(agent, text))
    assert capped.plan.categories == ("coding",)
    assert 0 < len(capped.shown) <= 5
    assert sum(memory.tokens for memory in capped.shown) <= 200
    question = await frank.pre_turn(ask(agent, "which folder is deployment script number 3 in?"))
    assert question.plan.max_memories is None
    assert len(question.shown) > 3


async def test_small_talk_skips_memory_unless_a_question_follows(frank, agent):
    await frank.remember(agent, [NewMemory(type="decision", content="We decided to use Redis for sessions.")])
    assert not (await frank.pre_turn(ask(agent, "hey"))).shown
    context = await frank.pre_turn(ask(agent, "Hey, what did we decide about Redis?"))
    assert context.plan.categories == ("memory",)
    assert [memory.type for memory in context.shown] == ["decision"]


async def test_follow_up_keeps_the_tools_of_the_preceding_message(frank, agent):
    said = [Message(role="user", content="deploy the app to staging"), Message(role="assistant", content="Done.")]
    context = await frank.pre_turn(ask(agent, "and for production?", conversation=said))
    assert "coding" in context.plan.categories
    assert "session.coding" in context.plan.reasons
    assert "process" in names(context)


async def test_the_plan_is_logged_and_recorded(frank, agent, caplog):
    with caplog.at_level(logging.INFO, logger="cognitive.preflight.planner"):
        context = await frank.pre_turn(ask(agent, "gpu status"))
    line = next(record.message for record in caplog.records if record.message.startswith("classified"))
    assert line.startswith("classified: categories=[monitoring] tools=4/13 memory=3/150 thinking=off (")
    assert line.endswith(" µs)")
    await frank.post_turn(context, Outcome(response="All is well."))
    recorded = await internals(frank).turns.turn(Scope(agent), context.turn_id)
    assert recorded.plan == context.plan.as_json()


async def test_replay_of_a_planned_turn_is_identical(frank, agent):
    await frank.remember(agent, [NewMemory(type="fact", content=f"GPU {n} is in rack {n}.") for n in range(9)])
    context = await frank.pre_turn(ask(agent, "check the gpu of rack 3"))
    assert context.plan.categories == ("monitoring",)
    assert 0 < len(context.shown) <= 3
    assert (await frank.explain.replay(agent, context.turn_id)).verdict == "identical"


async def live(layer, agent: str, text: str, *called: str, user: str | None = None) -> None:
    context = await layer.pre_turn(ask(agent, text, user_id=user))
    calls = [ToolCall(name=name, result="done") for name in called]
    await layer.post_turn(context, Outcome(response="Done.", tool_calls=calls))


async def test_called_tools_are_kept_until_learning_is_reset(frank, agent):
    for _ in range(3):
        await live(frank, agent, "gpu status", "web_search", user="u")
    context = await planned_anew(frank, agent, "cpu load and disk status", user="u")
    assert "web_search" in names(context)
    assert "learned.web_search" in context.plan.reasons
    assert await frank.admin.tool_usage(agent) == ()
    evidence = await frank.admin.tool_usage(agent, user_id="u")
    assert ("monitoring", "web_search", 3) in {(habit.category, habit.tool, habit.called) for habit in evidence}
    assert await frank.admin.user_profile(agent, "u") == {"monitoring": 3}
    assert await frank.admin.reset_learning(agent) >= 3
    assert await frank.admin.tool_usage(agent, user_id="u") == ()
    assert "web_search" not in names(await planned_anew(frank, agent, "gpu status"))


async def test_tool_usage_of_one_agent_is_not_anothers(frank, agent):
    for _ in range(2):
        await live(frank, agent, "gpu status", "web_search")
    assert await frank.admin.tool_usage(f"{agent}-other") == ()


async def planned_anew(layer, agent: str, text: str, user: str | None = None):
    """Return the second of two turns: the first reads the learnt habits in the background."""
    internals(layer).category_learner._cache.clear()
    await layer.pre_turn(ask(agent, text, user_id=user))
    await internals(layer).category_learner.drain()
    return await layer.pre_turn(ask(agent, text, user_id=user))


class FakeClassifier:
    """A host's classifier that records its calls."""

    def __init__(self, *categories, fails: bool = False, hangs: bool = False) -> None:
        self.categories, self.fails, self.hangs = categories, fails, hangs
        self.calls: list[tuple[str, bool]] = []

    async def classify(self, text, vector):
        self.calls.append((text, vector is not None))
        if self.fails:
            raise RuntimeError("no idea")
        if self.hangs:
            await asyncio.Event().wait()
        return self.categories


QUIET = "the flange is loose again"


async def test_classifier_is_called_when_no_rule_matches(urls, embedder, agent):
    classifier = FakeClassifier("media", "astrology")
    async with CognitiveLayer.open(urls.app, policy=FRANK, embedder=embedder, classifier=classifier) as layer:
        guessed = await layer.pre_turn(ask(agent, QUIET))
        known = await layer.pre_turn(ask(agent, "swap 1 SOL for USDC"))
    assert classifier.calls == [(QUIET, True)]
    assert guessed.plan.categories == ("media",)
    assert "classifier.media" in guessed.plan.reasons
    assert names(guessed) == ("exec", "message", *FOREIGN)
    assert guessed.plan.max_memories is None, "the search ran before the classifier answered"
    assert known.plan.categories == ("crypto",)


@pytest.mark.parametrize("trouble", [{"fails": True}, {"hangs": True}, {}])
async def test_failing_or_undecided_classifier_changes_nothing(urls, embedder, agent, trouble):
    policy = Policy(deadline_ms=400)
    async with CognitiveLayer.open(
        urls.app, policy=policy, embedder=embedder, classifier=FakeClassifier(**trouble)
    ) as layer:
        context = await layer.pre_turn(ask(agent, QUIET))
    assert names(context) == (*CORE, *FOREIGN)
    assert context.plan.categories == ()


async def test_exemplar_fallback_classifies_when_enabled(urls, embedder, agent):
    policy = FRANK.changed({"categories.exemplar_fallback": True})
    text = "blur the faces and cut the first ten seconds"
    async with CognitiveLayer.open(urls.app, policy=policy, embedder=embedder) as layer:
        assert (await layer.pre_turn(ask(agent, text))).plan.categories == ("media",)
    async with CognitiveLayer.open(urls.app, policy=FRANK, embedder=embedder) as layer:
        assert (await layer.pre_turn(ask(agent, text))).plan.categories == ()


async def test_prompt_sections_follow_the_plan(frank, agent):
    context = await frank.pre_turn(ask(agent, "swap 1 SOL for USDC"))
    found = sections({"wallets": ["crypto"], "git": ["coding"], "manners": []}, context.plan, context.policy)
    assert (found.kept, found.dropped) == (("wallets", "manners"), ("git",))
