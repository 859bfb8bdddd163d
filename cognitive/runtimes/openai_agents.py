"""OpenAI Agents SDK: a runner in place of the SDK's own, over its `Model` interface.

    runner = CognitiveRunner(layer, "my-agent")
    result = await runner.run(agent, "Where does the key hang?", session=session)

The session is the SDK's own (`session.session_id`), or else the `conversation_id`, or the run's `group_id`.
"""

from __future__ import annotations

import asyncio
import dataclasses
from collections.abc import AsyncIterator, Mapping
from contextvars import ContextVar
from inspect import isawaitable
from typing import Any

from agents import (
    Agent,
    FunctionTool,
    Model,
    ModelResponse,
    ModelSettings,
    RunConfig,
    Runner,
    RunResult,
    RunResultStreaming,
    Session,
    Tool,
    ToolCallItem,
    ToolCallOutputItem,
    function_tool,
)
from agents.models import get_default_model, get_default_model_settings
from agents.run_config import CallModelData, ModelInputData
from openai.types.responses import ResponseCompletedEvent, ResponseFunctionToolCall

from brain.types import MemoryType
from cognitive.layer import CognitiveLayer
from cognitive.runtimes.codec import output_text
from cognitive.runtimes.openai_items import ItemCodec
from cognitive.runtimes.tools import RECALL_DESCRIPTION, RECALL_NAME, to_tool
from cognitive.runtimes.turn_session import AgentBinding, TurnSession, current_turn, ends_turn
from cognitive.turn import ToolSpec

_CODEC = ItemCodec()
_MAX_NAME_LENGTH = 52  # of the 64 characters that OpenAI takes


class CognitiveRunner:
    """Memory, planned tools and a bounded conversation for the runs of an agent and of those that it hands over to.

    `session_id` is for a host whose runs have no session of the SDK's; everything else is as in `AgentBinding`. The
    caller's `RunConfig`, hooks, session and handoffs are taken as they are, and no agent is changed. Put `recall_tool`
    among the tools of an agent that may search its memory. An agent that runs within a tool is left alone.

    How hard to think is set where the settings have `reasoning`, the caller's or the SDK's own for the model's name.
    In a run with a `conversation_id` or `previous_response_id` OpenAI keeps the history: the memories then stand in the
    instructions, which it does not keep, and the conversation is not bounded. A run that stops for an approval is
    recorded as abandoned; the run that takes it up again is a turn of its own.
    """

    def __init__(
        self,
        layer: CognitiveLayer,
        agent_id: str,
        *,
        session_id: str | None = None,
        user_id: str | None = None,
        model: str | None = None,
        models: Mapping[str, Model] | None = None,
    ) -> None:
        self._binding = AgentBinding(
            layer, agent_id, runtime="openai-agents", user_id=user_id, model=model, models=models
        )
        self._session_id = session_id

        async def recall_context(query: str, memory_type: MemoryType | None = None, limit: int = 5) -> str:
            turn = current_turn() or self._binding.turn("default", "subagent")
            return await turn.recall(query, memory_type, limit)

        self.recall_tool: FunctionTool = function_tool(
            recall_context, name_override=RECALL_NAME, description_override=RECALL_DESCRIPTION
        )

    async def run(
        self, starting_agent: Agent[Any], input: Any, *, run_config: RunConfig | None = None, **options: Any
    ) -> RunResult:
        """`Runner.run`, with its options."""
        turn = self._turn(run_config, options)
        with ends_turn(turn), turn.as_parent():
            result = await Runner.run(starting_agent, input, run_config=_with_turn_model(turn, run_config), **options)
            _end_turn(turn, result)
        return result

    def run_streamed(
        self, starting_agent: Agent[Any], input: Any, *, run_config: RunConfig | None = None, **options: Any
    ) -> RunResultStreaming:
        """`Runner.run_streamed`, with its options. The SDK goes on with a run whose reader leaves until it is cancelled
        (`result.cancel()`), which abandons the turn.
        """
        turn = self._turn(run_config, options)
        with turn.as_parent():
            result = Runner.run_streamed(
                starting_agent, input, run_config=_with_turn_model(turn, run_config), **options
            )
        if result.run_loop_task is not None:
            result.run_loop_task.add_done_callback(lambda task: _on_stream_end(turn, result, task))
        return result

    def _turn(self, config: RunConfig | None, options: Mapping[str, Any]) -> TurnSession:
        session: Session | None = options.get("session")
        own = session.session_id if session is not None else options.get("conversation_id")
        return self._binding.turn(own or (config.group_id if config else None) or self._session_id or "default")


