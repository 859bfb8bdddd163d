"""Strands Agents: a plugin of an agent.

    agent = Agent(plugins=[CognitiveStrandsPlugin(layer, "my-agent", session_id="s1")])
    await agent.invoke_async("Where does the key hang?")

Call the agent asynchronously: `agent(...)` runs in an event loop of its own, where the layer's connections are not.
"""

from __future__ import annotations

from collections.abc import AsyncGenerator, Callable, Mapping, Sequence
from dataclasses import dataclass
from typing import Any, cast

from pydantic_core import to_json
from strands import ToolContext, tool
from strands.hooks import AfterInvocationEvent, AfterModelCallEvent, BeforeInvocationEvent, BeforeToolCallEvent
from strands.middleware import ExecuteToolStage, InvokeModelStage
from strands.middleware.stages import ExecuteToolContext, InvokeModelContext
from strands.models.model import Model
from strands.plugins import Plugin
from strands.types.events import ToolResultEvent, TypedEvent

from brain.types import MemoryType
from cognitive.layer import CognitiveLayer
from cognitive.runtimes.codec import NOT_TEXT, PartsCodec, WrappedMessage, split_tool_results, to_tool_call
from cognitive.runtimes.tools import DENIED, RECALL_DESCRIPTION, RECALL_NAME, to_tool
from cognitive.runtimes.turn_session import AgentBinding, TurnSession
from cognitive.turn import Message, ToolSpec


class CognitiveStrandsPlugin(Plugin):
    """Memory, planned tools and a bounded conversation for every invocation of an agent.

    The session is `session_id` of the invocation's state, or of the plugin, or else the agent's id. `recall_tool`
    offers the model `recall_context`; everything else is as in `AgentBinding`. How hard to think is a setting of a
    model here, which calls share: let a plan ask for another of `models` instead.
    """

    name = "cognitive"

    def __init__(
        self,
        layer: CognitiveLayer,
        agent_id: str,
        *,
        session_id: str | None = None,
        user_id: str | None = None,
        model: str | None = None,
        models: Mapping[str, Model] | None = None,
        recall_tool: bool = True,
    ) -> None:
        super().__init__()
        self._binding = AgentBinding(layer, agent_id, runtime="strands", user_id=user_id, model=model, models=models)
        self._session_id = session_id
        self._recall_tool = recall_tool

    @property
    def tools(self) -> list[Any]:
        """The recall tool."""
        return super().tools if self._recall_tool else []

    def init_agent(self, agent: Any) -> None:
        """Stands around the agent's invocations, and its calls of models and of tools."""
        agent.add_hook(self._on_invocation_start, BeforeInvocationEvent)
        agent.add_hook(self._on_model_response, AfterModelCallEvent)
        agent.add_hook(self._on_invocation_end, AfterInvocationEvent)
        agent.add_hook(self._on_tool_call, BeforeToolCallEvent)
        agent.add_middleware(InvokeModelStage.Input, self._on_model_call)
        agent.add_middleware(ExecuteToolStage.Wrap, self._around_tool)

    def _on_invocation_start(self, event: BeforeInvocationEvent) -> None:
        session = event.invocation_state.get("session_id") or self._session_id or event.agent.agent_id
        event.invocation_state[_key(event.agent)] = _Invocation(self._binding.turn(str(session)))

    def _on_model_response(self, event: AfterModelCallEvent) -> None:
        run = _invocation(event)
        if run is not None:
            run.failed = event.exception is not None

    def _on_tool_call(self, event: BeforeToolCallEvent) -> None:
        """Tools are found by name: one that the turn took away is not run."""
        run = _invocation(event)
        if run is not None and run.turn.denies(event.tool_use["name"]):
            event.cancel_tool = DENIED

    def _on_invocation_end(self, event: AfterInvocationEvent) -> None:
        """Ends the turn; Strands says with no result that the run broke off, not why."""
        run: _Invocation | None = event.invocation_state.pop(_key(event.agent), None)
        if run is None:
            return
        if event.result is not None and event.result.stop_reason in _COMPLETED_REASONS:
            run.turn.end("completed", str(event.result).strip())
        run.turn.end("failed" if run.failed else "abandoned")

    async def _on_model_call(self, context: InvokeModelContext) -> InvokeModelContext:
        """What the model is given: for this call alone, nothing of it enters the agent's messages."""
        run = _invocation(context)
        if run is None:
            return context
        turn, said = run.turn, _CODEC.decode(context.messages)
        tools = (to_tool(each["name"], each["description"], _schema(each)) for each in context.tool_specs)
        await turn.begin_from_conversation(said, tools, model=context.model.get_config().get("model_id"))
        messages = await turn.messages(said)
        trailing = context.dynamic_trailing_blocks + _trailing_blocks(turn, messages)
        return context.replace(
            messages=_CODEC.encode(messages),
            system_prompt=_with_system(turn, context.system_prompt),
            tool_specs=turn.select_tools(context.tool_specs, lambda each: each["name"], _rewrite_tool),
            model=turn.model or context.model,
            dynamic_trailing_blocks=trailing,
        )

    async def _around_tool(
        self, context: ExecuteToolContext, next_fn: Callable[[ExecuteToolContext], AsyncGenerator[TypedEvent, None]]
    ) -> AsyncGenerator[TypedEvent, None]:
        """Keeps what a tool gave; what begins while it works is a sub-agent's."""
        events, run = next_fn(context), _invocation(context)
        turn = run.turn if run is not None else self._binding.turn("default", "subagent")
        try:
            while True:
                with turn.as_parent():  # not around the yield, where the reader of the stream is at work
                    event = await anext(events, None)
                if event is None:
                    return
                if isinstance(event, ToolResultEvent):
                    _record_tool_call(turn, context, event)
                yield event
        finally:
            await events.aclose()

    @tool(name=RECALL_NAME, description=RECALL_DESCRIPTION, context=True)
    async def _recall(
        self, query: str, tool_context: ToolContext, memory_type: MemoryType | None = None, limit: int = 5
    ) -> str:
        run = _invocation(tool_context)
        turn = run.turn if run is not None else self._binding.turn("default", "subagent")
        return await turn.recall(query, memory_type, limit)


