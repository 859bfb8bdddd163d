"""What the runner of the OpenAI Agents SDK leaves to the caller: configuration, agents that are tools, handoffs."""

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


def given(model: ScriptedModel) -> list[str]:
    return [repr(call.input) for call in model.calls]


async def test_an_agent_that_is_a_tool_calls_its_own_model_and_sees_no_memory(layer, agent, runner):
    inner = ScriptedModel([[function_call("look", {}, call_id="i1")], [assistant_message("Behind something.")]])
    look = agents.function_tool(lambda: "nothing", name_override="look")
    helper = agents.Agent(name="helper", instructions="help", model=inner, tools=[look])
    outer = ScriptedModel([[function_call("ask", {"input": ASK}, call_id="o1")], [assistant_message(KEY)]])
    main = agents.Agent(name="main", model=outer, tools=[helper.as_tool("ask", "Asks the helper.")])
    result = await runner.run(main, ASK, run_config=QUIET)
    assert result.final_output == KEY
    assert result.last_agent is main
    assert [KEY in each for each in given(outer)] == [True, True]
    assert [KEY in each for each in given(inner)] == [False, False]
    await layer.flush()
    assert [turn.status for turn in await layer.explain.turns(agent)] == ["completed"]


async def test_a_handoff_stays_within_the_turn_and_each_agent_calls_its_own_model(layer, agent, runner):
    second = ScriptedModel([[assistant_message(KEY)]])
    keeper = agents.Agent(name="keeper", instructions="You are the keeper.", model=second)
    first = ScriptedModel([[function_call("transfer_to_keeper", {}, call_id="h1")]])
    desk = agents.Agent(name="desk", model=first, handoffs=[keeper])
    result = await runner.run(desk, ASK, run_config=QUIET)
    assert result.last_agent is keeper
    assert KEY in given(first)[0]
    assert KEY in given(second)[0]
    assert second.calls[0].system_instructions.startswith("You are the keeper.")
    await layer.flush()
    assert len(await layer.explain.turns(agent)) == 1


async def test_the_callers_filter_settings_and_chosen_tool_stand(runner):
    def shouted(data: Any) -> ModelInputData:
        return replace(data.model_data, instructions="SHOUT")

    model = ScriptedModel([[assistant_message("No.")]])
    exec = agents.function_tool(lambda: "ran", name_override="exec", description_override="Runs a shell command.")
    settings = agents.ModelSettings(temperature=0.25, tool_choice="exec")
    main = agents.Agent(name="main", instructions="quietly", model=model, tools=[exec], model_settings=settings)
    config = replace(QUIET, call_model_input_filter=shouted, model_settings=agents.ModelSettings(top_p=0.5))
    await runner.run(main, ASK, run_config=config)
    [call] = model.calls
    assert call.system_instructions.startswith("SHOUT")
    assert KEY in given(model)[0]
    assert (call.model_settings.temperature, call.model_settings.top_p) == (0.25, 0.5)
    assert call.model_settings.reasoning is None, "a model that does not reason refuses to be told how hard"
    assert [tool.name for tool in call.tools] == ["exec"], "the turn needs it not, but the settings demand it"
    assert config.model is None


async def test_a_level_of_the_callers_own_stands_where_no_category_asks_for_another(runner):
    efforts = []
    for message in ("Mhm, the green one then.", ASK):
        model = ScriptedModel([[assistant_message("Well.")]])
        settings = agents.ModelSettings(reasoning=Reasoning(effort="high"))
        main = agents.Agent(name="main", model=model, model_settings=settings)
        await runner.run(main, message, run_config=QUIET)
        efforts.append(model.calls[0].model_settings.reasoning.effort)
    assert efforts == ["high", "low"]


async def test_where_openai_keeps_the_history_the_memories_stand_in_the_instructions(runner):
    model = ScriptedModel([[function_call("look", {}, call_id="c1")], [assistant_message(KEY)]])
    look = agents.function_tool(lambda: "nothing", name_override="look")
    main = agents.Agent(name="main", instructions="base", model=model, tools=[look])
    await runner.run(main, ASK, run_config=QUIET, conversation_id="conv_1")
    assert [KEY in each for each in given(model)] == [False, False]
    assert [KEY in call.system_instructions for call in model.calls] == [True, True]
    assert "nothing" in given(model)[1], "the result of a call that stands with the service is not taken for an orphan"
