"""Select which groups of the conversation the window shows, each whole or with stubs for its results.

Of the messages before the window, those of kinds that are always kept stay, and the user's message that the window
follows. Providers want a user's message first: where a long loop of calls is cut, the user's message that began it
stays; where there is none, the window begins later.
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

LOW_WATER = 0.4  # of each bound is left by a step: fewer, longer strides
_SIDE_SHARE = 8  # a bound divided by this is the most that a user's message may take that stays for what follows it
_KEPT_SHARE = 4  # a bound divided by this is the most that messages which are always kept may take


@dataclass(frozen=True, slots=True)
class RetainedMessages:
    """Messages that stay before a window, with their places; `kept` of them are of kinds that are always kept."""

    shown: RenderedMessages
    places: frozenset[int]
    kept: int


@dataclass(frozen=True, slots=True)
class Selection:
    """The groups of a conversation, each with stubs for its results and as it is shown.

    The window begins with group `start`, which stands at `place` of the conversation; groups before `pruned` were made
    stubs for want of room. `stays` are the messages before it that stay.
    """

    groups: tuple[MessageGroup, ...]
    stubs: tuple[RenderedMessages, ...]
    shown: tuple[RenderedMessages, ...]
    start: int
    place: int
    stays: RetainedMessages
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
    """Where the window begins, and which of its groups are shown whole and which with stubs.

    `covered` is where the session's summary ends; `iteration` is the number of the call that the turn is at.
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
    """The window from where its stride begins, or from later on while all that is shown is beyond a bound."""
    start = place.start
    fixed = reserved.leading.size + reserved.closing.size + room_for_summary(limit, renderer.policy)
    while True:
        start, asked = _led(conversation, reserved.first, named, start, renderer.policy)
        first = named[start].first if start < len(named) else len(conversation)
        stays = _retained(conversation, reserved.first, first, asked, renderer)
        size = sum((each.size for each in shown[start:]), fixed + stays.shown.size)
        if size.beyond(limit) is None or start + 1 >= len(named):
            break
        start += 1
    return Selection(tuple(named), tuple(stubs), tuple(shown), start, first, stays, place.stubs, place.trigger, repairs)


def _led(
    conversation: Sequence[Message], first: int, named: Sequence[MessageGroup], start: int, policy: Policy
) -> tuple[int, int | None]:
    """Where a window can begin, from `start` on, and the place of the user's message before it that it follows.

    A system message does not lead it: what it was about has left, and it would pass for one of the host's leading ones.
    """
    for n in range(start, len(named)):
        if named[n].role == "system" and not protected(named[n], policy):
            continue
        talking = next((each for each in named[n:] if each.role != "system"), None)
        if talking is None or talking.role == "user":
            return n, None
        asked = last_user_message(conversation, first, talking.first)
        if asked is not None:
            return n, asked
    return len(named), None


# --- limits of the conversation alone ---


def _limits(
    limit: WindowSize, reserved: ReservedContent, conversation: Sequence[Message], policy: Policy, low_water: float
) -> WindowLimits:
    """The bounds of the talk alone: room is kept for what stands around it, also for what may only come tomorrow, so
    that the window does not move for it.
    """
    side = limit.times(1 / _SIDE_SHARE)
    aside = reserved.leading.size + reserved.closing.size + room_for_summary(limit, policy)
    aside += WindowSize(1, side.characters, side.tokens)
    if _any_kept(conversation, reserved.first, policy):
        aside += limit.times(1 / _KEPT_SHARE)
    left, least = limit - aside, limit.times(1 / MIN_SHARE)
    return WindowLimits(
        WindowSize(
            max(1, least.messages, left.messages),
            max(least.characters, left.characters),
            max(least.tokens, left.tokens),
        ),
        low=low_water,
        keep_last=policy.window.keep_last_messages,
        keep_recent=policy.window.keep_recent_ms / 1000,
        every=policy.window.summarize_after_iterations,
    )


# --- what stays before the window ---


def _any_kept(conversation: Sequence[Message], first: int, policy: Policy) -> bool:
    """Whether a message of a kind that is always kept could stay."""
    return any(_stays(conversation[place], policy) for place in range(first, len(conversation)))


def _retained(
    conversation: Sequence[Message], first: int, start: int, asked: int | None, renderer: Renderer
) -> RetainedMessages:
    """What stays before a window that begins at `start`, in order.

    `asked` is the place of the user's message that the window follows, None if it begins with one.
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
    talking = [n for n in sorted(places) if conversation[n].role != "system"]
    if talking and conversation[talking[0]].role != "user":
        led = last_user_message(conversation, first, talking[0])
        if led is None:  # nobody asked: it stays with whoever speaks first, or goes
            places, kept = [], 0
        else:
            places.append(led)
    if asked is not None:
        places.append(asked)
    stays = grouping.group([conversation[n] for n in sorted(set(places))]).groups
    shown = renderer.cut([each.messages[0] for each in stays], policy.window.max_chars // _SIDE_SHARE)
    return RetainedMessages(shown, frozenset(places), kept)


def _stays(message: Message, policy: Policy) -> bool:
    """Whether a message of a kind that is always kept stands for itself: a result without its call, or a call without
    its results, is not valid.
    """
    alone = message.role != "tool" and not message.tool_calls and bool(message.content.strip())
    return alone and message.kind in policy.window.protected_kinds and not authored(message)
