"""Encode, limit and resume the last messages of a session, from which another process can continue it.

The stored messages contain no injected memories, are limited in number and size, and include the result of each tool
call. Model providers therefore accept them even if a turn was interrupted.
"""

from __future__ import annotations

import json
import zlib
from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from datetime import datetime
from itertools import dropwhile
from typing import Any

from brain.sessions import CarriedState, SessionState
from cognitive.prompt import without_injected
from cognitive.turn import Message, Outcome, ToolCall
from cognitive.window import engine_messages
from cognitive.window.groups import as_text, group, named
from cognitive.window.output.normalise import NormalisedOutput, OutputLimits
from cognitive.window.output.text import head_of, tail_of
from cognitive.window.rendering import WindowCache

_LEVEL = 3  # compression level of zlib; 6 takes twice the time and saves 5 %
_CUT = "\n[... cut ...]\n"


@dataclass(frozen=True, slots=True)
class ResumedSession:
    """The state of a session that a runtime needs to continue it, also after a restart and in another process.

    A model continues from (preface, *messages). Only `messages` belong in the `conversation` of the next turn.

    Attributes:
        session_id: the session's id.
        memories: the number of its memories.
        turns: the number of its turns.
        summary: the summary of its earlier messages, empty without one.
        summarized_until: a digest that identifies the last message in the summary, or None.
        plan: the steps of its plan.
        step: the number of steps that are done.
        plan_step: the text of the current step, or None if there is none.
        preface: a message for the model with the summary and the current step, or None if there is neither.
        messages: the last messages, valid for every provider.
        started_at: the time of its first turn.
        last_at: the time of its last turn.
        ended_at: the time at which it was ended, or None if it is open.
        recent: the last turns, newest first, as (turn id, time, status, message). The status "open" means that the turn
            has no outcome yet.
    """

    session_id: str
    memories: int
    turns: int
    summary: str
    summarized_until: str | None
    plan: tuple[str, ...]
    step: int
    plan_step: str | None
    preface: Message | None
    messages: tuple[Message, ...]
    started_at: datetime
    last_at: datetime
    ended_at: datetime | None
    recent: tuple[tuple[str, datetime, str, str], ...]


def resumed(state: SessionState, *, max_messages: int, max_chars: int) -> ResumedSession:
    """Build the resumed session from its stored state. Its last messages are repaired and limited by `sanitized`."""
    carried = state.carried
    messages = decode(state.messages) if state.messages is not None else ()
    return ResumedSession(
        state.session_id,
        state.memories,
        state.turns,
        carried.summary,
        carried.summarized_until,
        carried.plan,
        carried.step,
        carried.plan_step,
        _preface(carried),
        sanitized(messages, max_messages=max_messages, max_chars=max_chars),
        state.started_at,
        state.last_at,
        state.ended_at,
        state.recent,
    )


def _preface(carried: CarriedState) -> Message | None:
    parts = [carried.summary] if carried.summary else []
    if carried.plan_step is not None:
        parts.append(engine_messages.directive(carried.plan_step, carried.step + 1, len(carried.plan)).content)
    return engine_messages.summary("\n\n".join(parts)) if parts else None


def encode(messages: Sequence[Message]) -> bytes:
    """Encode messages as compressed JSON. Values that JSON does not know become text."""
    fields = [message.model_dump(exclude_defaults=True) for message in messages]
    return zlib.compress(json.dumps(fields, default=_plain).encode(), _LEVEL)


def decode(encoded: bytes) -> tuple[Message, ...]:
    """Decode messages that `encode` encoded as compressed JSON."""
    return tuple(Message.model_validate(message) for message in json.loads(zlib.decompress(encoded)))


