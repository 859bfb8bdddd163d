"""Adapter for Google ADK: a plugin that adds memory to the agents of an app.

    app = App(name="app", root_agent=agent, plugins=[CognitiveADKPlugin(layer, "my-agent")])

The memory layer's session and user are ADK's own.
"""

from __future__ import annotations

from collections import OrderedDict, defaultdict
from collections.abc import Mapping, Sequence
from contextlib import ExitStack
from dataclasses import dataclass, field
from typing import Any, cast

from google.adk.agents.callback_context import CallbackContext
from google.adk.agents.invocation_context import InvocationContext
from google.adk.events import Event
from google.adk.models.llm_request import LlmRequest
from google.adk.plugins.base_plugin import BasePlugin
from google.adk.tools.base_tool import BaseTool
from google.adk.tools.function_tool import FunctionTool
from google.adk.tools.tool_context import ToolContext
from google.genai import types
from pydantic_core import to_json

from brain.types import MemoryType
from cognitive.layer import CognitiveLayer
from cognitive.runtimes.codec import NOT_TEXT, PartsCodec, WrappedMessage, split_tool_results, to_tool_call
from cognitive.runtimes.prompt_history import find_user_message
from cognitive.runtimes.tools import RECALL_DESCRIPTION, to_tool
from cognitive.runtimes.turn_session import AgentBinding, TurnSession, current_turn
from cognitive.turn import Message, Role, Tool, ToolSpec

_MAX_RUNS = 10_000  # open invocations; ADK does not report cancelled ones, so the oldest are abandoned


class CognitiveADKPlugin(BasePlugin):
    """A plugin that adds memories to all agents of a runner, selects their tools and shortens long conversations.

    An invocation, with all handoffs to other agents, is one turn. Agents that run as tools get no memory. `recall_tool`
    adds the tool `recall_context`, with which the model searches its memory. `models` maps the model names that the
    plan of a turn may choose to names that the agent's model class knows. The other parameters are those of
    `AgentBinding`. ADK does not report a cancelled run to plugins: its turn is recorded as abandoned only later.
    """

    def __init__(
        self,
        layer: CognitiveLayer,
        agent_id: str,
        *,
        model: str | None = None,
        models: Mapping[str, str] | None = None,
        recall_tool: bool = True,
    ) -> None:
        super().__init__("cognitive")
        self._binding = AgentBinding(layer, agent_id, runtime="google-adk", model=model, models=models)
        self._runs: OrderedDict[str, _InvocationState] = OrderedDict()
        self._recall = FunctionTool(self._recall_function()) if recall_tool else None

    async def before_run_callback(self, *, invocation_context: InvocationContext) -> None:
        """Create the memory layer's turn for an invocation."""
        turn = self._binding.turn(invocation_context.session.id)
        self._runs[invocation_context.invocation_id] = _InvocationState(turn)
        while len(self._runs) > _MAX_RUNS:
            self._runs.popitem(last=False)[1].turn.end("abandoned")

    async def before_model_callback(self, *, callback_context: CallbackContext, llm_request: LlmRequest) -> None:
        """Prepare a model call: fit the messages to the model and select the tools, for that call only.

        ADK's session is not changed.
        """
        run = self._runs.get(callback_context.invocation_id)
        if run is None or current_turn() is not None:  # an agent that runs as a tool
            return
        if self._recall is not None:
            llm_request.append_tools([self._recall])
        codec = ContentCodec()
        conversation = codec.decode(llm_request.contents)
        await self._begin(run.turn, callback_context, llm_request, conversation)
        if prefix := run.turn.system():
            llm_request.append_instructions([prefix])
        llm_request.contents = await run.turn.encode_messages(codec, conversation)
        _select_tools(run.turn, llm_request)
        llm_request.model = run.turn.model or llm_request.model
        _set_thinking(llm_request, run.turn.thinking)

    async def before_tool_callback(
        self, *, tool: BaseTool, tool_args: dict[str, Any], tool_context: ToolContext
    ) -> None:
        """Begin a tool call: turns that begin while the tool runs are sub-agent turns without memories."""
        run = self._runs.get(tool_context.invocation_id)
        if run is not None:
            run.open_calls.setdefault(tool_context.function_call_id or "", ExitStack()).enter_context(
                run.turn.as_parent()
            )

    async def after_tool_callback(
        self, *, tool: BaseTool, tool_args: dict[str, Any], tool_context: ToolContext, result: Any
    ) -> None:
        """Record a tool call and its result in the turn."""
        self._record_tool_call(tool, tool_args, tool_context, result, ok=True)

    async def on_tool_error_callback(
        self, *, tool: BaseTool, tool_args: dict[str, Any], tool_context: ToolContext, error: Exception
    ) -> None:
        """Record a failed tool call and its error in the turn."""
        self._record_tool_call(tool, tool_args, tool_context, str(error), ok=False)

    async def on_event_callback(self, *, invocation_context: InvocationContext, event: Event) -> None:
        """Collect the text of final answers, which becomes the turn's response."""
        run = self._runs.get(invocation_context.invocation_id)
        if run is not None and event.is_final_response() and event.content is not None and not event.partial:
            run.answers.append(content_text(event.content))

    async def on_run_error_callback(self, *, invocation_context: InvocationContext, error: Exception) -> None:
        """End the turn of an invocation as failed."""
        run = self._runs.pop(invocation_context.invocation_id, None)
        if run is not None:
            run.turn.end("failed")

    async def after_run_callback(self, *, invocation_context: InvocationContext) -> None:
        """End the turn of an invocation with the response, or as abandoned if there was no response."""
        run = self._runs.pop(invocation_context.invocation_id, None)
        if run is not None:
            response = "\n".join(filter(None, run.answers))
            run.turn.end("completed" if response else "abandoned", response)

    async def _begin(
        self, turn: TurnSession, context: CallbackContext, request: LlmRequest, conversation: Sequence[Any]
    ) -> None:
        """Begin the turn before the first model call, with the user's message, the history and the tools."""
        if turn.has_begun:
            return
        text = content_text(context.user_content) if context.user_content is not None else ""
        await turn.begin(
            text,
            conversation[: find_user_message(conversation, text)],
            [_to_tool(each) for each in _declarations(request)],
            model=request.model,
            user_id=context.user_id,
        )

    def _record_tool_call(
        self, tool: BaseTool, arguments: dict[str, Any], context: ToolContext, result: Any, *, ok: bool
    ) -> None:
        run = self._runs.get(context.invocation_id)
        if run is not None:
            run.turn.record_tool_call(tool.name, arguments, result, ok=ok, id=context.function_call_id)
            run.open_calls.pop(context.function_call_id or "", ExitStack()).close()

    def _recall_function(self) -> Any:
        async def recall_context(
            query: str, tool_context: ToolContext, memory_type: str | None = None, limit: int = 5
        ) -> str:
            run = self._runs.get(tool_context.invocation_id)
            turn = run.turn if run is not None else self._binding.turn(tool_context.session.id, "subagent")
            return await turn.recall(query, cast(MemoryType | None, memory_type), limit)

        recall_context.__doc__ = RECALL_DESCRIPTION
        return recall_context


