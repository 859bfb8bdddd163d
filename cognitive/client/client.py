"""A remote layer: what `CognitiveLayer` does, asked of a server."""

from __future__ import annotations

import logging
from collections.abc import AsyncIterator, Iterator, Sequence
from contextlib import asynccontextmanager
from datetime import UTC, datetime
from typing import Any, TypeVar
from uuid import UUID, uuid4

import httpx

from brain.artifacts import ArtifactPage
from brain.store import Progress
from brain.types import Memory, MemoryType, NewMemory, Receipt
from cognitive.client.namespaces import RemoteAdmin, RemoteExplain, RemotePolicies, RemoteSessions, id_of
from cognitive.client.transport import ApiTransport
from cognitive.degradation import Degradation
from cognitive.errors import InvalidInput
from cognitive.lab.why import Explanation
from cognitive.session.recent import ResumedSession
from cognitive.turn import Message, Outcome, RecallHit, Report, Turn, TurnContext, TurnRef
from cognitive.wire.context import UNPREPARED, PreparedTurn, to_turn_context, without_memory
from cognitive.wire.models import (
    MAX_MEMORIES,
    FitBody,
    IdsBody,
    MemoryChanges,
    RatingBody,
    RecallBody,
    RememberBody,
    SessionEnded,
    StoredMemories,
    WindowView,
)

T = TypeVar("T")

log = logging.getLogger(__name__)

_MAX_CHARACTERS = 1_000_000  # of the memories of one request: within any server's limit
_PRE_TURN_SECONDS = 1.0  # the policy's deadline of 250 ms, and a way there and back
_SECONDS = 60.0
_ATTEMPTS = 4  # over some four seconds: the time of a restart
_IDS_ASKED = 100  # at a time: what an address may hold


