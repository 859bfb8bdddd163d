"""Create databases for a benchmark, on an embedded server or on a given one, and drop them at the end."""

from __future__ import annotations

import asyncio
import tempfile
from collections.abc import AsyncIterator
from contextlib import asynccontextmanager
from pathlib import Path
from uuid import uuid4

import asyncpg
import sqlalchemy as sa

from brain.embedded import EmbeddedServer

_TIMEOUT = 3_600.0  # seconds: VACUUM of a million rows takes minutes


@asynccontextmanager
async def server(url: str | None, data: Path | None) -> AsyncIterator[str]:
    """Yield the URL of a database server, with a role that may create databases.

    The result is `url` or, if that is None, the URL of an embedded server. The embedded server keeps its data in the
    directory `data`, or in a temporary directory if that is None.
    """
    if url is not None:
        yield url
        return
    with tempfile.TemporaryDirectory(prefix="cognitive-bench-") as directory:
        home = data or Path(directory)
        home.chmod(0o711)  # started by root, the server runs as another user, which must reach the directory
        embedded = EmbeddedServer(home)
        try:
            urls = await asyncio.to_thread(embedded.acquire)
            yield urls.admin
        finally:
            await asyncio.to_thread(embedded.release)


@asynccontextmanager
async def database(server_url: str) -> AsyncIterator[str]:
    """Yield the URL of a new, empty database on a server; drop the database at the end."""
    name = f"cognitive_bench_{uuid4().hex[:8]}"
    try:
        await execute(server_url, f"CREATE DATABASE {name}")
        yield sa.make_url(server_url).set(database=name).render_as_string(hide_password=False)
    finally:
        await execute(server_url, f"DROP DATABASE IF EXISTS {name} WITH (FORCE)")


async def execute(url: str, statement: str) -> None:
    """Execute a statement on a separate connection, outside any transaction."""
    connection = await asyncpg.connect(url)
    try:
        await connection.execute(statement, timeout=_TIMEOUT)
    finally:
        await connection.close()


async def megabytes(url: str) -> int:
    """Return the size of a database on disk, in MB."""
    connection = await asyncpg.connect(url)
    try:
        return int(await connection.fetchval("SELECT pg_database_size(current_database()) / 1048576"))
    finally:
        await connection.close()
