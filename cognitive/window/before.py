"""What stays of the messages before the window: those of kinds that are always kept, and the user's message that the
window follows.

Providers want a user's message first. So where a long loop of calls is cut, the user's message that began it stays;
where there is none, the window begins later.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass

from cognitive.policy import Policy
from cognitive.turn import Message
from cognitive.window import groups
from cognitive.window.display import Display, Shown

SIDE_SHARE = 8  # a bound divided by this is the most that a user's message may take that stays for what follows it
KEPT_SHARE = 4  # a bound divided by this is the most that messages which are always kept may take


@dataclass(frozen=True, slots=True)
class Stays:
    """Messages that stay before a window, with their places; `kept` of them are of kinds that are always kept."""

    shown: Shown
    places: frozenset[int]
    kept: int


def any_kept(conversation: Sequence[Message], first: int, policy: Policy) -> bool:
    """Whether a message of a kind that is always kept could stay."""
    return any(_stays(conversation[place], policy) for place in range(first, len(conversation)))


def asked_by(conversation: Sequence[Message], first: int, place: int) -> int | None:
    """The place of the last user's message before a place, or None."""
    for n in range(place - 1, first - 1, -1):
        message = conversation[n]
        if message.role == "user" and message.content.strip() and not groups.authored(message):
            return n
    return None


def before(conversation: Sequence[Message], first: int, start: int, asked: int | None, show: Display) -> Stays:
    """What stays before a window that begins at `start`, in order.

    `asked` is the place of the user's message that the window follows, None if it begins with one.
    """
    policy = show.policy
    room = policy.window_characters // KEPT_SHARE
    places: list[int] = []
    for n in range(start - 1, first - 1, -1):
        if not _stays(conversation[n], policy):
            continue
        room -= min(len(conversation[n].content), policy.window_characters // SIDE_SHARE)
        if room < 0 or len(places) >= policy.window_messages // KEPT_SHARE:
            break
        places.append(n)
    kept = len(places)
    talking = [n for n in sorted(places) if conversation[n].role != "system"]
    if talking and conversation[talking[0]].role != "user":
        led = asked_by(conversation, first, talking[0])
        if led is None:  # nobody asked: it stays with whoever speaks first, or goes
            places, kept = [], 0
        else:
            places.append(led)
    if asked is not None:
        places.append(asked)
    stays = groups.group([conversation[n] for n in sorted(set(places))]).groups
    shown = show.cut([each.messages[0] for each in stays], policy.window_characters // SIDE_SHARE)
    return Stays(shown, frozenset(places), kept)


def _stays(message: Message, policy: Policy) -> bool:
    """Whether a message of a kind that is always kept stands for itself: a result without its call, or a call without
    its results, is not valid.
    """
    alone = message.role != "tool" and not message.tool_calls and bool(message.content.strip())
    return alone and message.kind in policy.always_keep and not groups.authored(message)
