"""Name whose rows a transaction sees: the shared ones, also a user's, or those of all users."""

from __future__ import annotations

from dataclasses import dataclass
from enum import Enum
from typing import Final, TypeAlias

from brain.errors import InvalidInput
from brain.text import unstorable

SHARED: Final = ""  # the user_id of rows that everyone who talks to the agent sees
MAX_USER_LENGTH = 1_000  # characters, as of every other id


class AllUsers(Enum):
    """The type of `ALL_USERS`, the operator's view: the rows of all users of an agent."""

    ALL_USERS = "ALL_USERS"


ALL_USERS: Final = AllUsers.ALL_USERS
View: TypeAlias = str | AllUsers  # a user's id, SHARED or ALL_USERS
UserId: TypeAlias = str | AllUsers | None  # as callers name a view: a user's id, None for SHARED, or ALL_USERS


@dataclass(frozen=True, slots=True)
class Scope:
    """An agent and the view of its rows: shared rows only, also those of one user, or those of all users.

    A user's view sees shared rows and the user's, and writes the user's. The view without a user sees and writes shared
    rows. The operator's view, `ALL_USERS`, sees the rows of all users.
    """

    agent_id: str
    user_id: View = SHARED

    @classmethod
    def of(cls, agent_id: str, user_id: UserId = None) -> Scope:
        """Return the scope that a caller names; None is the view without a user.

        Raises:
            InvalidInput: an id is blank, too long, or has characters that Postgres cannot store.
        """
        _require_id("agent_id", agent_id)
        if user_id is None or isinstance(user_id, AllUsers):
            return cls(agent_id, SHARED if user_id is None else user_id)
        _require_id("user_id", user_id)
        return cls(agent_id, user_id)

    @classmethod
    def of_one(cls, agent_id: str, user_id: str | None = None) -> Scope:
        """Return the view of one user, or without a user, for calls that the operator's view does not make.

        Raises:
            InvalidInput: as in `of`; also for `ALL_USERS`.
        """
        return cls.of(agent_id, user_id).require_one("this call")

    @classmethod
    def all_users(cls, agent_id: str) -> Scope:
        """Return the operator's view of an agent."""
        return cls(agent_id, ALL_USERS)

    @property
    def user(self) -> str | None:
        """The user's id, or None in the view without a user and in the operator's view."""
        return None if isinstance(self.user_id, AllUsers) else self.user_id or None

    @property
    def key(self) -> tuple[str, str]:
        """The ids of agent and user, for SQL and names of tasks; in the operator's view the user is SHARED."""
        return self.agent_id, self.user or SHARED

    @property
    def names(self) -> tuple[str, ...]:
        """The beginning of the names of tasks that write rows of this scope: in the operator's view, the agent's."""
        return (self.agent_id,) if self.sees_all else self.key

    @property
    def readers(self) -> tuple[str, ...]:
        """The beginning of the names of tasks that may hold what this scope stores: for shared rows, all users'."""
        return self.key if self.user is not None else (self.agent_id,)

    def reaches(self, other: Scope) -> bool:
        """Return True if what this scope stores may be in texts of `other`: shared rows are in those of all users."""
        return self.agent_id == other.agent_id and (self.user is None or self.user == other.user)

    @property
    def sees_all(self) -> bool:
        """True for the operator's view."""
        return isinstance(self.user_id, AllUsers)

    def as_user(self, user_id: str | None) -> Scope:
        """Return the view of another user of the same agent; None is the view without a user."""
        return Scope(self.agent_id, user_id or SHARED)

    def require_one(self, what: str) -> Scope:
        """Return the scope; raise InvalidInput if it is the operator's view, which `what` does not accept."""
        if self.sees_all:
            raise InvalidInput(f"user_id: {what} needs the view of one user, or the view without a user")
        return self

    def __str__(self) -> str:
        """Return the agent and the user for an error message."""
        named = f"agent {self.agent_id!r}"
        return f"{named}, user {self.user!r}," if self.user is not None else named


def _require_id(name: str, value: object) -> None:
    if not isinstance(value, str) or not value.strip():
        raise InvalidInput(f"{name}: expected a non-empty string, got {value!r}")
    if len(value) > MAX_USER_LENGTH:
        raise InvalidInput(f"{name}: longer than {MAX_USER_LENGTH} characters")
    if (reason := unstorable(value)) is not None:
        raise InvalidInput(f"{name}: contains {reason}")
