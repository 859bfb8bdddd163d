"""The namespaces of a remote layer: `sessions`, `explain` and `admin`, as far as they are served over HTTP."""

from __future__ import annotations

from typing import Any
from uuid import UUID

from brain.artifacts import Artifact, Line
from brain.sessions import Cleared
from brain.types import Revision
from cognitive.catalog.plans import PastPlan
from cognitive.client.calls import Calls
from cognitive.lab.why import Explanation
from cognitive.validation import require_id
from cognitive.wire.models import LineBody, PlansBody, TurnRow


class RemoteSessions:
    """`client.sessions`."""

    def __init__(self, calls: Calls) -> None:
        self._calls = calls

    async def clear(self, agent_id: str, session_id: str) -> Cleared:
        """Remove summary, last messages, plan, artifacts and subtasks of a session."""
        return await self._calls.call(Cleared, "DELETE", "agents", agent_id, "sessions", session_id)

    async def artifacts(self, agent_id: str, session_id: str) -> tuple[Artifact, ...]:
        """Return what is kept out of band of a session, oldest first."""
        path = ("agents", agent_id, "sessions", session_id, "artifacts")
        return await self._calls.call(tuple[Artifact, ...], "GET", *path)

    async def search_artifact(self, agent_id: str, id: UUID, literal: str, limit: int = 20) -> tuple[Line, ...]:
        """Return the first lines of an artifact that hold a literal."""
        path, body = ("agents", agent_id, "artifacts", id_of(id), "search"), LineBody(literal=literal, limit=limit)
        return await self._calls.call(tuple[Line, ...], "POST", *path, body=body)


class RemoteExplain:
    """`client.explain`."""

    def __init__(self, calls: Calls) -> None:
        self._calls = calls

    async def candidates(self, agent_id: str, turn_id: str) -> list[Explanation]:
        """Return what became of every candidate of a turn, by rank."""
        return await self._calls.call(list[Explanation], "GET", "agents", agent_id, "turns", turn_id, "memories")

    async def turns(self, agent_id: str, limit: int = 20, *, session_id: str | None = None) -> list[TurnRow]:
        """Return the agent's last turns, or those of one session, newest first."""
        query = {"limit": limit} | ({"session_id": session_id} if session_id is not None else {})
        return await self._calls.call(list[TurnRow], "GET", "agents", agent_id, "turns", query=query)

    async def my_plans(self, agent_id: str, message: str | None = None, *, limit: int = 25) -> tuple[PastPlan, ...]:
        """Return what tools the agent's latest turns called; with a message, of turns that asked the like."""
        if message is None:
            path, query = ("agents", agent_id, "plans"), {"limit": limit}
            return await self._calls.call(tuple[PastPlan, ...], "GET", *path, query=query)
        body = PlansBody(message=message, limit=limit)
        return await self._calls.call(tuple[PastPlan, ...], "POST", "agents", agent_id, "plans", "search", body=body)


class RemoteAdmin:
    """`client.admin`."""

    def __init__(self, calls: Calls) -> None:
        self._calls = calls

    async def revisions(self, agent_id: str, id: UUID) -> list[Revision]:
        """Return the changes of a memory, the latest first, each with what it replaced."""
        path = ("agents", agent_id, "memories", id_of(id), "revisions")
        return await self._calls.call(list[Revision], "GET", *path)

    async def context_budgets(self) -> dict[str, Any]:
        """Return what each model can carry."""
        return await self._calls.call(dict[str, Any], "GET", "context-budgets")


def id_of(id: UUID) -> str:
    """Return an id as it stands in a path."""
    return str(require_id("id", id))