def sanitized(messages: Sequence[Message], *, max_messages: int, max_chars: int) -> tuple[Message, ...]:
    """Return the last messages within the limits, oldest first, with every tool call's result.

    The layer's own messages, injected memories and the host's system messages at the beginning are removed; the host
    passes its system prompt to each turn. Each message is cut to `max_chars` characters. The newest message, or
    tool call with its results, is included even if it alone exceeds a limit. The result begins with a user's message:
    if necessary, the last user's message before the result is added.
    """
    spoken = dropwhile(lambda message: message.role == "system", messages)
    whole, _ = named(group([stripped(message) for message in spoken]).groups)
    groups = [[_bounded(message, max_chars) for message in each.messages] for each in whole]
    first, count, size = len(groups), 0, 0
    for n in range(len(groups) - 1, -1, -1):
        count, size = count + len(groups[n]), size + sum(map(_size, groups[n]))
        if first < len(groups) and (count > max_messages or size > max_chars):
            break
        first = n
    return tuple(message for each in _from_user_message(groups[:first], groups[first:]) for message in each)


def _from_user_message(before: Sequence[list[Message]], shown: Sequence[list[Message]]) -> Sequence[list[Message]]:
    """Return the shown groups of messages so that they begin with a user's message, as providers require.

    If they do not, the last user's message in `before` is added. If `before` has none, the shown groups before their
    first user's message are left out.
    """
    roles = [each[0].role for each in shown]
    if next((role for role in roles if role != "system"), "user") == "user":
        return shown
    requests = [each for each in before if each[0].role == "user"]
    if requests:
        return [requests[-1], *shown]
    return shown[roles.index("user") :] if "user" in roles else []


def answered(
    messages: Sequence[Message], outcome: Outcome, *, session_id: str, limits: OutputLimits, cache: WindowCache
) -> tuple[list[Message], list[tuple[str, NormalisedOutput]]]:
    """Append the tool calls and the response of a turn's outcome to its messages, unless they are there already.

    Return the messages, and for each new tool call a pair of the tool's name and its shortened output.
    """
    since = next((n for n in range(len(messages) - 1, -1, -1) if messages[n].role == "user"), 0)
    if any(message.role == "assistant" and message.content == outcome.response != "" for message in messages[since:]):
        return list(messages), []
    new = _new_calls(outcome.tool_calls, [call for message in messages[since:] for call in message.tool_calls])
    ids = {call.id for message in messages for call in message.tool_calls}
    calls, results, outputs = list[ToolCall](), list[Message](), list[tuple[str, NormalisedOutput]]()
    for n, call in enumerate(new):
        id = call.id if call.id is not None and call.id not in ids else f"call-{len(messages)}-{n}"
        output = cache.normalised(as_text(call.result), tool=call.name, session_id=session_id, limits=limits)
        calls.append(ToolCall(name=call.name, arguments=call.arguments, ok=call.ok, id=id))
        results.append(Message(role="tool", content=output.text, tool_call_id=id))
        outputs.append((call.name, output))
    added = [Message(role="assistant", tool_calls=tuple(calls)), *results] if calls else []
    if outcome.response.strip():
        added.append(Message(role="assistant", content=outcome.response))
    return [*messages, *added], outputs


def stripped(message: Message) -> Message:
    """Return a message without injected memories, so that a memory that is forgotten later does not survive in it."""
    content = without_injected(message.content)
    return message if content == message.content else message.model_copy(update={"content": content})


def _bounded(message: Message, characters: int) -> Message:
    if len(message.content) <= characters:
        return message
    room = max(0, characters - len(_CUT))
    cut = head_of(message.content, room - room // 2) + _CUT + tail_of(message.content, room // 2)
    return message.model_copy(update={"content": cut.rstrip() if message.role == "assistant" else cut})


def _size(message: Message) -> int:
    return len(message.content) + sum(len(str(call.arguments)) for call in message.tool_calls)


def _new_calls(calls: Sequence[ToolCall], known: Sequence[ToolCall]) -> list[ToolCall]:
    """Return the calls that are not among the known ones, in time linear in the number of both.

    Two calls with ids are the same if their ids are. Others are the same if their names and arguments are.
    """
    ids = {call.id for call in known if call.id is not None}
    contents = {_content(call) for call in known}
    contents_without_id = {_content(call) for call in known if call.id is None}
    return [
        call
        for call in calls
        if call.id not in ids and _content(call) not in (contents if call.id is None else contents_without_id)
    ]


def _content(call: ToolCall) -> tuple[str, str]:
    return call.name, as_text(call.arguments)


def _plain(value: Any) -> Any:
    return dict(value) if isinstance(value, Mapping) else str(value)
