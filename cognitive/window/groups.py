"""Group the messages of a conversation: a group is one message, or a message with tool calls and their results.

A group is shown or left out as a whole. The results of calls follow the message that makes the calls, one result for
each call. Call ids are made unique and valid; they do not depend on where the conversation is cut. Everything that had
to be repaired is reported.
"""

from __future__ import annotations

import re
from collections.abc import Callable, Iterable, Sequence
from dataclasses import dataclass, field
from hashlib import blake2b
from operator import is_
from typing import Any, Literal

from cognitive.turn import Message, ToolCall
from cognitive.window.engine_messages import authored
from cognitive.window.output import json_values
from cognitive.window.output.text import storable

INTERRUPTED = "[No result of this call was recorded: it was interrupted, or its result was lost.]"
EMPTY = "[The tool returned nothing.]"
MAX_ID_LENGTH = 40  # characters of a call's id that every provider accepts
ID = re.compile(r"[A-Za-z0-9_-]+")
_MARKED = 4  # messages in a mark: a message such as "continue" is repeated, four messages in a row are not

FAR = 600  # messages searched for a mark; a summary that ends earlier belongs to another conversation

RepairKind = Literal[
    "blank",  # a message without text was left out
    "orphan",  # a result without a call was left out
    "duplicate",  # a second result of a call was left out
    "interrupted",  # a call had no result: a placeholder was added
    "inline",  # a call contained its result: it became a message
    "regrouped",  # a result followed other messages: it was moved to its call
    "renamed",  # an id was missing, malformed or not unique
]


@dataclass(frozen=True, slots=True)
class Repair:
    """A defect of the conversation that was repaired: its kind, and the index of the message."""

    what: RepairKind
    index: int


@dataclass(frozen=True, slots=True)
class MessageGroup:
    """Messages that are shown or left out together, for example a tool call and its results.

    `first` is the index in the conversation of the group's first message.
    """

    messages: tuple[Message, ...]
    first: int

    @property
    def role(self) -> str:
        """The role of the group's first message, such as "user"."""
        return self.messages[0].role

    @property
    def calls(self) -> Sequence[ToolCall]:
        """The tool calls of the group's first message."""
        return self.messages[0].tool_calls


@dataclass(frozen=True, slots=True)
class GroupedMessages:
    """The result of grouping: the groups, oldest first, tool results without a call (orphans), and the repairs."""

    groups: tuple[MessageGroup, ...]
    orphans: tuple[MessageGroup, ...] = ()
    repairs: tuple[Repair, ...] = ()


@dataclass(slots=True)
class _PendingCalls:
    """A group that is being built: a message and, for each of its tool calls, the result with its index."""

    message: Message
    first: int
    results: list[tuple[int, Message] | None] = field(default_factory=list)


def group(messages: Sequence[Message], first: int = 0) -> GroupedMessages:
    """Group consecutive messages of a conversation, so that each tool call has its results with it.

    `first` is the index in the conversation of the first of these messages. Messages that the layer itself added are
    left out. Tool results without a call are returned as orphans.
    """
    pending: list[_PendingCalls] = []
    orphans: list[MessageGroup] = []
    repairs: list[Repair] = []
    for place, message in enumerate(messages, first):
        if authored(message):
            continue
        if message.role == "tool":
            repair = _answer(pending, place, message)
            if repair is not None:
                repairs.append(Repair(repair, place))
            if repair in ("orphan", "duplicate") and message.content.strip():
                orphans.append(MessageGroup((message,), place))
        elif message.role == "assistant" and message.tool_calls:
            pending.append(_PendingCalls(message, place, [None] * len(message.tool_calls)))
        elif message.content.strip():
            pending.append(_PendingCalls(_bare(message), place))
        else:
            repairs.append(Repair("blank", place))
    groups = tuple(_closed(each, repairs) for each in pending)
    return GroupedMessages(groups, tuple(orphans), tuple(repairs))


def named(
    groups: Sequence[MessageGroup], taken: Iterable[str] = ()
) -> tuple[tuple[MessageGroup, ...], tuple[Repair, ...]]:
    """Replace tool call ids that are missing, not unique or not valid for every provider. Return groups and repairs.

    Ids that are valid, unique and not in `taken` do not change.
    """
    taken = set(taken)
    repairs: list[Repair] = []
    return tuple(_named(each, taken, repairs) if each.calls else each for each in groups), tuple(repairs)


def digest(message: Message) -> str:
    """Return 16 hexadecimal digits that identify a message by role, content, calls and ids.

    Every process computes the same digits.
    """
    return _hash([message.role, message.content, message.tool_call_id, *map(_spelled, message.tool_calls)])


def mark(messages: Sequence[Message], place: int) -> str:
    """Return 16 hexadecimal digits that identify the message at index `place` after the conversation has grown.

    The digits are a digest of this message and the three messages before it. `find` finds the message by them.
    """
    return _hash([digest(message) for message in messages[max(0, place - _MARKED + 1) : place + 1]])


def find(messages: Sequence[Message], wanted: str, back: int = FAR) -> int | None:
    """Return the index of the last message whose digest (see `mark`) is `wanted`, or None if there is none.

    Only the last `back` messages are searched. The part of `wanted` after "+" is not part of the digest.
    """
    wanted = wanted.partition("+")[0]
    start = max(0, len(messages) - back)
    digests = {}
    for place in range(len(messages) - 1, start - 1, -1):
        for earlier in range(max(0, place - _MARKED + 1), place + 1):
            if earlier not in digests:
                digests[earlier] = digest(messages[earlier])
        if _hash([digests[earlier] for earlier in range(max(0, place - _MARKED + 1), place + 1)]) == wanted:
            return place
    return None


