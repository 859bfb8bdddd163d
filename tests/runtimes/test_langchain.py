"""Features of LangChain alone: interrupts, agents in graphs, content blocks and structured responses."""

from __future__ import annotations

import asyncio
from dataclasses import dataclass
from typing import Any

import pytest

pytest.importorskip("langchain")

from langchain.agents import create_agent
from langchain.agents.middleware import HumanInTheLoopMiddleware
from langchain_core.language_models.fake_chat_models import FakeMessagesListChatModel
from langchain_core.messages import AIMessage, HumanMessage
from langchain_core.tools import tool
from langgraph.checkpoint.memory import InMemorySaver
from langgraph.graph import MessagesState, StateGraph
from langgraph.types import Command, interrupt
from pydantic import BaseModel, Field

from cognitive import CognitiveLayer, NewMemory, Policy
from cognitive.runtimes.langchain import CognitiveMiddleware

KEY = "The spare key of the boat house hangs behind the brass barometer in the pantry of the captain."
ASK = "Do you remember where the spare key of the boat house hangs?"
PICTURE = {"type": "image", "base64": "iVBORw0KGgo=", "mime_type": "image/png"}


class Model(FakeMessagesListChatModel):
    """LangChain's own fake model. It accepts tools and records its requests."""

    seen: list[Any] = Field(default_factory=list)
    down: bool = False

    def bind_tools(self, tools: Any, **settings: Any) -> Any:
        return self

    def _generate(self, messages: Any, *args: Any, **settings: Any) -> Any:
        self.seen.append(messages)
        if self.down:
            raise ConnectionError
        return super()._generate(messages, *args, **settings)


def model(*responses: AIMessage) -> Model:
    return Model(responses=list(responses))


def calls(name: str, **arguments: Any) -> AIMessage:
    return AIMessage("", tool_calls=[{"name": name, "args": arguments, "id": "call-1"}])


def unlock(door: str) -> str:
    """Unlocks a door."""
    return f"{door} unlocked"


@pytest.fixture
async def middleware(layer, agent) -> CognitiveMiddleware:
    await layer.remember(agent, [NewMemory(type="fact", content=KEY)])
    return CognitiveMiddleware(layer, agent)


async def statuses(layer: CognitiveLayer, agent: str) -> list[str]:
    await layer.flush()
    return [turn.status for turn in reversed(await layer.explain.turns(agent))]


async def test_block_follows_the_text_and_image_of_a_message(middleware):
    scripted = model(AIMessage("Behind the barometer."))
    message = HumanMessage([{"type": "text", "text": ASK}, PICTURE])
    result = await create_agent(scripted, middleware=[middleware]).ainvoke({"messages": [message]})
    [words, picture, block] = scripted.seen[0][-1].content
    assert (words, picture) == tuple(message.content)
    assert KEY in block["text"]
    assert result["messages"][0].content == message.content


@pytest.mark.parametrize("attached", [[PICTURE], []])
async def test_tool_for_images_is_offered_with_an_image(middleware, attached):
    class Bound(Model):
        tools: list[str] = Field(default_factory=list)

        def bind_tools(self, tools: Any, **settings: Any) -> Any:
            self.tools = [each.name for each in tools]
            return self

    def view_image(path: str) -> str:
        """Shows an image."""
        return path

    scripted = Bound(responses=[AIMessage("The seal is worn.")])
    assistant = create_agent(scripted, tools=[unlock, view_image], middleware=[middleware])
    await assistant.ainvoke({"messages": [HumanMessage([{"type": "text", "text": "What is wrong here?"}, *attached])]})
    assert "unlock" in scripted.tools
    assert ("view_image" in scripted.tools) == bool(attached)


async def test_only_the_words_beside_a_picture_are_captured(urls, embedder, agent):
    policy = Policy(capture="user", placement="journaled", abstention=False, deadline_ms=20_000)
    async with CognitiveLayer.open(urls.app, policy=policy, embedder=embedder) as layer:
        await layer.remember(agent, [NewMemory(type="fact", content=KEY)])
        scripted = model(AIMessage("Yes."), AIMessage("Yes."))
        assistant = create_agent(scripted, middleware=[CognitiveMiddleware(layer, agent)], checkpointer=InMemorySaver())
        for content in ([{"type": "text", "text": ASK}, PICTURE], [PICTURE]):
            await assistant.ainvoke({"messages": [HumanMessage(content)]}, {"configurable": {"thread_id": "t"}})
        await layer.flush()
        memories = await layer.admin.find(agent, {"type": {"eq": "episode"}})
    assert [memory.content for memory in memories] == [ASK]
    first, second = scripted.seen
    assert KEY in first[-1].text
    assert second[: len(first)] == first
    assert second[-1].content == [PICTURE]


