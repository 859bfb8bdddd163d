"""Find where the window begins: it moves in strides, so that prompts of neighbouring turns begin with the same bytes.

Read from the oldest on, the window grows until it is beyond a bound. Then old tool results become stubs, and if that is
not enough for a while, the oldest leave, until it is at its low-water mark; after that it grows again. So the beginning
is a function of the conversation alone, and reading on from where it stands gives the same as reading from the start.

Where to begin to read is told from roles and lengths, without reading texts, since the summary's end or the last
multiple of EPOCH: a conversation of four thousand messages costs no more than one of five hundred.

Results are pruned by age as of the last full period of twice `window.prune_tool_results_after_ms`, and to the last
messages by half of `window.keep_last_messages`: a prompt changes in its middle now and then, not with every turn.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from datetime import datetime

from cognitive.policy import Policy
from cognitive.turn import Message
from cognitive.window.engine_messages import authored
from cognitive.window.groups import MessageGroup

MAX_PRUNED_CHARS = 400  # of a pruned result: its first line and the pointer
EPOCH = 512  # messages; the window is begun anew at its multiples, which costs one more step

_PER_TOKEN = 3  # characters: a guess on the low side for prose, on the high side for digits; `fit` counts what is left


# --- strides over sizes ---


@dataclass(frozen=True, slots=True)
class WindowSize:
    """What something takes of a prompt."""

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
        """A share of it, rounded down."""
        return WindowSize(int(self.messages * share), int(self.characters * share), int(self.tokens * share))

    def beyond(self, bounds: WindowSize) -> str | None:
        """The name of a bound that it exceeds, or None."""
        for name in ("messages", "characters", "tokens"):
            if getattr(self, name) > getattr(bounds, name):
                return name
        return None


@dataclass(frozen=True, slots=True)
class MessageSize:
    """A piece of the conversation: its size as it is, and with its results as stubs.

    A window may begin with it if it `begins`. `iteration` counts the calls since the user's message, 0 for no call;
    `at` is its time in seconds, if it is known.
    """

    whole: WindowSize
    stubbed: WindowSize
    begins: bool = True
    iteration: int = 0
    at: float | None = None


@dataclass(frozen=True, slots=True)
class WindowLimits:
    """The bounds; the low-water mark as a share of them; how many of the last messages, and of the last seconds, never
    become stubs; and after how many iterations what is above the mark is compacted without a bound being hit, 0 for
    never.
    """

    bounds: WindowSize
    low: float
    keep_last: int
    keep_recent: float = 0.0
    every: int = 0


@dataclass(frozen=True, slots=True)
class WindowStart:
    """The window begins with unit `start`; those before `stubs` stand in it with stubs for results.

    `trigger` is the bound or count that made the last step, if the last unit made it.
    """

    start: int = 0
    stubs: int = 0
    trigger: str | None = None


def find_start(units: Sequence[MessageSize], limits: WindowLimits, stubs: int = 0) -> WindowStart:
    """Where a window over these units begins; the newest is always in it. The first `stubs` are stubs already."""
    low = limits.bounds.times(limits.low)
    enough = limits.bounds.times((1 + limits.low) / 2)  # if stubs left more, the next unit or two would move the window
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
    """How many units are old enough for stubs when unit n is the newest: not that one, nor the last messages."""
    newest, kept, old = units[n].at, units[n].whole.messages, n
    while old > 0:
        unit = units[old - 1]
        recent = newest is not None and unit.at is not None and newest - unit.at < limits.keep_recent
        if not recent and kept + unit.whole.messages > limits.keep_last:
            break
        kept += unit.whole.messages
        old -= 1
    return old


def _low_water_start(
    units: Sequence[MessageSize], start: int, n: int, used: WindowSize, low: WindowSize, stubs: int
) -> tuple[int, WindowSize]:
    """The first unit from which the window is at its low-water mark, or as near as may be, and what is used then."""
    begin, left = start, used
    for after in range(start, n + 1):
        if after > start:
            used -= units[after - 1].stubbed if after - 1 < stubs else units[after - 1].whole
        if after == start or units[after].begins:
            begin, left = after, used
            if used.beyond(low) is None:
                break
    return begin, left


# --- age ---


@dataclass(frozen=True, slots=True)
class AgeCut:
    """Results before this place of the conversation and before this time are pruned by their age."""

    before: int
    until: float


def age_cut(messages: int, now: datetime, policy: Policy) -> AgeCut:
    """The cut of a conversation of so many messages."""
    step = max(1, policy.window.keep_last_messages // 2)
    period = 2 * policy.window.prune_tool_results_after_ms / 1000
    asof = now.timestamp() // period * period
    return AgeCut(
        (messages - policy.window.keep_last_messages) // step * step,
        asof - max(policy.window.prune_tool_results_after_ms, policy.window.keep_recent_ms) / 1000,
    )


def protected(group: MessageGroup, policy: Policy) -> bool:
    """Whether a group is of a kind that is always kept. A call that failed is an error, whatever its messages' kind."""
    kinds = {message.kind for message in group.messages}
    if not all(call.ok for call in group.calls):
        kinds.add("error")
    return not kinds.isdisjoint(policy.window.protected_kinds)


