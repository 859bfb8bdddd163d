"""A standby beside its primary: whether it is one of this database, and how far it is behind."""

from __future__ import annotations

import asyncio
from dataclasses import dataclass
from typing import Any

from brain import statements
from brain.errors import StoreError, StoreUnavailable
from brain.postgres.connecting import connected

SQL = statements.load("replica")

_PATIENCE_MS = 2_000.0  # for both servers: who asks how they are must not wait for one that does not answer


@dataclass(frozen=True, slots=True)
class Server:
    """A server: whether it replays another one's log, the number of its cluster, which a standby shares with its
    primary, how many bytes its log goes, and the seconds since the latest transaction that it replayed, if any.
    """

    standby: bool
    cluster: int
    position: int
    since: float | None


@dataclass(frozen=True, slots=True)
class Replica:
    """How a standby does. `unfit` says why it is not read, None if it is; then `bytes` and `seconds` are what it is
    behind. Both are 0 where it has replayed all that its primary has written.
    """

    unfit: str | None
    bytes: int = 0
    seconds: float = 0.0


async def server(connection: Any) -> Server:
    """The server of a connection."""
    return Server(**dict(await connection.fetchrow(*SQL.server())))


def unfit(replica: Server, cluster: int) -> str | None:
    """Why a server is no standby of that cluster, None if it is one."""
    if not replica.standby:
        return "it takes writes itself: it was promoted, or is no standby"
    return None if replica.cluster == cluster else "it is a standby of another server"


async def compared(url: str, replica_url: str) -> Replica:
    """The standby beside its primary, each asked over a connection of its own. Raises nothing: an absence is told."""
    try:
        async with asyncio.timeout(_PATIENCE_MS / 1000):
            replica, primary = await asyncio.gather(_asked("the replica", replica_url), _asked("the primary", url))
    except (StoreError, TimeoutError) as error:
        return Replica(str(error) or f"no answer within {_PATIENCE_MS / 1000:g} s")
    if (because := unfit(replica, primary.cluster)) is not None:
        return Replica(because)
    behind = max(0, primary.position - replica.position)
    return Replica(None, behind, (replica.since or 0.0) if behind else 0.0)


async def _asked(which: str, url: str) -> Server:
    try:
        async with connected(url, "look at it") as connection:
            return await server(connection)
    except StoreError as error:
        raise StoreUnavailable(f"{which} does not answer: {error}") from error