async def test_run_repeated_from_its_checkpoint_after_an_error_is_a_new_turn(middleware, layer, agent):
    failing = model(AIMessage(KEY))
    failing.down = True
    assistant = create_agent(failing, middleware=[middleware], checkpointer=InMemorySaver())
    config: Any = {"configurable": {"thread_id": "t"}}
    with pytest.raises(ConnectionError):
        await assistant.ainvoke({"messages": [("user", ASK)]}, config)
    failing.down = False
    await assistant.ainvoke(None, config)
    assert KEY in failing.seen[-1][-1].text
    assert await statuses(layer, agent) == ["failed", "completed"]


async def test_block_without_text_does_not_stop_the_run(middleware):
    scripted = model(AIMessage("Yes?"))
    await create_agent(scripted, middleware=[middleware]).ainvoke(
        {"messages": [HumanMessage([{"type": "text"}, PICTURE])]}
    )
    assert scripted.seen[0][-1].content == [{"type": "text"}, PICTURE]


async def test_interrupted_and_resumed_run_is_one_turn(middleware, layer, agent):
    approving = HumanInTheLoopMiddleware(interrupt_on={"unlock": True})
    assistant = create_agent(
        model(calls("unlock", door="boat house"), AIMessage(KEY)),
        [unlock],
        middleware=[middleware, approving],
        checkpointer=InMemorySaver(),
    )
    config: Any = {"configurable": {"thread_id": "t"}}
    waiting = await assistant.ainvoke({"messages": [("user", ASK)]}, config)
    assert waiting["__interrupt__"]
    assert await statuses(layer, agent) == ["open"]
    done = await assistant.ainvoke(Command(resume={"decisions": [{"type": "approve"}]}), config)
    assert done["messages"][-1].text == KEY
    assert await statuses(layer, agent) == ["completed"]
    assert [plan.tools for plan in await layer.explain.past_plans(agent)] == [(("unlock", 1),)]


async def test_tool_that_interrupts_is_recorded_as_one_call(middleware, layer, agent):
    def confirm(door: str) -> str:
        """Asks the captain."""
        return f"{door}: {interrupt('sure?')}"

    scripted = model(calls("confirm", door="boat house"), AIMessage(KEY))
    assistant = create_agent(scripted, [confirm], middleware=[middleware], checkpointer=InMemorySaver())
    config: Any = {"configurable": {"thread_id": "t"}}
    await assistant.ainvoke({"messages": [("user", ASK)]}, config)
    await assistant.ainvoke(Command(resume="yes"), config)
    assert scripted.seen[1][-1].text == "boat house: yes"
    assert await statuses(layer, agent) == ["completed"]
    [plan] = await layer.explain.past_plans(agent)
    assert plan.tools == (("confirm", 1),)


async def test_next_turn_of_a_thread_abandons_an_unfinished_stream(middleware, layer, agent):
    scripted = model(calls("unlock", door="boat house"), AIMessage("Done."))
    assistant = create_agent(scripted, [unlock], middleware=[middleware], checkpointer=InMemorySaver())
    config: Any = {"configurable": {"thread_id": "t"}}
    steps = assistant.astream({"messages": [("user", ASK)]}, config, stream_mode="updates")
    async for step in steps:
        if "model" in step:
            break
    await steps.aclose()
    await assistant.ainvoke({"messages": [("user", "Thanks!")]}, config)
    assert await statuses(layer, agent) == ["abandoned", "completed"]


async def test_exception_in_a_tool_fails_the_turn(middleware, layer, agent):
    def broken(door: str) -> str:
        """Breaks."""
        raise OSError("the lock is rusty")

    assistant = create_agent(model(calls("broken", door="x"), AIMessage("Done.")), [broken], middleware=[middleware])
    with pytest.raises(OSError, match="rusty"):
        await assistant.ainvoke({"messages": [("user", ASK)]})
    assert await statuses(layer, agent) == ["failed"]