# Why a model stops that has said what it had to say; else the agent waits for something, or was stopped.
_COMPLETED_REASONS = {"end_turn", "stop_sequence", "max_tokens", "tool_use"}


@dataclass(slots=True)
class _Invocation:
    """An invocation under way: its turn, and whether the latest call of the model failed."""

    turn: TurnSession
    failed: bool = False


def _key(agent: Any) -> str:
    return f"cognitive-{id(agent)}"  # agents that work together share the state of an invocation


def _invocation(context: Any) -> _Invocation | None:
    return cast(_Invocation | None, context.invocation_state.get(_key(context.agent)))


def _record_tool_call(turn: TurnSession, context: ExecuteToolContext, event: ToolResultEvent) -> None:
    made, given = context.tool_use, event.tool_result
    turn.record_tool_call(
        made["name"], made["input"], _result_text(given), ok=given.get("status") != "error", id=made.get("toolUseId")
    )


def _with_system(turn: TurnSession, own: Any) -> Any:
    if own is None or isinstance(own, str):
        return turn.system(own or "") or None
    behind = turn.system()
    return [*own, {"text": behind}] if behind else own


def _schema(spec: Any) -> Mapping[str, Any]:
    schema = spec["inputSchema"]
    return cast(Mapping[str, Any], schema.get("json", schema))


def _rewrite_tool(own: Any, spec: ToolSpec) -> Any:
    return {**own, "description": spec.description, "inputSchema": {"json": spec.parameters}}


def _trailing_blocks(turn: TurnSession, messages: Sequence[Message]) -> int:
    """How many blocks at the end are another in the next turn: a provider's cache ends before them."""
    last = messages[-1] if messages else None
    if turn.context is None or turn.context.placement != "user_tail" or not isinstance(last, WrappedMessage):
        return 0
    return 1 if last.role == "user" and last.appended is not None else 0


class StrandsCodec(PartsCodec[Any, Any]):
    """Messages of Strands, whose parts are blocks."""

    def split(self, message: Any) -> list[list[Any]]:
        """Return each tool's result by itself, all other blocks in runs."""
        return split_tool_results(message["content"], lambda block: "toolResult" in block)

    def wrap(self, message: Any, parts: Sequence[Any]) -> WrappedMessage:
        """Return blocks as the layer reads them."""
        if parts and "toolResult" in parts[0]:
            given = parts[0]["toolResult"]
            return WrappedMessage.wrap((message, parts), "tool", _result_text(given), tool_call_id=given["toolUseId"])
        made = [block["toolUse"] for block in parts if "toolUse" in block]
        calls = [to_tool_call(each["name"], each["input"], each["toolUseId"]) for each in made]
        text = "\n".join(block["text"] for block in parts if block.get("text"))
        said = text or ("" if calls else NOT_TEXT)
        return WrappedMessage.wrap((message, parts), message["role"], said, tool_calls=calls)

    def join(self, message: Any, parts: list[Any]) -> Any:
        """Return the message with these blocks."""
        return message if parts == message["content"] else {**message, "content": parts}

    def create(self, message: Message) -> Any:
        """Return a message of the window's own; the result of a call that was interrupted is an error."""
        content = [{"text": message.content}]
        if message.role == "tool":
            result = {"toolUseId": message.tool_call_id or "", "status": "error", "content": content}
            return {"role": "user", "content": [{"toolResult": result}]}
        return {"role": "assistant" if message.role == "assistant" else "user", "content": content}

    def text_part(self, text: str) -> Any:
        """Return a block of text."""
        return {"text": text}

    def is_text(self, part: Any) -> bool:
        """Return whether a block is text."""
        return "text" in part

    def with_result(self, part: Any, text: str) -> Any:
        """Return the result with other words."""
        return {"toolResult": {**part["toolResult"], "content": [{"text": text}]}}

    def with_arguments(self, part: Any, arguments: Mapping[str | None, dict[str, Any]]) -> Any:
        """Return the call with the arguments for its id."""
        made = part.get("toolUse")
        if made is None or made["toolUseId"] not in arguments:
            return part
        return {**part, "toolUse": {**made, "input": arguments[made["toolUseId"]]}}


def _result_text(given: Mapping[str, Any]) -> str:
    return "\n".join(map(_part_text, given.get("content") or []))


def _part_text(block: Mapping[str, Any]) -> str:
    if "json" in block:
        return to_json(block["json"], fallback=str).decode()
    return str(block.get("text", NOT_TEXT))


_CODEC = StrandsCodec()
