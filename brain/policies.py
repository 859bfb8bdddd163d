"""The policies that operators saved for an agent, which of them is active, and recorded turns to evaluate them on.

A policy can be active in two roles: `live` decides the turns, and `shadow` is only computed for comparison. Activations
are added and never changed. A role's latest activation is in force, and the earlier ones are its history.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from datetime import datetime
from typing import Any, Literal
from uuid import UUID

from brain import statements
from brain.errors import InvalidInput
from brain.judgements import Verdict
from brain.memory_rows import share_agent
from brain.postgres.database import Connection, Database
from brain.postgres.wire_types import as_value
from brain.search import Masses
from brain.statements import SqlStatement
from brain.turn_records import ShadowedTurn
from brain.users import Scope

SQL = statements.load("policies")
_RUNS = statements.by_view(SQL.runs)

Role = Literal["live", "shadow"]
Changes = Mapping[str, float | int]
MAX_VERSIONS = 200  # saved policies in a list
MAX_ACTIVATIONS = 200  # activations in a list
MAX_NOTE_LENGTH = 500  # characters
_SECONDS = 10.0  # timeout of each read


@dataclass(frozen=True, slots=True)
class PolicyVersion:
    """A saved policy: the version of the policy that it changes, and the settings that it changes, by dotted name."""

    version: str
    base: str
    changes: Changes
    created_at: datetime
    author: str
    note: str


@dataclass(frozen=True, slots=True)
class PolicyActivation:
    """The activation of a policy in a role: live, or shadow (computed only for comparison).

    `number` counts the role's activations from 1. A `version` of None returns to the operator's own policy in the live
    role, and turns the shadow policy off in the shadow role.
    """

    role: Role
    number: int
    version: str | None
    activated_at: datetime
    author: str
    note: str


@dataclass(frozen=True, slots=True)
class ActivePolicy:
    """The policy in force in a role (live or shadow): its activation, and the settings that it changes."""

    choice: PolicyActivation
    changes: Changes


@dataclass(frozen=True, slots=True)
class SampledTurn:
    """A completed turn for the evaluation of policies, with the record of its pipeline stages if there is one."""

    turn_id: str
    at: datetime
    message: str
    policy: str
    record: str | None
    user_id: str = ""


@dataclass(frozen=True, slots=True)
class PolicyRun:
    """A policy that turns were planned under: its settings, the time of its first use, and its latest turns.

    `turns` counts those among the latest turns that were read, and `last_at` is the time of the latest of them.
    """

    version: str
    content: Mapping[str, Any]
    first_used_at: datetime
    turns: int
    last_at: datetime


class PolicyStore:
    """Stores and reads the saved policies and activations of all agents; an agent sees only its own."""

    def __init__(self, database: Database) -> None:
        self._database = database

    async def save(
        self, agent_id: str, version: str, base: str, changes: Changes, *, by: str, note: str
    ) -> PolicyVersion:
        """Save a policy and return it. If a policy with this version is saved already, return that one unchanged."""

        async def work(c: Connection) -> Any:
            await share_agent(c, agent_id)
            await c.execute(
                *SQL.save(agent_id=agent_id, version=version, base=base, changes=dict(changes), author=by, note=note)
            )
            return await c.fetchrow(*SQL.versions(agent_id=agent_id, limit=1, version=version))

        return PolicyVersion(**dict(await self._database.run(Scope(agent_id), work)))

    async def versions(self, agent_id: str, version: str | None = None) -> list[PolicyVersion]:
        """Return the saved policies, latest first.

        With `version`, return only the policy of this version, if it exists.
        """
        rows = await self._fetch(Scope(agent_id), SQL.versions, limit=MAX_VERSIONS, version=version)
        return [as_value(PolicyVersion, row) for row in rows]

    async def activate(
        self, agent_id: str, role: Role, version: str | None, *, by: str, note: str, after: int | None = None
    ) -> PolicyActivation:
        """Activate a saved policy in a role.

        If `version` is None, go back to the operator's own policy, or to no shadow.

        `after` guards against concurrent changes: it is the number of the latest activation that the caller has seen,
        or 0 if there was none. With None this is not checked.

        Raises:
            InvalidInput: no saved policy has this version, or the role's latest activation is not `after`.
        """

        async def work(c: Connection) -> Any:
            await share_agent(c, agent_id)
            await c.execute(*SQL.in_turn(agent_id=agent_id))
            latest = await c.fetchrow(*SQL.activations(agent_id=agent_id, role=role, limit=1))
            number = latest["number"] if latest is not None else 0
            if after is not None and after != number:
                raise InvalidInput(
                    f"after: the latest activation of the {role} policy is {number}, not {after}; read it again"
                )
            if version is not None and not await c.fetch(*SQL.versions(agent_id=agent_id, limit=1, version=version)):
                raise InvalidInput(f"version: agent {agent_id!r} has no saved policy {version!r}")
            return await c.fetchrow(
                *SQL.activate(agent_id=agent_id, role=role, number=number + 1, version=version, author=by, note=note)
            )

        return PolicyActivation(**dict(await self._database.run(Scope(agent_id), work)))

    async def activations(self, agent_id: str, role: Role, limit: int = MAX_ACTIVATIONS) -> list[PolicyActivation]:
        """Return the activations of a role, latest first."""
        return [
            PolicyActivation(**dict(row))
            for row in await self._fetch(Scope(agent_id), SQL.activations, role=role, limit=limit)
        ]

    async def active(self, agent_id: str) -> dict[Role, ActivePolicy]:
        """Return the policy in force in each role; a role without activations is left out."""
        active: dict[Role, ActivePolicy] = {}
        for row in await self._fetch(Scope(agent_id), SQL.active):
            choice = {name: value for name, value in row.items() if name != "changes"}
            active[row["role"]] = ActivePolicy(PolicyActivation(**choice), row["changes"] or {})
        return active

    async def content(self, agent_id: str, version: str) -> Mapping[str, Any] | None:
        """Return the full settings of a policy by its version, or None if no turn was planned under this policy."""
        rows = await self._fetch(Scope(agent_id), SQL.content, version=version)
        return dict(rows[0]["content"]) if rows else None

    async def runs(self, scope: Scope, latest: int) -> list[PolicyRun]:
        """Return the policies that the latest turns were planned under, that of the latest turn first."""
        return [as_value(PolicyRun, row) for row in await self._fetch(scope, _RUNS[scope.sees_all], latest=latest)]

    async def used(self, agent_id: str, versions: Sequence[str]) -> list[PolicyRun]:
        """Return these policies, as far as turns were planned under them; turns are not counted."""
        rows = await self._fetch(Scope(agent_id), SQL.used, versions=list(versions))
        return [as_value(PolicyRun, row) for row in rows]

    async def shadowed(self, scope: Scope, version: str, latest: int) -> list[ShadowedTurn]:
        """Return the latest turns in which this policy ran as a shadow, with the memories that it would have shown."""
        return [
            as_value(ShadowedTurn, row) for row in await self._fetch(scope, SQL.shadowed, policy=version, limit=latest)
        ]

    async def base_rates(self, scope: Scope, half_life_days: float) -> dict[str, Masses]:
        """Return how often memories of each type that the view sees were shown and used, as sums that decay."""
        rows = [
            dict(row) for row in await self._fetch(scope, SQL.base_rates, half_life_seconds=half_life_days * 86_400)
        ]
        return {row.pop("type"): Masses(**row) for row in rows}

    # --- recorded turns ---

    async def sample(self, scope: Scope, since: datetime, until: datetime, latest: int) -> list[SampledTurn]:
        """Return the latest completed turns between `since` (included) and `until` (excluded), newest first."""
        rows = await self._fetch(scope, SQL.sample, since=since, until=until, limit=latest)
        return [as_value(SampledTurn, row) for row in rows]

    async def completed(self, agent_id: str, since: datetime, until: datetime) -> int:
        """Return the number of turns completed from the UTC day of `since` to the UTC day of `until`.

        Replay samples are drawn from these turns.
        """
        return int((await self._fetch(Scope(agent_id), SQL.completed, since=since, until=until))[0][0])

    async def still_exist(self, scope: Scope, turn_ids: Sequence[str], memory_ids: Sequence[UUID]) -> bool:
        """Return True if all of these turns and memories still exist."""
        [row] = await self._fetch(scope, SQL.count_existing, turn_ids=list(turn_ids), memory_ids=list(memory_ids))
        return (row["turns"], row["memories"]) == (len(set(turn_ids)), len(set(memory_ids)))

    async def verdicts(self, scope: Scope, turn_ids: Sequence[str]) -> list[Verdict]:
        """Return the verdicts (used or not used) on the memories that these turns showed, oldest first."""
        rows = await self._fetch(scope, SQL.verdicts_of, turn_ids=list(turn_ids))
        return [as_value(Verdict, row) for row in rows]

    async def verdicts_before(self, scope: Scope, at: datetime, latest: int) -> list[Verdict]:
        """Return the verdicts on the memories shown in the `latest` completed turns before `at`, oldest first.

        A verdict says whether a memory was used.
        """
        rows = await self._fetch(scope, SQL.verdicts_before, before=at, limit=latest)
        return [as_value(Verdict, row) for row in rows]

    async def _fetch(self, scope: Scope, statement: SqlStatement, **values: Any) -> list[Any]:
        bound = statement(agent_id=scope.agent_id, **values)
        return list(await self._database.run(scope, lambda c: c.fetch(*bound), timeout=_SECONDS))
