"""LangChain and LangGraph: a middleware of an agent.

    create_agent(model, tools, middleware=[CognitiveMiddleware(layer, "my-agent"), ...])

The session is the run's `thread_id`, the user its `user_id` (both in `configurable`). `cognitive.runtimes.langgraph`
has the store.
"""

from __future__ import annotations

import asyncio
from collections import OrderedDict
from collections.abc import Iterator, Mapping, Sequence
from contextlib import contextmanager
from typing import Annotated, Any, NotRequired

from langchain.agents.middleware import AgentMiddleware, AgentState
from langchain.agents.middleware.types import ModelRequest, PrivateStateAttr, ToolCallRequest
from langchain.tools import ToolRuntime
from langchain_core.language_models import BaseChatModel
from langchain_core.messages import AIMessage, AnyMessage, HumanMessage, SystemMessage, ToolMessage
from langchain_core.tools import BaseTool, tool
from langchain_core.utils.function_calling import convert_to_openai_tool
from langgraph.channels import UntrackedValue
from langgraph.config import get_config
from langgraph.errors import GraphBubbleUp

from brain.types import MemoryType
from cognitive.layer import CognitiveLayer
from cognitive.plan import THINKING
from cognitive.runtimes.codec import NOT_TEXT, WholeMessageCodec, WrappedMessage, output_text, to_tool_call
from cognitive.runtimes.tools import DENIED, RECALL_DESCRIPTION, RECALL_NAME, to_tool
from cognitive.runtimes.turn_session import AgentBinding, TurnSession
from cognitive.turn import Message, Tool, ToolCall, ToolSpec

_MAX_OPEN_TURNS = 512  # turns by their threads, for runs that go on after an interrupt


class CognitiveState(AgentState[Any]):
    """The agent's state with the turn at hand, which no checkpoint keeps."""

    cognitive_turn: NotRequired[Annotated[Any, UntrackedValue, PrivateStateAttr]]


