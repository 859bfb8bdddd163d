"""Memory blocks, passages of the archive and messages of Letta, from agent files (`.af`) and from its API."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any

from cognitive.formats.format import Dropped, Format, Read, dropped, has, memory, moment, strings
from cognitive.formats.records import Record

_SPEAKERS = {"user_message": "user", "assistant_message": "assistant", "user": "user", "assistant": "assistant"}
_NO_MEMORY = ("tool-", "source-", "file-", "group-", "mcp_server-", "identity-", "folder-")


def _block(record: Record) -> Read:
    name = record.get("label") or record.get("name")
    yield from memory(
        record["value"],
        f"letta/{record.get('id') or name}",
        occurred_at=moment(record.get("updated_at"), record.get("created_at")),
        context=str(record.get("description") or ""),
        tags=["letta block", name],
        metadata=record.get("metadata"),
    )


def _passage(record: Record) -> Read:
    yield from memory(
        record["text"],
        f"letta/{record['id']}",
        occurred_at=moment(record.get("created_at")),
        tags=strings(record.get("tags")),
        metadata=record.get("metadata"),
    )


def _message(record: Record, session: Any = None) -> Read:
    speaker = _SPEAKERS.get(str(record.get("message_type") or record.get("role")))
    if speaker is None:
        yield Dropped("a message of a tool or the system")
        return
    yield from memory(
        _text(record.get("content")),
        f"letta/{record['id']}",
        type="episode",
        speaker=speaker,
        occurred_at=moment(record.get("date"), record.get("created_at")),
        session_id=record.get("conversation_id") or session,
    )


def _agent(record: Record) -> Read:
    """Yield what an agent of an agent file contains. Its blocks are beside it, or in `memory` in older files."""
    inner = record.get("memory")
    for block in (inner.get("blocks") if isinstance(inner, Mapping) else None) or record.get("core_memory") or ():
        yield from _block(block)
    for n, message in enumerate(record.get("messages") or ()):
        yield from _message({"id": f"{record.get('id') or record.get('name')}/{n}", **message}, record.get("id"))


def _text(content: Any) -> str:
    if isinstance(content, list):
        return "\n".join(str(part["text"]) for part in content if isinstance(part, Mapping) and part.get("text"))
    return str(content or "")


def _is_agent(record: Record) -> bool:
    return "messages" in record and bool({"agent_type", "llm_config", "in_context_message_ids"} & record.keys())


FORMATS = (
    Format("Letta agent", _is_agent, _agent, frozenset({"agent_type", "name"})),
    Format("Letta block", lambda record: "value" in record and "limit" in record, _block, frozenset({"value"})),
    Format("Letta passage", lambda record: str(record.get("id")).startswith("passage-") and "text" in record, _passage),
    Format("Letta message", lambda record: str(record.get("id")).startswith("message-"), _message),
    Format(
        "Letta tool",
        lambda record: has("id")(record) and str(record["id"]).startswith(_NO_MEMORY),
        dropped("a tool, file or other part of a Letta agent"),
    ),
)
