"""Name whose rows a transaction sees: the shared ones, also a user's, or those of all users."""

from __future__ import annotations

from enum import Enum
from typing import Final, TypeAlias

SHARED: Final = ""  # the user_id of rows that everyone who talks to the agent sees


class AllUsers(Enum):
    """The type of `ALL_USERS`, the operator's view: the rows of all users of an agent."""

    ALL_USERS = "ALL_USERS"


ALL_USERS: Final = AllUsers.ALL_USERS
View: TypeAlias = str | AllUsers  # a user's id, SHARED or ALL_USERS
