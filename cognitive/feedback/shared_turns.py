"""Warn when an agent that has users captures a turn without a user, because every user of the agent sees its memories.

The usual cause is a program that passes `user_id` in most calls and leaves it out in one.
"""

from __future__ import annotations

import logging

from brain.analytics.users import UserAnalytics
from brain.users import Scope
from cognitive.background import Background

log = logging.getLogger(__name__)

_MAX_ASKING = 16  # queries at a time; further agents are asked about at their next turn
_AT_CLOSE = 1.0  # seconds that a query may still take when the layer closes


class SharedTurns:
    """Logs one warning per agent and process. Postgres is asked once per agent and process, in the background."""

    def __init__(self, users: UserAnalytics, background: Background) -> None:
        self._users = users
        self._queue = background.queue(_MAX_ASKING, at_close=_AT_CLOSE)
        self._with_users: set[str] = set()
        self._asked: set[str] = set()
        self._warned: set[str] = set()

    def on_capture(self, scope: Scope) -> None:
        """Note a captured turn, and warn if it has no user and its agent has users. Return at once."""
        agent_id = scope.agent_id
        if scope.user is not None:
            self._with_users.add(agent_id)
        elif agent_id in self._with_users:
            self._warn(agent_id)
        elif agent_id not in self._asked and self._queue.start(self._ask(agent_id), agent_id):
            self._asked.add(agent_id)

    async def _ask(self, agent_id: str) -> None:
        if await self._users.list(agent_id, limit=1):
            self._with_users.add(agent_id)
            self._warn(agent_id)

    def _warn(self, agent_id: str) -> None:
        if agent_id not in self._warned:
            self._warned.add(agent_id)
            log.warning(
                "agent %r has users, and a turn without user_id was captured: all its users see these memories;"
                " pass user_id, or set capture_scope to 'agent' if this is intended",
                agent_id,
            )