@dataclass(slots=True)
class _InvocationState:
    """The state of a running invocation: its turn, the texts of its answers, and its running tool calls by id."""

    turn: TurnSession
    answers: list[str] = field(default_factory=list)
    open_calls: dict[str, ExitStack] = field(default_factory=dict)


def _declarations(request: LlmRequest) -> list[types.FunctionDeclaration]:
    return [
        each for group in request.config.tools or [] for each in getattr(group, "function_declarations", None) or []
    ]


def _to_tool(declaration: types.FunctionDeclaration) -> Tool | None:
    return to_tool(declaration.name or "", declaration.description, _schema(declaration))


def _schema(declaration: types.FunctionDeclaration) -> Mapping[str, Any]:
    """Return the parameters of a tool as a JSON schema. ADK stores them in one of two fields."""
    if declaration.parameters_json_schema is not None:
        return cast(Mapping[str, Any], declaration.parameters_json_schema)
    if declaration.parameters is None:
        return {}
    return declaration.parameters.json_schema.model_dump(mode="json", exclude_none=True)


def _select_tools(turn: TurnSession, request: LlmRequest) -> None:
    """Remove from a request the tools that are not selected for the turn, so that the model cannot call them."""
    selected = turn.select_tools(_declarations(request), lambda each: each.name or "", _rewrite_tool)
    by_name = {each.name: each for each in selected}
    removed = {each.name for each in _declarations(request)} - by_name.keys()
    groups = list[Any]()
    for group in request.config.tools or []:
        declared = getattr(group, "function_declarations", None)
        if not declared:
            groups.append(group)
        elif remaining := [by_name[each.name] for each in declared if each.name in by_name]:
            groups.append(group.model_copy(update={"function_declarations": remaining}))  # type: ignore[union-attr]
    request.config.tools = groups
    request.tools_dict = {name: each for name, each in request.tools_dict.items() if name not in removed}


def _rewrite_tool(declared: types.FunctionDeclaration, spec: ToolSpec) -> types.FunctionDeclaration:
    changes = {"description": spec.description, "parameters": None, "parameters_json_schema": spec.parameters}
    return declared.model_copy(update=changes)


def _set_thinking(request: LlmRequest, level: str | None) -> None:
    """Set the level of thinking that the turn's plan chose, in a request to a Gemini model.

    Each generation of Gemini has its own setting. Requests to other models stay unchanged.
    """
    update = next((row for family, row in _THINKING.items() if family in (request.model or "")), None)
    if level is None or update is None:
        return
    own = request.config.thinking_config or types.ThinkingConfig()
    name, values = update
    request.config.thinking_config = own.model_copy(
        update={"thinking_budget": None, "thinking_level": None, name: values[level]}
    )


