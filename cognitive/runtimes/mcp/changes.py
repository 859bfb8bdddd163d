"""The MCP tools that change memories: `correct` replaces a text, and `forget` hides a memory, if the host allows it.

Neither changes what the program itself stored, and both can be undone: the old text is kept as a revision, and
`cognitive memory restore` shows a hidden memory again. Only the host erases.
"""

from __future__ import annotations

from typing import Annotated
from uuid import UUID

from mcp_types import CallToolResult
from pydantic import Field

from brain.input_model import InputModel
from brain.types import Text
from cognitive.runtimes.mcp.scope import ScopedRequest
from cognitive.runtimes.mcp.tool import MAX_NOTE_LENGTH, TOOL_TRUST, answer, describe, new_text

_ID = "The id of the memory, as recall_context returned it."


class Correct(InputModel, json_schema_extra={"description": "What to correct."}):
    """The arguments of the tool `correct`, with which a model replaces the text of a memory."""

    id: UUID = Field(description=_ID)
    content: Annotated[
        Text, Field(min_length=1, max_length=MAX_NOTE_LENGTH, description="The whole text as it should be.")
    ]


class Forget(InputModel, json_schema_extra={"description": "What to forget."}):
    """The arguments of the tool `forget`, with which a model hides a memory."""

    id: UUID = Field(description=_ID)


class Changed(InputModel):
    """The id of the changed memory."""

    id: UUID


CORRECT = describe(
    "correct",
    "Correct a memory",
    "Replaces the text of one memory that is wrong or out of date. Call it when the user corrects something that "
    "recall_context returned. Memories that the program stored cannot be corrected.",
    Correct,
    Changed,
    read_only_hint=False,
    destructive_hint=False,
    idempotent_hint=True,
)
FORGET = describe(
    "forget",
    "Forget a memory",
    "Hides one memory from now on. Call it only when the user asks to forget something, with the id that "
    "recall_context returned. Memories that the program stored cannot be forgotten.",
    Forget,
    Changed,
    read_only_hint=False,
    destructive_hint=True,
    idempotent_hint=False,
)


async def correct(request: ScopedRequest, arguments: Correct) -> CallToolResult:
    """Replace the text of a memory.

    Raises:
        UnknownMemory: the agent has no such memory.
        InvalidInput: the program stored the memory, or the text consists only of memories that the prompt showed.
        StoreUnavailable: Postgres is away.
    """
    content = new_text(arguments.content)
    await request.layer.update(request.agent_id, arguments.id, by=TOOL_TRUST, content=content, user_id=request.user_id)
    return answer(f"Corrected: {arguments.id}.", Changed(id=arguments.id))


async def forget(request: ScopedRequest, arguments: Forget) -> CallToolResult:
    """Hide a memory from now on.

    Raises:
        UnknownMemory: the agent has no such memory.
        InvalidInput: the program stored the memory, or it is hidden already.
        StoreUnavailable: Postgres is away.
    """
    await request.layer.retire(request.agent_id, [arguments.id], by=TOOL_TRUST, user_id=request.user_id)
    return answer(f"Forgotten: {arguments.id}.", Changed(id=arguments.id))
