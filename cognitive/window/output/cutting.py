"""Where a text may be cut: never inside what a reader sees as one character, never inside an escape sequence."""

from __future__ import annotations

import re
import unicodedata

_ESCAPE = re.compile(r"\x1b(?:\[[0-?]*[ -/]*[@-~]|\][^\x07\x1b]*(?:\x07|\x1b\\)|[ -/]*[0-Z\\^-~])")
_LONGEST_CLUSTER = 64  # characters looked back for a border; what joins more is no text
_JOINER = "\u200d"


def head(text: str, characters: int) -> str:
    """The first so many characters, or a few less."""
    return text if len(text) <= characters else text[: border(text, max(0, characters))]


def tail(text: str, characters: int) -> str:
    """The last so many characters, or a few less."""
    if len(text) <= characters:
        return text
    start = len(text) - max(0, characters)
    while start < len(text) and not _border(text, start):
        start += 1
    return text[start:]


def border(text: str, place: int) -> int:
    """The last place up to `place` where a text may be cut."""
    for back in range(place, max(0, place - _LONGEST_CLUSTER), -1):
        if _border(text, back):
            return back
    return place


def _border(text: str, place: int) -> bool:
    if place <= 0 or place >= len(text):
        return True
    return not (_joins(text, place) or _in_escape(text, place))


def _joins(text: str, place: int) -> bool:
    before, after = text[place - 1], text[place]
    if before.isascii() and after.isascii():
        return before == "\r" and after == "\n"
    if before == _JOINER or after == _JOINER or unicodedata.category(after) in ("Mn", "Me", "Mc"):
        return True
    if "\U0001f3fb" <= after <= "\U0001f3ff" or "\U000e0020" <= after <= "\U000e007f":  # skin tones, tags of flags
        return True
    return _flag(after) and _flag(before) and _flags_before(text, place) % 2 == 1


def _flag(character: str) -> bool:
    return "\U0001f1e6" <= character <= "\U0001f1ff"


def _flags_before(text: str, place: int) -> int:
    start = place
    while start > max(0, place - _LONGEST_CLUSTER) and _flag(text[start - 1]):
        start -= 1
    return place - start


def _in_escape(text: str, place: int) -> bool:
    start = text.rfind("\x1b", max(0, place - _LONGEST_CLUSTER), place)
    if start < 0:
        return False
    sequence = _ESCAPE.match(text, start)
    return sequence is not None and sequence.end() > place
