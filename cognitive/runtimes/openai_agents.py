"""Adapter for the OpenAI Agents SDK: a runner that adds memory to an agent's runs, instead of the SDK's own runner.

    runner = CognitiveRunner(layer, "my-agent")
    result = await runner.run(agent, "Where does the key hang?", session=session)

The memory layer's session is the SDK's own (`session.session_id`), or else the `conversation_id`, or the run's
`group_id`. Its user is `user_id` of the run's context. Functions of the run's context get this context.
"""

from __future__ import annotations

import asyncio
import dataclasses
from collections.abc import AsyncIterator, Mapping
from contextvars import ContextVar
from inspect import isawaitable
from typing import Any

from cognitive.extras import extra

with extra("openai-agents"):
    from agents import (
        Agent,
        FunctionTool,
        Model,
        ModelResponse,
        ModelSettings,
        RunConfig,
        RunContextWrapper,
        Runner,
        RunResult,
        RunResultStreaming,
        RunState,
        Session,
        Tool,
        ToolCallItem,
        ToolCallOutputItem,
        function_tool,
    )
    from agents.run_config import CallModelData, ModelInputData
    from openai.types.responses import ResponseCompletedEvent, ResponseFunctionToolCall


from brain.types import MemoryType
from cognitive.blocking import Blocking
from cognitive.layer import CognitiveLayer
from cognitive.runtimes.codec import output_text
from cognitive.runtimes.identity import AgentIdSource, UserIdSource, user_in
from cognitive.runtimes.openai_items import ItemCodec
from cognitive.runtimes.openai_settings import with_defaults, with_demanded_tool, with_thinking
from cognitive.runtimes.tools import RECALL_DESCRIPTION, RECALL_NAME, to_tool
from cognitive.runtimes.turn_end import ends_turn
from cognitive.runtimes.turn_session import AgentBinding, TurnSession, current_turn
from cognitive.tool import ToolSpec
from cognitive.turn import TurnKind

_CODEC = ItemCodec()
_MAX_NAME_LENGTH = 52  # characters: OpenAI accepts 64, and `_rename_denied_calls` appends 12


class CognitiveRunner:
    """A runner that adds memories to the runs of an agent, selects its tools and shortens long conversations.

    A run is one turn, with all handoffs to other agents. `session_id` is for hosts whose runs have no session of the
    SDK. The other parameters are those of `AgentBinding`. The caller's `RunConfig`, hooks, session and handoffs apply
    as usual, and no agent is changed. Add `recall_tool` to the tools of an agent that may search its memory. An agent
    that runs as a tool gets memory if it has another agent id, and thus another runner: see `as_tool`.

    The level of thinking is set only if `reasoning` is among the caller's model settings, or among the SDK's defaults
    for the model's name. In a run with a `conversation_id` or `previous_response_id`, OpenAI keeps the history. The
    memories are then in the instructions, which OpenAI does not keep, and the conversation is not shortened. A run that
    stops for an approval is recorded as abandoned, and the run that resumes it is a new turn.
    """

    def __init__(
        self,
        layer: CognitiveLayer | Blocking,
        agent_id: AgentIdSource,
        *,
        session_id: str | None = None,
        user_id: UserIdSource = None,
        model: str | None = None,
        models: Mapping[str, Model] | None = None,
    ) -> None:
        self._binding = AgentBinding(
            layer, agent_id, runtime="openai-agents", user_id=user_id, model=model, models=models
        )
        self._session_id = session_id

        async def recall_context(
            run: RunContextWrapper[Any], query: str, memory_type: MemoryType | None = None, limit: int = 5
        ) -> str:
            turn = current_turn() or self._turn_of("default", run.context, "subagent")
            return await turn.recall(query, memory_type, limit)

        self.recall_tool: FunctionTool = function_tool(
            recall_context, name_override=RECALL_NAME, description_override=RECALL_DESCRIPTION
        )

    async def run(
        self, starting_agent: Agent[Any], input: Any, *, run_config: RunConfig | None = None, **options: Any
    ) -> RunResult:
        """Call the SDK's `Runner.run` within a turn of the memory layer, and return its result.

        `options` are passed on.
        """
        turn = self._turn(input, run_config, options)
        with ends_turn(turn), turn.as_parent():
            result = await Runner.run(starting_agent, input, run_config=_with_turn_model(turn, run_config), **options)
            _end_turn(turn, result)
        return result

    def run_sync(
        self, starting_agent: Agent[Any], input: Any, *, run_config: RunConfig | None = None, **options: Any
    ) -> RunResult:
        """Call the SDK's `Runner.run_sync` within a turn of the memory layer, and return its result.

        `options` are passed on. Like the SDK's, it cannot be called in the thread of a running event loop.
        """
        turn = self._turn(input, run_config, options)
        with ends_turn(turn), turn.as_parent():
            result = Runner.run_sync(starting_agent, input, run_config=_with_turn_model(turn, run_config), **options)
            _end_turn(turn, result)
        return result

    def run_streamed(
        self, starting_agent: Agent[Any], input: Any, *, run_config: RunConfig | None = None, **options: Any
    ) -> RunResultStreaming:
        """Call the SDK's `Runner.run_streamed` within a turn of the memory layer. `options` are passed on.

        The SDK continues a run even if nothing reads its stream. To cancel the run and its turn, call
        `result.cancel()`.
        """
        turn = self._turn(input, run_config, options)
        with turn.as_parent():
            result = Runner.run_streamed(
                starting_agent, input, run_config=_with_turn_model(turn, run_config), **options
            )
        if result.run_loop_task is not None:
            result.run_loop_task.add_done_callback(lambda task: _on_stream_end(turn, result, task))
        return result

    def as_tool(self, agent: Agent[Any], name: str, description: str, **options: Any) -> FunctionTool:
        """Return a tool that runs an agent with this runner, and so with its memory.

        The SDK's own `Agent.as_tool` runs the agent without memory. `options` are those of `run`. The context is that
        of the run that calls the tool, unless `options` has another.
        """

        async def run_agent(run: RunContextWrapper[Any], input: str) -> str:
            outer = {"context": run.context, **options}
            return output_text((await self.run(agent, input, **outer)).final_output)

        return function_tool(run_agent, name_override=name, description_override=description)

    def _turn(self, input: Any, config: RunConfig | None, options: Mapping[str, Any]) -> TurnSession:
        session: Session | None = options.get("session")
        session_id = session.session_id if session is not None else options.get("conversation_id")
        group_id = config.group_id if config else None
        return self._turn_of(session_id or group_id or self._session_id or "default", _context_of(input, options))

    def _turn_of(self, session_id: str, context: Any, kind: TurnKind = "user") -> TurnSession:
        return self._binding.turn(session_id, kind, run_context=context, user_id=user_in(context))


