"""Memories of Hindsight, as its list and recall return them."""

from __future__ import annotations

from typing import Any

from cognitive.formats.format import Format, Read, memory, moment, strings
from cognitive.formats.records import Record

_TYPES = {"experience": "episode", "bank": "episode"}  # all others are facts


def _read(record: Record) -> Read:
    kind = str(record.get("fact_type") or record.get("type") or "world")
    when = (record.get(name) for name in ("occurred_start", "mentioned_at", "date", "event_date", "created_at"))
    yield from memory(
        record["text"],
        f"hindsight/{record['id']}",
        type=_TYPES.get(kind, "fact"),
        occurred_at=moment(*when),
        context=str(record.get("context") or ""),
        tags=[*strings(record.get("tags")), f"hindsight {kind}"],
        entities=_entities(record.get("entities")),
        metadata=record.get("metadata"),
        user_id=record.get("user_id"),
    )


def _entities(value: Any) -> list[str]:
    return [name.strip() for name in value.split(",")] if isinstance(value, str) else strings(value)


def _matches(record: Record) -> bool:
    return {"id", "text"} <= record.keys() and bool({"fact_type", "type", "mentioned_at"} & record.keys())


FORMATS = (Format("Hindsight", _matches, _read, frozenset({"text"})),)
