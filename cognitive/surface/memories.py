"""What is kept for an agent: stored, read, changed, erased, rated."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import replace
from datetime import UTC, datetime
from typing import Any
from uuid import UUID

from brain.cells import Group
from brain.store import Progress
from brain.types import Memory, MemoryType, NewMemory, Receipt
from cognitive.bootstrap import Parts
from cognitive.errors import InvalidInput
from cognitive.telemetry.observed import observed
from cognitive.telemetry.operations import ERASE, FORGET, REMEMBER, UPDATE
from cognitive.turn import require_id, require_label


class Memories:
    """The part of a layer that keeps memories."""

    _parts: Parts

    @observed(REMEMBER)
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
    async def update(self, agent_id: str, id: UUID, **changes: Any) -> Memory:
        """Changes fields of a memory (those of `NewMemory` but type, session_id, source and supersedes).

        Raises:
            UnknownMemory: this agent has no such memory. InvalidInput: a field that cannot be changed, or a bad value.
        """
        fixed = {"type", "session_id", "source", "supersedes"} & changes.keys()
        if fixed:
            raise InvalidInput(f"update: {', '.join(sorted(fixed))} cannot be changed")
        require_label("agent_id", agent_id)
        return await self._parts.store.update(
            agent_id, require_id("id", id), lambda found: NewMemory(**{**_fields(found), **changes})
        )

    @observed(FORGET)
    async def forget(self, agent_id: str, ids: Sequence[UUID]) -> Receipt:
        """Erases memories with all that was derived from them, in one transaction; the receipt counts what went."""
        wanted = [require_id("ids", id) for id in ids]
        return await self._parts.store.forget(require_label("agent_id", agent_id), wanted)

    @observed(ERASE)
    async def erase_agent(self, agent_id: str) -> Receipt:
        """Erases everything of an agent, here and in the journal of this machine; the receipt counts what went."""
        await self._parts.settling.ended(require_label("agent_id", agent_id))
        journaled = await self._parts.settlement.erase(agent_id)
        await self._parts.continuity.stop(agent_id)
        return replace(await self._parts.store.erase_agent(agent_id), journaled=journaled)

    async def rate(self, agent_id: str, turn_id: str, memory_id: UUID, *, useful: bool) -> None:
        """Counts somebody's explicit verdict on a memory that a turn showed; it weighs `rating_weight` showings.

        Raises:
            InvalidInput: the turn showed no such memory.
        """
        require_label("agent_id", agent_id)
        require_label("turn_id", turn_id)
        policy = self._parts.policy.for_agent(agent_id)
        rated = await self._parts.turns.rate(
            agent_id, turn_id, memory_id, useful, half_life_days=policy.half_life_days,
            rating_weight=policy.rating_weight,
        )  # fmt: skip
        if not rated:
            raise InvalidInput(f"memory_id: turn {turn_id!r} showed no memory {memory_id}")


def _fields(memory: Memory) -> dict[str, Any]:
    return {name: getattr(memory, name) for name in NewMemory.model_fields}