def _context_of(input: Any, options: Mapping[str, Any]) -> Any:
    """Return the context of a run: that of its options, or else that of the interrupted run that it resumes."""
    context = options.get("context")
    if context is None and isinstance(input, RunState):
        context = input._context
    return context.context if isinstance(context, RunContextWrapper) else context


def _on_stream_end(turn: TurnSession, result: RunResultStreaming, task: asyncio.Task[Any]) -> None:
    if not task.cancelled() and task.exception() is not None:
        turn.end("failed")
    elif not task.cancelled():
        _end_turn(turn, result)
    turn.end("abandoned")


def _end_turn(turn: TurnSession, result: RunResult | RunResultStreaming) -> None:
    """Record the tool calls of a run, and end its turn with the response.

    A run without an output waits for an approval or was stopped. Its turn is not ended here.
    """
    if result.final_output is None:
        return
    results = {item.call_id: item.output for item in result.new_items if isinstance(item, ToolCallOutputItem)}
    for item in result.new_items:
        if isinstance(item, ToolCallItem) and item.call_id in results:
            arguments = getattr(item.raw_item, "arguments", None)
            turn.record_tool_call(item.tool_name or "", arguments, results[item.call_id], id=item.call_id)
    turn.end("completed", output_text(result.final_output))


def _with_turn_model(turn: TurnSession, config: RunConfig | None) -> RunConfig:
    """Return a copy of the run's configuration in which each model call goes through a `_TurnModel`.

    The copy has an input filter, from which the `_TurnModel` learns which agent makes the call.
    """
    config = config or RunConfig()
    model = _TurnModel(turn, config)
    model.run = dataclasses.replace(config, model=model, call_model_input_filter=model.note_origin)
    return model.run


@dataclasses.dataclass(frozen=True, slots=True)
class _CallOrigin:
    """The agent that makes the next model call. `is_own` is False if this agent runs as a tool of another agent."""

    model: _TurnModel
    agent: Agent[Any]
    task: asyncio.Task[Any] | None
    is_own: bool


_call_origin: ContextVar[_CallOrigin | None] = ContextVar("cognitive_call_origin", default=None)


