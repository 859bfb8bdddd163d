"""The conversation as atomic groups, in a valid order whatever came in: a message, or calls with their results.

A group is never cut. The results of calls stand directly behind them, each once. Ids are unique and well formed, and
the same wherever the conversation is cut. Every repair is reported.
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
MAX_ID_LENGTH = 40  # of a call, for either provider
ID = re.compile(r"[A-Za-z0-9_-]+")
_MARKED = 4  # messages that a mark is made of: "continue" alone comes back, four messages alike do not

FAR = 600  # messages; a summary that covers nothing nearer is one of another conversation

RepairKind = Literal[
    "blank",  # a message of no text was left out
    "orphan",  # a result that no call asked for was left out
    "duplicate",  # a second result of one call was left out
    "interrupted",  # a call had no result: one that says so was made
    "inline",  # a call brought its result with it: a message was made of it
    "regrouped",  # a result stood behind other messages: it was pulled to its call
    "renamed",  # an id was missing, malformed or taken
]


@dataclass(frozen=True, slots=True)
class Repair:
    """What was repaired, and at which message of the conversation."""

    what: RepairKind
    index: int


@dataclass(frozen=True, slots=True)
class MessageGroup:
    """Messages that are shown or left out together; `first` is the place of the first in the conversation."""

    messages: tuple[Message, ...]
    first: int

    @property
    def role(self) -> str:
        """Of its first message."""
        return self.messages[0].role

    @property
    def calls(self) -> tuple[ToolCall, ...]:
        """The calls that its first message makes."""
        return self.messages[0].tool_calls


@dataclass(frozen=True, slots=True)
class GroupedMessages:
    """Groups, oldest first, the results that belong to none, and what was repaired."""

    groups: tuple[MessageGroup, ...]
    orphans: tuple[MessageGroup, ...] = ()
    repairs: tuple[Repair, ...] = ()


@dataclass(slots=True)
class _PendingCalls:
    """A group in the making: a message, and for each of its calls the place and message of its result."""

    message: Message
    first: int
    results: list[tuple[int, Message] | None] = field(default_factory=list)


def group(messages: Sequence[Message], first: int = 0) -> GroupedMessages:
    """The groups of a stretch of a conversation, whose first message has the place `first`; see the module."""
    made: list[_PendingCalls] = []
    orphans: list[MessageGroup] = []
    repairs: list[Repair] = []
    for place, message in enumerate(messages, first):
        if authored(message):
            continue
        if message.role == "tool":
            what = _answer(made, place, message)
            if what is not None:
                repairs.append(Repair(what, place))
            if what in ("orphan", "duplicate") and message.content.strip():
                orphans.append(MessageGroup((message,), place))
        elif message.role == "assistant" and message.tool_calls:
            made.append(_PendingCalls(message, place, [None] * len(message.tool_calls)))
        elif message.content.strip():
            made.append(_PendingCalls(_bare(message), place))
        else:
            repairs.append(Repair("blank", place))
    groups = tuple(_closed(each, repairs) for each in made)
    return GroupedMessages(groups, tuple(orphans), tuple(repairs))


def named(groups: Sequence[MessageGroup]) -> tuple[tuple[MessageGroup, ...], tuple[Repair, ...]]:
    """The groups with ids that both APIs take, unique among them; a good id stays as it is."""
    taken: set[str] = set()
    repairs: list[Repair] = []
    return tuple(_named(each, taken, repairs) if each.calls else each for each in groups), tuple(repairs)


def digest(message: Message) -> str:
    """Sixteen hexadecimal digits of a message's role, content, calls and ids; the same in every process."""
    return _hash([message.role, message.content, message.tool_call_id, *map(_spelled, message.tool_calls)])


def mark(messages: Sequence[Message], place: int) -> str:
    """Sixteen hexadecimal digits that find a place again in a conversation that has grown: a digest of the message
    there and of the three before it.
    """
    return _hash([digest(message) for message in messages[max(0, place - _MARKED + 1) : place + 1]])


def find(messages: Sequence[Message], wanted: str, back: int = FAR) -> int | None:
    """The last place, among the last `back`, that has the mark, or None. What stands behind "+" is not of the mark."""
    wanted = wanted.partition("+")[0]
    least = max(0, len(messages) - back)
    digests = {}
    for place in range(len(messages) - 1, least - 1, -1):
        for near in range(max(0, place - _MARKED + 1), place + 1):
            if near not in digests:
                digests[near] = digest(messages[near])
        if _hash([digests[near] for near in range(max(0, place - _MARKED + 1), place + 1)]) == wanted:
            return place
    return None


