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
_MAX_AGENTS = 10_000  # beyond that, the agent noted first is forgotten; its next turn may ask and warn again

_ASKED, _HAS_USERS, _WARNED = "asked", "has users", "warned"


class SharedTurns:
    """Logs one warning per agent and process. Postgres is asked once per agent and process, in the background.

    At most `max_agents` agents are remembered.
    """

    def __init__(self, users: UserAnalytics, background: Background, *, max_agents: int = _MAX_AGENTS) -> None:
        self._users = users
        self._queue = background.queue(_MAX_ASKING, at_close=_AT_CLOSE)
        self._max_agents = max_agents
        self._agents: dict[str, str] = {}  # what is known of each agent, oldest first

    def on_capture(self, scope: Scope) -> None:
        """Note a captured turn, and warn if it has no user and its agent has users. Return at once."""
        agent_id, known = scope.agent_id, self._agents.get(scope.agent_id)
        if scope.user is not None:
            if known != _WARNED:
                self._note(agent_id, _HAS_USERS)
        elif known == _HAS_USERS:
            self._warn(agent_id)
        elif known is None and self._queue.start(self._ask(agent_id), agent_id):
            self._note(agent_id, _ASKED)

    def _note(self, agent_id: str, known: str) -> None:
        self._agents[agent_id] = known
        if len(self._agents) > self._max_agents:
            del self._agents[next(iter(self._agents))]

    async def _ask(self, agent_id: str) -> None:
        try:
            has_users = await self._users.list(agent_id, limit=1)
        except BaseException:
            if self._agents.get(agent_id) == _ASKED:
                del self._agents[agent_id]  # the next turn asks again
            raise
        if has_users and self._agents.get(agent_id) != _WARNED:
            self._warn(agent_id)

    def _warn(self, agent_id: str) -> None:
        self._note(agent_id, _WARNED)
        log.warning(
            "agent %r has users, and a turn without user_id was captured: all its users see these memories;"
            " pass user_id, or set capture_scope to 'agent' if this is intended",
            agent_id,
        )
