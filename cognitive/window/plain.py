"""The window when there is no time for one: the newest groups, cut, within a part of the bounds."""

from __future__ import annotations

from collections.abc import Sequence

from cognitive.policy import Policy
from cognitive.turn import Message
from cognitive.window import groups
from cognitive.window.output import cutting

_PART = 4  # of the bounds one is used: what is not counted must not be guessed too low
_CUT = "\n[... left out for want of time ...]\n"


def plain(conversation: Sequence[Message], policy: Policy) -> tuple[Message, ...]:
    """Some of the newest messages, valid for every provider, beginning with one of the user; nothing else is known."""
    most, left = max(2, policy.window_messages // _PART), policy.window_characters // _PART
    grouped = groups.group(conversation[-policy.window_messages :]).groups
    each = max(200, left // most)
    chosen: list[groups.Group] = []
    for group in reversed(grouped):
        cut = groups.Group(tuple(_cut(message, each) for message in group.messages), group.first)
        left -= sum(len(message.content) for message in cut.messages)
        if chosen and (left < 0 or sum(len(kept.messages) for kept in (*chosen, cut)) > most):
            break
        chosen.insert(0, cut)
    while chosen and chosen[0].role != "user":
        chosen.pop(0)
    named, _ = groups.named(chosen)
    return tuple(message for group in named for message in group.messages)


def _cut(message: Message, characters: int) -> Message:
    if len(message.content) <= characters:
        return message
    room = max(0, characters - len(_CUT)) // 2
    ends = cutting.head(message.content, room), cutting.tail(message.content, room)
    return message.model_copy(update={"content": _CUT.join(ends)})
