"""Open the database that the settings name, and separate connections for reading.

The database is the one at a URL, or the embedded server, which runs while this process uses it.
"""

from __future__ import annotations

import asyncio
import logging
from collections.abc import AsyncIterator, Awaitable
from contextlib import asynccontextmanager
from functools import partial
from typing import Any

from brain.embedded import EmbeddedServer, ServerUrls
from brain.errors import SchemaError, StoreUnavailable
from brain.postgres import roles
from brain.postgres.breaker import Breaker
from brain.postgres.database import APP_ROLE, Database
from brain.postgres.reading import ReadDatabase
from brain.settings import Settings, from_environment

log = logging.getLogger(__name__)


@asynccontextmanager
async def open_database(url: str | None, settings: Settings) -> AsyncIterator[tuple[Database, ReadDatabase]]:
    """Open the database at `url`, or the embedded server if `url` is None; close the connections at the end.

    If the server at `url` does not answer yet, only a warning is logged, and the first query tries again to connect.

    Raises:
        SchemaError: the database lacks the extension, the schema or the role.
        EmbeddedServerError: the bundled server cannot be started.
    """
    if url is not None:
        database, reading = _at(url, settings)
        async with _closing(database, reading, _open_or_wait(database)):
            yield database, reading
        return
    async with _running(settings) as (server, urls):
        database, reading = _within(server, urls, settings)
        async with _closing(database, reading, _open_or_migrate(database, urls)):
            yield database, reading


@asynccontextmanager
async def embedded(settings: Settings | None = None) -> AsyncIterator[ServerUrls]:
    """Run the embedded server for the duration of the block, and yield its URLs."""
    async with _running(settings or from_environment()) as (_, urls):
        await roles.create_operator(urls.admin)  # older servers lack this role
        yield urls


@asynccontextmanager
async def _running(settings: Settings) -> AsyncIterator[tuple[EmbeddedServer, ServerUrls]]:
    server = EmbeddedServer(settings.data_dir)
    try:
        yield server, await asyncio.to_thread(server.acquire)
    finally:
        await asyncio.to_thread(server.release)


def connections(url: str, settings: Settings) -> Database:
    """Return a `Database` for `url`. It opens its connections on first use."""
    return Database(
        url,
        pool_size=settings.pool_size,
        breaker=_breaker(settings),
        **_server(settings),
    )


def _at(url: str, settings: Settings) -> tuple[Database, ReadDatabase]:
    def reading(url: str, standby: ReadDatabase | None = None) -> ReadDatabase:
        return ReadDatabase(url, breaker=partial(_breaker, settings), standby=standby, **_server(settings))

    standby = reading(settings.replica_url) if settings.replica_url is not None else None
    return connections(url, settings), reading(url, standby)


def _within(server: EmbeddedServer, urls: ServerUrls, settings: Settings) -> tuple[Database, ReadDatabase]:
    """Return the databases for writing and reading on the embedded server. Both restart the server if it has stopped.

    The read database also creates the read-only roles if they are missing.
    """
    database = Database(
        urls.app, pool_size=settings.pool_size, revive=server.ensure_running, breaker=_breaker(settings)
    )
    reading = ReadDatabase(
        urls.app,
        revive=server.ensure_running,
        grant=lambda: roles.create(urls.admin, [APP_ROLE]),
        breaker=partial(_breaker, settings),
    )
    return database, reading


def _server(settings: Settings) -> dict[str, Any]:
    """Return the settings of pooler and cluster as arguments of `Database` and `ReadDatabase`."""
    return {
        "pooled": settings.pooler != "none",
        "prepares": settings.pooler != "transaction",
        "clustered": settings.cluster == "citus",
    }


def _breaker(settings: Settings) -> Breaker:
    return Breaker(settings.breaker_failures, settings.breaker_wait, settings.breaker_max_wait)


@asynccontextmanager
async def _closing(database: Database, reading: ReadDatabase, opening: Awaitable[None]) -> AsyncIterator[None]:
    try:
        await opening
        yield
    finally:
        await reading.close()
        await database.close()


async def _open_or_wait(database: Database) -> None:
    try:
        await database.open()
    except StoreUnavailable as error:
        log.warning("%s; turns are degraded until it answers", error)


async def _open_or_migrate(database: Database, urls: ServerUrls) -> None:
    try:
        await database.open()
    except SchemaError:
        from brain.postgres.migrate import upgrade  # alembic is slow to import and needed once

        await roles.create_operator(urls.admin)  # older servers lack this role, and the owner may not create roles
        await upgrade(urls.owner)
        await database.open()
