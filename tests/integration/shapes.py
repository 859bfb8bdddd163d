"""Check JSON against the shape notation in which commands document their output.

{a, b?, c: {d}, e: [{f}], g: [id], h: {…}}: these names and no others; `?` where the value may be null; {…} holds
what it likes, {…: {i}} the same under any names; a list of one name or object holds any number of it, a list of several
holds exactly those.
"""

from __future__ import annotations

import re
from typing import Any

_TOKEN = re.compile(r"[{}\[\],:?|]|…|[\w-]+")


def misfit(shape: str, value: Any) -> str | None:
    """Return where a value differs from every alternative of a shape, or None if it matches one."""
    tokens, options = _TOKEN.findall(shape), []
    while tokens:
        options.append(_read(tokens))
        if tokens:
            assert tokens.pop(0) == "|", shape
    misfits = [_misfit(option, value, "") for option in options]
    return None if None in misfits else "; ".join(map(str, misfits))


def _read(tokens: list[str]) -> Any:
    head = tokens.pop(0)
    if head == "[":
        return _until("]", tokens, _read)
    if head != "{":
        return head
    if tokens[:2] == ["…", "}"]:
        del tokens[:2]
        return dict
    return dict(_until("}", tokens, _field))


def _until(end: str, tokens: list[str], read: Any) -> list[Any]:
    results = [read(tokens)]
    while tokens.pop(0) != end:
        results.append(read(tokens))
    return results


def _field(tokens: list[str]) -> tuple[str, tuple[bool, Any]]:
    name, optional, inner = tokens.pop(0), tokens[0] == "?", "value"
    if optional:
        tokens.pop(0)
    if tokens[0] == ":":
        tokens.pop(0)
        inner = _read(tokens)
    return name, (optional, inner)


def _misfit(shape: Any, value: Any, where: str) -> str | None:
    if shape is dict:
        return None if isinstance(value, dict) else f"{where}: {value!r} is no object"
    if isinstance(shape, list):
        return _list_misfit(shape, value, where)
    if not isinstance(shape, dict):
        return None
    if shape.keys() == {"…"} and isinstance(value, dict):
        shape = dict.fromkeys(value, shape["…"])
    if not isinstance(value, dict) or value.keys() != shape.keys():
        return f"{where}: has {list(value) if isinstance(value, dict) else value!r}, is to have {list(shape)}"
    for name, (optional, inner) in shape.items():
        if value[name] is None and not optional:
            return f"{where}.{name}: is null"
        if value[name] is not None and (results := _misfit(inner, value[name], f"{where}.{name}")):
            return results
    return None


def _list_misfit(shape: list[Any], value: Any, where: str) -> str | None:
    if not isinstance(value, list) or (len(shape) > 1 and len(value) != len(shape)):
        return f"{where}: {value!r} is no list of {shape}"
    inner = shape if len(shape) > 1 else shape * len(value)
    results = [_misfit(each, one, f"{where}[]") for each, one in zip(inner, value, strict=True)]
    return next((each for each in results if each), None)
