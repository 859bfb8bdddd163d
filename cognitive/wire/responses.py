"""Bodies of HTTP responses for which the memory layer's own classes do not suffice."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass
from typing import Any, Literal
from uuid import UUID

from brain.policies import PolicyActivation, Role
from brain.types import Moment
from cognitive.recall_hits import RecallHit
from cognitive.turn import Message


@dataclass(frozen=True, slots=True)
class EffectivePolicies:
    """The policy versions in effect for an agent.

    `base` is the operator's policy. `live` is the policy that prepares turns. `shadow` is a policy that is computed for
    comparison without an effect on turns; it is null if there is none. `changes` are the settings in which `live`
    differs from `base`. `activations` has the latest activation of each role ("live" and "shadow").
    """

    base: str
    live: str
    shadow: str | None
    changes: Mapping[str, float | int]
    activations: Mapping[Role, PolicyActivation]


@dataclass(frozen=True, slots=True)
class StoredMemories:
    """The ids of stored memories, in the order of the request. A memory that was already stored keeps its id."""

    ids: tuple[UUID, ...]


@dataclass(frozen=True, slots=True)
class FoundMemories:
    """The memories that a search found, best first; a higher `limit` would return at least `more` further ones.

    `lag_seconds` is how far the standby that was read lagged behind the primary; null if the primary was read.
    """

    memories: tuple[RecallHit, ...]
    more: int = 0
    lag_seconds: float | None = None


@dataclass(frozen=True, slots=True)
class TurnRow:
    """A recorded turn in a list of turns. `status` is "open" until the turn has an outcome.

    `degraded` are the parts that failed or were late, in words. `user_id` is null for a turn without a user.
    """

    turn_id: str
    session_id: str
    at: Moment
    status: str
    message: str
    degraded: tuple[str, ...] = ()
    user_id: str | None = None


@dataclass(frozen=True, slots=True)
class SessionEnded:
    """The result of ending a session. `ended` is false if the session does not exist."""

    ended: bool


@dataclass(frozen=True, slots=True)
class WindowView:
    """The messages of a conversation that fit into the model's context. `trace` has numbers on how they were fitted."""

    messages: tuple[Message, ...]
    trace: Mapping[str, Any]


@dataclass(frozen=True, slots=True)
class Health:
    """The state of a server: "ok", or "unavailable" if any of its `parts` does not work."""

    status: Literal["ok", "unavailable"]
    parts: Mapping[str, str]