def last_user_message(conversation: Sequence[Message], first: int, place: int) -> int | None:
    """Return the index of the last user message between index `first` and index `place` (excluded), or None."""
    for n in range(place - 1, first - 1, -1):
        message = conversation[n]
        if message.role == "user" and message.content.strip() and not authored(message):
            return n
    return None


def as_text(result: Any) -> str:
    """Return a tool's result as text: a string unchanged, anything else as JSON."""
    return result if isinstance(result, str) else json_values.as_text(result)


def _answer(groups: Sequence[_PendingCalls], place: int, message: Message) -> RepairKind | None:
    """Assign a tool result to the latest call that has the result's call id and no result yet.

    Return the kind of repair that was necessary, or None.
    """
    calling = [each for each in groups if each.results]
    name = message.tool_call_id
    matches = ((each, _unanswered(each, lambda call: call.id == name)) for each in reversed(calling if name else []))
    each, n = next(((each, n) for each, n in matches if n is not None), (None, None))
    if n is None and calling:  # a missing id, of the result or of a call, matches any of the latest calls
        each, n = calling[-1], _unanswered(calling[-1], lambda call: not name or not call.id)
    if each is None or n is None:
        answered = any(call.id == name for each in calling for call in each.message.tool_calls)
        return "duplicate" if name and answered else "orphan"
    each.results[n] = (place, message)
    return None if each is groups[-1] else "regrouped"


def _unanswered(each: _PendingCalls, matches: Callable[[ToolCall], bool]) -> int | None:
    """Return the index of the first call in a group that `matches` accepts and that has no result, or None.

    A placeholder for a missing result does not count as a result.
    """
    free = [n for n, result in enumerate(each.results) if result is None or _stopgap(result[1])]
    return next((n for n in free if matches(each.message.tool_calls[n])), None)


def _stopgap(message: Message) -> bool:
    return message.content in (INTERRUPTED, "")


def _closed(each: _PendingCalls, repairs: list[Repair]) -> MessageGroup:
    if not each.results:
        return MessageGroup((each.message,), each.first)
    calls = each.message.tool_calls
    results = [_result(call, result, each.first, repairs) for call, result in zip(calls, each.results, strict=True)]
    content = each.message.content.rstrip()
    return MessageGroup(
        (_with(each.message, content=content, tool_calls=tuple(map(_sayable, calls))), *results), each.first
    )


def _sayable(call: ToolCall) -> ToolCall:
    """Return the call without its result and with arguments that JSON can express.

    If nothing has to change, the call itself is returned.
    """
    arguments = json_values.jsonable(call.arguments)
    if call.result is None and json_values.alike(arguments, call.arguments):
        return call
    return call.model_copy(update={"result": None, "arguments": arguments})


def _result(call: ToolCall, result: tuple[int, Message] | None, first: int, repairs: list[Repair]) -> Message:
    if result is not None and not (_stopgap(result[1]) and call.result is not None):
        message = result[1]
        return message if message.content.strip() else _with(message, content=EMPTY)
    repairs.append(Repair("interrupted" if call.result is None else "inline", first))
    text = INTERRUPTED if call.result is None else as_text(call.result)
    answer = Message(role="tool", tool_call_id=call.id)  # the content is set unvalidated: it may have any length
    return answer.model_copy(update={"content": storable(text) if text.strip() else EMPTY})


def _named(each: MessageGroup, taken: set[str], repairs: list[Repair]) -> MessageGroup:
    calls, results = [], []
    for call, result in zip(each.calls, each.messages[1:], strict=True):
        name = _free(_well_formed(call), taken)
        taken.add(name)
        if name != call.id:
            repairs.append(Repair("renamed", each.first))
        calls.append(call if name == call.id else call.model_copy(update={"id": name}))
        results.append(_with(result, tool_call_id=name))
    return MessageGroup((_with(each.messages[0], tool_calls=tuple(calls)), *results), each.first)


def _well_formed(call: ToolCall) -> str:
    """Return the call's id, or an id computed from the call if its own is missing or malformed."""
    if call.id and len(call.id) <= MAX_ID_LENGTH and ID.fullmatch(call.id):
        return call.id
    return f"call_{_hash([_spelled(call)])}"


def _free(name: str, taken: Iterable[str]) -> str:
    """Return the name if it is not in `taken`, otherwise the name with a number that makes it unique."""
    free, n = name, 1
    while free in taken:
        n += 1
        free = f"{name[: MAX_ID_LENGTH - 6]}-{n}"
    return free


def _bare(message: Message) -> Message:
    """Return a message without tool calls and call ids, which the message's role cannot have.

    White space at the end of an assistant's message is removed. Providers refuse it in the last message of a prompt,
    and each message was the last one in some prompt.
    """
    content = message.content.rstrip() if message.role == "assistant" else message.content
    return _with(message, content=content, tool_calls=(), tool_call_id=None)


def _with(message: Message, **changes: Any) -> Message:
    """Return the message with these fields changed, without validation.

    If nothing changes, return the message itself.
    """
    if all(_stays(getattr(message, name), value) for name, value in changes.items()):
        return message
    return message.model_copy(update=changes)


def _stays(old: Any, new: Any) -> bool:
    """Return True if an old and a new value of a message's field are equal.

    Tool calls are compared by identity: their arguments may hold values that cannot be compared.
    """
    if isinstance(old, tuple):
        return len(old) == len(new) and all(map(is_, old, new))
    return bool(old == new)


def _spelled(call: ToolCall) -> str:
    return f"{call.id}\0{call.name}\0{json_values.as_text(call.arguments)}"


def _hash(parts: Sequence[str | None]) -> str:
    state = blake2b(digest_size=8)
    for part in parts:
        piece = (part or "").encode("utf-8", "surrogatepass")
        state.update(b"%d\0" % len(piece) + piece)
    return state.hexdigest()
