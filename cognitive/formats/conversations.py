"""Conversations of ChatGPT and Claude, from the file conversations.json of an export of all data.

The messages of the user and of the assistant are kept. A conversation of ChatGPT is a tree, because a message can be
edited; its current branch is imported.
"""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Mapping
from dataclasses import dataclass
from datetime import datetime
from typing import Any, Literal

from brain.text import storable
from cognitive.formats.format import Dropped, ExportedConversation, Format, Read, has, label, moment
from cognitive.formats.records import Record
from cognitive.turn import Message

_CHATGPT_ROLES: dict[str, Literal["user", "assistant"]] = {"user": "user", "assistant": "assistant"}
_CLAUDE_ROLES: dict[str, Literal["user", "assistant"]] = {"human": "user", "assistant": "assistant"}
_TEXTS = ("text", "multimodal_text")  # other contents are code, thoughts and results of tools


@dataclass(frozen=True, slots=True)
class _ChatMessage:
    """A message of an exported conversation. `role` is None if it is neither the user's nor the assistant's."""

    role: Literal["user", "assistant"] | None
    text: str
    at: datetime | None


def _conversation(system: str, id: object, found: Iterable[_ChatMessage]) -> Read:
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


def _read_chatgpt(record: Record) -> Read:
    branch = list(_current_branch(record))
    others = sum(_chatgpt_message(node) is not None for node in record["mapping"].values()) - len(branch)
    for _ in range(others):
        yield Dropped("a message that was edited away")
    begin = record.get("create_time")
    found = (
        _ChatMessage(_chatgpt_role(each), _chatgpt_text(each), moment(each.get("create_time"), begin))
        for each in branch
    )
    yield from _conversation("chatgpt", record.get("conversation_id") or record.get("id"), found)


def _current_branch(record: Record) -> Iterator[Mapping[str, Any]]:
    """Yield the messages from the first one to the current one."""
    nodes, name, path = record["mapping"], record.get("current_node"), list[Mapping[str, Any]]()
    if name not in nodes:
        name = next((id for id, node in reversed(nodes.items()) if not node.get("children")), None)
    while name in nodes and len(path) <= len(nodes):
        path.append(nodes[name])
        name = nodes[name].get("parent")
    yield from (message for node in reversed(path) if (message := _chatgpt_message(node)) is not None)


def _chatgpt_message(node: Mapping[str, Any]) -> Mapping[str, Any] | None:
    message = node.get("message")
    return message if isinstance(message, Mapping) else None


def _chatgpt_role(message: Mapping[str, Any]) -> Literal["user", "assistant"] | None:
    role = (message.get("author") or {}).get("role")
    hidden = (message.get("metadata") or {}).get("is_visually_hidden_from_conversation")
    kind = (message.get("content") or {}).get("content_type")
    to_all = message.get("recipient") in (None, "all")
    return _CHATGPT_ROLES.get(str(role)) if kind in _TEXTS and to_all and not hidden else None


def _chatgpt_text(message: Mapping[str, Any]) -> str:
    parts = (message.get("content") or {}).get("parts") or ()
    return "\n".join(part for part in parts if isinstance(part, str))


def _read_claude(record: Record) -> Read:
    begin = record.get("created_at")
    found = (
        _ChatMessage(
            _CLAUDE_ROLES.get(str(each.get("sender"))), _claude_text(each), moment(each.get("created_at"), begin)
        )
        for each in record["chat_messages"]
    )
    yield from _conversation("claude", record["uuid"], found)


def _claude_text(message: Mapping[str, Any]) -> str:
    parts = [
        str(part["text"]) for part in message.get("content") or () if part.get("type") == "text" and part.get("text")
    ]
    return "\n".join(parts) or str(message.get("text") or "")


FORMATS = (
    Format("ChatGPT", has("mapping", "current_node"), _read_chatgpt, frozenset({"title", "mapping"})),
    Format("Claude", has("uuid", "chat_messages"), _read_claude, frozenset({"uuid"})),
)
