"""Features of Pydantic AI alone: kinds of runs, outputs and messages."""

from __future__ import annotations

import asyncio

import pytest

pytest.importorskip("pydantic_ai")

from pydantic import BaseModel
from pydantic_ai import Agent, BinaryContent, DeferredToolRequests, DeferredToolResults, ModelRetry
from pydantic_ai.messages import ModelMessage, ModelRequest, ModelResponse, TextPart, ToolCallPart, UserPromptPart
from pydantic_ai.models.function import AgentInfo, FunctionModel

from cognitive import CognitiveLayer, NewMemory
from cognitive.runtimes.pydantic_ai import CognitiveCapability

KEY = "The spare key of the boat house hangs behind the brass barometer in the pantry of the captain."
ASK = "Do you remember where the spare key of the boat house hangs?"
PICTURE = BinaryContent(b"\x89PNG", media_type="image/png")


@pytest.fixture
async def capability(layer, agent) -> CognitiveCapability:
    await layer.remember(agent, [NewMemory(type="fact", content=KEY)])
    return CognitiveCapability(layer, agent)


class Scripted:
    """A model that answers each call with the next of these parts and records its requests."""

    def __init__(self, *parts: TextPart | ToolCallPart) -> None:
        self.parts = list(parts)
        self.seen: list[list[ModelMessage]] = []
        self.model = FunctionModel(self._answer)

    def _answer(self, messages: list[ModelMessage], info: AgentInfo) -> ModelResponse:
        self.seen.append(messages)
        return ModelResponse([self.parts.pop(0)])


def request_parts(messages: list[ModelMessage]) -> list[tuple[str, object]]:
    parts = [part for message in messages if isinstance(message, ModelRequest) for part in message.parts]
    return [(part.part_kind, part.content) for part in parts if hasattr(part, "content")]


async def statuses(layer: CognitiveLayer, agent: str) -> list[str]:
    await layer.flush()
    return [turn.status for turn in reversed(await layer.explain.turns(agent))]


async def test_block_follows_the_text_and_image_of_a_prompt(capability):
    scripted = Scripted(TextPart("Behind the barometer."))
    result = await Agent(scripted.model, capabilities=[capability]).run([ASK, PICTURE])
    [(_, content)] = request_parts(scripted.seen[0])
    assert content[:2] == [ASK, PICTURE]
    assert KEY in content[2]
    assert request_parts(result.all_messages()) == [("user-prompt", [ASK, PICTURE])]


async def test_system_prompt_stays_first_in_a_long_history(capability):
    scripted = Scripted(*[TextPart("Yes.")] * 2)
    agent = Agent(scripted.model, system_prompt="You are a pilot.", capabilities=[capability])
    history = (await agent.run(ASK)).all_messages()
    for n in range(60):
        history += [ModelRequest([UserPromptPart(f"Question {n}?")]), ModelResponse([TextPart(f"Answer {n}.")])]
    await agent.run(ASK, message_history=history)
    assert request_parts(scripted.seen[1])[0] == ("system-prompt", "You are a pilot.")
    assert len(scripted.seen[1]) < 45


class Place(BaseModel):
    place: str


async def test_use_is_judged_by_the_structured_response(capability, layer, agent):
    answer = {"place": "behind the brass barometer in the pantry of the captain"}
    scripted = Scripted(ToolCallPart("final_result", {"place": 1}), ToolCallPart("final_result", answer))
    result = await Agent(scripted.model, output_type=Place, capabilities=[capability]).run(ASK)
    assert result.output.place == answer["place"]
    assert len(scripted.seen) == 2, "the invalid answer was returned to the model in the same turn"
    await layer.flush()
    [turn] = await layer.explain.turns(agent)
    assert turn.status == "completed"
    [shown] = await layer.explain.candidates(agent, turn.turn_id)
    assert shown.used is True


async def test_validator_message_reaches_the_model_in_the_same_turn(capability, layer, agent):
    scripted = Scripted(TextPart("No idea."), TextPart("Behind the barometer."))
    assistant = Agent(scripted.model, capabilities=[capability])

    @assistant.output_validator
    def place(output: str) -> str:
        if "barometer" not in output:
            raise ModelRetry("Say where it hangs.")
        return output

    assert (await assistant.run(ASK)).output == "Behind the barometer."
    assert "Say where it hangs." in str(request_parts(scripted.seen[1])[-1])
    assert await statuses(layer, agent) == ["completed"]


async def test_run_that_defers_tools_is_abandoned_and_its_successor_completes(capability, layer, agent):
    scripted = Scripted(ToolCallPart("unlock", {"door": "boat house"}, "call-1"), TextPart("It is open."))
    assistant = Agent(scripted.model, output_type=[str, DeferredToolRequests], capabilities=[capability])

    @assistant.tool_plain(requires_approval=True)
    def unlock(door: str) -> str:
        return f"{door} unlocked"

    waiting = await assistant.run("Please run the unlock script for me.")
    assert isinstance(waiting.output, DeferredToolRequests)
    results = DeferredToolResults(approvals={"call-1": True})
    done = await assistant.run(message_history=waiting.all_messages(), deferred_tool_results=results)
    assert done.output == "It is open."
    assert ("tool-return", "boat house unlocked") in request_parts(scripted.seen[1])
    assert await statuses(layer, agent) == ["abandoned", "completed"]


async def test_one_agent_serves_concurrent_conversations(capability, layer, agent):
    async def answer(history: list[ModelMessage], info: AgentInfo) -> ModelResponse:
        await asyncio.sleep(0)
        texts = [str(part.content) for m in history if isinstance(m, ModelRequest) for part in m.parts]
        return ModelResponse([TextPart(" ".join(text.split("\n")[0] for text in texts))])

    assistant = Agent(FunctionModel(answer), capabilities=[capability])
    messages = [f"Do you remember boat house {n}?" for n in range(8)]
    runs = (assistant.run(text, conversation_id=f"talk-{n}") for n, text in enumerate(messages))
    assert [result.output for result in await asyncio.gather(*runs)] == messages
    await layer.flush()
    turns = {turn.session_id: (turn.message, turn.status) for turn in await layer.explain.turns(agent)}
    assert turns == {f"talk-{n}": (text, "completed") for n, text in enumerate(messages)}


async def test_run_that_its_caller_leaves_is_abandoned(capability, layer, agent):
    scripted = Scripted(ToolCallPart("nothing", {}), TextPart("Done."))
    assistant = Agent(scripted.model, capabilities=[capability])
    assistant.tool_plain(lambda: "nothing", name="nothing")
    async with assistant.iter(ASK) as run:
        async for _ in run:
            if scripted.seen:
                break
    assert await statuses(layer, agent) == ["abandoned"]


@pytest.mark.parametrize(("message", "level"), [("Mhm, the green one then.", "high"), (ASK, "low")])
async def test_thinking_level_of_the_host_yields_only_to_a_category(capability, message, level):
    seen = []

    def answer(messages: list[ModelMessage], info: AgentInfo) -> ModelResponse:
        seen.append(info.model_request_parameters.thinking)
        return ModelResponse([TextPart("Well.")])

    model = FunctionModel(answer, profile={"supports_thinking": True})
    await Agent(model, model_settings={"thinking": "high"}, capabilities=[capability]).run(message)
    assert seen == [level]
