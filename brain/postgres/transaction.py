"""A transaction for one tenant, which leaves its connection fit for the next one, however it ends."""

from __future__ import annotations

import asyncio
import re
from collections.abc import Awaitable, Callable
from contextlib import suppress
from typing import Any, TypeAlias, TypeVar

import asyncpg

from brain.errors import InvalidInput
from brain.text import unstorable

T = TypeVar("T")
Connection: TypeAlias = Any  # asyncpg ships no types: a connection of its pool
Work = Callable[[Connection], Awaitable[T]]

_UNDO_SECONDS = 1.0  # a server that lives acknowledges a cancellation within milliseconds
# As text and not with parameters: one round trip and not two. SET and not set_config(…): Postgres plans nothing for it,
# and Citus hands on no other to the machines where the rows are. Nothing is compiled: a plan is estimated to cost more
# than it does, and to compile the search takes longer than to run it.
_BEGIN = """
BEGIN {mode}; {role} {cluster}
SET LOCAL cognitive.agent_id TO {agent}; SET LOCAL statement_timeout TO {milliseconds};
SET LOCAL synchronous_commit TO {commit}; SET LOCAL plan_cache_mode TO {plans};
SET LOCAL jit TO off
"""
# Functions of ours that read tables are answered where the rows are, which to Citus is a query within a query.
_CLUSTER = """
SET LOCAL citus.propagate_set_commands TO 'local'; SET LOCAL citus.allow_nested_distributed_execution TO on;
"""
# Statements are planned once per connection: planning the search anew for each call costs more than running it. A
# cluster must see whose rows are asked for before it knows the machine.
_PLANS = {False: "force_generic_plan", True: "auto"}
_NOT_PLAIN = re.compile(r"[^\w.:@/-]", re.ASCII)


def beginning(
    agent_id: str,
    seconds: float,
    *,
    durable: bool = True,
    snapshot: bool = False,
    read_only: bool = False,
    role: str | None = None,
    clustered: bool = False,
) -> str:
    """The statements that begin a tenant's transaction, which may take so many seconds in all.

    With `snapshot` all its statements see what was there at the first one.
    `role` is taken on within it: a connection that a pooler hands on must not keep one of ours. `clustered`: it goes to
    a coordinator of Citus, which tells the machines of the agent what is set here.

    Raises:
        InvalidInput: the name holds what Postgres cannot keep.
    """
    if (unfit := unstorable(agent_id)) is not None:
        raise InvalidInput(f"agent_id holds {unfit}")
    return _BEGIN.format(
        mode=" ".join(("ISOLATION LEVEL REPEATABLE READ",) * snapshot + ("READ ONLY",) * read_only),
        role=f"SET LOCAL ROLE {role};" if role is not None else "",
        cluster=_CLUSTER if clustered else "",
        agent=_literal(agent_id),
        milliseconds=max(1, int(seconds * 1000)),
        commit="on" if durable else "off",
        plans=_PLANS[clustered],
    )


def _literal(text: str) -> str:
    """A constant that nothing in it ends: what is not plain is written by its number, which is digits alone.

    As E'…', which means the same whatever the server's `standard_conforming_strings`.
    """
    return "E'" + _NOT_PLAIN.sub(lambda found: f"\\U{ord(found[0]):08X}", text) + "'"


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
