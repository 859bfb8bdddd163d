"""Run a transaction for one agent and user, and leave the connection usable even if it fails or is cancelled."""

from __future__ import annotations

import asyncio
import re
from collections.abc import Awaitable, Callable, Coroutine, Iterable, Sequence
from contextlib import suppress
from dataclasses import dataclass
from typing import Any, Generic, TypeAlias, TypeVar

import asyncpg

from brain.errors import InvalidInput, StoreError
from brain.postgres.roles import OPERATOR
from brain.text import unstorable
from brain.users import Scope

T = TypeVar("T")
Connection: TypeAlias = Any  # asyncpg ships no types: a connection of its pool
Work = Callable[[Connection], Awaitable[T]]
Bound = tuple[Any, ...]  # an SQL statement and the values of its parameters

_UNDO_SECONDS = 1.0  # a healthy server acknowledges a cancellation within milliseconds
# Text without parameters costs one round trip instead of two. SET needs no plan, unlike set_config(…), and is the only
# form that Citus forwards to the machines with the rows. JIT is off: compiling the search takes longer than running it,
# and Postgres overestimates its cost. Whole tables are not read, and pages read at random cost little more than others:
# otherwise, a plan made before a vacuum reads all vectors once for each type and field.
_BEGIN = """
BEGIN {mode}; {role}
SET LOCAL cognitive.user_id TO {user}; SET LOCAL statement_timeout TO {milliseconds};
SET LOCAL idle_in_transaction_session_timeout TO {idle};
SET LOCAL synchronous_commit TO {commit}; SET LOCAL plan_cache_mode TO {plans}; SET LOCAL jit TO off;
SET LOCAL enable_seqscan TO off; SET LOCAL random_page_cost TO 1.1; {cluster}
SET LOCAL cognitive.agent_id TO {agent}
"""
# Functions of this schema that read tables run on the machine with the rows; Citus counts them as nested queries. After
# the second SET, Citus forwards this whole text for each SET that follows, so only one follows.
_CLUSTER = """
SET LOCAL citus.allow_nested_distributed_execution TO on; SET LOCAL citus.propagate_set_commands TO 'local';
"""
# Statements are planned once per connection: planning the search costs more than running it. Citus needs the agent's
# id to choose the machine, so a cluster gets custom plans.
_PLANS = {False: "force_generic_plan", True: "auto"}
# Named, because the database or the login may have another default. Under it, a transaction that waited for a lock
# would not see what the lock waited for, and writers of one agent would fail.
_LEVELS = {False: "READ COMMITTED", True: "REPEATABLE READ"}
# A process that is suspended, or whose machine is gone, would keep its locks for hours. By then it has given up the
# transaction. Not sooner, since a blocked event loop would lose its connections.
_IDLE_MILLISECONDS = 60_000
_FAILED = (
    OSError,
    TimeoutError,
    StoreError,
    asyncpg.PostgresError,
    asyncpg.InterfaceError,
    asyncpg.InternalClientError,
)
_background: set[asyncio.Task[None]] = set()  # the event loop holds tasks weakly
_NOT_PLAIN = re.compile(r"[^\w.:@/-]", re.ASCII)
PARAMETER = re.compile(r"\$(\d+)")


@dataclass(slots=True)
class Attempt(Generic[T]):
    """One attempt to run an agent's work in a transaction, with the arguments of `Database.run`.

    With `alone`, the work is one call that makes up the whole transaction. `connected` is True once the attempt has a
    connection.
    """

    scope: Scope
    work: Work[T]
    timeout: float
    durable: bool = True
    snapshot: bool = False
    first: Sequence[Bound] = ()
    alone: bool = False
    connected: bool = False


def beginning(
    scope: Scope,
    seconds: float,
    *,
    durable: bool = True,
    snapshot: bool = False,
    read_only: bool = False,
    role: str | None = None,
    clustered: bool = False,
) -> str:
    """Return the SQL statements that begin a transaction for an agent, in the view of a user.

    Args:
        scope: the agent and the user, set for row level security. In the operator's view the transaction has the
            operator's role, which sees the rows of all users, and writes shared rows until `write_as` names a user.
        seconds: the timeout of each statement.
        durable: False lets the commit return before it is on disk.
        snapshot: True gives all statements the same snapshot.
        read_only: True makes Postgres refuse writes.
        role: set for the transaction only, since a pooler gives the connection to other clients.
        clustered: the server is the coordinator of a Citus cluster, which propagates these settings.

    Raises:
        InvalidInput: the agent's or the user's id contains characters that Postgres cannot store.
    """
    agent_id, user_id = scope.key
    for name, text in (("agent_id", agent_id), ("user_id", user_id)):
        if (unfit := unstorable(text)) is not None:
            raise InvalidInput(f"{name} holds {unfit}")
    if scope.sees_all:
        role = OPERATOR
    milliseconds = max(1, int(seconds * 1000))
    return _BEGIN.format(
        mode=f"ISOLATION LEVEL {_LEVELS[snapshot]} {'READ ONLY' if read_only else ''}",
        role=f"SET LOCAL ROLE {role};" if role is not None else "",
        cluster=_CLUSTER if clustered else "",
        agent=_literal(agent_id),
        user=_literal(user_id),
        milliseconds=milliseconds,
        idle=max(milliseconds, _IDLE_MILLISECONDS),
        commit="on" if durable else "off",
        plans=_PLANS[clustered],
    )


