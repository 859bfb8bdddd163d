"""Select the messages of the conversation that the window shows, each whole or with its tool results cut to stubs.

A stub is the first line of a result and a pointer to the whole result. Messages are selected in groups, such as a tool
call with its results.

Some messages before the window are shown nevertheless: the messages whose kind the policy always keeps, and often a
user's message. Providers require that a prompt begins with a user's message. So if the window begins within a long
series of tool calls, the user's message that asked for them is also shown. If there is none, the window begins later.
"""

from __future__ import annotations

from collections import Counter
from collections.abc import Collection, Mapping, Sequence
from dataclasses import dataclass
from datetime import datetime
from itertools import takewhile

from cognitive.policy import Policy
from cognitive.turn import Message
from cognitive.window import groups as grouping
from cognitive.window.engine_messages import authored
from cognitive.window.groups import MessageGroup, last_user_message
from cognitive.window.rendering import RenderedMessages, Renderer
from cognitive.window.sliding_window import (
    CHARS_PER_TOKEN,
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
_KEPT_RESULT = 1_000  # characters of a tool result that stays before the window
_KEPT_SHARE = 4  # each limit divided by this is the maximum size of all messages that are always kept


@dataclass(frozen=True, slots=True)
class RetainedMessages:
    """The messages before the window that are shown nevertheless, and their indexes in the conversation.

    `kept` is the number of these messages that are shown because the policy always keeps their kind.
    """

    shown: RenderedMessages
    places: frozenset[int]
    kept: int


@dataclass(frozen=True, slots=True)
class Selection:
    """The messages that the window shows, selected in groups such as a tool call with its results.

    Attributes:
        groups: the groups of the conversation that were considered, oldest first.
        stubs: each group with its tool results cut to stubs, their first lines.
        shown: each group as it is shown, whole or with stubs.
        start: the index in `groups` of the group that begins the window.
        place: the index in the conversation of the window's first message.
        retained: the messages before the window that are shown nevertheless.
        pruned: the number of the oldest groups whose tool results are cut to save room.
        trigger: the limit or count that made the window begin later than before, or None.
        repairs: the number of repairs of each kind.
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
    """Select the messages of a conversation that the window shows.

    Args:
        conversation: the whole conversation.
        reserved: the messages of the prompt around the conversation.
        covered: the first message after the session's summary, or None if the conversation does not contain it.
        limit: the maximum size of the prompt.
        iteration: the number of the turn's current tool call, if the host passes it.
        now: the turn's time, for the age of tool results.
        renderer: shortens messages, and measures their size.
        low_water: when the window exceeds a limit, it shrinks to this share of each limit.
    """
    policy = renderer.policy
    limits = _limits(limit, reserved, conversation, policy, low_water)
    cut = age_cut(len(conversation), now, policy)
    start = find_scan_start(conversation, reserved.first, covered, limits, cut, iteration, policy)
    grouped = grouping.group(conversation[start.first :], start.first)
    groups, renamed = grouping.named(grouped.groups)
    known = times(conversation[start.first :])
    ages = [known[each.first - start.first] for each in groups]
    stubs = tuple(renderer.whole(each) if protected(each, policy) else renderer.stubbed(each) for each in groups)
    shown = tuple(
        stub if each.first < start.stubs or stale(each, at, cut, policy) else renderer.whole(each)
        for each, stub, at in zip(groups, stubs, ages, strict=True)
    )
    units = _units(groups, shown, stubs, ages, iteration)
    begin = find_start(units, limits, sum(each.first < start.stubs for each in groups))
    shown = (*stubs[: begin.stubs], *shown[begin.stubs :])
    repairs = Counter[str](repair.what for repair in (*grouped.repairs, *renamed))
    return _bounded(conversation, reserved, groups, stubs, shown, begin, repairs, limit, renderer)


def _units(
    groups: Sequence[MessageGroup],
    shown: Sequence[RenderedMessages],
    stubs: Sequence[RenderedMessages],
    ages: Sequence[float | None],
    iteration: int | None,
) -> list[MessageSize]:
    numbers = iterations([bool(each.calls) for each in groups], [each.role == "user" for each in groups], iteration)
    return [
        MessageSize(whole.size, stub.size, each.role != "system", number, at)
        for each, whole, stub, number, at in zip(groups, shown, stubs, numbers, ages, strict=True)
    ]


def _bounded(
    conversation: Sequence[Message],
    reserved: ReservedContent,
    groups: Sequence[MessageGroup],
    stubs: Sequence[RenderedMessages],
    shown: Sequence[RenderedMessages],
    begin: WindowStart,
    repairs: Mapping[str, int],
    limit: WindowSize,
    renderer: Renderer,
) -> Selection:
    """Return the selection for a window that starts at `begin`, or later if the messages from there exceed a limit.

    If even the newest group exceeds it, the messages before the window are cut to their share of the model's tokens.
    """
    start, characters = begin.start, renderer.policy.window.max_chars
    fixed = reserved.leading.size + reserved.closing.size + room_for_summary(limit, renderer.policy)
    while True:
        start, request = _led(conversation, reserved.first, groups, start, renderer.policy)
        first = groups[start].first if start < len(groups) else len(conversation)
        ids = {call.id or "" for each in groups[start:] for call in each.calls}
        retained = _retained(conversation, reserved.first, first, request, renderer, ids, characters)
        size = sum((each.size for each in shown[start:]), fixed + retained.shown.size)
        if size.beyond(limit) is None:
            break
        if start + 1 < len(groups):
            start += 1
        elif characters > limit.tokens * CHARS_PER_TOKEN:
            start, characters = begin.start, limit.tokens * CHARS_PER_TOKEN
        else:
            break
    return Selection(
        tuple(groups), tuple(stubs), tuple(shown), start, first, retained, begin.stubs, begin.trigger, repairs
    )


def _led(
    conversation: Sequence[Message], first: int, groups: Sequence[MessageGroup], start: int, policy: Policy
) -> tuple[int, int | None]:
    """Return the index of the group that begins the window, and the index of the user's message to show before it.

    The first index is `start` or greater. The second one is None if the window itself begins with a user's message.
    Otherwise a user's message is needed because a prompt must begin with one. A system message does not begin a window,
    since it would read as one of the host's leading system messages.
    """
    for n in range(start, len(groups)):
        if groups[n].role == "system" and not protected(groups[n], policy):
            continue
        speaker = next((each for each in groups[n:] if each.role != "system"), None)
        if speaker is None or speaker.role == "user":
            return n, None
        request = last_user_message(conversation, first, speaker.first)
        if request is not None:
            return n, request
    return len(groups), None


# --- limits of the conversation alone ---


def _limits(
    limit: WindowSize, reserved: ReservedContent, conversation: Sequence[Message], policy: Policy, low_water: float
) -> WindowLimits:
    """Return the limits of the conversation alone: those of the prompt minus the room for the messages around it.

    Room is also reserved for messages that do not exist yet, such as a summary, so that the window does not move when
    they are added. A conversation that fits whole, with messages that are always kept, needs no room for messages
    before the window.
    """
    message = limit.times(1 / _SIDE_SHARE)
    around = reserved.leading.size + reserved.closing.size + room_for_summary(limit, policy)
    if not _any_kept(conversation, reserved.first, policy):
        around += WindowSize(1, message.characters, message.tokens)
    elif not _fits(conversation, reserved.first, limit - around):
        around += WindowSize(1, message.characters, message.tokens) + limit.times(1 / _KEPT_SHARE)
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


def _fits(conversation: Sequence[Message], first: int, limit: WindowSize) -> bool:
    """Return True if the conversation from index `first` on is within a number of messages and characters."""
    if len(conversation) - first > 2 * limit.messages:
        return False
    own = [message for message in conversation[first:] if not authored(message)]
    return len(own) <= limit.messages and sum(len(message.content) for message in own) <= limit.characters


# --- messages that stay before the window ---


def _any_kept(conversation: Sequence[Message], first: int, policy: Policy) -> bool:
    """Return True if the conversation, from index `first` on, has a message or call whose kind is always kept."""
    return any(_kept_with(conversation, place, policy) for place in range(first, len(conversation)))


def _retained(
    conversation: Sequence[Message],
    first: int,
    start: int,
    request: int | None,
    renderer: Renderer,
    taken: Collection[str],
    characters: int,
) -> RetainedMessages:
    """Return the messages before index `start`, where the window begins, that are shown nevertheless.

    `request` is the index of the user's message to show before the window, or None if the window begins with such a
    message. `taken` are the ids of the window's calls. `characters` is the window's limit, of which these messages get
    a share.
    """
    places = _kept_places(conversation, first, start, renderer.policy, characters)
    kept = len(places)
    speaking = [n for n in sorted(places) if conversation[n].role != "system"]
    if speaking and conversation[speaking[0]].role != "user":
        earlier = last_user_message(conversation, first, speaking[0])
        if earlier is None:  # without a user's message before them they are not valid
            places, kept = [], 0
        else:
            places.append(earlier)
    if request is not None:
        places.append(request)
    groups, _ = grouping.named(grouping.group([conversation[n] for n in sorted(set(places))]).groups, taken)
    shown = [
        renderer.with_cut_results(each, _KEPT_RESULT)
        if each.calls
        else renderer.cut(each.messages, characters // _SIDE_SHARE)
        for each in groups
    ]
    return RetainedMessages(renderer.joined(shown), frozenset(places), kept)


def _kept_places(conversation: Sequence[Message], first: int, start: int, policy: Policy, characters: int) -> list[int]:
    """Return the indexes, newest first, of the messages before `start` whose kind is always kept, within their room."""
    room = characters // _KEPT_SHARE
    places: list[int] = []
    for n in range(start - 1, first - 1, -1):
        own = [place for place in _kept_with(conversation, n, policy) if place < start]
        limit = _KEPT_RESULT if conversation[n].tool_calls else characters // _SIDE_SHARE
        room -= sum(min(len(conversation[place].content), limit) for place in own)
        if room < 0 or len(places) + len(own) > policy.window.max_messages // _KEPT_SHARE:
            break
        places += own
    return places


def _kept_with(conversation: Sequence[Message], place: int, policy: Policy) -> Sequence[int]:
    """Return the indexes of the messages to keep if the policy always keeps the message at `place`, or else nothing.

    A call is kept with its results if it failed, or if the kind of the call or of a result is always kept.
    """
    message = conversation[place]
    if message.role == "tool" or authored(message):
        return ()
    if not message.tool_calls:
        return (place,) if message.content.strip() and message.kind in policy.window.protected_kinds else ()
    results = [*takewhile(lambda n: conversation[n].role == "tool", range(place + 1, len(conversation)))]
    kinds = {message.kind, *(conversation[n].kind for n in results)}
    if not all(call.ok for call in message.tool_calls):
        kinds.add("error")
    return () if kinds.isdisjoint(policy.window.protected_kinds) else (place, *results)
