"""Messages and tools as dicts in the form of OpenAI's chat completions, which several frameworks share."""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence
from typing import Any

from pydantic_core import to_json

from cognitive.runtimes.codec import NOT_TEXT, WholeMessageCodec, WrappedMessage, to_tool_call
from cognitive.runtimes.tools import to_tool
from cognitive.turn import Message, Role, Tool, ToolCall, ToolSpec

JsonObject = Mapping[str, Any]

_ROLES: Mapping[str, Role] = {
    "system": "system",
    "developer": "system",
    "assistant": "assistant",
    "tool": "tool",
    "function": "tool",
}


class ChatCodec(WholeMessageCodec[JsonObject]):
    """Messages of chat completions."""

    def wrap(self, message: JsonObject) -> WrappedMessage:
        """Return a message as the layer reads it."""
        role = _ROLES.get(str(message.get("role")), "user")
        return WrappedMessage.wrap(
            message,
            role,
            message_text(message),
            tool_calls=_tool_calls(message),
            tool_call_id=message.get("tool_call_id"),
        )

    def replace(self, native: JsonObject, message: WrappedMessage) -> JsonObject:
        """Return the message with what it says now."""
        if message.appended is not None and not message.shortened_calls:
            content = native.get("content")
            parts = [*content, {"type": "text", "text": message.appended}] if isinstance(content, list) else None
            return {**native, "content": parts or f"{content or ''}{message.appended}"}
        shown = message.shortened_arguments
        calls = [_with_arguments(each, shown.get(each.get("id"))) for each in native.get("tool_calls") or ()]
        return {**native, "content": message.content, **({"tool_calls": calls} if calls else {})}

    def create(self, message: Message) -> JsonObject:
        """Return a message of the window's own."""
        named = {"tool_call_id": message.tool_call_id} if message.tool_call_id else {}
        return {"role": message.role, "content": message.content, **named}


CODEC = ChatCodec()


def split_system(messages: Sequence[JsonObject]) -> tuple[Sequence[JsonObject], Sequence[JsonObject]]:
    """The host's own system messages at the beginning, and what follows."""
    first = next((n for n, each in enumerate(messages) if _ROLES.get(str(each.get("role"))) != "system"), len(messages))
    return messages[:first], messages[first:]


def with_system(first: Sequence[JsonObject], words: str) -> list[JsonObject]:
    """System messages that say these words: the very ones, if they do."""
    if words == "\n\n".join(map(message_text, first)):
        return list(first)
    return [{**(first[0] if first else {"role": "system"}), "content": words}]


def message_text(message: JsonObject) -> str:
    """What a message says."""
    content = message.get("content")
    if isinstance(content, list):
        return "\n".join(str(part.get("text", NOT_TEXT)) if isinstance(part, dict) else str(part) for part in content)
    return str(content or "")


def finished_calls(messages: Sequence[JsonObject]) -> Iterator[tuple[ToolCall, str]]:
    """The calls since the user last spoke, each with what came of it."""
    last = max((n for n, each in enumerate(messages) if each.get("role") == "user"), default=0)
    results = {each.get("tool_call_id"): message_text(each) for each in messages[last:] if each.get("role") == "tool"}
    made = (each for message in messages[last:] for each in _tool_calls(message))
    return ((each, results[each.id]) for each in made if each.id in results)


def to_tools(given: Sequence[JsonObject]) -> list[Tool | None]:
    """The tools as a turn is given them; None for what is no function."""
    return [
        to_tool(str(each["function"]["name"]), each["function"].get("description"), each["function"].get("parameters"))
        if tool_name(each)
        else None
        for each in given
    ]


def tool_name(tool: JsonObject) -> str:
    """The name of a tool, "" for what is no function."""
    function = tool.get("function")
    return str(function.get("name") or "") if isinstance(function, dict) else ""


def rewrite_tool(tool: JsonObject, spec: ToolSpec) -> JsonObject:
    """A tool as the catalog shortened it."""
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
