"""The last messages of a conversation as its session keeps them: without what we put there, bounded, tool groups whole.

They are what a process that takes the session up begins with: valid as they stand, whatever was interrupted.
"""

from __future__ import annotations

import json
import zlib
from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from datetime import datetime
from typing import Any

from brain.sessions import CarriedState, SessionState
from cognitive.prompt import without_injected
from cognitive.turn import Message, Outcome, ToolCall
from cognitive.window import engine_messages
from cognitive.window.groups import as_text, group, named
from cognitive.window.output.normalise import NormalisedOutput, OutputLimits
from cognitive.window.output.text import head_of, tail_of
from cognitive.window.rendering import WindowCache

_LEVEL = 3  # of zlib: 6 takes twice the time and saves a twentieth
_CUT = "\n[... cut ...]\n"


@dataclass(frozen=True, slots=True)
class ResumedSession:
    """All that a runtime needs to go on with a session, also after a restart and in another process.

    `preface` is the engine's message of the summary and the current step, None if there is neither; `messages` are the
    last ones, valid as they stand. A model goes on from (preface, *messages); of the two, only `messages` belong into
    the `conversation` of the next turn. `step` counts the steps of `plan` that are done. `recent` are the last turns,
    newest first, as (turn id, time, status, message): the first with status "open" has no outcome yet.
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


def resumed(state: SessionState, *, most: int, characters: int) -> ResumedSession:
    """A session as it is taken up again, its last messages sanitized and bounded anew."""
    carried = state.carried
    kept = decode(state.messages) if state.messages is not None else ()
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
        sanitized(kept, most=most, characters=characters),
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
    """Messages as compressed JSON; of a value that JSON does not know, its text."""
    told = [message.model_dump(exclude_defaults=True) for message in messages]
    return zlib.compress(json.dumps(told, default=_plain).encode(), _LEVEL)


def decode(kept: bytes) -> tuple[Message, ...]:
    """The reverse of `encode`."""
    return tuple(Message.model_validate(message) for message in json.loads(zlib.decompress(kept)))


def sanitized(messages: Sequence[Message], *, most: int, characters: int) -> tuple[Message, ...]:
    """The last messages, at most so many and so long, oldest first, in whole groups.

    What the engine put between them and the memories that were injected into them are left out. The newest group stays
    even if it alone is too large; each message is cut to `characters`. Before the first that is kept stands a message
    of the user's, the last one there was.
    """
    whole, _ = named(group([stripped(message) for message in messages]).groups)
    groups = [[_bounded(message, characters) for message in each.messages] for each in whole]
    first, count, size = len(groups), 0, 0
    for n in range(len(groups) - 1, -1, -1):
        count, size = count + len(groups[n]), size + sum(map(_size, groups[n]))
        if first < len(groups) and (count > most or size > characters):
            break
        first = n
    return tuple(message for own in _asked(groups[:first], groups[first:]) for message in own)


def _asked(before: Sequence[list[Message]], kept: Sequence[list[Message]]) -> Sequence[list[Message]]:
    """What is kept, from a message of the user's on."""
    roles = [own[0].role for own in kept]
    if next((role for role in roles if role != "system"), "user") == "user":
        return kept
    asked = [own for own in before if own[0].role == "user"]
    if asked:
        return [asked[-1], *kept]
    return kept[roles.index("user") :] if "user" in roles else []


def answered(
    messages: Sequence[Message], outcome: Outcome, *, session_id: str, limits: OutputLimits, cache: WindowCache
) -> tuple[list[Message], list[tuple[str, NormalisedOutput]]]:
    """The messages with what came of the turn behind them, once, and the tool outputs that were shortened for it."""
    since = next((n for n in range(len(messages) - 1, -1, -1) if messages[n].role == "user"), 0)
    if any(message.role == "assistant" and message.content == outcome.response != "" for message in messages[since:]):
        return list(messages), []
    known = [call for message in messages[since:] for call in message.tool_calls]
    new = [call for call in outcome.tool_calls if not any(_same(call, other) for other in known)]
    taken = {call.id for message in messages for call in message.tool_calls}
    calls, results, outputs = list[ToolCall](), list[Message](), list[tuple[str, NormalisedOutput]]()
    for n, call in enumerate(new):
        id = call.id if call.id is not None and call.id not in taken else f"call-{len(messages)}-{n}"
        output = cache.normalised(as_text(call.result), tool=call.name, session_id=session_id, limits=limits)
        calls.append(ToolCall(name=call.name, arguments=call.arguments, ok=call.ok, id=id))
        results.append(Message(role="tool", content=output.text, tool_call_id=id))
        outputs.append((call.name, output))
    made = [Message(role="assistant", tool_calls=tuple(calls)), *results] if calls else []
    if outcome.response.strip():
        made.append(Message(role="assistant", content=outcome.response))
    return [*messages, *made], outputs


def stripped(message: Message) -> Message:
    """A message without the memories that were injected into it: what is forgotten must not live on in what is kept."""
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


def _same(call: ToolCall, other: ToolCall) -> bool:
    if call.id is not None and other.id is not None:
        return call.id == other.id
    return call.name == other.name and as_text(call.arguments) == as_text(other.arguments)


def _plain(value: Any) -> Any:
    return dict(value) if isinstance(value, Mapping) else str(value)
