"""Remove an agent's data that is older than the policy allows, in the background after turns."""

from __future__ import annotations

import asyncio
import logging
from datetime import UTC, datetime, timedelta

from brain.erasure.retention import Retention
from brain.journal import Journal
from brain.memory_types import Retained
from cognitive.background import Background
from cognitive.policy.resolver import PolicyResolver

log = logging.getLogger(__name__)

_EVERY = timedelta(hours=1)  # per agent with turns; for an agent without turns, run `cognitive db apply-retention`
_MAX_CONCURRENT = 1  # agents at a time: retention is not urgent, and turns need the connections
_AT_CLOSE = 10.0  # seconds to finish when the layer closes; a later turn does the rest
_MAX_KNOWN = 10_000  # agents whose last time is remembered


class RetentionScheduler:
    """Removes an agent's expired data in the background after its turns, at most once an hour in each process."""

    def __init__(self, retention: Retention, policy: PolicyResolver, journal: Journal, background: Background) -> None:
        self._retention = retention
        self._journal = journal
        self._policy = policy
        self._queue = background.queue(_MAX_CONCURRENT, at_close=_AT_CLOSE)
        self._last: dict[str, datetime] = {}

    def schedule(self, agent_id: str) -> None:
        """Start to remove an agent's expired data in the background, unless this was done within the last hour.

        Returns at once. A failure is logged, and a later turn tries again.
        """
        now = datetime.now(UTC)
        if not self._policy.for_agent(agent_id).retention.days or now - self._last.get(agent_id, now - _EVERY) < _EVERY:
            return
        if self._queue.start(self._enforce_and_log(agent_id, now), agent_id):
            self._last[agent_id] = now
            if len(self._last) > _MAX_KNOWN:
                del self._last[next(iter(self._last))]

    async def enforce(self, agent_id: str, now: datetime, *, dry_run: bool = False) -> dict[Retained, int]:
        """Remove an agent's data that has expired by `now`, and return the number of rows removed per kind of data.

        With `dry_run`, only count the rows. Expired turns in this machine's journal that Postgres refused are removed
        too, but not counted.
        """
        days = self._policy.for_agent(agent_id).retention.days
        if dry_run:
            return await self._retention.due(agent_id, days, now)
        if "turns" in days:
            await asyncio.to_thread(self._journal.end, agent_id, now - timedelta(days=days["turns"]))
        return await self._retention.enforce(agent_id, days, now)

    async def _enforce_and_log(self, agent_id: str, now: datetime) -> None:
        removed = await self.enforce(agent_id, now)
        if removed:
            log.info("removed by retention: %s", ", ".join(f"{n} {kind}" for kind, n in removed.items()))
