"""Pydantic AI: a capability of an agent.

    Agent(model, capabilities=[CognitiveCapability(layer, "my-agent")])

The session is the run's `conversation_id`: hand `agent.run` one, or the `message_history` that carries it.
"""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence
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
    ModelRequestPart,
    ModelResponse,
    ModelResponsePart,
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
from cognitive.runtimes import recalling
from cognitive.runtimes.live import Binding, LiveTurn, ending
from cognitive.runtimes.native import NOT_TEXT, Native, as_text, call, tool, whole
from cognitive.turn import Message, ToolSpec


class CognitiveCapability(AbstractCapability[Any]):
    """Memory, planned tools and a bounded conversation for every run of an agent.

    `session_id` is for a host whose runs carry no `conversation_id` of their own; `recall_tool` offers the model
    `recall_context`; everything else is as in `Binding`.
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
        self._binding = Binding(layer, agent_id, runtime="pydantic-ai", user_id=user_id, model=model, models=models)
        self._session_id = session_id
        self._recall_tool = recall_tool
        self._live: LiveTurn | None = None

    async def for_run(self, ctx: RunContext[Any]) -> AbstractCapability[Any]:
        """One of its own for each run: two at once do not mix."""
        own = copy(self)
        own._live = None
        return own

    def get_toolset(self) -> AbstractToolset[Any] | None:
        """The recall tool."""
        if not self._recall_tool:
            return None

        async def recall_context(query: str, memory_type: MemoryType | None = None, limit: int = 5) -> str:
            return await self._turn.recall(query, memory_type, limit)

        toolset: FunctionToolset[Any] = FunctionToolset()
        toolset.add_function(recall_context, name=recalling.NAME, description=recalling.DESCRIPTION)
        return toolset

    async def wrap_run(self, ctx: RunContext[Any], *, handler: Any) -> Any:
        """Ends the turn with the run, however that ends."""
        self._live = self._binding.turn(self._session_id or ctx.conversation_id or "default")
        with ending(self._live):
            result = await handler()
            if not isinstance(result.output, DeferredToolRequests):  # the run that brings their results is the turn
                self._live.end("completed", as_text(result.output))
        return result

    async def prepare_tools(self, ctx: RunContext[Any], tool_defs: list[ToolDefinition]) -> list[ToolDefinition]:
        """The tools that the turn keeps; the others cannot be called either."""
        await self._begin(ctx, tool_defs)
        return self._turn.offered(tool_defs, lambda each: each.name, _rewritten)

    async def before_model_request(
        self, ctx: RunContext[Any], request_context: ModelRequestContext
    ) -> ModelRequestContext:
        """The model that the plan asks for, thinking as hard as it says.

        Set here and not for the attempt, a change of thinking is recorded in the history by Pydantic AI, which spares
        providers' prompt caches where it can.
        """
        await self._begin(ctx, ())
        live, settings = self._turn, request_context.model_settings
        own = (settings or {}).get("thinking")  # known now; the turn began before, with the tools
        if live.thinking is not None and (own is None or own is True or live.is_of_a_category):
            settings = {**(settings or {}), "thinking": _THINKING.get(live.thinking, live.thinking)}
        return replace(request_context, model=live.model or request_context.model, model_settings=settings)

    async def prepare_model_request(
        self, ctx: RunContext[Any], request_context: ModelRequestContext
    ) -> ModelRequestContext:
        """What the model sees: of what is changed for an attempt, nothing enters the history."""
        live, parameters = self._turn, request_context.model_request_parameters
        if behind := live.system():
            part = InstructionPart(behind, dynamic=True)
            parameters = replace(parameters, instruction_parts=[*(parameters.instruction_parts or []), part])
        return replace(
            request_context,
            messages=_written(await live.messages(_read(request_context.messages))),
            model_request_parameters=parameters,
        )

    async def wrap_tool_execute(
        self, ctx: RunContext[Any], *, call: ToolCallPart, tool_def: ToolDefinition, args: Any, handler: Any
    ) -> Any:
        """Keeps what a tool gave."""
        calling = self._turn.calling(
            call.tool_name, args, call.tool_call_id, interrupts=(ApprovalRequired, CallDeferred)
        )
        with calling as returned:
            result = await handler(args)
            returned(result)
        return result

    @property
    def _turn(self) -> LiveTurn:
        assert self._live is not None  # wrap_run is around everything else
        return self._live

    async def _begin(self, ctx: RunContext[Any], tools: Sequence[ToolDefinition]) -> None:
        """Begins the turn with the first request, when prompt, history and tools are known."""
        if self._turn.begun:
            return
        await self._turn.begin_in(
            _read(ctx.messages),
            (tool(each.name, each.description, each.parameters_json_schema) for each in tools),
            model=ctx.model.model_name if ctx.model is not None else None,
        )


_THINKING: Mapping[str, Any] = {"off": False}  # the other levels have the names that Pydantic AI gives them


def _rewritten(tool: ToolDefinition, spec: ToolSpec) -> ToolDefinition:
    return replace(tool, description=spec.description, parameters_json_schema=spec.parameters)


def _read(messages: Sequence[ModelMessage]) -> list[Native]:
    """A message for each response, and for each part of a request that says something. `native` is the whole and the
    parts that are meant.
    """
    read = list[Native]()
    for message in messages:
        if isinstance(message, ModelRequest):
            read += [_part(message, parts) for parts in _said(message.parts)]
            continue
        calls = [call(part.tool_name, part.args, part.tool_call_id) for part in _calls(message)]
        text = "\n".join(part.content for part in message.parts if isinstance(part, TextPart))
        kept = [each for each in calls if each is not None]
        read.append(Native.read((message, message.parts), "assistant", text, tool_calls=kept))
    return read


def _said(parts: Sequence[ModelRequestPart]) -> list[list[ModelRequestPart]]:
    """The parts, each that says something with those before it that are the framework's own business."""
    said: list[list[ModelRequestPart]] = [[]]
    for part in parts:
        said[-1].append(part)
        if isinstance(part, _SAYING):
            said.append([])
    rest = said.pop()
    if rest and said:
        said[-1] += rest
    return said or [rest]


