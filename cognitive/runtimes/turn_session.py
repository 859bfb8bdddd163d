"""A turn while a framework runs it: begun once, shown at each call of the model, ended once. Nothing here fails a run.

AgentBinding.turn -> TurnSession.begin -> messages, system, select_tools (before each call) -> record_tool_call (each
tool) -> end
"""

from __future__ import annotations

import logging
from collections.abc import Callable, Iterable, Iterator, Mapping, Sequence
from contextlib import contextmanager
from contextvars import ContextVar
from dataclasses import dataclass
from typing import Any, TypeVar

from brain.text import storable
from brain.types import MemoryType
from cognitive.errors import CognitiveError, InvalidInput, WrongEventLoop
from cognitive.layer import CognitiveLayer
from cognitive.runtimes import tools as turn_tools
from cognitive.runtimes.codec import MessageCodec, WrappedMessage, to_tool_call
from cognitive.runtimes.prompt_history import PromptHistory, find_user_message, with_blocks
from cognitive.runtimes.tools import RECALL_NAME, RECALL_UNAVAILABLE, recall_answer
from cognitive.turn import Message, Outcome, Status, Tool, ToolCall, ToolSpec, Turn, TurnContext, TurnKind

log = logging.getLogger(__name__)

T = TypeVar("T")

_ALIASES: Mapping[str, str] = {"none": "off", "max": "xhigh"}  # frameworks' names of our levels of thinking
_MAX_CALLS = 1_000  # of a turn: what calls more is a loop, and memory does not grow with it

_current_turn: ContextVar[TurnSession | None] = ContextVar("cognitive_calling", default=None)


class AgentBinding:
    """An agent of a framework, bound to a layer: what every runtime's adapter holds.

    `runtime` names the framework where turns are recorded. `model` names the model for the table of models, where the
    framework does not say. `models` are the framework's own models by the name that a plan may ask for; a name that is
    not there changes nothing.
    """

    def __init__(
        self,
        layer: CognitiveLayer,
        agent_id: str,
        *,
        runtime: str,
        user_id: str | None = None,
        model: str | None = None,
        models: Mapping[str, Any] | None = None,
    ) -> None:
        self.layer = layer
        self.agent_id = agent_id
        self.runtime = runtime
        self.user_id = user_id
        self.model = model
        self.models = dict(models or {})
        self.prompt_history = PromptHistory()
        self._elsewhere = False  # its agent was called in another event loop, which is told once

    def turn(self, session_id: str, kind: TurnKind = "user") -> TurnSession:
        """A turn about to begin. While a tool of another turn runs it is a sub-agent's, whatever `kind` says."""
        return TurnSession(self, session_id, "subagent" if _current_turn.get() is not None else kind)

    def settle(self, context: TurnContext, outcome: Outcome) -> None:
        """Hands a turn's outcome to the layer; a binding whose runs are in other threads does so in the layer's own."""
        self.layer.settle(context, outcome)

    def log_skipped(self, error: Exception) -> None:
        """Logs that a turn goes on without memory. A wrong event loop is logged once, since each turn would meet it."""
        if not (isinstance(error, WrongEventLoop) and self._elsewhere):
            _log_error("a turn goes on without memory", error)
        self._elsewhere = self._elsewhere or isinstance(error, WrongEventLoop)


