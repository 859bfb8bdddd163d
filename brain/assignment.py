"""Assign shared captured memories and sessions to the users who spoke.

Before an agent had users, everything that its turns captured was shared. Each turn recorded the user that the host
named, and this name is the speaker of the user's line. A session goes to a user if all its turns recorded this user.
Rows are moved in place, so that ids, usage, revisions, vectors and exposures stay as they are. Each batch is one
transaction, and a moved row is not shared any more: an interrupted assignment is continued by the next one.
"""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass, field
from functools import partial
from typing import Any, Literal, TypeAlias
from uuid import UUID

from brain import agent_rows, memory_rows, statements
from brain.errors import InvalidInput
from brain.ports import Progress
from brain.postgres.database import Connection, Database
from brain.postgres.transaction import write_as
from brain.users import SHARED, Scope

SQL = statements.load("assignment")
STORE_SQL = statements.load("store")

BATCH = 256  # memories per transaction: other writers of the agent wait for it
_SECONDS = 600.0  # timeout to plan: all memories and turns of the agent are read

Users: TypeAlias = Mapping[str, str | None]  # the user id of each recorded name; None keeps its rows shared
# Why rows stay shared: no user is recorded; the caller keeps them; the memory replaced, or was merged with, one that
# does not go to the same user; the user has an equal memory, or turns of the session; several users, or none, spoke in
# the session; a turn of the session is open.
Reason = Literal["no_user", "kept", "linked", "stored", "several", "open"]


@dataclass(frozen=True, slots=True)
class AssignedRows:
    """The numbers of memories, sessions and turns that were or would be assigned to a user."""

    memories: int
    sessions: int
    turns: int


@dataclass(frozen=True, slots=True)
class UserAssignment:
    """The result of an assignment: what was or would be moved, by user, and how many rows stay shared, by reason.

    `shared_sessions` counts sessions of which a turn recorded a user.
    """

    agent_id: str
    dry_run: bool
    users: Mapping[str, AssignedRows]
    shared_memories: Mapping[Reason, int]
    shared_sessions: Mapping[Reason, int]


@dataclass(slots=True)
class _Rows:
    """The user of each row to move, by its id and in order, and why others stay."""

    users: dict[Any, str] = field(default_factory=dict)
    reasons: Counter[Reason] = field(default_factory=Counter)

    def place(self, id: Any, names: set[str | None], users: Users) -> None:
        """Give a row to the user of its names, or let it stay shared if they have none, or are of several users."""
        owners = {users.get(name, name) if name is not None else None for name in names}
        if len(owners) > 1:
            self.reasons["several"] += 1
        elif (user := owners.pop()) is not None:
            self.users[id] = user
        else:
            self.reasons["no_user" if names == {None} else "kept"] += 1

    def keep(self, ids: Iterable[Any], reason: Reason) -> None:
        """Let rows stay shared for a reason."""
        for id in ids:
            if self.users.pop(id, None) is not None:
                self.reasons[reason] += 1

    def batches(self) -> list[tuple[str, list[Any]]]:
        """Return the rows in batches of one user."""
        own: dict[str, list[Any]] = {}
        for id, user in self.users.items():
            own.setdefault(user, []).append(id)
        return [(user, ids[n : n + BATCH]) for user, ids in own.items() for n in range(0, len(ids), BATCH)]


@dataclass(frozen=True, slots=True)
class _Assignments:
    memories: _Rows
    sessions: _Rows
    turns: Counter[str]  # by session id


