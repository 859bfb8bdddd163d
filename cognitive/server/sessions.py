"""Sessions: taken up again, ended, cleared; and the whole outputs that they keep."""

from __future__ import annotations

import json
from typing import Annotated, Any
from uuid import UUID

from fastapi import APIRouter, Path, Query
from starlette.responses import JSONResponse

from brain.artifacts import Artifact, ArtifactPage, MatchingLine
from brain.sessions import ClearedSession
from brain.types import Label
from cognitive.server.auth import ERASING, AgentId
from cognitive.server.requests import Layer, StrictRoute
from cognitive.session.recent import ResumedSession
from cognitive.wire.models import LineBody, SessionEnded


class Escaped(JSONResponse):
    """JSON in ASCII: what tools gave out may hold halves of characters, which UTF-8 cannot say and JSON can."""

    def render(self, content: Any) -> bytes:
        """The content as bytes."""
        return json.dumps(content, allow_nan=False, separators=(",", ":")).encode("ascii")


router = APIRouter(tags=["sessions"], route_class=StrictRoute, default_response_class=Escaped)

SessionId = Annotated[Label, Path(description="As the host named it.")]


@router.get("/sessions/{session_id:name}", summary="Go on with a session (resume)")
async def resume(agent_id: AgentId, session_id: SessionId, layer: Layer) -> ResumedSession | None:
    """Its summary, plan and last messages, valid as they stand; null if it never was."""
    return await layer.resume(agent_id, session_id)


@router.post("/sessions/{session_id:name}/end", summary="Mark a session as ended")
async def end_session(agent_id: AgentId, session_id: SessionId, layer: Layer) -> SessionEnded:
    """Safe to repeat."""
    return SessionEnded(await layer.end_session(agent_id, session_id))


@router.delete("/sessions/{session_id:name}", summary="Clear a session", dependencies=ERASING)
async def clear_session(agent_id: AgentId, session_id: SessionId, layer: Layer) -> ClearedSession:
    """Removes its summary, last messages, plan, artifacts and subtasks; its turns and memories stay."""
    return await layer.sessions.clear(agent_id, session_id)


@router.get("/sessions/{session_id:name}/artifacts", summary="What is kept of a session out of the prompt")
async def artifacts(agent_id: AgentId, session_id: SessionId, layer: Layer) -> tuple[Artifact, ...]:
    """Oldest first, without their texts."""
    return await layer.sessions.artifacts(agent_id, session_id)


@router.get("/artifacts/{id}", summary="Read a page of a whole tool output")
async def artifact(
    agent_id: AgentId,
    id: UUID,
    layer: Layer,
    start: Annotated[int, Query(ge=0, le=2**48)] = 0,
    length: Annotated[int, Query(ge=1, le=1_000_000)] = 8_000,
) -> ArtifactPage:
    """`length` characters from `start` on; at the end, fewer."""
    return await layer.artifact(agent_id, id, start=start, length=length)


@router.post("/artifacts/{id}/search", summary="Look for lines of a whole tool output")
async def search_artifact(agent_id: AgentId, id: UUID, body: LineBody, layer: Layer) -> tuple[MatchingLine, ...]:
    """The first lines that hold a literal, each with where reading can go on."""
    return await layer.sessions.search_artifact(agent_id, id, body.literal, body.limit)
