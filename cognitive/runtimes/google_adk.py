"""Google ADK: a plugin of an app.

    app = App(name="app", root_agent=agent, plugins=[CognitiveADKPlugin(layer, "my-agent")])

Session and user are ADK's own.
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

_MAX_RUNS = 10_000  # at once; what is beyond was cancelled, of which ADK tells no plugin


class CognitiveADKPlugin(BasePlugin):
    """Memory, planned tools and a bounded conversation for every agent of a runner.

    An invocation is a turn, whichever agents it is handed to; an agent that runs within a tool is left alone.
    `recall_tool` offers the model `recall_context`. `models` are names that the agent's own model class knows, by the
    name that a plan may ask for; everything else is as in `AgentBinding`. A run that a task's cancellation ends is
    known as abandoned only later: ADK tells no plugin of it.
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
        """The turn of an invocation."""
        turn = self._binding.turn(invocation_context.session.id)
        self._runs[invocation_context.invocation_id] = _InvocationState(turn)
        while len(self._runs) > _MAX_RUNS:
            self._runs.popitem(last=False)[1].turn.end("abandoned")

    async def before_model_callback(self, *, callback_context: CallbackContext, llm_request: LlmRequest) -> None:
        """What the model is given: for this request alone, nothing of it enters the session."""
        run = self._runs.get(callback_context.invocation_id)
        if run is None or current_turn() is not None:  # an agent within a tool
            return
        if self._recall is not None:
            llm_request.append_tools([self._recall])
        codec = ContentCodec()
        said = codec.decode(llm_request.contents)
        await self._begin(run.turn, callback_context, llm_request, said)
        if behind := run.turn.system():
            llm_request.append_instructions([behind])
        llm_request.contents = await run.turn.encode_messages(codec, said)
        _select_tools(run.turn, llm_request)
        llm_request.model = run.turn.model or llm_request.model
        _set_thinking(llm_request, run.turn.thinking)

    async def before_tool_callback(
        self, *, tool: BaseTool, tool_args: dict[str, Any], tool_context: ToolContext
    ) -> None:
        """A tool's work begins: a run within it is a sub-agent's."""
        run = self._runs.get(tool_context.invocation_id)
        if run is not None:
            run.open_calls.setdefault(tool_context.function_call_id or "", ExitStack()).enter_context(
                run.turn.as_parent()
            )

    async def after_tool_callback(
        self, *, tool: BaseTool, tool_args: dict[str, Any], tool_context: ToolContext, result: Any
    ) -> None:
        """Keeps what a tool gave."""
        self._record_tool_call(tool, tool_args, tool_context, result, ok=True)

    async def on_tool_error_callback(
        self, *, tool: BaseTool, tool_args: dict[str, Any], tool_context: ToolContext, error: Exception
    ) -> None:
        """Keeps that a tool failed."""
        self._record_tool_call(tool, tool_args, tool_context, str(error), ok=False)

    async def on_event_callback(self, *, invocation_context: InvocationContext, event: Event) -> None:
        """Keeps what the user gets to read."""
        run = self._runs.get(invocation_context.invocation_id)
        if run is not None and event.is_final_response() and event.content is not None and not event.partial:
            run.answers.append(content_text(event.content))

    async def on_run_error_callback(self, *, invocation_context: InvocationContext, error: Exception) -> None:
        """The turn has failed."""
        run = self._runs.pop(invocation_context.invocation_id, None)
        if run is not None:
            run.turn.end("failed")

    async def after_run_callback(self, *, invocation_context: InvocationContext) -> None:
        """Ends the turn; one without an answer was left by its reader, or waits for something."""
        run = self._runs.pop(invocation_context.invocation_id, None)
        if run is not None:
            response = "\n".join(filter(None, run.answers))
            run.turn.end("completed" if response else "abandoned", response)

    async def _begin(
        self, turn: TurnSession, context: CallbackContext, request: LlmRequest, said: Sequence[Any]
    ) -> None:
        """Begins the turn with the first request, when prompt, history and tools are known."""
        if turn.has_begun:
            return
        text = content_text(context.user_content) if context.user_content is not None else ""
        await turn.begin(
            text,
            said[: find_user_message(said, text)],
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
    """An invocation under way: its turn, what was said, the tools at work by the id of their calls."""

    turn: TurnSession
    answers: list[str] = field(default_factory=list)
    open_calls: dict[str, ExitStack] = field(default_factory=dict)


def _declarations(request: LlmRequest) -> list[types.FunctionDeclaration]:
    return [
        each for group in request.config.tools or [] for each in getattr(group, "function_declarations", None) or []
    ]


def _to_tool(declared: types.FunctionDeclaration) -> Tool | None:
    return to_tool(declared.name or "", declared.description, _schema(declared))


def _schema(declared: types.FunctionDeclaration) -> Mapping[str, Any]:
    """The parameters as a JSON schema, whichever of ADK's two forms they have."""
    if declared.parameters_json_schema is not None:
        return cast(Mapping[str, Any], declared.parameters_json_schema)
    if declared.parameters is None:
        return {}
    return declared.parameters.json_schema.model_dump(mode="json", exclude_none=True)


def _select_tools(turn: TurnSession, request: LlmRequest) -> None:
    """Leaves the request the tools that the turn keeps; the others cannot be called either."""
    kept = turn.select_tools(_declarations(request), lambda each: each.name or "", _rewrite_tool)
    by_name = {each.name: each for each in kept}
    gone = {each.name for each in _declarations(request)} - by_name.keys()
    groups = list[Any]()
    for group in request.config.tools or []:
        declared = getattr(group, "function_declarations", None)
        if not declared:
            groups.append(group)
        elif left := [by_name[each.name] for each in declared if each.name in by_name]:
            groups.append(group.model_copy(update={"function_declarations": left}))  # type: ignore[union-attr]
    request.config.tools = groups
    request.tools_dict = {name: each for name, each in request.tools_dict.items() if name not in gone}


def _rewrite_tool(declared: types.FunctionDeclaration, spec: ToolSpec) -> types.FunctionDeclaration:
    said = {"description": spec.description, "parameters": None, "parameters_json_schema": spec.parameters}
    return declared.model_copy(update=said)


def _set_thinking(request: LlmRequest, level: str | None) -> None:
    """How hard a model of Gemini's should think, as its generation takes it; the others take nothing of the kind."""
    update = next((row for family, row in _THINKING.items() if family in (request.model or "")), None)
    if level is None or update is None:
        return
    own = request.config.thinking_config or types.ThinkingConfig()
    name, values = update
    request.config.thinking_config = own.model_copy(
        update={"thinking_budget": None, "thinking_level": None, name: values[level]}
    )


# What every model of a family takes: a level or a number that only some know is an error of the others.
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
    """Return what a content says, without what the model thought."""
    return "\n".join(part.text for part in content.parts or [] if part.text and not part.thought)


class ContentCodec(PartsCodec[types.Content, types.Part]):
    """Contents of one request. ADK leaves the ids of calls out: a result belongs to a call by its name and order."""

    def __init__(self) -> None:
        self._unanswered: defaultdict[str, list[str]] = defaultdict(list)  # ids of calls, by the tool's name
        self._ids: list[tuple[types.FunctionCall, str]] = []  # the calls that were decoded, and their ids

    def split(self, message: types.Content) -> list[list[types.Part]]:
        """Return each tool's result by itself, all other parts in runs."""
        return split_tool_results(message.parts or [], lambda part: part.function_response is not None)

    def wrap(self, message: types.Content, parts: Sequence[types.Part]) -> WrappedMessage:
        """Return parts as the layer reads them."""
        native = (message, parts)
        if parts and parts[0].function_response is not None:
            given = parts[0].function_response
            return WrappedMessage.wrap(native, "tool", _result_text(given), tool_call_id=self._result_call_id(given))
        made = [part.function_call for part in parts if part.function_call is not None]
        calls = [to_tool_call(each.name or "", each.args, self._call_id(each)) for each in made]
        said = content_text(types.Content(parts=list(parts))) or ("" if calls else NOT_TEXT)
        role: Role = "assistant" if message.role == "model" else "user"
        return WrappedMessage.wrap(native, role, said, tool_calls=calls)

    def join(self, message: types.Content, parts: list[types.Part]) -> types.Content:
        """Return the content with these parts."""
        return message if parts == message.parts else message.model_copy(update={"parts": parts})

    def create(self, message: Message) -> types.Content:
        """Return a content of the window's own."""
        if message.role == "tool":
            name = next((made.name for made, id in self._ids if id == message.tool_call_id), None) or "unknown"
            response = types.FunctionResponse(name=name, response={"result": message.content})
            return types.Content(role="user", parts=[types.Part(function_response=response)])
        role = "model" if message.role == "assistant" else "user"
        return types.Content(role=role, parts=[types.Part(text=message.content)])

    def text_part(self, text: str) -> types.Part:
        """Return a part of text."""
        return types.Part(text=text)

    def is_text(self, part: types.Part) -> bool:
        """Return whether a part is text that the model did not merely think."""
        return part.function_call is None and bool(part.text) and not part.thought

    def with_result(self, part: types.Part, text: str) -> types.Part:
        """Return the result with other words."""
        assert part.function_response is not None  # only results are messages of tools
        response = part.function_response.model_copy(update={"response": {"result": text}})
        return part.model_copy(update={"function_response": response})

    def with_arguments(self, part: types.Part, arguments: Mapping[str | None, dict[str, Any]]) -> types.Part:
        """Return the call with the arguments for the id that it was decoded with."""
        made = part.function_call
        id = next((id for each, id in self._ids if each is made), None)
        if made is None or id not in arguments:
            return part
        return part.model_copy(update={"function_call": made.model_copy(update={"args": arguments[id]})})

    def _call_id(self, made: types.FunctionCall) -> str:
        id = made.id
        if not id:
            id = f"call-{len(self._ids) + 1}"
            self._unanswered[made.name or ""].append(id)
        self._ids.append((made, id))
        return id

    def _result_call_id(self, given: types.FunctionResponse) -> str | None:
        unanswered = self._unanswered[given.name or ""]
        return given.id or (unanswered.pop(0) if unanswered else None)


def _result_text(given: types.FunctionResponse) -> str:
    """Return what a tool gave: ADK puts what is not a mapping under "result"."""
    response = given.response or {}
    only = response.get("result") if response.keys() == {"result"} else None
    return only if isinstance(only, str) else to_json(response, fallback=str).decode()
