"""Codecs, which convert a framework's messages to the memory layer's messages and back.

A converted message keeps the framework's own object. If the layer does not change the message, converting it back
returns this object.
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
from cognitive.runtimes.tools import DENIED
from cognitive.turn import MAX_MESSAGE_LENGTH, Message, MessageText, Role, ToolCall

M = TypeVar("M")  # a framework's message
P = TypeVar("P")  # a part of a framework's message

# The text of an attachment. The window leaves out messages without text.
NOT_TEXT = "[attachment]"


def without_placeholders(text: str) -> str:
    """Return a user's message without the placeholders of its attachments, which the user did not write."""
    return "\n".join(line for line in text.split("\n") if line != NOT_TEXT)


def joined_text(parts: Iterable[Any]) -> str:
    """Return the text of a message's parts, with a placeholder for each part that is not a string."""
    return "\n".join(part if isinstance(part, str) else NOT_TEXT for part in parts)


class WrappedMessage(Message):
    """A message of the memory layer that keeps the framework's object from which it was converted.

    `native` is that object, or whatever value the codec needs to convert the message back. `original_content` and
    `original_calls` are the text and the tool calls before the layer changed them. `attachments` are the framework's
    objects for the parts that are not text.
    """

    native: SkipValidation[Any] = Field(default=None, exclude=True, repr=False)
    original_content: MessageText = Field(default="", exclude=True, repr=False)
    original_calls: tuple[ToolCall, ...] = Field(default=(), exclude=True, repr=False)
    attachments: SkipValidation[tuple[Any, ...]] = Field(default=(), exclude=True, repr=False)

    @classmethod
    def wrap(
        cls,
        native: Any,
        role: Role,
        content: str | Iterable[Any] = "",
        *,
        tool_calls: Iterable[ToolCall | None] = (),
        tool_call_id: str | None = None,
        failed: bool = False,
    ) -> Self:
        """Create a message from a framework's object `native` and the role, content and tool calls of that object.

        `content` is the text, or the parts of the content: a string is text, anything else an attachment.
        Text and ids are cleaned and cut to their limits, so that no invalid value stops the agent. None in `tool_calls`
        (a call that could not be converted) is left out. The result of a `failed` tool call has the kind "error", which
        stays in the window, unless the layer denied the call.
        """
        calls, parts = tuple(call for call in tool_calls if call is not None), [content]
        if not isinstance(content, str):
            parts = list(content)
        text = storable(joined_text(parts))[:MAX_MESSAGE_LENGTH]
        return cls(
            role=role,
            content=text,
            kind="error" if failed and text != DENIED else None,
            tool_calls=calls,
            tool_call_id=_clean_label(tool_call_id),
            native=native,
            original_content=text,
            original_calls=calls,
            attachments=tuple(part for part in parts if not isinstance(part, str)),
        )

    @property
    def is_unchanged(self) -> bool:
        """True if neither the text nor the tool calls have changed since the message was created."""
        return self.has_own_text and not self.shortened_calls

    @property
    def has_own_text(self) -> bool:
        """True if the text has not changed since the message was created."""
        return self.content.rstrip() == self.original_content.rstrip()

    @property
    def appended(self) -> str | None:
        """The text that was appended to the original text, or None if there is none or the original text changed."""
        if not self.content.startswith(self.original_content):
            return None
        suffix = self.content[len(self.original_content) :]
        return suffix if suffix.strip() else None

    @property
    def written(self) -> str:
        """The text to write into the framework's object, which keeps the attachments: without their placeholders."""
        return without_placeholders(self.content) if self.attachments else self.content

    @property
    def shortened_calls(self) -> tuple[ToolCall, ...]:
        """The tool calls whose arguments the memory layer shortened, with the framework's own call ids."""
        pairs = zip(self.original_calls, self.tool_calls, strict=False)
        return tuple(new.model_copy(update={"id": old.id}) for old, new in pairs if old.arguments != new.arguments)

    @property
    def shortened_arguments(self) -> dict[str | None, dict[str, Any]]:
        """The new arguments of the shortened tool calls, by the framework's own call id."""
        return {call.id: dict(call.arguments) for call in self.shortened_calls}


class MessageCodec(Protocol[M]):
    """Converts the messages of a framework to the memory layer's messages and back."""

    def decode(self, messages: Sequence[M]) -> list[WrappedMessage]:
        """Convert a conversation of the framework to messages of the memory layer."""
        ...

    def encode(self, messages: Sequence[Message]) -> list[M]:
        """Convert messages of the memory layer to the framework's format.

        Unchanged messages become the framework's original objects again.
        """
        ...


