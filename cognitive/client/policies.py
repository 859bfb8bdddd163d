"""Policies of agents on a server: what `layer.policies` does, by the same methods; who chose is whose token it is."""

from __future__ import annotations

from collections.abc import Mapping
from datetime import datetime
from typing import Any, TypeVar

from brain.policies import Candidate, Choice, Role
from cognitive.client.calls import Calls
from cognitive.lab.shadow import Agreement
from cognitive.lab.what_if import WhatIf
from cognitive.policy import Policy
from cognitive.wire.models import CandidateBody, ChoiceBody, Holds, RollBackBody, WhatIfBody

T = TypeVar("T")
Changes = Mapping[str, float | int]


class Policies:
    """`client.policies`; saving and choosing take an admin's token. A choice is asked for once, and not again while the
    server is away: who does not know whether it was made looks at `history`.
    """

    def __init__(self, calls: Calls) -> None:
        self._calls = calls

    async def effective(self, agent_id: str) -> Holds:
        """Which versions hold, live and as a shadow, what is changed of the operator's own, and by whose choices."""
        return await self._read(Holds, agent_id)

    async def list(self, agent_id: str) -> tuple[Candidate, ...]:
        """The candidates, the latest first."""
        return await self._read(tuple[Candidate, ...], agent_id, "candidates")

    async def history(self, agent_id: str, role: Role = "live") -> tuple[Choice, ...]:
        """What was chosen for a role, the latest first."""
        return await self._read(tuple[Choice, ...], agent_id, role, "choices")

    async def candidate(self, agent_id: str, version: str) -> Candidate:
        """A candidate by its version."""
        return await self._read(Candidate, agent_id, "candidates", version)

    async def show(self, agent_id: str, version: str) -> Policy:
        """The whole policy of a version.

        Raises:
            PolicyError: it is not one of the version of this client.
        """
        return Policy.from_record(await self._read(dict[str, Any], agent_id, "versions", version))

    async def save(self, agent_id: str, changes: Changes, *, note: str = "") -> Candidate:
        """Saves a candidate: the operator's policy with some rows changed, by dotted name."""
        body = CandidateBody(changes=changes, note=note)
        return await self._calls.call(Candidate, "POST", *_of(agent_id, "candidates"), body=body)

    async def activate(self, agent_id: str, version: str | None, *, note: str = "", after: int | None = None) -> Choice:
        """Lets the agent's turns be planned under a candidate from now on; None is the operator's own again."""
        return await self._chosen(agent_id, "live", version, note, after)

    async def shadow(self, agent_id: str, version: str | None, *, note: str = "", after: int | None = None) -> Choice:
        """Runs a candidate beside the one that holds; None is the operator's shadow, or none."""
        return await self._chosen(agent_id, "shadow", version, note, after)

    async def roll_back(
        self, agent_id: str, role: Role = "live", *, note: str = "", after: int | None = None
    ) -> Choice:
        """Lets hold again what held before the choice that holds now."""
        body = RollBackBody(note=note, after=after)
        return await self._once("POST", agent_id, role, "rollback", body)

    async def compared(self, agent_id: str, version: str) -> Agreement | None:
        """How far a policy agreed with what was shown, in the latest turns that it ran beside; None if in none."""
        wanted: type[Any] = Agreement | None  # type: ignore[assignment]  # a type, though not a class
        found: Agreement | None = await self._read(wanted, agent_id, "versions", version, "agreement")
        return found

    async def what_if(
        self, agent_id: str, moved: Changes, since: datetime, until: datetime, *, whole: bool = False
    ) -> WhatIf:
        """What these rows would have changed in the latest completed turns of [since, until)."""
        body = WhatIfBody(changes=moved, since=since, until=until, whole=whole)
        return await self._calls.call(WhatIf, "POST", *_of(agent_id, "what-if"), body=body)

    async def _chosen(self, agent_id: str, role: Role, version: str | None, note: str, after: int | None) -> Choice:
        body = ChoiceBody(version=version, note=note, after=after)
        return await self._once("PUT", agent_id, role, "choice", body)

    async def _once(self, method: str, agent_id: str, role: Role, what: str, body: ChoiceBody | RollBackBody) -> Choice:
        return await self._calls.once(Choice, method, *_of(agent_id, role, what), body=body)

    async def _read(self, returns: type[T], agent_id: str, *path: str) -> T:
        return await self._calls.call(returns, "GET", *_of(agent_id, *path))


def _of(agent_id: str, *path: str) -> tuple[str, ...]:
    return "agents", agent_id, "policies", *path
