"""Where the window begins: it moves in strides, so that prompts of neighbouring turns begin with the same bytes.

Read from the oldest on, the window grows until it is beyond a bound. Then old tool results become stubs, and if that is
not enough for a while, the oldest leave, until it is at its low-water mark; after that it grows again. So the beginning
is a function of the conversation alone, and reading on from where it stands gives the same as reading from the start.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass


@dataclass(frozen=True, slots=True)
class Size:
    """What something takes of a prompt."""

    messages: int = 0
    characters: int = 0
    tokens: int = 0

    def __add__(self, other: Size) -> Size:
        return Size(self.messages + other.messages, self.characters + other.characters, self.tokens + other.tokens)

    def __sub__(self, other: Size) -> Size:
        return Size(self.messages - other.messages, self.characters - other.characters, self.tokens - other.tokens)

    def times(self, share: float) -> Size:
        """A share of it, rounded down."""
        return Size(int(self.messages * share), int(self.characters * share), int(self.tokens * share))

    def beyond(self, bounds: Size) -> str | None:
        """The name of a bound that it exceeds, or None."""
        for name in ("messages", "characters", "tokens"):
            if getattr(self, name) > getattr(bounds, name):
                return name
        return None


@dataclass(frozen=True, slots=True)
class Unit:
    """A piece of the conversation: its size as it is, and with its results as stubs.

    A window may begin with it if it `begins`. `iteration` counts the calls since the user's message, 0 for no call;
    `at` is its time in seconds, if it is known.
    """

    whole: Size
    stubbed: Size
    begins: bool = True
    iteration: int = 0
    at: float | None = None


@dataclass(frozen=True, slots=True)
class Rules:
    """The bounds; the low-water mark as a share of them; how many of the last messages, and of the last seconds, never
    become stubs; and after how many iterations what is above the mark is compacted without a bound being hit, 0 for
    never.
    """

    bounds: Size
    low: float
    keep_last: int
    keep_recent: float = 0.0
    every: int = 0


@dataclass(frozen=True, slots=True)
class Place:
    """The window begins with unit `start`; those before `stubs` stand in it with stubs for results.

    `trigger` is the bound or count that made the last step, if the last unit made it.
    """

    start: int = 0
    stubs: int = 0
    trigger: str | None = None


def place(units: Sequence[Unit], rules: Rules, stubs: int = 0) -> Place:
    """Where a window over these units begins; the newest is always in it. The first `stubs` are stubs already."""
    low = rules.bounds.times(rules.low)
    enough = rules.bounds.times((1 + rules.low) / 2)  # if stubs left more, the next unit or two would move the window
    start, trigger = 0, None
    used = Size()
    for n, unit in enumerate(units):
        used += unit.stubbed if n < stubs else unit.whole
        full = used.beyond(rules.bounds)
        trigger = full or _due(unit, rules, used, low)
        if trigger is None:
            continue
        if full == "messages":
            start, used = _begin(units, start, n, used, Size(low.messages, used.characters, used.tokens), stubs)
        if used.beyond(Size(used.messages, low.characters, low.tokens)):
            old = _old(units, n, rules)
            for stub in range(max(start, stubs), old):
                used -= units[stub].whole - units[stub].stubbed
            stubs = max(stubs, old)
        if full and used.beyond(enough):
            start, used = _begin(units, start, n, used, low, stubs)
    return Place(start, max(start, stubs), trigger)


def _due(unit: Unit, rules: Rules, used: Size, low: Size) -> str | None:
    if rules.every and unit.iteration and unit.iteration % rules.every == 0 and used.beyond(low):
        return "iterations"
    return None


def _old(units: Sequence[Unit], n: int, rules: Rules) -> int:
    """How many units are old enough for stubs when unit n is the newest: not that one, nor the last messages."""
    newest, kept, old = units[n].at, units[n].whole.messages, n
    while old > 0:
        unit = units[old - 1]
        recent = newest is not None and unit.at is not None and newest - unit.at < rules.keep_recent
        if not recent and kept + unit.whole.messages > rules.keep_last:
            break
        kept += unit.whole.messages
        old -= 1
    return old


def _begin(units: Sequence[Unit], start: int, n: int, used: Size, low: Size, stubs: int) -> tuple[int, Size]:
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