# Levels and budgets, in tokens, that all models of a family accept. Other values are errors for some of them.
_LEVEL = types.ThinkingLevel
_THINKING: Mapping[str, tuple[str, Mapping[str, Any]]] = {
    "gemini-3": (
        "thinking_level",
        {
            "off": _LEVEL.LOW,
            "minimal": _LEVEL.LOW,
            "low": _LEVEL.LOW,
            "medium": _LEVEL.MEDIUM,
            "high": _LEVEL.HIGH,
            "xhigh": _LEVEL.HIGH,
        },
    ),
    "gemini-2.5": (
        "thinking_budget",
        {"off": 512, "minimal": 512, "low": 1_024, "medium": 8_192, "high": 24_576, "xhigh": 24_576},
    ),
}


def content_text(content: types.Content) -> str:
    """Return the text of a content (a message of ADK), without the model's thoughts."""
    return "\n".join(part.text for part in content.parts or [] if part.text and not part.thought)


class ContentCodec(PartsCodec[types.Content, types.Part]):
    """Converts the contents (messages) of one request to the memory layer's messages and back.

    ADK leaves out the ids of tool calls. The codec therefore assigns ids, and matches results to calls by tool name and
    order.
    """

    def __init__(self) -> None:
        self._unanswered: defaultdict[str, list[str]] = defaultdict(list)  # ids of calls without a result, by tool name
        self._ids: list[tuple[types.FunctionCall, str]] = []  # decoded calls with their ids

    def split(self, message: types.Content) -> list[list[types.Part]]:
        """Divide a content's parts into groups: each tool result alone, other parts together.

        Each group becomes one message of the memory layer.
        """
        return split_tool_results(message.parts or [], lambda part: part.function_response is not None)

    def wrap(self, message: types.Content, parts: Sequence[types.Part]) -> WrappedMessage:
        """Convert a group of a content's parts to one message of the memory layer."""
        native = (message, parts)
        if parts and parts[0].function_response is not None:
            result = parts[0].function_response
            id, failed = self._result_call_id(result), _is_error(result)
            return WrappedMessage.wrap(native, "tool", _result_text(result), tool_call_id=id, failed=failed)
        native_calls = [part.function_call for part in parts if part.function_call is not None]
        calls = [to_tool_call(each.name or "", each.args, self._call_id(each)) for each in native_calls]
        text = content_text(types.Content(parts=list(parts))) or ("" if calls else NOT_TEXT)
        role: Role = "assistant" if message.role == "model" else "user"
        return WrappedMessage.wrap(native, role, text, tool_calls=calls)

    def join(self, message: types.Content, parts: list[types.Part]) -> types.Content:
        """Return the content with `parts` as its parts, or `message` itself if they are unchanged."""
        return message if parts == message.parts else message.model_copy(update={"parts": parts})

    def create(self, message: Message) -> types.Content:
        """Convert a message that the memory layer added, such as a summary, to a content of ADK."""
        if message.role == "tool":
            name = next((call.name for call, id in self._ids if id == message.tool_call_id), None) or "unknown"
            response = types.FunctionResponse(name=name, response={"result": message.content})
            return types.Content(role="user", parts=[types.Part(function_response=response)])
        role = "model" if message.role == "assistant" else "user"
        return types.Content(role=role, parts=[types.Part(text=message.content)])

    def text_part(self, text: str) -> types.Part:
        """Create a part with this text."""
        return types.Part(text=text)

    def is_text(self, part: types.Part) -> bool:
        """Return True if the part is a text other than the model's thoughts."""
        return part.function_call is None and bool(part.text) and not part.thought

    def with_result(self, part: types.Part, text: str) -> types.Part:
        """Create a copy of a tool result part in which `text` replaces the result."""
        assert part.function_response is not None  # tool messages hold only results
        response = part.function_response.model_copy(update={"response": {"result": text}})
        return part.model_copy(update={"function_response": response})

    def with_arguments(self, part: types.Part, arguments: Mapping[str | None, dict[str, Any]]) -> types.Part:
        """Replace a tool call's arguments if `arguments` has the id that `wrap` assigned.

        Return other parts unchanged.
        """
        call = part.function_call
        id = next((id for known, id in self._ids if known is call), None)
        if call is None or id not in arguments:
            return part
        return part.model_copy(update={"function_call": call.model_copy(update={"args": arguments[id]})})

    def _call_id(self, call: types.FunctionCall) -> str:
        id = call.id
        if not id:
            id = f"call-{len(self._ids) + 1}"
            self._unanswered[call.name or ""].append(id)
        self._ids.append((call, id))
        return id

    def _result_call_id(self, result: types.FunctionResponse) -> str | None:
        unanswered = self._unanswered[result.name or ""]
        return result.id or (unanswered.pop(0) if unanswered else None)


def _is_error(result: types.FunctionResponse) -> bool:
    """Return True if a tool result is an error, in ADK's own form or in that of an MCP server."""
    return any((result.response or {}).get(key) for key in ("error", "isError", "is_error"))


def _result_text(result: types.FunctionResponse) -> str:
    """Return the text of a tool result. ADK stores a result that is not a mapping under the key "result"."""
    response = result.response or {}
    value = response.get("result") if response.keys() == {"result"} else None
    return value if isinstance(value, str) else to_json(response, fallback=str).decode()
