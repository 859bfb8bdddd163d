"""Retention: what a policy keeps for so many days goes after them, beside the turns."""

from __future__ import annotations

import asyncio
import logging
from datetime import UTC, datetime, timedelta

from brain.erasure.retention import Retained, Retention
from brain.journal import Journal
from cognitive.background import Background
from cognitive.policy.resolver import PolicyResolver

log = logging.getLogger(__name__)

_EVERY = timedelta(hours=1)  # of an agent that has turns; the others are looked after by `cognitive db apply-retention`
_MAX_CONCURRENT = 1  # agents: nobody waits for it, and turns need the connections
_AT_CLOSE = 10.0  # seconds; the rest waits for the next time
_MAX_KNOWN = 10_000  # agents, of which it is known when they were looked after


class RetentionScheduler:
    """Has an agent's rows looked through after its turns, at most once an hour in a process."""

    def __init__(self, retention: Retention, policy: PolicyResolver, journal: Journal, background: Background) -> None:
        self._retention = retention
        self._journal = journal
        self._policy = policy
        self._queue = background.queue(_MAX_CONCURRENT, at_close=_AT_CLOSE)
        self._last: dict[str, datetime] = {}

    def look(self, agent_id: str) -> None:
        """Returns at once; what goes wrong is logged, and done the next time."""
        now = datetime.now(UTC)
        if not self._policy.for_agent(agent_id).retention.days or now - self._last.get(agent_id, now - _EVERY) < _EVERY:
            return
        if self._queue.start(self._looked(agent_id, now), agent_id):
            self._last[agent_id] = now
            if len(self._last) > _MAX_KNOWN:
                del self._last[next(iter(self._last))]

    async def enforce(self, agent_id: str, now: datetime, *, dry_run: bool = False) -> dict[Retained, int]:
        """What goes of an agent by its policy, by kind; with `dry_run`, what would. Turns that this machine's journal
        has set aside go with the others, uncounted: the journal is no table.
        """
        days = self._policy.for_agent(agent_id).retention.days
        if dry_run:
            return await self._retention.due(agent_id, days, now)
        if "turns" in days:
            await asyncio.to_thread(self._journal.end, agent_id, now - timedelta(days=days["turns"]))
        return await self._retention.enforce(agent_id, days, now)

    async def _looked(self, agent_id: str, now: datetime) -> None:
        gone = await self.enforce(agent_id, now)
        if gone:
            log.info("kept for long enough, and removed: %s", ", ".join(f"{n} {kind}" for kind, n in gone.items()))
