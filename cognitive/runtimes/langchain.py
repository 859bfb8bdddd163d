"""Adapter for LangChain and LangGraph: a middleware that adds memory to an agent.

    create_agent(model, tools, middleware=[CognitiveMiddleware(layer, "my-agent"), ...])

The memory layer's session is `thread_id` of the run's `configurable`, and its user is `user_id` of `configurable`, or
else of the run's `context`. Functions of the run's context get a `LangGraphRun`. LangGraph's store is implemented in
`cognitive.runtimes.langgraph`.
"""

from __future__ import annotations

from collections import OrderedDict
from collections.abc import Iterator, Mapping, Sequence
from contextlib import contextmanager
from dataclasses import dataclass
from typing import Annotated, Any, NotRequired

from cognitive.extras import extra

with extra("langchain"):
    from langchain.agents.middleware import AgentMiddleware, AgentState
    from langchain.agents.middleware.types import ModelRequest, PrivateStateAttr, ToolCallRequest
    from langchain.tools import ToolRuntime
    from langchain_core.language_models import BaseChatModel
    from langchain_core.messages import AIMessage, SystemMessage, ToolMessage
    from langchain_core.tools import BaseTool, StructuredTool
    from langchain_core.utils.function_calling import convert_to_openai_tool
    from langgraph.channels import UntrackedValue
    from langgraph.config import get_config
    from langgraph.errors import GraphBubbleUp


from brain.types import MemoryType
from brain.users import Scope
from cognitive.blocking import Blocking
from cognitive.layer import CognitiveLayer
from cognitive.plan import THINKING
from cognitive.runtimes.codec import output_text
from cognitive.runtimes.identity import AgentIdSource, UserIdSource, user_in
from cognitive.runtimes.langchain_messages import CODEC
from cognitive.runtimes.tools import DENIED, RECALL_DESCRIPTION, RECALL_NAME, ToolCallResult, to_tool
from cognitive.runtimes.turn_end import ends_on_error
from cognitive.runtimes.turn_session import AgentBinding, TurnSession
from cognitive.tool import Tool, ToolSpec

_INTERRUPTS = (GraphBubbleUp,)  # the run continues after an answer
_MAX_OPEN_TURNS = 512  # open turns by thread, for runs that continue after an interrupt


_Thread = tuple[Scope | None, str]  # the agent and user of a thread, and its id


@dataclass(frozen=True, slots=True)
class LangGraphRun:
    """A run of a graph, for functions of the run's context: its `configurable` and its `context`."""

    configurable: Mapping[str, Any]
    context: Any


class CognitiveState(AgentState[Any]):
    """The agent's state, extended by the current turn of the memory layer. Checkpoints do not contain this turn."""

    cognitive_turn: NotRequired[Annotated[Any, UntrackedValue, PrivateStateAttr]]


