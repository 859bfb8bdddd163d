"""Routes for memories: store, search, read, change and erase them."""

from __future__ import annotations

from typing import Annotated
from uuid import UUID

from fastapi import APIRouter, Query

from brain.receipts import Receipt
from brain.types import Memory, Revision, above
from cognitive.errors import InvalidInput, UnknownMemory
from cognitive.feedback.conversations import RememberedConversation
from cognitive.server.auth import ERASING, AgentId, Identified, require_talk
from cognitive.server.requests import Layer, StrictRoute
from cognitive.server.users import HOSTS, ViewOfQuery, memory_of, user_of, view_of
from cognitive.wire.models import (
    MAX_IDS,
    ConversationBody,
    FindBody,
    IdsBody,
    MemoryChanges,
    MergeBody,
    RecallBody,
    RememberBody,
)
from cognitive.wire.responses import FoundMemories, StoredMemories

_NO_IDS: list[UUID] = []  # its error says how to list memories

router = APIRouter(prefix="/memories", tags=["memories"], route_class=StrictRoute)


@router.post("", status_code=201, summary="Store memories (remember)")
async def remember(agent_id: AgentId, body: RememberBody, layer: Layer, caller: Identified) -> StoredMemories:
    """Store memories, and return their ids in the order of the request.

    The request may be repeated: a memory that is already stored keeps its id. If a memory's trust is higher than the
    token permits, it is lowered to the token's trust. A memory without `user_id` is shared, or the user's of a token
    that is for one user.
    """
    memories = [
        memory.model_copy(update={"trust": caller.trust}) if above(memory.trust, caller.trust) else memory
        for memory in (memory_of(caller, each) for each in body.memories)
    ]
    return StoredMemories(tuple(await layer.remember(agent_id, memories)))


@router.post("/conversation", status_code=201, summary="Store a conversation (remember_conversation)")
async def remember_conversation(
    agent_id: AgentId, body: ConversationBody, layer: Layer, caller: Identified
) -> RememberedConversation:
    """Store the exchanges of a conversation as captured lines, and the memories that are formed from them.

    The request may be repeated, also with a longer conversation: what is stored already is left unchanged. A token
    whose trust is below `talk`, which the stored memories have, cannot do this.
    """
    require_talk(caller)
    user_id = user_of(caller, body.user_id)
    return await layer.remember_conversation(
        agent_id, body.messages, user_id=user_id, session_id=body.session_id, now=body.now
    )


@router.post("/search", summary="Search memories (recall)")
async def recall(agent_id: AgentId, body: RecallBody, layer: Layer, caller: Identified) -> FoundMemories:
    """Return the memories that match a query, best first, and the number of further ones that the search found.

    The method is POST, so that queries appear neither in URLs nor in logs.
    """
    arguments = {name: getattr(body, name) for name in RecallBody.model_fields if name != "all_users"}
    arguments["user_id"] = view_of(caller, body.user_id, body.all_users)
    hits = await layer.recall(agent_id, **arguments)
    return FoundMemories(hits, hits.more, hits.lag_seconds)


@router.post("/find", summary="List memories by a filter")
async def find(agent_id: AgentId, body: FindBody, layer: Layer, caller: Identified) -> list[Memory]:
    """Return a page of the agent's memories that meet the conditions, oldest first.

    The method is POST, so that filters appear neither in URLs nor in logs.
    """
    view = view_of(caller, body.user_id, body.all_users)
    return await layer.admin.find(agent_id, body.where, body.limit, body.offset, user_id=view)


@router.get("", summary="Read several memories")
async def get(
    agent_id: AgentId, layer: Layer, view: ViewOfQuery, id: Annotated[list[UUID], Query(max_length=MAX_IDS)] = _NO_IDS
) -> list[Memory]:
    """Return the agent's memories with these ids, in the order of the ids. Unknown ids are left out."""
    if not id:
        raise InvalidInput("query.id: give the id of a memory; POST to /memories/find lists memories without ids")
    return await layer.get(agent_id, id, user_id=view)


