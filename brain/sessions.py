"""The state of sessions: summary, plan and last messages. It is stored in Postgres and not kept in any process."""

from __future__ import annotations

from collections.abc import Awaitable, Callable, Sequence
from dataclasses import dataclass
from datetime import datetime

from brain import statements
from brain.agent_rows import sharing, sharing_unless_erased
from brain.errors import InvalidInput
from brain.postgres.database import Connection, Database
from brain.postgres.wire_types import as_value, count
from brain.redacting import UNREDACTED, Redactor
from brain.text import patterns
from brain.users import Scope

SQL = statements.load("sessions")


@dataclass(frozen=True, slots=True)
class CarriedState:
    """The state of a session that its next turn needs.

    `summary` covers the conversation up to the message whose digest is `summarized_until`. `plan` has the steps of the
    work, and `step` is the number of completed steps.
    """

    summary: str = ""
    summarized_until: str | None = None
    plan: tuple[str, ...] = ()
    step: int = 0

    @property
    def plan_step(self) -> str | None:
        """The plan's current step, or None if there is no plan or all its steps are done."""
        return self.plan[self.step] if self.step < len(self.plan) else None


@dataclass(frozen=True, slots=True)
class SessionState:
    """The whole state of a session.

    `recent` are the session's last turns, newest first, as (turn id, time, status, message). `messages` are the last
    messages of its conversation, in the encoding of the caller that stored them.
    """

    session_id: str
    memories: int
    turns: int
    carried: CarriedState
    started_at: datetime
    last_at: datetime
    ended_at: datetime | None
    messages: bytes | None
    recent: tuple[tuple[str, datetime, str, str], ...] = ()


@dataclass(frozen=True, slots=True)
class SessionSummary:
    """A session in a list: its numbers of memories and turns, when it began, was last used and ended, and its user."""

    session_id: str
    memories: int
    turns: int
    started_at: datetime
    last_at: datetime
    ended_at: datetime | None
    user_id: str | None


@dataclass(frozen=True, slots=True)
class SessionFilter:
    """The conditions that a list of sessions is filtered by. A condition that is None matches every session.

    `words` must all be in the id. The session was last used in [since, until). `ended` says if it was ended.
    """

    words: str | None = None
    since: datetime | None = None
    until: datetime | None = None
    ended: bool | None = None


@dataclass(frozen=True, slots=True)
class ClearedSession:
    """The numbers of rows that `Sessions.clear` removed; `sessions` is 0 if the session does not exist."""

    sessions: int
    artifacts: int
    subtasks: int


# Maps a session's id and its encoded last messages to the encoded messages with the answer added.
Answering = Callable[[str, bytes], Awaitable[bytes]]