class UserAssigner:
    """Assigns the captured memories and the sessions of an agent to users."""

    def __init__(self, database: Database) -> None:
        self._database = database

    async def assign(
        self, owner: Scope, users: Users, *, dry_run: bool = False, progress: Progress | None = None
    ) -> UserAssignment:
        """Move an agent's shared rows to the users who spoke and return their numbers; with `dry_run`, only count them.

        `users` maps recorded names to user ids; any other name is the user's id. `progress(done, total)` counts rows.

        Raises:
            InvalidInput: a user id is blank, too long, or has characters that Postgres cannot store; or it is a name of
                another user.
        """
        agent_id, scope = owner.agent_id, Scope.all_users(owner.agent_id)
        for user in users.values():
            if user is not None and users.get(Scope.of_one(agent_id, user).user or "", user) != user:
                raise InvalidInput(f"users: {user!r} is a user id, and a name of another user")
        plan = await self._database.run(scope, partial(_plan, agent_id, users), timeout=_SECONDS, snapshot=True)
        memories, sessions = Counter(plan.memories.users.values()), Counter(plan.sessions.users.values())
        turns = Counter[str]()
        for session, user in plan.sessions.users.items():
            turns[user] += plan.turns[session]
        names = sorted({*memories, *sessions})
        if not dry_run:
            memories, turns = await self._move(scope, plan, progress)
            await self._database.run(scope, partial(_rename, agent_id, users))
        moved = {user: AssignedRows(memories[user], sessions[user], turns[user]) for user in names}
        return UserAssignment(agent_id, dry_run, moved, dict(plan.memories.reasons), dict(plan.sessions.reasons))

    async def _move(
        self, scope: Scope, plan: _Assignments, progress: Progress | None
    ) -> tuple[Counter[str], Counter[str]]:
        """Move the rows of a plan, and return the numbers of memories and turns by user.

        Memories come first, because their users are found by their turns.
        """
        memories, turns = Counter[str](), Counter[str]()
        total, done = len(plan.memories.users) + len(plan.sessions.users), 0
        for user, ids in plan.memories.batches():
            memories[user] += await self._database.run(scope, partial(_move_memories, scope.agent_id, user, ids))
            done = _advanced(progress, done + len(ids), total)
        for session_id, user in plan.sessions.users.items():
            turns[user] += await self._database.run(scope, partial(_move_session, scope.agent_id, user, session_id))
            done = _advanced(progress, done + 1, total)
        return memories, turns


def _advanced(progress: Progress | None, done: int, total: int) -> int:
    if progress is not None:
        progress(done, total)
    return done


async def _plan(agent_id: str, users: Users, c: Connection) -> _Assignments:
    """Return which shared rows go to which user, and which stay."""
    memories, sessions, turns = _Rows(), _Rows(), Counter[str]()
    for row in await c.fetch(*SQL.captured(agent_id=agent_id)):
        memories.place(row["id"], {row["name"]}, users)
    links = await c.fetch(*SQL.links(agent_id=agent_id))
    await _keep_stored_memories(c, agent_id, memories)
    memories.keep(_torn(links, memories.users), "linked")
    for row in await c.fetch(*SQL.sessions(agent_id=agent_id)):
        turns[row["session_id"]] = row["turns"]
        sessions.place(row["session_id"], set(row["names"]), users)
        if row["open"]:
            sessions.keep([row["session_id"]], "open")
    stored = SQL.stored_sessions(
        agent_id=agent_id, session_ids=list(sessions.users), user_ids=list(sessions.users.values())
    )
    sessions.keep([row["session_id"] for row in await c.fetch(*stored)], "stored")
    return _Assignments(memories, sessions, turns)


async def _keep_stored_memories(c: Connection, agent_id: str, memories: _Rows) -> None:
    """Let memories stay shared of which their user has an equal one."""
    bound = SQL.stored_memories(
        agent_id=agent_id, memory_ids=list(memories.users), user_ids=list(memories.users.values())
    )
    memories.keep([row["id"] for row in await c.fetch(*bound)], "stored")


def _torn(links: Sequence[Any], users: Mapping[UUID, str]) -> list[UUID]:
    """Return the memories that are linked, directly or by others, with one that will not have the same user."""
    owners: dict[UUID, str] = {}
    beside: dict[UUID, set[UUID]] = {}
    for link in links:
        for id, owner, other in (
            (link["id"], link["user_id"], link["other_id"]),
            (link["other_id"], link["other_user_id"], link["id"]),
        ):
            owners[id] = users.get(id, SHARED) if owner == SHARED else owner
            beside.setdefault(id, set()).add(other)
    torn: set[UUID] = set()
    waiting = [id for id, others in beside.items() if any(owners[id] != owners[other] for other in others)]
    while waiting:
        id = waiting.pop()
        if id not in torn:
            torn.add(id)
            waiting += beside[id]
    return [id for id in torn if id in users]


