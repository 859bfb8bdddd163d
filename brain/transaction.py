"""A transaction for one tenant, which leaves its connection fit for the next one, however it ends."""

from __future__ import annotations

import asyncio
from collections.abc import Awaitable, Callable
from contextlib import suppress
from typing import Any, TypeAlias, TypeVar

import asyncpg

T = TypeVar("T")
Connection: TypeAlias = Any  # asyncpg ships no types: a connection of its pool
Work = Callable[[Connection], Awaitable[T]]

_UNDO_SECONDS = 1.0  # a server that lives acknowledges a cancellation within milliseconds
# Statements are planned once per connection: planning the search anew for each call costs more than running it.
_SET_TENANT = """
SELECT set_config('cognitive.agent_id', $1, true), set_config('statement_timeout', $2, true),
       set_config('synchronous_commit', $3, true), set_config('plan_cache_mode', 'force_generic_plan', true)
"""


async def in_transaction(connection: Connection, work: Work[T], settings: tuple[str, str, str]) -> T:
    """What `work` returns, committed. `settings` are the tenant, the timeout in milliseconds and how to commit.

    Plain statements: asyncpg's own transaction cannot be rolled back once its first or last one was cancelled.
    """
    try:
        await connection.execute("BEGIN")
        await connection.fetchrow(_SET_TENANT, *settings)
        result = await work(connection)
        await connection.execute("COMMIT")
    except BaseException:
        await _undone(connection)
        raise
    return result


async def _undone(connection: Connection) -> None:
    """Has Postgres give up what failed or was cancelled and keeps the connection; one that is not well soon is cut.

    Nobody waits for this, see `Deadline`. To connect and to plan all statements anew costs several turns, and whoever
    is late because there is too much to do would make more of it.
    """
    try:
        async with asyncio.timeout(_UNDO_SECONDS):
            with suppress(asyncpg.InFailedSQLTransactionError):
                await connection.execute("SELECT 1")  # its turn comes when Postgres has acknowledged the cancellation
            if connection.is_in_transaction():
                await connection.execute("ROLLBACK")
    except (Exception, asyncio.CancelledError):  # whatever it was, the connection is of no more use
        with suppress(asyncpg.InterfaceError):  # the pool has taken it back: it was lost
            connection.terminate()
