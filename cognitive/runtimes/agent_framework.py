"""Adapter for Microsoft Agent Framework: a context provider that adds memory to an agent.

    Agent(client, "Be brief.", context_providers=[CognitiveContextProvider(layer, "my-agent")])

The memory layer's session is the framework's own: pass the same `AgentSession` to each run of a conversation. Its user
is `user_id` of this session's `state`. Functions of the run's context get the `AgentSession`.
"""

from __future__ import annotations

import copy
from collections.abc import AsyncIterator, Awaitable, Callable, Mapping, Sequence
from typing import Any

from cognitive.extras import extra

with extra("agent-framework"):
    from agent_framework import (
        ChatContext,
        ChatMiddleware,
        Content,
        ContextProvider,
        FunctionInvocationContext,
        FunctionMiddleware,
        FunctionTool,
        ResponseStream,
    )
    from agent_framework import Message as NativeMessage


from cognitive.blocking import Blocking
from cognitive.layer import CognitiveLayer
from cognitive.runtimes.codec import NOT_TEXT, PartsCodec, WrappedMessage, split_tool_results, to_tool_call
from cognitive.runtimes.identity import AgentIdSource, UserIdSource, user_in
from cognitive.runtimes.tools import DENIED, RECALL_DESCRIPTION, RECALL_NAME, to_tool
from cognitive.runtimes.turn_end import ends_on_error
from cognitive.runtimes.turn_session import AgentBinding, TurnSession
from cognitive.tool import ToolSpec
from cognitive.turn import Message, Role

_ATTACHED = frozenset(("data", "hosted_file", "uri"))  # types of contents that users attach


class CognitiveContextProvider(ContextProvider):
    """A context provider that adds memories to an agent's runs, selects the agent's tools and shortens conversations.

    `recall_tool` adds the tool `recall_context`, with which the model searches its memory. `models` maps the model
    names that the plan of a turn may choose to names that the agent's client knows. The other parameters are those of
    `AgentBinding`. The level of thinking is set only if the agent's options already have one (`reasoning`,
    `reasoning_effort`), because models that do not reason refuse the option.

    If the model's service keeps the conversation, the memories are in the instructions and the conversation is not
    shortened. A run that is cancelled, or left while tools run, is recorded as abandoned only when the agent's next
    turn begins.
    """

    def __init__(
        self,
        layer: CognitiveLayer | Blocking,
        agent_id: AgentIdSource,
        *,
        user_id: UserIdSource = None,
        model: str | None = None,
        models: Mapping[str, str] | None = None,
        recall_tool: bool = True,
    ) -> None:
        super().__init__("cognitive")
        self._binding = AgentBinding(
            layer, agent_id, runtime="agent-framework", user_id=user_id, model=model, models=models
        )
        self._recall_tool = recall_tool

    async def before_run(self, *, agent: Any, session: Any, context: Any, state: dict[str, Any]) -> None:
        """Create the memory layer's turn for a run, and register the middleware for its model calls and tool calls."""
        turn = self._binding.turn(session.session_id, run_context=session, user_id=user_in(session.state))
        context.metadata[self.source_id] = turn
        context.extend_middleware(self.source_id, [_TurnChatMiddleware(turn), _TurnToolMiddleware(turn)])
        if self._recall_tool:
            recall = FunctionTool(name=RECALL_NAME, description=RECALL_DESCRIPTION, func=turn.recall)
            context.extend_tools(self.source_id, [recall])

    async def after_run(self, *, agent: Any, session: Any, context: Any, state: dict[str, Any]) -> None:
        """End the turn of a run, with the run's response as its answer."""
        turn: TurnSession = context.metadata[self.source_id]
        turn.end("completed", context.response.text if context.response is not None else "")


class _TurnChatMiddleware(ChatMiddleware):
    """Middleware that prepares each model call: it fits the messages to the model and selects the tools.

    The changes apply to that call only.
    """

    def __init__(self, turn: TurnSession) -> None:
        self._turn_session = turn

    async def process(self, context: ChatContext, call_next: Callable[[], Awaitable[None]]) -> None:
        turn, options = self._turn_session, dict(context.options or {})
        conversation = _CODEC.decode(context.messages)
        tools = (
            to_tool(each.name, each.description, each.parameters())
            for each in _tools(options)
            if isinstance(each, FunctionTool)
        )
        await turn.begin_from_conversation(
            conversation, tools, model=options.get("model"), thinking=_own_effort(options)
        )
        instructions = str(options.get("instructions") or "")
        if options.get("conversation_id"):  # the service stores the messages that it gets
            options["instructions"] = turn.system_with_memories(instructions)
        else:
            options["instructions"] = turn.system(instructions)
            context.messages = await turn.encode_messages(_CODEC, conversation)
        options["tools"] = turn.select_tools(_tools(options), _tool_name, _rewrite_tool)
        if turn.model is not None:
            options["model"] = turn.model
        context.options = _with_thinking(options, turn.thinking)
        with ends_on_error(turn):
            await call_next()
        if isinstance(context.result, ResponseStream):
            context.result = _end_on_break(turn, context.result)


