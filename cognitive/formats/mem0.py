"""Memories of mem0, as `get_all`, `search` and the exports of its platform return them."""

from __future__ import annotations

from cognitive.formats.format import Format, Read, dropped, has, later, memory, moment, strings
from cognitive.formats.records import Record

_SCOPE = ("agent_id", "run_id", "app_id")  # what a memory belongs to, beside its user
# Members that become fields of the memory, or that only mem0 needs.
_OWN = {
    "id",
    "memory",
    "hash",
    "score",
    "metadata",
    "created_at",
    "updated_at",
    "expiration_date",
    "embedding",
    "user_id",
    *_SCOPE,
}


def _read(record: Record) -> Read:
    scope = {name: str(record[name]) for name in _SCOPE if record.get(name)}
    categories = strings(record.get("categories"))
    begin = moment(record.get("updated_at"), record.get("created_at"))
    metadata = record.get("metadata") if isinstance(record.get("metadata"), dict) else {}
    others = {name: value for name, value in record.items() if name not in _OWN and name != "categories"}
    yield from memory(
        record["memory"],
        f"mem0/{record['id']}",
        occurred_at=begin,
        expires_at=later(moment(record.get("expiration_date")), begin),
        session_id=scope.get("run_id"),
        speaker=record.get("actor_id") or None,
        tags=[*(f"{name}:{value}" for name, value in scope.items()), *categories],
        metadata={**others, **(metadata or {})},
        user_id=record.get("user_id"),
    )


FORMATS = (
    Format("mem0", has("id", "memory"), _read, frozenset({"id", "memory"})),
    Format(
        "mem0 relation",
        lambda record: has("source", "target")(record) and ("relationship" in record or "relation" in record),
        dropped("a relation of mem0's graph"),
    ),
)
