"""Shorten an output by its lines: split it, show once what repeats, choose the lines that matter.

Of megabytes, the two ends are read and the severe lines between them. An excerpt has a head, a tail, and of the middle
what matters most.
"""

from __future__ import annotations

import re
from collections.abc import Callable, Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass
from itertools import islice, pairwise

import numpy as np

from cognitive.window.output import importance
from cognitive.window.output.json_values import read_json, shortened_json
from cognitive.window.output.text import border, final, head_of, tail_of

_SPAN = 400_000  # characters and lines read at either end
_SPAN_LINES = 8_000
_MAX_SEVERE = 400  # of the rest
_BLOB = re.compile(r"(?<![A-Za-z0-9+/_-])[A-Za-z0-9+/_-]{200,}={0,2}")
_BLOB_SHOWN = 32
_MAX_PARSED_LENGTH = 1_000_000  # characters of a line that may be JSON

_MAX_BLOCK_LENGTH = 8  # lines; longer blocks that repeat are rare, and looking for them costs as much again each
_MIN_COPIES = 3
_MIN_RUN = 4  # lines that go on or went well, of which the first and the last are shown
_MIN_SAVED = 60  # characters; a mark costs about 40
_READ = 240  # characters of a line that say what it is
_FIGURES_AND_DIGESTS = re.compile(r"0x[0-9a-fA-F]+|\d+|\b[0-9a-f]{8,}\b")

# Shares of the room. What began an output says what it is, what ended it says what came of it.
_HEAD, _TAIL = 0.3, 0.35
_OF_A_SEARCH = 0.1  # for either: its matches are all alike, and a line of every file says more
_GAP = 32  # characters that a mark between two lines takes at most
_AROUND = (-1, 0, 1, 2)  # lines shown with a severe one: where it stands, and how it goes on
_FIGURES = re.compile(r"\d+|0x[0-9a-fA-F]+")
_FILE = re.compile(r"^(?:\./)?([^\s:]{1,200}?)(?::\d+)?(?::|$|-\d+-)")  # as grep and its like name files


@dataclass(frozen=True, slots=True)
class LineSpan:
    """The lines [first, after) of an output, and the text that stands for them."""

    first: int
    after: int
    text: str


def stretches(lines: Sequence[str], start: int = 0) -> list[LineSpan]:
    """Every line as it is; the first has the number `start`."""
    return [LineSpan(n, n + 1, line) for n, line in enumerate(lines, start)]


# --- split into lines, none too long ---


def split_lines(cleaned: str, max_length: int) -> list[LineSpan]:
    """The lines as a terminal leaves them, each within `max_length` characters (and a mark where it was longer)."""
    breaks = cleaned.count("\n")
    if not breaks or (len(cleaned) <= 2 * _SPAN and breaks <= 2 * _SPAN_LINES):
        return _stretches(cleaned, 0, max_length)
    start, end = _after(cleaned), _before(cleaned)
    middle, above = cleaned[start:end].encode(), cleaned.count("\n", 0, start)
    below = above + middle.count(b"\n")
    return [
        *_stretches(cleaned[:start].removesuffix("\n"), 0, max_length),
        *_severe(middle, above, max_length),
        *_stretches(cleaned[end:], below, max_length),
    ]


def _stretches(text: str, first: int, max_length: int) -> list[LineSpan]:
    return stretches([_short(final(line), max_length) for line in text.split("\n")], first)


def _after(text: str) -> int:
    """Where the part at the beginning ends: behind a line break, if it has any."""
    place = 0
    for _ in range(_SPAN_LINES):
        found = text.find("\n", place, _SPAN)
        if found < 0:
            break
        place = found + 1
    return place or border(text, _SPAN)


def _before(text: str) -> int:
    """Where the part at the end begins: behind a line break, if it has any."""
    least, place = len(text) - _SPAN, len(text)
    for _ in range(_SPAN_LINES):
        found = text.rfind("\n", least, place)
        if found < 0:
            break
        place = found
    return place + 1 if place < len(text) else border(text, least)


def _severe(middle: bytes, line: int, max_length: int) -> Iterator[LineSpan]:
    counted = 0
    for match in islice(importance.severe_lines.finditer(middle), _MAX_SEVERE):
        line += middle.count(b"\n", counted, match.start())
        counted = match.start()
        yield LineSpan(line, line + 1, _short(match.group().decode(), max_length))