class CognitiveClient:
    """A layer on a server; each method does what the layer's method of this name does, and raises what that raises.

    Beyond that, `NotAllowed` is raised for a token that may not, and `StoreUnavailable` while the server is away; only
    `pre_turn` never is: a turn that cannot be prepared goes on without memory. The namespaces
    `sessions`, `policies`, `explain` and `admin` are the layer's, as far as HTTP goes.
    """

    def __init__(self, transport: ApiTransport, pre_turn_seconds: float) -> None:
        self._transport = transport
        self.sessions = RemoteSessions(transport)
        self.policies = RemotePolicies(transport)
        self.explain = RemoteExplain(transport)
        self.admin = RemoteAdmin(transport)
        self._pre_turn_seconds = pre_turn_seconds

    @classmethod
    @asynccontextmanager
    async def open(
        cls,
        url: str = "http://127.0.0.1:8765",
        *,
        token: str | None = None,
        seconds: float = _SECONDS,
        pre_turn_seconds: float = _PRE_TURN_SECONDS,
        attempts: int = _ATTEMPTS,
    ) -> AsyncIterator[CognitiveClient]:
        """A client of the server at a URL, or at `unix:/path/of/its/socket`. Connects when it is first asked.

        A call may take so many `seconds`, and is tried `attempts` times while the server is busy or away; `pre_turn`
        is tried once and may take `pre_turn_seconds`, and then goes on without memory.
        """
        path = url.removeprefix("unix:") if url.startswith("unix:") else None
        async with httpx.AsyncClient(
            base_url=url if path is None else "http://localhost",
            transport=httpx.AsyncHTTPTransport(uds=path) if path is not None else None,
            headers={"Authorization": f"Bearer {token}"} if token is not None else {},
            timeout=seconds,
            verify=url.startswith(
                "https:"
            ),  # else all authorities are read, some 20 ms, and nobody shows a certificate
            trust_env=False,  # a proxy of the environment's would be told the token and the memories
        ) as http:
            yield cls(ApiTransport(http, seconds, attempts), pre_turn_seconds)

    # --- turns ---

    async def pre_turn(self, turn: Turn) -> TurnContext:
        """What the model should see in this turn; without memory, and `degraded` says why, if the server is away."""
        turn_id = turn.turn_id or str(uuid4())
        named = turn.model_copy(update={"turn_id": turn_id})
        try:
            prepared: PreparedTurn = await self._transport.request_once(
                PreparedTurn, "POST", "agents", turn.agent_id, "turns", body=named, seconds=self._pre_turn_seconds
            )
            return to_turn_context(prepared)
        except Exception as error:  # whatever went wrong, the agent's turn goes on
            log.warning("pre_turn goes on without memory: %s: %s", type(error).__name__, error)
            because = Degradation("server_failed", f"{type(error).__name__}: {error}")
            return without_memory(named, turn_id, turn.now or datetime.now(UTC), because)

    async def fit(
        self, context: TurnContext, conversation: Sequence[Message], *, iteration: int | None = None
    ) -> WindowView:
        """The window over a conversation that has grown within a turn; `messages` of it are what the model should see.

        Raises:
            InvalidInput: a conversation of something else than messages.
        """
        body = FitBody(
            session_id=context.session_id,
            message=context.message,
            conversation=tuple(conversation),
            model=context.language_model,
            plan_step=context.plan_step,
            iteration=iteration,
        )
        return await self._of_turn(WindowView, "POST", context, "window", body=body)

    async def post_turn(self, context: TurnContext | TurnRef, outcome: Outcome) -> Report:
        """Learns from a turn's outcome, once, whatever is retried. Returns after the server's commit.

        Of a turn that was not prepared the server may know nothing; it showed nothing, so there is nothing to learn:
        then `recorded` is False.
        """
        try:
            return await self._of_turn(Report, "PUT", context, "outcome", body=outcome)
        except InvalidInput:
            if isinstance(context, TurnContext) and UNPREPARED in context.plan.reasons:
                return Report(context.turn_id, (), recorded=False)
            raise

    async def why(self, agent_id: str, turn_id: str, memory_id: UUID) -> Explanation:
        """Why a memory was shown in a turn, or why it was not."""
        return await self._of_turn(Explanation, "GET", TurnRef(agent_id, turn_id), "memories", id_of(memory_id))

    async def rate(self, agent_id: str, turn_id: str, memory_id: UUID, *, useful: bool) -> None:
        """Counts somebody's explicit verdict on a memory that a turn showed."""
        turn, body = TurnRef(agent_id, turn_id), RatingBody(useful=useful)
        await self._of_turn(type(None), "PUT", turn, "memories", id_of(memory_id), "rating", body=body)

    # --- memories ---

    async def remember(
        self, agent_id: str, memories: Sequence[NewMemory], *, progress: Progress | None = None
    ) -> list[UUID]:
        """Stores memories, some at a time, and returns their ids in order."""
        ids = list[UUID]()
        for some in _portions(memories):
            stored = await self._of(StoredMemories, "POST", agent_id, "memories", body=RememberBody(memories=some))
            ids += stored.ids
            if progress is not None:
                progress(len(ids), len(memories))
        return ids

    async def recall(
        self,
        agent_id: str,
        query: str,
        memory_type: MemoryType | None = None,
        limit: int = 10,
        turn_id: str | None = None,
        now: datetime | None = None,
        *,
        tags: Sequence[str] = (),
        session_id: str | None = None,
        since: datetime | None = None,
        until: datetime | None = None,
    ) -> tuple[RecallHit, ...]:
        """Memories for a query of the model's own, best first."""
        body = RecallBody(
            query=query,
            memory_type=memory_type,
            limit=limit,
            turn_id=turn_id,
            now=now,
            tags=tuple(tags),
            session_id=session_id,
            since=since,
            until=until,
        )
        return await self._of(tuple[RecallHit, ...], "POST", agent_id, "memories", "search", body=body)

    async def get(self, agent_id: str, ids: Sequence[UUID]) -> list[Memory]:
        """The memories of these ids that this agent has, in the order asked."""
        found = list[Memory]()
        for first in range(0, len(ids), _IDS_ASKED):
            query = {"id": [id_of(id) for id in ids[first : first + _IDS_ASKED]]}
            found += await self._of(list[Memory], "GET", agent_id, "memories", query=query)
        return found

    async def update(self, agent_id: str, id: UUID, **changes: Any) -> Memory:
        """Changes fields of a memory."""
        body = MemoryChanges(**changes).model_dump(mode="json", exclude_unset=True)
        return await self._of(Memory, "PATCH", agent_id, "memories", id_of(id), body=body)

    async def forget(self, agent_id: str, ids: Sequence[UUID]) -> Receipt:
        """Erases memories with all that was derived from them, in one transaction."""
        return await self._of(Receipt, "POST", agent_id, "memories", "forget", body=IdsBody(ids=tuple(ids)))

    async def erase_agent(self, agent_id: str) -> Receipt:
        """Erases everything of an agent; takes an admin's token."""
        return await self._of(Receipt, "DELETE", agent_id)

    # --- sessions ---

    async def resume(self, agent_id: str, session_id: str) -> ResumedSession | None:
        """All that is needed to go on with a session; None if it never was."""
        wanted: type[Any] = ResumedSession | None  # type: ignore[assignment]  # a type, though not a class
        found: ResumedSession | None = await self._of(wanted, "GET", agent_id, "sessions", session_id)
        return found

    async def end_session(self, agent_id: str, session_id: str) -> bool:
        """Marks a session as ended. False if there is no such session."""
        return (await self._of(SessionEnded, "POST", agent_id, "sessions", session_id, "end")).ended

    async def artifact(self, agent_id: str, id: UUID, *, start: int = 0, length: int = 8_000) -> ArtifactPage:
        """A page of a whole tool output."""
        query = {"start": start, "length": length}
        return await self._of(ArtifactPage, "GET", agent_id, "artifacts", id_of(id), query=query)

    async def _of(self, returns: type[T], method: str, agent_id: str, *path: str, **sent: Any) -> T:
        return await self._transport.request(returns, method, "agents", agent_id, *path, **sent)

    async def _of_turn(self, returns: type[T], method: str, turn: TurnContext | TurnRef, *path: str, **sent: Any) -> T:
        return await self._of(returns, method, turn.agent_id, "turns", turn.turn_id, *path, **sent)


def _portions(memories: Sequence[NewMemory]) -> Iterator[tuple[NewMemory, ...]]:
    """Memories in requests that any server takes: bounded by number and by characters."""
    portion, characters = list[NewMemory](), 0
    for memory in memories:
        size = len(memory.content) + len(memory.context)
        if portion and (len(portion) == MAX_MEMORIES or characters + size > _MAX_CHARACTERS):
            yield tuple(portion)
            portion, characters = [], 0
        portion.append(memory)
        characters += size
    if portion:
        yield tuple(portion)
