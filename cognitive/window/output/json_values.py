"""Turn foreign values into what JSON can hold, and shorten JSON that is too long so that it stays JSON."""

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
# Values in lists that were read before: where each holds the one below twice, they double by level.
_MAX_REPEATED = 20_000

_UNSEEN = re.compile("[\x7f-\x9f\u2028\u2029\ud800-\udfff]")  # what json.dumps would write as it is
_TELLING = re.compile(r"^(?:errors?|error_?\w*|exceptions?|message|detail|reason|status|code|stderr)$", re.IGNORECASE)
_BAD = ("error", "failed", "failure", "fatal")
_MARK = "[...]"  # the key under which an object says what it left out


@dataclass(frozen=True, slots=True)
class _Strictness:
    text: int  # characters of a string
    items: int  # of a list
    keys: int  # of an object
    depth: int


# From the mildest: the first under which all fits is taken.
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
    """The value of JSON's own kinds; of what is of none, its text: also a key, and NaN.

    Of what lies too deep (a value that holds itself has no end), cannot be read, or is too much, only its type's name.
    """
    return _JsonReader().read(value, _MAX_DEPTH)


def as_text(value: Any) -> str:
    """The value as JSON, in one line, keys in order."""
    return json.dumps(jsonable(value), ensure_ascii=False, sort_keys=True)


def alike(value: Any, other: Any) -> bool:
    """Whether two foreign values are equal; those that will not be compared, arrays for example, are not."""
    try:
        return bool(value == other)
    except Exception:  # foreign code, which may raise anything
        return False


class _JsonReader:
    """One value on its way: what of it was met, and how much more there is room for."""

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
        except Exception:  # foreign code again: a mapping over a connection that is closed
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
    """A set's order is not the same in the next process."""
    return sorted(values, key=_spelled) if isinstance(values, set | frozenset) else list(values)


def _spelled(value: Any) -> str:
    """Whatever somebody's class does when it is asked for its text."""
    try:
        return value if isinstance(value, str) else str(value)
    except Exception:  # foreign code, which may raise anything: its type is all that is known of it then
        return _type_name(value)


def _type_name(value: Any) -> str:
    return f"<{type(value).__name__}>"


# --- JSON that is too long ---


def read_json(text: str) -> Any:
    """What a text that is a JSON object or list says, else None."""
    if text[:1] + text[-1:] not in ("{}", "[]"):
        return None
    try:
        return json.loads(text, parse_float=_number)
    except (ValueError, RecursionError):
        return None


def shortened_json(value: Any, room: int, note: str) -> str | None:
    """The JSON text of an object or list within `room` characters, `note` in it; None if it cannot be made to fit."""
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


def _cut(value: Any, strict: _Strictness, depth: int, *, telling: bool = False) -> Any:
    if isinstance(value, str):
        return _string(value, strict.text * (4 if telling else 1))
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
    names = [n for place, n in enumerate(value) if place < strict.keys or _TELLING.match(n)][: strict.keys + 8]
    kept = {
        _string(name, strict.text): _cut(value[name], strict, depth - 1, telling=bool(_TELLING.match(name)))
        for name in names
    }
    left = len(value) - len(names)
    return {**kept, _MARK: f"[... {left:,} of {len(value):,} keys]"} if left else kept


def _list(value: list[Any], strict: _Strictness, depth: int) -> list[Any]:
    if len(value) <= strict.items + 1:
        return [_cut(each, strict, depth - 1) for each in value]
    bad = [n for n in range(strict.items, len(value)) if _reports_error(value[n])][: strict.items]
    shown = [_cut(value[n], strict, depth - 1) for n in (*range(strict.items), *bad)]
    return [*shown, f"[... {len(value) - len(shown):,} of {len(value):,} items]"]


def _reports_error(value: Any) -> bool:
    if not isinstance(value, Mapping):
        return False
    status = value.get("status", value.get("state", value.get("level")))
    return bool(value.get("error") or value.get("errors") or value.get("exception")) or (
        isinstance(status, str) and status.lower() in _BAD
    )
