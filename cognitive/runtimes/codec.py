"""Codecs, which convert a framework's messages to the layer's and back.

A decoded message holds the framework's own object. Encoding a message that the window left unchanged returns that very
object.
"""

from __future__ import annotations

from abc import ABC, abstractmethod
from collections.abc import Callable, Iterable, Mapping, Sequence
from itertools import groupby
from typing import Any, Generic, Protocol, Self, TypeVar

from pydantic import Field, SkipValidation
from pydantic_core import from_json, to_json

from brain.text import storable
from brain.types import MAX_LABEL_LENGTH
from cognitive.turn import MAX_MESSAGE_LENGTH, Message, MessageText, Role, ToolCall

M = TypeVar("M")  # a framework's message
P = TypeVar("P")  # a part of a framework's message

# The text of an attachment. The window leaves out messages without text.
NOT_TEXT = "[attachment]"


class WrappedMessage(Message):
    """A message of the layer that holds the framework's own value, even if its text changes.

    `native` is the value from which the codec encodes the message again. `original_content` and `original_calls` are
    the content and calls as they were decoded.
    """

    native: SkipValidation[Any] = Field(default=None, exclude=True, repr=False)
    original_content: MessageText = Field(default="", exclude=True, repr=False)
    original_calls: tuple[ToolCall, ...] = Field(default=(), exclude=True, repr=False)

    @classmethod
    def wrap(
        cls,
        native: Any,
        role: Role,
        content: str = "",
        *,
        tool_calls: Iterable[ToolCall | None] = (),
        tool_call_id: str | None = None,
    ) -> Self:
        """Return a framework's value as a message.

        Text and labels are cleaned and cut to their limits, so that no run fails. Calls that could not be converted
        (None) are left out.
        """
        calls, text = tuple(call for call in tool_calls if call is not None), storable(content)[:MAX_MESSAGE_LENGTH]
        return cls(
            role=role,
            content=text,
            tool_calls=calls,
            tool_call_id=_clean_label(tool_call_id),
            native=native,
            original_content=text,
            original_calls=calls,
        )

    @property
    def is_unchanged(self) -> bool:
        """True if neither the text nor the calls changed since the message was decoded."""
        return self.content.rstrip() == self.original_content.rstrip() and not self.shortened_calls

    @property
    def appended(self) -> str | None:
        """The text that was appended to the original content; None if nothing was or the content changed otherwise."""
        if not self.content.startswith(self.original_content):
            return None
        suffix = self.content[len(self.original_content) :]
        return suffix if suffix.strip() else None

    @property
    def shortened_calls(self) -> tuple[ToolCall, ...]:
        """The calls whose arguments the window shortened, with the framework's own ids."""
        pairs = zip(self.original_calls, self.tool_calls, strict=False)
        return tuple(new.model_copy(update={"id": old.id}) for old, new in pairs if old.arguments != new.arguments)

    @property
    def shortened_arguments(self) -> dict[str | None, dict[str, Any]]:
        """The arguments of the shortened calls, by the framework's own call id."""
        return {call.id: dict(call.arguments) for call in self.shortened_calls}


class MessageCodec(Protocol[M]):
    """The conversion between a framework's messages and the layer's."""

    def decode(self, messages: Sequence[M]) -> list[WrappedMessage]:
        """Return a conversation of the framework as messages of the layer."""
        ...

    def encode(self, messages: Sequence[Message]) -> list[M]:
        """Return messages of the layer in the framework's format.

        Unchanged messages are the framework's original objects.
        """
        ...


class WholeMessageCodec(ABC, Generic[M]):
    """A codec for formats in which each message is one message of the layer."""

    def decode(self, messages: Sequence[M]) -> list[WrappedMessage]:
        """Return a conversation of the framework as messages of the layer."""
        return [self.wrap(message) for message in messages]

    def encode(self, messages: Sequence[Message]) -> list[M]:
        """Return messages of the layer in the framework's format.

        Unchanged messages are the framework's original objects.
        """
        return [self._encode_one(message) for message in messages]

    @abstractmethod
    def wrap(self, message: M) -> WrappedMessage:
        """Return a message of the framework as a message of the layer."""

    @abstractmethod
    def replace(self, native: M, message: WrappedMessage) -> M:
        """Return the framework's message with the changed text and arguments of `message`."""

    @abstractmethod
    def create(self, message: Message) -> M:
        """Return a message that the window added (a summary, a plan step, an interrupted call) for the framework."""

    def _encode_one(self, message: Message) -> M:
        if not isinstance(message, WrappedMessage):
            return self.create(message)
        native: M = message.native
        return native if message.is_unchanged else self.replace(native, message)