class CognitiveMiddleware(AgentMiddleware[CognitiveState]):
    """Memory, planned tools and a bounded conversation for every run of an agent, by `ainvoke` and `astream`.

    Put it first: what stands behind it may try again, and an error that reaches it ends the turn. A stream that is left
    between two steps is told by nobody: its turn ends with the next one of its thread. `thinking` are model settings by
    level; without it, models whose profile has levels of effort get `reasoning_effort`. The rest is as in
    `AgentBinding`.
    """

    state_schema = CognitiveState

    def __init__(
        self,
        layer: CognitiveLayer,
        agent_id: str,
        *,
        session_id: str = "default",
        user_id: str | None = None,
        model: str | None = None,
        models: Mapping[str, BaseChatModel] | None = None,
        recall_tool: bool = True,
        thinking: Mapping[str, Mapping[str, Any]] | None = None,
    ) -> None:
        super().__init__()
        self.tools = [self._recall_tool()] if recall_tool else []
        self._binding = AgentBinding(layer, agent_id, runtime="langchain", user_id=user_id, model=model, models=models)
        self._session_id = session_id
        self._thinking = thinking
        self._open: OrderedDict[str, TurnSession] = OrderedDict()

    async def abefore_agent(self, state: CognitiveState, runtime: Any) -> dict[str, Any]:
        """A turn about to begin; what its thread left open was abandoned."""
        return {"cognitive_turn": self._start_turn(_config_value("thread_id"))}

    async def awrap_model_call(self, request: ModelRequest[Any], handler: Any) -> Any:
        """What the model sees: for this call alone, nothing of it enters the state."""
        turn = self._turn(request.state)
        said = _CODEC.decode(request.messages)
        await turn.begin_from_conversation(
            said,
            map(_to_tool, request.tools),
            model=_model_name(request.model),
            user_id=_config_value("user_id"),
            thinking=request.model_settings.get("reasoning_effort") or getattr(request.model, "reasoning_effort", None),
        )
        shown = await self._model_request(turn, request, said)
        with _ends_on_error(turn):
            return await handler(shown)

    async def awrap_tool_call(self, request: ToolCallRequest, handler: Any) -> Any:
        """Keeps what a tool gave; one that the turn took away gives nothing."""
        turn, made = self._turn(request.state), request.tool_call
        if turn.denies(made["name"]):
            return ToolMessage(DENIED, name=made["name"], tool_call_id=made["id"], status="error")
        tracked = turn.track_tool_call(made["name"], made["args"], made["id"], interrupts=(GraphBubbleUp,))
        with _ends_on_error(turn), tracked as returned:
            result = await handler(request)
            if isinstance(result, ToolMessage):
                returned(result.text, ok=result.status != "error")
        return result

    async def aafter_agent(self, state: CognitiveState, runtime: Any) -> None:
        """Ends the turn with the answer."""
        self._turn(state).end("completed", _response_text(state))

    def _recall_tool(self) -> BaseTool:
        @tool(RECALL_NAME, description=RECALL_DESCRIPTION)
        async def recall_context(
            query: str, runtime: ToolRuntime[Any, Any], memory_type: MemoryType | None = None, limit: int = 5
        ) -> str:
            return await self._turn(runtime.state).recall(query, memory_type, limit)

        return recall_context

    def _start_turn(self, thread: str | None) -> TurnSession:
        turn = self._binding.turn(thread or self._session_id)
        if thread is not None and not turn.has_begun:
            if thread in self._open:
                self._open.pop(thread).end("abandoned")
            self._open[thread] = turn
            while len(self._open) > _MAX_OPEN_TURNS:
                self._open.popitem(last=False)
        return turn

    def _turn(self, state: Any) -> TurnSession:
        """The run's turn; of a run that goes on after an interrupt, that of its thread."""
        turn: TurnSession | None = state.get("cognitive_turn")
        if turn is not None:
            return turn
        thread = _config_value("thread_id")
        return self._open.get(thread or "") or self._start_turn(thread)

    async def _model_request(
        self, turn: TurnSession, request: ModelRequest[Any], said: Sequence[WrappedMessage]
    ) -> ModelRequest[Any]:
        model = turn.model or request.model
        return request.override(
            model=model,
            system_message=_with_system(request.system_message, turn.system()),
            messages=await turn.encode_messages(_CODEC, said),
            tools=turn.select_tools(request.tools, _tool_name, _rewrite_tool),
            model_settings={**request.model_settings, **self._effort(model, turn.thinking)},
        )

    def _effort(self, model: BaseChatModel, level: str | None) -> Mapping[str, Any]:
        if level is None:
            return {}
        if self._thinking is not None:
            return self._thinking.get(level, {})
        levels = (model.profile or {}).get("reasoning_effort_levels") or ()
        nearest = _nearest(level, levels)
        return {"reasoning_effort": nearest} if nearest is not None else {}


@contextmanager
def _ends_on_error(turn: TurnSession) -> Iterator[None]:
    """An error fails the turn, a cancellation gives it up; an interrupt is neither, the run will go on."""
    try:
        yield
    except GraphBubbleUp:
        raise
    except asyncio.CancelledError:
        turn.end("abandoned")
        raise
    except Exception:
        turn.end("failed")
        raise


def _config_value(name: str) -> str | None:
    value = get_config().get("configurable", {}).get(name)
    return str(value) if value else None


def _nearest(level: str, levels: Sequence[str]) -> str | None:
    """The level among a model's own that is nearest to one of ours, the lesser of two; None if it has none of them."""
    known = [each for each in THINKING if ("none" if each == "off" else each) in levels]
    best = min(known, key=lambda each: abs(THINKING.index(each) - THINKING.index(level)), default=None)
    return "none" if best == "off" else best


def _model_name(model: BaseChatModel) -> str | None:
    named = (getattr(model, name, None) for name in ("model_name", "model", "model_id"))
    return next((name for name in named if isinstance(name, str) and name), None)


# --- tools ---

_OfferedTool = BaseTool | dict[str, Any]


