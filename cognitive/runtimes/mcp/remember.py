"""The tool `remember`: the model keeps what a later conversation should know, where the host allows it."""

from __future__ import annotations

from typing import Annotated
from uuid import UUID

from mcp_types import CallToolResult, TextContent, Tool, ToolAnnotations
from pydantic import Field

from brain.memory_types import MEMORY_TYPES
from brain.types import Edge, Label, MemoryType, NewMemory, Text, Trust, above
from cognitive.errors import InvalidInput
from cognitive.prompt import without_injected
from cognitive.runtimes.mcp.caller import Caller

_LONGEST = 10_000  # characters: a note; a document is stored by whoever has it
_MOST_TAGS = 20
_TYPES = f"{', '.join(MEMORY_TYPES[:-1])} or {MEMORY_TYPES[-1]}"
_TRUST: Trust = "agent"


class Remember(Edge):
    """What to keep."""

    content: Annotated[
        Text,
        Field(
            min_length=1,
            max_length=_LONGEST,
            description=f"One {_TYPES}, in a sentence or a few that stand by themselves.",
        ),
    ]
    type: MemoryType = Field(default="fact", description="What kind of memory it is.")
    tags: Annotated[tuple[Label, ...], Field(max_length=_MOST_TAGS, description="Labels to filter by.")] = ()
    supersedes: UUID | None = Field(default=None, description="The id of a memory that this one replaces.")


class Remembered(Edge):
    """The id of the memory: of the one that was there already, if the same was kept before."""

    id: UUID


TOOL = Tool(
    name="remember",
    title="Keep in memory",
    description=(
        "Keeps one thing in this agent's long-term memory, for later conversations: what was decided and why, a fact "
        "about the user or the project, how something is done. Not for what is already in memory, and not for secrets. "
        "The same words of the same type are kept once."
    ),
    input_schema=Remember.model_json_schema(),
    output_schema=Remembered.model_json_schema(mode="serialization"),
    annotations=ToolAnnotations(
        read_only_hint=False, destructive_hint=False, idempotent_hint=True, open_world_hint=False
    ),
)


async def remember(caller: Caller, given: Remember) -> CallToolResult:
    """Stores one memory, dated now: the store knows the same words of the same session again, however often they come.

    Raises:
        InvalidInput: nothing but memories that are shown; an id to supersede that is unknown, or of what the program
        itself handed over: the model's word does not replace that.
    """
    content = without_injected(given.content)
    if not content.strip():
        raise InvalidInput("content: holds nothing but records that are in memory already")
    memory = NewMemory(
        type=given.type, content=content, tags=given.tags, supersedes=given.supersedes,
        session_id=caller.scope.session_id, trust=_TRUST,
    )  # fmt: skip
    if given.supersedes is not None:
        await _require_replaceable(caller, given.supersedes)
    [id] = await caller.layer.remember(caller.agent_id, [memory])
    return CallToolResult(
        content=[TextContent(type="text", text=f"Kept as {id}.")],
        structured_content=Remembered(id=id).model_dump(mode="json"),
    )


async def _require_replaceable(caller: Caller, id: UUID) -> None:
    for old in await caller.layer.get(caller.agent_id, [id]):
        if above(old.trust, _TRUST):
            raise InvalidInput(
                f"supersedes: {id} was kept by the program, and is not yours to replace; keep yours beside it"
            )
