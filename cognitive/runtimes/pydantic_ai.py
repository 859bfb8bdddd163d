"""Adapter for Pydantic AI: a capability that adds memory to an agent.

    Agent(model, capabilities=[CognitiveCapability(layer, "my-agent")])

The memory layer's session is the run's `conversation_id`: pass one to `agent.run`, or a `message_history` that has one.
Its user is `user_id` of the run's `deps`. Functions of the run's context get the `RunContext`.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from copy import copy
from dataclasses import replace
from typing import Any

from cognitive.extras import extra

with extra("pydantic-ai"):
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
from cognitive.blocking import Blocking
from cognitive.layer import CognitiveLayer
from cognitive.runtimes.codec import NOT_TEXT, PartsCodec, WrappedMessage, output_text, replace_text, to_tool_call
from cognitive.runtimes.identity import AgentIdSource, UserIdSource, user_in
from cognitive.runtimes.tools import RECALL_DESCRIPTION, RECALL_NAME, to_tool
from cognitive.runtimes.turn_end import ends_turn
from cognitive.runtimes.turn_session import AgentBinding, TurnSession
from cognitive.tool import ToolSpec
from cognitive.turn import Message


class CognitiveCapability(AbstractCapability[Any]):
    """A capability that adds memories to an agent's runs, selects their tools and shortens long conversations.

    `session_id` is for hosts whose runs have no `conversation_id`. `recall_tool` adds the tool `recall_context`, with
    which the model searches its memory. The other parameters are those of `AgentBinding`.
    """

    def __init__(
        self,
        layer: CognitiveLayer | Blocking,
        agent_id: AgentIdSource,
        *,
        session_id: str | None = None,
        user_id: UserIdSource = None,
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
        """Return a copy of the capability for one run, so that concurrent runs do not share a turn."""
        own = copy(self)
        own._turn_session = None
        return own

    def get_toolset(self) -> AbstractToolset[Any] | None:
        """Return a toolset with the recall tool, or None if the recall tool is not offered."""
        if not self._recall_tool:
            return None

        async def recall_context(query: str, memory_type: MemoryType | None = None, limit: int = 5) -> str:
            return await self._turn.recall(query, memory_type, limit)

        toolset: FunctionToolset[Any] = FunctionToolset()
        toolset.add_function(recall_context, name=RECALL_NAME, description=RECALL_DESCRIPTION)
        return toolset

    async def wrap_run(self, ctx: RunContext[Any], *, handler: Any) -> Any:
        """Run the agent within a turn of the memory layer, and end the turn when the run ends."""
        session_id = self._session_id or ctx.conversation_id or "default"
        self._turn_session = self._binding.turn(session_id, run_context=ctx, user_id=user_in(ctx.deps))
        with ends_turn(self._turn_session):
            result = await handler()
            if not isinstance(result.output, DeferredToolRequests):  # a later run brings the results and ends the turn
                self._turn_session.end("completed", output_text(result.output))
        return result

    async def prepare_tools(self, ctx: RunContext[Any], tool_defs: list[ToolDefinition]) -> list[ToolDefinition]:
        """Return the tools that the turn selects. The model cannot call the others."""
        await self._begin(ctx, tool_defs)
        return self._turn.select_tools(tool_defs, lambda each: each.name, _rewrite_tool)

    async def before_model_request(
        self, ctx: RunContext[Any], request_context: ModelRequestContext
    ) -> ModelRequestContext:
        """Set the model and the level of thinking that the turn's plan chose.

        If the level is set here instead of in `prepare_model_request`, Pydantic AI records the change in its history,
        and preserves the providers' prompt caches where it can.
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
        """Prepare a model call: add memories and shorten a long conversation, for that call only.

        The history stays unchanged.
        """
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
        """Run a tool call, and record it with its result."""
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
        """Begin the turn before the first model call, with the user's message, the history and the model from `ctx`."""
        if self._turn.has_begun:
            return
        await self._turn.begin_from_conversation(
            _CODEC.decode(ctx.messages),
            (to_tool(each.name, each.description, each.parameters_json_schema, each.metadata) for each in tools),
            model=ctx.model.model_name if ctx.model is not None else None,
        )


_THINKING: Mapping[str, Any] = {"off": False}  # the other levels have the same names in Pydantic AI


def _rewrite_tool(tool: ToolDefinition, spec: ToolSpec) -> ToolDefinition:
    return replace(tool, description=spec.description, parameters_json_schema=spec.parameters)


