"""Subtasks: what each depends on, how it ended, what it left. The first end is final."""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from dataclasses import dataclass
from datetime import datetime
from typing import Literal
from uuid import UUID

from brain import statements
from brain.errors import InvalidInput, UnknownArtifact
from brain.postgres.database import Connection, Database
from brain.postgres.wire_types import as_value
from brain.redacting import UNREDACTED, Redactor
from brain.text import lexemes

SQL = statements.load("subtasks")

SubtaskStatus = Literal["open", "completed", "abandoned"]


@dataclass(frozen=True, slots=True)
class Subtask:
    """A piece of work. `artifacts` are ids of what it made, `facts` of the memories that it left."""

    id: UUID
    session_id: str
    title: str
    status: SubtaskStatus
    depends_on: tuple[UUID, ...]
    artifacts: tuple[UUID, ...]
    result: str
    facts: tuple[UUID, ...]
    created_at: datetime
    completed_at: datetime | None


class Subtasks:
    """The subtasks of all agents, each agent's seen by itself only."""

    def __init__(self, database: Database, redactor: Redactor = UNREDACTED) -> None:
        self._database = database
        self._redactor = redactor

    async def begin(
        self, agent_id: str, session_id: str, title: str, depends_on: Sequence[UUID], *, id: UUID
    ) -> Subtask:
        """Opens a subtask, once per id.

        Raises:
            InvalidInput: it would depend on itself, on a subtask that this agent does not have, or the id is that of
                another one.
        """

        title = await self._redactor.text(title)

        async def work(c: Connection) -> Subtask:
            await c.execute(*SQL.own_work(agent_id=agent_id))
            await _require_no_circle(c, agent_id, id, depends_on)
            await _require_known(c, agent_id, depends_on)
            stems = sorted(set(lexemes(title)))
            await c.execute(
                *SQL.begin(
                    agent_id=agent_id,
                    subtask_id=id,
                    session_id=session_id,
                    title=title,
                    depends_on=list(depends_on),
                    lexemes=stems,
                )
            )
            return await _one(c, agent_id, id)

        begun = await self._database.run(agent_id, work)
        if (begun.session_id, begun.title) != (session_id, title):
            raise InvalidInput(f"id: subtask {id} is another one: {begun.title!r}")
        return begun

    async def add_dependencies(self, agent_id: str, id: UUID, on: Sequence[UUID]) -> Subtask:
        """Lets an open subtask depend on more.

        Raises:
            InvalidInput: it has ended, would come to depend on itself, or one of them is unknown.
        """

        async def work(c: Connection) -> Subtask:
            await c.execute(*SQL.own_work(agent_id=agent_id))
            await _require_no_circle(c, agent_id, id, on)
            await _require_known(c, agent_id, on)
            if await c.fetchrow(*SQL.depend(agent_id=agent_id, subtask_id=id, depends_on=list(on))) is None:
                raise _ended(await _one(c, agent_id, id), "open")
            return await _one(c, agent_id, id)

        return await self._database.run(agent_id, work)

    async def finish(
        self, agent_id: str, id: UUID, status: SubtaskStatus, result: str, artifacts: Sequence[UUID] = ()
    ) -> Subtask:
        """Ends a subtask; the same end again changes nothing.

        Raises:
            InvalidInput: it ended otherwise before, or an artifact is unknown.
        """

        result = await self._redactor.text(result)

        async def work(c: Connection) -> Subtask:
            known = {
                row["id"]
                for row in await c.fetch(*SQL.known_artifacts(agent_id=agent_id, artifact_ids=list(artifacts)))
            }
            for missing in (artifact for artifact in artifacts if artifact not in known):
                raise UnknownArtifact(f"artifacts: agent {agent_id!r} has no artifact {missing}")
            title = (await _one(c, agent_id, id)).title
            stems = sorted(set(lexemes(f"{title}\n{result}")))
            await c.fetchrow(
                *SQL.finish(
                    agent_id=agent_id,
                    subtask_id=id,
                    status=status,
                    result=result,
                    artifact_ids=list(artifacts),
                    lexemes=stems,
                )
            )
            return await _one(c, agent_id, id)

        ended = await self._database.run(agent_id, work)
        if (ended.status, ended.result) != (status, result):
            raise _ended(ended, status)
        return ended

    async def archived(self, agent_id: str, id: UUID, facts: Sequence[UUID]) -> None:
        """Notes the memories that a subtask left."""
        await self._database.run(
            agent_id, lambda c: c.execute(*SQL.archived(agent_id=agent_id, subtask_id=id, memory_ids=list(facts)))
        )

    async def get(self, agent_id: str, ids: Sequence[UUID]) -> tuple[Subtask, ...]:
        """The subtasks of these ids, in their order.

        Raises:
            InvalidInput: one that this agent does not have.
        """
        rows = await self._database.run(
            agent_id, lambda c: c.fetch(*SQL.subtasks(agent_id=agent_id, subtask_ids=list(ids)))
        )
        found = {row["id"]: as_value(Subtask, row) for row in rows}
        for missing in (id for id in ids if id not in found):
            raise _unknown(agent_id, missing)
        return tuple(found[id] for id in ids)

    async def list_by_session(self, agent_id: str, session_id: str) -> tuple[Subtask, ...]:
        """A session's subtasks, oldest first."""
        rows = await self._database.run(
            agent_id, lambda c: c.fetch(*SQL.of_session(agent_id=agent_id, session_id=session_id))
        )
        return tuple(as_value(Subtask, row) for row in rows)

    async def search(self, agent_id: str, session_id: str | None, query: str, limit: int) -> tuple[Subtask, ...]:
        """Completed subtasks that share stems with a query, the best first. A query without words finds nothing."""
        stems = list(dict.fromkeys(lexemes(query)))
        rows = await self._database.run(
            agent_id,
            lambda c: c.fetch(*SQL.search(agent_id=agent_id, session_id=session_id, lexemes=stems, limit=limit)),
        )
        return tuple(as_value(Subtask, row) for row in rows)


async def _one(c: Connection, agent_id: str, id: UUID) -> Subtask:
    rows = await c.fetch(*SQL.subtasks(agent_id=agent_id, subtask_ids=[id]))
    if not rows:
        raise _unknown(agent_id, id)
    return as_value(Subtask, rows[0])


async def _require_known(c: Connection, agent_id: str, ids: Sequence[UUID]) -> None:
    known = {row["id"] for row in await c.fetch(*SQL.subtasks(agent_id=agent_id, subtask_ids=list(ids)))}
    for missing in (id for id in ids if id not in known):
        raise _unknown(agent_id, missing)


async def _require_no_circle(c: Connection, agent_id: str, id: UUID, on: Iterable[UUID]) -> None:
    needed = {row["id"] for row in await c.fetch(*SQL.needed(agent_id=agent_id, subtask_ids=list(on)))}
    if id in needed:
        raise InvalidInput(f"depends_on: subtask {id} would come to depend on itself")


def _unknown(agent_id: str, id: UUID) -> InvalidInput:
    return InvalidInput(f"subtask: agent {agent_id!r} has no subtask {id}")


def _ended(subtask: Subtask, wanted: SubtaskStatus) -> InvalidInput:
    how = "with another result" if subtask.status == wanted else f"it is {subtask.status}"
    return InvalidInput(f"subtask {subtask.id} cannot be {wanted}: {how}")