_SAYING = (SystemPromptPart, UserPromptPart, ToolReturnPart)


def _part(request: ModelRequest, parts: Sequence[ModelRequestPart]) -> Native:
    native = (request, parts)
    match next((part for part in parts if isinstance(part, _SAYING)), None):
        case SystemPromptPart(content=content):
            return Native.read(native, "system", content)
        case UserPromptPart() as part:
            return Native.read(native, "user", _words(part))
        case ToolReturnPart() as part:
            return Native.read(native, "tool", part.model_response_str(), tool_call_id=part.tool_call_id)
    return Native.read(native, "system", NOT_TEXT)


def _words(part: UserPromptPart) -> str:
    if isinstance(part.content, str):
        return part.content
    return "\n".join(each if isinstance(each, str) else getattr(each, "content", NOT_TEXT) for each in part.content)


def _calls(response: ModelResponse) -> Iterator[ToolCallPart]:
    return (part for part in response.parts if isinstance(part, ToolCallPart))


def _written(messages: Sequence[Message]) -> list[ModelMessage]:
    """The messages as Pydantic AI has them; what the window left alone is the very part that it was."""
    return [_new(each) if isinstance(each, Message) else _with(*each) for each in whole(messages, _changed)]


def _with(own: Any, parts: list[Any]) -> ModelMessage:
    return own if parts == own.parts else replace(own, parts=parts)  # type: ignore[no-any-return]


def _changed(message: Native, parts: Sequence[Any]) -> Sequence[Any]:
    """The parts with what the message says now; what they have beside words stays."""
    if message.role != "assistant":
        return [_saying(part, message) if isinstance(part, _SAYING) else part for part in parts]
    shown = {call.id: to_json(call.arguments).decode() for call in message.rewritten}
    kept = [_shown(part, shown) for part in parts if not isinstance(part, TextPart)]
    return [*([TextPart(message.content)] if message.content else []), *kept]


def _shown(part: ModelResponsePart, shown: Mapping[str | None, str]) -> ModelResponsePart:
    if not isinstance(part, ToolCallPart) or part.tool_call_id not in shown:
        return part
    return replace(part, args=shown[part.tool_call_id])


def _saying(part: Any, message: Native) -> ModelRequestPart:
    if isinstance(part, UserPromptPart) and not isinstance(part.content, str) and message.added is not None:
        return replace(part, content=[*part.content, message.added])
    return replace(part, content=message.content)  # type: ignore[no-any-return]


def _new(message: Message) -> ModelMessage:
    """What the window says itself: the summary of what left, the plan's step, that a call was interrupted."""
    match message.role:
        case "assistant":
            return ModelResponse([TextPart(message.content)])
        case "tool":
            return ModelRequest([ToolReturnPart("unknown", message.content, message.tool_call_id or "")])
        case "system":
            return ModelRequest([SystemPromptPart(message.content)])
    return ModelRequest([UserPromptPart(message.content)])
