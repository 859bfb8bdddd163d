"""The common part of exports of conversations: each message becomes an episode, as in captured turns."""

from __future__ import annotations

from collections.abc import Iterable
from dataclasses import dataclass
from datetime import datetime

from cognitive.formats.format import Dropped, Read, memory

TAG = "captured"  # as for the messages of turns
_CONTEXT = 500  # characters of the user's message that are indexed with the answer


@dataclass(frozen=True, slots=True)
class ChatMessage:
    """A message of an exported conversation. `speaker` is "user", "assistant", or None if it is of neither."""

    id: str
    speaker: str | None
    text: str
    at: datetime | None


def messages(system: str, conversation_id: str, found: Iterable[ChatMessage]) -> Read:
    """Yield the messages of a conversation as memories; those of tools and without text are dropped."""
    before = ""
    for each in found:
        if each.speaker is None:
            yield Dropped("a message of a tool or the system")
            continue
        yield from memory(
            each.text,
            f"{system}/{each.id}",
            type="episode",
            trust="talk",
            speaker=each.speaker,
            context=before[:_CONTEXT] if each.speaker == "assistant" else "",
            occurred_at=each.at,
            session_id=f"{system}/{conversation_id}",
            tags=[TAG],
        )
        before = each.text if each.speaker == "user" else before
