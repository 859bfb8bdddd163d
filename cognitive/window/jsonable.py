"""Foreign values as JSON has them: what a host's calls take and return may be anything, a prompt holds only JSON."""

from __future__ import annotations

import json
import math
from collections.abc import Iterable, Mapping
from typing import Any

_DEEPEST = 64  # levels; a value that holds itself has no end
_LONGEST_NUMBER = 14_000  # bits; Python writes no more than 4,300 digits


def jsonable(value: Any, depth: int = _DEEPEST) -> Any:
    """The value of JSON's own kinds; of what is of none, its text: also a key, NaN, and what lies too deep."""
    if isinstance(value, str):
        return _storable(value)
    if value is None or isinstance(value, bool) or (isinstance(value, int) and value.bit_length() <= _LONGEST_NUMBER):
        return value
    if isinstance(value, float) and math.isfinite(value):
        return value
    if depth and isinstance(value, Mapping):
        return {_storable(_told(key)): jsonable(each, depth - 1) for key, each in value.items()}
    if depth and isinstance(value, list | tuple | set | frozenset):
        return [jsonable(each, depth - 1) for each in _in_order(value)]
    return _storable(_told(value))


def as_text(value: Any) -> str:
    """The value as JSON, in one line, keys in order."""
    return json.dumps(jsonable(value), ensure_ascii=False, sort_keys=True)


def _in_order(values: Iterable[Any]) -> Iterable[Any]:
    """A set's order is not the same in the next process."""
    return sorted(values, key=_told) if isinstance(values, set | frozenset) else values


def _storable(text: str) -> str:
    return text if text.isascii() else text.encode("utf-8", "replace").decode()


def _told(value: Any) -> str:
    """Whatever somebody's class does when it is asked for its text."""
    try:
        return value if isinstance(value, str) else str(value)
    except Exception:  # foreign code, which may raise anything: its type is all that is known of it then
        return f"<{type(value).__name__}>"
