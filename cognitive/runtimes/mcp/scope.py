"""The scope of an MCP caller, which limits it to an agent's memory and a user, and the turn to which a call belongs.

A call belongs to the turn that the client names, or else to the only open turn.
"""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass
from typing import Any

from brain.users import Scope
from cognitive.errors import InvalidInput
from cognitive.layer import CognitiveLayer
from cognitive.policy import Policy
from cognitive.validation import require_label

TURN = "cognitive/turn_id"  # key in a request's `_meta`: the turn's id


@dataclass(frozen=True, slots=True)
class McpScope:
    """The memory that an MCP caller may use: that of one agent, in the view of `user_id` or without a user.

    The host decides on the user: no argument of a tool can name one. With `session_id`, the caller sees only turns of
    that session. With `may_remember`, it may store memories with the tools `remember` and `remember_conversation`. With
    `may_change`, it may correct and hide memories with the tools `correct` and `forget`, unless the program stored
    them. With `max_lag_seconds`, a search outside a turn reads the standby of COGNITIVE_REPLICA_URL if it lags no more.

    Raises:
        InvalidInput: a name is blank, too long or cannot be stored, or `max_lag_seconds` is negative.
    """

    agent_id: str
    session_id: str | None = None
    may_remember: bool = False
    may_change: bool = False
    user_id: str | None = None
    max_lag_seconds: float | None = None

    def __post_init__(self) -> None:
        require_label("agent_id", self.agent_id)
        if self.session_id is not None:
            require_label("session_id", self.session_id)
        Scope.of_one(self.agent_id, self.user_id)
        if self.max_lag_seconds is not None and not self.max_lag_seconds >= 0:
            raise InvalidInput(f"max_lag_seconds: expected at least 0, got {self.max_lag_seconds!r}")


@dataclass(frozen=True, slots=True)
class ScopedRequest:
    """An MCP request: the memory layer that answers it, the caller's scope, and the field `_meta` of the request."""

    layer: CognitiveLayer
    scope: McpScope
    meta: Mapping[str, Any]

    @property
    def agent_id(self) -> str:
        """The agent whose memory the request uses."""
        return self.scope.agent_id

    @property
    def user_id(self) -> str | None:
        """The user whose view the request has; None is the view without a user."""
        return self.scope.user_id

    @property
    def policy(self) -> Policy:
        """The agent's current policy (the settings by which its turns are prepared)."""
        return self.layer.policies.current(self.scope.agent_id)


async def turn_of(request: ScopedRequest) -> str | None:
    """Return the id of the turn to which an MCP call belongs, or None if it is uncertain.

    It is the turn that `_meta` names, or the only open turn of the scope. If several turns are open, the result is
    None, because any of them may have made the call.

    Raises:
        InvalidInput: `_meta` names an invalid turn id.
    """
    named = request.meta.get(TURN)
    if named is not None:
        return require_label(f"_meta {TURN}", named)
    open_turns = await request.layer.sessions.open_turns(
        request.agent_id, request.scope.session_id, user_id=request.user_id
    )
    return open_turns[0] if len(open_turns) == 1 else None
