"""Store, read, change, rate and erase the memories of agents."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import replace
from datetime import UTC, datetime
from typing import Any
from uuid import UUID

from brain.erasure.erasing import Eraser
from brain.filters import MemoryFilter
from brain.judgements import UsageWeights
from brain.memory_rows import require_known
from brain.memory_types import Retained
from brain.ports import Progress
from brain.receipts import Erasure, Receipt
from brain.states import MemoryStates
from brain.store import BATCH, MemoryStore
from brain.turns import TurnLog
from brain.types import Memory, MemoryType, NewMemory, Revision, Trust, above
from brain.users import ALL_USERS, Scope
from cognitive.background import BackgroundQueue
from cognitive.errors import InvalidInput
from cognitive.feedback.attribute import planned_under, weights
from cognitive.feedback.outcomes import OutcomeRecorder
from cognitive.formation.lines import corrected_from, lines_hidden_with, lines_to_hide
from cognitive.policy.resolver import PolicyResolver
from cognitive.privacy.erasure_listeners import ErasureListeners, all_texts
from cognitive.privacy.retention_schedule import RetentionScheduler
from cognitive.session.writer import SessionWriter
from cognitive.validation import (
    require_aware,
    require_id,
    require_ids,
    require_instance,
    require_label,
    require_sequence,
    require_trust,
    unknown_turn,
)


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
        session_writer: SessionWriter,
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
        self._session_writer = session_writer
        self._erasure_listeners = erasure_listeners
        self._retention = retention

    async def remember(
        self, agent_id: str, memories: Sequence[NewMemory], *, progress: Progress | None = None
    ) -> list[UUID]:
        """See `MemoryMethods.remember`."""
        Scope.of(agent_id)
        memories = require_sequence("memories", memories, "NewMemory values")
        for memory in memories:
            require_instance("memories", memory, NewMemory, 'NewMemory(type="fact", content="…") values')
        now = datetime.now(UTC)
        for memory in memories:
            memory.require_expiry_after(memory.occurred_at or now)
        detect = self._policies.for_agent(agent_id).detect_updates
        return await self._store.remember(agent_id, memories, now=now, detect_updates=detect, progress=progress)

    async def get(self, scope: Scope, ids: Sequence[UUID]) -> list[Memory]:
        """See `MemoryMethods.get`."""
        return await self._store.get(scope, [require_id("ids", id) for id in require_sequence("ids", ids, "ids")])

    async def find_by_source(self, scope: Scope, type_: MemoryType, sources: Sequence[str]) -> list[Memory]:
        """See `AdminApi.find_by_source`."""
        for source in require_sequence("sources", sources, "texts"):
            require_label("sources", source)
        return await self._store.find_by_source(scope, type_, sources)

    async def find(
        self, scope: Scope, where: Mapping[str, Any] | None = None, limit: int = 100, offset: int = 0
    ) -> list[Memory]:
        """See `AdminApi.find`."""
        wanted = MemoryFilter.parse(where)
        if not (isinstance(limit, int) and isinstance(offset, int) and limit >= 0 and offset >= 0):
            raise InvalidInput(f"limit, offset: expected numbers from 0, got {limit!r} and {offset!r}")
        return await self._store.find(scope, wanted, limit, offset)

    async def update(self, scope: Scope, id: UUID, *, by: Trust = "host", **changes: Any) -> Memory:
        """See `MemoryMethods.update`. A user's view cannot change a shared memory."""
        require_trust("by", by)
        fixed = {"type", "session_id", "source", "supersedes", "user_id"} & changes.keys()
        if fixed:
            raise InvalidInput(f"update: {', '.join(sorted(fixed))} cannot be changed")
        [(view, [own])] = await self._by_writer(scope, [require_id("id", id)])
        return await self._store.update(view, own, lambda found: _changed(found, changes, by))

    async def retire(self, scope: Scope, ids: Sequence[UUID], *, by: Trust = "host") -> list[Memory]:
        """See `MemoryMethods.retire`.

        A captured line of which no visible memory is left that was formed from it is hidden too.
        """
        require_trust("by", by)
        wanted, now = require_ids("ids", ids), datetime.now(UTC)
        named = frozenset(wanted)
        for view, own in await self._checked(scope, wanted, by, now, hidden=False):
            lines = await lines_to_hide(self._store, view, await self._store.get(view, own))
            hidden = [*own, *(line.id for line in lines if line.id not in named and not above(line.trust, by))]
            await self._states.retire(view, hidden, by=by, now=now)
        return await self._store.get(scope, wanted)

    async def restore(self, scope: Scope, ids: Sequence[UUID], *, by: Trust = "host") -> list[Memory]:
        """See `MemoryMethods.restore`. The lines that `retire` hid are shown again too."""
        require_trust("by", by)
        wanted, now = require_ids("ids", ids), datetime.now(UTC)
        named = frozenset(wanted)
        for view, own in await self._checked(scope, wanted, by, now, hidden=True):
            restored = await self._store.get(view, own)
            lines = await lines_hidden_with(self._store, view, restored)
            shown = [*own, *(line.id for line in lines if line.id not in named and not above(line.trust, by))]
            undone = [each for each in await corrected_from(self._store, view, restored) if not above(each.trust, by)]
            await self._states.restore(view, shown, by=by, now=now)
            if undone:
                await self.retire(view, [each.id for each in undone], by=by)
        return await self._store.get(scope, wanted)

    async def merge(self, scope: Scope, ids: Sequence[UUID], into: UUID, *, by: Trust = "host") -> list[Memory]:
        """See `MemoryMethods.merge`.

        Raises:
            InvalidInput: the memories are not all of one user, or not all shared.
        """
        require_trust("by", by)
        wanted, target = require_ids("ids", ids), require_id("into", into)
        views = await self._by_writer(scope, [*wanted, target])
        if len(views) > 1:
            raise InvalidInput("into: memories of several users, or shared and private ones, cannot be merged")
        await self._states.merge(views[0][0], wanted, target, by=by, now=datetime.now(UTC))
        return await self._store.get(scope, wanted)

    async def share(self, scope: Scope, ids: Sequence[UUID], *, by: Trust = "host") -> list[UUID]:
        """See `MemoryMethods.share`. A repeated call stores nothing twice."""
        require_trust("by", by)
        wanted = require_ids("ids", ids)
        found = await self._store.get(scope, wanted)
        require_known(scope.agent_id, wanted, {memory.id for memory in found})
        for memory in found:
            if memory.user_id is None:
                raise InvalidInput(f"ids: memory {memory.id} is shared already")
            if above(memory.trust, by):
                raise InvalidInput(f"trust: an author with trust {by!r} cannot share a memory of {memory.trust!r}")
        return await self.remember(scope.agent_id, [_shared(memory) for memory in found])

    async def revisions(self, scope: Scope, id: UUID) -> list[Revision]:
        """See `AdminApi.revisions`."""
        return await self._store.revisions(scope, require_id("id", id))

    async def forget(self, scope: Scope, ids: Sequence[UUID]) -> Receipt:
        """See `MemoryMethods.forget`."""
        wanted = require_ids("ids", ids)
        remains = await self._erasing.remains(scope, wanted)
        await self._settling.wait_for(*scope.readers)
        await self._session_writer.wait_for(*scope.readers)  # pending writes must be stored before they are searched
        journaled = sum([await self._outcomes.forget(owner, residue) for owner, residue in remains.items()])
        try:
            receipt = await self._erasing.memories(scope, wanted)
        finally:  # after a failure, too, memories of some users may be erased
            for owner, residue in remains.items():
                self._erasure_listeners.notify(owner, residue.contains_any)
        return replace(receipt, journaled=journaled)

    async def preview_forget(self, scope: Scope, ids: Sequence[UUID]) -> Receipt:
        """See `AdminApi.preview_forget`."""
        wanted = require_ids("ids", ids)
        remains = await self._erasing.remains(scope, wanted)
        await self._settling.wait_for(*scope.readers)
        await self._session_writer.wait_for(*scope.readers)
        journaled = sum([await self._outcomes.forgettable(owner, residue) for owner, residue in remains.items()])
        return replace(await self._erasing.preview(scope, wanted), journaled=journaled)

    async def erase_agent(self, agent_id: str) -> Receipt:
        """See `MemoryMethods.erase_agent`."""
        scope = Scope.of(agent_id, ALL_USERS)
        await self._settling.wait_for(*scope.names)
        journaled = await self._outcomes.erase(scope)
        await self._session_writer.stop(*scope.names)
        receipt = replace(await self._erasing.agent(agent_id), journaled=journaled)
        self._policies.forget(agent_id)
        self._erasure_listeners.notify(scope, all_texts)
        return receipt

    async def forget_user(self, agent_id: str, user_id: str) -> Receipt:
        """See `MemoryMethods.forget_user`."""
        if user_id is None:
            raise InvalidInput("user_id: expected a user's id, got None")
        scope = Scope.of_one(agent_id, user_id)
        await self._settling.wait_for(*scope.names)
        journaled = await self._outcomes.erase(scope)
        await self._session_writer.stop(*scope.names)
        receipt = replace(await self._erasing.user(agent_id, user_id), journaled=journaled)
        self._erasure_listeners.notify(scope, all_texts)
        return receipt

    async def apply_retention(
        self, agent_id: str, *, now: datetime | None = None, dry_run: bool = False
    ) -> dict[Retained, int]:
        """See `AdminApi.apply_retention`."""
        require_aware("now", now)
        at = now or datetime.now(UTC)
        return await self._retention.enforce(Scope.of(agent_id).agent_id, at, dry_run=dry_run)

    async def erasures(self, scope: Scope) -> list[Erasure]:
        """See `AdminApi.erasures`."""
        return await self._erasing.past(scope)

    async def rate(self, scope: Scope, turn_id: str, memory_id: UUID, *, useful: bool) -> None:
        """See `MemoryMethods.rate`.

        Raises:
            UnknownTurn: the view's user has no such turn.
            InvalidInput: the turn did not show this memory.
        """
        require_label("turn_id", turn_id)
        holds = self._policies.for_agent(scope.agent_id)

        def weigh(recorded: Mapping[str, Any] | None) -> UsageWeights:
            return weights(planned_under(recorded, holds))

        if await self._turns.rate(scope, turn_id, memory_id, useful, weigh):
            return
        if await self._turns.turn(scope, turn_id) is None:
            raise unknown_turn(scope, turn_id)
        raise InvalidInput(f"memory_id: turn {turn_id!r} showed no memory {memory_id}")

    async def _checked(
        self, scope: Scope, ids: list[UUID], by: Trust, now: datetime, *, hidden: bool
    ) -> list[tuple[Scope, list[UUID]]]:
        """Return the ids in batches, each with its view: one batch, unless several users own them.

        Each batch has its own transaction, since other writers of the agent wait for it. All ids are checked first:
        an error in the second batch would leave the first one done. A change by another process between check and
        transaction can still cause this.
        """
        views = await self._by_writer(scope, ids)
        if len(views) <= 1:
            return views
        await self._states.check(scope, ids, by=by, now=now, hidden=hidden)
        grouped = [id for _, own in views for id in own]
        return [(scope, grouped[start : start + BATCH]) for start in range(0, len(grouped), BATCH)]

    async def _by_writer(self, scope: Scope, ids: list[UUID]) -> list[tuple[Scope, list[UUID]]]:
        """Return the ids with the views that write them: the view itself, or in the operator's that of each user.

        Raises:
            UnknownMemory: the agent does not have one of the ids.
        """
        if not scope.sees_all:
            return [(scope, ids)]
        users = {memory.id: memory.user_id for memory in await self._store.get(scope, ids)}
        require_known(scope.agent_id, ids, users)
        views: dict[Scope, list[UUID]] = {}
        for id in ids:
            views.setdefault(scope.as_user(users[id]), []).append(id)
        return list(views.items())


def _shared(memory: Memory) -> NewMemory:
    """Return the shared copy of a user's memory, which names its origin."""
    changed = {"user_id": None, "source": f"shared:{memory.id}", "session_id": None, "supersedes": None}
    return NewMemory(**{**_fields(memory), **changed, "pinned": False})


def _changed(found: Memory, changes: Mapping[str, Any], by: Trust) -> NewMemory:
    changed = NewMemory(**{**_fields(found), **changes})
    for trust in (found.trust, changed.trust):
        if above(trust, by):
            raise InvalidInput(f"trust: an author with trust {by!r} cannot change or create a memory of {trust!r}")
    return changed


def _fields(memory: Memory) -> dict[str, Any]:
    return {name: getattr(memory, name) for name in NewMemory.model_fields}