def _tool_name(given: _OfferedTool) -> str:
    if isinstance(given, BaseTool):
        return given.name
    return str(given.get("name") or given.get("function", {}).get("name") or given.get("type", ""))


def _to_tool(given: _OfferedTool) -> Tool | None:
    """A tool that the host runs; a provider's own stays as it is."""
    if not isinstance(given, BaseTool):
        return None
    function = convert_to_openai_tool(given)["function"]
    return to_tool(given.name, given.description, function.get("parameters"))


def _rewrite_tool(given: _OfferedTool, spec: ToolSpec) -> _OfferedTool:
    """A copy for the model's eyes: what runs is the tool that the agent was made with."""
    assert isinstance(given, BaseTool)  # the others were not given to the turn
    return given.model_copy(update={"description": spec.description, "args_schema": spec.parameters})


# --- messages ---


def _response_text(state: CognitiveState) -> str:
    if state.get("structured_response") is not None:
        return output_text(state["structured_response"])
    return next((message.text for message in reversed(state["messages"]) if isinstance(message, AIMessage)), "")


def _with_system(own: SystemMessage | None, behind: str) -> SystemMessage | None:
    if not behind:
        return own
    if own is None:
        return SystemMessage(behind)
    if isinstance(own.content, str):
        return own.model_copy(update={"content": f"{own.content}\n\n{behind}"})
    return own.model_copy(update={"content": [*own.content, {"type": "text", "text": behind}]})


class LangChainCodec(WholeMessageCodec[AnyMessage]):
    """Messages of LangChain."""

    def wrap(self, message: AnyMessage) -> WrappedMessage:
        """Return a message as the layer reads it."""
        text = "\n".join(map(_part_text, [message.content] if isinstance(message.content, str) else message.content))
        match message:
            case HumanMessage():
                return WrappedMessage.wrap(message, "user", text)
            case AIMessage():
                made: Sequence[Any] = (*message.tool_calls, *message.invalid_tool_calls)
                calls = [to_tool_call(each["name"], each["args"], each["id"]) for each in made]
                return WrappedMessage.wrap(message, "assistant", text, tool_calls=calls)
            case ToolMessage(tool_call_id=id):
                return WrappedMessage.wrap(message, "tool", text, tool_call_id=id)
        return WrappedMessage.wrap(message, "system", text)

    def replace(self, native: AnyMessage, message: WrappedMessage) -> AnyMessage:
        """Return the message with what it says now; what it has beside words stays."""
        changes: dict[str, Any] = {"content": _edit_content(native.content, message)}
        if isinstance(native, AIMessage) and message.shortened_calls:
            shown = message.shortened_arguments
            changes["tool_calls"] = [
                {**made, "args": shown.get(made["id"], made["args"])} for made in native.tool_calls
            ]
        return native.model_copy(update=changes)

    def create(self, message: Message) -> AnyMessage:
        """Return a message of the window's own."""
        match message.role:
            case "assistant":
                return AIMessage(message.content, tool_calls=[_to_native_call(each) for each in message.tool_calls])
            case "tool":
                return ToolMessage(message.content, tool_call_id=message.tool_call_id or "")
            case "system":
                return SystemMessage(message.content)
        return HumanMessage(message.content)


def _part_text(block: str | dict[str, Any]) -> str:
    if isinstance(block, str):
        return block
    return str(block["text"]) if block.get("type") == "text" else NOT_TEXT


def _edit_content(own: str | list[str | dict[str, Any]], message: WrappedMessage) -> str | list[str | dict[str, Any]]:
    if isinstance(own, str):
        return message.content
    if message.appended is not None:
        return [*own, {"type": "text", "text": message.appended}]
    beside = [block for block in own if isinstance(block, dict) and block.get("type") != "text"]
    return [{"type": "text", "text": message.content}, *beside]


def _to_native_call(call: ToolCall) -> Any:
    return {"name": call.name, "args": dict(call.arguments), "id": call.id, "type": "tool_call"}


_CODEC = LangChainCodec()