class PartsCodec(ABC, Generic[M, P]):
    """A codec for formats whose messages have parts, of which one message of the layer may hold only some.

    `native` is a pair: the framework's message and the parts that the layer's message holds. When encoded, neighbouring
    messages with the same framework message are joined into one again.
    """

    def decode(self, messages: Sequence[M]) -> list[WrappedMessage]:
        """Return a conversation of the framework as messages of the layer, one for each group of parts."""
        return [self.wrap(message, parts) for message in messages for parts in self.split(message)]

    def encode(self, messages: Sequence[Message]) -> list[M]:
        """Return messages of the layer in the framework's format.

        Unchanged messages are the framework's original objects.
        """
        encoded: list[M] = []
        for _, group in groupby(messages, _origin):
            run = list(group)  # neighbours that were decoded from the same framework message
            if not isinstance(run[0], WrappedMessage):
                encoded += map(self.create, run)
                continue
            parts = [part for message in run for part in self._parts(message)]
            encoded.append(self.join(run[0].native[0], parts))
        return encoded

    def replace(self, parts: Sequence[P], message: WrappedMessage) -> list[P]:
        """Return the parts with the changed text and arguments of `message`. Parts that are not text stay."""
        if message.role == "tool":
            return [self.with_result(parts[0], message.content)]
        if message.appended is not None and not message.shortened_calls:
            return [*parts, self.text_part(message.appended)]
        return self.rewrite(parts, message)

    def rewrite(self, parts: Sequence[P], message: WrappedMessage) -> list[P]:
        """Return a text part with the message's content, then the other parts with their shortened arguments."""
        shortened = message.shortened_arguments
        others = [self.with_arguments(part, shortened) for part in parts if not self.is_text(part)]
        return [*([self.text_part(message.content)] if message.content else []), *others]

    @abstractmethod
    def split(self, message: M) -> list[list[P]]:
        """Return the parts of a message in groups, one for each message of the layer."""

    @abstractmethod
    def wrap(self, message: M, parts: Sequence[P]) -> WrappedMessage:
        """Return a group of parts as a message of the layer."""

    @abstractmethod
    def join(self, message: M, parts: list[P]) -> M:
        """Return the framework's message with these parts; the same object if they are unchanged."""

    @abstractmethod
    def create(self, message: Message) -> M:
        """Return a message that the window added (a summary, a plan step, an interrupted call) for the framework."""

    @abstractmethod
    def text_part(self, text: str) -> P:
        """Return a text part."""

    @abstractmethod
    def is_text(self, part: P) -> bool:
        """Return True if the part is text, which a changed message replaces."""

    @abstractmethod
    def with_result(self, part: P, text: str) -> P:
        """Return a tool result with another text."""

    @abstractmethod
    def with_arguments(self, part: P, arguments: Mapping[str | None, dict[str, Any]]) -> P:
        """Return a tool call with its shortened arguments, found by its id; any other part unchanged."""

    def _parts(self, message: Message) -> Sequence[P]:
        assert isinstance(message, WrappedMessage)  # messages with an origin are wrapped
        parts: Sequence[P] = message.native[1]
        return parts if message.is_unchanged else self.replace(parts, message)


def split_tool_results(parts: Sequence[P], is_result: Callable[[P], bool]) -> list[list[P]]:
    """Return the parts of a message in groups: each tool result alone, runs of other parts together."""
    groups = list[list[P]]()
    for part in parts:
        if groups and not is_result(part) and not is_result(groups[-1][-1]):
            groups[-1].append(part)
        else:
            groups.append([part])
    return groups or [[]]


def to_tool_call(name: str, arguments: Mapping[str, Any] | str | None, id: str | None = None) -> ToolCall | None:
    """Return a tool call with its arguments, given as a mapping or as JSON; None if the name is empty."""
    label = _clean_label(name)
    if label is None:
        return None
    return ToolCall(name=label, arguments=_parse_arguments(arguments), id=_clean_label(id))


def output_text(output: Any) -> str:
    """Return the output of a run as text: a string unchanged, any other value as JSON."""
    return output if isinstance(output, str) else to_json(output, fallback=str).decode()


def _origin(message: Message) -> int | None:
    return id(message.native[0]) if isinstance(message, WrappedMessage) else None


def _clean_label(name: str | None) -> str | None:
    label = storable(str(name or ""))[:MAX_LABEL_LENGTH]
    return label if label.strip() else None


def _parse_arguments(arguments: Mapping[str, Any] | str | None) -> Mapping[str, Any]:
    if isinstance(arguments, Mapping):
        return {str(key): value for key, value in arguments.items()}
    try:
        parsed = from_json(arguments or "{}")
    except ValueError:
        parsed = None
    return parsed if isinstance(parsed, dict) else {"arguments": arguments}
