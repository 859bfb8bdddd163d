"""Policies that operators saved for an agent, which of them holds, and the recorded turns that tell what one is worth.

What is chosen is added and never changed: the latest row of a role holds, the rows before it are the history.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from datetime import datetime
from typing import Any, Literal
from uuid import UUID

from brain import statements
from brain.errors import InvalidInput
from brain.memory_rows import share_agent
from brain.postgres.database import Connection, Database
from brain.postgres.wire_types import as_value
from brain.search import Masses
from brain.statements import SqlStatement
from brain.turn_records import ShadowedTurn, Verdict

SQL = statements.load("policies")

Role = Literal["live", "shadow"]
Changes = Mapping[str, float | int]
MAX_VERSIONS = 200  # listed
MAX_ACTIVATIONS = 200
MAX_NOTE_LENGTH = 500  # characters
_SECONDS = 10.0  # a page that takes longer is given up


@dataclass(frozen=True, slots=True)
class PolicyVersion:
    """A saved policy: what it changes by the setting's dotted name, over which base, since when and by whom."""

    version: str
    base: str
    changes: Changes
    created_at: datetime
    author: str
    note: str


@dataclass(frozen=True, slots=True)
class PolicyActivation:
    """The `number`-th choice of a role; `version` None is the operator's own policy again, and as a shadow none."""

    role: Role
    number: int
    version: str | None
    activated_at: datetime
    author: str
    note: str


@dataclass(frozen=True, slots=True)
class ActivePolicy:
    """A choice that holds, with what its candidate changes."""

    choice: PolicyActivation
    changes: Changes


@dataclass(frozen=True, slots=True)
class SampledTurn:
    """A completed turn with the record of its stages, None if there is none."""

    turn_id: str
    at: datetime
    message: str
    policy: str
    record: str | None


class PolicyStore:
    """Candidates and choices, each agent's by itself, under row level security."""

    def __init__(self, database: Database) -> None:
        self._database = database

    async def save(
        self, agent_id: str, version: str, base: str, changes: Changes, *, by: str, note: str
    ) -> PolicyVersion:
        """Saves a candidate, once: one of this version that is there stays as it is, and is returned."""

        async def work(c: Connection) -> Any:
            await share_agent(c, agent_id)
            await c.execute(
                *SQL.save(agent_id=agent_id, version=version, base=base, changes=dict(changes), author=by, note=note)
            )
            return await c.fetchrow(*SQL.versions(agent_id=agent_id, limit=1, version=version))

        return PolicyVersion(**dict(await self._database.run(agent_id, work)))

    async def versions(self, agent_id: str, version: str | None = None) -> list[PolicyVersion]:
        """What was saved, the latest first; or the one of a version, if it is there."""
        rows = await self._fetch(agent_id, SQL.versions, limit=MAX_VERSIONS, version=version)
        return [as_value(PolicyVersion, row) for row in rows]

    async def activate(
        self, agent_id: str, role: Role, version: str | None, *, by: str, note: str, after: int | None = None
    ) -> PolicyActivation:
        """Lets a candidate hold from now on, or with None the operator's own policy.

        `after` is the number of the choice that the caller saw holding, 0 for none; None does not ask.

        Raises:
            InvalidInput: no candidate of this version, or somebody chose since.
        """

        async def work(c: Connection) -> Any:
            await share_agent(c, agent_id)
            await c.execute(*SQL.in_turn(agent_id=agent_id))
            latest = await c.fetchrow(*SQL.activations(agent_id=agent_id, role=role, limit=1))
            number = latest["number"] if latest is not None else 0
            if after is not None and after != number:
                raise InvalidInput(f"after: choice {number} of the {role} policy was made since {after}; look again")
            if version is not None and not await c.fetch(*SQL.versions(agent_id=agent_id, limit=1, version=version)):
                raise InvalidInput(f"version: agent {agent_id!r} has no candidate {version!r}")
            return await c.fetchrow(
                *SQL.activate(agent_id=agent_id, role=role, number=number + 1, version=version, author=by, note=note)
            )

        return PolicyActivation(**dict(await self._database.run(agent_id, work)))

    async def activations(self, agent_id: str, role: Role, limit: int = MAX_ACTIVATIONS) -> list[PolicyActivation]:
        """The history of a role, the latest first."""
        return [
            PolicyActivation(**dict(row))
            for row in await self._fetch(agent_id, SQL.activations, role=role, limit=limit)
        ]

    async def active(self, agent_id: str) -> dict[Role, ActivePolicy]:
        """What holds now, by role; a role that nobody chose for is left out."""
        told: dict[Role, ActivePolicy] = {}
        for row in await self._fetch(agent_id, SQL.active):
            choice = {name: value for name, value in row.items() if name != "changes"}
            told[row["role"]] = ActivePolicy(PolicyActivation(**choice), row["changes"] or {})
        return told

    async def content(self, agent_id: str, version: str) -> Mapping[str, Any] | None:
        """What a policy says that some turn was planned under, or None."""
        rows = await self._fetch(agent_id, SQL.content, version=version)
        return dict(rows[0]["content"]) if rows else None

    async def shadowed(self, agent_id: str, version: str, latest: int) -> list[ShadowedTurn]:
        """The latest turns that a policy ran beside."""
        return [
            as_value(ShadowedTurn, row)
            for row in await self._fetch(agent_id, SQL.shadowed, policy=version, limit=latest)
        ]

    async def base_rates(self, agent_id: str) -> dict[str, Masses]:
        """How often memories of each type were shown and used."""
        rows = [dict(row) for row in await self._fetch(agent_id, SQL.base_rates)]
        return {row.pop("type"): Masses(**row) for row in rows}

    # --- recorded turns ---

    async def sample(self, agent_id: str, since: datetime, until: datetime, latest: int) -> list[SampledTurn]:
        """The latest completed turns of [since, until), newest first."""
        rows = await self._fetch(agent_id, SQL.sample, since=since, until=until, limit=latest)
        return [SampledTurn(row["turn_id"], row["at"], row["message"], row["policy"], row["record"]) for row in rows]

    async def completed(self, agent_id: str, since: datetime, until: datetime) -> int:
        """How many completed turns there are to sample, whole days of UTC counted."""
        return int((await self._fetch(agent_id, SQL.completed, since=since, until=until))[0][0])

    async def still(self, agent_id: str, turn_ids: Sequence[str], memory_ids: Sequence[UUID]) -> bool:
        """Whether all of these turns and memories are still there."""
        [row] = await self._fetch(agent_id, SQL.still, turn_ids=list(turn_ids), memory_ids=list(memory_ids))
        return (row["turns"], row["memories"]) == (len(set(turn_ids)), len(set(memory_ids)))

    async def verdicts(self, agent_id: str, turn_ids: Sequence[str]) -> list[Verdict]:
        """What was counted of what these turns showed, in the order of time."""
        rows = await self._fetch(agent_id, SQL.verdicts_of, turn_ids=list(turn_ids))
        return [as_value(Verdict, row) for row in rows]

    async def verdicts_before(self, agent_id: str, at: datetime, latest: int) -> list[Verdict]:
        """The same of the latest so many completed turns before a time."""
        rows = await self._fetch(agent_id, SQL.verdicts_before, before=at, limit=latest)
        return [as_value(Verdict, row) for row in rows]

    async def _fetch(self, agent_id: str, statement: SqlStatement, **values: Any) -> list[Any]:
        bound = statement(agent_id=agent_id, **values)
        return list(await self._database.run(agent_id, lambda c: c.fetch(*bound), timeout=_SECONDS))
