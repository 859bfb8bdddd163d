"""The MCP tools that change memories: `correct` replaces a text, and `forget` hides a memory, if the host allows it.

Neither changes what the program itself stored, and both can be undone: the old text is kept as a revision, and
`cognitive memory restore` shows a hidden memory again. Only the host erases.
"""

from __future__ import annotations

from typing import Annotated
from uuid import UUID

from mcp_types import CallToolResult, TextContent, Tool, ToolAnnotations
from pydantic import Field

from brain.types import InputModel, Text, Trust
from cognitive.errors import InvalidInput
from cognitive.prompt import without_injected
from cognitive.runtimes.mcp.scope import ScopedRequest

_MAX_NOTE_LENGTH = 10_000  # characters, as of the tool `remember`
_TRUST: Trust = "agent"
_ID = "The id of the memory, as recall_context returned it."


class Correct(InputModel, json_schema_extra={"description": "What to correct."}):
    """The arguments of the tool `correct`, with which a model replaces the text of a memory."""

    id: UUID = Field(description=_ID)
    content: Annotated[
        Text, Field(min_length=1, max_length=_MAX_NOTE_LENGTH, description="The whole text as it should be.")
    ]


class Forget(InputModel, json_schema_extra={"description": "What to forget."}):
    """The arguments of the tool `forget`, with which a model hides a memory."""

    id: UUID = Field(description=_ID)


class Changed(InputModel):
    """The id of the changed memory."""

    id: UUID


CORRECT = Tool(
    name="correct",
    title="Correct a memory",
    description=(
        "Replaces the text of one memory that is wrong or out of date. Call it when the user corrects something that "
        "recall_context returned. Memories that the program stored cannot be corrected."
    ),
    input_schema=Correct.model_json_schema(),
    output_schema=Changed.model_json_schema(mode="serialization"),
    annotations=ToolAnnotations(
        read_only_hint=False, destructive_hint=False, idempotent_hint=True, open_world_hint=False
    ),
)
FORGET = Tool(
    name="forget",
    title="Forget a memory",
    description=(
        "Hides one memory from now on. Call it only when the user asks to forget something, with the id that "
        "recall_context returned. Memories that the program stored cannot be forgotten."
    ),
    input_schema=Forget.model_json_schema(),
    output_schema=Changed.model_json_schema(mode="serialization"),
    annotations=ToolAnnotations(
        read_only_hint=False, destructive_hint=True, idempotent_hint=False, open_world_hint=False
    ),
)


async def correct(request: ScopedRequest, arguments: Correct) -> CallToolResult:
    """Replace the text of a memory.

    Raises:
        UnknownMemory: the agent has no such memory.
        InvalidInput: the program stored the memory, or the text consists only of memories that the prompt showed.
        StoreUnavailable: Postgres is away.
    """
    content = without_injected(arguments.content)
    if not content.strip():
        raise InvalidInput("content: contains only records that are in memory already; pass the corrected text")
    await request.layer.update(request.agent_id, arguments.id, by=_TRUST, content=content, user_id=request.user_id)
    return _changed(arguments.id, "Corrected")


async def forget(request: ScopedRequest, arguments: Forget) -> CallToolResult:
    """Hide a memory from now on.

    Raises:
        UnknownMemory: the agent has no such memory.
        InvalidInput: the program stored the memory, or it is hidden already.
        StoreUnavailable: Postgres is away.
    """
    await request.layer.retire(request.agent_id, [arguments.id], by=_TRUST, user_id=request.user_id)
    return _changed(arguments.id, "Forgotten")


def _changed(id: UUID, verb: str) -> CallToolResult:
    return CallToolResult(
        content=[TextContent(type="text", text=f"{verb}: {id}.")],
        structured_content=Changed(id=id).model_dump(mode="json"),
    )
