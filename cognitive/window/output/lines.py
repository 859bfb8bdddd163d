"""Shorten an output by its lines: split it, collapse repetitions, choose the lines that matter.

Of an output of megabytes, only both ends and the severe lines between them are read. An excerpt has a head, a tail and
the most important lines of the middle.
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

_SPAN = 400_000  # characters read at either end
_SPAN_LINES = 8_000  # lines read at either end
_MAX_SEVERE = 400  # severe lines between the ends
_BLOB = re.compile(r"(?<![A-Za-z0-9+/_-])[A-Za-z0-9+/_-]{200,}={0,2}")
_BLOB_SHOWN = 32  # characters
_MAX_PARSED_LENGTH = 1_000_000  # characters of a line that is parsed as JSON

_MAX_BLOCK_LENGTH = 8  # lines; longer repeated blocks are rare, and each length costs another pass
_MIN_COPIES = 3
_MIN_RUN = 4  # lines of progress or success that are reduced to the first and the last
_MIN_SAVED = 60  # characters; a mark costs about 40
_READ = 240  # characters of a line that decide its kind
_FIGURES_AND_DIGESTS = re.compile(r"0x[0-9a-fA-F]+|\d+|\b[0-9a-f]{8,}\b")

# Shares of the room. The beginning of an output shows what ran, its end shows the result.
_HEAD, _TAIL = 0.3, 0.35
_OF_A_SEARCH = 0.1  # share for the head, and for the tail, of a search: one line of every file is more useful
_GAP = 32  # maximum characters of a mark between two lines
_AROUND = (-1, 0, 1, 2)  # lines shown with a severe one, relative to it
_FIGURES = re.compile(r"\d+|0x[0-9a-fA-F]+")
_FILE = re.compile(r"^(?:\./)?([^\s:]{1,200}?)(?::\d+)?(?::|$|-\d+-)")  # a file name as grep and similar tools print it


@dataclass(frozen=True, slots=True)
class LineSpan:
    """Consecutive lines of a tool's output, and the text that is shown for them.

    The lines are those from number `first` up to, but not including, number `after`.
    """

    first: int
    after: int
    text: str


def stretches(lines: Sequence[str], start: int) -> list[LineSpan]:
    """Return one `LineSpan` for each line. `start` is the number of the first line."""
    return [LineSpan(n, n + 1, line) for n, line in enumerate(lines, start)]


# --- split into lines, none too long ---


def split_lines(cleaned: str, max_length: int) -> list[LineSpan]:
    """Split an output into lines as a terminal shows them. Longer lines are cut to `max_length` characters and a note.

    Of a very long output, only the beginning, the end and the severe lines (such as errors) between them are returned.
    """
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
    """Return the index at which the first part of a long text ends, if possible after a line break."""
    place = 0
    for _ in range(_SPAN_LINES):
        line_break = text.find("\n", place, _SPAN)
        if line_break < 0:
            break
        place = line_break + 1
    return place or border(text, _SPAN)


def _before(text: str) -> int:
    """Return the index at which the last part of a long text begins, if possible after a line break."""
    start, place = len(text) - _SPAN, len(text)
    for _ in range(_SPAN_LINES):
        line_break = text.rfind("\n", start, place)
        if line_break < 0:
            break
        place = line_break
    return place + 1 if place < len(text) else border(text, start)


def _severe(middle: bytes, line: int, max_length: int) -> Iterator[LineSpan]:
    counted = 0
    for match in islice(importance.severe_lines.finditer(middle), _MAX_SEVERE):
        line += middle.count(b"\n", counted, match.start())
        counted = match.start()
        yield LineSpan(line, line + 1, _short(match.group().decode(), max_length))


def _short(line: str, max_length: int) -> str:
    """Shorten a line to `max_length` characters plus a note of the cut.

    Long runs of characters without a space, such as base64 data, are always shortened.
    """
    if len(line) <= 200:
        return line
    if max_length < len(line) <= _MAX_PARSED_LENGTH:
        value = read_json(line)
        text = None if value is None else shortened_json(value, max_length, f"[... of {len(line):,} characters]")
        if text is not None:
            return text
    shortened = _BLOB.sub(_blob, line)
    if len(shortened) <= max_length:
        return shortened
    head, tail = head_of(shortened, max_length * 2 // 3), tail_of(shortened, max_length // 3)
    return f"{head}[... {len(shortened) - len(head) - len(tail):,} characters]{tail}"


def _blob(match: re.Match[str]) -> str:
    return f"{match.group()[:_BLOB_SHOWN]}[... {len(match.group()) - _BLOB_SHOWN:,} characters]"


# --- collapse what repeats ---


def repeats(spans: Sequence[LineSpan]) -> list[LineSpan]:
    """Collapse lines that repeat in succession into one copy and a note with the count.

    Lines, or blocks of up to eight lines, are collapsed if they occur at least three times in succession.
    """
    folded: list[LineSpan] = []
    place = 0
    sizes, copies = _blocks(spans)
    while place < len(spans):
        size = sizes[place]
        block = spans[place : place + size] if size else ()
        count = copies[place]
        if not block or (count - 1) * sum(len(each.text) + 1 for each in block) < _MIN_SAVED:
            folded.append(spans[place])
            place += 1
            continue
        last = spans[place + size * count - 1]
        what = "the line" if size == 1 else f"the {size} lines"
        folded += [*block, LineSpan(block[-1].after, last.after, f"[... {what} above {count - 1:,} more times]")]
        place += size * count
    return folded


def _blocks(spans: Sequence[LineSpan]) -> tuple[list[int], list[int]]:
    """Find blocks of lines that repeat in succession.

    Return two numbers for each line: the size of the smallest block that begins there and repeats (0 for none), and how
    many times it occurs.
    """
    known: dict[str, int] = {}
    ids = np.array([known.setdefault(each.text, len(known)) for each in spans], dtype=np.int64)
    pieces = np.cumsum([0, *(after.first != before.after for before, after in pairwise(spans))])
    sizes, copies = np.zeros(len(ids), dtype=np.int64), np.ones(len(ids), dtype=np.int64)
    for size in range(min(_MAX_BLOCK_LENGTH, len(ids) // _MIN_COPIES), 0, -1):
        same = np.append((ids[:-size] == ids[size:]) & (pieces[:-size] == pieces[size:]), [False] * size)
        places = np.arange(len(same))
        ends = np.minimum.accumulate(np.where(same, len(same), places)[::-1])[::-1]  # of the runs of equal lines
        times = (ends - places) // size + 1
        enough = np.flatnonzero(times >= _MIN_COPIES)
        sizes[enough], copies[enough] = size, times[enough]
    return sizes.tolist(), copies.tolist()


def progress(spans: Sequence[LineSpan]) -> list[LineSpan]:
    """Reduce each run of progress reports, such as "45 % done", to its first and last line."""
    read = _read(spans)
    reports = dict.fromkeys(importance.progress.among(read), "progress")
    return _runs(spans, _unless_severe(reports, read), "lines of progress")


def routine(spans: Sequence[LineSpan]) -> list[LineSpan]:
    """Reduce each run of routine lines to its first and last line.

    Routine lines report a success, or are log records that differ in figures only.
    """
    read = _read(spans)
    alike = {place: _FIGURES_AND_DIGESTS.sub("#", read[place]) for place in importance.record.among(read)}
    successes = dict.fromkeys(importance.routine.among(read), "routine")
    return _runs(spans, _unless_severe(alike | successes, read), "lines like these")


def _read(spans: Sequence[LineSpan]) -> list[str]:
    return [each.text[:_READ] for each in spans]


def _unless_severe(kinds: Mapping[int, str], read: Sequence[str]) -> list[str | None]:
    """Return the kind of each line, or None for a line that must be shown.

    A line must be shown if it has no kind, or if it is severe, such as an error.
    """
    places = sorted(kinds)
    severe = importance.severe.among([read[place] for place in places])
    folded = {place: kinds[place] for n, place in enumerate(places) if n not in severe}
    return [folded.get(place) for place in range(len(read))]


def _runs(spans: Sequence[LineSpan], kinds: Sequence[str | None], what: str) -> list[LineSpan]:
    """Reduce each run of lines of one kind to its first and last line, with a note of how many lines were left out."""
    folded: list[LineSpan] = []
    place = 0
    while place < len(spans):
        end = place + 1
        while end < len(spans) and kinds[place] is not None and _goes_on(spans, kinds, end):
            end += 1
        run, inner = spans[place:end], spans[place + 1 : end - 1]
        if len(run) >= _MIN_RUN and sum(len(each.text) + 1 for each in inner) >= _MIN_SAVED:
            count = inner[-1].after - inner[0].first
            folded += [run[0], LineSpan(inner[0].first, inner[-1].after, f"[... {count:,} {what}]"), run[-1]]
        else:
            folded += run
        place = end
    return folded


def _goes_on(spans: Sequence[LineSpan], kinds: Sequence[str | None], place: int) -> bool:
    return kinds[place] == kinds[place - 1] and spans[place].first == spans[place - 1].after


# --- choose what is shown ---


def excerpt(spans: Sequence[LineSpan], room: int, *, per_file: bool = False) -> list[LineSpan]:
    """Choose the most important lines that fit in `room` characters, notes of gaps included.

    The room is given to the first and the last lines, then to lines between them: one line of every file if `per_file`,
    then errors with the lines around them, then results and warnings. Remaining room goes to more lines after the first
    ones. The chosen lines are returned in the order of the text.
    """
    chosen: set[int] = set()
    head, tail = (int(room * (_OF_A_SEARCH if per_file else share)) for share in (_HEAD, _TAIL))
    remaining = room - head - tail
    remaining += _take(chosen, range(len(spans)), spans, head, strict=True)
    remaining += _take(chosen, reversed(range(len(spans))), spans, tail, strict=True)
    for places in _wanted(spans, chosen, per_file=per_file):
        remaining = _take(chosen, places, spans, remaining, strict=False)
    _take(chosen, (n for n in range(len(spans)) if n not in chosen), spans, remaining, strict=True)
    return [spans[n] for n in sorted(chosen)]


def _take(chosen: set[int], places: Iterable[int], spans: Sequence[LineSpan], room: int, *, strict: bool) -> int:
    """Add to `chosen` the lines at `places` that fit into `room`, and return the remaining room.

    If `strict`, stop at the first line that does not fit; otherwise skip it.
    """
    for place in places:
        if place in chosen:
            continue
        beside = place - 1 in chosen or place + 1 in chosen
        cost = len(spans[place].text) + 1 + (0 if beside else _GAP)
        if cost <= room:
            chosen.add(place)
            room -= cost
        elif strict:
            break
    return room


def _wanted(spans: Sequence[LineSpan], chosen: set[int], *, per_file: bool) -> Iterator[list[int]]:
    middle = [n for n in range(len(spans)) if n not in chosen]
    if per_file:
        yield _firsts(middle, spans, _file)
    severe = _firsts(_among(middle, spans, importance.severe), spans, _shape)
    yield [place + step for place in _ends_first(severe) for step in _AROUND if 0 <= place + step < len(spans)]
    yield _ends_first(_firsts(_among(middle, spans, importance.notable), spans, _shape))


def _among(places: Sequence[int], spans: Sequence[LineSpan], kind: importance.LinePatterns) -> list[int]:
    """Return those of the indexes `places` whose line is of a kind, such as errors, in order."""
    return [places[n] for n in sorted(kind.among([spans[place].text for place in places]))]


def _firsts(places: Iterable[int], spans: Sequence[LineSpan], key: Callable[[str], str]) -> list[int]:
    """Return for each value of `key` the first of the indexes whose line has it.

    For example, errors that differ in figures only have the same key, so that only the first of these errors is
    returned.
    """
    firsts: dict[str, int] = {}
    for place in places:
        firsts.setdefault(key(spans[place].text), place)
    return list(firsts.values())


def _shape(line: str) -> str:
    return _FIGURES.sub("#", line)


def _file(line: str) -> str:
    match = _FILE.match(line)
    return match.group(1) if match else line


def _ends_first(places: Sequence[int]) -> list[int]:
    """Return the indexes alternately from the beginning and the end.

    The first error is often the cause, and the last one the consequence.
    """
    return [places[n // 2] if n % 2 == 0 else places[-1 - n // 2] for n in range(len(places))]
