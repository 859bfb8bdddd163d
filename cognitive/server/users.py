"""The view of a request: the user that it names, within the rights of its token."""

from __future__ import annotations

from typing import Annotated

from fastapi import Depends, Query, Request

from brain.types import Label, NewMemory
from brain.users import ALL_USERS, UserId
from cognitive.errors import InvalidInput
from cognitive.server.auth import caller_of
from cognitive.server.tokens import Caller
from cognitive.wire.problems import NotAllowed

NamedUser = Annotated[
    Label | None,
    Query(description="The user of this request; by default that of the token, or none, which is the shared view."),
]
AllUsersFlag = Annotated[
    bool, Query(description="Use the view of all users, which needs an operator's or an admin's token.")
]


def user_of(caller: Caller, named: str | None) -> str | None:
    """Return the user whose view a request has: the named one, or else that of the caller's token, or None.

    Raises:
        NotAllowed: the caller's token is for another user. The error is the same whether that user exists or not.
    """
    if caller.user is None or named in (None, caller.user):
        return caller.user or named
    raise NotAllowed("user_id: this token is not for this user")


def view_of(caller: Caller, named: str | None, all_users: bool) -> UserId:
    """Return the view of a request: that of `user_of`, or with `all_users` the operator's.

    Raises:
        NotAllowed: the token is for another user, or does not permit the operator's view.
        InvalidInput: the request names a user and all users.
    """
    if not all_users:
        return user_of(caller, named)
    if named is not None:
        raise InvalidInput("all_users: name one user or all users, not both")
    if not caller.operator:
        raise NotAllowed("all_users: needs a token that was created with `--operator`, or an admin's")
    return ALL_USERS


def memory_of(caller: Caller, memory: NewMemory) -> NewMemory:
    """Return a memory to store, with the user of the caller's token if the request names none.

    Raises:
        NotAllowed: the caller's token is for a user, and the memory is another user's, or shared: its `user_id` is
            null.
    """
    if caller.user is None or memory.user_id == caller.user:
        return memory
    if memory.user_id is None and "user_id" in memory.model_fields_set:
        raise NotAllowed("user_id: a token of a user cannot store shared memories; omit user_id")
    return memory.model_copy(update={"user_id": user_of(caller, memory.user_id)})


def request_user(request: Request, user_id: NamedUser = None) -> str | None:
    """Return the user of a request whose query may name one."""
    return user_of(caller_of(request.scope), user_id)


def request_view(request: Request, user_id: NamedUser = None, all_users: AllUsersFlag = False) -> UserId:
    """Return the view of a request whose query may name a user, or all users."""
    return view_of(caller_of(request.scope), user_id, all_users)


def host(request: Request) -> Caller:
    """Return the caller of a request, after a check that its token is not bound to one user.

    Raises:
        NotAllowed: the token is for one user, who does not decide about the agent as a whole.
    """
    caller = caller_of(request.scope)
    if caller.user is not None:
        raise NotAllowed("authorization: this token is for one user of the agent")
    return caller


UserOfQuery = Annotated[str | None, Depends(request_user)]
ViewOfQuery = Annotated[UserId, Depends(request_view)]
HOSTS = (Depends(host),)
