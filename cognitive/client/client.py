"""A client for a memory layer that runs on a server, with the methods of `CognitiveLayer`."""

from __future__ import annotations

import logging
from collections.abc import AsyncIterator, Mapping, Sequence
from contextlib import asynccontextmanager
from datetime import UTC, datetime
from typing import Any, TypeVar
from uuid import UUID, uuid4

import httpx
from pydantic_core import to_json

from brain.artifacts import ArtifactPage
from brain.ports import Progress
from brain.receipts import Receipt
from brain.types import Memory, MemoryType, NewMemory
from brain.users import UserId
from cognitive.client.namespaces import RemoteAdmin, RemoteExplain, RemotePolicies, RemoteSessions, RemoteUpkeep, id_of
from cognitive.client.transport import ApiTransport, portions, view_fields, view_query
from cognitive.degradation import Degradation
from cognitive.errors import InvalidInput
from cognitive.feedback.conversations import RememberedConversation
from cognitive.lab.why import Explanation
from cognitive.recall_hits import RecallHits
from cognitive.session.recent import ResumedSession
from cognitive.turn import Message, Outcome, Report, Turn, TurnContext, TurnRef
from cognitive.validation import require_sequence
from cognitive.window.output.json_values import jsonable
from cognitive.wire.context import UNPREPARED, PreparedTurn, to_turn_context, without_memory
from cognitive.wire.models import ConversationBody, FitBody, IdsBody, MemoryChanges, MergeBody, RatingBody, RecallBody
from cognitive.wire.responses import FoundMemories, SessionEnded, StoredMemories, WindowView

T = TypeVar("T")

log = logging.getLogger(__name__)

_PRE_TURN_SECONDS = 1.0  # the policy's deadline of 250 ms, plus the network
_SECONDS = 60.0
_ATTEMPTS = 4  # over about four seconds: the time of a server's restart
_IDS_PER_REQUEST = 100  # fit into a URL


