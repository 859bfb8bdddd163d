"""Find the message with which the window begins, the part of a conversation that the model sees.

The beginning moves seldom, so that successive prompts begin with the same bytes and provider caches apply. Messages are
added from the oldest on until the window exceeds a limit. Then old tool results are cut to stubs, their first lines. If
that frees too little, the oldest messages leave until the window is at its low-water mark (a share of each limit).
After that the window grows again. The beginning depends on the conversation alone: continuing from a stored beginning
gives the same result as starting over.

The first message to read is found from roles and lengths, without reading texts. This scan starts at the summary's end
or the last multiple of EPOCH messages, so that a conversation of 4,000 messages costs no more than one of 500.

Tool results are also cut when they are old. A result is old by its time and by the number of messages after it. Both
bounds advance in large steps, so that few turns change the middle of a prompt: the time in steps of twice
`window.prune_tool_results_after_ms`, the number of messages in steps of half `window.keep_last_messages`.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from datetime import datetime

from cognitive.policy import Policy
from cognitive.turn import Message
from cognitive.window.engine_messages import authored
from cognitive.window.groups import MessageGroup

MAX_PRUNED_CHARS = 400  # characters of a pruned result: its first line and the pointer
EPOCH = 512  # messages; the scan restarts at each multiple, which moves the window once more there
CHARS_PER_TOKEN = 3  # too few for prose, too many for digits, but `fit` counts the tokens of what is shown


# --- beginning of the window ---


@dataclass(frozen=True, slots=True)
class WindowSize:
    """The size of messages in a prompt, or a limit of it: the number of messages, characters and tokens."""

    messages: int = 0
    characters: int = 0
    tokens: int = 0

    def __add__(self, other: WindowSize) -> WindowSize:
        return WindowSize(
            self.messages + other.messages, self.characters + other.characters, self.tokens + other.tokens
        )

    def __sub__(self, other: WindowSize) -> WindowSize:
        return WindowSize(
            self.messages - other.messages, self.characters - other.characters, self.tokens - other.tokens
        )

    def times(self, share: float) -> WindowSize:
        """Return a share of the size: each of its numbers multiplied by `share` and rounded down."""
        return WindowSize(int(self.messages * share), int(self.characters * share), int(self.tokens * share))

    def beyond(self, bounds: WindowSize) -> str | None:
        """Return the name of the first limit in `bounds` that the size exceeds, or None if it exceeds none."""
        for name in ("messages", "characters", "tokens"):
            if getattr(self, name) > getattr(bounds, name):
                return name
        return None


@dataclass(frozen=True, slots=True)
class MessageSize:
    """The sizes of a message or group of messages, used to decide where the window begins.

    Attributes:
        whole: the size without cuts.
        stubbed: the size with each tool result cut to a stub, its first line.
        begins: True if a window may begin with it.
        iteration: the number of its tool call since the last user message, 0 without a call.
        at: its time in seconds since the epoch, if known.
    """

    whole: WindowSize
    stubbed: WindowSize
    begins: bool = True
    iteration: int = 0
    at: float | None = None


@dataclass(frozen=True, slots=True)
class WindowLimits:
    """The limits that decide where a window begins.

    Attributes:
        bounds: the maximum size.
        low: the share of `bounds` to which the window shrinks when it exceeds them (the low-water mark).
        keep_last: the number of the last messages whose tool results are not cut to stubs, their first lines.
        keep_recent: the age in seconds below which tool results are not cut.
        every: the number of tool calls after which a window above its low-water mark is compacted; 0 for never.
    """

    bounds: WindowSize
    low: float
    keep_last: int
    keep_recent: float = 0.0
    every: int = 0


@dataclass(frozen=True, slots=True)
class WindowStart:
    """The beginning of a window: the index `start` of its first message or group among all that were considered.

    Tool results before index `stubs` are cut to their first lines. `trigger` is the limit or count that moved the
    beginning when the last message was added, or None if the beginning did not move then.
    """

    start: int = 0
    stubs: int = 0
    trigger: str | None = None


def find_start(units: Sequence[MessageSize], limits: WindowLimits, stubs: int = 0) -> WindowStart:
    """Return where the window begins, given the sizes of consecutive messages or groups.

    The newest message or group is always in the window. The tool results of the first `stubs` of them are already cut
    to their first lines.
    """
    low = limits.bounds.times(limits.low)
    enough = limits.bounds.times((1 + limits.low) / 2)  # above this, the window would move again after a unit or two
    start, trigger = 0, None
    used = WindowSize()
    for n, unit in enumerate(units):
        used += unit.stubbed if n < stubs else unit.whole
        full = used.beyond(limits.bounds)
        trigger = full or _due(unit, limits, used, low)
        if trigger is None:
            continue
        if full == "messages":
            start, used = _low_water_start(
                units, start, n, used, WindowSize(low.messages, used.characters, used.tokens), stubs
            )
        if used.beyond(WindowSize(used.messages, low.characters, low.tokens)):
            old = _old(units, n, limits)
            for stub in range(max(start, stubs), old):
                used -= units[stub].whole - units[stub].stubbed
            stubs = max(stubs, old)
        if full and used.beyond(enough):
            start, used = _low_water_start(units, start, n, used, low, stubs)
    return WindowStart(start, max(start, stubs), trigger)


def _due(unit: MessageSize, limits: WindowLimits, used: WindowSize, low: WindowSize) -> str | None:
    if limits.every and unit.iteration and unit.iteration % limits.every == 0 and used.beyond(low):
        return "iterations"
    return None


def _old(units: Sequence[MessageSize], n: int, limits: WindowLimits) -> int:
    """Return how many of the oldest messages or groups may have their tool results cut.

    Number `n` is the newest message or group.
    """
    newest, recent_messages, old = units[n].at, units[n].whole.messages, n
    while old > 0:
        unit = units[old - 1]
        recent = newest is not None and unit.at is not None and newest - unit.at < limits.keep_recent
        if not recent and recent_messages + unit.whole.messages > limits.keep_last:
            break
        recent_messages += unit.whole.messages
        old -= 1
    return old


def _low_water_start(
    units: Sequence[MessageSize], start: int, n: int, used: WindowSize, low: WindowSize, stubs: int
) -> tuple[int, WindowSize]:
    """Return the index of the first message to keep so that the window is no larger than `low`, and its size then.

    `used` is the size of the window that begins at index `start` and ends with index `n`. A window may not begin with
    every message. If no beginning makes the window small enough, the last possible one is returned.
    """
    begin, remaining = start, used
    for after in range(start, n + 1):
        if after > start:
            used -= units[after - 1].stubbed if after - 1 < stubs else units[after - 1].whole
        if after == start or units[after].begins:
            begin, remaining = after, used
            if used.beyond(low) is None:
                break
    return begin, remaining


# --- age ---


@dataclass(frozen=True, slots=True)
class AgeCut:
    """The limits for cutting tool results by age.

    A result is cut if its message has an index below `before` and a time before `until`, in seconds since the epoch.
    """

    before: int
    until: float


def age_cut(messages: int, now: datetime, policy: Policy) -> AgeCut:
    """Return the limits for cutting tool results by age, in a conversation of this number of messages."""
    step = max(1, policy.window.keep_last_messages // 2)
    period = 2 * policy.window.prune_tool_results_after_ms / 1000
    as_of = now.timestamp() // period * period
    return AgeCut(
        (messages - policy.window.keep_last_messages) // step * step,
        as_of - max(policy.window.prune_tool_results_after_ms, policy.window.keep_recent_ms) / 1000,
    )


def protected(group: MessageGroup, policy: Policy) -> bool:
    """Return True if a group has a message of a kind that the policy always keeps.

    A failed tool call counts as the kind "error".
    """
    kinds = {message.kind for message in group.messages}
    if not all(call.ok for call in group.calls):
        kinds.add("error")
    return not kinds.isdisjoint(policy.window.protected_kinds)


def stale(group: MessageGroup, at: float | None, cut: AgeCut, policy: Policy) -> bool:
    """Return True if the tool results of a group of messages are old enough to be cut.

    If neither the group nor a later message has a time, the age is unknown. The results are then cut only when room is
    needed.
    """
    old = group.first < cut.before and at is not None and at < cut.until
    return old and bool(group.calls) and not protected(group, policy)


# --- start of the scan ---


@dataclass(frozen=True, slots=True)
class ScanStart:
    """The index `first` of the first message of the conversation to read.

    Tool results before index `stubs` are cut to their first lines to save room.
    """

    first: int
    stubs: int


def find_scan_start(
    conversation: Sequence[Message],
    first: int,
    covered: ScanStart | None,
    limits: WindowLimits,
    cut: AgeCut,
    iteration: int | None,
    policy: Policy,
) -> ScanStart:
    """Return the first message to read in order to build the window, estimated from roles and lengths.

    The returned index is not below `first`, and not before the end of the session's summary, which is `covered`.
    """
    epoch = len(conversation) // EPOCH * EPOCH - int(limits.bounds.messages * limits.low)
    base = max(first, epoch, covered.first if covered is not None else 0)
    places = [n for n in range(base, len(conversation)) if not authored(conversation[n])]
    stubs = covered.stubs if covered is not None else 0
    units = _units(conversation, places, cut, iteration, policy)
    start = find_start(units, limits, sum(place < stubs for place in places))
    if not places:
        return ScanStart(base, base)
    stubbed = places[start.stubs] if start.stubs < len(places) else len(conversation)
    return ScanStart(places[start.start] if start.start else base, stubbed if start.stubs else base)


def times(messages: Sequence[Message]) -> list[float | None]:
    """Return the time of each message in seconds since the epoch, or None if it is unknown.

    A message without a time has the time of the next message with one, since it is at least as old.
    """
    later: float | None = None
    seconds: list[float | None] = []
    for message in reversed(messages):
        later = message.at.timestamp() if message.at is not None else later
        seconds.append(later)
    return seconds[::-1]


def iterations(calling: Sequence[bool], asking: Sequence[bool], last: int | None) -> list[int]:
    """Return the number of each tool call since the user's message, counted from 1, and 0 for messages without calls.

    `calling` says for each message if it has tool calls, and `asking` if it is the user's. `last` is the number of the
    newest call, if the host passes it; the calls before it are then numbered to match.
    """
    numbers, n = [], 0
    for calls, asks in zip(calling, asking, strict=True):
        n = 0 if asks else n + calls
        numbers.append(n if calls else 0)
    last_request = max((place for place, asks in enumerate(asking) if asks), default=-1)
    offset = last - n if last is not None else 0
    return [
        max(0, number + offset) if number and place > last_request else number for place, number in enumerate(numbers)
    ]


def _units(
    conversation: Sequence[Message], places: Sequence[int], cut: AgeCut, iteration: int | None, policy: Policy
) -> list[MessageSize]:
    messages = [conversation[place] for place in places]
    numbers = iterations([bool(m.tool_calls) for m in messages], [m.role == "user" for m in messages], iteration)
    units = []
    before: Message | None = None
    for place, message, at, number in zip(places, messages, times(messages), numbers, strict=True):
        whole, stubbed = _sizes(message, policy)
        if place < cut.before and at is not None and at < cut.until:
            whole = stubbed
        units.append(MessageSize(whole, stubbed, _begins(message, before), number, at))
        before = message
    return units


def _sizes(message: Message, policy: Policy) -> tuple[WindowSize, WindowSize]:
    """Return the estimated size of a message as it is, and with a tool result cut to its first line."""
    max_chars = policy.window.max_message_chars
    characters = len(message.content)
    if message.role == "tool":
        max_chars = policy.window.max_tool_output_chars["default"]
    elif message.tool_calls:
        arguments = (value for call in message.tool_calls for value in call.arguments.values())
        characters += sum(len(value) if isinstance(value, str) else 20 for value in arguments)
    whole = _size(min(characters, max_chars))
    if message.role != "tool" or message.kind in policy.window.protected_kinds:
        return whole, whole
    return whole, _size(min(characters, MAX_PRUNED_CHARS))


def _size(characters: int) -> WindowSize:
    return WindowSize(1, characters, characters // CHARS_PER_TOKEN)


def _begins(message: Message, before: Message | None) -> bool:
    """Return True if a window can begin with a message without separating a tool call from its results.

    `before` is the previous message of the conversation.
    """
    if message.role == "user":
        return True
    awaits_result = before is not None and any(call.result is None for call in before.tool_calls)
    return message.role == "assistant" and not awaits_result
