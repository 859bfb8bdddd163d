"""Routes for sessions: resume, end and clear them, and read their artifacts."""

from __future__ import annotations

import json
from typing import Annotated, Any
from uuid import UUID

from fastapi import APIRouter, Path, Query
from starlette.responses import JSONResponse

from brain.artifacts import Artifact, ArtifactPage, MatchingLine
from brain.sessions import ClearedSession, SessionSummary
from brain.types import Label, Moment
from cognitive.server.auth import ERASING, AgentId, Identified
from cognitive.server.requests import Layer, StrictRoute
from cognitive.server.users import UserOfQuery, ViewOfQuery, user_of
from cognitive.session.recent import ResumedSession
from cognitive.wire.models import LineBody
from cognitive.wire.responses import SessionEnded


class Escaped(JSONResponse):
    """A JSON response in ASCII. Outputs of tools may contain half of a surrogate pair, which UTF-8 cannot encode."""

    def render(self, content: Any) -> bytes:
        """Return the content as JSON in bytes."""
        return json.dumps(content, allow_nan=False, separators=(",", ":")).encode("ascii")


router = APIRouter(tags=["sessions"], route_class=StrictRoute, default_response_class=Escaped)

SessionId = Annotated[Label, Path(description="The session's id, chosen by the host; percent-encoded.")]


@router.get("/sessions", summary="List sessions")
async def sessions(
    agent_id: AgentId,
    layer: Layer,
    view: ViewOfQuery,
    limit: Annotated[int, Query(ge=1, le=500)] = 50,
    offset: Annotated[int, Query(ge=0, le=2**31)] = 0,
    words: Annotated[Label | None, Query(max_length=200, description="Words that the ids contain.")] = None,
    since: Annotated[Moment | None, Query(description="Last used from this time on.")] = None,
    until: Annotated[Moment | None, Query(description="Last used before this time.")] = None,
    ended: Annotated[bool | None, Query(description="Only sessions that were ended, or that were not.")] = None,
) -> tuple[SessionSummary, ...]:
    """Return a page of the agent's sessions, the last used first."""
    return await layer.sessions.list(
        agent_id, limit, offset, words=words, since=since, until=until, ended=ended, user_id=view
    )


@router.get("/sessions/{session_id:name}", summary="Resume a session (resume)")
async def resume(agent_id: AgentId, session_id: SessionId, layer: Layer, user_id: UserOfQuery) -> ResumedSession | None:
    """Return the summary, plan and last messages of a session, so that a new process can continue it.

    The response is null if the session does not exist.
    """
    return await layer.resume(agent_id, session_id, user_id=user_id)


@router.post("/sessions/{session_id:name}/end", summary="Mark a session as ended")
async def end_session(agent_id: AgentId, session_id: SessionId, layer: Layer, user_id: UserOfQuery) -> SessionEnded:
    """Mark a session as ended. The request may be repeated."""
    return SessionEnded(await layer.end_session(agent_id, session_id, user_id=user_id))


@router.delete("/sessions/{session_id:name}", summary="Clear a session", dependencies=ERASING)
async def clear_session(agent_id: AgentId, session_id: SessionId, layer: Layer, user_id: UserOfQuery) -> ClearedSession:
    """Remove the session's summary, last messages, plan, artifacts and subtasks. Its turns and memories stay."""
    return await layer.sessions.clear(agent_id, session_id, user_id=user_id)


@router.get("/sessions/{session_id:name}/artifacts", summary="List the artifacts of a session")
async def artifacts(
    agent_id: AgentId, session_id: SessionId, layer: Layer, user_id: UserOfQuery
) -> tuple[Artifact, ...]:
    """Return the session's artifacts (long texts stored outside the prompt), oldest first, without their texts."""
    return await layer.sessions.artifacts(agent_id, session_id, user_id=user_id)


@router.get("/artifacts/{id}", summary="Read a page of an artifact")
async def artifact(
    agent_id: AgentId,
    id: UUID,
    layer: Layer,
    user_id: UserOfQuery,
    start: Annotated[int, Query(ge=0, le=2**48)] = 0,
    length: Annotated[int, Query(ge=1, le=1_000_000)] = 8_000,
) -> ArtifactPage:
    """Return a part of an artifact (a long text stored outside the prompt), such as the output of a tool.

    The part begins at the character `start` and has `length` characters, or fewer at the artifact's end.
    """
    return await layer.artifact(agent_id, id, start=start, length=length, user_id=user_id)


@router.post("/artifacts/{id}/search", summary="Search the lines of an artifact")
async def search_artifact(
    agent_id: AgentId, id: UUID, body: LineBody, layer: Layer, caller: Identified
) -> tuple[MatchingLine, ...]:
    """Return the first lines of an artifact (a long text stored outside the prompt) that contain a string.

    Each line comes with its character position, from which the artifact can be read.
    """
    user_id = user_of(caller, body.user_id)
    return await layer.sessions.search_artifact(agent_id, id, body.literal, body.limit, user_id=user_id)