class _TurnModel(Model):
    """A model that prepares each call of a run for its turn, and passes the call to the agent's own model.

    The SDK also gives this model to agents that run as tools. Their calls are passed on unchanged. Such an agent runs
    in another asyncio task than the run, but inherits the run's `_CallOrigin` from the context. So a call is the run's
    own if the context has no `_CallOrigin` of this run, or has one that this task set.
    """

    def __init__(self, turn: TurnSession, config: RunConfig) -> None:
        self.run = config  # replaced by `_with_turn_model` with the run's own copy
        self._turn_session = turn
        self._config = config

    async def note_origin(self, data: CallModelData[Any]) -> ModelInputData:
        """Store which agent makes the next call, then apply the caller's own input filter and return its result."""
        before, task = _call_origin.get(), asyncio.current_task()
        is_own = before is None or before.model is not self or (before.task is task and before.is_own)
        _call_origin.set(_CallOrigin(self, data.agent, task, is_own))
        own_filter = self._config.call_model_input_filter
        if own_filter is None:
            return data.model_data
        filtered = own_filter(data)
        return await filtered if isawaitable(filtered) else filtered

    async def get_response(
        self, system_instructions: Any, input: Any, model_settings: Any, tools: Any, *rest: Any, **state: Any
    ) -> ModelResponse:
        """Prepare a model call, run it, and return the model's response."""
        model, request = await self._model_input(system_instructions, input, model_settings, tools, state)
        response = await model.get_response(*request, *rest, **state)
        return dataclasses.replace(response, output=self._rename_denied_calls(response.output))

    async def stream_response(
        self, system_instructions: Any, input: Any, model_settings: Any, tools: Any, *rest: Any, **state: Any
    ) -> AsyncIterator[Any]:
        """Prepare a model call, run it, and yield the events of the model's response."""
        model, request = await self._model_input(system_instructions, input, model_settings, tools, state)
        events = model.stream_response(*request, *rest, **state)
        try:
            async for event in events:
                yield self._filter_event(event) if isinstance(event, ResponseCompletedEvent) else event
        finally:
            if hasattr(events, "aclose"):
                await events.aclose()

    def _filter_event(self, event: ResponseCompletedEvent) -> ResponseCompletedEvent:
        output = self._rename_denied_calls(event.response.output)
        return event.model_copy(update={"response": event.response.model_copy(update={"output": output})})

    def _rename_denied_calls(self, output: list[Any]) -> list[Any]:
        """Rename calls of removed tools in the model's output, so that the SDK does not run these tools.

        The SDK would find a removed tool by its name and run it. A call with an unknown name is instead answered with
        an error for the model, because this method also sets the run's `tool_not_found_behavior`.
        """
        denied = [id(item) for item in output if isinstance(item, ResponseFunctionToolCall) and self._denies(item.name)]
        if not denied:
            return output
        self.run.tool_not_found_behavior = "return_error_to_model"
        return [
            item.model_copy(update={"name": f"{item.name[:_MAX_NAME_LENGTH]}_not_offered"})
            if id(item) in denied
            else item
            for item in output
        ]

    def _denies(self, name: str) -> bool:
        return self._origin.is_own and self._turn_session.denies(name)

    def get_retry_advice(self, request: Any) -> Any:
        """Return the retry advice of the agent's own model."""
        return self._agent_model().get_retry_advice(request)

    def _supports_default_prompt_cache_key(self) -> bool:
        """Return True if the agent's own model supports a default key of the prompt cache.

        The runner then sends this key to OpenAI.
        """
        own = getattr(self._agent_model(), "_supports_default_prompt_cache_key", None)
        return own is not None and bool(own())

    def _agent_model(self) -> Model:
        """Return the agent's own model, which the SDK would have called without this class."""
        model = self._config.model or self._origin.agent.model
        return model if isinstance(model, Model) else self._config.model_provider.get_model(model)

    @property
    def _origin(self) -> _CallOrigin:
        origin = _call_origin.get()
        assert origin is not None  # `note_origin` runs before every call
        return origin

    async def _model_input(
        self, system: str | None, input: Any, settings: ModelSettings, tools: list[Tool], state: Mapping[str, Any]
    ) -> tuple[Model, tuple[Any, ...]]:
        """Prepare a model call: return the model to call, and a tuple of system prompt, input, settings and tools."""
        model, settings = self._agent_model(), with_defaults(settings, self._origin.agent, self._config)
        if not self._origin.is_own:
            return model, (system, input, settings, tools)
        turn, items = self._turn_session, _CODEC.decode(input)
        turn_tools = (
            to_tool(each.name, each.description, each.params_json_schema)
            for each in tools
            if isinstance(each, FunctionTool)
        )
        name = getattr(model, "model", None)
        effort = settings.reasoning.effort if settings.reasoning is not None else None
        await turn.begin_from_conversation(
            items, turn_tools, model=name if isinstance(name, str) else None, thinking=effort
        )
        if state.get("conversation_id") or state.get("previous_response_id"):
            system = turn.system_with_memories(system or "")
        else:
            system, input = turn.system(system or ""), await turn.encode_messages(_CODEC, items)
        selected = with_demanded_tool(turn.select_tools(tools, lambda each: each.name, _rewrite_tool), tools, settings)
        return turn.model or model, (system or None, input, with_thinking(settings, turn.thinking), selected)


def _rewrite_tool(tool: Tool, spec: ToolSpec) -> Tool:
    if not isinstance(tool, FunctionTool):
        return tool
    return dataclasses.replace(tool, description=spec.description, params_json_schema=spec.parameters)