class WholeMessageCodec(ABC, Generic[M]):
    """Base class of codecs for frameworks in which one message corresponds to one message of the memory layer."""

    def decode(self, messages: Sequence[M]) -> list[WrappedMessage]:
        """Convert a conversation of the framework to messages of the memory layer."""
        return [self.wrap(message) for message in messages]

    def encode(self, messages: Sequence[Message]) -> list[M]:
        """Convert messages of the memory layer to the framework's format.

        Unchanged messages become the framework's original objects again.
        """
        return [self._encode_one(message) for message in messages]

    @abstractmethod
    def wrap(self, message: M) -> WrappedMessage:
        """Convert a message of the framework to a message of the memory layer."""

    @abstractmethod
    def replace(self, native: M, message: WrappedMessage) -> M:
        """Return a copy of the framework's message `native`, with the changed text and tool arguments of `message`."""

    @abstractmethod
    def create(self, message: Message) -> M:
        """Convert a message that the memory layer added, such as a summary, to a message of the framework."""

    def _encode_one(self, message: Message) -> M:
        if not isinstance(message, WrappedMessage):
            return self.create(message)
        native: M = message.native
        return native if message.is_unchanged else self.replace(native, message)


class PartsCodec(ABC, Generic[M, P]):
    """Base class of codecs for frameworks in which a message has parts, and may correspond to several layer messages.

    `native` of each layer message is a pair: the framework's message, and the parts of it that the layer message holds.
    When neighbouring layer messages that come from the same framework message are converted back, they are joined
    again.
    """

    def decode(self, messages: Sequence[M]) -> list[WrappedMessage]:
        """Convert a conversation of the framework to messages of the memory layer, one for each group of parts."""
        return [self.wrap(message, parts) for message in messages for parts in self.split(message)]

    def encode(self, messages: Sequence[Message]) -> list[M]:
        """Convert messages of the memory layer to the framework's format.

        Unchanged messages become the framework's original objects again.
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
        """Return the framework's parts with the changed text and tool arguments of `message`. Other parts stay."""
        if message.role == "tool":
            return [self.with_result(parts[0], message.content)]
        if message.appended is not None and not message.shortened_calls:
            return [*parts, self.text_part(message.appended)]
        return self.rewrite(parts, message)

    def rewrite(self, parts: Sequence[P], message: WrappedMessage) -> list[P]:
        """Return the parts of a message whose text or tool arguments have changed.

        A changed text is one part in the place of the first text. Tool calls have their shortened arguments.
        """
        shortened = message.shortened_arguments
        edited = [part if self.is_text(part) else self.with_arguments(part, shortened) for part in parts]
        if message.has_own_text:
            return edited
        return replace_text(edited, self.is_text, [self.text_part(message.written)] if message.written else [])

    @abstractmethod
    def split(self, message: M) -> list[list[P]]:
        """Divide the parts of a framework's message into groups, each of which becomes one layer message."""

    @abstractmethod
    def wrap(self, message: M, parts: Sequence[P]) -> WrappedMessage:
        """Convert a group of a message's parts to one message of the memory layer."""

    @abstractmethod
    def join(self, message: M, parts: list[P]) -> M:
        """Return the framework's message with `parts` as its parts, or `message` itself if they are unchanged."""

    @abstractmethod
    def create(self, message: Message) -> M:
        """Convert a message that the memory layer added, such as a summary, to a message of the framework."""

    @abstractmethod
    def text_part(self, text: str) -> P:
        """Create a part with this text."""

    @abstractmethod
    def is_text(self, part: P) -> bool:
        """Return True if the part is a text. Such parts are replaced when the text of the message has changed."""

    @abstractmethod
    def with_result(self, part: P, text: str) -> P:
        """Create a copy of a tool result part in which `text` replaces the result."""

    @abstractmethod
    def with_arguments(self, part: P, arguments: Mapping[str | None, dict[str, Any]]) -> P:
        """Replace the arguments of a tool call part if `arguments` has its call id. Return other parts unchanged."""

    def _parts(self, message: Message) -> Sequence[P]:
        assert isinstance(message, WrappedMessage)  # messages with an origin are wrapped
        parts: Sequence[P] = message.native[1]
        return parts if message.is_unchanged else self.replace(parts, message)


def replace_text(parts: Sequence[P], is_text: Callable[[P], bool], text: Sequence[P]) -> list[P]:
    """Return a message's parts with the parts `text` in the place of its first text, and without its other texts.

    All other parts keep their order, since providers refuse a model's thinking after its text. A message without a text
    begins with `text`.
    """
    first = next((n for n, part in enumerate(parts) if is_text(part)), 0)
    before, after = ([part for part in each if not is_text(part)] for each in (parts[:first], parts[first:]))
    return [*before, *text, *after]


def split_tool_results(parts: Sequence[P], is_result: Callable[[P], bool]) -> list[list[P]]:
    """Divide a message's parts into groups: each tool result alone, and consecutive other parts together."""
    groups = list[list[P]]()
    for part in parts:
        if groups and not is_result(part) and not is_result(groups[-1][-1]):
            groups[-1].append(part)
        else:
            groups.append([part])
    return groups or [[]]


def to_tool_call(name: str, arguments: Mapping[str, Any] | str | None, id: str | None = None) -> ToolCall | None:
    """Create a tool call from its name, id and arguments (a mapping or JSON), or return None if the name is empty."""
    label = _clean_label(name)
    if label is None:
        return None
    return ToolCall(name=label, arguments=_parse_arguments(arguments), id=_clean_label(id))


def output_text(output: Any) -> str:
    """Convert the output of an agent's run to text. A string stays unchanged; any other value becomes JSON."""
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
