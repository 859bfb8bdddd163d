"""Return the newest messages, truncated, for a turn whose window could not be built in time or without an error.

Only a part of the limits is used. No tokens are counted, and nothing is stored or cached, so that the fallback cannot
fail for the reason for which the window failed.
"""

from __future__ import annotations

from collections.abc import Iterable, Sequence

from cognitive.policy import Policy
from cognitive.turn import Message, ToolCall
from cognitive.window import engine_messages, groups
from cognitive.window.groups import MessageGroup
from cognitive.window.output.json_values import as_text
from cognitive.window.output.text import head_of, tail_of

_DIVISOR = 4  # each limit is divided by this, since sizes are not counted exactly
_MIN_CHARS = 200  # characters of a message, if the limits allow
_CUT = "[... left out for want of time ...]"


def newest_messages(conversation: Sequence[Message], policy: Policy) -> tuple[Message, ...]:
    """Return the newest messages of a conversation, truncated and valid for every provider.

    Before these messages come the host's leading system messages, the summary of an earlier prompt, and the last user
    message. The newest tool call is always included, with all its results. Leading system messages are never shortened.
    """
    first = next((n for n, message in enumerate(conversation) if not _leads(message)), len(conversation))
    summaries = [
        each for each in conversation[first : first + 1] if engine_messages.is_summary(each) and each.content.strip()
    ]
    max_messages, room = max(2, policy.window.max_messages // _DIVISOR), policy.window.max_chars // _DIVISOR
    chosen = list[MessageGroup]()
    for group in reversed(_newest(conversation, first, policy.window.max_messages)):
        max_chars = min(max(_MIN_CHARS, room // max_messages), policy.window.max_chars // len(group.messages))
        cut = MessageGroup(tuple(_cut(message, max_chars) for message in group.messages), group.first)
        room -= sum(map(_characters, cut.messages))
        if chosen and (room < 0 or sum(len(kept.messages) for kept in (*chosen, cut)) > max_messages):
            break
        chosen.insert(0, cut)
    groups_shown, _ = groups.named(
        _led(conversation, first, chosen, max(_MIN_CHARS, policy.window.max_chars // _DIVISOR // max_messages))
    )
    leading = (message for message in conversation[:first] if message.content.strip())
    truncated = (_cut(message, policy.window.max_summary_chars + len(engine_messages.HEADING)) for message in summaries)
    return (*leading, *truncated, *(message for group in groups_shown for message in group.messages))


def _leads(message: Message) -> bool:
    return message.role == "system" and not engine_messages.authored(message)


def _newest(conversation: Sequence[Message], first: int, max_messages: int) -> Sequence[MessageGroup]:
    """Return the last `max_messages` messages from index `first` on, each tool call in a group with its results.

    If the first of them would be a tool result without its call, the messages back to the call are added.
    """
    start = max(first, len(conversation) - max_messages)
    while start > first and conversation[start].role == "tool":
        start -= 1
    return groups.group(conversation[start:], start).groups


def _led(
    conversation: Sequence[Message], first: int, chosen: Sequence[MessageGroup], characters: int
) -> Sequence[MessageGroup]:
    """Make the chosen groups begin with a user's message, as providers require, and return them.

    If they begin with another message, the last user message before them is added, cut to `characters`. If there is no
    such message, the groups before the first user message among them are left out.
    """
    roles = [group.role for group in chosen]
    speakers = [role for role in roles if role != "system"]
    if speakers and speakers[0] == "user":
        return chosen
    place = groups.last_user_message(conversation, first, chosen[0].first if chosen else len(conversation))
    if place is not None:
        request = groups.group([conversation[place]], place).groups
        return [*(MessageGroup((_cut(each.messages[0], characters),), each.first) for each in request), *chosen]
    if not speakers:
        return chosen
    return chosen[roles.index("user") :] if "user" in roles else ()


def _cut(message: Message, characters: int) -> Message:
    calls = tuple(_short(call, characters // len(message.tool_calls)) for call in message.tool_calls)
    if calls != message.tool_calls:
        message = message.model_copy(update={"tool_calls": calls})
    if len(message.content) <= characters:
        return message
    room = max(0, characters - len(_CUT) - 2) // 2
    ends = head_of(message.content, room), tail_of(message.content, room)
    return message.model_copy(update={"content": "\n".join(_spoken(ends[0], _CUT, ends[1]))})


def _spoken(*parts: str) -> Iterable[str]:
    """Return those of the texts that are not blank, without white space at the end, which providers refuse."""
    return [part.rstrip() for part in parts if part.strip()]


def _short(call: ToolCall, characters: int) -> ToolCall:
    length = len(as_text(call.arguments))
    return call if length <= max(_MIN_CHARS, characters) else call.model_copy(update={"arguments": {"arguments": _CUT}})


def _characters(message: Message) -> int:
    return len(message.content) + sum(len(as_text(call.arguments)) for call in message.tool_calls)
