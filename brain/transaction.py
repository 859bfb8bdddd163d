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
# Statements are planned once per connection: planning the search anew for each call costs more than running it. None is
# compiled: a plan is estimated to cost more than it does, and compiling the search takes longer than running it.
# As text and not with parameters: one round trip and not two. The agent's name is written in hexadecimal digits.
_BEGIN = """
BEGIN {access}; {role}
SELECT set_config('cognitive.agent_id', convert_from(decode('{agent}', 'hex'), 'UTF8'), true),
       set_config('statement_timeout', '{milliseconds}', true), set_config('synchronous_commit', '{commit}', true),
       set_config('plan_cache_mode', 'force_generic_plan', true), set_config('jit', 'off', true)
"""


def beginning(
    agent_id: str, seconds: float, *, durable: bool = True, read_only: bool = False, role: str | None = None
) -> str:
    """The statements that begin a tenant's transaction, which may take so many seconds in all.

    `role` is taken on within it: a connection that a pooler hands on must not keep one of ours.
    """
    return _BEGIN.format(
        access="READ ONLY" if read_only else "",
        role=f"SET LOCAL ROLE {role};" if role is not None else "",
        agent=agent_id.encode("utf-8", "surrogatepass").hex(),  # what is no text is refused there, by its name
        milliseconds=max(1, int(seconds * 1000)),
        commit="on" if durable else "off",
    )


async def in_transaction(connection: Connection, work: Work[T], begin: str) -> T:
    """What `work` returns, committed.

    Plain statements: asyncpg's own transaction cannot be rolled back once its first or last one was cancelled.
    """
    try:
        await connection.execute(begin)
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
