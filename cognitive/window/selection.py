"""Which groups of the conversation the window shows, each whole or with stubs for its results."""

from __future__ import annotations

from collections import Counter
from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from datetime import datetime

from cognitive.policy import Policy
from cognitive.turn import Message
from cognitive.window import before, begin, groups, prune, strides, surroundings
from cognitive.window.before import Stays
from cognitive.window.begin import Begin
from cognitive.window.display import Display, Shown
from cognitive.window.groups import Group
from cognitive.window.strides import Size, Unit
from cognitive.window.surroundings import Surroundings


@dataclass(frozen=True, slots=True)
class Selection:
    """The groups of a conversation, each with stubs for its results and as it is shown.

    The window begins with group `start`, which stands at `place` of the conversation; groups before `pruned` were made
    stubs for want of room. `stays` are the messages before it that stay.
    """

    groups: tuple[Group, ...]
    stubs: tuple[Shown, ...]
    shown: tuple[Shown, ...]
    start: int
    place: int
    stays: Stays
    pruned: int
    trigger: str | None
    repairs: Mapping[str, int]


def select(
    conversation: Sequence[Message], around: Surroundings, covered: Begin | None, limit: Size, iteration: int | None,
    now: datetime, show: Display,
) -> Selection:  # fmt: skip
    """Where the window begins, and which of its groups are shown whole and which with stubs.

    `covered` is where the session's summary ends; `iteration` is the number of the call that the turn is at.
    """
    rules = surroundings.rules(limit, around, conversation, show.policy)
    cut = prune.cut(len(conversation), now, show.policy)
    start = begin.begin(conversation, around.first, covered, rules, cut, iteration, show.policy)
    grouped = groups.group(conversation[start.first :], start.first)
    named, renamed = groups.named(grouped.groups)
    times = begin.times(conversation[start.first :])
    ages = [times[group.first - start.first] for group in named]
    stubs = tuple(show.whole(each) if prune.protected(each, show.policy) else show.stubbed(each) for each in named)
    shown = tuple(
        stub if each.first < start.stubs or prune.stale(each, at, cut, show.policy) else show.whole(each)
        for each, stub, at in zip(named, stubs, ages, strict=True)
    )
    units = _units(named, shown, stubs, ages, iteration)
    place = strides.place(units, rules, sum(group.first < start.stubs for group in named))
    shown = (*stubs[: place.stubs], *shown[place.stubs :])
    repairs = Counter[str](repair.what for repair in (*grouped.repairs, *renamed))
    return _bounded(conversation, around, named, stubs, shown, place, repairs, limit, show)


def _units(
    named: Sequence[Group], shown: Sequence[Shown], stubs: Sequence[Shown], ages: Sequence[float | None],
    iteration: int | None,
) -> list[Unit]:  # fmt: skip
    numbers = begin.iterations([bool(each.calls) for each in named], [each.role == "user" for each in named], iteration)
    return [
        Unit(whole.size, stub.size, each.role != "system", number, at)
        for each, whole, stub, number, at in zip(named, shown, stubs, numbers, ages, strict=True)
    ]


def _bounded(
    conversation: Sequence[Message], around: Surroundings, named: Sequence[Group], stubs: Sequence[Shown],
    shown: Sequence[Shown], place: strides.Place, repairs: Mapping[str, int], limit: Size, show: Display,
) -> Selection:  # fmt: skip
    """The window from where its stride begins, or from later on while all that is shown is beyond a bound."""
    start = place.start
    fixed = around.leading.size + around.closing.size + surroundings.room_for_summary(limit, show.policy)
    while True:
        start, asked = _led(conversation, around.first, named, start, show.policy)
        first = named[start].first if start < len(named) else len(conversation)
        stays = before.before(conversation, around.first, first, asked, show)
        size = sum((each.size for each in shown[start:]), fixed + stays.shown.size)
        if size.beyond(limit) is None or start + 1 >= len(named):
            break
        start += 1
    return Selection(tuple(named), tuple(stubs), tuple(shown), start, first, stays, place.stubs, place.trigger, repairs)


def _led(
    conversation: Sequence[Message], first: int, named: Sequence[Group], start: int, policy: Policy
) -> tuple[int, int | None]:
    """Where a window can begin, from `start` on, and the place of the user's message before it that it follows.

    A system message does not lead it: what it was about has left, and it would pass for one of the host's leading ones.
    """
    for n in range(start, len(named)):
        if named[n].role == "system" and not prune.protected(named[n], policy):
            continue
        talking = next((each for each in named[n:] if each.role != "system"), None)
        if talking is None or talking.role == "user":
            return n, None
        asked = before.asked_by(conversation, first, talking.first)
        if asked is not None:
            return n, asked
    return len(named), None