class Sessions:
    """Stores and reads the state of the sessions of all agents; an agent sees only its own."""

    def __init__(self, database: Database, redactor: Redactor = UNREDACTED) -> None:
        self._database = database
        self._redactor = redactor

    async def carried(self, scope: Scope, session_id: str, *, timeout: float = 60.0) -> CarriedState:
        """Return the state that the next turn needs, empty for a session that does not exist."""
        row = await self._database.run(
            scope, lambda c: c.fetchrow(*SQL.carried(agent_id=scope.agent_id, session_id=session_id)), timeout=timeout
        )
        return as_value(CarriedState, row) if row is not None else CarriedState()

    async def state(self, scope: Scope, session_id: str, recent: int) -> SessionState | None:
        """Return a session with its last `recent` turns, or None if it does not exist."""

        async def work(c: Connection) -> SessionState | None:
            row = await c.fetchrow(*SQL.session(agent_id=scope.agent_id, session_id=session_id))
            if row is None:
                return None
            turns = await c.fetch(*SQL.session_turns(agent_id=scope.agent_id, session_id=session_id, limit=recent))
            return as_value(
                SessionState,
                row,
                carried=as_value(CarriedState, row),
                messages=row["recent_messages"],
                recent=tuple(tuple(turn) for turn in turns),
            )

        return await self._database.run(scope, work)

    async def page(
        self, scope: Scope, limit: int, offset: int, wanted: SessionFilter | None = None
    ) -> list[SessionSummary]:
        """Return at most `limit` sessions that a view sees from position `offset`, the last used first."""
        wanted = wanted or SessionFilter()
        statement = SQL.sessions(
            agent_id=scope.agent_id,
            patterns=patterns(wanted.words),
            since=wanted.since,
            until=wanted.until,
            ended=wanted.ended,
            limit=limit,
            offset=offset,
        )
        rows = await self._database.run(scope, lambda c: c.fetch(*statement))
        return [SessionSummary(*row) for row in rows]

    async def roll(
        self,
        scope: Scope,
        session_id: str,
        turn_id: str,
        old: CarriedState,
        summary: str,
        summarized_until: str | None,
        *,
        received_at: float | None,
        timeout: float = 60.0,
    ) -> bool:
        """Replace the session's summary by a new one, if the stored summary is still that of `old`.

        Return False and change nothing if the stored summary is a different one, if the turn `turn_id` does not exist
        any more, or if something was erased after the summarised text was received (`received_at`, in seconds since the
        epoch).
        """
        summary = await self._redactor.text(summary)
        bound = SQL.roll(
            agent_id=scope.agent_id,
            session_id=session_id,
            old_summary=old.summary,
            old_summarized_until=old.summarized_until,
            summary=summary,
            summarized_until=summarized_until,
            turn_id=turn_id,
            received_at=received_at,
        )
        first = sharing_unless_erased(scope.agent_id)
        return await self._database.run(scope, lambda c: c.fetchrow(*bound), timeout=timeout, first=first) is not None

    async def keep(
        self, scope: Scope, turn_id: str, messages: bytes, *, received_at: float | None = None, timeout: float = 60.0
    ) -> bool:
        """Store the last messages of the conversation in the session of the turn `turn_id`.

        Return False and store nothing if the turn does not exist, a later turn has stored messages, or something was
        erased after the messages were received (`received_at`, in seconds since the epoch).
        """
        bound = SQL.keep(agent_id=scope.agent_id, turn_id=turn_id, messages=messages, received_at=received_at)
        row = await self._database.run(
            scope,
            lambda c: c.fetchrow(*bound),
            timeout=timeout,
            durable=False,
            first=sharing_unless_erased(scope.agent_id),
        )
        return row is not None

    async def answer(
        self,
        scope: Scope,
        turn_id: str,
        answering: Answering,
        *,
        received_at: float | None = None,
        timeout: float = 60.0,
    ) -> bool:
        """Add a turn's answer to the last messages that the turn stored.

        `answering` gets the session's id and the stored messages, and returns the messages with the answer. Return
        False and change nothing if the stored messages are not those of this turn, or something was erased after the
        answer was received (`received_at`, in seconds since the epoch).
        """

        async def work(c: Connection) -> bool:
            row = await c.fetchrow(*SQL.hold_recent(agent_id=scope.agent_id, turn_id=turn_id, received_at=received_at))
            if row is None:
                return False
            answered = await answering(row["session_id"], row["recent_messages"])
            await c.execute(*SQL.answer(agent_id=scope.agent_id, session_id=row["session_id"], messages=answered))
            return True

        first = sharing_unless_erased(scope.agent_id)
        return await self._database.run(scope, work, timeout=timeout, durable=False, first=first)

    async def plan(self, scope: Scope, session_id: str, steps: Sequence[str], at: datetime) -> None:
        """Set the plan of a session and start at its first step.

        If the session already has this plan, keep the current step.
        """
        redacted = await self._redactor.run(lambda redact: list(map(redact, steps)))
        bound = SQL.plan(agent_id=scope.agent_id, session_id=session_id, plan=redacted, at=at)
        await self._database.run(scope, lambda c: c.execute(*bound), first=sharing(scope.agent_id))

    async def advance(self, scope: Scope, session_id: str, step: int) -> CarriedState:
        """Mark a step of the session's plan, counted from 0, as done. If it is done already, nothing changes.

        Raises:
            InvalidInput: the session has no such step, or an earlier step is not done.
        """
        row = await self._database.run(
            scope, lambda c: c.fetchrow(*SQL.advance(agent_id=scope.agent_id, session_id=session_id, step=step))
        )
        if row is None:
            state = await self.carried(scope, session_id)
            raise InvalidInput(f"step: {step} cannot be marked; {state.step} of {len(state.plan)} steps are done")
        return as_value(CarriedState, row)

    async def end(self, scope: Scope, session_id: str, at: datetime) -> bool:
        """Mark a session as ended. Return False if the session does not exist.

        If the session has ended before, its first end time stays.
        """
        row = await self._database.run(
            scope, lambda c: c.fetchrow(*SQL.end_session(agent_id=scope.agent_id, session_id=session_id, at=at))
        )
        return row is not None

    async def clear(self, scope: Scope, session_id: str) -> ClearedSession:
        """Delete a session's summary, plan, messages, artifacts and subtasks; its turns and memories stay."""
        of_session = {"agent_id": scope.agent_id, "session_id": session_id}

        async def work(c: Connection) -> ClearedSession:
            artifacts = await c.execute(*SQL.clear_rows.fill(table="artifact")(**of_session))
            subtasks = await c.execute(*SQL.clear_rows.fill(table="subtask")(**of_session))
            clear = SQL.clear(agent_id=scope.agent_id, user_id=scope.key[1], session_ids=[session_id])
            cleared = await c.execute(*clear)
            return ClearedSession(sessions=count(cleared), artifacts=count(artifacts), subtasks=count(subtasks))

        return await self._database.run(scope, work)
