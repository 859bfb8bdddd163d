"""Run migrations for alembic, on the connection passed by the caller or, for development, on COGNITIVE_DATABASE_URL."""

from __future__ import annotations

import asyncio

from alembic import context
from sqlalchemy import Connection, text
from sqlalchemy.ext.asyncio import create_async_engine

from brain.settings import Settings


def run(connection: Connection) -> None:
    connection.execute(text("CREATE SCHEMA IF NOT EXISTS cognitive"))
    context.configure(connection=connection, version_table_schema="cognitive")
    with context.begin_transaction():
        context.run_migrations()


async def connect_and_run() -> None:
    url = Settings().database_url
    if url is None:
        raise SystemExit("set COGNITIVE_DATABASE_URL, or use `cognitive db upgrade`")
    engine = create_async_engine(url.replace("postgresql://", "postgresql+asyncpg://", 1))
    async with engine.begin() as connection:
        await connection.run_sync(run)
    await engine.dispose()


passed = context.config.attributes.get("connection")
if passed is None:
    asyncio.run(connect_and_run())
else:
    run(passed)
