"""Codec for the messages of LangChain."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any

from cognitive.extras import extra

with extra("langchain"):
    from langchain_core.messages import AIMessage, AnyMessage, HumanMessage, SystemMessage, ToolMessage


from cognitive.runtimes.codec import WholeMessageCodec, WrappedMessage, replace_text, to_tool_call
from cognitive.turn import Message, ToolCall


class LangChainCodec(WholeMessageCodec[AnyMessage]):
    """Converts LangChain's messages to the memory layer's messages and back."""

    def wrap(self, message: AnyMessage) -> WrappedMessage:
        """Convert a LangChain message to a message of the memory layer."""
        blocks = [message.content] if isinstance(message.content, str) else message.content
        parts = [_text_or_block(block) for block in blocks]
        match message:
            case HumanMessage():
                return WrappedMessage.wrap(message, "user", parts)
            case AIMessage():
                native_calls: Sequence[Any] = (*message.tool_calls, *message.invalid_tool_calls)
                calls = [to_tool_call(each["name"], each["args"], each["id"]) for each in native_calls]
                said = [part for part in parts if isinstance(part, str)]  # thinking is no attachment
                content = said if any(said) else () if calls else parts
                return WrappedMessage.wrap(message, "assistant", content, tool_calls=calls)
            case ToolMessage(tool_call_id=id, status=status):
                return WrappedMessage.wrap(message, "tool", parts, tool_call_id=id, failed=status == "error")
        return WrappedMessage.wrap(message, "system", parts)

    def replace(self, native: AnyMessage, message: WrappedMessage) -> AnyMessage:
        """Return a copy of the LangChain message `native`, with the changed text and tool arguments of `message`.

        Content blocks that are not text stay.
        """
        changes: dict[str, Any] = {} if message.has_own_text else {"content": _edit_content(native.content, message)}
        if isinstance(native, AIMessage) and message.shortened_calls:
            shortened = message.shortened_arguments
            changes["tool_calls"] = [
                {**call, "args": shortened.get(call["id"], call["args"])} for call in native.tool_calls
            ]
        return native.model_copy(update=changes)

    def create(self, message: Message) -> AnyMessage:
        """Convert a message that the memory layer added, such as a summary, to a LangChain message."""
        match message.role:
            case "assistant":
                return AIMessage(message.content, tool_calls=[_to_native_call(each) for each in message.tool_calls])
            case "tool":
                return ToolMessage(message.content, tool_call_id=message.tool_call_id or "")
            case "system":
                return SystemMessage(message.content)
        return HumanMessage(message.content)


def _is_text(block: str | dict[str, Any]) -> bool:
    return isinstance(block, str) or block.get("type") == "text"


def _text_or_block(block: str | dict[str, Any]) -> str | dict[str, Any]:
    return str(block.get("text") or "") if isinstance(block, dict) and _is_text(block) else block


def _edit_content(own: str | list[str | dict[str, Any]], message: WrappedMessage) -> str | list[str | dict[str, Any]]:
    if isinstance(own, str):
        return message.content
    if message.appended is not None:
        return [*own, {"type": "text", "text": message.appended}]
    return replace_text(own, _is_text, [{"type": "text", "text": message.written}])


def _to_native_call(call: ToolCall) -> Any:
    return {"name": call.name, "args": dict(call.arguments), "id": call.id, "type": "tool_call"}


CODEC = LangChainCodec()