_MESSAGE_PARTS = (SystemPromptPart, UserPromptPart, ToolReturnPart)  # parts with text for the model


class PydanticCodec(PartsCodec[ModelMessage, Any]):
    """Converts Pydantic AI's messages to the memory layer's messages and back.

    A model's response becomes one message. A request becomes one message for each of its parts with text.
    """

    def split(self, message: ModelMessage) -> list[list[Any]]:
        """Divide a message's parts into groups, each of which becomes one layer message.

        All parts of a response are one group. In a request, a group is a part with text, together with the parts
        without text that precede it. The parts after the last part with text join the last group.
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
        """Convert a group of a message's parts to one message of the memory layer."""
        native = (message, parts)
        if isinstance(message, ModelResponse):
            calls = [to_tool_call(each.tool_name, each.args, each.tool_call_id) for each in parts if _is_call(each)]
            text = "\n".join(part.content for part in parts if isinstance(part, TextPart))
            return WrappedMessage.wrap(native, "assistant", text, tool_calls=calls)
        match next((part for part in parts if isinstance(part, _MESSAGE_PARTS)), None):
            case SystemPromptPart(content=content):
                return WrappedMessage.wrap(native, "system", content)
            case UserPromptPart() as part:
                return WrappedMessage.wrap(native, "user", _content_parts(part))
            case ToolReturnPart() as part:
                text, failed = part.model_response_str(), part.outcome in ("failed", "retried")
                return WrappedMessage.wrap(native, "tool", text, tool_call_id=part.tool_call_id, failed=failed)
        return WrappedMessage.wrap(native, "system", NOT_TEXT)

    def replace(self, parts: Sequence[Any], message: WrappedMessage) -> list[Any]:
        """Return the parts with the changed text and tool arguments of `message`. Other parts stay."""
        if message.role == "assistant":
            return self.rewrite(parts, message)
        return [_edit_part(part, message) if isinstance(part, _MESSAGE_PARTS) else part for part in parts]

    def join(self, message: ModelMessage, parts: list[Any]) -> ModelMessage:
        """Return the framework's message with `parts` as its parts, or `message` itself if they are unchanged."""
        return message if parts == message.parts else _with_parts(message, parts)

    def create(self, message: Message) -> ModelMessage:
        """Convert a message that the memory layer added, such as a summary, to a message of Pydantic AI."""
        match message.role:
            case "assistant":
                return ModelResponse([TextPart(message.content)])
            case "tool":
                return ModelRequest([ToolReturnPart("unknown", message.content, message.tool_call_id or "")])
            case "system":
                return ModelRequest([SystemPromptPart(message.content)])
        return ModelRequest([UserPromptPart(message.content)])

    def text_part(self, text: str) -> Any:
        """Create a part of a response with this text."""
        return TextPart(text)

    def is_text(self, part: Any) -> bool:
        """Return True if the part of a response is a text."""
        return isinstance(part, TextPart)

    def with_result(self, part: Any, text: str) -> Any:
        """Create a copy of a tool result part in which `text` replaces the result."""
        return replace(part, content=text)

    def with_arguments(self, part: Any, arguments: Mapping[str | None, dict[str, Any]]) -> Any:
        """Replace the arguments of a tool call part if `arguments` has its call id. Return other parts unchanged."""
        if not _is_call(part) or part.tool_call_id not in arguments:
            return part
        return replace(part, args=to_json(arguments[part.tool_call_id]).decode())


def _with_parts(message: Any, parts: list[Any]) -> ModelMessage:
    return replace(message, parts=parts)  # type: ignore[no-any-return]


def _is_call(part: Any) -> bool:
    return isinstance(part, ToolCallPart)


def _content_parts(part: UserPromptPart) -> list[Any]:
    """Return the parts of a user's content: texts as strings, attachments unchanged. Marks of a cache are left out."""
    contents = [part.content] if isinstance(part.content, str) else part.content
    return [getattr(each, "content", each) for each in contents if getattr(each, "kind", None) != "cache-point"]


def _is_written(content: Any) -> bool:
    return isinstance(content, str) or hasattr(content, "content")


def _edit_part(part: Any, message: WrappedMessage) -> Any:
    if isinstance(part, UserPromptPart) and not isinstance(part.content, str):
        if message.appended is not None:
            return replace(part, content=[*part.content, message.appended])
        return replace(part, content=replace_text(part.content, _is_written, [message.written]))
    return replace(part, content=message.content)


_CODEC = PydanticCodec()
