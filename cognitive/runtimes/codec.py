"""A framework's messages as the layer reads them, and back: one codec for each message format.

A codec decodes a framework's conversation to messages that hold the framework's own objects, and encodes what the
window makes of them: a message that is unchanged comes back as the very object that came in.
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
P = TypeVar("P")  # a part of one

NOT_TEXT = (
    "[attachment]"  # stands for what a message holds beside text: a blank message would be left out of the window
)


class WrappedMessage(Message):
    """A message with the framework's own value beside it, which it keeps whatever becomes of its text.

    `original_content` and `original_calls` are content and calls as they were decoded; `native` is what the codec needs
    to encode the message again.
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
        """Wrap a framework's value with what it says, as near as it can be kept: no run may fail for a message's sake.

        Calls that cannot be kept (None) are left out.
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
        """Whether the framework's own value says what this message says."""
        return self.content.rstrip() == self.original_content.rstrip() and not self.shortened_calls

    @property
    def appended(self) -> str | None:
        """What was put behind the message's text, if that is all that became of it; None if it says something else."""
        if not self.content.startswith(self.original_content):
            return None
        behind = self.content[len(self.original_content) :]
        return behind if behind.strip() else None

    @property
    def shortened_calls(self) -> tuple[ToolCall, ...]:
        """The calls whose arguments the window shortened, each under the framework's own id."""
        pairs = zip(self.original_calls, self.tool_calls, strict=False)
        return tuple(now.model_copy(update={"id": was.id}) for was, now in pairs if was.arguments != now.arguments)

    @property
    def shortened_arguments(self) -> dict[str | None, dict[str, Any]]:
        """The arguments of the shortened calls, by the framework's own id."""
        return {call.id: dict(call.arguments) for call in self.shortened_calls}


class MessageCodec(Protocol[M]):
    """The message format of a framework."""

    def decode(self, messages: Sequence[M]) -> list[WrappedMessage]:
        """Return a framework's conversation as the layer reads it."""
        ...

    def encode(self, messages: Sequence[Message]) -> list[M]:
        """Return messages in the framework's format; what the window left alone is the very object that it was."""
        ...


class WholeMessageCodec(ABC, Generic[M]):
    """A format of which each message is one message of the layer's."""

    def decode(self, messages: Sequence[M]) -> list[WrappedMessage]:
        """Return a message for each."""
        return [self.wrap(message) for message in messages]

    def encode(self, messages: Sequence[Message]) -> list[M]:
        """Return a message for each."""
        return [self._encode_one(message) for message in messages]

    @abstractmethod
    def wrap(self, message: M) -> WrappedMessage:
        """Return a message as the layer reads it."""

    @abstractmethod
    def replace(self, native: M, message: WrappedMessage) -> M:
        """Return the framework's message with what `message` says now; what it has beside words stays."""

    @abstractmethod
    def create(self, message: Message) -> M:
        """Return a message of the window's own: the summary of what left, the plan's step, an interrupted call."""

    def _encode_one(self, message: Message) -> M:
        if not isinstance(message, WrappedMessage):
            return self.create(message)
        native: M = message.native
        return native if message.is_unchanged else self.replace(native, message)


