"""Conversion of the items of OpenAI's Responses API to the memory layer's messages and back."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from typing import Any

from pydantic_core import to_json

from cognitive.runtimes.codec import NOT_TEXT, WrappedMessage, joined_text, to_tool_call
from cognitive.turn import Message, Role

Item = Mapping[str, Any]  # an input item of the API

_ROLES: Mapping[str, Role] = {"user": "user", "system": "system", "developer": "system"}
# Types of calls with a separate item for the result, `<type>_output`. Calls of hosted tools contain their results.
_CALLS = {
    "function_call",
    "custom_tool_call",
    "computer_call",
    "shell_call",
    "local_shell_call",
    "apply_patch_call",
}
_OUTPUTS = {f"{each}_output" for each in _CALLS}
_TEXTUAL = {"function_call_output", "custom_tool_call_output"}  # the other outputs are not plain text


class ItemCodec:
    """Converts items of the Responses API to the memory layer's messages and back.

    Consecutive items of the model become one message, since the model's reasoning items must stay with the calls after
    them. Every other item becomes a separate message. A message's field `native` is the list of its items.
    """

    def decode(self, messages: str | Sequence[Any]) -> list[WrappedMessage]:
        """Convert a request's input, which is a text or a sequence of items, to messages of the memory layer."""
        items: Sequence[Any] = [{"role": "user", "content": messages}] if isinstance(messages, str) else messages
        decoded, pending = list[WrappedMessage](), list[Item]()
        for item in items:
            if item.get("type") in _OUTPUTS or item.get("role") in _ROLES:
                decoded += [*_decode_assistant(pending), _decode_item(item)]
                pending = []
            else:
                pending.append(item)
        return decoded + _decode_assistant(pending)

    def encode(self, messages: Sequence[Message]) -> list[Item]:
        """Convert messages of the memory layer to items. Unchanged messages become their original items again."""
        return [item for message in messages for item in self._items(message)]

    def _items(self, message: Message) -> Sequence[Item]:
        if not isinstance(message, WrappedMessage):
            return [_create(message)]
        items: Sequence[Item] = message.native
        return items if message.is_unchanged else _edit(items, message)


def _edit(items: Sequence[Item], message: WrappedMessage) -> Sequence[Item]:
    """Return copies of a message's items with the changed text and tool arguments of `message`."""
    if message.role == "assistant":
        return _edit_assistant(message, items)
    [item] = items
    if message.role == "tool":
        return [{**item, "output": message.content}] if item["type"] in _TEXTUAL else items
    return [{**item, "content": _edit_content(message, item["content"])}]


def _create(message: Message) -> Item:
    """Convert a message that the memory layer added, such as a summary, to an item."""
    if message.role == "tool":
        return {"type": "function_call_output", "call_id": message.tool_call_id or "", "output": message.content}
    return {"role": message.role, "content": message.content}


def _decode_item(item: Item) -> WrappedMessage:
    if item.get("type") in _OUTPUTS:
        return WrappedMessage.wrap([item], "tool", _content_parts(item.get("output")), tool_call_id=_call_id(item))
    return WrappedMessage.wrap([item], _ROLES[item["role"]], _content_parts(item.get("content")))


def _decode_assistant(items: Sequence[Item]) -> list[WrappedMessage]:
    """Convert consecutive items of the model to one message, returned as a list. No items yield an empty list."""
    if not items:
        return []
    calls = [
        to_tool_call(_tool_name(item), _call_arguments(item), _call_id(item))
        for item in items
        if item.get("type") in _CALLS
    ]
    text = "\n".join(joined_text(_content_parts(item["content"])) for item in items if _is_text(item))
    content = text or ("" if calls else NOT_TEXT)
    return [WrappedMessage.wrap(list(items), "assistant", content, tool_calls=calls)]


def _is_text(item: Item) -> bool:
    return item.get("role") == "assistant" and bool(item.get("content"))


def _tool_name(item: Item) -> str:
    return str(item.get("name") or item["type"])


def _call_arguments(item: Item) -> Any:
    return item.get("arguments", item.get("input"))


def _call_id(item: Item) -> str | None:
    return item.get("call_id") or item.get("id")


def _content_parts(content: Any) -> list[Any]:
    """Return the parts of a content: texts as strings, attachments unchanged."""
    if isinstance(content, str):
        return [content]
    parts = content if isinstance(content, Sequence) else [content]
    return [str(part["text"] or "") if isinstance(part, Mapping) and "text" in part else part for part in parts]


def _edit_content(message: WrappedMessage, content: Any) -> Any:
    """Return a user's content with the changed text of `message`. Attachments stay."""
    if isinstance(content, str):
        return message.content
    if message.appended is not None:
        return [*content, {"type": "input_text", "text": message.appended}]
    others = [part for part in content if part.get("type") != "input_text"]
    return [{"type": "input_text", "text": message.written}, *others]


def _edit_assistant(message: WrappedMessage, items: Sequence[Item]) -> list[Item]:
    """Return copies of the model's items with the changed text and tool arguments of `message`."""
    shortened = message.shortened_arguments
    text, edited = message.content, list[Item]()
    for item in items:
        if item.get("type") == "function_call" and _call_id(item) in shortened:
            edited.append({**item, "arguments": to_json(shortened[_call_id(item)], fallback=str).decode()})
        elif message.has_own_text or not _is_text(item):
            edited.append(item)
        elif text:
            plain = isinstance(item["content"], str)
            content = text if plain else [{"type": "output_text", "text": text, "annotations": []}]
            edited.append({**item, "content": content})
            text = ""
    return edited
