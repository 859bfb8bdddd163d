"""The connections of a pool. They run several writes at once: in one statement, or one by one on a cluster.

Each statement costs a round trip. One statement can write several tables in CTEs (common table expressions). A cluster
would run that one in parts, with intermediate results on every machine.
"""

from __future__ import annotations

from collections.abc import MutableMapping, Sequence
from functools import lru_cache
from typing import Any

import asyncpg

from brain.postgres.transaction import PARAMETER, Bound

TypesByOids = MutableMapping[frozenset[int], Any]  # what asyncpg has read about types, by their oids


class _PoolConnection(asyncpg.Connection):  # type: ignore[misc]  # asyncpg ships no types
    """A connection that knows what the other connections of its pool have read about the types of Postgres."""

    known_types: TypesByOids

    async def _introspect_types(self, typeoids: Sequence[int], timeout: float | None) -> Any:
        """Return what asyncpg's method returns. It takes 12 of the 20 ms in which a connection is prepared.

        The method is private. If another version of asyncpg does not call it, each connection reads the types again.
        """
        key = frozenset(typeoids)
        if key not in self.known_types:
            self.known_types[key] = await super()._introspect_types(typeoids, timeout)
        return self.known_types[key]


class ServerConnection(_PoolConnection):
    """A connection to a single server."""

    async def write(self, writes: Sequence[Bound]) -> None:
        """Run statements that write different rows. None must depend on what another writes.

        Postgres runs the last one first, but does not promise this order.
        """
        if writes:
            values = [value for _, *own in writes for value in own]
            await self.execute(_as_one(tuple((sql, len(own)) for sql, *own in writes)), *values)


class ClusterConnection(_PoolConnection):
    """A connection to the coordinator of a Citus cluster."""

    async def write(self, writes: Sequence[Bound]) -> None:
        """Run statements as `ServerConnection.write` does, the last one first."""
        for statement in (*writes[-1:], *writes[:-1]):
            await self.execute(*statement)


@lru_cache(64)
def _as_one(writes: tuple[tuple[str, int], ...]) -> str:
    """Return one statement for several, each given with the number of its parameters. The last may be a SELECT."""
    texts, before = [], 0
    for sql, parameters in writes:
        texts.append(PARAMETER.sub(lambda match, before=before: f"${int(match[1]) + before}", sql))  # type: ignore[misc]
        before += parameters
    *others, last = texts
    ctes = ", ".join(f"write_{number} AS ({text}\n)" for number, text in enumerate(others))
    return f"WITH {ctes}\n{last}" if ctes else last