async def test_agent_in_a_graph_uses_the_thread_of_the_graph(middleware, layer, agent):
    scripted = model(AIMessage("Behind the barometer."))
    graph = StateGraph(MessagesState).add_node("agent", create_agent(scripted, middleware=[middleware]))
    graph = graph.set_entry_point("agent").set_finish_point("agent")
    config: Any = {"configurable": {"thread_id": "harbour", "user_id": "ada"}}
    result = await graph.compile(checkpointer=InMemorySaver()).ainvoke({"messages": [("user", ASK)]}, config)
    assert KEY in scripted.seen[0][-1].text
    assert KEY not in str(result)
    await layer.flush()
    [turn] = await layer.explain.turns(agent, user_id="ada")
    assert (turn.session_id, turn.status) == ("harbour", "completed")


class Place(BaseModel):
    place: str


async def test_use_is_judged_by_the_structured_response(middleware, layer, agent):
    answer = calls("Place", place="behind the brass barometer in the pantry of the captain")
    assistant = create_agent(model(answer), middleware=[middleware], response_format=Place)
    result = await assistant.ainvoke({"messages": [("user", ASK)]})
    assert result["structured_response"].place.startswith("behind")
    await layer.flush()
    [turn] = await layer.explain.turns(agent)
    [shown] = await layer.explain.candidates(agent, turn.turn_id)
    assert (turn.status, shown.used) == ("completed", True)


async def test_result_that_a_tool_returns_directly_is_the_response(middleware, layer, agent):
    @tool(return_direct=True)
    def look(place: str) -> str:
        """Looks at a place."""
        return f"The rudder of the sloop is in the {place}."

    scripted = model(calls("look", place="sail loft"))
    await create_agent(scripted, [look], middleware=[middleware]).ainvoke({"messages": [("user", ASK)]})
    await layer.flush()
    resumed = await layer.resume(agent, "default")
    assert resumed is not None
    assert resumed.messages[-1].content == "The rudder of the sloop is in the sail loft."
    assert resumed.messages[-1].role == "assistant"


async def test_one_agent_serves_concurrent_threads(middleware, layer, agent):
    class Echo(Model):
        def _generate(self, messages: Any, *args: Any, **settings: Any) -> Any:
            self.responses = [AIMessage(messages[-1].text.split("\n")[0])]
            return super()._generate(messages, *args, **settings)

    assistant = create_agent(Echo(responses=[]), middleware=[middleware], checkpointer=InMemorySaver())
    messages = [f"Do you remember boat house {n}?" for n in range(8)]
    runs = (
        assistant.ainvoke({"messages": [("user", text)]}, {"configurable": {"thread_id": f"talk-{n}"}})
        for n, text in enumerate(messages)
    )
    assert [result["messages"][-1].text for result in await asyncio.gather(*runs)] == messages
    await layer.flush()
    turns = {turn.session_id: (turn.message, turn.status) for turn in await layer.explain.turns(agent)}
    assert turns == {f"talk-{n}": (text, "completed") for n, text in enumerate(messages)}


async def test_interrupted_run_is_continued_by_its_user_only(layer, agent):
    def confirm(door: str) -> str:
        """Asks the captain."""
        return f"{door}: {interrupt('sure?')}"

    places = {"ada": "barometer", "bob": "accordion"}
    own = [NewMemory(type="fact", content=KEY.replace("barometer", at), user_id=user) for user, at in places.items()]
    await layer.remember(agent, own)
    scripted = model(calls("confirm", door="boat house"), AIMessage("Behind it."))
    middleware = CognitiveMiddleware(layer, agent)
    assistant = create_agent(scripted, [confirm], middleware=[middleware], checkpointer=InMemorySaver())
    await assistant.ainvoke({"messages": [("user", ASK)]}, {"configurable": {"thread_id": "t", "user_id": "ada"}})
    await assistant.ainvoke(Command(resume="yes"), {"configurable": {"thread_id": "t", "user_id": "bob"}})
    seen = [str(messages) for messages in scripted.seen]
    assert ["barometer" in each for each in seen] == [True, False]
    assert ["accordion" in each for each in seen] == [False, True]
    await layer.flush()
    assert [turn.status for turn in await layer.explain.turns(agent, user_id="ada")] == ["open"]


@dataclass
class Visitor:
    user_id: int


async def test_user_of_the_runs_context_is_used(layer, agent):
    await layer.remember(agent, [NewMemory(type="fact", content=KEY, user_id="7")])
    scripted = model(AIMessage("Behind the barometer."))
    assistant = create_agent(scripted, middleware=[CognitiveMiddleware(layer, agent)], context_schema=Visitor)
    await assistant.ainvoke({"messages": [("user", ASK)]}, context=Visitor(user_id=7))
    assert KEY in scripted.seen[0][-1].text
