"""Open the layer for one command, which ends soon: nothing is loaded that the command does not use.

`note_users` says why a command found nothing in an agent that has users.
"""

from __future__ import annotations

import gc
from collections.abc import AsyncIterator, Awaitable, Callable
from contextlib import asynccontextmanager
from typing import TYPE_CHECKING, Any, Literal, TypeVar

from cognitive.cli import printing

if TYPE_CHECKING:
    from datetime import datetime

    from brain.users import UserId
    from cognitive import CognitiveLayer

T = TypeVar("T")


@asynccontextmanager
async def opened(**extensions: Any) -> AsyncIterator[CognitiveLayer]:
    """Open a layer as the settings say, with these extensions of `CognitiveLayer.open`; close it at the end.

    The embedding model is loaded when it is first used.
    """
    gc.disable()  # importing makes hardly any garbage, and searching for it takes 5 % of a command's time
    try:
        from cognitive.bootstrap import assemble
        from cognitive.infrastructure import Extensions
        from cognitive.layer import CognitiveLayer

        gc.freeze()  # the search for garbage at the end of the process skips what was imported: 0.13 s less
    finally:
        gc.enable()
    async with assemble(None, None, extensions=Extensions(**extensions), load=False) as services:
        yield CognitiveLayer(services)


async def call_layer(method: Callable[[CognitiveLayer], Awaitable[T]]) -> T:
    """Open a layer for one call of a method, and return its result."""
    async with opened() as layer:
        return await method(layer)


async def watch_layer(
    label: str, method: Callable[[CognitiveLayer, printing.ProgressCallback], Awaitable[T]], **extensions: Any
) -> T:
    """Open a layer with these extensions for one call of a method, which advances a progress bar with this label."""
    async with opened(**extensions) as layer:
        with printing.progress(label) as advance:
            return await method(layer, advance)


async def note_users(
    layer: CognitiveLayer,
    agent: str,
    user_id: UserId,
    rows: Literal["memories", "sessions", "turns"],
) -> None:
    """Print a note if a command without a user found no rows and users of the agent have some."""
    from brain.analytics.users import MAX_USERS

    if user_id is not None:
        return
    users = [each for each in await layer.admin.users(agent, limit=MAX_USERS) if getattr(each, rows)]
    if users:
        number = "1 user has" if len(users) == 1 else f"{len(users)} users have"
        printing.note(f"{number} {rows}: add --all-users, or --user NAME")


async def turns_by_user(
    layer: CognitiveLayer, agent: str, user_id: UserId, since: datetime | None, until: datetime | None
) -> dict[str | None, list[str]]:
    """Return the ids of the turns of [since, until), oldest first, by user; None has the turns without a user.

    They are those of one user or without one, or of all if `user_id` is ALL_USERS.
    """
    from brain.analytics.users import MAX_USERS
    from brain.users import ALL_USERS

    users: list[str | None] = [None if user_id == ALL_USERS else user_id]
    while user_id == ALL_USERS and (page := await layer.admin.users(agent, limit=MAX_USERS, after=users[-1])):
        users += [each.user_id for each in page]
    return {user: await layer.explain.turn_ids(agent, since, until, user_id=user) for user in users}
