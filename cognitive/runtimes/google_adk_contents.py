"""Codec for the contents (messages) of Google ADK."""

from __future__ import annotations

from collections import defaultdict
from collections.abc import Mapping, Sequence
from typing import Any

from cognitive.extras import extra

with extra("google-adk"):
    from google.genai import types

from pydantic_core import to_json

from cognitive.runtimes.codec import NOT_TEXT, PartsCodec, WrappedMessage, split_tool_results, to_tool_call
from cognitive.turn import Message, Role


def content_text(content: types.Content) -> str:
    """Return the text of a content (a message of ADK), without the model's thoughts."""
    return "\n".join(part.text for part in content.parts or [] if part.text and not part.thought)


class ContentCodec(PartsCodec[types.Content, types.Part]):
    """Converts the contents (messages) of one request to the memory layer's messages and back.

    ADK leaves out the ids of tool calls. The codec therefore assigns ids, and matches results to calls by tool name and
    order.
    """

    def __init__(self) -> None:
        self._unanswered: defaultdict[str, list[str]] = defaultdict(list)  # ids of calls without a result, by tool name
        self._ids: list[tuple[types.FunctionCall, str]] = []  # decoded calls with their ids

    def split(self, message: types.Content) -> list[list[types.Part]]:
        """Divide a content's parts into groups: each tool result alone, other parts together.

        Each group becomes one message of the memory layer.
        """
        return split_tool_results(message.parts or [], lambda part: part.function_response is not None)

    def wrap(self, message: types.Content, parts: Sequence[types.Part]) -> WrappedMessage:
        """Convert a group of a content's parts to one message of the memory layer."""
        native = (message, parts)
        if parts and parts[0].function_response is not None:
            result = parts[0].function_response
            id, failed = self._result_call_id(result), _is_error(result)
            return WrappedMessage.wrap(native, "tool", _result_text(result), tool_call_id=id, failed=failed)
        native_calls = [part.function_call for part in parts if part.function_call is not None]
        calls = [to_tool_call(each.name or "", each.args, self._call_id(each)) for each in native_calls]
        content: list[Any] = [part.text or part.inline_data or part.file_data for part in parts if _is_content(part)]
        if not content and not calls:
            content = [NOT_TEXT]
        role: Role = "assistant" if message.role == "model" else "user"
        return WrappedMessage.wrap(native, role, content, tool_calls=calls)

    def join(self, message: types.Content, parts: list[types.Part]) -> types.Content:
        """Return the content with `parts` as its parts, or `message` itself if they are unchanged."""
        return message if parts == message.parts else message.model_copy(update={"parts": parts})

    def create(self, message: Message) -> types.Content:
        """Convert a message that the memory layer added, such as a summary, to a content of ADK."""
        if message.role == "tool":
            name = next((call.name for call, id in self._ids if id == message.tool_call_id), None) or "unknown"
            response = types.FunctionResponse(name=name, response={"result": message.content})
            return types.Content(role="user", parts=[types.Part(function_response=response)])
        role = "model" if message.role == "assistant" else "user"
        return types.Content(role=role, parts=[types.Part(text=message.content)])

    def text_part(self, text: str) -> types.Part:
        """Create a part with this text."""
        return types.Part(text=text)

    def is_text(self, part: types.Part) -> bool:
        """Return True if the part is a text other than the model's thoughts."""
        return part.function_call is None and bool(part.text) and not part.thought

    def with_result(self, part: types.Part, text: str) -> types.Part:
        """Create a copy of a tool result part in which `text` replaces the result."""
        assert part.function_response is not None  # tool messages hold only results
        response = part.function_response.model_copy(update={"response": {"result": text}})
        return part.model_copy(update={"function_response": response})

    def with_arguments(self, part: types.Part, arguments: Mapping[str | None, dict[str, Any]]) -> types.Part:
        """Replace a tool call's arguments if `arguments` has the id that `wrap` assigned.

        Return other parts unchanged.
        """
        call = part.function_call
        id = next((id for known, id in self._ids if known is call), None)
        if call is None or id not in arguments:
            return part
        return part.model_copy(update={"function_call": call.model_copy(update={"args": arguments[id]})})

    def _call_id(self, call: types.FunctionCall) -> str:
        id = call.id
        if not id:
            id = f"call-{len(self._ids) + 1}"
            self._unanswered[call.name or ""].append(id)
        self._ids.append((call, id))
        return id

    def _result_call_id(self, result: types.FunctionResponse) -> str | None:
        unanswered = self._unanswered[result.name or ""]
        return result.id or (unanswered.pop(0) if unanswered else None)


def _is_content(part: types.Part) -> bool:
    """Return True if the part is an attachment, or a text other than the model's thoughts."""
    return not part.thought and bool(part.text or part.inline_data or part.file_data)


def _is_error(result: types.FunctionResponse) -> bool:
    """Return True if a tool result is an error, in ADK's own form or in that of an MCP server."""
    return any((result.response or {}).get(key) for key in ("error", "isError", "is_error"))


def _result_text(result: types.FunctionResponse) -> str:
    """Return the text of a tool result. ADK stores a result that is not a mapping under the key "result"."""
    response = result.response or {}
    value = response.get("result") if response.keys() == {"result"} else None
    return value if isinstance(value, str) else to_json(response, fallback=str).decode()
