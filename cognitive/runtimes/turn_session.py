"""A turn of the memory layer inside a framework's run. Errors of the layer are logged and never stop the run.

An adapter calls `AgentBinding.turn` and `TurnSession.begin`. Before each model call, it calls `messages`, `system` and
`select_tools`. After each tool, it calls `record_tool_call`, and at the end `end`.
"""

from __future__ import annotations

from collections.abc import Callable, Iterable, Iterator, Mapping, Sequence
from contextlib import contextmanager
from contextvars import ContextVar
from typing import Any, TypeVar

from brain.text import storable
from brain.types import MemoryType
from brain.users import Scope
from cognitive.blocking import Blocking
from cognitive.errors import InvalidInput
from cognitive.layer import CognitiveLayer
from cognitive.runtimes import tools as turn_tools
from cognitive.runtimes.codec import MessageCodec, WrappedMessage, to_tool_call, without_placeholders
from cognitive.runtimes.identity import AgentIdSource, RunIdentity, UserIdSource
from cognitive.runtimes.layer_calls import LayerCalls, log_error
from cognitive.runtimes.prompt_history import PromptHistory, find_user_message, with_blocks
from cognitive.runtimes.tools import RECALL_NAME, RECALL_UNAVAILABLE, ToolCallResult, recall_answer
from cognitive.tool import Tool, ToolSpec
from cognitive.turn import MAX_ATTACHMENTS, Message, Outcome, Status, ToolCall, Turn, TurnContext, TurnKind

T = TypeVar("T")

_ALIASES: Mapping[str, str] = {"none": "off", "max": "xhigh"}  # frameworks' names for our levels of thinking
_MAX_CALLS = 1_000  # recorded calls of a turn: bounds the memory of a run that loops

_current_turn: ContextVar[TurnSession | None] = ContextVar("cognitive_calling", default=None)


class AgentBinding(LayerCalls):
    """The connection of a framework's agent to a memory layer. Every adapter holds one.

    `layer` is the layer that prepares and records the turns; see `LayerCalls` for calls from other threads.

    Attributes:
        identity: the agent and the user of each run: fixed ids, or functions of the run's context.
        runtime: the framework's name, recorded with each turn.
        model: the model's name, which determines its context size; None takes the name that the framework reports.
        models: the framework's model objects, by the names that the plan of a turn may choose. Other names are ignored.
        prompt_history: the memory blocks that earlier turns added to the user's messages.
    """

    def __init__(
        self,
        layer: CognitiveLayer | Blocking,
        agent_id: AgentIdSource,
        *,
        runtime: str,
        user_id: UserIdSource = None,
        model: str | None = None,
        models: Mapping[str, Any] | None = None,
    ) -> None:
        super().__init__(layer)
        self.identity = RunIdentity(agent_id, user_id)
        self.runtime = runtime
        self.model = model
        self.models = dict(models or {})
        self.prompt_history = PromptHistory()
        self.layer.admin.on_erasure(self.prompt_history.forget, weak=True)

    def turn(
        self, session_id: str, kind: TurnKind = "user", *, run_context: Any = None, user_id: object = None
    ) -> TurnSession:
        """Create a turn, for `TurnSession.begin`. A turn whose agent or user is not found goes without memory.

        Inside a tool call of another turn of the same agent id, its kind is always "subagent". `run_context` is what
        functions of the run's context get, and `user_id` the user that the framework names.
        """
        outer = _current_turn.get()
        if outer is not None and outer.scope is None:
            return TurnSession(self, session_id, kind, None)
        outer_scope = outer.scope if outer is not None else None
        try:
            scope = self.identity.scope(run_context, user_id, outer_scope)
        except InvalidInput as error:
            self.log_skipped(error)
            return TurnSession(self, session_id, kind, None)
        nested = outer_scope is not None and outer_scope.agent_id == scope.agent_id
        return TurnSession(self, session_id, "subagent" if nested else kind, scope)

    def log_skipped(self, error: Exception) -> None:
        """Log why a turn continues without memory."""
        log_error("the turn continues without memory", error)


