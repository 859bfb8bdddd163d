"""Facts, entities and episodes of Zep's graphs, and messages of its threads.

A fact that Zep marks as no longer true expires at that time.
"""

from __future__ import annotations

from cognitive.formats.format import Format, Read, dropped, has, later, memory, moment, strings
from cognitive.formats.records import Record


def _fact(record: Record) -> Read:
    begin = moment(record.get("valid_at"), record.get("created_at"))
    ends = [end for end in (moment(record.get("invalid_at")), moment(record.get("expired_at"))) if end is not None]
    yield from memory(
        record["fact"],
        f"zep/{record.get('uuid')}",
        occurred_at=begin,
        expires_at=later(min(ends, default=None), begin),
        tags=[record.get("name")],
        entities=[record.get("source_node_name"), record.get("target_node_name")],
        metadata=record.get("attributes"),
        user_id=record.get("user_id"),
    )


def _entity(record: Record) -> Read:
    name, summary = str(record.get("name") or ""), str(record["summary"] or "").strip()
    yield from memory(
        summary if name in summary or not summary else f"{name}: {summary}",
        f"zep/{record['uuid']}",
        occurred_at=moment(record.get("created_at")),
        tags=strings(record.get("labels")),
        entities=[name],
        metadata=record.get("attributes"),
        user_id=record.get("user_id"),
    )


def _episode(record: Record) -> Read:
    yield from memory(
        record["content"],
        f"zep/{record['uuid']}",
        type="episode",
        occurred_at=moment(record.get("created_at")),
        speaker=record.get("name") or record.get("role") or None,
        session_id=record.get("thread_id") or record.get("session_id") or None,
        metadata=record.get("metadata"),
        user_id=record.get("user_id"),
    )


def _is_episode(record: Record) -> bool:
    return has("uuid", "content")(record) and bool({"role", "role_type", "source", "processed"} & record.keys())


FORMATS = (
    Format("Zep fact", lambda record: "fact" in record and "uuid" in record, _fact, frozenset({"fact", "uuid"})),
    Format("Zep entity", has("uuid", "name", "summary"), _entity),
    Format("Zep episode", _is_episode, _episode),
    Format("Zep thread", has("thread_id", "user_id"), dropped("the description of a thread")),
)
