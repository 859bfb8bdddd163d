"""Conversion of messages and tools in OpenAI's chat format (dicts), which several frameworks share."""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence
from typing import Any

from pydantic_core import to_json

from cognitive.runtimes.codec import WholeMessageCodec, WrappedMessage, joined_text, replace_text, to_tool_call
from cognitive.runtimes.tools import to_tool
from cognitive.tool import Tool, ToolSpec
from cognitive.turn import Message, Role, ToolCall

JsonObject = Mapping[str, Any]

_ROLES: Mapping[str, Role] = {
    "system": "system",
    "developer": "system",
    "assistant": "assistant",
    "tool": "tool",
    "function": "tool",
}


class ChatCodec(WholeMessageCodec[JsonObject]):
    """Converts messages in OpenAI's chat format to the memory layer's messages and back."""

    def wrap(self, message: JsonObject) -> WrappedMessage:
        """Convert a message in the chat format to a message of the memory layer."""
        role = _ROLES.get(str(message.get("role")), "user")
        return WrappedMessage.wrap(
            message,
            role,
            _parts(message),
            tool_calls=_tool_calls(message),
            tool_call_id=message.get("tool_call_id"),
        )

    def replace(self, native: JsonObject, message: WrappedMessage) -> JsonObject:
        """Return a copy of the message `native`, with the changed text and tool arguments of `message`."""
        if message.appended is not None and not message.shortened_calls:
            content = native.get("content")
            parts = [*content, {"type": "text", "text": message.appended}] if isinstance(content, list) else None
            return {**native, "content": parts or f"{content or ''}{message.appended}"}
        content = native.get("content")
        if not message.has_own_text:
            text = [{"type": "text", "text": message.written}]
            content = replace_text(content, _is_text, text) if isinstance(content, list) else message.content
        shortened = message.shortened_arguments
        calls = [_with_arguments(each, shortened.get(each.get("id"))) for each in native.get("tool_calls") or ()]
        return {**native, "content": content, **({"tool_calls": calls} if calls else {})}

    def create(self, message: Message) -> JsonObject:
        """Convert a message that the memory layer added, such as a summary, to the chat format."""
        id_field = {"tool_call_id": message.tool_call_id} if message.tool_call_id else {}
        return {"role": message.role, "content": message.content, **id_field}


CODEC = ChatCodec()


def _is_text(part: Any) -> bool:
    return isinstance(part, str) or "text" in part


def split_system(messages: Sequence[JsonObject]) -> tuple[Sequence[JsonObject], Sequence[JsonObject]]:
    """Divide messages into the system messages at the beginning and the messages after them."""
    end = next((n for n, each in enumerate(messages) if _ROLES.get(str(each.get("role"))) != "system"), len(messages))
    return messages[:end], messages[end:]


def with_system(messages: Sequence[JsonObject], text: str) -> list[JsonObject]:
    """Return system messages with the given text: `messages` if this is their text already, or else one message."""
    if text == "\n\n".join(map(message_text, messages)):
        return list(messages)
    return [{**(messages[0] if messages else {"role": "system"}), "content": text}]


def message_text(message: JsonObject) -> str:
    """Return the text of a message, with a placeholder for each attachment."""
    return joined_text(_parts(message))


def _parts(message: JsonObject) -> list[Any]:
    """Return the parts of a message: texts as strings, attachments unchanged."""
    content = message.get("content")
    if not isinstance(content, list):
        return [str(content or "")]
    return [
        (str(part["text"] or "") if "text" in part else part) if isinstance(part, dict) else str(part)
        for part in content
    ]


def finished_calls(messages: Sequence[JsonObject]) -> Iterator[tuple[ToolCall, str]]:
    """Return the tool calls since the user's last message that have a result, each as a pair with that result."""
    last_user = max((n for n, message in enumerate(messages) if message.get("role") == "user"), default=0)
    recent = messages[last_user:]
    results = {each.get("tool_call_id"): message_text(each) for each in recent if each.get("role") == "tool"}
    calls = (call for message in recent for call in _tool_calls(message))
    return ((call, results[call.id]) for call in calls if call.id in results)


def to_tools(tools: Sequence[JsonObject]) -> list[Tool | None]:
    """Convert tools to the memory layer's. The result has None in the place of each tool that is not a function."""
    return [
        to_tool(str(each["function"]["name"]), each["function"].get("description"), each["function"].get("parameters"))
        if tool_name(each)
        else None
        for each in tools
    ]


def tool_name(tool: JsonObject) -> str:
    """Return the name of a tool, or "" if the tool is not a function."""
    function = tool.get("function")
    return str(function.get("name") or "") if isinstance(function, dict) else ""


def rewrite_tool(tool: JsonObject, spec: ToolSpec) -> JsonObject:
    """Return a copy of a tool with the shortened description and parameters of `spec`."""
    function = {**tool["function"], "description": spec.description, "parameters": spec.parameters}
    return {**tool, "function": function}


def _tool_calls(message: JsonObject) -> list[ToolCall]:
    functions = [(each.get("function") or {}, each.get("id")) for each in message.get("tool_calls") or ()]
    calls = [to_tool_call(str(each.get("name") or ""), each.get("arguments"), id) for each, id in functions]
    return [each for each in calls if each is not None]


def _with_arguments(call: JsonObject, arguments: JsonObject | None) -> JsonObject:
    if arguments is None:
        return call
    return {**call, "function": {**call["function"], "arguments": to_json(arguments).decode()}}
