"""Select the groups of the conversation that the window shows, each whole or with stubs for its results.

Some messages before the window stay: those whose kind is always kept, and the user's message that the window follows.
Providers require a user's message first. If a long loop of calls is cut, the user's message that began it stays; if
there is none, the window begins later.
"""

from __future__ import annotations

from collections import Counter
from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from datetime import datetime

from cognitive.policy import Policy
from cognitive.turn import Message
from cognitive.window import groups as grouping
from cognitive.window.engine_messages import authored
from cognitive.window.groups import MessageGroup, last_user_message
from cognitive.window.rendering import RenderedMessages, Renderer
from cognitive.window.sliding_window import (
    MessageSize,
    ScanStart,
    WindowLimits,
    WindowSize,
    WindowStart,
    age_cut,
    find_scan_start,
    find_start,
    iterations,
    protected,
    stale,
    times,
)
from cognitive.window.token_budget import MIN_SHARE, ReservedContent, room_for_summary

LOW_WATER = 0.4  # share of each limit that remains when the window moves; a low share makes moves few and large
_SIDE_SHARE = 8  # each limit divided by this is the maximum size of one message that stays before the window
_KEPT_SHARE = 4  # each limit divided by this is the maximum size of all messages that are always kept


@dataclass(frozen=True, slots=True)
class RetainedMessages:
    """The messages that stay before a window, and their indexes; `kept` is the number of those always kept."""

    shown: RenderedMessages
    places: frozenset[int]
    kept: int


@dataclass(frozen=True, slots=True)
class Selection:
    """The groups of a conversation, with stubs for their results and as they are shown.

    The window begins with group `start`, at index `place` of the conversation. Groups before `pruned` have stubs
    to save room. `retained` are the messages before the window that stay. `trigger` is the limit or count that moved
    the window.
    """

    groups: tuple[MessageGroup, ...]
    stubs: tuple[RenderedMessages, ...]
    shown: tuple[RenderedMessages, ...]
    start: int
    place: int
    retained: RetainedMessages
    pruned: int
    trigger: str | None
    repairs: Mapping[str, int]


def select(
    conversation: Sequence[Message],
    reserved: ReservedContent,
    covered: ScanStart | None,
    limit: WindowSize,
    iteration: int | None,
    now: datetime,
    renderer: Renderer,
    low_water: float = LOW_WATER,
) -> Selection:
    """Return the selection of groups for a window.

    `covered` is the end of the session's summary. `iteration` is the number of the turn's current tool call.
    """
    policy = renderer.policy
    limits = _limits(limit, reserved, conversation, policy, low_water)
    cut = age_cut(len(conversation), now, policy)
    start = find_scan_start(conversation, reserved.first, covered, limits, cut, iteration, policy)
    grouped = grouping.group(conversation[start.first :], start.first)
    named, renamed = grouping.named(grouped.groups)
    known = times(conversation[start.first :])
    ages = [known[each.first - start.first] for each in named]
    stubs = tuple(renderer.whole(each) if protected(each, policy) else renderer.stubbed(each) for each in named)
    shown = tuple(
        stub if each.first < start.stubs or stale(each, at, cut, policy) else renderer.whole(each)
        for each, stub, at in zip(named, stubs, ages, strict=True)
    )
    units = _units(named, shown, stubs, ages, iteration)
    place = find_start(units, limits, sum(group.first < start.stubs for group in named))
    shown = (*stubs[: place.stubs], *shown[place.stubs :])
    repairs = Counter[str](repair.what for repair in (*grouped.repairs, *renamed))
    return _bounded(conversation, reserved, named, stubs, shown, place, repairs, limit, renderer)


def _units(
    named: Sequence[MessageGroup],
    shown: Sequence[RenderedMessages],
    stubs: Sequence[RenderedMessages],
    ages: Sequence[float | None],
    iteration: int | None,
) -> list[MessageSize]:
    numbers = iterations([bool(each.calls) for each in named], [each.role == "user" for each in named], iteration)
    return [
        MessageSize(whole.size, stub.size, each.role != "system", number, at)
        for each, whole, stub, number, at in zip(named, shown, stubs, numbers, ages, strict=True)
    ]


