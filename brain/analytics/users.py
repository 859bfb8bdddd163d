"""Read the users of an agent for the dashboard: their counts, and one user's sessions."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from datetime import datetime
from typing import Literal

from brain import statements
from brain.analytics import paging
from brain.analytics.paging import MAX_ROWS, page_limit
from brain.postgres.database import Database
from brain.postgres.reading import ReadDatabase
from brain.postgres.wire_types import as_value
from brain.text import patterns
from brain.users import Scope

SQL = statements.load("user_analytics")
MAX_USERS = MAX_ROWS  # of one page


@dataclass(frozen=True, slots=True)
class UserCounts:
    """A user of an agent: the numbers of the user's own memories, sessions and turns, and the latest turn's time.

    The time is None if no turn of the user is stored.
    """

    user_id: str
    memories: int
    sessions: int
    turns: int
    last_at: datetime | None


@dataclass(frozen=True, slots=True)
class UserSession:
    """A session of a user, with the summary of its earlier messages, "" if it has none."""

    session_id: str
    turns: int
    memories: int
    summary: str
    started_at: datetime
    last_at: datetime
    ended_at: datetime | None


UserOrder = Literal["id", "memories", "latest"]  # by id; the most memories first; the latest turn first


@dataclass(frozen=True, slots=True)
class UserPage:
    """A page of the users of an agent, and the number of all users that match, also those on other pages."""

    rows: tuple[UserCounts, ...]
    matching: int


class UserAnalytics:
    """Reads the users of one agent, under row level security."""

    def __init__(self, database: Database | ReadDatabase) -> None:
        self._database = database

    async def list(
        self, agent_id: str, words: str | None = None, *, limit: int = 50, after: str = ""
    ) -> list[UserCounts]:
        """Return the users whose ids contain all words, by id, from the first one after `after`.

        The rows of all users are counted, so this is for operators.
        """
        return list((await self._users(agent_id, words, limit=limit, after=after)).rows)

    async def page(
        self, agent_id: str, words: str | None = None, order: UserOrder = "id", *, limit: int = 50, skip: int = 0
    ) -> UserPage:
        """Return the users whose ids contain all words, in an order, from the one after the first `skip` on.

        The rows of all users are counted, so this is for operators.
        """
        return await self._users(agent_id, words, order=order, limit=limit, skip=skip)

    async def _users(
        self, agent_id: str, words: str | None, *, order: UserOrder = "id", limit: int, after: str = "", skip: int = 0
    ) -> UserPage:
        values = {"patterns": patterns(words), "limit": page_limit(limit), "after": after, "skip": skip}
        view = Scope.all_users(agent_id)
        rows = await paging.fetched(self._database, view, SQL.users, ordered_by=order, **values)
        users = (as_value(UserCounts, row) for row in rows if row["user_id"] is not None)
        return UserPage(tuple(users), rows[0]["matching"])

    async def counts(self, scope: Scope) -> UserCounts:
        """Return the counts of the view's user."""
        return as_value(UserCounts, (await paging.fetched(self._database, scope, SQL.counts))[0])

    async def sessions(self, scope: Scope, limit: int = 20, *, skip: int = 0) -> Sequence[UserSession]:
        """Return the sessions of the view's user, the last used first, from the one after the first `skip` on."""
        rows = await paging.fetched(self._database, scope, SQL.sessions, limit=page_limit(limit), skip=skip)
        return [as_value(UserSession, row) for row in rows]
