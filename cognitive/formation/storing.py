"""Store the memories that a turn formed: the user's own and, where an agent shares what it captures, shared ones."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from datetime import UTC, datetime
from functools import partial

from brain.errors import InvalidInput
from brain.forming import Condition
from brain.store import MemoryStore
from brain.types import NewMemory
from brain.users import Scope
from cognitive.formation.memories import is_personal, pinned_for_user
from cognitive.policy import Policy
from cognitive.telemetry.metrics import FORMED, Metrics, Observation
from cognitive.telemetry.spans import quietly


class FormedStore:
    """Stores formed memories in transactions whose last one notes that the turn formed them."""

    def __init__(self, store: MemoryStore, policy: Policy, metrics: Metrics) -> None:
        self._store = store
        self._policy = policy
        self._metrics = metrics

    async def write(
        self,
        scope: Scope,
        turn_id: str,
        memories: Sequence[NewMemory],
        read_at: datetime,
        condition: Callable[..., Condition],
    ) -> None:
        """Store what a turn of a user formed, if nothing of the agent was erased since `read_at`.

        `condition(end=...)` returns the condition that each transaction checks; `end` is True for the last one.
        """
        shares = self._policy.for_agent(scope.agent_id).capture_scope == "agent"
        shared = [each for each in memories if shares and not is_personal(each)]
        own = pinned_for_user([each for each in memories if each not in shared], scope.user)
        for part, is_shared in ((shared, True), (own, False)):
            if part:
                end = not is_shared or not own
                await self._write(scope, turn_id, part, read_at, condition(end=end), shared=is_shared)

    async def _write(
        self,
        scope: Scope,
        turn_id: str,
        memories: Sequence[NewMemory],
        read_at: datetime,
        condition: Condition,
        *,
        shared: bool,
    ) -> None:
        """Store memories of one view, and count them by rule. Leave out `supersedes` if a superseded memory is gone."""
        remember = partial(
            self._store.remember_of_turn,
            scope,
            turn_id,
            now=datetime.now(UTC),
            read_at=read_at,
            shared=shared,
            condition=condition,
        )
        try:
            await remember(memories)
        except InvalidInput:  # a superseded memory was erased meanwhile, or is in the other view
            if all(memory.supersedes is None for memory in memories):
                raise
            memories = [memory.model_copy(update={"supersedes": None}) for memory in memories]
            await remember(memories)
        rules = [str(memory.attributes["formed_by"]).partition("/")[0] for memory in memories]
        quietly(lambda: self._metrics.observe([Observation(FORMED, (1,), (rule,)) for rule in rules]))
