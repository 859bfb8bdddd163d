"""Memories: stored, looked for, read, changed, erased."""

from __future__ import annotations

from typing import Annotated
from uuid import UUID

from fastapi import APIRouter, Query

from brain.types import Memory, Receipt, Revision, above
from cognitive.errors import UnknownMemory
from cognitive.server.auth import ERASING, AgentId, MaxTrust
from cognitive.server.requests import Layer, StrictRoute
from cognitive.turn import RecallHit
from cognitive.wire.models import MAX_IDS, IdsBody, MemoryChanges, RecallBody, RememberBody, StoredMemories

router = APIRouter(prefix="/memories", tags=["memories"], route_class=StrictRoute)


@router.post("", status_code=201, summary="Store memories (remember)")
async def remember(agent_id: AgentId, body: RememberBody, layer: Layer, max_trust: MaxTrust) -> StoredMemories:
    """Their ids in order. Safe to repeat: a memory that is there already keeps its id. Of a trust that the token may
    not give, each gets the most that it may.
    """
    given = [
        each.model_copy(update={"trust": max_trust}) if above(each.trust, max_trust) else each for each in body.memories
    ]
    return StoredMemories(tuple(await layer.remember(agent_id, given)))


@router.post("/search", summary="Look for memories (recall)")
async def recall(agent_id: AgentId, body: RecallBody, layer: Layer) -> tuple[RecallHit, ...]:
    """The best first. A search, though it is a POST: what is asked does not belong into addresses and logs."""
    asked = {name: getattr(body, name) for name in RecallBody.model_fields}
    return await layer.recall(agent_id, **asked)


@router.get("", summary="Read some memories")
async def get(agent_id: AgentId, layer: Layer, id: Annotated[list[UUID], Query(max_length=MAX_IDS)]) -> list[Memory]:
    """Those of these ids that this agent has, in the order asked."""
    return await layer.get(agent_id, id)


@router.get("/{memory_id}", summary="Read a memory")
async def get_one(agent_id: AgentId, memory_id: UUID, layer: Layer) -> Memory:
    """A memory, whole."""
    found = await layer.get(agent_id, [memory_id])
    if not found:
        raise UnknownMemory(f"memory_id: agent {agent_id!r} has no memory {memory_id}")
    return found[0]


@router.patch("/{memory_id}", summary="Change a memory")
async def update(agent_id: AgentId, memory_id: UUID, body: MemoryChanges, layer: Layer, max_trust: MaxTrust) -> Memory:
    """The memory as it is now. Only the fields that are given change; of a memory that is trusted more than what the
    token hands over, none.
    """
    return await layer.update(agent_id, memory_id, by=max_trust, **body.changed_fields())


@router.get("/{memory_id}/revisions", summary="How a memory was changed (revisions)")
async def revisions(agent_id: AgentId, memory_id: UUID, layer: Layer) -> list[Revision]:
    """The latest first, each with what it replaced."""
    return await layer.admin.revisions(agent_id, memory_id)


@router.delete("/{memory_id}", summary="Erase a memory", dependencies=ERASING)
async def forget_one(agent_id: AgentId, memory_id: UUID, layer: Layer) -> Receipt:
    """With all that was derived from it; the receipt counts what went, nothing if there was none."""
    return await layer.forget(agent_id, [memory_id])


@router.post("/forget", summary="Erase some memories (forget)", dependencies=ERASING)
async def forget(agent_id: AgentId, body: IdsBody, layer: Layer) -> Receipt:
    """With all that was derived from them, in one transaction."""
    return await layer.forget(agent_id, body.ids)
