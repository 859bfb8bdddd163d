"""Adapter for LlamaIndex: a wrapper of an agent that makes each run a turn with memory.

    agent = CognitiveWorkflowAgent(FunctionAgent(...), layer, "my-agent")
    await agent.run("...", memory=Memory.from_defaults(session_id="s1"))

The `session_id` of LlamaIndex's memory also names the session in the memory layer. `run(…, user_id="ada")` names the
user. Functions of the run's context get the other options of `run`, among them the `ctx`.
"""

from __future__ import annotations

import asyncio
from collections.abc import Awaitable, Callable, Generator, Mapping, Sequence
from typing import Any, cast

from cognitive.extras import extra

with extra("llamaindex"):
    from llama_index.core.agent.workflow import AgentOutput, BaseWorkflowAgent, ToolCallResult
    from llama_index.core.base.llms.types import ChatMessage, MessageRole, TextBlock, ThinkingBlock, ToolCallBlock
    from llama_index.core.llms import LLM
    from llama_index.core.memory import BaseMemory, ChatMemoryBuffer
    from llama_index.core.objects import ObjectRetriever
    from llama_index.core.tools import AsyncBaseTool, FunctionTool
    from workflows.errors import WorkflowCancelledByUser
    from workflows.handler import WorkflowHandler

from pydantic import PrivateAttr

from brain.types import MemoryType
from cognitive.blocking import Blocking
from cognitive.layer import CognitiveLayer
from cognitive.runtimes.codec import WholeMessageCodec, WrappedMessage, replace_text, to_tool_call
from cognitive.runtimes.identity import AgentIdSource, UserIdSource
from cognitive.runtimes.prompt_history import find_user_message
from cognitive.runtimes.tools import RECALL_DESCRIPTION, RECALL_NAME, to_tool
from cognitive.runtimes.turn_session import AgentBinding, TurnSession
from cognitive.turn import Message


class CognitiveWorkflowAgent:
    """A wrapper that adds memories to a workflow agent's runs, selects their tools and shortens long conversations.

    Each run uses a copy of the agent with the turn's tools, system prompt and model. The level of thinking is set for
    models that have a field `reasoning_effort`. Tool results within a run are not shortened, because LlamaIndex keeps
    them outside its memory until the run ends. A turn may remove tools, but their descriptions are not shortened.
    `recall_tool` adds the tool `recall_context`, with which the model searches its memory. The other parameters are
    those of `AgentBinding`.
    """

    def __init__(
        self,
        agent: BaseWorkflowAgent,
        layer: CognitiveLayer | Blocking,
        agent_id: AgentIdSource,
        *,
        user_id: UserIdSource = None,
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
        user_id: str | None = None,
        **options: Any,
    ) -> CognitiveRun:
        """Run the agent within a turn of the memory layer. `options` are passed to the agent's own `run`.

        The turn's session is `session_id`, or else that of `memory`. Its user is `user_id`.
        """
        memory = memory or ChatMemoryBuffer.from_defaults(llm=self.agent.llm)
        turn = self._binding.turn(session_id or _session_id(memory), run_context=options, user_id=user_id)
        copy = self.agent.model_copy()
        view = _RunView(self.agent, copy, turn, self._recall_tool)
        copy.tools, copy.tool_retriever = None, view.select_tools
        with turn.as_parent():
            handler = copy.run(user_msg=user_msg, memory=view.wrap(memory), **options)
        return CognitiveRun(handler, turn)


class CognitiveRun(Awaitable[AgentOutput]):
    """A run of an agent in progress, whose turn ends together with it.

    All members of LlamaIndex's own handler of the run are also members of this object. After `cancel_run`, the turn
    ends as abandoned.
    """

    def __init__(self, handler: WorkflowHandler, turn: TurnSession) -> None:
        self._handler = handler
        self._end_task = asyncio.create_task(_end_with_run(handler, turn))

    def __await__(self) -> Generator[Any, Any, AgentOutput]:
        return self._result().__await__()

    def __getattr__(self, name: str) -> Any:
        return getattr(self._handler, name)

    async def cancel_run(self, **named: Any) -> None:
        """Cancel the run, and wait until its turn has ended."""
        await self._handler.cancel_run(**named)
        await asyncio.wait({self._end_task})

    async def _result(self) -> AgentOutput:
        try:
            return cast(AgentOutput, await self._handler)
        finally:
            await asyncio.wait({self._end_task})  # so that the turn has ended when the run returns


async def _end_with_run(handler: WorkflowHandler, turn: TurnSession) -> None:
    """Wait for a run, record its tool calls and end its turn. Errors of the run are not raised here."""
    try:
        output: Any = await handler
        for each in output.tool_calls:
            if isinstance(each, ToolCallResult):
                result = each.tool_output
                turn.record_tool_call(
                    each.tool_name, each.tool_kwargs, result.content, ok=not result.is_error, id=each.tool_id
                )
        turn.end("completed", output.response.content or "")
    except WorkflowCancelledByUser:
        turn.end("abandoned")
    except Exception:
        turn.end("failed")
    finally:
        turn.end("abandoned")


