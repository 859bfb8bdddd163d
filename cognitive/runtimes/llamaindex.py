"""LlamaIndex: an agent with memory around its runs.

agent = CognitiveWorkflowAgent(FunctionAgent(...), layer, "my-agent")
await agent.run("...", memory=Memory.from_defaults(session_id="s1"))
"""

from __future__ import annotations

import asyncio
from collections.abc import Awaitable, Callable, Generator, Mapping, Sequence
from typing import Any, cast

from llama_index.core.agent.workflow import AgentOutput, BaseWorkflowAgent, ToolCallResult
from llama_index.core.base.llms.types import ChatMessage, MessageRole, TextBlock, ToolCallBlock
from llama_index.core.llms import LLM
from llama_index.core.memory import BaseMemory, ChatMemoryBuffer
from llama_index.core.objects import ObjectRetriever
from llama_index.core.tools import AsyncBaseTool, FunctionTool
from pydantic import PrivateAttr
from workflows.errors import WorkflowCancelledByUser
from workflows.handler import WorkflowHandler

from brain.types import MemoryType
from cognitive.layer import CognitiveLayer
from cognitive.runtimes.codec import NOT_TEXT, WholeMessageCodec, WrappedMessage, to_tool_call
from cognitive.runtimes.prompt_history import find_user_message
from cognitive.runtimes.tools import RECALL_DESCRIPTION, RECALL_NAME, to_tool
from cognitive.runtimes.turn_session import AgentBinding, TurnSession
from cognitive.turn import Message


class CognitiveWorkflowAgent:
    """Memory, planned tools and a bounded conversation for every run of an agent of LlamaIndex' workflows.

    Each run is of a copy of the agent, with what the turn asks for. The plan's level reaches a model that has a field
    `reasoning_effort`. What the agent's tools gave within a run is beside the memory, where LlamaIndex keeps it until
    the run is over, and is not bounded; tools are taken away, not shortened. `recall_tool` offers the model
    `recall_context`; everything else is as in `AgentBinding`.
    """

    def __init__(
        self,
        agent: BaseWorkflowAgent,
        layer: CognitiveLayer,
        agent_id: str,
        *,
        user_id: str | None = None,
        model: str | None = None,
        models: Mapping[str, LLM] | None = None,
        recall_tool: bool = True,
    ) -> None:
        self.agent = agent
        self._binding = AgentBinding(layer, agent_id, runtime="llamaindex", user_id=user_id, model=model, models=models)
        self._recall_tool = recall_tool

    def run(
        self,
        user_msg: str | ChatMessage,
        *,
        memory: BaseMemory | None = None,
        session_id: str | None = None,
        **rest: Any,
    ) -> CognitiveRun:
        """As the agent's own `run`, which takes the rest. The session is the memory's own, unless it is named here."""
        memory = memory or ChatMemoryBuffer.from_defaults(llm=self.agent.llm)
        turn = self._binding.turn(session_id or _session_id(memory))
        own = self.agent.model_copy()
        shown = _RunView(self.agent, own, turn, self._recall_tool)
        own.tools, own.tool_retriever = None, shown.select_tools
        with turn.as_parent():
            handler = own.run(user_msg=user_msg, memory=shown.wrap(memory), **rest)
        return CognitiveRun(handler, turn)


class CognitiveRun(Awaitable[AgentOutput]):
    """A run in flight: whatever its handler can do. Its turn ends as it does, or as abandoned by `cancel_run`."""

    def __init__(self, handler: WorkflowHandler, turn: TurnSession) -> None:
        self._handler = handler
        self._end_task = asyncio.create_task(_end_with_run(handler, turn))

    def __await__(self) -> Generator[Any, Any, AgentOutput]:
        return self._result().__await__()

    def __getattr__(self, name: str) -> Any:
        return getattr(self._handler, name)

    async def cancel_run(self, **named: Any) -> None:
        """As the handler's own."""
        await self._handler.cancel_run(**named)
        await asyncio.wait({self._end_task})

    async def _result(self) -> AgentOutput:
        try:
            return cast(AgentOutput, await self._handler)
        finally:
            await asyncio.wait({self._end_task})  # the turn is over when the run is


