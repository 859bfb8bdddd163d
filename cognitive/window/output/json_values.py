"""Turn values of any Python type into JSON, and shorten JSON that is too long so that it remains JSON."""

from __future__ import annotations

import json
import math
import re
from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from typing import Any

from cognitive.window.output.text import head_of, tail_of

_MAX_DEPTH = 64  # levels
_MAX_NUMBER_BITS = 14_000  # bits; Python writes no more than 4,300 digits
_MAX_CHARACTERS = 50_000_000
# Values read again in containers met before: if each level contains the next one twice, they double with every level.
_MAX_REPEATED = 20_000

_UNSEEN = re.compile("[\x7f-\x9f\u2028\u2029\ud800-\udfff]")  # invisible characters that json.dumps does not escape
_INFORMATIVE = re.compile(
    r"^(?:errors?|error_?\w*|exceptions?|message|detail|reason|status|code|stderr)$", re.IGNORECASE
)
_BAD = ("error", "failed", "failure", "fatal")
_MARK = "[...]"  # the key of the note about what was left out of an object


@dataclass(frozen=True, slots=True)
class _Strictness:
    """The limits of one attempt to shorten JSON: the maximum length of strings, number of items and depth."""

    text: int  # characters of a string
    items: int  # items of a list
    keys: int  # keys of an object
    depth: int  # levels


# From the mildest to the strictest: the first one under which everything fits is used.
_LADDER = (
    _Strictness(text=2_000, items=100, keys=400, depth=24),
    _Strictness(text=800, items=40, keys=200, depth=16),
    _Strictness(text=400, items=20, keys=100, depth=12),
    _Strictness(text=200, items=10, keys=80, depth=8),
    _Strictness(text=120, items=5, keys=60, depth=6),
    _Strictness(text=80, items=3, keys=40, depth=5),
    _Strictness(text=60, items=2, keys=30, depth=4),
    _Strictness(text=40, items=1, keys=20, depth=3),
)


# --- foreign values ---


def jsonable(value: Any) -> Any:
    """Convert a value of any Python type into values that JSON can express; other values, keys and NaN become text.

    A value that is nested too deeply (such as a value that contains itself), cannot be read or is too large is replaced
    by the name of its type.
    """
    return _JsonReader().read(value, _MAX_DEPTH)


def as_text(value: Any) -> str:
    """Return a value of any Python type as one line of JSON with sorted keys."""
    return json.dumps(jsonable(value), ensure_ascii=False, sort_keys=True)


def alike(value: Any, other: Any) -> bool:
    """Return True if two values of the host's program are equal, False if not or if comparing them raises an error."""
    try:
        return bool(value == other)
    except Exception:  # foreign code, which may raise anything
        return False


class _JsonReader:
    """Converts one value of any Python type into values that JSON can express.

    It limits how many characters it reads. It also limits how many items it reads in containers that it meets more than
    once.
    """

    def __init__(self) -> None:
        self._met = set[int]()
        self._room, self._again = _MAX_CHARACTERS, _MAX_REPEATED

    def read(self, value: Any, depth: int) -> Any:
        if value is None or isinstance(value, bool) or (isinstance(value, float) and math.isfinite(value)):
            return value
        if isinstance(value, int) and value.bit_length() <= _MAX_NUMBER_BITS:
            return value
        if not isinstance(value, Mapping | list | tuple | set | frozenset):
            return self._text(value)
        try:
            return self._parts(value, depth - 1) if depth and self._fits(value) else _type_name(value)
        except Exception:  # foreign code, such as a mapping over a closed connection
            return _type_name(value)

    def _fits(self, value: Any) -> bool:
        if id(value) in self._met:
            self._again -= 1 + len(value)
        self._met.add(id(value))
        return self._again >= 0

    def _parts(self, value: Any, depth: int) -> Any:
        if isinstance(value, Mapping):
            return {self._text(key): self.read(each, depth) for key, each in list(value.items())}
        return [self.read(each, depth) for each in _in_order(value)]

    def _text(self, value: Any) -> str:
        text = _spelled(value)
        self._room -= len(text)
        return text.encode("utf-8", "replace").decode() if self._room >= 0 else _type_name(value)


