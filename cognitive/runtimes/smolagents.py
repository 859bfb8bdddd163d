"""Adapter for smolagents: a wrapper of an agent that makes each run a turn with memory.

    with Blocking.open() as layer:
        CognitiveMultiStepAgent(agent, layer, "my-agent").run("...", session_id="s1")

Smolagents is synchronous, so the memory layer is a `Blocking`, or one whose event loop runs in another thread.
"""

from __future__ import annotations

import copy
from collections import OrderedDict
from collections.abc import Callable, Iterator, Mapping, Sequence
from contextlib import suppress
from threading import Lock
from typing import Any, TypeVar
from weakref import WeakSet

from cognitive.extras import extra

with extra("smolagents"):
    from smolagents import ChatMessage, MessageRole, Model, MultiStepAgent, RunResult, Tool  # type: ignore[import-untyped]
    from smolagents.memory import AgentMemory, FinalAnswerStep  # type: ignore[import-untyped]


from brain.types import MEMORY_TYPES
from brain.users import Scope
from cognitive.blocking import Blocking
from cognitive.layer import CognitiveLayer
from cognitive.runtimes.codec import NOT_TEXT, WholeMessageCodec, WrappedMessage, to_tool_call
from cognitive.runtimes.identity import AgentIdSource, UserIdSource
from cognitive.runtimes.tools import RECALL_DESCRIPTION, RECALL_NAME, to_tool
from cognitive.runtimes.turn_end import ends_turn
from cognitive.runtimes.turn_session import AgentBinding, TurnSession
from cognitive.tool import ToolSpec
from cognitive.turn import Message, Role

T = TypeVar("T")

_MAX_CONVERSATIONS = 512  # of users and sessions, the latest
_ANSWER = "final_answer"  # the tool with which an agent answers, so no plan may remove it
_TASK = "New task:\n"  # smolagents puts this before the user's message


