"""Common parts of the MCP tools: their description, the form of their results, and the trust of what they write."""

from __future__ import annotations

from mcp_types import CallToolResult, TextContent, Tool, ToolAnnotations

from brain.input_model import InputModel
from brain.types import Trust
from cognitive.errors import InvalidInput
from cognitive.prompt import without_injected

TOOL_TRUST: Trust = "agent"  # of memories that a model stores, corrects or hides with a tool
MAX_NOTE_LENGTH = 10_000  # characters; the host, not the model, should store whole documents


def describe(
    name: str, title: str, description: str, arguments: type[InputModel], result: type[InputModel], **hints: bool
) -> Tool:
    """Return the description of a tool for clients, with the schemas of its arguments and of its result.

    `hints` are fields of `ToolAnnotations`. No tool reaches beyond the agent's memory.
    """
    return Tool(
        name=name,
        title=title,
        description=description,
        input_schema=arguments.model_json_schema(),
        output_schema=result.model_json_schema(mode="serialization"),
        annotations=ToolAnnotations(open_world_hint=False, **hints),
    )


def answer(text: str, result: InputModel) -> CallToolResult:
    """Return the result of a call, as text for the model and as structured content."""
    return CallToolResult(
        content=[TextContent(type="text", text=text)], structured_content=result.model_dump(mode="json")
    )


def new_text(content: str) -> str:
    """Return a text of the model without the memories that its prompt showed.

    Raises:
        InvalidInput: nothing else is in the text.
    """
    text = without_injected(content)
    if not text.strip():
        raise InvalidInput("content: contains only records that are in memory already; pass new text")
    return text
