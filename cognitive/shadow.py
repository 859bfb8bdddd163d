"""A candidate policy beside the live one: what it would have shown is recorded, and the turn knows nothing of it."""

from __future__ import annotations

import asyncio
import logging
from collections.abc import Mapping

from brain.contents import Key
from brain.ledger import Shadow
from brain.turns import TurnLog
from cognitive.context.engine import Built
from cognitive.lab.replay import again
from cognitive.policy import Policy
from cognitive.recording import Given
from cognitive.tokens import TokenCounter, count
from cognitive.trace import Likeness, compared

log = logging.getLogger(__name__)

_MOST_WAITING = 64  # turns; a shadow that cannot keep up misses some, and memory does not grow


class Shadowing:
    """Runs every turn's stages under a second policy, after the turn and off its path; without a policy, nothing."""

    def __init__(self, turns: TurnLog, policy: Policy | None, counter: TokenCounter = count) -> None:
        self._turns = turns
        self._policy = policy
        self._counter = counter
        self._running: set[asyncio.Task[None]] = set()

    def follow(self, agent_id: str, turn_id: str, built: Built) -> None:
        """Has a turn shadowed in the background."""
        if self._policy is None or built.given is None or len(self._running) >= _MOST_WAITING:
            return
        likeness = compared(built.trace.fates)
        shadow = self._shadow(agent_id, turn_id, built.given, likeness, self._policy.for_agent(agent_id))
        task = asyncio.create_task(shadow, name=f"shadow of turn {turn_id}")
        self._running.add(task)
        task.add_done_callback(self._ended)

    async def finished(self) -> None:
        """Returns when all that is on its way is recorded, or has failed."""
        await asyncio.gather(*self._running, return_exceptions=True)

    def _ended(self, task: asyncio.Task[None]) -> None:
        """Whatever goes wrong beside a turn is no business of the agent's."""
        self._running.discard(task)
        if not task.cancelled() and (error := task.exception()) is not None:
            log.error("%s failed: %s", task.get_name(), error, exc_info=error)

    async def _shadow(
        self, agent_id: str, turn_id: str, given: Given, likeness: Mapping[Key, Likeness], policy: Policy
    ) -> None:
        made = await asyncio.to_thread(again, given, likeness, policy, self._counter)
        shown = tuple(candidate.hit.memory_id for candidate in made.shown)
        tokens = sum(candidate.tokens for candidate in made.shown)
        await self._turns.shadow(agent_id, Shadow(turn_id, policy.version, shown, tokens, given.now))
