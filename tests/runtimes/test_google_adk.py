"""Features of Google ADK alone: agents as tools."""

from __future__ import annotations

from typing import Any

import pytest

from cognitive import NewMemory

pytest.importorskip("google.adk")
from google.adk.agents import LlmAgent
from google.adk.apps import App
from google.adk.models.base_llm import BaseLlm
from google.adk.models.llm_response import LlmResponse
from google.adk.runners import InMemoryRunner
from google.adk.tools.agent_tool import AgentTool
from google.genai import types

from cognitive.runtimes.google_adk import CognitiveADKPlugin

KEY = "The spare key of the boat house hangs behind the brass barometer."
ASK = "Do you remember where the spare key of the boat house hangs?"


class Scripted(BaseLlm):
    parts: list[Any]
    requests: list[str]

    async def generate_content_async(self, request, stream=False):
        self.requests.append(repr(request.contents))
        yield LlmResponse(content=types.Content(role="model", parts=[self.parts.pop(0)]))


@pytest.mark.filterwarnings("ignore:The `plugins` argument:DeprecationWarning")  # of ADK's own AgentTool
@pytest.mark.parametrize("own", [True, False], ids=["agent id of its own", "no agent id"])
async def test_agent_used_as_a_tool_has_memory_if_it_has_an_agent_id(layer, agent, own):
    keeper_id = f"{agent}-keeper"
    await layer.remember(agent, [NewMemory(type="fact", content=KEY)])
    await layer.remember(keeper_id, [NewMemory(type="fact", content=KEY.replace("barometer", "clock"))])
    inner = Scripted(model="inner", parts=[types.Part(text="Behind something.")], requests=[])
    keeper = LlmAgent(name="keeper", model=inner, description="Keeps the keys.")
    call = types.Part.from_function_call(name="keeper", args={"request": ASK})
    outer = Scripted(model="outer", parts=[call, types.Part(text=KEY)], requests=[])
    main = LlmAgent(name="main", model=outer, tools=[AgentTool(keeper)])
    plugin = CognitiveADKPlugin(layer, agent, agents={"keeper": keeper_id} if own else None)
    runner = InMemoryRunner(app=App(name="app", root_agent=main, plugins=[plugin]))
    session = await runner.session_service.create_session(app_name="app", user_id="u")
    message = types.Content(role="user", parts=[types.Part(text=ASK)])
    async for _ in runner.run_async(user_id="u", session_id=session.id, new_message=message):
        pass
    assert [KEY in each for each in outer.requests] == [True, True]
    assert ["brass clock" in each for each in inner.requests] == [own]
    await layer.flush()
    assert [turn.status for turn in await layer.explain.turns(agent, user_id="u")] == ["completed"]
    assert [turn.status for turn in await layer.explain.turns(keeper_id, user_id="u")] == ["completed"] * own