def _in_order(values: Any) -> Sequence[Any]:
    """Return the items of a list, tuple or set as a list.

    Sets are sorted, since their order differs between processes.
    """
    return sorted(values, key=_spelled) if isinstance(values, set | frozenset) else list(values)


def _spelled(value: Any) -> str:
    """Return a value as text, or the name of its type if converting it raises an error."""
    try:
        return value if isinstance(value, str) else str(value)
    except Exception:  # foreign code, which may raise anything
        return _type_name(value)


def _type_name(value: Any) -> str:
    return f"<{type(value).__name__}>"


# --- JSON that is too long ---


def read_json(text: str) -> Any:
    """Parse a text that is a JSON object or list; return None for any other text."""
    if text[:1] + text[-1:] not in ("{}", "[]"):
        return None
    try:
        return json.loads(text, parse_float=_number)
    except (ValueError, RecursionError):
        return None


def shortened_json(value: Any, room: int, note: str) -> str | None:
    """Shorten an object or list to at most `room` characters of JSON that contain `note`.

    Return None if that is impossible.
    """
    for strictness in _LADDER:
        cut = _cut(value, strictness, strictness.depth)
        text = _written({**cut, _MARK: note} if isinstance(cut, Mapping) else [*cut, note])
        if len(text) <= room:
            return text
    return None


def _written(value: Any) -> str:
    written = json.dumps(value, ensure_ascii=False)
    return _UNSEEN.sub(lambda match: f"\\u{ord(match.group()):04x}", written)


def _number(written: str) -> float | str:
    number = float(written)
    return number if math.isfinite(number) else written


def _cut(value: Any, strict: _Strictness, depth: int, *, informative: bool = False) -> Any:
    if isinstance(value, str):
        return _string(value, strict.text * (4 if informative else 1))
    if isinstance(value, Mapping):
        return _object(value, strict, depth) if depth > 0 else f"[... object of {len(value):,} keys]"
    if isinstance(value, list):
        return _list(value, strict, depth) if depth > 0 else f"[... list of {len(value):,}]"
    return value if not isinstance(value, int) or abs(value) < 10**40 else _string(str(value), strict.text)


def _string(text: str, max_length: int) -> str:
    if len(text) <= max_length + 32:
        return text
    head, tail = head_of(text, max_length * 2 // 3), tail_of(text, max_length // 3)
    return f"{head}[... {len(text) - len(head) - len(tail):,} characters]{tail}"


def _object(value: Mapping[str, Any], strict: _Strictness, depth: int) -> dict[str, Any]:
    names = [n for place, n in enumerate(value) if place < strict.keys or _INFORMATIVE.match(n)][: strict.keys + 8]
    shown = {
        _string(name, strict.text): _cut(value[name], strict, depth - 1, informative=bool(_INFORMATIVE.match(name)))
        for name in names
    }
    left_out = len(value) - len(names)
    return {**shown, _MARK: f"[... {left_out:,} of {len(value):,} keys]"} if left_out else shown


def _list(value: list[Any], strict: _Strictness, depth: int) -> list[Any]:
    if len(value) <= strict.items + 1:
        return [_cut(each, strict, depth - 1) for each in value]
    failed = [n for n in range(strict.items, len(value)) if _reports_error(value[n])][: strict.items]
    shown = [_cut(value[n], strict, depth - 1) for n in (*range(strict.items), *failed)]
    return [*shown, f"[... {len(value) - len(shown):,} of {len(value):,} items]"]


def _reports_error(value: Any) -> bool:
    if not isinstance(value, Mapping):
        return False
    status = value.get("status", value.get("state", value.get("level")))
    return bool(value.get("error") or value.get("errors") or value.get("exception")) or (
        isinstance(status, str) and status.lower() in _BAD
    )