class CognitiveClient:
    """Calls a memory layer that runs on a server. Its methods are those of `CognitiveLayer`, and raise the same errors.

    In addition, a method raises `NotAllowed` if the token does not permit the call, and `StoreUnavailable` if the
    server cannot be reached. Only `pre_turn` raises neither of them: if a turn cannot be prepared, it continues without
    memory. The namespaces `sessions`, `policies`, `explain`, `upkeep` and `admin` have the methods that the server
    offers over HTTP.
    """

    def __init__(self, transport: ApiTransport, pre_turn_seconds: float) -> None:
        self._transport = transport
        self.sessions = RemoteSessions(transport)
        self.policies = RemotePolicies(transport)
        self.explain = RemoteExplain(transport)
        self.upkeep = RemoteUpkeep(transport)
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
        """Open a client of the server at a URL, or at `unix:/path/of/its/socket`. The first call connects.

        A call is attempted up to `attempts` times while the server is busy or cannot be reached, and each attempt may
        take `seconds`. `pre_turn` is attempted once, for at most `pre_turn_seconds`, and then continues without memory.

        Raises:
            InvalidInput: the URL does not begin with http://, https:// or unix:.
        """
        path = url.removeprefix("unix:") if url.startswith("unix:") else None
        if path is None and not url.startswith(("http://", "https://")):
            raise InvalidInput(f"url: {url!r} has no http:// or https://; write http://127.0.0.1:8765")
        async with httpx.AsyncClient(
            base_url=url if path is None else "http://localhost",
            transport=httpx.AsyncHTTPTransport(uds=path) if path is not None else None,
            headers={"Authorization": f"Bearer {token}"} if token is not None else {},
            timeout=seconds,
            # loading the certificate authorities takes about 20 ms, and only https needs them
            verify=url.startswith("https:"),
            trust_env=False,  # a proxy set in the environment would see the token and the memories
        ) as http:
            yield cls(ApiTransport(http, seconds, attempts), pre_turn_seconds)

    # --- turns ---

    async def pre_turn(self, turn: Turn) -> TurnContext:
        """Prepare a turn, and return the memories, conversation and tools that the model should see in this turn.

        If the server cannot prepare the turn in time, the turn has no memories, and `degraded` has the reason.
        """
        turn_id = turn.turn_id or str(uuid4())
        named = turn.model_copy(update={"turn_id": turn_id})
        try:
            prepared: PreparedTurn = await self._transport.request_once(
                PreparedTurn, "POST", "agents", turn.agent_id, "turns", body=named, seconds=self._pre_turn_seconds
            )
            return to_turn_context(prepared)
        except Exception as error:  # the agent's turn must go on
            log.warning("pre_turn continues without memory: %s: %s", type(error).__name__, error)
            reason = Degradation("server_failed", f"{type(error).__name__}: {error}")
            if isinstance(error, InvalidInput):  # the id may be another turn's, which must not get this outcome
                turn_id = str(uuid4())
            return without_memory(named, turn_id, turn.now or datetime.now(UTC), reason)

    async def fit(
        self, context: TurnContext, conversation: Sequence[Message], *, iteration: int | None = None
    ) -> WindowView:
        """Fit a conversation that has grown within a turn into the model's context, and return the result.

        Call it before the model is called again in the turn, and send the result's `messages` to the model. `iteration`
        is the number of the model call within the turn.

        Raises:
            InvalidInput: an element of the conversation is not a message.
        """
        body = FitBody(
            session_id=context.session_id,
            message=context.message,
            conversation=tuple(conversation),
            model=context.language_model,
            plan_step=context.plan_step,
            iteration=iteration,
            user_id=context.user_id,
        )
        return await self._of_turn(WindowView, "POST", context, "window", body=body)

    async def post_turn(self, context: TurnContext | TurnRef, outcome: Outcome) -> Report:
        """Record a turn's outcome, from which the layer learns. Return after the server has committed it.

        A repeated call has no further effect. `recorded` of the result is False for a turn that `pre_turn` could not
        prepare and the server does not know. Such a turn showed no memories, so nothing can be learned from it.
        """
        try:
            query = view_query(context.user_id)
            return await self._of_turn(Report, "PUT", context, "outcome", body=_to_json(outcome), query=query)
        except InvalidInput:
            if isinstance(context, TurnContext) and UNPREPARED in context.plan.reasons:
                return Report(context.turn_id, (), recorded=False)
            raise

    async def why(self, agent_id: str, turn_id: str, memory_id: UUID, *, user_id: str | None = None) -> Explanation:
        """Explain why a memory was shown in a turn, or why it was not."""
        path = "turns", turn_id, "memories", id_of(memory_id)
        return await self._of(Explanation, "GET", agent_id, *path, query=view_query(user_id))

    async def rate(
        self, agent_id: str, turn_id: str, memory_id: UUID, *, useful: bool, user_id: str | None = None
    ) -> None:
        """Store a rating, useful or not, of a memory that a turn showed."""
        path, body = ("turns", turn_id, "memories", id_of(memory_id), "rating"), RatingBody(useful=useful)
        await self._of(type(None), "PUT", agent_id, *path, body=body, query=view_query(user_id))

    # --- memories ---

    async def remember(
        self, agent_id: str, memories: Sequence[NewMemory], *, progress: Progress | None = None
    ) -> list[UUID]:
        """Store memories, in several requests if there are many, and return their ids in the same order.

        `progress` is called after each request with two numbers: the memories stored so far, and all memories.
        """
        ids = list[UUID]()
        for portion in portions(memories):
            body = {"memories": [_named_fields(memory) for memory in portion]}
            stored = await self._of(StoredMemories, "POST", agent_id, "memories", body=body)
            ids += stored.ids
            if progress is not None:
                progress(len(ids), len(memories))
        return ids

    async def remember_conversation(
        self,
        agent_id: str,
        messages: Sequence[Message | Mapping[str, Any]],
        *,
        user_id: str | None = None,
        session_id: str = "imported",
        now: datetime | None = None,
        progress: Progress | None = None,
    ) -> RememberedConversation:
        """Store the exchanges of a conversation, and what is formed from them, unless they are stored already.

        `progress` is called once, with the number of messages.
        """
        body = ConversationBody(
            messages=tuple(Message.model_validate(each) for each in messages),
            session_id=session_id,
            now=now,
            user_id=user_id,
        )
        stored = await self._of(RememberedConversation, "POST", agent_id, "memories", "conversation", body=body)
        if progress is not None:
            progress(len(body.messages), len(body.messages))
        return stored

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
        where: Mapping[str, Any] | None = None,
        as_of: datetime | None = None,
        related_only: bool = False,
        max_lag_seconds: float | None = None,
        user_id: UserId = None,
    ) -> RecallHits:
        """Return the agent's memories that match a query, best first; there are at least `more` further ones.

        `memory_type`, `tags`, `session_id`, `since`, `until` and `where` narrow the search; with `as_of` it finds what
        was visible then, and with `related_only` nothing unrelated. If `turn_id` is given, the memories found are
        recorded as shown in that turn. `now` is the time at which the ages of memories are measured. With
        `max_lag_seconds`, a standby is read if it lags no more.
        """
        body = RecallBody(
            query=query,
            memory_type=memory_type,
            limit=limit,
            turn_id=turn_id,
            now=now,
            tags=tuple(require_sequence("tags", tags, "texts")),
            session_id=session_id,
            since=since,
            until=until,
            where=where,
            as_of=as_of,
            related_only=related_only,
            max_lag_seconds=max_lag_seconds,
            **view_fields(user_id),
        )
        found = await self._of(FoundMemories, "POST", agent_id, "memories", "search", body=body)
        return RecallHits(found.memories, found.more, found.lag_seconds)

    async def get(self, agent_id: str, ids: Sequence[UUID], *, user_id: UserId = None) -> list[Memory]:
        """Return the agent's memories with these ids, in the order of the ids. Unknown ids are left out."""
        memories = list[Memory]()
        for first in range(0, len(ids), _IDS_PER_REQUEST):
            query = view_query(user_id) | {"id": [id_of(id) for id in ids[first : first + _IDS_PER_REQUEST]]}
            memories += await self._of(list[Memory], "GET", agent_id, "memories", query=query)
        return memories

    async def update(self, /, agent_id: str, id: UUID, *, user_id: UserId = None, **changes: Any) -> Memory:
        """Change fields of a memory, given as keyword arguments, and return the changed memory."""
        body = MemoryChanges(**changes).model_dump(mode="json", exclude_unset=True)
        query = view_query(user_id)
        return await self._of(Memory, "PATCH", agent_id, "memories", id_of(id), body=body, query=query)

    async def retire(self, agent_id: str, ids: Sequence[UUID], *, user_id: UserId = None) -> list[Memory]:
        """Hide memories from now on, and return them. `restore` shows them again."""
        body, query = IdsBody(ids=tuple(ids)), view_query(user_id)
        return await self._of(list[Memory], "POST", agent_id, "memories", "retire", body=body, query=query)

    async def restore(self, agent_id: str, ids: Sequence[UUID], *, user_id: UserId = None) -> list[Memory]:
        """Show hidden memories again, as if nothing had hidden them, and return them."""
        body, query = IdsBody(ids=tuple(ids)), view_query(user_id)
        return await self._of(list[Memory], "POST", agent_id, "memories", "restore", body=body, query=query)

    async def merge(self, agent_id: str, ids: Sequence[UUID], into: UUID, *, user_id: UserId = None) -> list[Memory]:
        """Hide memories that say the same as the memory `into`, and return them."""
        body, query = MergeBody(ids=tuple(ids), into=into), view_query(user_id)
        return await self._of(list[Memory], "POST", agent_id, "memories", "merge", body=body, query=query)

    async def forget(self, agent_id: str, ids: Sequence[UUID], *, user_id: UserId = None) -> Receipt:
        """Erase memories and everything derived from them, in one transaction. The receipt counts what was deleted."""
        body, query = IdsBody(ids=tuple(ids)), view_query(user_id)
        return await self._of(Receipt, "POST", agent_id, "memories", "forget", body=body, query=query)

    async def share(self, agent_id: str, ids: Sequence[UUID], *, user_id: UserId) -> list[UUID]:
        """Store a shared copy of each of a user's memories, and return the ids of the copies."""
        body, query = IdsBody(ids=tuple(ids)), view_query(user_id)
        stored = await self._of(StoredMemories, "POST", agent_id, "memories", "share", body=body, query=query)
        return list(stored.ids)

    async def forget_user(self, agent_id: str, user_id: str) -> Receipt:
        """Erase all data of a user of an agent, and return a receipt that counts what was deleted."""
        return await self._of(Receipt, "DELETE", agent_id, "users", user_id)

    async def erase_agent(self, agent_id: str) -> Receipt:
        """Erase all data of an agent, and return a receipt that counts what was deleted. Needs an admin's token."""
        return await self._of(Receipt, "DELETE", agent_id)

    # --- sessions ---

    async def resume(self, agent_id: str, session_id: str, *, user_id: str | None = None) -> ResumedSession | None:
        """Return the summary, plan and last messages of a session, or None if the session does not exist."""
        returns: type[Any] = ResumedSession | None  # type: ignore[assignment]  # a type, though not a class
        path, query = ("sessions", session_id), view_query(user_id)
        resumed: ResumedSession | None = await self._of(returns, "GET", agent_id, *path, query=query)
        return resumed

    async def end_session(self, agent_id: str, session_id: str, *, user_id: str | None = None) -> bool:
        """Mark a session as ended. Return False if the session does not exist."""
        path, query = ("sessions", session_id, "end"), view_query(user_id)
        return (await self._of(SessionEnded, "POST", agent_id, *path, query=query)).ended

    async def artifact(
        self, agent_id: str, id: UUID, *, start: int = 0, length: int = 8_000, user_id: str | None = None
    ) -> ArtifactPage:
        """Return a part of an artifact (a long text stored outside the prompt), such as the output of a tool.

        The part begins at the character `start` and has at most `length` characters.
        """
        query = view_query(user_id) | {"start": start, "length": length}
        return await self._of(ArtifactPage, "GET", agent_id, "artifacts", id_of(id), query=query)

    async def _of(self, returns: type[T], method: str, agent_id: str, *path: str, **content: Any) -> T:
        return await self._transport.request(returns, method, "agents", agent_id, *path, **content)

    async def _of_turn(
        self, returns: type[T], method: str, turn: TurnContext | TurnRef, *path: str, **content: Any
    ) -> T:
        return await self._of(returns, method, turn.agent_id, "turns", turn.turn_id, *path, **content)


def _named_fields(memory: NewMemory) -> dict[str, Any]:
    """Return a memory's fields as JSON, without a user that the caller didn't set: it is then that of the token."""
    unset = {"user_id"} - memory.model_fields_set
    return memory.model_dump(mode="json", exclude=unset)


def _to_json(outcome: Outcome) -> bytes:
    """Return an outcome as JSON. If JSON cannot express a value of a tool call, such values are replaced by texts."""
    try:
        return to_json(outcome)
    except ValueError:
        calls = [
            call.model_copy(update={"arguments": jsonable(call.arguments), "result": jsonable(call.result)})
            for call in outcome.tool_calls
        ]
        return to_json(outcome.model_copy(update={"tool_calls": tuple(calls)}))