class _TurnToolMiddleware(FunctionMiddleware):
    """Middleware that records each tool call and its result. Calls of tools that the turn removed are refused."""

    def __init__(self, turn: TurnSession) -> None:
        self._turn_session = turn

    async def process(self, context: FunctionInvocationContext, call_next: Callable[[], Awaitable[None]]) -> None:
        if self._turn_session.denies(context.function.name):
            context.result = DENIED
            return
        native = context.arguments
        arguments = native if isinstance(native, Mapping) else native.model_dump(mode="json")
        with self._turn_session.track_tool_call(context.function.name, arguments) as record:
            await call_next()
            record(_result_text(context.result))


def _end_on_break(turn: TurnSession, stream: ResponseStream[Any, Any]) -> ResponseStream[Any, Any]:
    """Wrap the stream of a model call, so that the turn ends as failed or abandoned if the stream is interrupted."""

    async def updates() -> AsyncIterator[Any]:
        try:
            with ends_on_error(turn):
                async for update in stream:
                    yield update
        finally:
            await stream.close()

    return ResponseStream(updates(), finalizer=lambda _: stream.get_final_response())


def _tools(options: Mapping[str, Any]) -> list[Any]:
    tools = options.get("tools") or []
    return list(tools) if isinstance(tools, Sequence) else [tools]


def _tool_name(tool: Any) -> str:
    return str(getattr(tool, "name", ""))


def _rewrite_tool(tool: Any, spec: ToolSpec) -> Any:
    """Return a declaration of a tool with the shortened description and parameters of `spec`.

    The declaration has no function: the framework finds the function by the tool's name.
    """
    return FunctionTool(name=tool.name, description=spec.description, input_model=spec.parameters)


def _own_effort(options: Mapping[str, Any]) -> str | None:
    reasoning = options.get("reasoning")
    effort = reasoning.get("effort") if isinstance(reasoning, Mapping) else options.get("reasoning_effort")
    return effort if isinstance(effort, str) else None


def _with_thinking(options: dict[str, Any], level: str | None) -> dict[str, Any]:
    if level is None:
        return options
    effort, reasoning = _EFFORT.get(level, level), options.get("reasoning")
    if isinstance(reasoning, Mapping):
        options["reasoning"] = {**reasoning, "effort": effort}
    if options.get("reasoning_effort") is not None:
        options["reasoning_effort"] = effort
    return options


# All reasoning models accept low, medium and high; some refuse the other levels.
_EFFORT: Mapping[str, str] = {"off": "low", "minimal": "low", "xhigh": "high"}

_ROLES: Mapping[str, Role] = {"user": "user", "assistant": "assistant", "tool": "tool"}


class AgentFrameworkCodec(PartsCodec[NativeMessage, Content]):
    """Converts the framework's messages, whose parts are called contents, to the memory layer's messages and back."""

    def split(self, message: NativeMessage) -> list[list[Content]]:
        """Divide a message's parts into groups: each tool result alone, other parts together.

        Each group becomes one message of the memory layer.
        """
        return split_tool_results(message.contents, lambda content: content.type == "function_result")

    def wrap(self, message: NativeMessage, parts: Sequence[Content]) -> WrappedMessage:
        """Convert a group of a message's parts to one message of the memory layer."""
        native = (message, parts)
        if parts and parts[0].type == "function_result":
            text, failed = _result_text(parts[0].result), parts[0].exception is not None
            return WrappedMessage.wrap(native, "tool", text, tool_call_id=parts[0].call_id, failed=failed)
        native_calls = [each for each in parts if each.type == "function_call"]
        calls = [to_tool_call(each.name or "", each.arguments, each.call_id) for each in native_calls]
        content = [each.text or each for each in parts if each.type in _ATTACHED or (each.type == "text" and each.text)]
        if not content and not calls:
            content = [NOT_TEXT]
        return WrappedMessage.wrap(native, _ROLES.get(str(message.role), "system"), content, tool_calls=calls)

    def join(self, message: NativeMessage, parts: list[Content]) -> NativeMessage:
        """Return the framework's message with `parts` as its parts, or `message` itself if they are unchanged.

        A changed message loses its `raw_representation`, from which a provider would send the old contents.
        """
        if parts == message.contents:
            return message
        changed = copy.copy(message)
        changed.contents, changed.raw_representation = parts, None
        return changed

    def create(self, message: Message) -> NativeMessage:
        """Convert a message that the memory layer added, such as a summary, to a message of the framework."""
        if message.role == "tool":
            result = Content.from_function_result(message.tool_call_id or "", result=message.content)
            return NativeMessage("tool", [result])
        return NativeMessage(message.role, [message.content])

    def text_part(self, text: str) -> Content:
        """Create a part with this text."""
        return Content.from_text(text)

    def is_text(self, part: Content) -> bool:
        """Return True if the part is a text."""
        return part.type == "text"

    def with_result(self, part: Content, text: str) -> Content:
        """Create a copy of a tool result part in which `text` replaces the result."""
        return Content.from_function_result(part.call_id or "", result=text)

    def with_arguments(self, part: Content, arguments: Mapping[str | None, dict[str, Any]]) -> Content:
        """Replace the arguments of a tool call part if `arguments` has its call id. Return other parts unchanged."""
        if part.type != "function_call" or part.call_id not in arguments:
            return part
        return Content.from_function_call(part.call_id or "", part.name or "", arguments=arguments[part.call_id])


def _result_text(result: Any) -> str:
    if isinstance(result, list):
        return "\n".join(each.text or NOT_TEXT if isinstance(each, Content) else str(each) for each in result)
    return "" if result is None else str(result)


_CODEC = AgentFrameworkCodec()
