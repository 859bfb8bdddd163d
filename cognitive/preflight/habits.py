"""What an agent's past turns teach about its categories: read in the background, and kept for a minute."""

from __future__ import annotations

import asyncio
import logging
from collections import OrderedDict
from collections.abc import Mapping
from time import monotonic

from brain.deadline import Deadline
from brain.errors import StoreError
from brain.turns import TurnLog
from cognitive.policy import Policy
from cognitive.preflight.learned import NOTHING, Habit, Learned, learn

log = logging.getLogger(__name__)

_FRESH = 60.0  # seconds; habits change over days
_MOST_AGENTS = 1_000  # whose habits are kept


class Habits:
    """Learned weights and profiles per agent. `learned` never waits: what is not known yet counts in a later turn."""

    def __init__(self, turns: TurnLog, policy: Policy) -> None:
        self._turns = turns
        self._policy = policy
        self._kept: OrderedDict[str, tuple[float, Learned]] = OrderedDict()
        self._reading: dict[str, asyncio.Task[None]] = {}

    def learned(self, agent_id: str) -> Learned:
        """What is known of an agent; read again in the background when that is old."""
        policy = self._policy.for_agent(agent_id)
        if not (policy.learned_weights or policy.user_profiles):
            return NOTHING
        read_at, learned = self._kept.get(agent_id, (float("-inf"), NOTHING))
        if monotonic() - read_at > _FRESH and agent_id not in self._reading:
            task = asyncio.create_task(self._refresh(agent_id), name=f"habits of {agent_id}")
            self._reading[agent_id] = task
            task.add_done_callback(lambda _: self._reading.pop(agent_id, None))
        return learned

    async def evidence(self, agent_id: str) -> tuple[Habit, ...]:
        """How often each tool was called in the turns of each category, as of now."""
        return (await self._read(agent_id)).habits

    async def known(self, agent_id: str) -> Learned:
        """All that an agent's turns taught, as of now."""
        return await self._read(agent_id)

    async def profile(self, agent_id: str, user_id: str) -> Mapping[str, int]:
        """How many of a user's completed turns were of each category, as of now."""
        return (await self._read(agent_id)).users.get(user_id, {})

    async def reset(self, agent_id: str, user_id: str | None = None) -> int:
        """Forgets the categories of an agent's turns, or of one user's, and returns of how many. Their calls stay."""
        forgotten = await self._turns.forget_categories(agent_id, user_id)
        if agent_id in self._reading:  # it may have read before this was forgotten
            await asyncio.wait({self._reading[agent_id]})
        self._kept.pop(agent_id, None)
        return forgotten

    async def finished(self) -> None:
        """Returns when nothing is being read."""
        await asyncio.gather(*self._reading.values(), return_exceptions=True)

    async def _refresh(self, agent_id: str) -> None:
        try:
            learned = await Deadline(self._policy.for_agent(agent_id).post_turn_deadline_ms).within(
                self._read(agent_id)
            )
        except (StoreError, TimeoutError) as error:
            log.warning("the habits of agent %s stay as they were: %s", agent_id, str(error) or "no answer in time")
            learned = self._kept.get(agent_id, (0.0, NOTHING))[1]
        self._kept[agent_id] = (monotonic(), learned)
        self._kept.move_to_end(agent_id)
        while len(self._kept) > _MOST_AGENTS:
            self._kept.popitem(last=False)

    async def _read(self, agent_id: str) -> Learned:
        policy = self._policy.for_agent(agent_id)
        return learn(await self._turns.calls(agent_id, policy.learned_turns), policy)