def last_user_message(conversation: Sequence[Message], first: int, place: int) -> int | None:
    """The place of the last user's message before a place, or None."""
    for n in range(place - 1, first - 1, -1):
        message = conversation[n]
        if message.role == "user" and message.content.strip() and not authored(message):
            return n
    return None


def as_text(result: Any) -> str:
    """A tool's result as text: a string as it is, anything else as JSON."""
    return result if isinstance(result, str) else json_values.as_text(result)


def _answer(made: Sequence[_PendingCalls], place: int, message: Message) -> RepairKind | None:
    """Gives a result to the call it answers, the latest of its id that has none. Returns what was wrong, or None."""
    asking = [each for each in made if each.results]
    name = message.tool_call_id
    meant = ((each, _unanswered(each, lambda call: call.id == name)) for each in reversed(asking if name else []))
    each, n = next(((each, n) for each, n in meant if n is not None), (None, None))
    if n is None and asking:  # of the latest calls, a result without an id answers any, and one without takes any
        each, n = asking[-1], _unanswered(asking[-1], lambda call: not name or not call.id)
    if each is None or n is None:
        answered = any(call.id == name for each in asking for call in each.message.tool_calls)
        return "duplicate" if name and answered else "orphan"
    each.results[n] = (place, message)
    return None if each is made[-1] else "regrouped"


def _unanswered(each: _PendingCalls, meant: Callable[[ToolCall], bool]) -> int | None:
    """The first call that is meant and has no result yet, or one that only says so."""
    free = [n for n, result in enumerate(each.results) if result is None or _stopgap(result[1])]
    return next((n for n in free if meant(each.message.tool_calls[n])), None)


def _stopgap(message: Message) -> bool:
    return message.content in (INTERRUPTED, "")


def _closed(each: _PendingCalls, repairs: list[Repair]) -> MessageGroup:
    if not each.results:
        return MessageGroup((each.message,), each.first)
    calls = each.message.tool_calls
    results = [_result(call, found, each.first, repairs) for call, found in zip(calls, each.results, strict=True)]
    said = each.message.content.rstrip()
    return MessageGroup(
        (_with(each.message, content=said, tool_calls=tuple(map(_sayable, calls))), *results), each.first
    )


def _sayable(call: ToolCall) -> ToolCall:
    """The call without its result, with arguments that JSON can hold; the same object if that changes nothing."""
    arguments = json_values.jsonable(call.arguments)
    if call.result is None and json_values.alike(arguments, call.arguments):
        return call
    return call.model_copy(update={"result": None, "arguments": arguments})


def _result(call: ToolCall, found: tuple[int, Message] | None, first: int, repairs: list[Repair]) -> Message:
    if found is not None and not (_stopgap(found[1]) and call.result is not None):
        message = found[1]
        return message if message.content.strip() else _with(message, content=EMPTY)
    repairs.append(Repair("interrupted" if call.result is None else "inline", first))
    text = INTERRUPTED if call.result is None else as_text(call.result)
    answer = Message(role="tool", tool_call_id=call.id)  # its words are a tool's: of any length, with any character
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
    """The call's id; of one that is missing or malformed, one made of what the call says."""
    if call.id and len(call.id) <= MAX_ID_LENGTH and ID.fullmatch(call.id):
        return call.id
    return f"call_{_hash([_spelled(call)])}"


def _free(name: str, taken: Iterable[str]) -> str:
    """The name, or with the first number behind it that nobody has."""
    free, n = name, 1
    while free in taken:
        n += 1
        free = f"{name[: MAX_ID_LENGTH - 6]}-{n}"
    return free


def _bare(message: Message) -> Message:
    """The message without calls and ids that its role cannot have. An assistant's loses white space at its end, which a
    provider refuses in the last message: every message was the last one once.
    """
    said = message.content.rstrip() if message.role == "assistant" else message.content
    return _with(message, content=said, tool_calls=(), tool_call_id=None)


def _with(message: Message, **changes: Any) -> Message:
    """The message with these changes; the same object if nothing changes, since it was checked once."""
    if all(_stays(getattr(message, name), value) for name, value in changes.items()):
        return message
    return message.model_copy(update=changes)


def _stays(was: Any, now: Any) -> bool:
    """The calls are compared by identity: a value that a host put into them may not allow to be compared."""
    if isinstance(was, tuple):
        return len(was) == len(now) and all(map(is_, was, now))
    return bool(was == now)


def _spelled(call: ToolCall) -> str:
    return f"{call.id}\0{call.name}\0{json_values.as_text(call.arguments)}"


def _hash(parts: Sequence[str | None]) -> str:
    state = blake2b(digest_size=8)
    for part in parts:
        piece = (part or "").encode("utf-8", "surrogatepass")
        state.update(b"%d\0" % len(piece) + piece)
    return state.hexdigest()
