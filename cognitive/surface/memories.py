"""What is kept for an agent: stored, read, changed, erased, rated."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import replace
from datetime import UTC, datetime
from typing import Any
from uuid import UUID

from brain.cells import Group
from brain.erasure.retention import Retained
from brain.postgres.patience import patient
from brain.store import Progress
from brain.turn_records import Weights
from brain.types import Erasure, Memory, MemoryType, NewMemory, Receipt, Revision, Trust, above
from cognitive.arguments import require_aware, require_id, require_label
from cognitive.bootstrap import Parts
from cognitive.errors import InvalidInput
from cognitive.feedback.attribute import planned_under, weights
from cognitive.privacy.forgetting import Forgetting, everything
from cognitive.telemetry.operations import ERASE, FORGET, REMEMBER, UPDATE, observed


class Memories:
    """The part of a layer that keeps memories."""

    _parts: Parts
    forgetting: Forgetting

    @observed(REMEMBER)
    @patient
    async def remember(
        self, agent_id: str, memories: Sequence[NewMemory], *, progress: Progress | None = None
    ) -> list[UUID]:
        """Stores memories, a transaction per batch, and returns their ids in order; see `MemoryStore.remember`."""
        require_label("agent_id", agent_id)
        for memory in memories:
            if not isinstance(memory, NewMemory):
                raise InvalidInput(f"memories: expected NewMemory values, got {type(memory).__name__}")
        return await self._parts.store.remember(agent_id, memories, now=datetime.now(UTC), progress=progress)

    async def sort(self, agent_id: str, *, progress: Progress | None = None) -> list[Group]:
        """Sorts a large agent's vectors into cells, so that its turns read a few of them; see `Cells.sort`.

        To be called when an agent has grown to tens of thousands of memories, and now and then as it grows on: what
        comes later goes to its cell at once. A small agent has nothing to sort.
        """
        return await self._parts.cells.sort(require_label("agent_id", agent_id), progress=progress)

    async def get(self, agent_id: str, ids: Sequence[UUID]) -> list[Memory]:
        """The memories of these ids that this agent has, in the order asked."""
        wanted = [require_id("ids", id) for id in ids]
        return await self._parts.store.get(require_label("agent_id", agent_id), wanted)

    async def sourced(self, agent_id: str, type_: MemoryType, sources: Sequence[str]) -> list[Memory]:
        """The memories of a type that were stored under these sources of the caller's own, oldest first."""
        for source in sources:
            require_label("sources", source)
        return await self._parts.store.sourced(require_label("agent_id", agent_id), type_, sources)

    async def tagged(self, agent_id: str, tags: Sequence[str], limit: int = 100, offset: int = 0) -> list[Memory]:
        """A page of the memories that have all of these tags, oldest first; with no tag, of all memories."""
        for tag in tags:
            require_label("tags", tag)
        if limit < 0 or offset < 0:
            raise InvalidInput(f"limit, offset: expected numbers from 0, got {limit} and {offset}")
        return await self._parts.store.tagged(require_label("agent_id", agent_id), tags, limit, offset)

    @observed(UPDATE)
    @patient
    async def update(self, agent_id: str, id: UUID, *, by: Trust = "host", **changes: Any) -> Memory:
        """Changes fields of a memory (those of `NewMemory` but type, session_id, source and supersedes).

        `by` is whose word the change is: it reaches no memory that is trusted more, and gives no more trust.

        Raises:
            UnknownMemory: this agent has no such memory. InvalidInput: a field that cannot be changed, a bad value, or
            a memory that is trusted more.
        """
        fixed = {"type", "session_id", "source", "supersedes"} & changes.keys()
        if fixed:
            raise InvalidInput(f"update: {', '.join(sorted(fixed))} cannot be changed")
        require_label("agent_id", agent_id)
        return await self._parts.store.update(
            agent_id, require_id("id", id), lambda found: _changed(found, changes, by)
        )

    async def revisions(self, agent_id: str, id: UUID) -> list[Revision]:
        """The changes of a memory, the latest first, each with what it replaced; the last hundred of them are kept.

        Raises:
            UnknownMemory: this agent has no such memory.
        """
        return await self._parts.store.revisions(require_label("agent_id", agent_id), require_id("id", id))

    @observed(FORGET)
    @patient
    async def forget(self, agent_id: str, ids: Sequence[UUID]) -> Receipt:
        """Erases memories with all that was derived from them; the receipt counts what went.

        Their words go wherever they stand: in what turns said, in summaries and last messages of sessions, in
        artifacts, subtasks, the journal of this machine and the caches of this process. Memories that were handed over
        and say the same stay, and are counted as `restated`.

        Raises:
            UnknownMemory: an id that this agent does not have; nothing is erased.
        """
        wanted = list(dict.fromkeys(require_id("ids", id) for id in ids))
        remains = await self._parts.erasing.remains(require_label("agent_id", agent_id), wanted)
        await self._parts.settling.ended(agent_id)
        await self._parts.continuity.ended(agent_id)  # what is on its way to the store is looked through there
        journaled = await self._parts.settlement.forget(agent_id, remains)
        receipt = replace(await self._parts.erasing.memories(agent_id, wanted), journaled=journaled)
        self.forgetting.let_go(agent_id, remains.held)
        return receipt

    @observed(ERASE)
    @patient
    async def erase_agent(self, agent_id: str) -> Receipt:
        """Erases everything of an agent, here and in the journal of this machine; the receipt counts what went."""
        await self._parts.settling.ended(require_label("agent_id", agent_id))
        journaled = await self._parts.settlement.erase(agent_id)
        await self._parts.continuity.stop(agent_id)
        receipt = replace(await self._parts.erasing.agent(agent_id), journaled=journaled)
        self._parts.policy.forget(agent_id)
        self.forgetting.let_go(agent_id, everything)
        return receipt

    async def retain(self, agent_id: str, *, now: datetime | None = None, dry_run: bool = False) -> dict[Retained, int]:
        """Removes what `Policy.retention_days` keeps no longer, by kind; with `dry_run`, only says what that is.

        Agents that have turns are looked after once an hour without this.
        """
        require_aware("now", now)
        at = now or datetime.now(UTC)
        return await self._parts.retaining.enforce(require_label("agent_id", agent_id), at, dry_run=dry_run)

    async def erasures(self, agent_id: str) -> list[Erasure]:
        """What was erased of an agent, when, and how many rows that were; oldest first."""
        return await self._parts.erasing.past(require_label("agent_id", agent_id))

    @patient
    async def rate(self, agent_id: str, turn_id: str, memory_id: UUID, *, useful: bool) -> None:
        """Counts somebody's explicit verdict on a memory that a turn showed; it weighs as many showings as the turn's
        own policy says (`rating_weight`).

        Raises:
            InvalidInput: the turn showed no such memory.
        """
        require_label("agent_id", agent_id)
        require_label("turn_id", turn_id)
        holds = self._parts.policy.for_agent(agent_id)

        def weigh(recorded: Mapping[str, Any] | None) -> Weights:
            return weights(planned_under(recorded, holds))

        if not await self._parts.turns.rate(agent_id, turn_id, memory_id, useful, weigh):
            raise InvalidInput(f"memory_id: turn {turn_id!r} showed no memory {memory_id}")


def _changed(found: Memory, changes: Mapping[str, Any], by: Trust) -> NewMemory:
    changed = NewMemory(**{**_fields(found), **changes})
    for trust in (found.trust, changed.trust):
        if above(trust, by):
            raise InvalidInput(f"trust: what is of {by!r} neither changes nor makes a memory of {trust!r}")
    return changed


def _fields(memory: Memory) -> dict[str, Any]:
    return {name: getattr(memory, name) for name in NewMemory.model_fields}
