"""The items of OpenAI's Responses API as messages of a conversation, and back."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from typing import Any

from pydantic_core import to_json

from cognitive.runtimes.native import NOT_TEXT, Native, call
from cognitive.turn import Message, Role

Item = Mapping[str, Any]  # as the API takes it

_ROLES: Mapping[str, Role] = {"user": "user", "system": "system", "developer": "system"}
# Calls whose results stand in items of their own, `<type>_output`; hosted tools have theirs within.
_CALLS = {
    "function_call", "custom_tool_call", "computer_call", "shell_call", "local_shell_call", "apply_patch_call",
}  # fmt: skip
_OUTPUTS = {f"{each}_output" for each in _CALLS}
_TEXTUAL = {"function_call_output", "custom_tool_call_output"}  # the others' outputs have a form of their own


def read(said: str | Sequence[Any]) -> list[Native]:
    """A message for each that is not the model's, one for all that the model gave in a row: its reasoning belongs to
    the calls behind it. `native` is the list of items.
    """
    items: Sequence[Any] = [{"role": "user", "content": said}] if isinstance(said, str) else said
    messages, given = list[Native](), list[Item]()
    for item in items:
        if item.get("type") in _OUTPUTS or item.get("role") in _ROLES:
            messages += [*_assistant(given), _spoken(item)]
            given = []
        else:
            given.append(item)
    return messages + _assistant(given)


def written(messages: Sequence[Message]) -> list[Item]:
    """The items of messages; what the window left alone are the very items that they were."""
    return [item for message in messages for item in _items(message)]


def _spoken(item: Item) -> Native:
    if item.get("type") in _OUTPUTS:
        return Native.read([item], "tool", _text(item.get("output")), tool_call_id=_id(item))
    return Native.read([item], _ROLES[item["role"]], _text(item.get("content")))


def _assistant(items: Sequence[Item]) -> list[Native]:
    """The message of what the model gave, or none if it gave nothing."""
    if not items:
        return []
    calls = [call(_name(item), _arguments(item), _id(item)) for item in items if item.get("type") in _CALLS]
    text = "\n".join(_text(item["content"]) for item in items if _is_text(item))
    said = text or ("" if calls else NOT_TEXT)
    return [Native.read(list(items), "assistant", said, tool_calls=[each for each in calls if each is not None])]


def _is_text(item: Item) -> bool:
    return item.get("role") == "assistant" and bool(item.get("content"))


def _name(item: Item) -> str:
    return str(item.get("name") or item["type"])


def _arguments(item: Item) -> Any:
    return item.get("arguments", item.get("input"))


def _id(item: Item) -> str | None:
    return item.get("call_id") or item.get("id")


def _text(content: Any) -> str:
    if isinstance(content, str):
        return content
    parts = content if isinstance(content, Sequence) else [content]
    return "\n".join(str(part.get("text", NOT_TEXT)) if isinstance(part, Mapping) else NOT_TEXT for part in parts)


def _items(message: Message) -> Sequence[Item]:
    if not isinstance(message, Native):
        return [_new(message)]
    items: Sequence[Item] = message.native
    if message.untouched:
        return items
    if message.role == "assistant":
        return _given(message, items)
    [item] = items
    if message.role == "tool":
        return [{**item, "output": message.content}] if item["type"] in _TEXTUAL else items
    return [{**item, "content": _content(message, item["content"])}]


def _content(message: Native, content: Any) -> Any:
    """What the message says now; what a user's has beside words stays."""
    if isinstance(content, str):
        return message.content
    if message.added is not None:
        return [*content, {"type": "input_text", "text": message.added}]
    beside = [part for part in content if part.get("type") != "input_text"]
    return [{"type": "input_text", "text": message.content}, *beside]


def _given(message: Native, items: Sequence[Item]) -> list[Item]:
    """What the model gave, its text and the arguments of its calls as they are shown now."""
    shown = {each.id: each.arguments for each in message.rewritten}
    text, given = message.content, list[Item]()
    for item in items:
        if item.get("type") == "function_call" and _id(item) in shown:
            given.append({**item, "arguments": to_json(shown[_id(item)], fallback=str).decode()})
        elif not _is_text(item):
            given.append(item)
        elif text:
            plain = isinstance(item["content"], str)
            content = text if plain else [{"type": "output_text", "text": text, "annotations": []}]
            given.append({**item, "content": content})
            text = ""
    return given


def _new(message: Message) -> Item:
    """What the window says itself: the summary of what left, the plan's step, that a call was interrupted."""
    if message.role == "tool":
        return {"type": "function_call_output", "call_id": message.tool_call_id or "", "output": message.content}
    return {"role": message.role, "content": message.content}