@router.get("/{memory_id}", summary="Read a memory")
async def get_one(agent_id: AgentId, memory_id: UUID, layer: Layer, view: ViewOfQuery) -> Memory:
    """Return the memory with this id."""
    memories = await layer.get(agent_id, [memory_id], user_id=view)
    if not memories:
        raise UnknownMemory(f"memory_id: agent {agent_id!r} has no memory {memory_id}")
    return memories[0]


@router.patch("/{memory_id}", summary="Change a memory")
async def update(
    agent_id: AgentId, memory_id: UUID, body: MemoryChanges, layer: Layer, caller: Identified, view: ViewOfQuery
) -> Memory:
    """Change fields of a memory, and return the changed memory.

    Fields that are not sent keep their values. A token cannot change a memory of higher trust than its own.
    """
    return await layer.update(agent_id, memory_id, by=caller.trust, user_id=view, **body.changed_fields())


@router.post("/retire", summary="Hide memories (retire)")
async def retire(agent_id: AgentId, body: IdsBody, layer: Layer, caller: Identified, view: ViewOfQuery) -> list[Memory]:
    """Hide memories from now on, and return them. A token cannot hide a memory of higher trust than its own."""
    return await layer.retire(agent_id, body.ids, by=caller.trust, user_id=view)


@router.post("/restore", summary="Show hidden memories again (restore)")
async def restore(
    agent_id: AgentId, body: IdsBody, layer: Layer, caller: Identified, view: ViewOfQuery
) -> list[Memory]:
    """Show hidden memories again, as if nothing had hidden them, and return them."""
    return await layer.restore(agent_id, body.ids, by=caller.trust, user_id=view)


@router.post("/merge", summary="Hide memories that another one repeats (merge)")
async def merge(
    agent_id: AgentId, body: MergeBody, layer: Layer, caller: Identified, view: ViewOfQuery
) -> list[Memory]:
    """Hide memories that say the same as another one of their type, which is kept, and return them."""
    return await layer.merge(agent_id, body.ids, body.into, by=caller.trust, user_id=view)


@router.post("/share", status_code=201, summary="Store shared copies of a user's memories (share)", dependencies=HOSTS)
async def share(
    agent_id: AgentId, body: IdsBody, layer: Layer, caller: Identified, view: ViewOfQuery
) -> StoredMemories:
    """Store a copy of each memory that everyone who talks to the agent sees, and return the ids of the copies.

    A token that is for one user cannot do this. A token cannot share a memory of higher trust than its own.
    """
    return StoredMemories(tuple(await layer.share(agent_id, body.ids, by=caller.trust, user_id=view)))


@router.get("/{memory_id}/revisions", summary="List the changes of a memory (revisions)")
async def revisions(agent_id: AgentId, memory_id: UUID, layer: Layer, view: ViewOfQuery) -> list[Revision]:
    """Return the changes of a memory, newest first, each with the values that it replaced."""
    return await layer.admin.revisions(agent_id, memory_id, user_id=view)


@router.delete("/{memory_id}", summary="Erase a memory", dependencies=ERASING)
async def forget_one(agent_id: AgentId, memory_id: UUID, layer: Layer, view: ViewOfQuery) -> Receipt:
    """Erase a memory and everything derived from it.

    The receipt counts what was deleted. It is empty if the id is unknown.
    """
    return await layer.forget(agent_id, [memory_id], user_id=view)


@router.post("/forget", summary="Erase several memories (forget)", dependencies=ERASING)
async def forget(agent_id: AgentId, body: IdsBody, layer: Layer, view: ViewOfQuery) -> Receipt:
    """Erase memories and everything derived from them, in one transaction. The receipt counts what was deleted."""
    return await layer.forget(agent_id, body.ids, user_id=view)
