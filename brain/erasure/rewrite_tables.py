"""Rewriting what is stored, so that nothing of what was erased is left between the rows, in index pages or the log.

Postgres marks a deleted row and leaves its bytes in the page until something overwrites them, and in segments of the
write-ahead log that it uses again. `VACUUM FULL` writes every table and index anew. It locks each for as long as that
takes: for the hour in which nobody needs them.
"""

from __future__ import annotations

import asyncpg

from brain import statements
from brain.postgres.admin_connection import connected

SQL = statements.load("rewrite_tables")


async def scrub(url: str) -> tuple[int, bool]:
    """Rewrites all tables, as their owner, and returns how many; and whether the log was let go too, which takes a
    superuser. What file systems, replicas, archives of the log and backups keep, it does not reach.

    Raises:
        StoreUnavailable: nothing answers there.
        SchemaError: the schema is missing, or this role may not do it.
    """
    async with connected(url, "scrub this database") as connection:
        tables = [row["name"] for row in await connection.fetch(*SQL.tables())]
        for table in tables:
            await connection.execute(f"VACUUM (FULL, ANALYZE) {table}")  # a name that the catalogue quoted
        superuser = bool(await connection.fetchval(*SQL.is_superuser()))
        if superuser:
            await _let_go_of_the_log(connection)
    return len(tables), superuser


async def _let_go_of_the_log(connection: asyncpg.Connection) -> None:
    """Segments behind the second checkpoint are removed, where they would be kept to be written over."""
    await connection.execute("ALTER SYSTEM SET wal_recycle = off")
    try:
        await connection.execute("SELECT pg_reload_conf()")
        for _ in range(2):
            await connection.execute("SELECT pg_switch_wal()")
            await connection.execute("CHECKPOINT")
    finally:
        await connection.execute("ALTER SYSTEM RESET wal_recycle")
        await connection.execute("SELECT pg_reload_conf()")