class CognitiveMiddleware(AgentMiddleware[CognitiveState]):
    """Middleware that adds memories to an agent's runs, selects their tools and shortens long conversations.

    It works for `invoke` and `stream` as for `ainvoke` and `astream`. Put it first in the list of middleware. The
    middleware after it can then retry failed calls; an error that reaches this middleware ends the turn. LangChain does
    not report that a reader left a stream between two steps. The turn of such a stream ends when the next turn of the
    thread begins. `thinking` maps levels of thinking to model settings. By default, `reasoning_effort` is set for
    models whose profile lists levels of effort. `recall_tool` adds the tool `recall_context`, with which the model
    searches its memory. The other parameters are those of `AgentBinding`.
    """

    state_schema = CognitiveState

    def __init__(
        self,
        layer: CognitiveLayer | Blocking,
        agent_id: AgentIdSource,
        *,
        session_id: str = "default",
        user_id: UserIdSource = None,
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
        self._open: OrderedDict[_Thread, TurnSession] = OrderedDict()

    def before_agent(self, state: CognitiveState, runtime: Any) -> dict[str, Any]:
        """Create the memory layer's turn for a run. An open turn of the same thread ends as abandoned."""
        return {"cognitive_turn": self._start_turn(*self._new_turn(runtime))}

    async def abefore_agent(self, state: CognitiveState, runtime: Any) -> dict[str, Any]:
        """As `before_agent`, for asynchronous runs."""
        return self.before_agent(state, runtime)

    def wrap_model_call(self, request: ModelRequest[Any], handler: Any) -> Any:
        """Prepare a model call: add memories, shorten a long conversation and select the tools.

        The changes apply to that call only. The agent's state stays unchanged.
        """
        turn = self._turn(request.state, request.runtime)
        prepared = self._binding.wait(self._prepare(turn, request))
        with ends_on_error(turn, interrupts=_INTERRUPTS):
            return handler(prepared)

    async def awrap_model_call(self, request: ModelRequest[Any], handler: Any) -> Any:
        """As `wrap_model_call`, for asynchronous runs."""
        turn = self._turn(request.state, request.runtime)
        prepared = await self._prepare(turn, request)
        with ends_on_error(turn, interrupts=_INTERRUPTS):
            return await handler(prepared)

    def wrap_tool_call(self, request: ToolCallRequest, handler: Any) -> Any:
        """Run a tool call, and record it with its result. Calls of tools that the turn removed are refused."""
        with self._tracked(request) as run:
            return run.refusal or run.finish(handler(request))

    async def awrap_tool_call(self, request: ToolCallRequest, handler: Any) -> Any:
        """As `wrap_tool_call`, for asynchronous runs."""
        with self._tracked(request) as run:
            return run.refusal or run.finish(await handler(request))

    def after_agent(self, state: CognitiveState, runtime: Any) -> None:
        """End the turn of a run as completed, and record the run's response."""
        self._turn(state, runtime).end("completed", _response_text(state))

    async def aafter_agent(self, state: CognitiveState, runtime: Any) -> None:
        """As `after_agent`, for asynchronous runs."""
        self.after_agent(state, runtime)

    def _recall_tool(self) -> BaseTool:
        def recall_context(
            query: str, runtime: ToolRuntime[Any, Any], memory_type: MemoryType | None = None, limit: int = 5
        ) -> str:
            return self._binding.wait(self._turn(runtime.state, runtime).recall(query, memory_type, limit))

        async def arecall_context(
            query: str, runtime: ToolRuntime[Any, Any], memory_type: MemoryType | None = None, limit: int = 5
        ) -> str:
            return await self._turn(runtime.state, runtime).recall(query, memory_type, limit)

        return StructuredTool.from_function(
            recall_context, arecall_context, name=RECALL_NAME, description=RECALL_DESCRIPTION
        )

    def _new_turn(self, runtime: Any) -> tuple[_Thread | None, TurnSession]:
        """Return a turn for a run, and its thread, or None if the run has no thread."""
        run = LangGraphRun(get_config().get("configurable", {}), getattr(runtime, "context", None))
        thread, named = run.configurable.get("thread_id"), run.configurable.get("user_id")
        turn = self._binding.turn(
            str(thread) if thread else self._session_id,
            run_context=run,
            user_id=named if named is not None else user_in(run.context),
        )
        return (turn.scope, turn.session_id) if thread else None, turn

    def _start_turn(self, thread: _Thread | None, turn: TurnSession) -> TurnSession:
        if thread is not None and not turn.has_begun:
            if thread in self._open:
                self._open.pop(thread).end("abandoned")
            self._open[thread] = turn
            while len(self._open) > _MAX_OPEN_TURNS:
                self._open.popitem(last=False)
        return turn

    def _turn(self, state: Any, runtime: Any) -> TurnSession:
        """Return the turn of a run.

        A run that continues after an interrupt continues its user's turn of the thread. If that turn has ended, as
        after an error, the run that repeats its call is a new turn.
        """
        turn: TurnSession | None = state.get("cognitive_turn")
        if turn is not None:
            return turn
        thread, new = self._new_turn(runtime)
        open_turn = self._open.get(thread) if thread is not None else None
        return open_turn if open_turn is not None and not open_turn.has_ended else self._start_turn(thread, new)

    async def _prepare(self, turn: TurnSession, request: ModelRequest[Any]) -> ModelRequest[Any]:
        """Begin the turn with its first model call, and return the request for this call."""
        conversation = CODEC.decode(request.messages)
        await turn.begin_from_conversation(
            conversation,
            map(_to_tool, request.tools),
            model=_model_name(request.model),
            thinking=request.model_settings.get("reasoning_effort") or getattr(request.model, "reasoning_effort", None),
        )
        model = turn.model or request.model
        return request.override(
            model=model,
            system_message=_with_system(request.system_message, turn.system()),
            messages=await turn.encode_messages(CODEC, conversation),
            tools=turn.select_tools(request.tools, _tool_name, _rewrite_tool),
            model_settings={**request.model_settings, **self._effort(model, turn.thinking)},
        )

    @contextmanager
    def _tracked(self, request: ToolCallRequest) -> Iterator[_ToolRun]:
        """Record the tool call that runs inside this block. A call of a removed tool is refused instead."""
        turn, call = self._turn(request.state, request.runtime), request.tool_call
        if turn.denies(call["name"]):
            refusal = ToolMessage(DENIED, name=call["name"], tool_call_id=call["id"], status="error")
            yield _ToolRun(refusal)
            return
        tracked = turn.track_tool_call(call["name"], call["args"], call["id"], interrupts=_INTERRUPTS)
        with ends_on_error(turn, interrupts=_INTERRUPTS), tracked as record:
            yield _ToolRun(None, record)

    def _effort(self, model: BaseChatModel, level: str | None) -> Mapping[str, Any]:
        if level is None:
            return {}
        if self._thinking is not None:
            return self._thinking.get(level, {})
        levels = (model.profile or {}).get("reasoning_effort_levels") or ()
        nearest = _nearest(level, levels)
        return {"reasoning_effort": nearest} if nearest is not None else {}


@dataclass(frozen=True, slots=True)
class _ToolRun:
    """A tool call: the message that refuses it, or else the recorder of its result."""

    refusal: ToolMessage | None
    record: ToolCallResult | None = None

    def finish(self, result: Any) -> Any:
        """Record the tool's result, and return it."""
        if self.record is not None and isinstance(result, ToolMessage):
            self.record(result.text, ok=result.status != "error")
        return result


def _nearest(level: str, levels: Sequence[str]) -> str | None:
    """Return the level of thinking in `levels` (those that the model accepts) that is nearest to the planned `level`.

    Of two equally near levels, return the lower one. Return None if the model has no known level.
    """
    known = [each for each in THINKING if ("none" if each == "off" else each) in levels]
    best = min(known, key=lambda each: abs(THINKING.index(each) - THINKING.index(level)), default=None)
    return "none" if best == "off" else best


def _model_name(model: BaseChatModel) -> str | None:
    names = (getattr(model, name, None) for name in ("model_name", "model", "model_id"))
    return next((name for name in names if isinstance(name, str) and name), None)


# --- tools ---

_OfferedTool = BaseTool | dict[str, Any]


def _tool_name(tool: _OfferedTool) -> str:
    if isinstance(tool, BaseTool):
        return tool.name
    return str(tool.get("name") or tool.get("function", {}).get("name") or tool.get("type", ""))


def _to_tool(tool: _OfferedTool) -> Tool | None:
    """Convert a LangChain tool to a `Tool` of the memory layer.

    Return None for a tool that the model's provider runs, because such a tool is never removed.
    """
    if not isinstance(tool, BaseTool):
        return None
    function = convert_to_openai_tool(tool)["function"]
    return to_tool(tool.name, tool.description, function.get("parameters"), tool.metadata)


def _rewrite_tool(tool: _OfferedTool, spec: ToolSpec) -> _OfferedTool:
    """Return a copy of a tool with the shortened description and parameters of `spec`.

    Only the model sees the copy. The agent runs its original tool.
    """
    assert isinstance(tool, BaseTool)  # `_to_tool` gives the turn no other tools
    return tool.model_copy(update={"description": spec.description, "args_schema": spec.parameters})


# --- messages ---


def _response_text(state: CognitiveState) -> str:
    """Return what the user is answered: a structured answer, or the last text of the model or of a tool.

    The result of a tool with `return_direct` is the answer.
    """
    if state.get("structured_response") is not None:
        return output_text(state["structured_response"])
    answers = (each.text for each in reversed(state["messages"]) if isinstance(each, AIMessage | ToolMessage))
    return next(answers, "")


def _with_system(own: SystemMessage | None, text: str) -> SystemMessage | None:
    if not text:
        return own
    if own is None:
        return SystemMessage(text)
    if isinstance(own.content, str):
        return own.model_copy(update={"content": f"{own.content}\n\n{text}"})
    return own.model_copy(update={"content": [*own.content, {"type": "text", "text": text}]})
