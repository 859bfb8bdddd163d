"""Where to begin to read: how far back a window could reach at all, told from roles and lengths, without reading texts.

The beginning is that of `strides` over the messages since the summary's end, or since the last multiple of EPOCH: a
conversation of four thousand messages costs no more than one of five hundred.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass

from cognitive.policy import Policy
from cognitive.turn import Message
from cognitive.window import groups, strides
from cognitive.window.prune import Cut
from cognitive.window.strides import Rules, Size, Unit

EPOCH = 512  # messages; the window is begun anew at its multiples, which costs one more step

_PER_TOKEN = 3  # characters: a guess on the low side for prose, on the high side for digits; `fit` counts what is left


@dataclass(frozen=True, slots=True)
class Begin:
    """The first message to read, and the place before which results were made stubs to make room."""

    first: int
    stubs: int


def begin(
    conversation: Sequence[Message],
    first: int,
    covered: Begin | None,
    rules: Rules,
    cut: Cut,
    iteration: int | None,
    policy: Policy,
) -> Begin:
    """Where to begin: not before `first`, nor before what the summary covers."""
    epoch = len(conversation) // EPOCH * EPOCH - int(rules.bounds.messages * rules.low)
    base = max(first, epoch, covered.first if covered is not None else 0)
    places = [n for n in range(base, len(conversation)) if not groups.authored(conversation[n])]
    stubs = covered.stubs if covered is not None else 0
    units = _units(conversation, places, cut, iteration, policy)
    found = strides.place(units, rules, sum(place < stubs for place in places))
    if not places:
        return Begin(base, base)
    stubbed = places[found.stubs] if found.stubs < len(places) else len(conversation)
    return Begin(places[found.start] if found.start else base, stubbed if found.stubs else base)


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
    conversation: Sequence[Message], places: Sequence[int], cut: Cut, iteration: int | None, policy: Policy
) -> list[Unit]:
    messages = [conversation[place] for place in places]
    numbers = iterations([bool(m.tool_calls) for m in messages], [m.role == "user" for m in messages], iteration)
    units = []
    before: Message | None = None
    for place, message, at, number in zip(places, messages, times(messages), numbers, strict=True):
        whole, stubbed = _sizes(message, policy)
        if place < cut.before and at is not None and at < cut.until:
            whole = stubbed
        units.append(Unit(whole, stubbed, _begins(message, before), number, at))
        before = message
    return units


def _sizes(message: Message, policy: Policy) -> tuple[Size, Size]:
    """About what each message takes, as it is and as a stub."""
    longest = policy.message_characters
    said = len(message.content)
    if message.role == "tool":
        longest = policy.tool_output_characters["default"]
    elif message.tool_calls:
        arguments = (value for call in message.tool_calls for value in call.arguments.values())
        said += sum(len(value) if isinstance(value, str) else 20 for value in arguments)
    whole = _size(min(said, longest))
    if message.role != "tool" or message.kind in policy.always_keep:
        return whole, whole
    return whole, _size(min(said, policy.pruned_characters))


def _size(characters: int) -> Size:
    return Size(1, characters, characters // _PER_TOKEN)


def _begins(message: Message, before: Message | None) -> bool:
    """Whether a window that begins here parts no call from its results, if these stand where they should."""
    if message.role == "user":
        return True
    asked = before is not None and any(call.result is None for call in before.tool_calls)
    return message.role == "assistant" and not asked
