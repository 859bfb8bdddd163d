"""Who calls, and what a call may touch: one agent's memory and nothing beside it."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass
from typing import Any

from cognitive.arguments import require_label
from cognitive.layer import CognitiveLayer
from cognitive.policy import Policy


@dataclass(frozen=True, slots=True)
class Scope:
    """Whose memory a caller sees: an agent's, and of its turns those of one session, if one is named.

    Raises:
        InvalidInput: a blank, over-long or unstorable name.
    """

    agent_id: str
    session_id: str | None = None
    may_remember: bool = False

    def __post_init__(self) -> None:
        require_label("agent_id", self.agent_id)
        if self.session_id is not None:
            require_label("session_id", self.session_id)


@dataclass(frozen=True, slots=True)
class Caller:
    """One request: the layer that answers it, whose memory it is about, and the `_meta` that came with it."""

    layer: CognitiveLayer
    scope: Scope
    meta: Mapping[str, Any]

    @property
    def agent_id(self) -> str:
        """Whose memory."""
        return self.scope.agent_id

    @property
    def policy(self) -> Policy:
        """The policy of the agent's turns."""
        return self.layer.policy(self.scope.agent_id)
