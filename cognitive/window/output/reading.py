"""An output as lines, none too long. Of megabytes, the two ends are read and the severe lines between them."""

from __future__ import annotations

import re
from collections.abc import Iterator
from itertools import islice

from cognitive.window.output import cleaning, cutting, json_output, weight
from cognitive.window.output.folding import Stretch, stretches

_SPAN = 400_000  # characters and lines read at either end
_SPAN_LINES = 8_000
_MOST_SEVERE = 400  # of the rest
_BLOB = re.compile(r"(?<![A-Za-z0-9+/_-])[A-Za-z0-9+/_-]{200,}={0,2}")
_BLOB_SHOWN = 32
_LONGEST_PARSED = 1_000_000  # characters of a line that may be JSON


def lines(cleaned: str, longest: int) -> list[Stretch]:
    """The lines as a terminal leaves them, each within `longest` characters (and a mark where it was longer)."""
    breaks = cleaned.count("\n")
    if not breaks or (len(cleaned) <= 2 * _SPAN and breaks <= 2 * _SPAN_LINES):
        return _stretches(cleaned, 0, longest)
    start, end = _after(cleaned), _before(cleaned)
    middle, above = cleaned[start:end].encode(), cleaned.count("\n", 0, start)
    below = above + middle.count(b"\n")
    return [
        *_stretches(cleaned[:start].removesuffix("\n"), 0, longest),
        *_severe(middle, above, longest),
        *_stretches(cleaned[end:], below, longest),
    ]


def _stretches(text: str, first: int, longest: int) -> list[Stretch]:
    return stretches([_short(cleaning.final(line), longest) for line in text.split("\n")], first)


def _after(text: str) -> int:
    """Where the part at the beginning ends: behind a line break, if it has any."""
    place = 0
    for _ in range(_SPAN_LINES):
        found = text.find("\n", place, _SPAN)
        if found < 0:
            break
        place = found + 1
    return place or cutting.border(text, _SPAN)


def _before(text: str) -> int:
    """Where the part at the end begins: behind a line break, if it has any."""
    least, place = len(text) - _SPAN, len(text)
    for _ in range(_SPAN_LINES):
        found = text.rfind("\n", least, place)
        if found < 0:
            break
        place = found
    return place + 1 if place < len(text) else cutting.border(text, least)


def _severe(middle: bytes, line: int, longest: int) -> Iterator[Stretch]:
    counted = 0
    for match in islice(weight.severe_lines.finditer(middle), _MOST_SEVERE):
        line += middle.count(b"\n", counted, match.start())
        counted = match.start()
        yield Stretch(line, line + 1, _short(match.group().decode(), longest))


def _short(line: str, longest: int) -> str:
    """A line within `longest` characters and a mark; blobs are shortened wherever they stand."""
    if len(line) <= 200:
        return line
    if longest < len(line) <= _LONGEST_PARSED:
        value = json_output.read(line)
        text = None if value is None else json_output.shortened(value, longest, f"[... of {len(line):,} characters]")
        if text is not None:
            return text
    bare = _BLOB.sub(_blob, line)
    if len(bare) <= longest:
        return bare
    head, tail = cutting.head(bare, longest * 2 // 3), cutting.tail(bare, longest // 3)
    return f"{head}[... {len(bare) - len(head) - len(tail):,} characters]{tail}"


def _blob(match: re.Match[str]) -> str:
    return f"{match.group()[:_BLOB_SHOWN]}[... {len(match.group()) - _BLOB_SHOWN:,} characters]"
