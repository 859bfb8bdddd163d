"""Which lines of a long output are shown: its head, its tail, and of the middle what matters most."""

from __future__ import annotations

import re
from collections.abc import Callable, Iterable, Iterator, Sequence

from cognitive.window.output import weight
from cognitive.window.output.folding import Stretch

# Shares of the room. What began an output says what it is, what ended it says what came of it.
_HEAD, _TAIL = 0.3, 0.35
_OF_A_SEARCH = 0.1  # for either: its matches are all alike, and a line of every file says more
_GAP = 32  # characters that a mark between two lines takes at most
_AROUND = (-1, 0, 1, 2)  # lines shown with a severe one: where it stands, and how it goes on
_FIGURES = re.compile(r"\d+|0x[0-9a-fA-F]+")
_FILE = re.compile(r"^(?:\./)?([^\s:]{1,200}?)(?::\d+)?(?::|$|-\d+-)")  # as grep and its like name files


def excerpt(given: Sequence[Stretch], room: int, *, per_file: bool = False) -> list[Stretch]:
    """Those of the lines that are shown, in their order, within `room` characters with the marks between them.

    First a head and a tail; then what matters of the middle: a line of every file, if `per_file`, severe lines with
    what surrounds them, notable ones; then more of the head.
    """
    chosen: set[int] = set()
    head, tail = (int(room * (_OF_A_SEARCH if per_file else share)) for share in (_HEAD, _TAIL))
    left = room - head - tail
    left += _take(chosen, range(len(given)), given, head, strict=True)
    left += _take(chosen, reversed(range(len(given))), given, tail, strict=True)
    for wanted in _wanted(given, chosen, per_file=per_file):
        left = _take(chosen, wanted, given, left, strict=False)
    _take(chosen, (n for n in range(len(given)) if n not in chosen), given, left, strict=True)
    return [given[n] for n in sorted(chosen)]


def _take(chosen: set[int], places: Iterable[int], given: Sequence[Stretch], room: int, *, strict: bool) -> int:
    """Chooses what fits and says how much room is left; if `strict`, up to the first that does not fit."""
    for place in places:
        if place in chosen:
            continue
        beside = place - 1 in chosen or place + 1 in chosen
        cost = len(given[place].text) + 1 + (0 if beside else _GAP)
        if cost <= room:
            chosen.add(place)
            room -= cost
        elif strict:
            break
    return room


def _wanted(given: Sequence[Stretch], chosen: set[int], *, per_file: bool) -> Iterator[list[int]]:
    middle = [n for n in range(len(given)) if n not in chosen]
    if per_file:
        yield _firsts(middle, given, _file)
    severe = _firsts(_among(middle, given, weight.severe), given, _shape)
    yield [place + step for place in _ends_first(severe) for step in _AROUND if 0 <= place + step < len(given)]
    yield _ends_first(_firsts(_among(middle, given, weight.notable), given, _shape))


def _among(places: Sequence[int], given: Sequence[Stretch], kind: weight.Weight) -> list[int]:
    """Those of the places whose lines are of a kind, in their order."""
    return [places[n] for n in sorted(kind.among([given[place].text for place in places]))]


def _firsts(places: Iterable[int], given: Sequence[Stretch], key: Callable[[str], str]) -> list[int]:
    """The first place of each key: a thousand errors that differ in figures are one error."""
    found: dict[str, int] = {}
    for place in places:
        found.setdefault(key(given[place].text), place)
    return list(found.values())


def _shape(line: str) -> str:
    return _FIGURES.sub("#", line)


def _file(line: str) -> str:
    named = _FILE.match(line)
    return named.group(1) if named else line


def _ends_first(places: Sequence[int]) -> list[int]:
    """The first, the last, the second, the last but one: the first error is the cause, the last what came of it."""
    return [places[n // 2] if n % 2 == 0 else places[-1 - n // 2] for n in range(len(places))]