class CognitiveMultiStepAgent:
    """A wrapper that adds memories to an agent's runs, selects their tools and shortens long conversations.

    The agent is a ToolCallingAgent or a CodeAgent. Each run uses a shallow copy of it with the turn's tools and model.
    Only smolagents' memory persists, one for each user and session, and it contains no memory blocks. `agent.memory` is
    that of the latest run. A CodeAgent's Python interpreter is shared by all runs: give each user an agent if the
    variables of one must not reach another. Managed agents get no memory. Functions of the run's context get the other
    options of `run`, among them `additional_args`.

    `thinking_argument` is the keyword argument with which the models take the level of thinking, such as
    "reasoning_effort" for OpenAI's. With None, no level is set, because smolagents would pass an unknown keyword on to
    the model's API. `recall_tool` adds the tool `recall_context`, with which the model searches its memory. The other
    parameters are those of `AgentBinding`.
    """

    def __init__(
        self,
        agent: MultiStepAgent,
        layer: CognitiveLayer | Blocking,
        agent_id: AgentIdSource,
        *,
        user_id: UserIdSource = None,
        model: str | None = None,
        models: Mapping[str, Model] | None = None,
        recall_tool: bool = True,
        thinking_argument: str | None = None,
    ) -> None:
        self.agent = agent
        self._binding = AgentBinding(layer, agent_id, runtime="smolagents", user_id=user_id, model=model, models=models)
        self._recall_tool = recall_tool
        self._thinking_argument = thinking_argument
        self._running: WeakSet[MultiStepAgent] = WeakSet()
        self._memories: OrderedDict[tuple[Scope, str], AgentMemory] = OrderedDict()
        self._lock = Lock()

    def run(
        self,
        task: str,
        *,
        session_id: str = "default",
        user_id: str | None = None,
        stream: bool = False,
        **options: Any,
    ) -> Any:
        """Run the agent within a turn of the memory layer. `options` are passed to the agent's own `run`.

        The option `reset=False` continues the conversation of this user and session.
        """
        turn = self._binding.turn(session_id, run_context=options, user_id=user_id)
        if stream:
            return self._run_stream(turn, task, options)
        with ends_turn(turn):
            output = self._agent_for_turn(turn, task, options).run(task, **options)
            turn.end("completed", _output_text(output))
        return output

    def interrupt(self) -> None:
        """Interrupt all runs in progress, as the agent's own `interrupt` does."""
        for each in tuple(self._running):
            each.interrupt()

    def _run_stream(self, turn: TurnSession, task: str, options: Mapping[str, Any]) -> Iterator[Any]:
        with ends_turn(turn):
            steps = self._agent_for_turn(turn, task, options).run(task, stream=True, **options)
            try:
                for step in steps:
                    if isinstance(step, FinalAnswerStep):
                        turn.end("completed", _output_text(step.output))
                    yield step
            finally:
                with suppress(RuntimeError):  # smolagents yields once more if closed within a step
                    steps.close()
                steps.close()

    def _agent_for_turn(self, turn: TurnSession, task: str, options: Mapping[str, Any]) -> MultiStepAgent:
        """Begin the turn, and return a copy of the agent with the turn's tools and model."""
        agent, wait = self.agent, self._binding.wait
        own = copy.copy(agent)
        own.memory, own.state = self._memory(turn), dict(agent.state)
        conversation = [] if options.get("reset", True) else _CODEC.decode(own.write_memory_to_messages()[1:])
        planned = [each for name, each in agent.tools.items() if name != _ANSWER]
        tools = [to_tool(each.name, each.description, _parameters(each)) for each in planned]
        pictures = [{"type": "image", "image": each} for each in options.get("images") or ()]
        model = getattr(agent.model, "model_id", None)
        wait(turn.begin(task, conversation, tools, attachments=pictures, model=model))
        selected = [
            _track_calls(turn, each) for each in turn.select_tools(planned, lambda each: each.name, _rewrite_tool)
        ]
        recall = [_RecallTool(lambda *args: wait(turn.recall(*args)))] if self._recall_tool else []
        own.tools = {each.name: each for each in (*selected, *recall)}
        if _ANSWER in agent.tools:
            own.tools[_ANSWER] = agent.tools[_ANSWER]
        own.model = self._model_for_turn(turn, turn.model or agent.model)
        self._running.add(own)
        return own

    def _memory(self, turn: TurnSession) -> AgentMemory:
        """Return smolagents' memory of a conversation, which becomes the agent's. The first one is the agent's own.

        A run whose user is not found has a new memory, which is not kept.
        """
        if turn.scope is None:
            return AgentMemory(self.agent.system_prompt)
        key = turn.scope, turn.session_id
        with self._lock:
            first = self.agent.memory if not self._memories else None
            memory = self._memories.pop(key, None) or first or AgentMemory(self.agent.system_prompt)
            self._memories[key] = self.agent.memory = memory
            if len(self._memories) > _MAX_CONVERSATIONS:
                self._memories.popitem(last=False)
        return memory

    def _model_for_turn(self, turn: TurnSession, model: Model) -> Model:
        """Return a copy of the model that, in each call, shortens long conversations and sets the level of thinking."""
        argument, wait = self._thinking_argument, self._binding.wait
        thinking = {argument: turn.thinking} if argument and turn.thinking else {}

        def prepared(generate: Callable[..., Any]) -> Callable[..., Any]:
            def generate_prepared(messages: Sequence[ChatMessage], *args: Any, **options: Any) -> Any:
                system = [each for each in messages[:1] if each.role == MessageRole.SYSTEM]
                conversation = wait(turn.encode_messages(_CODEC, _CODEC.decode(messages[len(system) :])))
                text = turn.system("".join(map(_message_text, system)))
                return generate([*_with_system(system, text), *conversation], *args, **{**options, **thinking})

            return generate_prepared

        names = [name for name in ("generate", "generate_stream") if hasattr(model, name)]
        return _copy_with(model, {name: prepared(getattr(model, name)) for name in names})


class _RecallTool(Tool):  # type: ignore[misc]
    """The recall tool as a tool of smolagents, with which the model searches its memory."""

    name = RECALL_NAME
    description = RECALL_DESCRIPTION
    inputs = {  # noqa: RUF012
        "query": {"type": "string", "description": "What to search for."},
        "memory_type": {"type": "string", "description": f"One of {', '.join(MEMORY_TYPES)}.", "nullable": True},
        "limit": {"type": "integer", "description": "How many at most, 5 if left out.", "nullable": True},
    }
    output_type = "string"

    def __init__(self, answer: Callable[..., str]) -> None:
        super().__init__()
        self._answer = answer

    def forward(self, query: str, memory_type: str | None = None, limit: int | None = None) -> str:
        """Search the memory, and return the recall tool's answer as text."""
        return self._answer(query, memory_type, limit or 5)