def _on_stream_end(turn: TurnSession, result: RunResultStreaming, task: asyncio.Task[Any]) -> None:
    if not task.cancelled() and task.exception() is not None:
        turn.end("failed")
    elif not task.cancelled():
        _end_turn(turn, result)
    turn.end("abandoned")


def _end_turn(turn: TurnSession, result: RunResult | RunResultStreaming) -> None:
    """Ends the turn with what a run came to; one without an output waits for an approval, or was told to stop."""
    if result.final_output is None:
        return
    given = {item.call_id: item.output for item in result.new_items if isinstance(item, ToolCallOutputItem)}
    for item in result.new_items:
        if isinstance(item, ToolCallItem) and item.call_id in given:
            arguments = getattr(item.raw_item, "arguments", None)
            turn.record_tool_call(item.tool_name or "", arguments, given[item.call_id], id=item.call_id)
    turn.end("completed", output_text(result.final_output))


def _with_turn_model(turn: TurnSession, config: RunConfig | None) -> RunConfig:
    """The run's configuration with a model before each agent's own, which is told whose call it is."""
    config = config or RunConfig()
    model = _TurnModel(turn, config)
    model.run = dataclasses.replace(config, model=model, call_model_input_filter=model.note_origin)
    return model.run


@dataclasses.dataclass(frozen=True, slots=True)
class _CallOrigin:
    """Whose call comes next, and whether the agent is one of the run's or runs as a tool of it."""

    model: _TurnModel
    agent: Agent[Any]
    task: asyncio.Task[Any] | None
    is_own: bool


_call_origin: ContextVar[_CallOrigin | None] = ContextVar("cognitive_call_origin", default=None)


