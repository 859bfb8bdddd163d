"""What is kept of an agent's sessions: where they stand, and whole tool outputs."""

from __future__ import annotations

from datetime import UTC, datetime
from uuid import UUID

from brain.artifacts import Artifact, Line, Page
from brain.sessions import Cleared
from cognitive.arguments import require_id, require_label
from cognitive.bootstrap import Parts
from cognitive.errors import InvalidInput, UnknownArtifact
from cognitive.session.recent import Resumed

_PAGE = 8_000  # characters of an artifact at a time, about 2,000 tokens
_MOST_READ = 1_000_000
_MOST_LINES = 200


class Sessions:
    """The part of a layer that keeps sessions."""

    _parts: Parts

    async def resume(self, agent_id: str, session_id: str) -> Resumed | None:
        """All that is needed to go on with a session, from Postgres; None if it never was."""
        require_label("agent_id", agent_id)
        return await self._parts.continuity.resume(agent_id, require_label("session_id", session_id))

    async def end_session(self, agent_id: str, session_id: str) -> bool:
        """Marks a session as ended. False if there is no such session."""
        require_label("agent_id", agent_id)
        return await self._parts.sessions.end(agent_id, require_label("session_id", session_id), datetime.now(UTC))

    async def clear_session(self, agent_id: str, session_id: str) -> Cleared:
        """Removes summary, last messages, plan, artifacts and subtasks of a session; its turns and memories stay."""
        require_label("agent_id", agent_id)
        require_label("session_id", session_id)
        await self._parts.continuity.stop(agent_id)
        return await self._parts.sessions.clear(agent_id, session_id)

    async def artifact(self, agent_id: str, id: UUID, *, start: int = 0, length: int = _PAGE) -> Page:
        """A page of a whole tool output: `length` characters from `start` on; `Page.next` is where the next begins.

        Raises:
            UnknownArtifact: this agent has no such artifact. InvalidInput: a page that cannot be.
        """
        require_label("agent_id", agent_id)
        for name, value, least, most in (("start", start, 0, 2**48), ("length", length, 1, _MOST_READ)):
            _require_between(name, value, least, most)
        page = await self._parts.artifacts.read(agent_id, require_id("id", id), start, length)
        if page is None:
            raise UnknownArtifact(f"id: agent {agent_id!r} has no artifact {id}")
        return page

    async def artifacts(self, agent_id: str, session_id: str) -> tuple[Artifact, ...]:
        """What is kept out of band of a session, oldest first."""
        require_label("agent_id", agent_id)
        return await self._parts.artifacts.of_session(agent_id, require_label("session_id", session_id))

    async def search_artifact(self, agent_id: str, id: UUID, literal: str, limit: int = 20) -> tuple[Line, ...]:
        """The first lines of an artifact that hold a literal, each with where `artifact` can read on from.

        Raises:
            UnknownArtifact: this agent has no such artifact. InvalidInput: a literal that spans lines.
        """
        require_label("agent_id", agent_id)
        _require_between("limit", limit, 1, _MOST_LINES)
        lines = await self._parts.artifacts.search(agent_id, require_id("id", id), literal, limit)
        if lines is None:
            raise UnknownArtifact(f"id: agent {agent_id!r} has no artifact {id}")
        return lines


def _require_between(name: str, value: object, least: int, most: int) -> None:
    if not isinstance(value, int) or not least <= value <= most:
        raise InvalidInput(f"{name}: expected {least} to {most}, got {value!r}")