class TurnSession:
    """One turn inside a framework's run: it prepares model calls, records tool calls and the outcome.

    `scope` is the turn's agent and user, or None if they were not found. `context` is None if `scope` is, if the layer
    could not prepare the turn, or if the turn's kind is not "user": such turns get no memories. Every method then
    returns its input unchanged.
    """

    def __init__(self, binding: AgentBinding, session_id: str, kind: TurnKind, scope: Scope | None) -> None:
        self.binding = binding
        self.session_id = session_id
        self.kind = kind
        self.scope = scope
        self.context: TurnContext | None = None
        self.has_begun = kind != "user" or scope is None  # other turns are not planned
        self.has_ended = False
        self.text = ""  # the user's message, with a placeholder for each attachment
        self._calls: list[ToolCall] = []
        self._own_thinking: str | None = None

    async def begin(
        self,
        text: str,
        conversation: Sequence[Message] = (),
        tools: Iterable[Tool | None] = (),
        *,
        attachments: Sequence[Any] = (),
        model: str | None = None,
        thinking: str | None = None,
    ) -> None:
        """Prepare the turn with the memory layer. Only the first call has an effect. Errors are logged.

        Args:
            text: the user's message. Placeholders of attachments are not searched for or captured.
            conversation: the messages before it, with or without the host's system messages.
            tools: the tools that the framework offers; None entries are skipped.
            attachments: the parts of the user's message that are not text, in the framework's form.
            model: the model's name, which determines its context size, unless the binding names a model.
            thinking: the host's own level of thinking, by the framework's name. It applies unless the turn's plan
                chooses another level.
        """
        if self.has_begun or self.scope is None:
            return
        self.has_begun = True
        self.text = storable(text)
        self._own_thinking = _ALIASES.get(thinking or "", thinking)
        binding, scope = self.binding, self.scope
        try:
            blocks = binding.prompt_history.blocks((scope, self.session_id))
            turn = Turn(
                agent_id=scope.agent_id,
                session_id=self.session_id,
                text=without_placeholders(self.text),
                user_id=scope.user,
                conversation=tuple(with_blocks(conversation, blocks)),
                tools=tuple(tool for tool in tools if tool is not None and tool.name != RECALL_NAME),
                model=binding.model or model,
                thinking=self._own_thinking,
                attachments=attachments[:MAX_ATTACHMENTS],
                runtime=binding.runtime,
            )
            self.context = await binding.call(binding.layer.pre_turn(turn))
        except Exception as error:  # memory must not fail the run
            binding.log_skipped(error)

    async def begin_from_conversation(
        self,
        conversation: Sequence[Message],
        tools: Iterable[Tool | None] = (),
        *,
        model: str | None = None,
        thinking: str | None = None,
    ) -> None:
        """Prepare the turn from a whole conversation, whose last user message (or else "") becomes the turn's text.

        The other parameters are those of `begin`. Only the first call has an effect and reads `tools`.
        """
        if self.has_begun:
            return
        index = find_user_message(conversation)
        message = conversation[index] if index is not None else Message(role="user")
        attachments = message.attachments if isinstance(message, WrappedMessage) else ()
        earlier = conversation[:index]
        await self.begin(message.content, earlier, tools, attachments=attachments, model=model, thinking=thinking)

    @property
    def thinking(self) -> str | None:
        """The level of thinking that the plan chose, as in `cognitive.plan.THINKING`, or None to keep the host's."""
        level = self.context.thinking if self.context is not None else None
        return level if level != self._own_thinking else None

    @property
    def has_categories(self) -> bool:
        """True if the layer recognised the kind of the user's message.

        Else the host's own level of thinking applies.
        """
        return self.context is not None and bool(self.context.plan.categories)

    @property
    def model(self) -> Any | None:
        """The framework's model object that the turn's plan chose, or None to keep the current model."""
        return self.binding.models.get(self.context.plan.model or "") if self.context is not None else None

    def system(self, own: str = "") -> str:
        """Return the system prompt: the host's own system prompt `own`, followed by the pinned memories."""
        return self.context.system(own) if self.context is not None else own

    def system_with_memories(self, own: str = "") -> str:
        """Return the system prompt with all memories, for frameworks that cannot change the user's message."""
        if self.context is None:
            return own
        return "\n\n".join(part for part in (self.context.system(own), self.context.sent("").strip()) if part)

    async def messages(self, conversation: Sequence[Message]) -> Sequence[Message]:
        """Return the conversation for one model call: memory blocks are added, and a long conversation is shortened.

        Pass the framework's own conversation, which contains neither blocks nor the host's system messages, before each
        model call. Use the result for that call only and do not store it. If the layer fails, the conversation is not
        shortened.
        """
        if self.context is None:
            return conversation
        unfitted = self._with_blocks(conversation, self.context)
        try:
            return (await self.binding.call(self.binding.layer.fit(self.context, unfitted))).messages
        except Exception as error:  # memory must not fail the run
            log_error("the conversation could not be fitted and is sent in full", error)
            return unfitted

    async def encode_messages(self, codec: MessageCodec[T], conversation: Sequence[WrappedMessage]) -> list[T]:
        """Call `messages` with a converted conversation, and convert the result back to the framework's format."""
        return codec.encode(await self.messages(conversation))

    def _with_blocks(self, conversation: Sequence[Message], context: TurnContext) -> Sequence[Message]:
        index = find_user_message(conversation, self.text)
        blocks = self.binding.prompt_history.blocks((context.scope, self.session_id))
        if index is None:
            return with_blocks(conversation, blocks)
        own = conversation[index]
        sent = own.model_copy(update={"content": context.sent(own.content)})
        return [*with_blocks(conversation[:index], blocks), sent, *conversation[index + 1 :]]

    def select_tools(
        self, tools: Sequence[T], name: Callable[[T], str], rewritten: Callable[[T, ToolSpec], T] | None = None
    ) -> list[T]:
        """Return the tools that the turn offers to the model. The parameters are those of `tools.select_tools`."""
        return (
            turn_tools.select_tools(self.context, tools, name, rewritten) if self.context is not None else list(tools)
        )

    def denies(self, name: str) -> bool:
        """Return True if the turn removed the tool of this name.

        Frameworks that find tools by name would still run it. Adapters answer its calls with `tools.DENIED` instead.
        """
        return self.context is not None and turn_tools.denies(self.context, name)

    @contextmanager
    def as_parent(self) -> Iterator[None]:
        """Give turns that begin in this block, or in tasks started in it, the kind "subagent" (without memories)."""
        token = _current_turn.set(self)
        try:
            yield
        finally:
            _current_turn.reset(token)

    @contextmanager
    def track_tool_call(
        self,
        name: str,
        arguments: Mapping[str, Any] | str | None,
        id: str | None = None,
        *,
        interrupts: tuple[type[Exception], ...] = (),
    ) -> Iterator[ToolCallResult]:
        """Record a tool call that runs inside this block.

        The block calls the yielded `ToolCallResult` with the call's result. If the block raises an error, the call is
        recorded as failed with the error's text. If it raises one of `interrupts`, nothing is recorded, because the
        framework will call the tool again. Turns that begin inside the block are sub-agent turns.
        """
        tool_result = ToolCallResult()
        try:
            with self.as_parent():
                yield tool_result
        except interrupts:
            raise
        except Exception as error:
            self.record_tool_call(name, arguments, str(error), ok=False, id=id)
            raise
        else:
            self.record_tool_call(name, arguments, tool_result.result, ok=tool_result.ok, id=id)

    def record_tool_call(
        self,
        name: str,
        arguments: Mapping[str, Any] | str | None,
        result: Any,
        *,
        ok: bool = True,
        id: str | None = None,
    ) -> None:
        """Record a tool call and its result, which become a part of the turn's outcome.

        Calls of the recall tool are skipped, because the layer itself records them.
        """
        if self.context is None or self.has_ended or name == RECALL_NAME or len(self._calls) >= _MAX_CALLS:
            return
        call = to_tool_call(name, arguments, id)
        if call is not None:
            self._calls.append(call.model_copy(update={"result": result, "ok": ok}))

    def end(self, status: Status, response: str = "") -> None:
        """End the turn and record its outcome in the background. Only the first call has an effect."""
        if self.context is None or self.has_ended:
            return
        self.has_ended = True
        if status == "completed" and self.context.placement == "journaled":
            conversation = self.context.scope, self.session_id
            self.binding.prompt_history.add(conversation, self.text, self.context.sent(self.text))
        try:
            outcome = Outcome(response=storable(response), tool_calls=tuple(self._calls), status=status)
            self.binding.settle(self.context, outcome)
        except Exception as error:  # memory must not fail the run
            log_error("the turn's outcome is not recorded", error)

    async def recall(self, query: str, memory_type: MemoryType | None = None, limit: int = 5) -> str:
        """Search the memory, and return memories as text for the model, or a message if none are found."""
        binding, scope = self.binding, self.scope
        if scope is None:
            return RECALL_UNAVAILABLE
        turn_id = self.context.turn_id if self.context is not None else None
        try:
            work = binding.layer.recall(
                scope.agent_id, query, memory_type, limit, turn_id, user_id=scope.user, related_only=True
            )
            hits = await binding.call(work)
        except InvalidInput as error:  # the model can correct its arguments
            return str(error)
        except Exception as error:  # memory must not fail the run
            log_error("recall failed", error)
            return RECALL_UNAVAILABLE
        return recall_answer(hits, binding.layer.policies.current(scope.agent_id))


def current_turn() -> TurnSession | None:
    """Return the turn inside which this code runs, or None. For tools to which their framework passes no context."""
    return _current_turn.get()