async def _end_with_run(handler: WorkflowHandler, turn: TurnSession) -> None:
    """Ends a turn with its run. What the run raises is for whoever waits for it."""
    try:
        output: Any = await handler
        for each in output.tool_calls:
            if isinstance(each, ToolCallResult):
                given = each.tool_output
                turn.record_tool_call(
                    each.tool_name, each.tool_kwargs, given.content, ok=not given.is_error, id=each.tool_id
                )
        turn.end("completed", output.response.content or "")
    except WorkflowCancelledByUser:
        turn.end("abandoned")
    except Exception:
        turn.end("failed")
    finally:
        turn.end("abandoned")


class _RunView:
    """What one run is shown: through its memory, its tools and the fields of its copy of the agent."""

    def __init__(self, agent: BaseWorkflowAgent, own: BaseWorkflowAgent, turn: TurnSession, recall_tool: bool) -> None:
        self._agent = agent
        self._own = own
        self._turn_session = turn
        self.select_tools = _TurnToolRetriever(self.tools)
        self._recall = [_recall_tool(turn)] if recall_tool else []

    def wrap(self, memory: BaseMemory) -> BaseMemory:
        """The memory as the run sees it."""
        return _TurnMemory().wrap(memory, self.messages)

    async def tools(self, query: str) -> list[AsyncBaseTool]:
        """The tools that the turn keeps, of the agent's own and of those that its retriever finds."""
        given = await self._agent.get_tools(query)
        return [*self._turn_session.select_tools(given, lambda each: each.metadata.get_name()), *self._recall]

    async def messages(self, given: Sequence[ChatMessage]) -> list[ChatMessage]:
        """The conversation as the model sees it, behind the system messages of the memory's own."""
        first = next((n for n, each in enumerate(given) if each.role != MessageRole.SYSTEM), len(given))
        said = _CODEC.decode(given[first:])
        await self._begin(said)
        return [*given[:first], *await self._turn_session.encode_messages(_CODEC, said)]

    async def _begin(self, said: Sequence[WrappedMessage]) -> None:
        """Begins the turn when the conversation is known; LlamaIndex asks for it before anything else."""
        turn, agent, own, place = self._turn_session, self._agent, self._own, find_user_message(said)
        if turn.has_begun:
            return
        given = await agent.get_tools(said[place].content if place is not None else "")
        tools = (
            to_tool(each.metadata.get_name(), each.metadata.description, each.metadata.get_parameters_dict())
            for each in given
        )
        own_level = getattr(agent.llm, "reasoning_effort", None)
        await turn.begin_from_conversation(said, tools, model=agent.llm.metadata.model_name, thinking=own_level)
        own.system_prompt = turn.system(agent.system_prompt or "") or agent.system_prompt
        own.llm = _with_thinking(turn.model or agent.llm, turn.thinking)


class _TurnToolRetriever(ObjectRetriever):  # type: ignore[type-arg]
    """The tools of a run, by the agent's own seam for tools that depend on the message."""

    def __init__(self, tools: Callable[[str], Awaitable[list[AsyncBaseTool]]]) -> None:
        self._tools = tools

    async def aretrieve(self, str_or_query_bundle: Any) -> list[Any]:
        return await self._tools(str(str_or_query_bundle))


