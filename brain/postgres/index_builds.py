"""Indexes on tables that hold rows: built beside the traffic, and mended when a build was interrupted.

A migration that adds such an index says so in `NNNN_name.concurrently.sql` beside it. Postgres builds it outside of any
transaction, so that a killed build leaves an index behind that is kept up to date and never read. What all these files
together ask for is therefore compared with what is there, each time.
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

_PAUSE = 0.1  # seconds between two questions for the lock
_STATEMENT = re.compile(
    r"(?:CREATE(?: UNIQUE)? INDEX CONCURRENTLY (?P<built>\w+) ON cognitive\.\w"
    r"|DROP INDEX CONCURRENTLY IF EXISTS cognitive\.(?P<dropped>\w+)$)"
)
_LEFT_BEHIND = re.compile(r"_cc(?:new|old)\d*$")  # how Postgres names what an interrupted REINDEX CONCURRENTLY leaves


def declared(folder: Path, revision: str) -> Mapping[str, str | None]:
    """By name the statement that builds each index; None: it is to go. Of the migrations up to `revision`.

    Raises:
        SchemaError: a file holds a statement of another kind.
    """
    wanted: dict[str, str | None] = {}
    for path in sorted(folder.glob("*.concurrently.sql")):
        if path.name.partition("_")[0] <= revision:
            wanted.update(_named(path.name, statement) for statement in _split(path.read_text(encoding="utf-8")))
    return wanted


def _split(script: str) -> Iterable[str]:
    bare = re.sub(r"--[^\n]*", "", script)
    return (" ".join(statement.split()) for statement in bare.split(";") if statement.strip())


def _named(file: str, statement: str) -> tuple[str, str | None]:
    match = _STATEMENT.match(statement)
    if match is None:
        raise SchemaError(f"{file}: neither builds nor drops an index concurrently: {statement[:80]}")
    return (match["built"], statement) if match["built"] else (match["dropped"], None)


async def build(connection: Any, wanted: Mapping[str, str | None]) -> tuple[str, ...]:
    """Builds what is missing or was interrupted, drops what is to go, and returns the names of both.

    `connection` is in no transaction and is the schema's owner's.
    """
    there = {row["name"]: row["valid"] for row in await connection.fetch(*SQL.indexes())}
    done = []
    for name, statement in wanted.items():
        if name in there and (statement is None or not there[name]):
            await connection.execute(f"DROP INDEX CONCURRENTLY IF EXISTS cognitive.{name}")
            done.append(name)
        if statement is not None and not there.get(name, False):
            await connection.execute(statement)
            done.append(name)
    return tuple(dict.fromkeys(done))


async def repair(url: str, wanted: Mapping[str, str | None]) -> tuple[str, ...]:
    """Mends every index that Postgres does not read, builds those `wanted` ones that are missing; returns the names.

    Reads and writes go on. What an interrupted REINDEX left is dropped: the index that it was to replace is there.

    Raises:
        StoreUnavailable: nothing answers there.
        SchemaError: the role does not own the schema, or rows stand in the way of a unique index.
    """
    async with connected(url, "repair the indexes") as connection:
        await alone(connection)
        built = await build(connection, wanted)
        return built + await _rebuilt(connection)


async def _rebuilt(connection: Any) -> tuple[str, ...]:
    broken = [row["name"] for row in await connection.fetch(*SQL.indexes()) if not row["valid"]]
    for name in broken:
        way = "DROP" if _LEFT_BEHIND.search(name) else "REINDEX"
        await connection.execute(f'{way} INDEX CONCURRENTLY cognitive."{name}"')
    return tuple(broken)


async def alone(connection: Any) -> None:
    """Waits until nobody else migrates this database; held until the connection is closed.

    Asked for again and again and not waited for: a build waits for the transactions of whoever waits for the lock.
    It goes with the connection, since a build is of no transaction: a transaction pooler is no way to migrate.
    """
    while not await connection.fetchval(*SQL.alone()):  # noqa: ASYNC110 - Postgres is asked, which has no event
        await asyncio.sleep(_PAUSE)
