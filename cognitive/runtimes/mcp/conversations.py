"""The MCP tool `remember_conversation`: stores what a user and the assistant said, if the host allows it."""

from __future__ import annotations

from typing import Annotated, Literal

from mcp_types import CallToolResult
from pydantic import Field

from brain.input_model import InputModel
from brain.types import Label, Text
from cognitive.prompt import without_injected
from cognitive.runtimes.mcp.scope import ScopedRequest
from cognitive.runtimes.mcp.tool import MAX_NOTE_LENGTH, answer, describe

_MAX_MESSAGES = 40  # of one call, which are stored within its deadline


class SpokenMessage(InputModel):
    """A message of the conversation."""

    role: Literal["user", "assistant"] = Field(description="Who said it.")
    content: Annotated[Text, Field(max_length=MAX_NOTE_LENGTH, description="The words as they were said.")]


class RememberConversation(InputModel, json_schema_extra={"description": "What was said."}):
    """The arguments of the tool `remember_conversation`, with which a model stores a part of a conversation."""

    messages: Annotated[
        tuple[SpokenMessage, ...],
        Field(min_length=1, max_length=_MAX_MESSAGES, description="The messages, oldest first."),
    ]
    session_id: Annotated[Label, Field(description="A name of the conversation, the same in each call.")] = "mcp"


class StoredConversation(InputModel):
    """The numbers of lines stored, of memories formed from them, and of exchanges that were known already."""

    lines: int
    formed: int
    known: int


REMEMBER_CONVERSATION = describe(
    "remember_conversation",
    "Keep a conversation",
    "Keeps what the user and you said, word for word, and what the user decided, likes or plans, in this agent's "
    "long-term memory. Call it with the messages of this conversation when it ends. What is kept already is not "
    "kept twice.",
    RememberConversation,
    StoredConversation,
    read_only_hint=False,
    destructive_hint=False,
    idempotent_hint=True,
)


async def remember_conversation(request: ScopedRequest, arguments: RememberConversation) -> CallToolResult:
    """Store the exchanges of a conversation, and the memories that are formed from them.

    Raises:
        StoreUnavailable: Postgres is away.
    """
    messages = [{"role": each.role, "content": without_injected(each.content)} for each in arguments.messages]
    stored = await request.layer.remember_conversation(
        request.agent_id,
        messages,
        user_id=request.user_id,
        session_id=request.scope.session_id or arguments.session_id,
    )
    counts = StoredConversation(lines=len(stored.lines), formed=len(stored.formed), known=stored.known)
    text = f"Kept {counts.lines} lines and {counts.formed} memories; {counts.known} exchanges were known."
    return answer(text, counts)