async def _move_memories(agent_id: str, user_id: str, ids: Sequence[UUID], c: Connection) -> int:
    """Move memories to a user, and return how many were still shared."""
    await memory_rows.share_agent(c, agent_id)
    await memory_rows.share_users(c, agent_id, [user_id])
    state = await agent_rows.locked(c, agent_id)
    rows = await c.fetch(*SQL.movable(agent_id=agent_id, user_id=user_id, memory_ids=list(ids)))
    if not rows:
        return 0
    sessions = _sessions(rows)
    await write_as(c, user_id)
    opened = await _enter_sessions(c, agent_id, sessions, state.next_session)
    await c.execute(*SQL.move_memories(agent_id=agent_id, user_id=user_id, memory_ids=[row["id"] for row in rows]))
    await _add_to_counts(c, agent_id, rows, 1, opened)
    await write_as(c, SHARED)
    await c.execute(
        *SQL.leave_sessions(
            agent_id=agent_id,
            session_ids=list(sessions),
            memories=[len(own) for own in sessions.values()],
            lexemes=[_sum(own, "content_lexemes") for own in sessions.values()],
        )
    )
    await _add_to_counts(c, agent_id, rows, -1, 0)
    return len(rows)


def _sessions(rows: Sequence[Any]) -> dict[str, list[Any]]:
    """Return the rows of memories by session id, without those outside sessions."""
    sessions: dict[str, list[Any]] = {}
    for row in rows:
        if row["session_id"] is not None:
            sessions.setdefault(row["session_id"], []).append(row)
    return dict(sorted(sessions.items()))


async def _enter_sessions(c: Connection, agent_id: str, sessions: Mapping[str, list[Any]], next_session: int) -> int:
    """Add memories to the sessions of the transaction's user, and return how many sessions got a number."""
    known = {
        row["session_id"]: row["number"]
        for row in await c.fetch(*STORE_SQL.session_numbers(agent_id=agent_id, session_ids=list(sessions)))
    }
    opened = [session for session in sessions if session not in known]
    numbers = known | {session: next_session + n for n, session in enumerate(opened)}
    await c.fetch(
        *STORE_SQL.touch_sessions(
            agent_id=agent_id,
            session_ids=list(sessions),
            session_numbers=[numbers[session] for session in sessions],
            memories=[len(own) for own in sessions.values()],
            lexemes=[_sum(own, "content_lexemes") for own in sessions.values()],
            started_at=[min(row["occurred_at"] for row in own) for own in sessions.values()],
            last_at=[max(row["occurred_at"] for row in own) for own in sessions.values()],
        )
    )
    return len(opened)


async def _add_to_counts(c: Connection, agent_id: str, rows: Sequence[Any], sign: int, opened: int) -> None:
    """Add memories to the counters of the transaction's user, or with the sign -1 subtract them."""
    await c.execute(
        *STORE_SQL.add_to_counts(
            agent_id=agent_id,
            seqs=0,
            session_numbers=opened,
            memories=sign * len(rows),
            passages=sign * _sum(rows, "passages"),
            sessions=opened,
            content_lexemes=sign * _sum(rows, "content_lexemes"),
            context_lexemes=sign * _sum(rows, "context_lexemes"),
        )
    )


def _sum(rows: Sequence[Any], name: str) -> int:
    return sum(row[name] for row in rows)


async def _move_session(agent_id: str, user_id: str, session_id: str, c: Connection) -> int:
    """Move a session to a user, and return how many of its turns were still shared."""
    await memory_rows.share_agent(c, agent_id)
    await memory_rows.share_users(c, agent_id, [user_id])
    bound = SQL.move_session(agent_id=agent_id, user_id=user_id, session_id=session_id)
    moved: int = await c.fetchval(*bound)
    return moved


async def _rename(agent_id: str, users: Users, c: Connection) -> None:
    names = {name: user for name, user in users.items() if user is not None}
    await memory_rows.share_agent(c, agent_id)
    await c.execute(*SQL.rename_recorded(agent_id=agent_id, names=list(names), user_ids=list(names.values())))
