"""Name the agent and the user of a framework's run: by fixed ids, by what the framework names, or by functions.

A function gets the run's context, so that one compiled graph or agent serves many agents and users. If it raises an
error or returns no id, the run goes on without memory.
"""

from __future__ import annotations

from collections.abc import Callable, Mapping
from dataclasses import dataclass
from enum import Enum
from typing import Any, Final, TypeAlias
from uuid import UUID

from brain.users import Scope
from cognitive.errors import InvalidInput


class NoUser(Enum):
    """The type of `NO_USER`."""

    NO_USER = "NO_USER"


NO_USER: Final = NoUser.NO_USER
"""What a function returns for a run without a user, whose memories are shared. None is an error instead."""

AgentIdSource: TypeAlias = str | Callable[[Any], str]
UserIdSource: TypeAlias = str | Callable[[Any], str | NoUser] | None


@dataclass(frozen=True, slots=True)
class RunIdentity:
    """The agent and the user of an adapter's runs.

    `agent_id` and `user_id` are ids, or functions of the run's context. A fixed `user_id` applies to runs for which
    the framework names no user. A function of `user_id` decides alone: it may read what the framework names.

    Raises:
        InvalidInput: a fixed id is not a string, or is blank, too long or cannot be stored.
    """

    agent_id: AgentIdSource
    user_id: UserIdSource = None

    def __post_init__(self) -> None:
        Scope.of_one(
            "agent" if callable(self.agent_id) else self.agent_id, None if callable(self.user_id) else self.user_id
        )

    def scope(self, run_context: Any, named: object = None, outer: Scope | None = None) -> Scope:
        """Return the agent and the user of a run.

        Args:
            run_context: the run's context, which functions get.
            named: the user that the framework names; None if it names none.
            outer: the agent and user of the run of which this run is a part. Its user is the run's if neither the
                framework nor the adapter names one.

        Raises:
            InvalidInput: a function raised an error or returned no id, or the framework names an invalid user.
        """
        agent_id = self.agent_id
        if callable(agent_id):
            agent_id = _to_id(_result("agent_id", agent_id, run_context))
        if callable(self.user_id):
            user = _result("user_id", self.user_id, run_context)
            return Scope.of_one(agent_id, None if user is NO_USER else _required_user(user))
        user = named if named is not None else self.user_id
        if user is None and outer is not None:
            user = outer.user
        return Scope.of_one(agent_id, _to_id(user))


def user_in(context: object) -> object:
    """Return the `user_id` that a run's context has as a key or an attribute, or None if it has none."""
    if isinstance(context, Mapping):
        return context.get("user_id")
    return getattr(context, "user_id", None)


def _result(name: str, function: Callable[[Any], object], run_context: Any) -> Any:
    try:
        return function(run_context)
    except Exception as error:
        raise InvalidInput(f"{name}: the function of the run's context raised {error!r}") from error


def _required_user(user: object) -> Any:
    if user is None:
        raise InvalidInput("user_id: the function of the run's context returned None; return NO_USER for no user")
    return _to_id(user)


def _to_id(value: object) -> Any:
    """Return a number or UUID as text, and anything else unchanged, for `Scope` to check."""
    return str(value) if isinstance(value, int | UUID) and not isinstance(value, bool) else value
