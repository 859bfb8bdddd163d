"""The methods of the layer that store, search, change and erase memories."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from datetime import datetime
from typing import TYPE_CHECKING, Any
from uuid import UUID

from brain.postgres import event_loop
from brain.postgres.breaker import waits_for_recovery
from brain.users import Scope
from cognitive.telemetry.operations import ERASE, FORGET, RECALL, REMEMBER, UPDATE, instrument
from cognitive.validation import called_as

if TYPE_CHECKING:
    from brain.ports import Progress
    from brain.receipts import Receipt
    from brain.types import Memory, MemoryType, NewMemory, Trust
    from brain.users import UserId
    from cognitive.api.memories import AgentMemories
    from cognitive.feedback.conversations import ConversationWriter, RememberedConversation
    from cognitive.recall import Recall
    from cognitive.recall_hits import RecallHits
    from cognitive.telemetry.metrics import Metrics
    from cognitive.turn import Message


class MemoryMethods:
    """The methods of `CognitiveLayer` for memories outside a turn; `CognitiveLayer` inherits them."""

    def __init__(
        self, memories: AgentMemories, conversations: ConversationWriter, recall: Recall, metrics: Metrics
    ) -> None:
        self.loop = event_loop.own()
        self._agent_memories = memories
        self._conversations = conversations
        self._recall = recall
        self._metrics = metrics

    @called_as('remember(agent_id, [NewMemory(type="fact", content="…", user_id="…")])')
    @instrument(REMEMBER)
    @waits_for_recovery
    async def remember(
        self, agent_id: str, memories: Sequence[NewMemory], *, progress: Progress | None = None
    ) -> list[UUID]:
        """Store memories, one transaction per batch, and return their ids in order.

        A memory that already exists is not changed, and its id is returned. Memories are the same if agent, user, type
        and source are equal or, without a source, agent, user, type, speaker, session, time and content.

        Raises:
            InvalidInput: a memory is invalid; the message names it, and nothing of its batch is stored.
        """
        return await self._agent_memories.remember(agent_id, memories, progress=progress)

    @called_as('remember_conversation(agent_id, [{"role": "user", "content": "…"}], user_id="…")')
    @waits_for_recovery
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
        """Store the exchanges of a conversation as captured lines, and the memories that are formed from them.

        `messages` have a role and content, and may have the time `at`; `now` is when the conversation ended. Exchanges
        that are stored already, also from a shorter version of the conversation, are left unchanged. The policy's
        `capture` says which lines are stored; with "off", the user's and the assistant's. A model of the layer reads
        each exchange before it is stored. `progress(done, total)` is called before each exchange and at the end.

        Raises:
            InvalidInput: an id or a message is invalid; nothing is stored.
            StoreUnavailable: Postgres is unavailable; repeat the call.
        """
        scope = Scope.of_one(agent_id, user_id)
        return await self._conversations.remember(scope, messages, session_id, now, progress)

    @called_as('recall(agent_id, "…", limit=10, memory_type="fact", where={…}, user_id="…")')
    @instrument(RECALL)
    @waits_for_recovery
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
        user_id: UserId = None,
        related_only: bool = False,
        max_lag_seconds: float | None = None,
    ) -> RecallHits:
        """Return at most `limit` memories for a query, best first; this is the recall tool of the model.

        The result is a tuple; there are at least as many further memories as its attribute `more` says. Memories with
        nearly the same text are one hit, whose `count` says how many they are.

        Args:
            agent_id: the agent whose memories are searched.
            query: the text to search for.
            memory_type: restricts the search to one type.
            limit: the maximum number of memories, 1 to 200.
            turn_id: the turn in which the model asks. Memories that its prompt already shows are left out, and the
                results count as shown in it.
            now: the time for decay and relative dates; None is the current time.
            tags: only memories with at least one of these tags.
            session_id: only memories of this session.
            since: only memories from this time on.
            until: only memories before this time.
            where: only memories that meet these conditions, as in `{"metadata.priority": {"gte": 3}}`; see
                `brain.filters`.
            as_of: only memories that were visible at this time, which must not be after `now`: they had occurred, and
                were not hidden (superseded, retired, expired, merged) yet.
            user_id: the user whose memories are searched beside the shared ones; None searches shared ones only, and
                `ALL_USERS`, outside of a turn, those of all users.
            related_only: leave out memories that share no word with the query and whose vector is far from it.
            max_lag_seconds: read the standby that COGNITIVE_REPLICA_URL names if it lags no more behind; the result's
                `lag_seconds` says how much, or None if the primary was read. Not within a turn.

        Raises:
            InvalidInput: the query or a filter is invalid; the message names it.
            RecallClosed: the policy disables the tool in this turn.
            WrongEventLoop: as in `pre_turn`.
        """
        event_loop.require(self.loop)
        filters = self._recall.filter(where, tags, session_id, since, until, as_of, now)
        scope = Scope.of(agent_id, user_id)
        return await self._recall.search(
            scope.require_one("a recall within a turn") if turn_id is not None else scope,
            query,
            memory_type,
            limit,
            turn_id,
            now,
            filters,
            related_only=related_only,
            max_lag_seconds=max_lag_seconds,
        )

    @called_as('get(agent_id, [memory_id], user_id="…")')
    async def get(self, agent_id: str, ids: Sequence[UUID], *, user_id: UserId = None) -> list[Memory]:
        """Return the memories with these ids that the view sees, in the order of `ids`; unknown ids are skipped."""
        return await self._agent_memories.get(Scope.of(agent_id, user_id), ids)

    @instrument(UPDATE)
    @waits_for_recovery
    async def update(
        self, /, agent_id: str, id: UUID, *, by: Trust = "host", user_id: UserId = None, **changes: Any
    ) -> Memory:
        """Change fields of a memory and return it.

        All fields of `NewMemory` can be changed except type, session_id, source and supersedes.

        `by` is the trust level of the author, who cannot change a memory with more trust, nor give a memory more trust.

        Raises:
            UnknownMemory: the agent has no such memory.
            InvalidInput: a field that cannot be changed, an invalid value, or a memory with more trust than `by`.
        """
        return await self._agent_memories.update(Scope.of(agent_id, user_id), id, by=by, **changes)

    @called_as('rate(agent_id, turn_id, memory_id, useful=True, user_id="…")')
    @waits_for_recovery
    async def rate(
        self, agent_id: str, turn_id: str, memory_id: UUID, *, useful: bool, user_id: str | None = None
    ) -> None:
        """Store a user's rating of a memory that a turn showed.

        It weighs as much as `feedback.rating_weight` measured showings, by the policy of the turn.

        Raises:
            InvalidInput: the turn did not show this memory.
        """
        await self._agent_memories.rate(Scope.of_one(agent_id, user_id), turn_id, memory_id, useful=useful)

    @waits_for_recovery
    async def retire(
        self, agent_id: str, ids: Sequence[UUID], *, by: Trust = "host", user_id: UserId = None
    ) -> list[Memory]:
        """Hide memories from now on, and return them with their new state; `restore` shows them again.

        `by` is the trust level of the author, who cannot hide or show a memory with more trust.

        Raises:
            UnknownMemory: the agent does not have one of the ids; nothing is changed.
            InvalidInput: a memory is hidden already, or has more trust than `by`; nothing is changed.
        """
        return await self._agent_memories.retire(Scope.of(agent_id, user_id), ids, by=by)

    @waits_for_recovery
    async def merge(
        self, agent_id: str, ids: Sequence[UUID], into: UUID, *, by: Trust = "host", user_id: UserId = None
    ) -> list[Memory]:
        """Hide memories that say the same as the memory `into`, and return them; `restore` shows them again.

        Raises:
            UnknownMemory, InvalidInput: as in `retire`; also if a memory has another type than `into`.
        """
        return await self._agent_memories.merge(Scope.of(agent_id, user_id), ids, into, by=by)

    @waits_for_recovery
    async def restore(
        self, agent_id: str, ids: Sequence[UUID], *, by: Trust = "host", user_id: UserId = None
    ) -> list[Memory]:
        """Show hidden memories again, as if nothing had hidden them, and return them. A past expiry is removed.

        If the user's words corrected the value of one, this undoes the correction: the corrected memory is retired.

        Raises:
            UnknownMemory, InvalidInput: as in `retire`; also if a memory is not hidden.
        """
        return await self._agent_memories.restore(Scope.of(agent_id, user_id), ids, by=by)

    @called_as('forget(agent_id, [memory_id], user_id="…")')
    @instrument(FORGET)
    @waits_for_recovery
    async def forget(self, agent_id: str, ids: Sequence[UUID], *, user_id: UserId = None) -> Receipt:
        """Erase memories and everything derived from them; the receipt counts the deleted and changed rows.

        Their text is removed from turns, from the summaries and last messages of sessions, from artifacts and subtasks,
        from this machine's journal and from the caches of this process. Other memories that state the same, and that a
        caller stored, are kept; the receipt counts them as `restated`.

        Raises:
            UnknownMemory: the agent does not have one of the ids; nothing is erased.
        """
        return await self._agent_memories.forget(Scope.of(agent_id, user_id), ids)

    @waits_for_recovery
    async def share(self, agent_id: str, ids: Sequence[UUID], *, by: Trust = "host", user_id: UserId) -> list[UUID]:
        """Store a shared copy of each of a user's memories, and return the ids of the copies.

        It is for hosts and operators. A copy names its origin in `source`, as `shared:ID`; it is neither pinned nor
        part of a session, and has the same trust. Erasing the origin does not erase it.

        `by` is the trust level of the author, who cannot share a memory with more trust.

        Raises:
            UnknownMemory: the view has no memory with one of the ids; nothing is stored.
            InvalidInput: a memory is shared already, or has more trust than `by`; nothing is stored.
        """
        return await self._agent_memories.share(Scope.of(agent_id, user_id), ids, by=by)

    @instrument(ERASE)
    @waits_for_recovery
    async def forget_user(self, agent_id: str, user_id: str) -> Receipt:
        """Erase all data of a user, in Postgres and in this machine's journal. The receipt counts the erased rows.

        Rows of other users and shared rows stay.
        """
        return await self._agent_memories.forget_user(agent_id, user_id)

    @instrument(ERASE)
    @waits_for_recovery
    async def erase_agent(self, agent_id: str) -> Receipt:
        """Erase all data of an agent, in Postgres and in this machine's journal. The receipt counts the erased rows."""
        return await self._agent_memories.erase_agent(agent_id)