def stale(group: MessageGroup, at: float | None, cut: AgeCut, policy: Policy) -> bool:
    """Whether the results of a group are pruned by their age. Where neither the group nor anything later has a time,
    the age is not known: it is pruned only when room is needed.
    """
    old = group.first < cut.before and at is not None and at < cut.until
    return old and bool(group.calls) and not protected(group, policy)


# --- how far back to read ---


@dataclass(frozen=True, slots=True)
class ScanStart:
    """The first message to read, and the place before which results were made stubs to make room."""

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
    """Where to begin: not before `first`, nor before what the summary covers."""
    epoch = len(conversation) // EPOCH * EPOCH - int(limits.bounds.messages * limits.low)
    base = max(first, epoch, covered.first if covered is not None else 0)
    places = [n for n in range(base, len(conversation)) if not authored(conversation[n])]
    stubs = covered.stubs if covered is not None else 0
    units = _units(conversation, places, cut, iteration, policy)
    found = find_start(units, limits, sum(place < stubs for place in places))
    if not places:
        return ScanStart(base, base)
    stubbed = places[found.stubs] if found.stubs < len(places) else len(conversation)
    return ScanStart(places[found.start] if found.start else base, stubbed if found.stubs else base)


def times(messages: Sequence[Message]) -> list[float | None]:
    """The time of each message in seconds. A message without one takes that of the next message that has one, since it
    is at least as old.
    """
    later: float | None = None
    found: list[float | None] = []
    for message in reversed(messages):
        later = message.at.timestamp() if message.at is not None else later
        found.append(later)
    return found[::-1]


def iterations(calling: Sequence[bool], asking: Sequence[bool], last: int | None) -> list[int]:
    """The number of each call since the user's message, 0 for a message that calls nothing; `last` is the newest
    call's, where the host gives it.
    """
    numbers, n = [], 0
    for calls, asks in zip(calling, asking, strict=True):
        n = 0 if asks else n + calls
        numbers.append(n if calls else 0)
    behind = max((place for place, asks in enumerate(asking) if asks), default=-1)
    ahead = last - n if last is not None else 0
    return [max(0, number + ahead) if number and place > behind else number for place, number in enumerate(numbers)]


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
    """About what each message takes, as it is and as a stub."""
    longest = policy.window.max_message_chars
    said = len(message.content)
    if message.role == "tool":
        longest = policy.window.max_tool_output_chars["default"]
    elif message.tool_calls:
        arguments = (value for call in message.tool_calls for value in call.arguments.values())
        said += sum(len(value) if isinstance(value, str) else 20 for value in arguments)
    whole = _size(min(said, longest))
    if message.role != "tool" or message.kind in policy.window.protected_kinds:
        return whole, whole
    return whole, _size(min(said, MAX_PRUNED_CHARS))


def _size(characters: int) -> WindowSize:
    return WindowSize(1, characters, characters // _PER_TOKEN)


def _begins(message: Message, before: Message | None) -> bool:
    """Whether a window that begins here parts no call from its results, if these stand where they should."""
    if message.role == "user":
        return True
    asked = before is not None and any(call.result is None for call in before.tool_calls)
    return message.role == "assistant" and not asked
