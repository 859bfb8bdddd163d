"""Conversations of Claude, from the file conversations.json of an export of all data."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any, Literal

from cognitive.formats.conversations import ChatMessage, conversation
from cognitive.formats.format import Format, Read, has, moment
from cognitive.formats.records import Record

_ROLES: dict[str, Literal["user", "assistant"]] = {"human": "user", "assistant": "assistant"}


def _read(record: Record) -> Read:
    begin = record.get("created_at")
    found = (
        ChatMessage(_ROLES.get(str(each.get("sender"))), _text(each), moment(each.get("created_at"), begin))
        for each in record["chat_messages"]
    )
    yield from conversation("claude", record["uuid"], found)


def _text(message: Mapping[str, Any]) -> str:
    parts = [
        str(part["text"]) for part in message.get("content") or () if part.get("type") == "text" and part.get("text")
    ]
    return "\n".join(parts) or str(message.get("text") or "")


FORMATS = (Format("Claude", has("uuid", "chat_messages"), _read, frozenset({"uuid"})),)
