"""Build indexes on filled tables without blocking writes, and repair indexes whose build was interrupted.

A migration declares such an index in a file `NNNN_name.concurrently.sql`, named like the migration. Postgres builds the
index outside of any transaction. If the build is killed, an invalid index remains, which Postgres updates but never
reads. Each upgrade therefore compares the indexes that all these files declare with those that exist.
"""

from __future__ import annotations

import asyncio
import re
from collections.abc import Iterable, Mapping
from pathlib import Path
from typing import Any

from brain import statements
from brain.errors import SchemaError
from brain.postgres.admin_connection import connected

SQL = statements.load("index_builds")

_PAUSE = 0.1  # seconds between two attempts to take the lock
_STATEMENT = re.compile(
    r"(?:CREATE(?: UNIQUE)? INDEX CONCURRENTLY (?P<built>\w+) ON cognitive\.\w"
    r"|DROP INDEX CONCURRENTLY IF EXISTS cognitive\.(?P<dropped>\w+)$)"
)
_LEFT_BEHIND = re.compile(r"_cc(?:new|old)\d*$")  # the indexes that an interrupted REINDEX CONCURRENTLY leaves behind


def declared(folder: Path, revision: str) -> Mapping[str, str | None]:
    """Return the statements that build the indexes declared by the migrations, by index name.

    An index that must be dropped has the value None. Only migrations up to `revision` are read, in their order.

    Raises:
        SchemaError: a file contains another kind of statement.
    """
    indexes: dict[str, str | None] = {}
    for path in sorted(folder.glob("*.concurrently.sql")):
        if path.name.partition("_")[0] <= revision:
            indexes.update(_parse(path.name, statement) for statement in split(path.read_text(encoding="utf-8")))
    return indexes


def split(script: str) -> Iterable[str]:
    """Return the statements of a script, without comments and line breaks."""
    bare = re.sub(r"--[^\n]*", "", script)
    return (" ".join(statement.split()) for statement in bare.split(";") if statement.strip())


def _parse(file: str, statement: str) -> tuple[str, str | None]:
    match = _STATEMENT.match(statement)
    if match is None:
        raise SchemaError(f"{file}: neither builds nor drops an index concurrently: {statement[:80]}")
    return (match["built"], statement) if match["built"] else (match["dropped"], None)


async def build(connection: Any, wanted: Mapping[str, str | None]) -> tuple[str, ...]:
    """Bring the indexes to the state in `wanted`: build missing and invalid ones, and drop those mapped to None.

    Returns the names of the indexes that were built or dropped. `connection` belongs to the schema's owner and is not
    in a transaction.
    """
    valid = {row["name"]: row["valid"] for row in await connection.fetch(*SQL.indexes())}
    changed = []
    for name, statement in wanted.items():
        if name in valid and (statement is None or not valid[name]):
            await connection.execute(f"DROP INDEX CONCURRENTLY IF EXISTS cognitive.{name}")
            changed.append(name)
        if statement is not None and not valid.get(name, False):
            await connection.execute(statement)
            changed.append(name)
    return tuple(dict.fromkeys(changed))


async def repair(url: str, wanted: Mapping[str, str | None]) -> tuple[str, ...]:
    """Rebuild invalid indexes and build the missing ones of `wanted`; return the names of all built or dropped ones.

    Reads and writes go on. The remains of an interrupted REINDEX are dropped: the original index still exists.

    Raises:
        StoreUnavailable: the server does not answer.
        SchemaError: the role does not own the schema, or rows violate a unique index.
    """
    async with connected(url, "repair the indexes") as connection:
        await lock(connection)
        built = await build(connection, wanted)
        return built + await _rebuild(connection)


async def _rebuild(connection: Any) -> tuple[str, ...]:
    broken = [row["name"] for row in await connection.fetch(*SQL.indexes()) if not row["valid"]]
    for name in broken:
        command = "DROP" if _LEFT_BEHIND.search(name) else "REINDEX"
        await connection.execute(f'{command} INDEX CONCURRENTLY cognitive."{name}"')
    return tuple(broken)


async def lock(connection: Any) -> None:
    """Take the advisory lock that allows one migration at a time. It is held until the connection is closed.

    The lock is polled: a session that waits for it would hold a transaction open, and a concurrent index build waits
    for open transactions. The lock belongs to the session and not to a transaction, because such builds run outside of
    transactions. Therefore the connection must not lead through a transaction pooler.
    """
    while not await connection.fetchval(*SQL.try_lock()):  # noqa: ASYNC110 - there is no event to wait for
        await asyncio.sleep(_PAUSE)