def _copy_with(value: T, attributes: Mapping[str, Any]) -> T:
    """Return a shallow copy of an object in which some attributes have other values."""
    own = copy.copy(value)
    vars(own).update(attributes)
    return own


def _track_calls(turn: TurnSession, tool: Tool) -> Tool:
    """Return a copy of a tool whose calls are recorded in the turn."""

    def forward(*args: Any, **kwargs: Any) -> Any:
        with turn.track_tool_call(tool.name, {**dict(zip(tool.inputs, args, strict=False)), **kwargs}) as record:
            result = tool(*args, **kwargs)
            record(result)
        return result

    return _copy_with(tool, {"forward": forward, "is_initialized": True})  # calling the original tool initializes it


def _rewrite_tool(tool: Tool, spec: ToolSpec) -> Tool:
    return _copy_with(tool, {"description": spec.description})


def _parameters(tool: Tool) -> dict[str, Any]:
    required = [name for name, each in tool.inputs.items() if not each.get("nullable")]
    return {"type": "object", "properties": tool.inputs, "required": required}


def _output_text(output: Any) -> str:
    return str(output.output if isinstance(output, RunResult) else output)


class SmolagentsCodec(WholeMessageCodec[ChatMessage]):
    """Converts smolagents' messages to the memory layer's messages and back.

    Smolagents describes the tool calls of a step as text in one message, and their results as text in the next.
    """

    def decode(self, messages: Sequence[ChatMessage]) -> list[WrappedMessage]:
        """Convert a conversation of smolagents to messages of the memory layer.

        All tool calls of a step become one call named "step", and the results after it become this call's result.
        """
        decoded, id = list[WrappedMessage](), ""
        for place, message in enumerate(messages):
            if message.role == MessageRole.TOOL_CALL:
                id = f"step-{place}"
                calls = [to_tool_call("step", None, id)]
                decoded.append(WrappedMessage.wrap(message, "assistant", _message_text(message), tool_calls=calls))
            elif message.role == MessageRole.TOOL_RESPONSE and id:
                decoded.append(WrappedMessage.wrap(message, "tool", _message_text(message), tool_call_id=id))
                id = ""
            else:
                decoded.append(self.wrap(message))
        return decoded

    def wrap(self, message: ChatMessage) -> WrappedMessage:
        """Convert a message that has neither tool calls nor results to a message of the memory layer."""
        if message.role == MessageRole.ASSISTANT:
            return WrappedMessage.wrap(message, "assistant", _message_text(message))
        return WrappedMessage.wrap(message, "user", _message_text(message).removeprefix(_TASK))

    def replace(self, native: ChatMessage, message: WrappedMessage) -> ChatMessage:
        """Return a copy of the smolagents message `native`, with the changed text of `message`."""
        if message.appended is not None and isinstance(native.content, list):
            return _copy_with(native, {"content": [*native.content, *_parts(message.appended)]})
        return _copy_with(native, {"content": _parts(message.content)})

    def create(self, message: Message) -> ChatMessage:
        """Convert a message that the memory layer added, such as a summary, to a smolagents message."""
        return ChatMessage(_ROLES[message.role], _parts(message.content))


_ROLES: Mapping[Role, MessageRole] = {
    "user": MessageRole.USER,
    "assistant": MessageRole.ASSISTANT,
    "system": MessageRole.SYSTEM,
    "tool": MessageRole.TOOL_RESPONSE,
}


def _message_text(message: ChatMessage) -> str:
    if isinstance(message.content, list):
        return "\n".join(str(part.get("text", NOT_TEXT)) for part in message.content)
    return message.content or ""


def _parts(text: str) -> list[dict[str, Any]]:
    return [{"type": "text", "text": text}]


def _with_system(messages: Sequence[ChatMessage], text: str) -> list[ChatMessage]:
    if not text or [_message_text(each) for each in messages] == [text]:
        return list(messages)
    return [ChatMessage(MessageRole.SYSTEM, _parts(text))]


_CODEC = SmolagentsCodec()
