"""A group as the prompt shows it: outputs normalised, old results as stubs, nothing without bounds; and its size."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from dataclasses import dataclass
from functools import lru_cache
from typing import Any
from uuid import UUID

from brain.caches import cached
from cognitive.policy import Policy
from cognitive.turn import Message, ToolCall
from cognitive.window import jsonable, prune, remembered
from cognitive.window.groups import Group
from cognitive.window.output.limits import OutputLimits
from cognitive.window.output.normalise import Output
from cognitive.window.strides import Size

Count = Callable[[str], int]
WholeOutput = tuple[UUID, str, str]  # id, the tool that returned it, text

_PER_MESSAGE = 4  # tokens that a provider adds for a message's role and borders
_LEAST = 200  # characters of a text that is cut to fit: a pointer with a few words


@dataclass(frozen=True, slots=True)
class Shown:
    """A group's messages as the prompt shows them, what must be stored for that, and what it takes."""

    messages: tuple[Message, ...]
    outputs: tuple[WholeOutput, ...]
    size: Size


@dataclass(frozen=True, slots=True)
class Display:
    """How a session's groups are shown."""

    session_id: str
    policy: Policy
    count: Count

    def whole(self, group: Group) -> Shown:
        """The group with its outputs normalised."""
        return self._shown([self._bounded(message, tool) for message, tool in _with_tools(group)])

    def stubbed(self, group: Group) -> Shown:
        """The group with stubs for its results."""
        return self._shown([self._stub(message, tool) for message, tool in _with_tools(group)])

    def all_of(self, messages: Sequence[Message]) -> Shown:
        """Messages as they are."""
        return Shown(tuple(messages), (), self.size(messages))

    def joined(self, pieces: Sequence[Shown]) -> Shown:
        """Pieces one behind the other."""
        return Shown(
            tuple(message for piece in pieces for message in piece.messages),
            tuple(output for piece in pieces for output in piece.outputs),
            sum((piece.size for piece in pieces), Size()),
        )

    def cut(self, messages: Sequence[Message], characters: int) -> Shown:
        """Messages of which none has more than so many characters."""
        return self._shown([self._cut(message, max(_LEAST, characters), message.role) for message in messages])

    def size(self, messages: Sequence[Message]) -> Size:
        """What messages take, their calls included."""
        characters = tokens = 0
        for message in messages:
            said = [message.content, *(f"{call.name}{_arguments(call)}" for call in message.tool_calls)]
            characters += sum(map(len, said))
            tokens += sum(_counted(self.count, text) for text in said if text) + _PER_MESSAGE
        return Size(len(messages), characters, tokens)

    def _shown(self, done: Sequence[tuple[Message, tuple[WholeOutput, ...]]]) -> Shown:
        messages = tuple(message for message, _ in done)
        return Shown(messages, tuple(whole for _, wholes in done for whole in wholes), self.size(messages))

    def _bounded(self, message: Message, tool: str) -> tuple[Message, tuple[WholeOutput, ...]]:
        if message.role == "tool":
            output = self._normalised(message.content, tool, limits(self.policy))
            return _replaced(message, output.text), _stored(output, tool)
        message, wholes = self._with_bounded_calls(message)
        message, more = self._cut(message, self.policy.message_characters, message.role)
        return message, (*wholes, *more)

    def _stub(self, message: Message, tool: str) -> tuple[Message, tuple[WholeOutput, ...]]:
        if message.role != "tool":
            return self._bounded(message, tool)
        stub, whole = prune.stub(message, tool=tool, session_id=self.session_id, policy=self.policy)
        return stub, _stored(whole, tool) if whole is not None else ()

    def _cut(self, message: Message, characters: int, tool: str) -> tuple[Message, tuple[WholeOutput, ...]]:
        if len(message.content) <= characters:
            return message, ()
        output = self._normalised(message.content, tool, prune.exactly(characters))
        return _replaced(message, output.text), _stored(output, tool)

    def _with_bounded_calls(self, message: Message) -> tuple[Message, tuple[WholeOutput, ...]]:
        """Long arguments are shortened: a call that wrote a file holds the whole file."""
        most = self.policy.message_characters
        if sum(len(_arguments(call)) for call in message.tool_calls) <= most:
            return message, ()
        each = max(_LEAST, most // (4 * len(message.tool_calls)))
        calls, wholes = [], list[WholeOutput]()
        for call in message.tool_calls:
            arguments = {name: self._argument(value, each, call.name, wholes) for name, value in call.arguments.items()}
            if len(jsonable.as_text(arguments)) > 4 * each:  # there are too many of them
                arguments = {"arguments": self._argument(_arguments(call), each, call.name, wholes)}
            calls.append(call.model_copy(update={"arguments": arguments}))
        return message.model_copy(update={"tool_calls": tuple(calls)}), tuple(wholes)

    def _argument(self, value: Any, characters: int, tool: str, wholes: list[WholeOutput]) -> Any:
        text = value if isinstance(value, str) else jsonable.as_text(value)
        if len(text) <= characters:
            return value
        output = self._normalised(text, tool, prune.exactly(characters))
        wholes.extend(_stored(output, tool))
        return output.text

    def _normalised(self, text: str, tool: str, limits: OutputLimits) -> Output:
        return remembered.normalised(text, tool=tool, session_id=self.session_id, limits=limits)


@lru_cache(maxsize=16)
def _limits(characters: tuple[tuple[str, int], ...], kinds: tuple[tuple[str, str], ...]) -> OutputLimits:
    return OutputLimits(tools=dict(kinds)).with_characters(dict(characters))  # type: ignore[arg-type]


def limits(policy: Policy) -> OutputLimits:
    """How long the outputs of tools may be under a policy."""
    return _limits(tuple(policy.tool_output_characters.items()), tuple(policy.tool_output_kinds.items()))


@cached(1024)
def _counted(count: Count, text: str) -> int:
    return count(text)


def _with_tools(group: Group) -> list[tuple[Message, str]]:
    names = ["", *(call.name for call in group.calls)] if group.calls else [""] * len(group.messages)
    return list(zip(group.messages, names, strict=True))


def _arguments(call: ToolCall) -> str:
    return jsonable.as_text(call.arguments)


def _replaced(message: Message, text: str) -> Message:
    return message if text == message.content else message.model_copy(update={"content": text})


def _stored(output: Output, tool: str) -> tuple[WholeOutput, ...]:
    if output.pointer is None or output.whole is None:
        return ()
    return ((output.pointer, tool, output.whole),)