def _short(line: str, max_length: int) -> str:
    """A line within `max_length` characters and a mark; blobs are shortened wherever they stand."""
    if len(line) <= 200:
        return line
    if max_length < len(line) <= _MAX_PARSED_LENGTH:
        value = read_json(line)
        text = None if value is None else shortened_json(value, max_length, f"[... of {len(line):,} characters]")
        if text is not None:
            return text
    bare = _BLOB.sub(_blob, line)
    if len(bare) <= max_length:
        return bare
    head, tail = head_of(bare, max_length * 2 // 3), tail_of(bare, max_length // 3)
    return f"{head}[... {len(bare) - len(head) - len(tail):,} characters]{tail}"


def _blob(match: re.Match[str]) -> str:
    return f"{match.group()[:_BLOB_SHOWN]}[... {len(match.group()) - _BLOB_SHOWN:,} characters]"


# --- collapse what repeats ---


def repeats(given: Sequence[LineSpan]) -> list[LineSpan]:
    """Lines, and blocks of up to eight lines, that stand there three times or more in a row: once, with a number."""
    folded: list[LineSpan] = []
    place = 0
    sizes, copies = _blocks(given)
    while place < len(given):
        size = sizes[place]
        block = given[place : place + size] if size else ()
        count = copies[place]
        if not block or (count - 1) * sum(len(each.text) + 1 for each in block) < _MIN_SAVED:
            folded.append(given[place])
            place += 1
            continue
        last = given[place + size * count - 1]
        what = "the line" if size == 1 else f"the {size} lines"
        folded += [*block, LineSpan(block[-1].after, last.after, f"[... {what} above {count - 1:,} more times]")]
        place += size * count
    return folded


def _blocks(given: Sequence[LineSpan]) -> tuple[list[int], list[int]]:
    """Per place the size of the smallest block that repeats from there on, or 0, and how often it stands there."""
    known: dict[str, int] = {}
    ids = np.array([known.setdefault(each.text, len(known)) for each in given], dtype=np.int64)
    pieces = np.cumsum([0, *(after.first != before.after for before, after in pairwise(given))])
    sizes, copies = np.zeros(len(ids), dtype=np.int64), np.ones(len(ids), dtype=np.int64)
    for size in range(min(_MAX_BLOCK_LENGTH, len(ids) // _MIN_COPIES), 0, -1):
        same = np.append((ids[:-size] == ids[size:]) & (pieces[:-size] == pieces[size:]), [False] * size)
        places = np.arange(len(same))
        ends = np.minimum.accumulate(np.where(same, len(same), places)[::-1])[::-1]  # of the runs of what is the same
        times = (ends - places) // size + 1
        enough = np.flatnonzero(times >= _MIN_COPIES)
        sizes[enough], copies[enough] = size, times[enough]
    return sizes.tolist(), copies.tolist()


def progress(given: Sequence[LineSpan]) -> list[LineSpan]:
    """Runs of lines that only say that something goes on: the first and the last."""
    read = _read(given)
    going_on = dict.fromkeys(importance.progress.among(read), "progress")
    return _runs(given, _unless_severe(going_on, read), "lines of progress")


def routine(given: Sequence[LineSpan]) -> list[LineSpan]:
    """Runs of lines that say all went well, and of records that differ in figures alone: the first and the last."""
    read = _read(given)
    alike = {place: _FIGURES_AND_DIGESTS.sub("#", read[place]) for place in importance.record.among(read)}
    as_it_should = dict.fromkeys(importance.routine.among(read), "routine")
    return _runs(given, _unless_severe(alike | as_it_should, read), "lines like these")


def _read(given: Sequence[LineSpan]) -> list[str]:
    return [each.text[:_READ] for each in given]


def _unless_severe(sorts: Mapping[int, str], read: Sequence[str]) -> list[str | None]:
    """The kind of each line, None for one that is shown for itself, as every severe line is."""
    places = sorted(sorts)
    severe = importance.severe.among([read[place] for place in places])
    kept = {place: sorts[place] for n, place in enumerate(places) if n not in severe}
    return [kept.get(place) for place in range(len(read))]


def _runs(given: Sequence[LineSpan], sorts: Sequence[str | None], what: str) -> list[LineSpan]:
    """Runs of one sort (a name that lines of a kind share) as their first and last line."""
    folded: list[LineSpan] = []
    place = 0
    while place < len(given):
        end = place + 1
        while end < len(given) and sorts[place] is not None and _goes_on(given, sorts, end):
            end += 1
        run, inner = given[place:end], given[place + 1 : end - 1]
        if len(run) >= _MIN_RUN and sum(len(each.text) + 1 for each in inner) >= _MIN_SAVED:
            count = inner[-1].after - inner[0].first
            folded += [run[0], LineSpan(inner[0].first, inner[-1].after, f"[... {count:,} {what}]"), run[-1]]
        else:
            folded += run
        place = end
    return folded


def _goes_on(given: Sequence[LineSpan], sorts: Sequence[str | None], place: int) -> bool:
    return sorts[place] == sorts[place - 1] and given[place].first == given[place - 1].after


# --- choose what is shown ---


def excerpt(given: Sequence[LineSpan], room: int, *, per_file: bool = False) -> list[LineSpan]:
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


def _take(chosen: set[int], places: Iterable[int], given: Sequence[LineSpan], room: int, *, strict: bool) -> int:
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


def _wanted(given: Sequence[LineSpan], chosen: set[int], *, per_file: bool) -> Iterator[list[int]]:
    middle = [n for n in range(len(given)) if n not in chosen]
    if per_file:
        yield _firsts(middle, given, _file)
    severe = _firsts(_among(middle, given, importance.severe), given, _shape)
    yield [place + step for place in _ends_first(severe) for step in _AROUND if 0 <= place + step < len(given)]
    yield _ends_first(_firsts(_among(middle, given, importance.notable), given, _shape))


def _among(places: Sequence[int], given: Sequence[LineSpan], kind: importance.LinePatterns) -> list[int]:
    """Those of the places whose lines are of a kind, in their order."""
    return [places[n] for n in sorted(kind.among([given[place].text for place in places]))]


def _firsts(places: Iterable[int], given: Sequence[LineSpan], key: Callable[[str], str]) -> list[int]:
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
