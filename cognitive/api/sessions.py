"""`layer.sessions`: the stored state of sessions, with stored tool outputs (artifacts) and open turns."""

from __future__ import annotations

from collections.abc import Sequence
from datetime import UTC, datetime
from uuid import UUID

from brain.artifacts import Artifact, ArtifactPage, Artifacts, MatchingLine
from brain.sessions import ClearedSession, SessionFilter, Sessions, SessionSummary
from brain.turns import TurnLog
from brain.users import Scope, UserId
from cognitive.errors import InvalidInput, UnknownArtifact
from cognitive.formation.former import Former
from cognitive.policy.resolver import PolicyResolver
from cognitive.session.conversation import SessionManager
from cognitive.session.recent import ResumedSession
from cognitive.turn import PAGE_CHARACTERS
from cognitive.validation import require_aware, require_id, require_instance, require_label

# A turn may wait this long for its model; an older open turn was probably lost.
RECALL_TURN_MAX_AGE_MINUTES = 10.0
_MAX_PAGE_CHARACTERS = 1_000_000
_MAX_LINES = 200
_MAX_SESSIONS = 500  # of one page


class SessionsApi:
    """Reads, ends and clears the stored sessions of agents. Methods raise InvalidInput for an invalid argument."""

    def __init__(
        self,
        sessions: Sessions,
        artifacts: Artifacts,
        session_manager: SessionManager,
        turns: TurnLog,
        policies: PolicyResolver,
        former: Former,
    ) -> None:
        self._sessions = sessions
        self._artifacts = artifacts
        self._session_manager = session_manager
        self._turns = turns
        self._policies = policies
        self._former = former

    async def list(
        self,
        agent_id: str,
        limit: int = 50,
        offset: int = 0,
        *,
        words: str | None = None,
        since: datetime | None = None,
        until: datetime | None = None,
        ended: bool | None = None,
        user_id: UserId = None,
    ) -> tuple[SessionSummary, ...]:
        """Return at most `limit` sessions of a view from position `offset`, the last used first.

        Only sessions whose ids contain all `words`, that were last used from `since` on and before `until`, and that
        were ended or, with `ended` False, were not.

        Raises:
            InvalidInput: `limit` is not 1 to 500, `offset` is negative, or a time has no time zone.
        """
        scope = Scope.of(agent_id, user_id)
        for name, value, minimum, maximum in (("limit", limit, 1, _MAX_SESSIONS), ("offset", offset, 0, 2**31)):
            _require_between(name, value, minimum, maximum)
        for name, at in (("since", since), ("until", until)):
            require_aware(name, at)
        if words is not None:
            require_label("words", words)
        return tuple(await self._sessions.page(scope, limit, offset, SessionFilter(words, since, until, ended)))

    async def resume(self, agent_id: str, session_id: str, *, user_id: str | None = None) -> ResumedSession | None:
        """Return the state from which a session continues: summary, last messages and plan.

        The result is None for an unknown session.
        """
        scope = Scope.of_one(agent_id, user_id)
        return await self._session_manager.resume(scope, require_label("session_id", session_id))

    async def end(self, agent_id: str, session_id: str, *, user_id: str | None = None) -> bool:
        """Mark a session as ended; return False if there is no such session."""
        scope = Scope.of_one(agent_id, user_id)
        self._former.end_session(scope, require_label("session_id", session_id))
        return await self._sessions.end(scope, session_id, datetime.now(UTC))

    async def clear(self, agent_id: str, session_id: str, *, user_id: str | None = None) -> ClearedSession:
        """Delete the summary, last messages, plan, artifacts and subtasks of a session; its turns and memories stay."""
        scope = Scope.of_one(agent_id, user_id)
        require_label("session_id", session_id)
        await self._session_manager.writer.stop(*scope.key, session_id)
        return await self._sessions.clear(scope, session_id)

    async def open_turns(
        self, agent_id: str, session_id: str | None = None, *, user_id: str | None = None
    ) -> Sequence[str]:
        """Return the id of each session's latest turn without an outcome, or only of that in `session_id`.

        Turns older than ten minutes are ignored.
        """
        scope = Scope.of_one(agent_id, user_id)
        return await self._turns.latest_open(scope, session_id, RECALL_TURN_MAX_AGE_MINUTES)

    async def artifact(
        self, agent_id: str, id: UUID, *, start: int = 0, length: int = PAGE_CHARACTERS, user_id: str | None = None
    ) -> ArtifactPage:
        """Return a page of a stored tool output: at most `length` characters from offset `start`.

        Raises:
            UnknownArtifact: the agent has no such artifact.
            InvalidInput: `start` or `length` is out of range.
        """
        scope = Scope.of_one(agent_id, user_id)
        for name, value, minimum, maximum in (("start", start, 0, 2**48), ("length", length, 1, _MAX_PAGE_CHARACTERS)):
            _require_between(name, value, minimum, maximum)
        page = await self._artifacts.read(scope, require_id("id", id), start, length)
        if page is None:
            raise UnknownArtifact(f"id: agent {agent_id!r} has no artifact {id}")
        return page

    async def artifacts(self, agent_id: str, session_id: str, *, user_id: str | None = None) -> tuple[Artifact, ...]:
        """Return the stored tool outputs of a session, oldest first, without their text."""
        scope = Scope.of_one(agent_id, user_id)
        return await self._artifacts.list_by_session(scope, require_label("session_id", session_id))

    async def search_artifact(
        self, agent_id: str, id: UUID, literal: str, limit: int = 20, *, user_id: str | None = None
    ) -> tuple[MatchingLine, ...]:
        """Return the first `limit` lines of a stored tool output that contain the text `literal`.

        Each line has the offset of the text in the output. `artifact` takes the offset as `start`, to read from there.

        Raises:
            UnknownArtifact: the agent has no such artifact.
            InvalidInput: the text contains a line break.
        """
        scope = Scope.of_one(agent_id, user_id)
        _require_between("limit", limit, 1, _MAX_LINES)
        require_instance("literal", literal, str, "a text of one line")
        lines = await self._artifacts.search(scope, require_id("id", id), literal, limit)
        if lines is None:
            raise UnknownArtifact(f"id: agent {agent_id!r} has no artifact {id}")
        return lines


def _require_between(name: str, value: object, minimum: int, maximum: int) -> None:
    if not isinstance(value, int) or not minimum <= value <= maximum:
        raise InvalidInput(f"{name}: expected {minimum} to {maximum}, got {value!r}")
