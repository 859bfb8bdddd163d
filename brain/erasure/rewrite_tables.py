"""Rewrite all tables, so that no deleted text is left in their files, in index pages or in the write-ahead log.

Postgres only marks a deleted row. The row's bytes stay in the table's page until they are overwritten, and in recycled
segments of the write-ahead log. `VACUUM FULL` rewrites each table and its indexes. It locks the table meanwhile, so run
it when the agents are idle.
"""

from __future__ import annotations

import asyncpg

from brain import statements
from brain.postgres.admin_connection import connected

SQL = statements.load("rewrite_tables")


async def scrub(url: str) -> tuple[int, bool]:
    """Rewrite all tables of the database at `url`, and remove old segments of the write-ahead log.

    The URL's role must own the tables. Return the number of tables, and whether the segments were removed, which only a
    superuser may do. Copies in file systems, replicas, log archives and backups are not changed.

    Raises:
        StoreUnavailable: the server does not answer.
        SchemaError: the schema is missing, or the role lacks a privilege.
    """
    async with connected(url, "rewrite this database") as connection:
        tables = [row["name"] for row in await connection.fetch(*SQL.tables())]
        for table in tables:
            await connection.execute(f"VACUUM (FULL, ANALYZE) {table}")  # the catalog has quoted the name
        superuser = bool(await connection.fetchval(*SQL.is_superuser()))
        if superuser:
            await _let_go_of_the_log(connection)
    return len(tables), superuser


async def _let_go_of_the_log(connection: asyncpg.Connection) -> None:
    """Make Postgres remove the old segments of the write-ahead log, which it would otherwise keep for reuse.

    A checkpoint removes the segments before the current one. It doesn't remove old segments that an earlier checkpoint
    renamed for later use, so the log is switched until it has passed them, and the current segment is a new file.
    """
    await connection.execute("ALTER SYSTEM SET wal_recycle = off")
    try:
        await connection.execute("SELECT pg_reload_conf()")
        before, after = True, await connection.fetchval(*SQL.has_later_segments())
        while before or after:
            before = after
            await connection.execute("SELECT pg_switch_wal()")
            await connection.execute("CHECKPOINT")
            after = await connection.fetchval(*SQL.has_later_segments())
    finally:
        await connection.execute("ALTER SYSTEM RESET wal_recycle")
        await connection.execute("SELECT pg_reload_conf()")
