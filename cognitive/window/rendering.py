"""Render messages as the prompt shows them: tool outputs shortened, old results as stubs.

A stub is the first line of a result and a pointer to the stored whole result. Stubs are needed because models invent a
result that is simply missing. A session's outputs recur with every turn, so each long text is shortened once and
cached. The outputs of a turn are shortened after the turn, so that the next turn finds them in the cache.
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
    own_pointers,
    without_pointers,
)
from cognitive.window.output.text import head_of
from cognitive.window.sliding_window import MAX_PRUNED_CHARS, WindowSize

Count = Callable[[str], int]
WholeOutput = tuple[UUID, str, str]  # id, the tool that returned it, text

_PER_MESSAGE = 4  # tokens that a provider adds for a message's role and delimiters
_MIN_CHARS = 200  # characters of a text that is cut to fit: a pointer with a few words
_FIRST_LINE = 200  # characters of a result's first line in its stub
_MIN_CACHED = 200  # characters; a shorter text takes less time to normalise than to look up
_MAX_CACHED = 8_000_000  # characters of normalised outputs, for all sessions of the process
_MAX_SUMMARIES = 64  # cached summaries; each is needed until its session has stored it


class WindowCache:
    """Caches work that each turn of a session repeats: shortened outputs, and summaries that are not stored yet."""

    def __init__(self) -> None:
        self._outputs: TextCache[tuple[NormalisedOutput, int]] = TextCache(_MAX_CACHED, lambda value: value[1])
        self.summaries: TextCache[str] = TextCache(_MAX_SUMMARIES)

    def normalised(self, text: str, *, tool: str, session_id: str, limits: OutputLimits) -> NormalisedOutput:
        """Shorten a tool's output as `normalise` does, or return the result from the cache.

        Short texts are not cached. The cache does not hold the whole text, since the caller has it.
        """
        if len(text) <= _MIN_CACHED:
            return normalise(text, tool=tool, session_id=session_id, limits=limits)

        def make() -> tuple[NormalisedOutput, int]:
            output = normalise(text, tool=tool, session_id=session_id, limits=limits)
            same = output.whole == text
            cached_output = NormalisedOutput(
                output.text, None if same else output.whole, output.pointer, output.before, output.notes
            )
            return cached_output, len(output.text) + len(cached_output.whole or "")

        output, _ = self._outputs.get(key(session_id, tool, repr(limits.of(tool)), text), make)
        if output.pointer is None or output.whole is not None:
            return output
        return NormalisedOutput(output.text, text, output.pointer, output.before, output.notes)


@dataclass(frozen=True, slots=True)
class RenderedMessages:
    """Messages as the prompt shows them, and their size.

    `outputs` has the full texts of shortened tool outputs, which must be stored.
    """

    messages: tuple[Message, ...]
    outputs: tuple[WholeOutput, ...]
    size: WindowSize


@dataclass(frozen=True, slots=True)
class Renderer:
    """Renders the messages of a session as the prompt shows them, under a policy, and measures their size."""

    session_id: str
    policy: Policy
    count: Count
    cache: WindowCache

    def whole(self, group: MessageGroup) -> RenderedMessages:
        """Return the messages of a group with tool outputs and arguments shortened to their limits."""
        return self._shown([self._bounded(message, tool) for message, tool in _with_tools(group)])

    def stubbed(self, group: MessageGroup) -> RenderedMessages:
        """Return the messages of a group with each tool result cut to a stub.

        A stub is the result's first line and a pointer to the whole result.
        """
        return self._shown([self._stub(message, tool) for message, tool in _with_tools(group)])

    def with_cut_results(self, group: MessageGroup, characters: int) -> RenderedMessages:
        """Return the messages of a group with each tool result cut to at most `characters` characters."""
        rendered = []
        for message, tool in _with_tools(group):
            bounded = self._bounded(message, tool)
            fits = message.role != "tool" or len(bounded[0].content) <= characters
            rendered.append(bounded if fits else self._cut(message, characters, tool))
        return self._shown(rendered)

    def all_of(self, messages: Sequence[Message]) -> RenderedMessages:
        """Return messages unchanged, together with their size."""
        return RenderedMessages(tuple(messages), (), self.size(messages))

    def joined(self, pieces: Sequence[RenderedMessages]) -> RenderedMessages:
        """Return the messages of all pieces as one sequence, with their outputs and sizes added up."""
        return RenderedMessages(
            tuple(message for piece in pieces for message in piece.messages),
            tuple(output for piece in pieces for output in piece.outputs),
            sum((piece.size for piece in pieces), WindowSize()),
        )

    def cut(self, messages: Sequence[Message], characters: int) -> RenderedMessages:
        """Cut each message to at most `characters` characters."""
        return self._shown([self._cut(message, max(_MIN_CHARS, characters), message.role) for message in messages])

    def size(self, messages: Sequence[Message]) -> WindowSize:
        """Return the size of messages, their tool calls included."""
        characters = tokens = 0
        for message in messages:
            texts = [message.content, *(f"{call.name}{_arguments(call)}" for call in message.tool_calls)]
            characters += sum(map(len, texts))
            tokens += sum(_counted(self.count, text) for text in texts if text) + _PER_MESSAGE
        return WindowSize(len(messages), characters, tokens)

    def _shown(self, rendered: Sequence[tuple[Message, tuple[WholeOutput, ...]]]) -> RenderedMessages:
        messages = tuple(message for message, _ in rendered)
        return RenderedMessages(
            messages, tuple(whole for _, wholes in rendered for whole in wholes), self.size(messages)
        )

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
        """Return a tool result cut to a stub (its first line and a pointer), and the output to store for the pointer.

        A result that is no longer than a stub is unchanged.
        """
        if len(message.content) <= MAX_PRUNED_CHARS:
            return message, None
        known = own_pointers(message.content, self.session_id)
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
        """Shorten long arguments of a message's tool calls.

        For example, a call that writes a file contains the whole file.

        Return the message, and the full arguments to store.
        """
        max_chars = self.policy.window.max_message_chars
        if sum(len(_arguments(call)) for call in message.tool_calls) <= max_chars:
            return message, ()
        max_argument_chars = max(_MIN_CHARS, max_chars // (4 * len(message.tool_calls)))
        calls, wholes = [], list[WholeOutput]()
        for call in message.tool_calls:
            arguments = {
                name: self._argument(value, max_argument_chars, call.name, wholes)
                for name, value in call.arguments.items()
            }
            if len(json_values.as_text(arguments)) > 4 * max_argument_chars:  # too many arguments
                arguments = {"arguments": self._argument(_arguments(call), max_argument_chars, call.name, wholes)}
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
    """Return limits that cut outputs of every kind to this number of characters without cleaning them."""
    return OutputLimits(rows={kind: OutputLimit(kind, characters, characters, exact=True) for kind in LIMITS})


def _first_line(text: str) -> str:
    line = next((line.strip() for line in text[: 4 * _FIRST_LINE].splitlines() if line.strip()), "")
    return "" if without_pointers(line) != line else head_of(line, _FIRST_LINE)


@lru_cache(maxsize=16)
def _limits(characters: tuple[tuple[str, int], ...], kinds: tuple[tuple[str, str], ...]) -> OutputLimits:
    return OutputLimits(tools=dict(kinds)).with_characters(dict(characters))  # type: ignore[arg-type]


def limits(policy: Policy) -> OutputLimits:
    """Return the limits that a policy sets for the outputs of tools."""
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
