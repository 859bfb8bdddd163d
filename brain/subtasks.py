"""Store subtasks, with their dependencies, status, result, artifacts and memories.

Once a subtask has ended, its status and result can no longer change.
"""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from dataclasses import dataclass
from datetime import datetime
from typing import Literal
from uuid import UUID

from brain import statements
from brain.errors import InvalidInput, UnknownArtifact
from brain.memory_rows import share_agent
from brain.postgres.database import Connection, Database
from brain.postgres.wire_types import as_value
from brain.redacting import UNREDACTED, Redactor
from brain.text import lexemes
from brain.users import Scope

SQL = statements.load("subtasks")

SubtaskStatus = Literal["open", "completed", "abandoned"]


@dataclass(frozen=True, slots=True)
class Subtask:
    """A part of the work of a session.

    `depends_on` has the ids of the subtasks that it depends on, `artifacts` the ids of the artifacts that the subtask
    made, and `facts` the ids of the memories in which its result was stored.
    """

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
    """Stores and reads the subtasks of all agents; an agent sees only its own."""

    def __init__(self, database: Database, redactor: Redactor = UNREDACTED) -> None:
        self._database = database
        self._redactor = redactor

    async def begin(
        self, scope: Scope, session_id: str, title: str, depends_on: Sequence[UUID], *, id: UUID
    ) -> Subtask:
        """Open a subtask and return it; a repeated call with the same id changes nothing.

        Raises:
            InvalidInput: the subtask would depend on itself or on an unknown subtask, or the id belongs to a subtask
                with another session or title.
        """
        title = await self._redactor.text(title)

        async def work(c: Connection) -> Subtask:
            await share_agent(c, scope.agent_id)
            await c.execute(*SQL.own_work(agent_id=scope.agent_id))
            await _require_no_cycle(c, scope.agent_id, id, depends_on)
            await _require_known(c, scope.agent_id, depends_on)
            stems = sorted(set(lexemes(title)))
            await c.execute(
                *SQL.begin(
                    agent_id=scope.agent_id,
                    subtask_id=id,
                    session_id=session_id,
                    title=title,
                    depends_on=list(depends_on),
                    lexemes=stems,
                )
            )
            return await _one(c, scope.agent_id, id)

        subtask = await self._database.run(scope, work)
        if (subtask.session_id, subtask.title) != (session_id, title):
            raise InvalidInput(f"id: subtask {id} exists with another session or title: {subtask.title!r}")
        return subtask

    async def add_dependencies(self, scope: Scope, id: UUID, on: Sequence[UUID]) -> Subtask:
        """Add other subtasks that an open subtask depends on, and return the open subtask.

        Raises:
            InvalidInput: the subtask has ended or would depend on itself, or a subtask is unknown.
        """

        async def work(c: Connection) -> Subtask:
            await share_agent(c, scope.agent_id)
            await c.execute(*SQL.own_work(agent_id=scope.agent_id))
            await _require_no_cycle(c, scope.agent_id, id, on)
            await _require_known(c, scope.agent_id, on)
            if await c.fetchrow(*SQL.depend(agent_id=scope.agent_id, subtask_id=id, depends_on=list(on))) is None:
                raise _already_ended(await _one(c, scope.agent_id, id), "open")
            return await _one(c, scope.agent_id, id)

        return await self._database.run(scope, work)

    async def finish(
        self, scope: Scope, id: UUID, status: SubtaskStatus, result: str, artifacts: Sequence[UUID] = ()
    ) -> Subtask:
        """End a subtask and return it; a repeated call with the same status and result changes nothing.

        Raises:
            UnknownArtifact: the agent does not have one of the artifacts.
            InvalidInput: the subtask is unknown, or has ended with another status or result.
        """
        result = await self._redactor.text(result)

        async def work(c: Connection) -> Subtask:
            await share_agent(c, scope.agent_id)
            known = {
                row["id"]
                for row in await c.fetch(*SQL.known_artifacts(agent_id=scope.agent_id, artifact_ids=list(artifacts)))
            }
            for missing in (artifact for artifact in artifacts if artifact not in known):
                raise UnknownArtifact(f"artifacts: agent {scope.agent_id!r} has no artifact {missing}")
            title = (await _one(c, scope.agent_id, id)).title
            stems = sorted(set(lexemes(f"{title}\n{result}")))
            finished = await c.fetchrow(
                *SQL.finish(
                    agent_id=scope.agent_id,
                    subtask_id=id,
                    status=status,
                    result=result,
                    artifact_ids=list(artifacts),
                    lexemes=stems,
                )
            )
            if finished is not None and artifacts:
                bound = SQL.give_artifacts(agent_id=scope.agent_id, subtask_id=id, artifact_ids=list(artifacts))
                await c.execute(*bound)
            return await _one(c, scope.agent_id, id)

        ended = await self._database.run(scope, work)
        if (ended.status, ended.result) != (status, result):
            raise _already_ended(ended, status)
        return ended

    async def archived(self, scope: Scope, id: UUID, facts: Sequence[UUID]) -> None:
        """Record the ids of the memories in which a subtask's result was stored."""
        await self._database.run(
            scope, lambda c: c.execute(*SQL.archived(agent_id=scope.agent_id, subtask_id=id, memory_ids=list(facts)))
        )

    async def get(self, scope: Scope, ids: Sequence[UUID]) -> tuple[Subtask, ...]:
        """Return the subtasks with these ids, in the same order.

        Raises:
            InvalidInput: the agent does not have one of the subtasks.
        """
        rows = await self._database.run(
            scope, lambda c: c.fetch(*SQL.subtasks(agent_id=scope.agent_id, subtask_ids=list(ids)))
        )
        subtasks = {row["id"]: as_value(Subtask, row) for row in rows}
        for missing in (id for id in ids if id not in subtasks):
            raise _unknown(scope.agent_id, missing)
        return tuple(subtasks[id] for id in ids)

    async def list_by_session(self, scope: Scope, session_id: str) -> tuple[Subtask, ...]:
        """Return the subtasks of a session, oldest first."""
        rows = await self._database.run(
            scope, lambda c: c.fetch(*SQL.of_session(agent_id=scope.agent_id, session_id=session_id))
        )
        return tuple(as_value(Subtask, row) for row in rows)

    async def search(self, scope: Scope, session_id: str | None, query: str, limit: int) -> tuple[Subtask, ...]:
        """Return the completed subtasks whose title or result shares word stems with a query, best first.

        If `session_id` is None, all sessions are searched. A query without words finds nothing.
        """
        stems = list(dict.fromkeys(lexemes(query)))
        rows = await self._database.run(
            scope,
            lambda c: c.fetch(*SQL.search(agent_id=scope.agent_id, session_id=session_id, lexemes=stems, limit=limit)),
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


async def _require_no_cycle(c: Connection, agent_id: str, id: UUID, on: Iterable[UUID]) -> None:
    needed = {row["id"] for row in await c.fetch(*SQL.needed(agent_id=agent_id, subtask_ids=list(on)))}
    if id in needed:
        raise InvalidInput(f"depends_on: subtask {id} would depend on itself")


def _unknown(agent_id: str, id: UUID) -> InvalidInput:
    return InvalidInput(f"subtask: agent {agent_id!r} has no subtask {id}")


def _already_ended(subtask: Subtask, status: SubtaskStatus) -> InvalidInput:
    difference = " with another result" if subtask.status == status else f", not {status}"
    return InvalidInput(f"subtask {subtask.id}: it is already {subtask.status}{difference}")
