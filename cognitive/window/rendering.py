"""Render groups as the prompt shows them: outputs normalised, old results as stubs, nothing without bounds.

A stub is a first line and a pointer, never nothing: a result that is simply gone makes models invent what it said. A
long text is normalised once, since the same outputs come with every turn of a session. What a turn's tools returned is
normalised when the turn is over, so that the next one finds it here.
"""

from __future__ import annotations

from collections.abc import Callable, Sequence
from dataclasses import dataclass
from functools import lru_cache
from typing import Any
from uuid import UUID

from brain.caches import TextCache, cached, key
from cognitive.policy import Policy
from cognitive.turn import Message, ToolCall
from cognitive.window.groups import MessageGroup
from cognitive.window.output import json_values
from cognitive.window.output.normalise import (
    LIMITS,
    NormalisedOutput,
    OutputLimit,
    OutputLimits,
    marker,
    normalise,
    pointers,
)
from cognitive.window.output.text import head_of
from cognitive.window.sliding_window import MAX_PRUNED_CHARS, WindowSize

Count = Callable[[str], int]
WholeOutput = tuple[UUID, str, str]  # id, the tool that returned it, text

_PER_MESSAGE = 4  # tokens that a provider adds for a message's role and borders
_LEAST = 200  # characters of a text that is cut to fit: a pointer with a few words
_FIRST_LINE = 200  # characters of a result's first line that say what it was
_MIN_CACHED = 200  # characters of a text that takes longer to normalise than to look up
_MAX_CACHED = 8_000_000  # characters of normalised outputs, of all sessions of the process
_MAX_SUMMARIES = 64  # one is extracted until the session keeps it: those of so many conversations


class WindowCache:
    """What windows need again with every turn: normalised outputs, and summaries that no session keeps yet."""

    def __init__(self) -> None:
        self._outputs: TextCache[tuple[NormalisedOutput, int]] = TextCache(_MAX_CACHED, lambda value: value[1])
        self.summaries: TextCache[str] = TextCache(_MAX_SUMMARIES)

    def normalised(self, text: str, *, tool: str, session_id: str, limits: OutputLimits) -> NormalisedOutput:
        """As `normalise`, once per text: what it comes to is remembered, the whole is the caller's."""
        if len(text) <= _MIN_CACHED:
            return normalise(text, tool=tool, session_id=session_id, limits=limits)

        def make() -> tuple[NormalisedOutput, int]:
            output = normalise(text, tool=tool, session_id=session_id, limits=limits)
            same = output.whole == text
            kept = NormalisedOutput(
                output.text, None if same else output.whole, output.pointer, output.before, output.notes
            )
            return kept, len(output.text) + len(kept.whole or "")

        output, _ = self._outputs.get(key(session_id, tool, repr(limits.of(tool)), text), make)
        if output.pointer is None or output.whole is not None:
            return output
        return NormalisedOutput(output.text, text, output.pointer, output.before, output.notes)


@dataclass(frozen=True, slots=True)
class RenderedMessages:
    """A group's messages as the prompt shows them, what must be stored for that, and what it takes."""

    messages: tuple[Message, ...]
    outputs: tuple[WholeOutput, ...]
    size: WindowSize


