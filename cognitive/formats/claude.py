"""Conversations of Claude, from the file conversations.json of an export of all data."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any

from cognitive.formats.conversations import ChatMessage, messages
from cognitive.formats.format import Format, Read, has, moment
from cognitive.formats.records import Record

_SPEAKERS = {"human": "user", "assistant": "assistant"}


def _read(record: Record) -> Read:
    found = record["chat_messages"]
    yield from messages(
        "claude",
        str(record["uuid"]),
        (
            ChatMessage(
                str(each["uuid"]),
                _SPEAKERS.get(str(each.get("sender"))),
                _text(each),
                moment(each.get("created_at"), record.get("created_at")),
            )
            for each in found
        ),
    )


def _text(message: Mapping[str, Any]) -> str:
    parts = [
        str(part["text"]) for part in message.get("content") or () if part.get("type") == "text" and part.get("text")
    ]
    return "\n".join(parts) or str(message.get("text") or "")


FORMATS = (Format("Claude", has("uuid", "chat_messages"), _read, frozenset({"uuid"})),)
