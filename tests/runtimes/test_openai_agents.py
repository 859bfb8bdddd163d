"""Features of the OpenAI Agents SDK alone: run configuration, agents as tools and handoffs."""

from __future__ import annotations

from dataclasses import replace
from typing import Any

import pytest

from cognitive import NewMemory

agents = pytest.importorskip("agents")
from agents.run_config import ModelInputData  # noqa: E402
from agents.testing import ScriptedModel, assistant_message, function_call  # noqa: E402
from openai.types.shared import Reasoning  # noqa: E402

from cognitive.runtimes.openai_agents import CognitiveRunner  # noqa: E402

KEY = "The spare key of the boat house hangs behind the brass barometer."
ASK = "Do you remember where the spare key of the boat house hangs?"
QUIET = agents.RunConfig(tracing_disabled=True)


@pytest.fixture
async def runner(layer, agent) -> CognitiveRunner:
    await layer.remember(agent, [NewMemory(type="fact", content=KEY)])
    return CognitiveRunner(layer, agent)


def inputs(model: ScriptedModel) -> list[str]:
    return [repr(call.input) for call in model.calls]


async def test_agent_used_as_a_tool_calls_its_own_model_without_memories(layer, agent, runner):
    inner = ScriptedModel([[function_call("look", {}, call_id="i1")], [assistant_message("Behind something.")]])
    look = agents.function_tool(lambda: "nothing", name_override="look")
    helper = agents.Agent(name="helper", instructions="help", model=inner, tools=[look])
    outer = ScriptedModel([[function_call("ask", {"input": ASK}, call_id="o1")], [assistant_message(KEY)]])
    main = agents.Agent(name="main", model=outer, tools=[helper.as_tool("ask", "Asks the helper.")])
    result = await runner.run(main, ASK, run_config=QUIET)
    assert result.final_output == KEY
    assert result.last_agent is main
    assert [KEY in each for each in inputs(outer)] == [True, True]
    assert [KEY in each for each in inputs(inner)] == [False, False]
    await layer.flush()
    assert [turn.status for turn in await layer.explain.turns(agent)] == ["completed"]


async def test_agent_used_as_a_tool_of_its_own_runner_has_memory(layer, agent, runner):
    keeper_id = f"{agent}-keeper"
    await layer.remember(keeper_id, [NewMemory(type="fact", content=KEY.replace("barometer", "clock"))])
    inner = ScriptedModel([[assistant_message("Behind something.")]])
    helper = agents.Agent(name="helper", instructions="help", model=inner)
    ask = CognitiveRunner(layer, keeper_id).as_tool(helper, "ask", "Asks the helper.", run_config=QUIET)
    outer = ScriptedModel([[function_call("ask", {"input": ASK}, call_id="o1")], [assistant_message(KEY)]])
    result = await runner.run(agents.Agent(name="main", model=outer, tools=[ask]), ASK, run_config=QUIET)
    assert result.final_output == KEY
    assert ["brass clock" in each for each in inputs(inner)] == [True]
    assert "Behind something." in inputs(outer)[1]
    await layer.flush()
    assert [turn.status for turn in await layer.explain.turns(keeper_id)] == ["completed"]


async def test_handoff_stays_in_the_turn_and_uses_the_next_agents_model(layer, agent, runner):
    second = ScriptedModel([[assistant_message(KEY)]])
    keeper = agents.Agent(name="keeper", instructions="You are the keeper.", model=second)
    first = ScriptedModel([[function_call("transfer_to_keeper", {}, call_id="h1")]])
    desk = agents.Agent(name="desk", model=first, handoffs=[keeper])
    result = await runner.run(desk, ASK, run_config=QUIET)
    assert result.last_agent is keeper
    assert KEY in inputs(first)[0]
    assert KEY in inputs(second)[0]
    assert second.calls[0].system_instructions.startswith("You are the keeper.")
    await layer.flush()
    assert len(await layer.explain.turns(agent)) == 1


async def test_filter_settings_and_tool_choice_of_the_caller_are_kept(runner):
    def shout(data: Any) -> ModelInputData:
        return replace(data.model_data, instructions="SHOUT")

    model = ScriptedModel([[assistant_message("No.")]])
    exec = agents.function_tool(lambda: "ran", name_override="exec", description_override="Runs a shell command.")
    settings = agents.ModelSettings(temperature=0.25, tool_choice="exec")
    main = agents.Agent(name="main", instructions="quietly", model=model, tools=[exec], model_settings=settings)
    config = replace(QUIET, call_model_input_filter=shout, model_settings=agents.ModelSettings(top_p=0.5))
    await runner.run(main, ASK, run_config=config)
    [call] = model.calls
    assert call.system_instructions.startswith("SHOUT")
    assert KEY in inputs(model)[0]
    assert (call.model_settings.temperature, call.model_settings.top_p) == (0.25, 0.5)
    assert call.model_settings.reasoning is None, "a model without reasoning rejects an effort"
    assert [tool.name for tool in call.tools] == ["exec"], "the turn does not need it, but the settings require it"
    assert config.model is None


async def test_reasoning_effort_of_the_caller_yields_only_to_a_category(runner):
    efforts = []
    for message in ("Mhm, the green one then.", ASK):
        model = ScriptedModel([[assistant_message("Well.")]])
        settings = agents.ModelSettings(reasoning=Reasoning(effort="high"))
        main = agents.Agent(name="main", model=model, model_settings=settings)
        await runner.run(main, message, run_config=QUIET)
        efforts.append(model.calls[0].model_settings.reasoning.effort)
    assert efforts == ["high", "low"]


async def test_memories_are_in_the_instructions_if_openai_keeps_the_history(runner):
    model = ScriptedModel([[function_call("look", {}, call_id="c1")], [assistant_message(KEY)]])
    look = agents.function_tool(lambda: "nothing", name_override="look")
    main = agents.Agent(name="main", instructions="base", model=model, tools=[look])
    await runner.run(main, ASK, run_config=QUIET, conversation_id="conv_1")
    assert [KEY in each for each in inputs(model)] == [False, False]
    assert [KEY in call.system_instructions for call in model.calls] == [True, True]
    assert "nothing" in inputs(model)[1], "the result of a call that the service stores is kept"
