"""Foreign values as JSON has them: what a host's calls take and return may be anything, a prompt holds only JSON."""

from __future__ import annotations

import json
import math
from collections.abc import Mapping, Sequence
from typing import Any

_DEEPEST = 64  # levels
_LONGEST_NUMBER = 14_000  # bits; Python writes no more than 4,300 digits
_ROOM = 50_000_000  # characters
_AGAIN = 20_000  # values in lists that were read before: where each holds the one below twice, they double by level


def jsonable(value: Any) -> Any:
    """The value of JSON's own kinds; of what is of none, its text: also a key, and NaN.

    Of what lies too deep (a value that holds itself has no end), cannot be read, or is too much, only its type's name.
    """
    return _Reading().read(value, _DEEPEST)


def as_text(value: Any) -> str:
    """The value as JSON, in one line, keys in order."""
    return json.dumps(jsonable(value), ensure_ascii=False, sort_keys=True)


def alike(value: Any, other: Any) -> bool:
    """Whether two foreign values are equal; those that will not be compared, arrays for example, are not."""
    try:
        return bool(value == other)
    except Exception:  # foreign code, which may raise anything
        return False


class _Reading:
    """One value on its way: what of it was met, and how much more there is room for."""

    def __init__(self) -> None:
        self._met = set[int]()
        self._room, self._again = _ROOM, _AGAIN

    def read(self, value: Any, depth: int) -> Any:
        if value is None or isinstance(value, bool) or (isinstance(value, float) and math.isfinite(value)):
            return value
        if isinstance(value, int) and value.bit_length() <= _LONGEST_NUMBER:
            return value
        if not isinstance(value, Mapping | list | tuple | set | frozenset):
            return self._text(value)
        try:
            return self._parts(value, depth - 1) if depth and self._fits(value) else _named(value)
        except Exception:  # foreign code again: a mapping over a connection that is closed
            return _named(value)

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
        text = _told(value)
        self._room -= len(text)
        return text.encode("utf-8", "replace").decode() if self._room >= 0 else _named(value)


def _in_order(values: Any) -> Sequence[Any]:
    """A set's order is not the same in the next process."""
    return sorted(values, key=_told) if isinstance(values, set | frozenset) else list(values)


def _told(value: Any) -> str:
    """Whatever somebody's class does when it is asked for its text."""
    try:
        return value if isinstance(value, str) else str(value)
    except Exception:  # foreign code, which may raise anything: its type is all that is known of it then
        return _named(value)


def _named(value: Any) -> str:
    return f"<{type(value).__name__}>"
