"""Lines that repeat are shown once, with how often they came."""

from __future__ import annotations

import re
from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from itertools import pairwise

import numpy as np

from cognitive.window.output import weight

_LONGEST_BLOCK = 8  # lines; longer blocks that repeat are rare, and looking for them costs as much again each
_LEAST_COPIES = 3
_LEAST_RUN = 4  # lines that go on or went well, of which the first and the last are shown
_LEAST_SAVED = 60  # characters; a mark costs about 40
_READ = 240  # characters of a line that say what it is
_FIGURES = re.compile(r"0x[0-9a-fA-F]+|\d+|\b[0-9a-f]{8,}\b")


@dataclass(frozen=True, slots=True)
class Stretch:
    """The lines [first, after) of an output, and the text that stands for them."""

    first: int
    after: int
    text: str


def stretches(lines: Sequence[str], start: int = 0) -> list[Stretch]:
    """Every line as it is; the first has the number `start`."""
    return [Stretch(n, n + 1, line) for n, line in enumerate(lines, start)]


def repeats(given: Sequence[Stretch]) -> list[Stretch]:
    """Lines, and blocks of up to eight lines, that stand there three times or more in a row: once, with a number."""
    folded: list[Stretch] = []
    place = 0
    sizes, copies = _blocks(given)
    while place < len(given):
        size = sizes[place]
        block = given[place : place + size] if size else ()
        count = copies[place]
        if not block or (count - 1) * sum(len(each.text) + 1 for each in block) < _LEAST_SAVED:
            folded.append(given[place])
            place += 1
            continue
        last = given[place + size * count - 1]
        what = "the line" if size == 1 else f"the {size} lines"
        folded += [*block, Stretch(block[-1].after, last.after, f"[... {what} above {count - 1:,} more times]")]
        place += size * count
    return folded


def _blocks(given: Sequence[Stretch]) -> tuple[list[int], list[int]]:
    """Per place the size of the smallest block that repeats from there on, or 0, and how often it stands there."""
    known: dict[str, int] = {}
    ids = np.array([known.setdefault(each.text, len(known)) for each in given], dtype=np.int64)
    pieces = np.cumsum([0, *(after.first != before.after for before, after in pairwise(given))])
    sizes, copies = np.zeros(len(ids), dtype=np.int64), np.ones(len(ids), dtype=np.int64)
    for size in range(min(_LONGEST_BLOCK, len(ids) // _LEAST_COPIES), 0, -1):
        same = np.append((ids[:-size] == ids[size:]) & (pieces[:-size] == pieces[size:]), [False] * size)
        places = np.arange(len(same))
        ends = np.minimum.accumulate(np.where(same, len(same), places)[::-1])[::-1]  # of the runs of what is the same
        times = (ends - places) // size + 1
        enough = np.flatnonzero(times >= _LEAST_COPIES)
        sizes[enough], copies[enough] = size, times[enough]
    return sizes.tolist(), copies.tolist()


def progress(given: Sequence[Stretch]) -> list[Stretch]:
    """Runs of lines that only say that something goes on: the first and the last."""
    read = _read(given)
    going_on = dict.fromkeys(weight.progress.among(read), "progress")
    return _runs(given, _unless_severe(going_on, read), "lines of progress")


def routine(given: Sequence[Stretch]) -> list[Stretch]:
    """Runs of lines that say all went well, and of records that differ in figures alone: the first and the last."""
    read = _read(given)
    alike = {place: _FIGURES.sub("#", read[place]) for place in weight.record.among(read)}
    as_it_should = dict.fromkeys(weight.routine.among(read), "routine")
    return _runs(given, _unless_severe(alike | as_it_should, read), "lines like these")


def _read(given: Sequence[Stretch]) -> list[str]:
    return [each.text[:_READ] for each in given]


def _unless_severe(sorts: Mapping[int, str], read: Sequence[str]) -> list[str | None]:
    """The kind of each line, None for one that is shown for itself, as every severe line is."""
    places = sorted(sorts)
    severe = weight.severe.among([read[place] for place in places])
    kept = {place: sorts[place] for n, place in enumerate(places) if n not in severe}
    return [kept.get(place) for place in range(len(read))]


def _runs(given: Sequence[Stretch], sorts: Sequence[str | None], what: str) -> list[Stretch]:
    """Runs of one sort (a name that lines of a kind share) as their first and last line."""
    folded: list[Stretch] = []
    place = 0
    while place < len(given):
        end = place + 1
        while end < len(given) and sorts[place] is not None and _goes_on(given, sorts, end):
            end += 1
        run, inner = given[place:end], given[place + 1 : end - 1]
        if len(run) >= _LEAST_RUN and sum(len(each.text) + 1 for each in inner) >= _LEAST_SAVED:
            count = inner[-1].after - inner[0].first
            folded += [run[0], Stretch(inner[0].first, inner[-1].after, f"[... {count:,} {what}]"), run[-1]]
        else:
            folded += run
        place = end
    return folded


def _goes_on(given: Sequence[Stretch], sorts: Sequence[str | None], place: int) -> bool:
    return sorts[place] == sorts[place - 1] and given[place].first == given[place - 1].after
