"""Adapter for Pydantic AI: a capability of an agent.

    Agent(model, capabilities=[CognitiveCapability(layer, "my-agent")])

The session is the run's `conversation_id`: pass one to `agent.run`, or a `message_history` that contains it.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from copy import copy
from dataclasses import replace
from typing import Any

from pydantic_ai import RunContext
from pydantic_ai.capabilities import AbstractCapability
from pydantic_ai.exceptions import ApprovalRequired, CallDeferred
from pydantic_ai.messages import (
    InstructionPart,
    ModelMessage,
    ModelRequest,
    ModelResponse,
    SystemPromptPart,
    TextPart,
    ToolCallPart,
    ToolReturnPart,
    UserPromptPart,
)
from pydantic_ai.models import ModelRequestContext
from pydantic_ai.tools import DeferredToolRequests, ToolDefinition
from pydantic_ai.toolsets import AbstractToolset, FunctionToolset
from pydantic_core import to_json

from brain.types import MemoryType
from cognitive.layer import CognitiveLayer
from cognitive.runtimes.codec import NOT_TEXT, PartsCodec, WrappedMessage, output_text, to_tool_call
from cognitive.runtimes.tools import RECALL_DESCRIPTION, RECALL_NAME, to_tool
from cognitive.runtimes.turn_session import AgentBinding, TurnSession, ends_turn
from cognitive.turn import Message, ToolSpec


class CognitiveCapability(AbstractCapability[Any]):
    """A capability that adds memory, tool selection and a bounded conversation to an agent's runs.

    `session_id` is for hosts whose runs have no `conversation_id`. `recall_tool` adds the tool `recall_context`. The
    other parameters are those of `AgentBinding`.
    """

    def __init__(
        self,
        layer: CognitiveLayer,
        agent_id: str,
        *,
        session_id: str | None = None,
        user_id: str | None = None,
        model: str | None = None,
        models: Mapping[str, Any] | None = None,
        recall_tool: bool = True,
    ) -> None:
        self.id = "cognitive"
        self._binding = AgentBinding(
            layer, agent_id, runtime="pydantic-ai", user_id=user_id, model=model, models=models
        )
        self._session_id = session_id
        self._recall_tool = recall_tool
        self._turn_session: TurnSession | None = None

    async def for_run(self, ctx: RunContext[Any]) -> AbstractCapability[Any]:
        """Return a copy for one run, so that concurrent runs do not share a turn."""
        own = copy(self)
        own._turn_session = None
        return own

    def get_toolset(self) -> AbstractToolset[Any] | None:
        """Return the recall tool."""
        if not self._recall_tool:
            return None

        async def recall_context(query: str, memory_type: MemoryType | None = None, limit: int = 5) -> str:
            return await self._turn.recall(query, memory_type, limit)

        toolset: FunctionToolset[Any] = FunctionToolset()
        toolset.add_function(recall_context, name=RECALL_NAME, description=RECALL_DESCRIPTION)
        return toolset

    async def wrap_run(self, ctx: RunContext[Any], *, handler: Any) -> Any:
        """Run the agent within a turn, which ends with the run."""
        self._turn_session = self._binding.turn(self._session_id or ctx.conversation_id or "default")
        with ends_turn(self._turn_session):
            result = await handler()
            if not isinstance(result.output, DeferredToolRequests):  # a later run brings the results and ends the turn
                self._turn_session.end("completed", output_text(result.output))
        return result

    async def prepare_tools(self, ctx: RunContext[Any], tool_defs: list[ToolDefinition]) -> list[ToolDefinition]:
        """Return the tools that the turn keeps. The others cannot be called."""
        await self._begin(ctx, tool_defs)
        return self._turn.select_tools(tool_defs, lambda each: each.name, _rewrite_tool)

    async def before_model_request(
        self, ctx: RunContext[Any], request_context: ModelRequestContext
    ) -> ModelRequestContext:
        """Set the model and the level of thinking that the plan asks for.

        Pydantic AI records a change of thinking in the history if it is made here instead of in
        `prepare_model_request`, and then preserves providers' prompt caches where it can.
        """
        await self._begin(ctx, ())
        turn, settings = self._turn, request_context.model_settings
        own = (settings or {}).get("thinking")  # not yet known when the turn began
        if turn.thinking is not None and (own is None or own is True or turn.has_categories):
            settings = {**(settings or {}), "thinking": _THINKING.get(turn.thinking, turn.thinking)}
        return replace(request_context, model=turn.model or request_context.model, model_settings=settings)

    async def prepare_model_request(
        self, ctx: RunContext[Any], request_context: ModelRequestContext
    ) -> ModelRequestContext:
        """Prepare a model call: fit the messages, for this call only. Nothing enters the history."""
        turn, parameters = self._turn, request_context.model_request_parameters
        if prefix := turn.system():
            part = InstructionPart(prefix, dynamic=True)
            parameters = replace(parameters, instruction_parts=[*(parameters.instruction_parts or []), part])
        return replace(
            request_context,
            messages=await turn.encode_messages(_CODEC, _CODEC.decode(request_context.messages)),
            model_request_parameters=parameters,
        )

    async def wrap_tool_execute(
        self, ctx: RunContext[Any], *, call: ToolCallPart, tool_def: ToolDefinition, args: Any, handler: Any
    ) -> Any:
        """Record a tool call and its result."""
        tracked = self._turn.track_tool_call(
            call.tool_name, args, call.tool_call_id, interrupts=(ApprovalRequired, CallDeferred)
        )
        with tracked as record:
            result = await handler(args)
            record(result)
        return result

    @property
    def _turn(self) -> TurnSession:
        assert self._turn_session is not None  # `wrap_run` sets it before anything else runs
        return self._turn_session

    async def _begin(self, ctx: RunContext[Any], tools: Sequence[ToolDefinition]) -> None:
        """Begin the turn with the first model call, which has the prompt, history and tools."""
        if self._turn.has_begun:
            return
        await self._turn.begin_from_conversation(
            _CODEC.decode(ctx.messages),
            (to_tool(each.name, each.description, each.parameters_json_schema) for each in tools),
            model=ctx.model.model_name if ctx.model is not None else None,
        )


_THINKING: Mapping[str, Any] = {"off": False}  # the other levels have the same names in Pydantic AI


def _rewrite_tool(tool: ToolDefinition, spec: ToolSpec) -> ToolDefinition:
    return replace(tool, description=spec.description, parameters_json_schema=spec.parameters)


_MESSAGE_PARTS = (SystemPromptPart, UserPromptPart, ToolReturnPart)  # parts with text for the model


class PydanticCodec(PartsCodec[ModelMessage, Any]):
    """The codec for messages of Pydantic AI.

    A response is one message; each part with text of a request is one message.
    """

    def split(self, message: ModelMessage) -> list[list[Any]]:
        """Return the parts of a message in groups: a response's parts together, a request's parts with text one by one.

        Parts of a request without text join the next part with text, or else the last.
        """
        if not isinstance(message, ModelRequest):
            return [list(message.parts)]
        groups: list[list[Any]] = [[]]
        for part in message.parts:
            groups[-1].append(part)
            if isinstance(part, _MESSAGE_PARTS):
                groups.append([])
        rest = groups.pop()
        if rest and groups:
            groups[-1] += rest
        return groups or [rest]

    def wrap(self, message: ModelMessage, parts: Sequence[Any]) -> WrappedMessage:
        """Return a group of parts as a message of the layer."""
        native = (message, parts)
        if isinstance(message, ModelResponse):
            calls = [to_tool_call(each.tool_name, each.args, each.tool_call_id) for each in parts if _is_call(each)]
            text = "\n".join(part.content for part in parts if isinstance(part, TextPart))
            return WrappedMessage.wrap(native, "assistant", text, tool_calls=calls)
        match next((part for part in parts if isinstance(part, _MESSAGE_PARTS)), None):
            case SystemPromptPart(content=content):
                return WrappedMessage.wrap(native, "system", content)
            case UserPromptPart() as part:
                return WrappedMessage.wrap(native, "user", _part_text(part))
            case ToolReturnPart() as part:
                text = part.model_response_str()
                return WrappedMessage.wrap(native, "tool", text, tool_call_id=part.tool_call_id)
        return WrappedMessage.wrap(native, "system", NOT_TEXT)

    def replace(self, parts: Sequence[Any], message: WrappedMessage) -> list[Any]:
        """Return the parts with the changed text and arguments of `message`. Parts that are not text stay."""
        if message.role == "assistant":
            return self.rewrite(parts, message)
        return [_edit_part(part, message) if isinstance(part, _MESSAGE_PARTS) else part for part in parts]

    def join(self, message: ModelMessage, parts: list[Any]) -> ModelMessage:
        """Return the framework's message with these parts; the same object if they are unchanged."""
        return message if parts == message.parts else _with_parts(message, parts)

    def create(self, message: Message) -> ModelMessage:
        """Return a message that the window added for the framework."""
        match message.role:
            case "assistant":
                return ModelResponse([TextPart(message.content)])
            case "tool":
                return ModelRequest([ToolReturnPart("unknown", message.content, message.tool_call_id or "")])
            case "system":
                return ModelRequest([SystemPromptPart(message.content)])
        return ModelRequest([UserPromptPart(message.content)])

    def text_part(self, text: str) -> Any:
        """Return a text part of a response."""
        return TextPart(text)

    def is_text(self, part: Any) -> bool:
        """Return True if the part of a response is text."""
        return isinstance(part, TextPart)

    def with_result(self, part: Any, text: str) -> Any:
        """Return a tool result with another text."""
        return replace(part, content=text)

    def with_arguments(self, part: Any, arguments: Mapping[str | None, dict[str, Any]]) -> Any:
        """Return a tool call with its shortened arguments, found by its id; any other part unchanged."""
        if not _is_call(part) or part.tool_call_id not in arguments:
            return part
        return replace(part, args=to_json(arguments[part.tool_call_id]).decode())


def _with_parts(message: Any, parts: list[Any]) -> ModelMessage:
    return replace(message, parts=parts)  # type: ignore[no-any-return]


def _is_call(part: Any) -> bool:
    return isinstance(part, ToolCallPart)


def _part_text(part: UserPromptPart) -> str:
    if isinstance(part.content, str):
        return part.content
    return "\n".join(each if isinstance(each, str) else getattr(each, "content", NOT_TEXT) for each in part.content)


def _edit_part(part: Any, message: WrappedMessage) -> Any:
    if isinstance(part, UserPromptPart) and not isinstance(part.content, str) and message.appended is not None:
        return replace(part, content=[*part.content, message.appended])
    return replace(part, content=message.content)


_CODEC = PydanticCodec()
