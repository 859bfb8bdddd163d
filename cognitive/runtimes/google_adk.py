"""Adapter for Google ADK: a plugin that adds memory to the agents of an app.

    app = App(name="app", root_agent=agent, plugins=[CognitiveADKPlugin(layer, "my-agent")])

The memory layer's session and user are ADK's own. Functions of the run's context get the `InvocationContext`.
"""

from __future__ import annotations

from collections import OrderedDict
from collections.abc import Callable, Mapping, Sequence
from contextlib import ExitStack
from dataclasses import dataclass, field
from typing import Any, cast

from cognitive.extras import extra

with extra("google-adk"):
    from google.adk.agents.callback_context import CallbackContext
    from google.adk.agents.invocation_context import InvocationContext
    from google.adk.events import Event
    from google.adk.models.llm_request import LlmRequest
    from google.adk.plugins.base_plugin import BasePlugin
    from google.adk.tools.base_tool import BaseTool
    from google.adk.tools.function_tool import FunctionTool
    from google.adk.tools.tool_context import ToolContext
    from google.genai import types


from brain.types import MemoryType
from cognitive.blocking import Blocking
from cognitive.layer import CognitiveLayer
from cognitive.runtimes.codec import WrappedMessage
from cognitive.runtimes.google_adk_contents import ContentCodec, content_text
from cognitive.runtimes.identity import AgentIdSource, NoUser
from cognitive.runtimes.prompt_history import find_user_message
from cognitive.runtimes.tools import RECALL_DESCRIPTION, RECALL_UNAVAILABLE, to_tool
from cognitive.runtimes.turn_session import AgentBinding, TurnSession
from cognitive.tool import Tool, ToolSpec

_MAX_RUNS = 10_000  # open invocations; ADK does not report cancelled ones, so the oldest are abandoned


class CognitiveADKPlugin(BasePlugin):
    """A plugin that adds memories to all agents of a runner, selects their tools and shortens long conversations.

    An invocation, with all handoffs to other agents, is one turn. An agent that runs as a tool gets memory if it has
    another agent id: `agents` maps names of ADK's agents to agent ids. `user_id` replaces ADK's user by what a function
    of the run's context returns. `recall_tool` adds the tool `recall_context`,
    with which the model searches its memory. `models` maps the model names that the plan of a turn may choose to names
    that the agent's model class knows. The other parameters are those of `AgentBinding`. ADK does not report a
    cancelled run to plugins: its turn is recorded as abandoned only later.
    """

    def __init__(
        self,
        layer: CognitiveLayer | Blocking,
        agent_id: AgentIdSource,
        *,
        user_id: Callable[[InvocationContext], str | NoUser] | None = None,
        model: str | None = None,
        models: Mapping[str, str] | None = None,
        agents: Mapping[str, str] | None = None,
        recall_tool: bool = True,
    ) -> None:
        super().__init__("cognitive")
        self._binding = AgentBinding(layer, agent_id, runtime="google-adk", user_id=user_id, model=model, models=models)
        self._own_bindings = {
            name: AgentBinding(layer, own_id, runtime="google-adk", user_id=user_id, model=model, models=models)
            for name, own_id in (agents or {}).items()
        }
        self._runs: OrderedDict[str, _InvocationState] = OrderedDict()
        self._recall = FunctionTool(self._recall_function()) if recall_tool else None

    async def before_run_callback(self, *, invocation_context: InvocationContext) -> None:
        """Create the memory layer's turn for an invocation."""
        name = invocation_context.agent.name if invocation_context.agent is not None else ""
        binding = self._own_bindings.get(name, self._binding)
        turn = binding.turn(
            invocation_context.session.id, run_context=invocation_context, user_id=invocation_context.user_id
        )
        self._runs[invocation_context.invocation_id] = _InvocationState(turn)
        while len(self._runs) > _MAX_RUNS:
            self._runs.popitem(last=False)[1].turn.end("abandoned")

    async def before_model_callback(self, *, callback_context: CallbackContext, llm_request: LlmRequest) -> None:
        """Prepare a model call: fit the messages to the model and select the tools, for that call only.

        ADK's session is not changed.
        """
        run = self._runs.get(callback_context.invocation_id)
        if run is None or run.turn.kind == "subagent":  # an agent that runs as a tool, with the same agent id
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
        own = context.user_content
        message = ContentCodec().wrap(own, own.parts or []) if own is not None else WrappedMessage.wrap(None, "user")
        await turn.begin(
            message.content,
            conversation[: find_user_message(conversation, message.content)],
            [_to_tool(each) for each in _declarations(request)],
            attachments=message.attachments,
            model=request.model,
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
            if run is None:
                return RECALL_UNAVAILABLE
            return await run.turn.recall(query, cast(MemoryType | None, memory_type), limit)

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