class _RunView:
    """Connects one run of an agent to its turn, which determines the messages, tools, system prompt and model."""

    def __init__(self, agent: BaseWorkflowAgent, copy: BaseWorkflowAgent, turn: TurnSession, recall_tool: bool) -> None:
        self._agent = agent
        self._copy = copy
        self._turn_session = turn
        self.select_tools = _TurnToolRetriever(self.tools)
        self._recall = [_recall_tool(turn)] if recall_tool else []

    def wrap(self, memory: BaseMemory) -> BaseMemory:
        """Return a memory of LlamaIndex that returns the turn's messages instead of those stored in `memory`."""
        return _TurnMemory().wrap(memory, self.messages)

    async def tools(self, query: str) -> list[AsyncBaseTool]:
        """Return the agent's tools that the turn selects, and the recall tool."""
        tools = await self._agent.get_tools(query)
        return [*self._turn_session.select_tools(tools, lambda each: each.metadata.get_name()), *self._recall]

    async def messages(self, messages: Sequence[ChatMessage]) -> list[ChatMessage]:
        """Prepare a model call: begin the turn if needed, and return the messages with memories, shortened to fit.

        The system messages at the beginning stay unchanged.
        """
        end = next((n for n, each in enumerate(messages) if each.role != MessageRole.SYSTEM), len(messages))
        conversation = _CODEC.decode(messages[end:])
        await self._begin(conversation)
        return [*messages[:end], *await self._turn_session.encode_messages(_CODEC, conversation)]

    async def _begin(self, conversation: Sequence[WrappedMessage]) -> None:
        """Begin the turn when LlamaIndex reads the memory for the first time, which it does at the start of a run."""
        turn, agent, copy, index = self._turn_session, self._agent, self._copy, find_user_message(conversation)
        if turn.has_begun:
            return
        available = await agent.get_tools(conversation[index].content if index is not None else "")
        tools = (
            to_tool(each.metadata.get_name(), each.metadata.description, each.metadata.get_parameters_dict())
            for each in available
        )
        level = getattr(agent.llm, "reasoning_effort", None)
        await turn.begin_from_conversation(conversation, tools, model=agent.llm.metadata.model_name, thinking=level)
        copy.system_prompt = turn.system(agent.system_prompt or "") or agent.system_prompt
        copy.llm = _with_thinking(turn.model or agent.llm, turn.thinking)


class _TurnToolRetriever(ObjectRetriever):  # type: ignore[type-arg]
    """A retriever that returns the tools of a run's turn. LlamaIndex asks it for the tools that suit a message."""

    def __init__(self, tools: Callable[[str], Awaitable[list[AsyncBaseTool]]]) -> None:
        self._tools = tools

    async def aretrieve(self, str_or_query_bundle: Any) -> list[Any]:
        return await self._tools(str(str_or_query_bundle))


class _TurnMemory(BaseMemory):
    """A memory of LlamaIndex that returns the turn's messages, and passes writes to the host's memory."""

    _inner: BaseMemory = PrivateAttr()
    _show_messages: Callable[[Sequence[ChatMessage]], Awaitable[list[ChatMessage]]] = PrivateAttr()

    def wrap(
        self, inner: BaseMemory, show: Callable[[Sequence[ChatMessage]], Awaitable[list[ChatMessage]]]
    ) -> _TurnMemory:
        self._inner, self._show_messages = inner, show
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


_EFFORT = {"off": "none"}  # the other levels have the same names in LlamaIndex


def _with_thinking(llm: LLM, level: str | None) -> LLM:
    """Return a copy of the model with a level of thinking, or the model itself if it has no such setting."""
    if level is None or "reasoning_effort" not in type(llm).model_fields:
        return llm
    return llm.model_copy(update={"reasoning_effort": _EFFORT.get(level, level)})


def _session_id(memory: BaseMemory) -> str:
    session_id = getattr(memory, "session_id", None) or getattr(memory, "chat_store_key", None)
    return str(session_id or "default")


class LlamaIndexCodec(WholeMessageCodec[ChatMessage]):
    """Converts LlamaIndex's messages to the memory layer's messages and back."""

    def wrap(self, message: ChatMessage) -> WrappedMessage:
        """Convert a LlamaIndex message to a message of the memory layer."""
        blocks = [each for each in message.blocks if not isinstance(each, ToolCallBlock | ThinkingBlock)]
        return WrappedMessage.wrap(
            message,
            _ROLES.get(message.role, "user"),
            [each.text if isinstance(each, TextBlock) else each for each in blocks],
            tool_calls=[
                to_tool_call(each.tool_name, each.tool_kwargs, each.tool_call_id) for each in _tool_calls(message)
            ],
            tool_call_id=message.additional_kwargs.get("tool_call_id"),
        )

    def replace(self, native: ChatMessage, message: WrappedMessage) -> ChatMessage:
        """Return a copy of the LlamaIndex message `native`, with the changed text and tool arguments of `message`."""
        if message.appended is not None and not message.shortened_calls:
            return native.model_copy(update={"blocks": [*native.blocks, TextBlock(text=message.appended)]})
        shortened = message.shortened_arguments
        blocks: list[Any] = [
            each.model_copy(update={"tool_kwargs": shortened.get(each.tool_call_id, each.tool_kwargs)})
            if isinstance(each, ToolCallBlock)
            else each
            for each in native.blocks
        ]
        if not message.has_own_text:
            text = [TextBlock(text=message.written)] if message.written else []
            blocks = replace_text(blocks, lambda each: isinstance(each, TextBlock), text)
        return native.model_copy(update={"blocks": blocks})

    def create(self, message: Message) -> ChatMessage:
        """Convert a message that the memory layer added, such as a summary, to a LlamaIndex message."""
        id_field = {"tool_call_id": message.tool_call_id} if message.tool_call_id else {}
        return ChatMessage(role=message.role, content=message.content, additional_kwargs=id_field)


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
