"""Turns accept any value as an argument or result of the host's tools."""

from __future__ import annotations

import pytest
from foreign import VALUES, called

from cognitive import CognitiveLayer, Outcome, Policy, Turn


@pytest.fixture
async def patient(urls, embedder):
    policy = Policy(deadline_ms=20_000, deadlines={"fit_ms": 20_000, "post_turn_ms": 20_000})
    async with CognitiveLayer.open(urls.app, policy=policy, embedder=embedder) as layer:
        yield layer


@pytest.fixture
async def hurried(urls, embedder):
    policy = Policy(deadline_ms=1, deadlines={"fit_ms": 1})
    async with CognitiveLayer.open(urls.app, policy=policy, embedder=embedder) as layer:
        yield layer


@pytest.mark.parametrize("name", VALUES)
async def test_turn_accepts_any_tool_result_in_its_conversation(patient, agent, name):
    said = called(VALUES[name], given=VALUES[name])
    context = await patient.pre_turn(Turn(agent_id=agent, session_id="s1", text="And now?", conversation=said))
    assert not any(reason.startswith("window:") for reason in context.degraded)
    assert [message.role for message in context.messages] == ["user", "assistant", "tool"]
    window = await patient.fit(context, [*said, *called(VALUES[name])])
    assert window.messages[-1].role == "tool"
    assert (await patient.post_turn(context, Outcome(response="Done.", tool_calls=said[1].tool_calls))).recorded


@pytest.mark.parametrize("name", VALUES)
async def test_turn_without_time_for_a_window_accepts_any_tool_result(hurried, agent, name):
    said = called(VALUES[name])
    context = await hurried.pre_turn(Turn(agent_id=agent, session_id="s1", text="And now?", conversation=said))
    assert [message.role for message in context.messages] == ["user", "assistant", "tool"]
