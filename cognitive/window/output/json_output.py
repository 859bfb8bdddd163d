"""JSON that is too long, made shorter and still JSON: keys stay, errors stay, long texts and lists are cut."""

from __future__ import annotations

import json
import math
import re
from collections.abc import Mapping
from dataclasses import dataclass
from typing import Any

from cognitive.window.output import cutting

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


def read(text: str) -> Any:
    """What a text that is a JSON object or list says, else None."""
    if text[:1] + text[-1:] not in ("{}", "[]"):
        return None
    try:
        return json.loads(text, parse_float=_number)
    except (ValueError, RecursionError):
        return None


def shortened(value: Any, room: int, note: str) -> str | None:
    """The JSON text of an object or list within `room` characters, `note` in it; None if it cannot be made to fit."""
    for strictness in _LADDER:
        cut = _cut(value, strictness, strictness.depth)
        text = _text({**cut, _MARK: note} if isinstance(cut, Mapping) else [*cut, note])
        if len(text) <= room:
            return text
    return None


def _text(value: Any) -> str:
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


def _string(text: str, longest: int) -> str:
    if len(text) <= longest + 32:
        return text
    head, tail = cutting.head(text, longest * 2 // 3), cutting.tail(text, longest // 3)
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
