"""Conversations of ChatGPT, from the file conversations.json of an export of all data.

A conversation is a tree, because a message can be edited; its current branch is imported.
"""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from typing import Any, Literal

from cognitive.formats.conversations import ChatMessage, conversation
from cognitive.formats.format import Dropped, Format, Read, has, moment
from cognitive.formats.records import Record

_ROLES: dict[str, Literal["user", "assistant"]] = {"user": "user", "assistant": "assistant"}
_TEXTS = ("text", "multimodal_text")  # other contents are code, thoughts and results of tools


def _read(record: Record) -> Read:
    branch = list(_branch(record))
    others = sum(_message(node) is not None for node in record["mapping"].values()) - len(branch)
    for _ in range(others):
        yield Dropped("a message that was edited away")
    begin = record.get("create_time")
    found = (ChatMessage(_role(each), _text(each), moment(each.get("create_time"), begin)) for each in branch)
    yield from conversation("chatgpt", record.get("conversation_id") or record.get("id"), found)


def _branch(record: Record) -> Iterator[Mapping[str, Any]]:
    """Yield the messages from the first one to the current one."""
    nodes, name, path = record["mapping"], record.get("current_node"), list[Mapping[str, Any]]()
    if name not in nodes:
        name = next((id for id, node in reversed(nodes.items()) if not node.get("children")), None)
    while name in nodes and len(path) <= len(nodes):
        path.append(nodes[name])
        name = nodes[name].get("parent")
    yield from (message for node in reversed(path) if (message := _message(node)) is not None)


def _message(node: Mapping[str, Any]) -> Mapping[str, Any] | None:
    message = node.get("message")
    return message if isinstance(message, Mapping) else None


def _role(message: Mapping[str, Any]) -> Literal["user", "assistant"] | None:
    role = (message.get("author") or {}).get("role")
    hidden = (message.get("metadata") or {}).get("is_visually_hidden_from_conversation")
    kind = (message.get("content") or {}).get("content_type")
    to_all = message.get("recipient") in (None, "all")
    return _ROLES.get(str(role)) if kind in _TEXTS and to_all and not hidden else None


def _text(message: Mapping[str, Any]) -> str:
    parts = (message.get("content") or {}).get("parts") or ()
    return "\n".join(part for part in parts if isinstance(part, str))


FORMATS = (Format("ChatGPT", has("mapping", "current_node"), _read, frozenset({"title", "mapping"})),)