def _bounded(
    conversation: Sequence[Message],
    reserved: ReservedContent,
    named: Sequence[MessageGroup],
    stubs: Sequence[RenderedMessages],
    shown: Sequence[RenderedMessages],
    place: WindowStart,
    repairs: Mapping[str, int],
    limit: WindowSize,
    renderer: Renderer,
) -> Selection:
    """Return the selection that begins at `place`, or later if the groups shown exceed a limit."""
    start = place.start
    fixed = reserved.leading.size + reserved.closing.size + room_for_summary(limit, renderer.policy)
    while True:
        start, request = _led(conversation, reserved.first, named, start, renderer.policy)
        first = named[start].first if start < len(named) else len(conversation)
        retained = _retained(conversation, reserved.first, first, request, renderer)
        size = sum((each.size for each in shown[start:]), fixed + retained.shown.size)
        if size.beyond(limit) is None or start + 1 >= len(named):
            break
        start += 1
    return Selection(
        tuple(named), tuple(stubs), tuple(shown), start, first, retained, place.stubs, place.trigger, repairs
    )


def _led(
    conversation: Sequence[Message], first: int, named: Sequence[MessageGroup], start: int, policy: Policy
) -> tuple[int, int | None]:
    """Return the index of the group that begins the window, and of the user's message that it follows.

    The second index is None if the window begins with a user's message. A system message does not begin a window, since
    it would read as one of the host's leading system messages.
    """
    for n in range(start, len(named)):
        if named[n].role == "system" and not protected(named[n], policy):
            continue
        speaker = next((each for each in named[n:] if each.role != "system"), None)
        if speaker is None or speaker.role == "user":
            return n, None
        request = last_user_message(conversation, first, speaker.first)
        if request is not None:
            return n, request
    return len(named), None


# --- limits of the conversation alone ---


def _limits(
    limit: WindowSize, reserved: ReservedContent, conversation: Sequence[Message], policy: Policy, low_water: float
) -> WindowLimits:
    """Return the limits of the conversation alone: the window's, without the room for the messages around it.

    Room is reserved also for messages that do not exist yet, so that the window does not move when they are added.
    """
    message = limit.times(1 / _SIDE_SHARE)
    around = reserved.leading.size + reserved.closing.size + room_for_summary(limit, policy)
    around += WindowSize(1, message.characters, message.tokens)
    if _any_kept(conversation, reserved.first, policy):
        around += limit.times(1 / _KEPT_SHARE)
    remaining, minimum = limit - around, limit.times(1 / MIN_SHARE)
    return WindowLimits(
        WindowSize(
            max(1, minimum.messages, remaining.messages),
            max(minimum.characters, remaining.characters),
            max(minimum.tokens, remaining.tokens),
        ),
        low=low_water,
        keep_last=policy.window.keep_last_messages,
        keep_recent=policy.window.keep_recent_ms / 1000,
        every=policy.window.summarize_after_iterations,
    )


# --- messages that stay before the window ---


def _any_kept(conversation: Sequence[Message], first: int, policy: Policy) -> bool:
    """Return True if the conversation has a message whose kind is always kept."""
    return any(_stays(conversation[place], policy) for place in range(first, len(conversation)))


def _retained(
    conversation: Sequence[Message], first: int, start: int, asked: int | None, renderer: Renderer
) -> RetainedMessages:
    """Return the messages that stay before a window that begins at `start`, in order.

    `asked` is the index of the user's message that the window follows; None if it begins with one.
    """
    policy = renderer.policy
    room = policy.window.max_chars // _KEPT_SHARE
    places: list[int] = []
    for n in range(start - 1, first - 1, -1):
        if not _stays(conversation[n], policy):
            continue
        room -= min(len(conversation[n].content), policy.window.max_chars // _SIDE_SHARE)
        if room < 0 or len(places) >= policy.window.max_messages // _KEPT_SHARE:
            break
        places.append(n)
    kept = len(places)
    speaking = [n for n in sorted(places) if conversation[n].role != "system"]
    if speaking and conversation[speaking[0]].role != "user":
        request = last_user_message(conversation, first, speaking[0])
        if request is None:  # without a user's message before them they are not valid
            places, kept = [], 0
        else:
            places.append(request)
    if asked is not None:
        places.append(asked)
    retained = grouping.group([conversation[n] for n in sorted(set(places))]).groups
    shown = renderer.cut([each.messages[0] for each in retained], policy.window.max_chars // _SIDE_SHARE)
    return RetainedMessages(shown, frozenset(places), kept)


def _stays(message: Message, policy: Policy) -> bool:
    """Return True for a message whose kind is always kept and which is valid alone.

    A result without its call is not valid, nor is a call without its results.
    """
    valid_alone = message.role != "tool" and not message.tool_calls and bool(message.content.strip())
    return valid_alone and message.kind in policy.window.protected_kinds and not authored(message)
