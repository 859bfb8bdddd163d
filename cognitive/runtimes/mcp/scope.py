"""Who calls, what a call may touch (one agent's memory and nothing beside it), and which turn a call belongs to.

A call belongs to the turn that the client names, or to the one open turn that it can only be.
"""

from __future__ import annotations

import re
from collections.abc import Callable, Mapping
from dataclasses import dataclass
from typing import Any

from cognitive.layer import CognitiveLayer
from cognitive.policy import Policy
from cognitive.validation import require_label

TURN = "cognitive/turn_id"  # in a request's `_meta`: the `turn_id` of the turn's context
_TRACE = "traceparent"  # there too, of W3C Trace Context
_TRACEPARENT = re.compile(r"[0-9a-f]{2}-([0-9a-f]{32})-[0-9a-f]{16}-[0-9a-f]{2}")

TraceLookup = Callable[[str], str | None]  # from a trace's id, 32 hexadecimal digits, to the turn that it traces


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
class ScopedRequest:
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
        return self.layer.policies.current(self.scope.agent_id)


def no_trace_lookup(trace_id: str) -> None:
    """Knows no trace: for hosts that keep no such mapping."""


async def turn_of(request: ScopedRequest, trace_lookup: TraceLookup) -> str | None:
    """The turn that a call counts in, None where that is in doubt.

    A session has one turn at a time, so its latest open turn is the one; where several sessions of the agent have a
    turn open, nobody knows which of them calls.

    Raises:
        InvalidInput: a turn's name that is none.
    """
    named = request.meta.get(TURN)
    if named is not None:
        return require_label(f"_meta {TURN}", named)
    turn_id = _turn_by_trace(request.meta.get(_TRACE), trace_lookup)
    if turn_id is not None:
        return turn_id
    open_turns = await request.layer.sessions.open_turns(request.agent_id, request.scope.session_id)
    return open_turns[0] if len(open_turns) == 1 else None


def _turn_by_trace(parent: Any, trace_lookup: TraceLookup) -> str | None:
    """A header that is not of this form is ignored, as the standard has it."""
    match = _TRACEPARENT.fullmatch(parent) if isinstance(parent, str) else None
    return trace_lookup(match.group(1)) if match else None
