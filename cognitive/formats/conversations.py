"""The common part of exports of conversations: the messages of the user and of the assistant are kept."""

from __future__ import annotations

from collections.abc import Iterable
from dataclasses import dataclass
from datetime import datetime
from typing import Literal

from brain.text import storable
from cognitive.formats.format import Dropped, ExportedConversation, Read, label
from cognitive.turn import Message


@dataclass(frozen=True, slots=True)
class ChatMessage:
    """A message of an exported conversation. `role` is None if it is neither the user's nor the assistant's."""

    role: Literal["user", "assistant"] | None
    text: str
    at: datetime | None


def conversation(system: str, id: object, found: Iterable[ChatMessage]) -> Read:
    """Yield a conversation as one, and the messages that are left out: of tools, and without text."""
    messages = list[Message]()
    for each in found:
        text = storable(each.text).strip()
        if each.role is None:
            yield Dropped("a message of a tool or the system")
        elif not text:
            yield Dropped("a message without text")
        else:
            messages.append(Message(role=each.role, content=text, at=each.at))
    if messages:
        yield ExportedConversation(label(f"{system}/{id}"), tuple(messages))