@dataclass(frozen=True, slots=True)
class Renderer:
    """How a session's groups are shown."""

    session_id: str
    policy: Policy
    count: Count
    cache: WindowCache

    def whole(self, group: MessageGroup) -> RenderedMessages:
        """The group with its outputs normalised."""
        return self._shown([self._bounded(message, tool) for message, tool in _with_tools(group)])

    def stubbed(self, group: MessageGroup) -> RenderedMessages:
        """The group with stubs for its results."""
        return self._shown([self._stub(message, tool) for message, tool in _with_tools(group)])

    def all_of(self, messages: Sequence[Message]) -> RenderedMessages:
        """Messages as they are."""
        return RenderedMessages(tuple(messages), (), self.size(messages))

    def joined(self, pieces: Sequence[RenderedMessages]) -> RenderedMessages:
        """Pieces one behind the other."""
        return RenderedMessages(
            tuple(message for piece in pieces for message in piece.messages),
            tuple(output for piece in pieces for output in piece.outputs),
            sum((piece.size for piece in pieces), WindowSize()),
        )

    def cut(self, messages: Sequence[Message], characters: int) -> RenderedMessages:
        """Messages of which none has more than so many characters."""
        return self._shown([self._cut(message, max(_LEAST, characters), message.role) for message in messages])

    def size(self, messages: Sequence[Message]) -> WindowSize:
        """What messages take, their calls included."""
        characters = tokens = 0
        for message in messages:
            said = [message.content, *(f"{call.name}{_arguments(call)}" for call in message.tool_calls)]
            characters += sum(map(len, said))
            tokens += sum(_counted(self.count, text) for text in said if text) + _PER_MESSAGE
        return WindowSize(len(messages), characters, tokens)

    def _shown(self, done: Sequence[tuple[Message, tuple[WholeOutput, ...]]]) -> RenderedMessages:
        messages = tuple(message for message, _ in done)
        return RenderedMessages(messages, tuple(whole for _, wholes in done for whole in wholes), self.size(messages))

    def _bounded(self, message: Message, tool: str) -> tuple[Message, tuple[WholeOutput, ...]]:
        if message.role == "tool":
            output = self._normalised(message.content, tool, limits(self.policy))
            return _replaced(message, output.text), _stored(output, tool)
        message, wholes = self._with_bounded_calls(message)
        message, more = self._cut(message, self.policy.window.max_message_chars, message.role)
        return message, (*wholes, *more)

    def _stub(self, message: Message, tool: str) -> tuple[Message, tuple[WholeOutput, ...]]:
        if message.role != "tool":
            return self._bounded(message, tool)
        shown, whole = self._with_stub(message, tool)
        return shown, _stored(whole, tool) if whole is not None else ()

    def _with_stub(self, message: Message, tool: str) -> tuple[Message, NormalisedOutput | None]:
        """What is left of a result, and what to store for it. A result that is no longer than its stub stays."""
        if len(message.content) <= MAX_PRUNED_CHARS:
            return message, None
        known = pointers(message.content)
        whole = self._normalised(message.content, tool, _exactly(MAX_PRUNED_CHARS))
        pointer = known[0] if known else whole.pointer
        if pointer is None:
            return message, None
        first = _first_line(message.content) if self.policy.window.summarize_before_prune else ""
        before = len(message.content)
        text = "\n".join([*filter(None, [first]), marker(before - len(first), before, pointer)])
        return message.model_copy(update={"content": text}), None if known else whole

    def _cut(self, message: Message, characters: int, tool: str) -> tuple[Message, tuple[WholeOutput, ...]]:
        if len(message.content) <= characters:
            return message, ()
        output = self._normalised(message.content, tool, _exactly(characters))
        return _replaced(message, output.text), _stored(output, tool)

    def _with_bounded_calls(self, message: Message) -> tuple[Message, tuple[WholeOutput, ...]]:
        """Long arguments are shortened: a call that wrote a file holds the whole file."""
        most = self.policy.window.max_message_chars
        if sum(len(_arguments(call)) for call in message.tool_calls) <= most:
            return message, ()
        each = max(_LEAST, most // (4 * len(message.tool_calls)))
        calls, wholes = [], list[WholeOutput]()
        for call in message.tool_calls:
            arguments = {name: self._argument(value, each, call.name, wholes) for name, value in call.arguments.items()}
            if len(json_values.as_text(arguments)) > 4 * each:  # there are too many of them
                arguments = {"arguments": self._argument(_arguments(call), each, call.name, wholes)}
            calls.append(call.model_copy(update={"arguments": arguments}))
        return message.model_copy(update={"tool_calls": tuple(calls)}), tuple(wholes)

    def _argument(self, value: Any, characters: int, tool: str, wholes: list[WholeOutput]) -> Any:
        text = value if isinstance(value, str) else json_values.as_text(value)
        if len(text) <= characters:
            return value
        output = self._normalised(text, tool, _exactly(characters))
        wholes.extend(_stored(output, tool))
        return output.text

    def _normalised(self, text: str, tool: str, limits: OutputLimits) -> NormalisedOutput:
        return self.cache.normalised(text, tool=tool, session_id=self.session_id, limits=limits)


@lru_cache(maxsize=256)
def _exactly(characters: int) -> OutputLimits:
    """A limit of so many characters, for any text: it is cut and never cleaned."""
    return OutputLimits(rows={kind: OutputLimit(kind, characters, characters, exact=True) for kind in LIMITS})


def _first_line(text: str) -> str:
    line = next((line.strip() for line in text[: 4 * _FIRST_LINE].splitlines() if line.strip()), "")
    return "" if pointers(line) else head_of(line, _FIRST_LINE)


@lru_cache(maxsize=16)
def _limits(characters: tuple[tuple[str, int], ...], kinds: tuple[tuple[str, str], ...]) -> OutputLimits:
    return OutputLimits(tools=dict(kinds)).with_characters(dict(characters))  # type: ignore[arg-type]


def limits(policy: Policy) -> OutputLimits:
    """How long the outputs of tools may be under a policy."""
    return _limits(tuple(policy.window.max_tool_output_chars.items()), tuple(policy.window.tool_output_kinds.items()))


@cached(1024)
def _counted(count: Count, text: str) -> int:
    return count(text)


def _with_tools(group: MessageGroup) -> list[tuple[Message, str]]:
    names = ["", *(call.name for call in group.calls)] if group.calls else [""] * len(group.messages)
    return list(zip(group.messages, names, strict=True))


def _arguments(call: ToolCall) -> str:
    return json_values.as_text(call.arguments)


def _replaced(message: Message, text: str) -> Message:
    return message if text == message.content else message.model_copy(update={"content": text})


def _stored(output: NormalisedOutput, tool: str) -> tuple[WholeOutput, ...]:
    if output.pointer is None or output.whole is None:
        return ()
    return ((output.pointer, tool, output.whole),)
