"""The namespaces of a remote layer: `sessions`, `policies`, `explain` and `admin`, as far as HTTP serves them."""

from __future__ import annotations

from collections.abc import Mapping
from datetime import datetime
from typing import Any, TypeVar
from uuid import UUID

from brain.artifacts import Artifact, MatchingLine
from brain.policies import PolicyActivation, PolicyVersion, Role
from brain.sessions import ClearedSession
from brain.types import Revision
from cognitive.catalog.plans import PastPlan
from cognitive.client.transport import ApiTransport
from cognitive.lab.shadow import Agreement
from cognitive.lab.what_if import WhatIf
from cognitive.lab.why import Explanation
from cognitive.policy import Policy
from cognitive.validation import require_id
from cognitive.wire.models import (
    ActivationBody,
    EffectivePolicies,
    LineBody,
    PlansBody,
    PolicyVersionBody,
    RollBackBody,
    TurnRow,
    WhatIfBody,
)

T = TypeVar("T")
PolicyChanges = Mapping[str, float | int]


class RemoteSessions:
    """`client.sessions`."""

    def __init__(self, transport: ApiTransport) -> None:
        self._transport = transport

    async def clear(self, agent_id: str, session_id: str) -> ClearedSession:
        """Remove summary, last messages, plan, artifacts and subtasks of a session."""
        return await self._transport.request(ClearedSession, "DELETE", "agents", agent_id, "sessions", session_id)

    async def artifacts(self, agent_id: str, session_id: str) -> tuple[Artifact, ...]:
        """Return what is kept out of band of a session, oldest first."""
        path = ("agents", agent_id, "sessions", session_id, "artifacts")
        return await self._transport.request(tuple[Artifact, ...], "GET", *path)

    async def search_artifact(self, agent_id: str, id: UUID, literal: str, limit: int = 20) -> tuple[MatchingLine, ...]:
        """Return the first lines of an artifact that hold a literal."""
        path, body = ("agents", agent_id, "artifacts", id_of(id), "search"), LineBody(literal=literal, limit=limit)
        return await self._transport.request(tuple[MatchingLine, ...], "POST", *path, body=body)


class RemoteExplain:
    """`client.explain`."""

    def __init__(self, transport: ApiTransport) -> None:
        self._transport = transport

    async def candidates(self, agent_id: str, turn_id: str) -> list[Explanation]:
        """Return what became of every candidate of a turn, by rank."""
        return await self._transport.request(list[Explanation], "GET", "agents", agent_id, "turns", turn_id, "memories")

    async def turns(self, agent_id: str, limit: int = 20, *, session_id: str | None = None) -> list[TurnRow]:
        """Return the agent's last turns, or those of one session, newest first."""
        query = {"limit": limit} | ({"session_id": session_id} if session_id is not None else {})
        return await self._transport.request(list[TurnRow], "GET", "agents", agent_id, "turns", query=query)

    async def past_plans(self, agent_id: str, message: str | None = None, *, limit: int = 25) -> tuple[PastPlan, ...]:
        """Return what tools the agent's latest turns called; with a message, of turns that asked the like."""
        if message is None:
            path, query = ("agents", agent_id, "plans"), {"limit": limit}
            return await self._transport.request(tuple[PastPlan, ...], "GET", *path, query=query)
        body = PlansBody(message=message, limit=limit)
        return await self._transport.request(
            tuple[PastPlan, ...], "POST", "agents", agent_id, "plans", "search", body=body
        )


class RemoteAdmin:
    """`client.admin`."""

    def __init__(self, transport: ApiTransport) -> None:
        self._transport = transport

    async def revisions(self, agent_id: str, id: UUID) -> list[Revision]:
        """Return the changes of a memory, the latest first, each with what it replaced."""
        path = ("agents", agent_id, "memories", id_of(id), "revisions")
        return await self._transport.request(list[Revision], "GET", *path)

    async def context_budgets(self) -> dict[str, Any]:
        """Return what each model can carry."""
        return await self._transport.request(dict[str, Any], "GET", "context-budgets")


def id_of(id: UUID) -> str:
    """Return an id as it stands in a path."""
    return str(require_id("id", id))