class PartsCodec(ABC, Generic[M, P]):
    """A format whose messages have parts, of which some are a message of the layer's by themselves.

    `native` is the framework's message and those of its parts that are meant; messages of one origin in a row become
    one again, with the parts that are left of it.
    """

    def decode(self, messages: Sequence[M]) -> list[WrappedMessage]:
        """Return a message for each group of parts that `split` makes."""
        return [self.wrap(message, parts) for message in messages for parts in self.split(message)]

    def encode(self, messages: Sequence[Message]) -> list[M]:
        """Return the framework's messages again, and the window's own as messages by themselves."""
        encoded: list[M] = []
        for _, group in groupby(messages, _origin):
            same = list(group)
            if not isinstance(same[0], WrappedMessage):
                encoded += map(self.create, same)
                continue
            parts = [part for message in same for part in self._parts(message)]
            encoded.append(self.join(same[0].native[0], parts))
        return encoded

    def replace(self, parts: Sequence[P], message: WrappedMessage) -> list[P]:
        """Return the parts with what the message says now; what they have beside words stays."""
        if message.role == "tool":
            return [self.with_result(parts[0], message.content)]
        if message.appended is not None and not message.shortened_calls:
            return [*parts, self.text_part(message.appended)]
        return self.rewrite(parts, message)

    def rewrite(self, parts: Sequence[P], message: WrappedMessage) -> list[P]:
        """Return the message's text in place of all text, before the other parts with the arguments as shortened."""
        shortened = message.shortened_arguments
        kept = [self.with_arguments(part, shortened) for part in parts if not self.is_text(part)]
        return [*([self.text_part(message.content)] if message.content else []), *kept]

    @abstractmethod
    def split(self, message: M) -> list[list[P]]:
        """Return the parts of a message in groups, each of which is a message of the layer's."""

    @abstractmethod
    def wrap(self, message: M, parts: Sequence[P]) -> WrappedMessage:
        """Return a group of parts as the layer reads it."""

    @abstractmethod
    def join(self, message: M, parts: list[P]) -> M:
        """Return the message with these parts: the very message, if they are its own."""

    @abstractmethod
    def create(self, message: Message) -> M:
        """Return a message of the window's own: the summary of what left, the plan's step, an interrupted call."""

    @abstractmethod
    def text_part(self, text: str) -> P:
        """Return a part of text."""

    @abstractmethod
    def is_text(self, part: P) -> bool:
        """Return whether a part is text, which the text of a changed message takes the place of."""

    @abstractmethod
    def with_result(self, part: P, text: str) -> P:
        """Return the result of a tool with other words."""

    @abstractmethod
    def with_arguments(self, part: P, arguments: Mapping[str | None, dict[str, Any]]) -> P:
        """Return a part with the arguments for its call's id, if it is a call and they are given."""

    def _parts(self, message: Message) -> Sequence[P]:
        assert isinstance(message, WrappedMessage)  # the others have an origin of their own
        parts: Sequence[P] = message.native[1]
        return parts if message.is_unchanged else self.replace(parts, message)


def split_tool_results(parts: Sequence[P], is_result: Callable[[P], bool]) -> list[list[P]]:
    """Return the parts of a message in groups: each tool's result by itself, all else together."""
    runs = list[list[P]]()
    for part in parts:
        if runs and not is_result(part) and not is_result(runs[-1][-1]):
            runs[-1].append(part)
        else:
            runs.append([part])
    return runs or [[]]


def to_tool_call(name: str, arguments: Mapping[str, Any] | str | None, id: str | None = None) -> ToolCall | None:
    """Return a call of a tool as it can be kept, its arguments as values or as JSON; None for one without a name."""
    label = _clean_label(name)
    if label is None:
        return None
    return ToolCall(name=label, arguments=_parse_arguments(arguments), id=_clean_label(id))


def output_text(output: Any) -> str:
    """Return what a run came to: text as it is, anything else as JSON."""
    return output if isinstance(output, str) else to_json(output, fallback=str).decode()


def _origin(message: Message) -> int | None:
    return id(message.native[0]) if isinstance(message, WrappedMessage) else None


def _clean_label(name: str | None) -> str | None:
    kept = storable(str(name or ""))[:MAX_LABEL_LENGTH]
    return kept if kept.strip() else None


def _parse_arguments(arguments: Mapping[str, Any] | str | None) -> Mapping[str, Any]:
    if isinstance(arguments, Mapping):
        return {str(key): value for key, value in arguments.items()}
    try:
        read = from_json(arguments or "{}")
    except ValueError:
        read = None
    return read if isinstance(read, dict) else {"arguments": arguments}