class _TurnMemory(BaseMemory):
    """A memory whose messages are shown as the turn shows them; what is put into it goes where it always went."""

    _inner: BaseMemory = PrivateAttr()
    _show_messages: Callable[[Sequence[ChatMessage]], Awaitable[list[ChatMessage]]] = PrivateAttr()

    def wrap(
        self, inner: BaseMemory, shown: Callable[[Sequence[ChatMessage]], Awaitable[list[ChatMessage]]]
    ) -> _TurnMemory:
        self._inner, self._show_messages = inner, shown
        return self

    @classmethod
    def from_defaults(cls, **kwargs: Any) -> _TurnMemory:
        return cls().wrap(**kwargs)

    async def aget(self, input: str | None = None, **kwargs: Any) -> list[ChatMessage]:
        return await self._show_messages(await self._inner.aget(input=input, **kwargs))

    def get(self, input: str | None = None, **kwargs: Any) -> list[ChatMessage]:
        return self._inner.get(input=input, **kwargs)

    def get_all(self) -> list[ChatMessage]:
        return self._inner.get_all()

    async def aget_all(self) -> list[ChatMessage]:
        return await self._inner.aget_all()

    def put(self, message: ChatMessage) -> None:
        self._inner.put(message)

    async def aput(self, message: ChatMessage) -> None:
        await self._inner.aput(message)

    async def aput_messages(self, messages: list[ChatMessage]) -> None:
        await self._inner.aput_messages(messages)

    def set(self, messages: list[ChatMessage]) -> None:
        self._inner.set(messages)

    async def aset(self, messages: list[ChatMessage]) -> None:
        await self._inner.aset(messages)

    def reset(self) -> None:
        self._inner.reset()

    async def areset(self) -> None:
        await self._inner.areset()


def _recall_tool(turn: TurnSession) -> AsyncBaseTool:
    async def recall_context(query: str, memory_type: MemoryType | None = None, limit: int = 5) -> str:
        return await turn.recall(query, memory_type, limit)

    return FunctionTool.from_defaults(async_fn=recall_context, name=RECALL_NAME, description=RECALL_DESCRIPTION)


_EFFORT = {"off": "none"}  # the other levels have the names that LlamaIndex gives them


def _with_thinking(llm: LLM, level: str | None) -> LLM:
    """The model at a level, a copy; the model itself where it has no such setting."""
    if level is None or "reasoning_effort" not in type(llm).model_fields:
        return llm
    return llm.model_copy(update={"reasoning_effort": _EFFORT.get(level, level)})


def _session_id(memory: BaseMemory) -> str:
    named = getattr(memory, "session_id", None) or getattr(memory, "chat_store_key", None)
    return str(named or "default")


class LlamaIndexCodec(WholeMessageCodec[ChatMessage]):
    """Messages of LlamaIndex."""

    def wrap(self, message: ChatMessage) -> WrappedMessage:
        """Return a message as the layer reads it."""
        said = [each for each in message.blocks if not isinstance(each, ToolCallBlock)]
        return WrappedMessage.wrap(
            message,
            _ROLES.get(message.role, "user"),
            "\n".join(each.text if isinstance(each, TextBlock) else NOT_TEXT for each in said),
            tool_calls=[
                to_tool_call(each.tool_name, each.tool_kwargs, each.tool_call_id) for each in _tool_calls(message)
            ],
            tool_call_id=message.additional_kwargs.get("tool_call_id"),
        )

    def replace(self, native: ChatMessage, message: WrappedMessage) -> ChatMessage:
        """Return the message with what it says now."""
        if message.appended is not None and not message.shortened_calls:
            return native.model_copy(update={"blocks": [*native.blocks, TextBlock(text=message.appended)]})
        shown = message.shortened_arguments
        called = [
            each.model_copy(update={"tool_kwargs": shown.get(each.tool_call_id, each.tool_kwargs)})
            for each in _tool_calls(native)
        ]
        said = [TextBlock(text=message.content)] if message.content else []
        return native.model_copy(update={"blocks": [*said, *called]})

    def create(self, message: Message) -> ChatMessage:
        """Return a message of the window's own."""
        named = {"tool_call_id": message.tool_call_id} if message.tool_call_id else {}
        return ChatMessage(role=message.role, content=message.content, additional_kwargs=named)


_ROLES: Mapping[MessageRole, Any] = {
    MessageRole.SYSTEM: "system",
    MessageRole.DEVELOPER: "system",
    MessageRole.ASSISTANT: "assistant",
    MessageRole.MODEL: "assistant",
    MessageRole.CHATBOT: "assistant",
    MessageRole.TOOL: "tool",
    MessageRole.FUNCTION: "tool",
}


def _tool_calls(message: ChatMessage) -> list[ToolCallBlock]:
    return [each for each in message.blocks if isinstance(each, ToolCallBlock)]


_CODEC = LlamaIndexCodec()
