"""What a session carries from turn to turn: its summary, its plan, its last messages. No process holds any of it."""

from __future__ import annotations

from collections.abc import Awaitable, Callable, Sequence
from dataclasses import dataclass
from datetime import datetime

from brain import statements
from brain.errors import InvalidInput
from brain.memory_rows import share_agent
from brain.postgres.database import Connection, Database
from brain.postgres.wire_types import as_value
from brain.redacting import UNREDACTED, Redactor

SQL = statements.load("sessions")


@dataclass(frozen=True, slots=True)
class CarriedState:
    """What the next turn of a session needs of it.

    `summary` covers the conversation up to the message whose digest is `summarized_until`; `plan` are the steps of the
    work, and `step` counts those that are done.
    """

    summary: str = ""
    summarized_until: str | None = None
    plan: tuple[str, ...] = ()
    step: int = 0

    @property
    def plan_step(self) -> str | None:
        """The step that is current, or None without a plan or after its end."""
        return self.plan[self.step] if self.step < len(self.plan) else None


@dataclass(frozen=True, slots=True)
class SessionState:
    """All that is known of a session; `recent` are its last turns, newest first, as (turn id, time, status, message).

    `messages` are the last ones of its conversation, in the form that they were kept in.
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
class ClearedSession:
    """What was removed of a session, in rows; `sessions` is 0 if there is no such session."""

    sessions: int
    artifacts: int
    subtasks: int


# From a session and its last messages, as they are kept, to those with the answer behind them.
Answering = Callable[[str, bytes], Awaitable[bytes]]


class Sessions:
    """The sessions of all agents, each agent's seen by itself only."""

    def __init__(self, database: Database, redactor: Redactor = UNREDACTED) -> None:
        self._database = database
        self._redactor = redactor

    async def carried(self, agent_id: str, session_id: str, *, timeout: float = 60.0) -> CarriedState:
        """What the next turn needs, in one statement; of a session that never was, nothing."""
        row = await self._database.run(
            agent_id, lambda c: c.fetchrow(*SQL.carried(agent_id=agent_id, session_id=session_id)), timeout=timeout
        )
        return as_value(CarriedState, row) if row is not None else CarriedState()

    async def state(self, agent_id: str, session_id: str, recent: int) -> SessionState | None:
        """A session with its last turns, or None."""

        async def work(c: Connection) -> SessionState | None:
            row = await c.fetchrow(*SQL.session(agent_id=agent_id, session_id=session_id))
            if row is None:
                return None
            turns = await c.fetch(*SQL.session_turns(agent_id=agent_id, session_id=session_id, limit=recent))
            return SessionState(
                session_id=row["session_id"],
                memories=row["memories"],
                turns=row["turns"],
                carried=as_value(CarriedState, row),
                started_at=row["started_at"],
                last_at=row["last_at"],
                ended_at=row["ended_at"],
                messages=row["recent_messages"],
                recent=tuple(tuple(turn) for turn in turns),
            )

        return await self._database.run(agent_id, work)

    async def roll(
        self,
        agent_id: str,
        session_id: str,
        turn_id: str,
        was: CarriedState,
        summary: str,
        summarized_until: str | None,
        *,
        received_at: float | None = None,
        timeout: float = 60.0,
    ) -> bool:
        """Puts a summary in the place of the one it was made from. False if that is not what stands there any more, the
        turn that it was made for is gone, or something was erased since its words came in (`received_at`, in seconds
        since the epoch).
        """

        summary = await self._redactor.text(summary)

        async def work(c: Connection) -> bool:
            await share_agent(c, agent_id)
            row = await c.fetchrow(
                *SQL.roll(
                    agent_id=agent_id,
                    session_id=session_id,
                    old_summary=was.summary,
                    old_summarized_until=was.summarized_until,
                    summary=summary,
                    summarized_until=summarized_until,
                    turn_id=turn_id,
                    received_at=received_at,
                )
            )
            return row is not None

        return await self._database.run(agent_id, work, timeout=timeout)

    async def keep(
        self, agent_id: str, turn_id: str, messages: bytes, *, received_at: float | None = None, timeout: float = 60.0
    ) -> bool:
        """Keeps the last messages of a session as of a turn. False if the turn is not there, a later one did, or
        something was erased since they came in.
        """

        async def work(c: Connection) -> bool:
            await share_agent(c, agent_id)
            return (
                await c.fetchrow(
                    *SQL.keep(agent_id=agent_id, turn_id=turn_id, messages=messages, received_at=received_at)
                )
                is not None
            )

        return await self._database.run(agent_id, work, timeout=timeout, durable=False)

    async def answer(
        self,
        agent_id: str,
        turn_id: str,
        answering: Answering,
        *,
        received_at: float | None = None,
        timeout: float = 60.0,
    ) -> bool:
        """Adds a turn's answer to the messages kept as of it. False if they are not, or no more, or if something was
        erased since it came in.
        """

        async def work(c: Connection) -> bool:
            await share_agent(c, agent_id)
            row = await c.fetchrow(*SQL.hold_recent(agent_id=agent_id, turn_id=turn_id, received_at=received_at))
            if row is None:
                return False
            answered = await answering(row["session_id"], row["recent_messages"])
            await c.execute(*SQL.answer(agent_id=agent_id, session_id=row["session_id"], messages=answered))
            return True

        return await self._database.run(agent_id, work, timeout=timeout, durable=False)

    async def plan(self, agent_id: str, session_id: str, steps: Sequence[str], at: datetime) -> None:
        """Gives a session a plan, at its first step; the one that it has already stays where it is."""
        told = await self._redactor.run(lambda redact: list(map(redact, steps)))
        await self._database.run(
            agent_id, lambda c: c.execute(*SQL.plan(agent_id=agent_id, session_id=session_id, plan=told, at=at))
        )

    async def advance(self, agent_id: str, session_id: str, step: int) -> CarriedState:
        """Marks a step, counted from 0, as done, once.

        Raises:
            InvalidInput: the session has no such step, or an earlier one is not done.
        """
        row = await self._database.run(
            agent_id, lambda c: c.fetchrow(*SQL.advance(agent_id=agent_id, session_id=session_id, step=step))
        )
        if row is None:
            found = await self.carried(agent_id, session_id)
            raise InvalidInput(f"step: {step} cannot be done, of {len(found.plan)} steps {found.step} are")
        return as_value(CarriedState, row)

    async def end(self, agent_id: str, session_id: str, at: datetime) -> bool:
        """Marks a session as ended; the first time stands. False if there is no such session."""
        row = await self._database.run(
            agent_id, lambda c: c.fetchrow(*SQL.end_session(agent_id=agent_id, session_id=session_id, at=at))
        )
        return row is not None

    async def clear(self, agent_id: str, session_id: str) -> ClearedSession:
        """Removes what a session keeps of its talk and its work; its turns and memories stay."""
        return ClearedSession(
            **await self._database.run(
                agent_id, lambda c: c.fetchrow(*SQL.clear(agent_id=agent_id, session_id=session_id))
            )
        )
