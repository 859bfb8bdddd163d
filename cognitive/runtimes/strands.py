"""Adapter for Strands Agents: a plugin that adds memory to an agent.

agent = Agent(plugins=[CognitiveStrandsPlugin(layer, "my-agent", session_id="s1")])
agent("Where does the key hang?")
"""

from __future__ import annotations

from collections.abc import AsyncGenerator, Callable, Mapping, Sequence
from dataclasses import dataclass
from typing import Any, cast

from pydantic_core import to_json

from cognitive.extras import extra

with extra("strands"):
    from strands import ToolContext, tool
    from strands.hooks import AfterInvocationEvent, AfterModelCallEvent, BeforeInvocationEvent, BeforeToolCallEvent
    from strands.middleware import ExecuteToolStage, InvokeModelStage
    from strands.middleware.stages import ExecuteToolContext, InvokeModelContext
    from strands.models.model import Model
    from strands.plugins import Plugin
    from strands.types.events import ToolResultEvent, TypedEvent


from brain.types import MemoryType
from cognitive.blocking import Blocking
from cognitive.layer import CognitiveLayer
from cognitive.runtimes.codec import NOT_TEXT, PartsCodec, WrappedMessage, split_tool_results, to_tool_call
from cognitive.runtimes.identity import AgentIdSource, UserIdSource, user_in
from cognitive.runtimes.tools import DENIED, RECALL_DESCRIPTION, RECALL_NAME, RECALL_UNAVAILABLE, to_tool
from cognitive.runtimes.turn_session import AgentBinding, TurnSession
from cognitive.tool import ToolSpec
from cognitive.turn import Message

_ATTACHED = frozenset(("audio", "document", "image", "video"))  # keys of blocks that users attach


