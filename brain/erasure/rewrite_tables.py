"""Rewrite all tables, so that no deleted text is left in their files, in index pages or in the write-ahead log.

Postgres marks a deleted row and leaves its bytes in the page until they are overwritten, and in recycled segments of
the write-ahead log. `VACUUM FULL` rewrites each table and its indexes. It locks the table meanwhile: run it when the
agents are idle.
"""

from __future__ import annotations

import asyncpg

from brain import statements
from brain.postgres.admin_connection import connected

SQL = statements.load("rewrite_tables")


async def scrub(url: str) -> tuple[int, bool]:
    """Rewrite all tables as their owner; return their number, and whether old segments of the log were removed too.

    Removing segments needs a superuser. File systems, replicas, log archives and backups are not reached.

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
    """Remove old segments of the write-ahead log after two checkpoints, instead of recycling them."""
    await connection.execute("ALTER SYSTEM SET wal_recycle = off")
    try:
        await connection.execute("SELECT pg_reload_conf()")
        for _ in range(2):
            await connection.execute("SELECT pg_switch_wal()")
            await connection.execute("CHECKPOINT")
    finally:
        await connection.execute("ALTER SYSTEM RESET wal_recycle")
        await connection.execute("SELECT pg_reload_conf()")
