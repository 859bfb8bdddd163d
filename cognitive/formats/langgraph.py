"""Items of LangGraph's stores (`Item.dict()`), also as LangMem writes them."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any

from cognitive.formats.format import Format, Read, has, memory, moment, strings
from cognitive.formats.records import Record

_TEXTS = ("content", "text", "memory", "data", "value")  # names under which programs keep the text of a memory


def _read(record: Record) -> Read:
    namespace = [str(each) for each in record["namespace"]]
    value = record["value"]
    kind = value.get("kind") if isinstance(value, Mapping) else None
    body = value["content"] if kind and "content" in value else value
    yield from memory(
        _text(body) or str(record["key"]),
        f"langgraph/{'/'.join([*namespace, str(record['key'])])}",
        occurred_at=moment(record.get("updated_at"), record.get("created_at")),
        tags=[*namespace, *([str(kind)] if kind and kind != "Memory" else [])],
        metadata=_rest(body),
        user_id=record.get("user_id"),
    )


def _text(body: Any) -> str:
    """Return the text of an item's value: its member for texts, or else all its texts with the members' names."""
    if isinstance(body, str):
        return body
    if isinstance(body, Mapping):
        for name in _TEXTS:
            if isinstance(body.get(name), str):
                return str(body[name])
        if len(body) > 1:
            lines = [f"{name}: {', '.join(found)}" for name, each in body.items() if (found := strings(each))]
            return "\n".join(lines)
    return "\n".join(strings(body))


def _rest(body: Any) -> dict[str, Any]:
    """Return the members of an item's value that are not its text."""
    if not isinstance(body, Mapping):
        return {}
    text = next((name for name in _TEXTS if isinstance(body.get(name), str)), None)
    return {str(name): each for name, each in body.items() if name != text}


FORMATS = (Format("LangGraph", has("namespace", "key", "value"), _read, frozenset({"namespace", "key", "value"})),)