class RemotePolicies:
    """`client.policies`; saving and choosing take an admin's token. A choice is asked for once, and not again while the
    server is away: who does not know whether it was made looks at `history`.
    """

    def __init__(self, transport: ApiTransport) -> None:
        self._transport = transport

    async def effective(self, agent_id: str) -> EffectivePolicies:
        """Which versions hold, live and as a shadow, what is changed of the operator's own, and by whose choices."""
        return await self._read(EffectivePolicies, agent_id)

    async def list(self, agent_id: str) -> tuple[PolicyVersion, ...]:
        """The candidates, the latest first."""
        return await self._read(tuple[PolicyVersion, ...], agent_id, "candidates")

    async def history(self, agent_id: str, role: Role = "live") -> tuple[PolicyActivation, ...]:
        """What was chosen for a role, the latest first."""
        return await self._read(tuple[PolicyActivation, ...], agent_id, role, "activations")

    async def get(self, agent_id: str, version: str) -> PolicyVersion:
        """A candidate by its version."""
        return await self._read(PolicyVersion, agent_id, "candidates", version)

    async def load(self, agent_id: str, version: str) -> Policy:
        """The whole policy of a version.

        Raises:
            PolicyError: it is not one of the version of this client.
        """
        return Policy.from_record(await self._read(dict[str, Any], agent_id, "versions", version))

    async def save(self, agent_id: str, changes: PolicyChanges, *, note: str = "") -> PolicyVersion:
        """Saves a candidate: the operator's policy with some rows changed, by dotted name."""
        body = PolicyVersionBody(changes=changes, note=note)
        return await self._transport.request(PolicyVersion, "POST", *_of(agent_id, "candidates"), body=body)

    async def activate(
        self, agent_id: str, version: str | None, *, note: str = "", after: int | None = None
    ) -> PolicyActivation:
        """Lets the agent's turns be planned under a candidate from now on; None is the operator's own again."""
        return await self._activate(agent_id, "live", version, note, after)

    async def shadow(
        self, agent_id: str, version: str | None, *, note: str = "", after: int | None = None
    ) -> PolicyActivation:
        """Runs a candidate beside the one that holds; None is the operator's shadow, or none."""
        return await self._activate(agent_id, "shadow", version, note, after)

    async def roll_back(
        self, agent_id: str, role: Role = "live", *, note: str = "", after: int | None = None
    ) -> PolicyActivation:
        """Lets hold again what held before the choice that holds now."""
        body = RollBackBody(note=note, after=after)
        return await self._post_once("POST", agent_id, role, "rollback", body)

    async def shadow_agreement(self, agent_id: str, version: str) -> Agreement | None:
        """How far a policy agreed with what was shown, in the latest turns that it ran beside; None if in none."""
        wanted: type[Any] = Agreement | None  # type: ignore[assignment]  # a type, though not a class
        found: Agreement | None = await self._read(wanted, agent_id, "versions", version, "agreement")
        return found

    async def what_if(
        self, agent_id: str, changes: PolicyChanges, since: datetime, until: datetime, *, whole: bool = False
    ) -> WhatIf:
        """What these rows would have changed in the latest completed turns of [since, until)."""
        body = WhatIfBody(changes=changes, since=since, until=until, whole=whole)
        return await self._transport.request(WhatIf, "POST", *_of(agent_id, "what-if"), body=body)

    async def _activate(
        self, agent_id: str, role: Role, version: str | None, note: str, after: int | None
    ) -> PolicyActivation:
        body = ActivationBody(version=version, note=note, after=after)
        return await self._post_once("PUT", agent_id, role, "activation", body)

    async def _post_once(
        self, method: str, agent_id: str, role: Role, what: str, body: ActivationBody | RollBackBody
    ) -> PolicyActivation:
        return await self._transport.request_once(PolicyActivation, method, *_of(agent_id, role, what), body=body)

    async def _read(self, returns: type[T], agent_id: str, *path: str) -> T:
        return await self._transport.request(returns, "GET", *_of(agent_id, *path))


def _of(agent_id: str, *path: str) -> tuple[str, ...]:
    return "agents", agent_id, "policies", *path