def beginning_with(begin: str, first: Iterable[Bound], clustered: bool) -> tuple[str, ...]:
    """Return the texts, one per round trip, that begin a transaction and run the statements `first` in it.

    The parameters of `first` must be texts; they become literals. Each statement has its own snapshot. A cluster gets
    the statements one by one, since Citus would forward them together with the settings.
    """
    texts = (begin, *map(_with_literals, first))
    return texts if clustered else ("\n;".join(texts),)


def _with_literals(statement: Bound) -> str:
    sql, *values = statement
    return PARAMETER.sub(lambda match: _literal(values[int(match[1]) - 1]), sql)


async def write_as(connection: Connection, user_id: str) -> None:
    """Let a transaction in the operator's view write the rows of a user from here on; '' is shared rows.

    Raises:
        StoreError: the transaction has another view, which this would change.
    """
    if await connection.fetchval("SELECT current_user") != OPERATOR:
        raise StoreError(f"write_as: only a transaction of the role {OPERATOR} writes the rows of other users")
    await connection.execute(f"SET LOCAL cognitive.user_id TO {_literal(user_id)}")


def _literal(text: str) -> str:
    """Return a text as an SQL string literal in which every special character is escaped by its code point.

    The form E'…' means the same whatever the server's setting `standard_conforming_strings` is.
    """
    return "E'" + _NOT_PLAIN.sub(lambda match: f"\\U{ord(match[0]):08X}", text) + "'"


async def take(pool: asyncpg.Pool, max_seconds: float) -> Connection:
    """Return a ready connection of the pool.

    To open and prepare a connection takes several round trips, more than a turn may have left. If a deadline interrupts
    the caller meanwhile, the connection is completed in the background and goes to the pool, where the next turn finds
    it. `max_seconds` limits the wait there too. asyncpg replaces lost connections by itself, up to the pool's minimum.
    """
    taking = asyncio.ensure_future(pool.acquire(timeout=max_seconds))
    try:
        return await asyncio.shield(taking)
    except asyncio.CancelledError:
        if pool.get_size() == pool.get_max_size():  # nothing is being opened: it waits for another caller's connection
            taking.cancel()
        _run_in_background(_to_pool(pool, taking))
        raise


async def _to_pool(pool: asyncpg.Pool, taking: asyncio.Future[Connection]) -> None:
    with suppress(asyncio.CancelledError, *_FAILED):  # if the server is away, a later call reports it
        await pool.release(await taking)


async def in_transaction(connection: Connection, work: Work[T], *begin: str, commit: bool = True) -> T:
    """Run `work` in a transaction, commit it, and return its result. Without `begin`, the work is a whole transaction.

    With `commit` False, the transaction stays open until `give_back` ends it.

    BEGIN and COMMIT are sent as plain statements: asyncpg's transaction object cannot roll back after its BEGIN or
    COMMIT was cancelled.
    """
    try:
        for text in begin:
            await connection.execute(text)
        result = await work(connection)
        if begin and commit:
            await connection.execute("COMMIT")
    except BaseException:
        await _undo(connection)
        raise
    return result


async def give_back(pool: asyncpg.Pool, connection: Connection) -> None:
    """Give a connection back to its pool. If its transaction is open, end that first, without waiting for it."""
    if connection.is_in_transaction():
        _run_in_background(_end(pool, connection))
    else:
        await pool.release(connection)


async def _end(pool: asyncpg.Pool, connection: Connection) -> None:
    try:
        async with asyncio.timeout(_UNDO_SECONDS):
            await connection.execute("COMMIT")
    except (asyncio.CancelledError, *_FAILED):
        await _undo(connection)
    finally:
        await pool.release(connection)


def _run_in_background(work: Coroutine[Any, Any, None]) -> None:
    task = asyncio.create_task(work)
    _background.add(task)
    task.add_done_callback(_background.discard)


async def _undo(connection: Connection) -> None:
    """Roll back a failed or cancelled transaction, so that its connection can be used again.

    If the rollback takes over a second, the connection is closed. The caller of the transaction does not wait for the
    rollback (see `Deadline`). The connection is worth keeping: a new one must plan all statements again, which takes
    longer than several turns, and would add load when the machine is already late.
    """
    try:
        async with asyncio.timeout(_UNDO_SECONDS):
            with suppress(asyncpg.InFailedSQLTransactionError):
                await connection.execute("SELECT 1")  # returns after Postgres has acknowledged the cancellation
            if connection.is_in_transaction():
                await connection.execute("ROLLBACK")
    except (Exception, asyncio.CancelledError):  # after any error here the connection is unusable
        with suppress(asyncpg.InterfaceError):  # the pool has already dropped a lost connection
            connection.terminate()