class _TurnModel(Model):
    """Stands before the models of one run: each call goes on to the agent's own, as the turn would have it.

    An agent that runs as a tool is given the run's configuration by the SDK, and its calls go on as they are. It is
    told by its task: one that began with a note of this run, while the run's own find none, or that of themselves.
    """

    def __init__(self, turn: TurnSession, config: RunConfig) -> None:
        self.run = config  # the run's own copy, when that is made
        self._turn_session = turn
        self._config = config

    async def note_origin(self, data: CallModelData[Any]) -> ModelInputData:
        """The caller's own filter, and a note of the agent."""
        before, task = _call_origin.get(), asyncio.current_task()
        is_own = before is None or before.model is not self or (before.task is task and before.is_own)
        _call_origin.set(_CallOrigin(self, data.agent, task, is_own))
        own = self._config.call_model_input_filter
        if own is None:
            return data.model_data
        filtered = own(data)
        return await filtered if isawaitable(filtered) else filtered

    async def get_response(
        self, system_instructions: Any, input: Any, model_settings: Any, tools: Any, *rest: Any, **state: Any
    ) -> ModelResponse:
        """One answer."""
        model, given = await self._model_input(system_instructions, input, model_settings, tools, state)
        response = await model.get_response(*given, *rest, **state)
        return dataclasses.replace(response, output=self._rename_denied_calls(response.output))

    async def stream_response(
        self, system_instructions: Any, input: Any, model_settings: Any, tools: Any, *rest: Any, **state: Any
    ) -> AsyncIterator[Any]:
        """One answer, in pieces."""
        model, given = await self._model_input(system_instructions, input, model_settings, tools, state)
        pieces = model.stream_response(*given, *rest, **state)
        try:
            async for piece in pieces:
                yield self._filter_event(piece) if isinstance(piece, ResponseCompletedEvent) else piece
        finally:
            if hasattr(pieces, "aclose"):
                await pieces.aclose()

    def _filter_event(self, piece: ResponseCompletedEvent) -> ResponseCompletedEvent:
        output = self._rename_denied_calls(piece.response.output)
        return piece.model_copy(update={"response": piece.response.model_copy(update={"output": output})})

    def _rename_denied_calls(self, output: list[Any]) -> list[Any]:
        """What the model gave, with a call of a tool that the turn took away under a name that no tool has: of those
        the SDK then tells the model, in this run, in place of running what is not offered.
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
        """What the agent's own model says of it."""
        return self._agent_model().get_retry_advice(request)

    def _supports_default_prompt_cache_key(self) -> bool:
        """The runner asks the model at hand: without an answer, OpenAI's prompt cache would be missed more often."""
        own = getattr(self._agent_model(), "_supports_default_prompt_cache_key", None)
        return own is not None and bool(own())

    def _agent_model(self) -> Model:
        """The model that the SDK would have called."""
        named = self._config.model or self._origin.agent.model
        return named if isinstance(named, Model) else self._config.model_provider.get_model(named)

    @property
    def _origin(self) -> _CallOrigin:
        origin = _call_origin.get()
        assert origin is not None  # the filter stands before every call
        return origin

    async def _model_input(
        self, system: str | None, said: Any, settings: ModelSettings, tools: list[Tool], state: Mapping[str, Any]
    ) -> tuple[Model, tuple[Any, ...]]:
        """The model of a call, and what it is given: system instructions, input, settings and tools."""
        model, settings = self._agent_model(), _with_defaults(settings, self._origin.agent, self._config)
        if not self._origin.is_own:
            return model, (system, said, settings, tools)
        turn, items = self._turn_session, _CODEC.decode(said)
        given = (
            to_tool(each.name, each.description, each.params_json_schema)
            for each in tools
            if isinstance(each, FunctionTool)
        )
        name = getattr(model, "model", None)
        effort = settings.reasoning.effort if settings.reasoning is not None else None
        await turn.begin_from_conversation(items, given, model=name if isinstance(name, str) else None, thinking=effort)
        if state.get("conversation_id") or state.get("previous_response_id"):
            system = turn.system_with_memories(system or "")
        else:
            system, said = turn.system(system or ""), await turn.encode_messages(_CODEC, items)
        kept = _with_demanded_tool(turn.select_tools(tools, lambda each: each.name, _rewrite_tool), tools, settings)
        return turn.model or model, (system or None, said, _with_thinking(settings, turn.thinking), kept)


def _rewrite_tool(tool: Tool, spec: ToolSpec) -> Tool:
    if not isinstance(tool, FunctionTool):
        return tool
    return dataclasses.replace(tool, description=spec.description, params_json_schema=spec.parameters)


def _with_demanded_tool(kept: list[Tool], tools: list[Tool], settings: ModelSettings) -> list[Tool]:
    """The tools with the one that the caller's settings demand: a provider refuses a choice that it was not given."""
    demanded = [each for each in tools if each.name == settings.tool_choice and each not in kept]
    return tools if settings.tool_choice == "required" and not kept else kept + demanded


def _with_defaults(settings: ModelSettings, agent: Agent[Any], config: RunConfig) -> ModelSettings:
    """The settings with the defaults of the model's name, which the SDK leaves out before a model that is an object.

    Only the runner resets a choice of tool, so that stays as it came.
    """
    base = agent.model_settings
    if config.model is not None:
        base = _defaults(config.model) if base == _defaults(agent.model) else ModelSettings()
    return dataclasses.replace(base.resolve(settings), tool_choice=settings.tool_choice)


def _defaults(model: str | Model | None) -> ModelSettings:
    return ModelSettings() if isinstance(model, Model) else get_default_model_settings(model or get_default_model())


def _with_thinking(settings: ModelSettings, level: str | None) -> ModelSettings:
    """How hard to think, where the settings speak of it: a model that does not reason refuses to be told."""
    if level is None or settings.reasoning is None:
        return settings
    reasoning = settings.reasoning.model_copy(update={"effort": _EFFORT.get(level, level)})
    return dataclasses.replace(settings, reasoning=reasoning)


_EFFORT: Mapping[str, str] = {"off": "low", "minimal": "low", "xhigh": "high"}  # what every model that reasons takes
