"""An agent's own policy applies to every part of a turn: pre_turn, post_turn and resuming the session."""

from __future__ import annotations

from datetime import UTC, datetime

import pytest

from cognitive import CognitiveLayer, Message, Outcome, Policy, Tool, ToolCall, Turn
from tests.internals import internals

NOW = datetime(2026, 11, 2, 9, tzinfo=UTC)
TALK = [
    Message(role=role, content=f"The {role} tells of the orchard, row {n}: apples, pears and plums.")
    for n in range(30)
    for role in ("user", "assistant")
]
BLUR = "blur the faces and cut the first ten seconds"
GENERAL = {"deadline_ms": 30_000.0, "categories.exemplar_fallback": False}
OWN = {
    "window": {"max_messages": 6, "max_summary_chars": 300, "max_tool_output_chars": {"terminal": 600}},
    "categories": {"exemplar_fallback": True},
}


class LongSummarizer:
    """A summarizer that records its limits and returns more characters than they allow."""

    def __init__(self) -> None:
        self.limits: list[int] = []

    async def summarize(self, earlier, messages, limit):
        self.limits.append(limit)
        return "\n".join(f"Row {n} was told of." for n in range(2_000))


def ask(agent: str, text: str, conversation=()) -> Turn:
    return Turn(
        agent_id=agent,
        session_id="s",
        text=text,
        conversation=tuple(conversation),
        now=NOW,
        tools=[Tool(name="browser", description="Opens pages.", parameters={})],
    )


@pytest.mark.parametrize("own_policy", [True, False], ids=["of the agent", "of another agent"])
async def test_agent_policy_governs_window_summary_and_resume(urls, embedder, agent, own_policy):
    policy = Policy(agents={agent if own_policy else "another agent": OWN}).changed(GENERAL)
    own, summarizer = policy.for_agent(agent), LongSummarizer()
    async with CognitiveLayer.open(urls.app, policy=policy, embedder=embedder, summarizer=summarizer) as layer:
        context = await layer.pre_turn(ask(agent, "What about the plums?", TALK))
        log = "".join(f"line {n} of a log\n" for n in range(2_000))
        call = ToolCall(name="bash", arguments={"command": "cat log"}, result=log)
        await layer.post_turn(context, Outcome(response="They are ripe.", tool_calls=[call]))
        await internals(layer).background.drain()
        resumed = await layer.resume(agent, "s")
    assert len(resumed.messages) <= own.window.max_messages
    assert (len(resumed.messages) > OWN["window"]["max_messages"]) == (not own_policy)
    assert set(summarizer.limits) == {own.window.max_summary_chars}
    assert 0 < len(resumed.summary) <= own.window.max_summary_chars
    [output] = [message.content for message in resumed.messages if message.role == "tool"]
    assert (len(output) < 1_200) == own_policy


@pytest.mark.parametrize("enabled_for", ["the agent", "the others"])
async def test_agent_policy_decides_on_the_exemplar_fallback(urls, embedder, agent, enabled_for):
    fallback = enabled_for == "the others"
    policy = Policy(
        deadline_ms=30_000,
        categories={"exemplar_fallback": fallback},
        agents={agent: {"categories": {"exemplar_fallback": not fallback}}},
    )
    async with CognitiveLayer.open(urls.app, policy=policy, embedder=embedder) as layer:
        own = (await layer.pre_turn(ask(agent, BLUR))).plan.categories
        others = (await layer.pre_turn(ask(f"{agent}-other", BLUR))).plan.categories
    assert (own, others) == (((), ("media",)) if fallback else (("media",), ()))
