"""A framework's conversation as the layer reads it, and back: what the window leaves as it is comes back as the very
object that came in.
"""

from __future__ import annotations

import logging
from collections.abc import Callable, Iterator, Mapping, Sequence
from typing import Any, Self, TypeVar

from pydantic import Field, SkipValidation
from pydantic_core import from_json, to_json

from brain.text import storable
from brain.types import LONGEST_LABEL
from cognitive.errors import InvalidInput
from cognitive.turn import LONGEST_MESSAGE, Message, MessageText, Role, Tool, ToolCall

log = logging.getLogger(__name__)

T = TypeVar("T")

NOT_TEXT = (
    "[attachment]"  # stands for what a message holds beside text: a blank message would be left out of the window
)


class Native(Message):
    """A message with the framework's own value beside it, which it keeps whatever becomes of its text.

    `said` and `called` are content and calls as they were read; `native` is whatever the runtime wants back.
    """

    native: SkipValidation[Any] = Field(default=None, exclude=True, repr=False)
    said: MessageText = Field(default="", exclude=True, repr=False)
    called: tuple[ToolCall, ...] = Field(default=(), exclude=True, repr=False)

    @classmethod
    def read(
        cls,
        native: Any,
        role: Role,
        content: str = "",
        *,
        tool_calls: Sequence[ToolCall] = (),
        tool_call_id: str | None = None,
    ) -> Self:
        """What a framework's value says, as near as it can be kept: no run may fail for a message's sake."""
        calls, text = tuple(tool_calls), storable(content)[:LONGEST_MESSAGE]
        return cls(
            role=role, content=text, tool_calls=calls, tool_call_id=_label(tool_call_id), native=native, said=text,
            called=calls,
        )  # fmt: skip

    @property
    def untouched(self) -> bool:
        """Whether the framework's own value says what this message says."""
        return self.content.rstrip() == self.said.rstrip() and not self.rewritten

    @property
    def added(self) -> str | None:
        """What was put behind the message's text, if that is all that became of it; None if it says something else."""
        if not self.content.startswith(self.said) or not self.content[len(self.said) :].strip():
            return None
        return self.content[len(self.said) :]

    @property
    def rewritten(self) -> tuple[ToolCall, ...]:
        """The calls whose arguments the window shortened, each under the framework's own id."""
        pairs = zip(self.called, self.tool_calls, strict=False)
        return tuple(now.model_copy(update={"id": was.id}) for was, now in pairs if was.arguments != now.arguments)


def call(name: str, arguments: Mapping[str, Any] | str | None, id: str | None = None) -> ToolCall | None:
    """A call of a tool as it can be kept, its arguments as values or as JSON; None for one without a name."""
    label = _label(name)
    if label is None:
        return None
    return ToolCall(name=label, arguments=_arguments(arguments), id=_label(id))


def tool(name: str, description: str | None, parameters: Mapping[str, Any] | None) -> Tool | None:
    """A tool as a turn is given it; None for one that no provider could be given: it is left to the framework."""
    try:
        return Tool(name=name, description=storable(description or ""), parameters=dict(parameters or {}))
    except InvalidInput as error:
        log.warning("a tool is left as it is: %s", error)
        return None


def as_text(output: Any) -> str:
    """What a run came to: text as it is, anything else as JSON."""
    return output if isinstance(output, str) else to_json(output, fallback=str).decode()


def in_runs(parts: Sequence[T], is_result: Callable[[T], bool]) -> list[list[T]]:
    """The parts of a framework's message, as the layer reads them: each tool's result by itself, all else together."""
    runs = list[list[T]]()
    for part in parts:
        if runs and not is_result(part) and not is_result(runs[-1][-1]):
            runs[-1].append(part)
        else:
            runs.append([part])
    return runs or [[]]


def whole(
    messages: Sequence[Message], changed: Callable[[Native, Sequence[Any]], Sequence[Any]]
) -> Iterator[Message | tuple[Any, list[Any]]]:
    """The framework's messages again, each with the parts that are left of it; the window's own messages as they are.

    `native` of the messages is a framework's message and some parts of it; those of one in a row belong together.
    `changed` makes the parts of a message that says something else.
    """
    own, parts = None, list[Any]()
    for message in messages:
        origin, some = message.native if isinstance(message, Native) else (None, ())
        if origin is not own and own is not None:
            yield own, parts
        if not isinstance(message, Native):
            own = None
            yield message
            continue
        said = some if message.untouched else changed(message, some)
        own, parts = origin, [*(parts if origin is own else ()), *said]
    if own is not None:
        yield own, parts


def with_blocks(messages: Sequence[Message], blocks: Sequence[tuple[str, str]]) -> list[Message]:
    """The conversation with what earlier turns put behind the user's words, where a host keeps the bare words.

    `blocks` are the words and what was sent for them, oldest first; they are matched from the end, in order.
    """
    placed, left = list(messages), list(blocks)
    for place in reversed(list(_spoken(messages))):
        at = next((n for n in range(len(left) - 1, -1, -1) if left[n][0] == messages[place].content), None)
        if at is not None:
            placed[place] = messages[place].model_copy(update={"content": left[at][1]})
            del left[at:]
    return placed


def place_of(messages: Sequence[Message], words: str | None = None) -> int | None:
    """Where the user's message of this turn stands: the last that says these words, or else the last of the user's."""
    spoken = list(_spoken(messages))
    said = [place for place in spoken if messages[place].content == words]
    found = said or spoken
    return found[-1] if found else None


def _label(name: str | None) -> str | None:
    kept = storable(str(name or ""))[:LONGEST_LABEL]
    return kept if kept.strip() else None


def _arguments(arguments: Mapping[str, Any] | str | None) -> Mapping[str, Any]:
    if isinstance(arguments, Mapping):
        return {str(key): value for key, value in arguments.items()}
    try:
        read = from_json(arguments or "{}")
    except ValueError:
        read = None
    return read if isinstance(read, dict) else {"arguments": arguments}


def _spoken(messages: Sequence[Message]) -> Iterator[int]:
    return (place for place, message in enumerate(messages) if message.role == "user")