class CognitiveStrandsPlugin(Plugin):
    """A plugin that adds memories to an agent's invocations, selects their tools and shortens long conversations.

    The memory layer's session is `session_id` of the invocation's state, or else that of the plugin, or else the
    agent's id. Its user is `user_id` of the invocation's state. Functions of the run's context get the
    `BeforeInvocationEvent`, with the agent and the invocation's state. `recall_tool` adds the tool `recall_context`,
    with which the model searches its memory. The other parameters are those of `AgentBinding`. The level of thinking
    cannot be set for one call, because it is a setting of the shared model object. Instead, a turn's plan may choose
    another model among `models`.
    """

    name = "cognitive"

    def __init__(
        self,
        layer: CognitiveLayer | Blocking,
        agent_id: AgentIdSource,
        *,
        session_id: str | None = None,
        user_id: UserIdSource = None,
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
        """The plugin's tools: the recall tool, or none if it is not offered."""
        return super().tools if self._recall_tool else []

    def init_agent(self, agent: Any) -> None:
        """Register hooks and middleware for the agent's invocations, model calls and tool calls."""
        agent.add_hook(self._on_invocation_start, BeforeInvocationEvent)
        agent.add_hook(self._on_model_response, AfterModelCallEvent)
        agent.add_hook(self._on_invocation_end, AfterInvocationEvent)
        agent.add_hook(self._on_tool_call, BeforeToolCallEvent)
        agent.add_middleware(InvokeModelStage.Input, self._on_model_call)
        agent.add_middleware(ExecuteToolStage.Wrap, self._around_tool)

    def _on_invocation_start(self, event: BeforeInvocationEvent) -> None:
        session = event.invocation_state.get("session_id") or self._session_id or event.agent.agent_id
        turn = self._binding.turn(str(session), run_context=event, user_id=user_in(event.invocation_state))
        event.invocation_state[_key(event.agent)] = _Invocation(turn)

    def _on_model_response(self, event: AfterModelCallEvent) -> None:
        run = _invocation(event)
        if run is not None:
            run.failed = event.exception is not None

    def _on_tool_call(self, event: BeforeToolCallEvent) -> None:
        """Cancel the call of a tool that the turn removed. Strands would find the tool by its name and run it."""
        run = _invocation(event)
        if run is not None and run.turn.denies(event.tool_use["name"]):
            event.cancel_tool = DENIED

    def _on_invocation_end(self, event: AfterInvocationEvent) -> None:
        """End the turn of an invocation with the response.

        Strands does not report why an invocation ended without a response. The turn of such an invocation ends as
        failed if the latest model call failed, and else as abandoned.
        """
        run: _Invocation | None = event.invocation_state.pop(_key(event.agent), None)
        if run is None:
            return
        if event.result is not None and event.result.stop_reason in _COMPLETED_REASONS:
            run.turn.end("completed", str(event.result).strip())
        run.turn.end("failed" if run.failed else "abandoned")

    async def _on_model_call(self, context: InvokeModelContext) -> InvokeModelContext:
        """Prepare a model call: add memories, shorten a long conversation and select the tools, for that call only.

        The agent's own messages stay unchanged.
        """
        run = _invocation(context)
        if run is None:
            return context
        turn, conversation = run.turn, _CODEC.decode(context.messages)
        tools = (to_tool(each["name"], each["description"], _schema(each)) for each in context.tool_specs)
        await turn.begin_from_conversation(conversation, tools, model=context.model.get_config().get("model_id"))
        messages = await turn.messages(conversation)
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
        """Run a tool call, and record it with its result. Turns that begin while the tool runs are sub-agent turns."""
        events, run = next_fn(context), _invocation(context)
        turn = run.turn if run is not None else TurnSession(self._binding, "default", "subagent", None)
        try:
            while True:
                with turn.as_parent():  # not around the yield, during which the caller's code runs
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
        return await run.turn.recall(query, memory_type, limit) if run is not None else RECALL_UNAVAILABLE


# Stop reasons of a model that completed its response. With any other, the agent waits for something or was stopped.
_COMPLETED_REASONS = {"end_turn", "stop_sequence", "max_tokens", "tool_use"}


@dataclass(slots=True)
class _Invocation:
    """The state of a running invocation: its turn, and whether its latest model call failed."""

    turn: TurnSession
    failed: bool = False


def _key(agent: Any) -> str:
    return f"cognitive-{id(agent)}"  # cooperating agents share an invocation's state


def _invocation(context: Any) -> _Invocation | None:
    return cast(_Invocation | None, context.invocation_state.get(_key(context.agent)))


def _record_tool_call(turn: TurnSession, context: ExecuteToolContext, event: ToolResultEvent) -> None:
    call, result = context.tool_use, event.tool_result
    turn.record_tool_call(
        call["name"], call["input"], _result_text(result), ok=result.get("status") != "error", id=call.get("toolUseId")
    )


def _with_system(turn: TurnSession, own: Any) -> Any:
    if own is None or isinstance(own, str):
        return turn.system(own or "") or None
    prefix = turn.system()
    return [*own, {"text": prefix}] if prefix else own


def _schema(spec: Any) -> Mapping[str, Any]:
    schema = spec["inputSchema"]
    return cast(Mapping[str, Any], schema.get("json", schema))


def _rewrite_tool(own: Any, spec: ToolSpec) -> Any:
    return {**own, "description": spec.description, "inputSchema": {"json": spec.parameters}}


def _trailing_blocks(turn: TurnSession, messages: Sequence[Message]) -> int:
    """Return the number of blocks (parts of messages) at the prompt's end that the next turn's prompt will not repeat.

    It is 1 if the user's message ends with memories, and else 0. A provider should not add these blocks to its prompt
    cache.
    """
    last = messages[-1] if messages else None
    if turn.context is None or turn.context.placement != "user_tail" or not isinstance(last, WrappedMessage):
        return 0
    return 1 if last.role == "user" and last.appended is not None else 0


class StrandsCodec(PartsCodec[Any, Any]):
    """Converts Strands' messages, whose parts are called blocks, to the memory layer's messages and back."""

    def split(self, message: Any) -> list[list[Any]]:
        """Divide a message's parts into groups, one per layer message: each tool result alone, other parts together."""
        return split_tool_results(message["content"], lambda block: "toolResult" in block)

    def wrap(self, message: Any, parts: Sequence[Any]) -> WrappedMessage:
        """Convert a group of a message's parts to one message of the memory layer."""
        if parts and "toolResult" in parts[0]:
            result = parts[0]["toolResult"]
            text, failed = _result_text(result), result.get("status") == "error"
            return WrappedMessage.wrap((message, parts), "tool", text, tool_call_id=result["toolUseId"], failed=failed)
        native_calls = [block["toolUse"] for block in parts if "toolUse" in block]
        calls = [to_tool_call(each["name"], each["input"], each["toolUseId"]) for each in native_calls]
        content = [block.get("text") or block for block in parts if block.get("text") or _ATTACHED & block.keys()]
        if not content and not calls:
            content = [NOT_TEXT]
        return WrappedMessage.wrap((message, parts), message["role"], content, tool_calls=calls)

    def join(self, message: Any, parts: list[Any]) -> Any:
        """Return the framework's message with `parts` as its parts, or `message` itself if they are unchanged."""
        return message if parts == message["content"] else {**message, "content": parts}

    def create(self, message: Message) -> Any:
        """Convert a message that the memory layer added, such as a summary, to a Strands message.

        The result of an interrupted tool call becomes an error result.
        """
        content = [{"text": message.content}]
        if message.role == "tool":
            result = {"toolUseId": message.tool_call_id or "", "status": "error", "content": content}
            return {"role": "user", "content": [{"toolResult": result}]}
        return {"role": "assistant" if message.role == "assistant" else "user", "content": content}

    def text_part(self, text: str) -> Any:
        """Create a part with this text."""
        return {"text": text}

    def is_text(self, part: Any) -> bool:
        """Return True if the part is a text."""
        return "text" in part

    def with_result(self, part: Any, text: str) -> Any:
        """Create a copy of a tool result part in which `text` replaces the result."""
        return {"toolResult": {**part["toolResult"], "content": [{"text": text}]}}

    def with_arguments(self, part: Any, arguments: Mapping[str | None, dict[str, Any]]) -> Any:
        """Replace the arguments of a tool call part if `arguments` has its call id. Return other parts unchanged."""
        call = part.get("toolUse")
        if call is None or call["toolUseId"] not in arguments:
            return part
        return {**part, "toolUse": {**call, "input": arguments[call["toolUseId"]]}}


def _result_text(result: Mapping[str, Any]) -> str:
    return "\n".join(map(_part_text, result.get("content") or []))


def _part_text(block: Mapping[str, Any]) -> str:
    if "json" in block:
        return to_json(block["json"], fallback=str).decode()
    return str(block.get("text", NOT_TEXT))


_CODEC = StrandsCodec()
