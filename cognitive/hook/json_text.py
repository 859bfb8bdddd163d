"""Editing of a JSON text in place: an edit changes only the part that it names, so the file keeps its formatting.

A path names a value in the text: the keys and indexes that lead to it from the outermost value, which is `()`. All
functions take a text that `json.loads` accepts, and return the new text.
"""

from __future__ import annotations

import json
import re
from collections.abc import Sequence
from dataclasses import dataclass, field
from typing import Any

Path = Sequence[str | int]

_SPACE = re.compile(r"[ \t\r\n]*")
_INDENT = re.compile(r"^[ \t]+(?=\")", re.MULTILINE)
_DECODER = json.JSONDecoder()


@dataclass(slots=True)
class _Node:
    """A value in the text, from `start` to `end`, and the members or elements in it, by key or index."""

    start: int
    end: int = 0
    items: dict[str | int, _Item] = field(default_factory=dict)


@dataclass(slots=True)
class _Item:
    """A member or element. `start` is where it begins in the text; for a member, where its key begins."""

    start: int
    node: _Node


def add(text: str, path: Path, key: str | None, value: Any) -> str:
    """Add a value at the end of the object or list at `path`. `key` is the value's key in an object, None in a list."""
    node = _find(text, path)
    indent = _indent(text)
    label = f"{json.dumps(key)}: " if key is not None else ""
    if node.items:
        first, last = next(iter(node.items.values())), list(node.items.values())[-1]
        lead = text[node.start + 1 : first.start]
        rendered = _render(text, value, indent, lead) if "\n" in lead else _render(text, value, None, "")
        return f"{text[: last.node.end]},{lead or ' '}{label}{rendered}{text[last.node.end :]}"
    opening, closing = text[node.start], text[node.end - 1]
    if "\n" not in text.strip():
        inside = label + _render(text, value, None, "")
    else:
        base = "\n" + _line_indent(text, node.start)
        inside = f"{base}{indent}{label}{_render(text, value, indent, base + indent)}{base}"
    return f"{text[: node.start]}{opening}{inside}{closing}{text[node.end :]}"


def replace(text: str, path: Path, value: Any) -> str:
    """Replace the value at `path`."""
    node = _find(text, path)
    return text[: node.start] + _render(text, value, None, "") + text[node.end :]


def remove(text: str, path: Path) -> str:
    """Remove the member or element at `path`, which is not empty, with the comma beside it."""
    *parent, key = path
    node = _find(text, parent)
    if len(node.items) == 1:
        return text[: node.start + 1] + text[node.end - 1 :]
    place = list(node.items).index(key)
    items = list(node.items.values())
    if place == 0:
        return text[: items[0].start] + text[items[1].start :]
    return text[: items[place - 1].node.end] + text[items[place].node.end :]


def _find(text: str, path: Path) -> _Node:
    node = _parse(text, _skip(text, 0))
    for key in path:
        node = node.items[key].node
    return node


def _parse(text: str, start: int) -> _Node:
    """Parse the value that begins at `start` and return its positions."""
    node = _Node(start)
    if text[start] not in "{[":
        node.end = _DECODER.raw_decode(text, start)[1]
        return node
    is_object = text[start] == "{"
    at = _skip(text, start + 1)
    while text[at] not in "}]":
        begin, key = at, len(node.items)
        if is_object:
            key, at = _DECODER.raw_decode(text, at)
            at = _skip(text, _skip(text, at) + 1)  # behind the colon
        item = _Item(begin, _parse(text, at))
        node.items[key] = item
        at = _skip(text, item.node.end)
        if text[at] == ",":
            at = _skip(text, at + 1)
    node.end = at + 1
    return node


def _skip(text: str, at: int) -> int:
    """Return the position of the first character from `at` on that is not white space."""
    space = _SPACE.match(text, at)
    return space.end() if space is not None else at


def _indent(text: str) -> str:
    indent = _INDENT.search(text)
    return indent.group() if indent else "  "


def _line_indent(text: str, at: int) -> str:
    line = text[text.rfind("\n", 0, at) + 1 : at]
    return line[: len(line) - len(line.lstrip(" \t"))]


def _render(text: str, value: Any, indent: str | None, line_start: str) -> str:
    """Return a value as JSON, with the escaping of `text`. Further lines begin with the white space `line_start`."""
    rendered = json.dumps(value, indent=indent, ensure_ascii="\\u" in text)
    return rendered.replace("\n", line_start) if line_start else rendered