class TurnSession:
    """A turn in flight. `context` is None where memory has no part in the run, since it is a sub-agent's or could not
    be prepared: then everything comes back as it was given.
    """

    def __init__(self, binding: AgentBinding, session_id: str, kind: TurnKind) -> None:
        self.binding = binding
        self.session_id = session_id
        self.context: TurnContext | None = None
        self.has_begun = kind != "user"  # the turns of machines pass untouched
        self.has_ended = False
        self._calls: list[ToolCall] = []
        self._own_thinking: str | None = None

    async def begin(
        self,
        text: str,
        conversation: Sequence[Message] = (),
        tools: Iterable[Tool | None] = (),
        *,
        model: str | None = None,
        user_id: str | None = None,
        thinking: str | None = None,
    ) -> None:
        """Prepares the turn, once; later calls change nothing.

        `conversation` is what stands before `text`, with the host's own system messages or without. `model` is its name
        for the table of models, where the binding names none. `thinking` is the host's own level, or what the framework
        calls it: where no category asks for another, it stands.
        """
        if self.has_begun:
            return
        self.has_begun = True
        self._own_thinking = _ALIASES.get(thinking or "", thinking)
        binding = self.binding
        try:
            turn = Turn(
                agent_id=binding.agent_id,
                session_id=self.session_id,
                text=storable(text),
                user_id=user_id or binding.user_id,
                conversation=tuple(with_blocks(conversation, binding.prompt_history.blocks(self.session_id))),
                tools=tuple(tool for tool in tools if tool is not None and tool.name != RECALL_NAME),
                model=binding.model or model,
                thinking=self._own_thinking,
                runtime=binding.runtime,
            )
            self.context = await binding.layer.pre_turn(turn)
        except Exception as error:  # the run goes on as it would without memory
            binding.log_skipped(error)

    async def begin_from_conversation(
        self,
        conversation: Sequence[Message],
        tools: Iterable[Tool | None] = (),
        *,
        model: str | None = None,
        user_id: str | None = None,
        thinking: str | None = None,
    ) -> None:
        """`begin`, with all that the framework would send: the last words of the user's are the turn's.

        A run may go on without any. `tools` are read once, by the call that begins the turn.
        """
        if self.has_begun:
            return
        place = find_user_message(conversation)
        words = conversation[place].content if place is not None else ""
        await self.begin(words, conversation[:place], tools, model=model, user_id=user_id, thinking=thinking)

    @property
    def thinking(self) -> str | None:
        """How hard the model should think, a level of `cognitive.plan.THINKING`; None where its own setting stands."""
        level = self.context.thinking if self.context is not None else None
        return level if level != self._own_thinking else None

    @property
    def is_of_a_category(self) -> bool:
        """Whether the message's categories ask for `thinking`; if they do not, a level of the host's own stands."""
        return self.context is not None and bool(self.context.plan.categories)

    @property
    def model(self) -> Any | None:
        """The framework's own model that the plan asks for, None to keep the one at hand."""
        return self.binding.models.get(self.context.plan.model or "") if self.context is not None else None

    def system(self, own: str = "") -> str:
        """The system prompt: the host's own, with what belongs behind it."""
        return self.context.system(own) if self.context is not None else own

    def system_with_memories(self, own: str = "") -> str:
        """All that the turn shows, behind the host's own system prompt, for where nothing can be put behind the user's
        words.
        """
        if self.context is None:
            return own
        return "\n\n".join(part for part in (self.context.system(own), self.context.sent("").strip()) if part)

    async def messages(self, conversation: Sequence[Message]) -> Sequence[Message]:
        """What the model should see of all that the framework would send it, this turn's message with its block.

        Call it before each call of the model, with the framework's own conversation, which never holds a block: what
        comes back is for the request alone. System messages of the host are not part of it.
        """
        if self.context is None:
            return conversation
        spoken = self._with_blocks(conversation, self.context)
        try:
            return (await self.binding.layer.fit(self.context, spoken)).messages
        except Exception as error:  # as above
            _log_error("the conversation is sent as it is", error)
            return spoken

    async def encode_messages(self, codec: MessageCodec[T], conversation: Sequence[WrappedMessage]) -> list[T]:
        """Return `messages` of a decoded conversation in the framework's own format."""
        return codec.encode(await self.messages(conversation))

    def _with_blocks(self, conversation: Sequence[Message], context: TurnContext) -> Sequence[Message]:
        place, blocks = (
            find_user_message(conversation, context.message),
            self.binding.prompt_history.blocks(self.session_id),
        )
        if place is None:
            return with_blocks(conversation, blocks)
        own = conversation[place]
        sent = own.model_copy(update={"content": context.sent(own.content)})
        return [*with_blocks(conversation[:place], blocks), sent, *conversation[place + 1 :]]

    def select_tools(
        self, tools: Sequence[T], name: Callable[[T], str], rewritten: Callable[[T, ToolSpec], T] | None = None
    ) -> list[T]:
        """The tools that the turn keeps, in order. With `rewritten`, each as the catalog shortened it."""
        return (
            turn_tools.select_tools(self.context, tools, name, rewritten) if self.context is not None else list(tools)
        )

    def denies(self, name: str) -> bool:
        """Whether the turn took a tool away. A framework that finds its tools by name would run it if the model names
        it all the same: it is told `tools.DENIED` instead.
        """
        return self.context is not None and turn_tools.denies(self.context, name)

    @contextmanager
    def as_parent(self) -> Iterator[None]:
        """Around what starts work of this turn's: a turn that begins there, or in a task started there, is a
        sub-agent's.
        """
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
        """Around a tool's work, which hands its result to what this yields, and `ok=False` with one that says what went
        wrong. A turn that begins within it is a sub-agent's; a tool that raises is kept as one that failed, unless it
        raises one of `interrupts`: then it is called again, and nothing is kept.
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
        """Keeps a call and what came of it for the end of the turn; the recall tool's are counted already."""
        if self.context is None or self.has_ended or name == RECALL_NAME or len(self._calls) >= _MAX_CALLS:
            return
        made = to_tool_call(name, arguments, id)
        if made is not None:
            self._calls.append(made.model_copy(update={"result": result, "ok": ok}))

    def end(self, status: Status, response: str = "") -> None:
        """Ends the turn, once; later calls change nothing. It is settled in the background, whatever the run does."""
        if self.context is None or self.has_ended:
            return
        self.has_ended = True
        if status == "completed" and self.context.placement == "journaled":
            self.binding.prompt_history.add(self.session_id, self.context.message, self.context.user_message.content)
        try:
            outcome = Outcome(response=storable(response), tool_calls=tuple(self._calls), status=status)
            self.binding.settle(self.context, outcome)
        except Exception as error:  # as above
            _log_error("a turn's outcome is lost", error)

    async def recall(self, query: str, memory_type: MemoryType | None = None, limit: int = 5) -> str:
        """The recall tool's answer for the model: a block of records, or why there is none."""
        turn_id = self.context.turn_id if self.context is not None else None
        try:
            hits = await self.binding.layer.recall(self.binding.agent_id, query, memory_type, limit, turn_id)
        except InvalidInput as error:  # the model's own mistake, which it can mend
            return str(error)
        except Exception as error:  # as above
            _log_error("recall", error)
            return RECALL_UNAVAILABLE
        return recall_answer(hits, self.binding.layer.policies.current(self.binding.agent_id))


@dataclass(slots=True)
class ToolCallResult:
    """What came of a tool's work: the tool's caller calls this with it."""

    result: Any = None
    ok: bool = True

    def __call__(self, result: Any, *, ok: bool = True) -> None:
        """Keeps the result."""
        self.result, self.ok = result, ok


def current_turn() -> TurnSession | None:
    """The turn of the present run, for a tool whose framework hands it nothing of the run."""
    return _current_turn.get()


@contextmanager
def ends_turn(turn: TurnSession) -> Iterator[None]:
    """Around a run: one that raises has failed, one that is cancelled or closed early was abandoned. The runtime ends
    the turn itself with the response; a run that ends without one was abandoned.
    """
    try:
        yield
    except Exception:
        turn.end("failed")
        raise
    finally:
        turn.end("abandoned")


def _log_error(what: str, error: Exception) -> None:
    expected = isinstance(error, CognitiveError)
    log.log(logging.WARNING if expected else logging.ERROR, "%s: %r", what, error, exc_info=not expected)
