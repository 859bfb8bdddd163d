"""The window when there is no time for one, or none can be made: the newest groups, cut, within a part of the bounds.

Nothing is counted, stored or remembered for it, so that it cannot fail for what makes a window fail.
"""

from __future__ import annotations

from collections.abc import Iterable, Sequence

from cognitive.policy import Policy
from cognitive.turn import Message, ToolCall
from cognitive.window import engine_messages, groups
from cognitive.window.groups import MessageGroup
from cognitive.window.output.json_values import as_text
from cognitive.window.output.text import head_of, tail_of

_PART = 4  # of the bounds one is used: what is not counted must not be guessed too low
_LEAST = 200  # characters of a message, if the bounds allow
_CUT = "[... left out for want of time ...]"


def newest_messages(conversation: Sequence[Message], policy: Policy) -> tuple[Message, ...]:
    """The newest messages, valid for every provider, behind the host's leading system messages, the summary that an
    earlier prompt had, and the user's message that they follow.

    The newest group is always there, with all its results. Leading system messages are whole, whatever they take.
    """
    first = next((n for n, message in enumerate(conversation) if not _leads(message)), len(conversation))
    said = [
        each for each in conversation[first : first + 1] if engine_messages.is_summary(each) and each.content.strip()
    ]
    most, left = max(2, policy.window.max_messages // _PART), policy.window.max_chars // _PART
    chosen = list[MessageGroup]()
    for group in reversed(_newest(conversation, first, policy.window.max_messages)):
        own = min(max(_LEAST, left // most), policy.window.max_chars // len(group.messages))
        cut = MessageGroup(tuple(_cut(message, own) for message in group.messages), group.first)
        left -= sum(map(_characters, cut.messages))
        if chosen and (left < 0 or sum(len(kept.messages) for kept in (*chosen, cut)) > most):
            break
        chosen.insert(0, cut)
    led, _ = groups.named(_led(conversation, first, chosen, max(_LEAST, policy.window.max_chars // _PART // most)))
    leading = (message for message in conversation[:first] if message.content.strip())
    told = (_cut(message, policy.window.max_summary_chars + len(engine_messages.HEADING)) for message in said)
    return (*leading, *told, *(message for group in led for message in group.messages))


def _leads(message: Message) -> bool:
    return message.role == "system" and not engine_messages.authored(message)


def _newest(conversation: Sequence[Message], first: int, most: int) -> Sequence[MessageGroup]:
    """The groups of the last so many messages; of more, if a call's results begin before them."""
    start = max(first, len(conversation) - most)
    while start > first and conversation[start].role == "tool":
        start -= 1
    return groups.group(conversation[start:], start).groups


def _led(
    conversation: Sequence[Message], first: int, chosen: Sequence[MessageGroup], characters: int
) -> Sequence[MessageGroup]:
    """The groups from a message of the user's on: the last one before them, where they do not begin with one."""
    roles = [group.role for group in chosen]
    talking = [role for role in roles if role != "system"]
    if talking and talking[0] == "user":
        return chosen
    asked = groups.last_user_message(conversation, first, chosen[0].first if chosen else len(conversation))
    if asked is not None:
        bare = groups.group([conversation[asked]], asked).groups
        return [*(MessageGroup((_cut(each.messages[0], characters),), each.first) for each in bare), *chosen]
    if not talking:
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
    """Without blank parts, and without white space at the end, which no assistant may leave."""
    return [part.rstrip() for part in parts if part.strip()]


def _short(call: ToolCall, characters: int) -> ToolCall:
    taken = len(as_text(call.arguments))
    return call if taken <= max(_LEAST, characters) else call.model_copy(update={"arguments": {"arguments": _CUT}})


def _characters(message: Message) -> int:
    return len(message.content) + sum(len(as_text(call.arguments)) for call in message.tool_calls)
