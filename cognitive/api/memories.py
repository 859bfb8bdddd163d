"""Store, read, change, rate and erase the memories of agents."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import replace
from datetime import UTC, datetime
from typing import Any
from uuid import UUID

from brain.erasure.erasing import Eraser
from brain.erasure.retention import Retained
from brain.filters import MemoryFilter
from brain.states import MemoryStates
from brain.store import MemoryStore, Progress
from brain.turn_records import UsageWeights
from brain.turns import TurnLog
from brain.types import Erasure, Memory, MemoryType, NewMemory, Receipt, Revision, Trust, above
from cognitive.background import BackgroundQueue
from cognitive.errors import InvalidInput
from cognitive.feedback.attribute import planned_under, weights
from cognitive.feedback.outcomes import OutcomeRecorder
from cognitive.policy.resolver import PolicyResolver
from cognitive.privacy.erasure_listeners import ErasureListeners, all_texts
from cognitive.privacy.retention_schedule import RetentionScheduler
from cognitive.session.conversation import SessionManager
from cognitive.validation import require_aware, require_id, require_label


class AgentMemories:
    """Stores, reads, changes and erases the memories of agents. Methods raise InvalidInput for an invalid argument."""

    def __init__(
        self,
        store: MemoryStore,
        states: MemoryStates,
        erasing: Eraser,
        turns: TurnLog,
        policies: PolicyResolver,
        outcomes: OutcomeRecorder,
        settling: BackgroundQueue,
        session_manager: SessionManager,
        erasure_listeners: ErasureListeners,
        retention: RetentionScheduler,
    ) -> None:
        self._store = store
        self._states = states
        self._erasing = erasing
        self._turns = turns
        self._policies = policies
        self._outcomes = outcomes
        self._settling = settling
        self._session_manager = session_manager
        self._erasure_listeners = erasure_listeners
        self._retention = retention

    async def remember(
        self, agent_id: str, memories: Sequence[NewMemory], *, progress: Progress | None = None
    ) -> list[UUID]:
        """Store memories, one transaction per batch, and return their ids in order; see `MemoryStore.remember`.

        `progress(done, total)` is called after each batch.
        """
        require_label("agent_id", agent_id)
        for memory in memories:
            if not isinstance(memory, NewMemory):
                raise InvalidInput(f"memories: expected NewMemory values, got {type(memory).__name__}")
        now = datetime.now(UTC)
        for memory in memories:
            memory.require_expiry_after(memory.occurred_at or now)
        return await self._store.remember(agent_id, memories, now=now, progress=progress)

    async def get(self, agent_id: str, ids: Sequence[UUID]) -> list[Memory]:
        """Return the agent's memories with these ids, in the order of `ids`; unknown ids are skipped."""
        wanted = [require_id("ids", id) for id in ids]
        return await self._store.get(require_label("agent_id", agent_id), wanted)

    async def find_by_source(self, agent_id: str, type_: MemoryType, sources: Sequence[str]) -> list[Memory]:
        """Return the agent's memories of one type whose `source` is one of `sources`, oldest first."""
        for source in sources:
            require_label("sources", source)
        return await self._store.find_by_source(require_label("agent_id", agent_id), type_, sources)

    async def find(
        self, agent_id: str, where: Mapping[str, Any] | None = None, limit: int = 100, offset: int = 0
    ) -> list[Memory]:
        """Return at most `limit` memories of an agent that meet the conditions, oldest first, from position `offset`.

        `where` is a filter as in `{"tags": {"in": ["billing"]}}` (see `brain.filters`); None admits all memories.
        Hidden memories are listed too.
        """
        wanted = MemoryFilter.parse(where)
        if limit < 0 or offset < 0:
            raise InvalidInput(f"limit, offset: expected numbers from 0, got {limit} and {offset}")
        return await self._store.find(require_label("agent_id", agent_id), wanted, limit, offset)

    async def update(self, agent_id: str, id: UUID, *, by: Trust = "host", **changes: Any) -> Memory:
        """Change fields of a memory and return it.

        `by` is the trust of the person or program that makes the change.

        Raises:
            InvalidInput: a field cannot be changed, or the memory's trust is higher than `by`, before or after the
                change.
        """
        fixed = {"type", "session_id", "source", "supersedes"} & changes.keys()
        if fixed:
            raise InvalidInput(f"update: {', '.join(sorted(fixed))} cannot be changed")
        require_label("agent_id", agent_id)
        return await self._store.update(agent_id, require_id("id", id), lambda found: _changed(found, changes, by))

    async def retire(self, agent_id: str, ids: Sequence[UUID], *, by: Trust = "host") -> list[Memory]:
        """Hide memories from now on, and return them; see `MemoryStates.retire`."""
        wanted = _wanted(agent_id, ids)
        await self._states.retire(agent_id, wanted, by=by, now=datetime.now(UTC))
        return await self._store.get(agent_id, wanted)

    async def restore(self, agent_id: str, ids: Sequence[UUID], *, by: Trust = "host") -> list[Memory]:
        """Show hidden memories again, and return them; see `MemoryStates.restore`."""
        wanted = _wanted(agent_id, ids)
        await self._states.restore(agent_id, wanted, by=by, now=datetime.now(UTC))
        return await self._store.get(agent_id, wanted)

    async def merge(self, agent_id: str, ids: Sequence[UUID], into: UUID, *, by: Trust = "host") -> list[Memory]:
        """Hide memories that say the same as the memory `into`, and return them; see `MemoryStates.merge`."""
        wanted = _wanted(agent_id, ids)
        await self._states.merge(agent_id, wanted, require_id("into", into), by=by, now=datetime.now(UTC))
        return await self._store.get(agent_id, wanted)

    async def revisions(self, agent_id: str, id: UUID) -> list[Revision]:
        """Return the last 100 changes of a memory, latest first, each with the values before the change."""
        return await self._store.revisions(require_label("agent_id", agent_id), require_id("id", id))

    async def forget(self, agent_id: str, ids: Sequence[UUID]) -> Receipt:
        """Erase memories and everything derived from them; return the numbers of deleted rows."""
        wanted = _wanted(agent_id, ids)
        remains = await self._erasing.remains(agent_id, wanted)
        await self._settling.wait_for(agent_id)
        await self._session_manager.wait_for(agent_id)  # pending writes must be stored before they are searched
        journaled = await self._outcomes.forget(agent_id, remains)
        receipt = replace(await self._erasing.memories(agent_id, wanted), journaled=journaled)
        self._erasure_listeners.notify(agent_id, remains.contains_any)
        return receipt

    async def erase_agent(self, agent_id: str) -> Receipt:
        """Erase all data of an agent, in Postgres and in this machine's journal; return the numbers of deleted rows."""
        await self._settling.wait_for(require_label("agent_id", agent_id))
        journaled = await self._outcomes.erase(agent_id)
        await self._session_manager.stop(agent_id)
        receipt = replace(await self._erasing.agent(agent_id), journaled=journaled)
        self._policies.forget(agent_id)
        self._erasure_listeners.notify(agent_id, all_texts)
        return receipt

    async def apply_retention(
        self, agent_id: str, *, now: datetime | None = None, dry_run: bool = False
    ) -> dict[Retained, int]:
        """Delete an agent's data older than `Policy.retention.days` allows; return the number of deleted items by kind.

        With `dry_run`, only count them. `now` replaces the present time.
        """
        require_aware("now", now)
        at = now or datetime.now(UTC)
        return await self._retention.enforce(require_label("agent_id", agent_id), at, dry_run=dry_run)

    async def erasures(self, agent_id: str) -> list[Erasure]:
        """Return the log of an agent's erasures, oldest first: what was erased, when, and how many rows."""
        return await self._erasing.past(require_label("agent_id", agent_id))

    async def rate(self, agent_id: str, turn_id: str, memory_id: UUID, *, useful: bool) -> None:
        """Store a user's rating, useful or not, of a memory that a turn showed."""
        require_label("agent_id", agent_id)
        require_label("turn_id", turn_id)
        holds = self._policies.for_agent(agent_id)

        def weigh(recorded: Mapping[str, Any] | None) -> UsageWeights:
            return weights(planned_under(recorded, holds))

        if not await self._turns.rate(agent_id, turn_id, memory_id, useful, weigh):
            raise InvalidInput(f"memory_id: turn {turn_id!r} showed no memory {memory_id}")


def _wanted(agent_id: str, ids: Sequence[UUID]) -> list[UUID]:
    require_label("agent_id", agent_id)
    return list(dict.fromkeys(require_id("ids", id) for id in ids))


def _changed(found: Memory, changes: Mapping[str, Any], by: Trust) -> NewMemory:
    changed = NewMemory(**{**_fields(found), **changes})
    for trust in (found.trust, changed.trust):
        if above(trust, by):
            raise InvalidInput(f"trust: an author with trust {by!r} cannot change or create a memory of {trust!r}")
    return changed


def _fields(memory: Memory) -> dict[str, Any]:
    return {name: getattr(memory, name) for name in NewMemory.model_fields}
