"""Bringing a database's schema up to date: alembic, run from the package.

Works as any role that may create a schema in the database; roles and the extension are created if they are missing
and the role may do so, and a clear error says what to ask an administrator for otherwise.
"""

from __future__ import annotations

from pathlib import Path

import asyncpg
import sqlalchemy as sa
from alembic import command
from alembic.config import Config
from alembic.util import CommandError
from sqlalchemy.ext.asyncio import create_async_engine
from sqlalchemy.pool import NullPool

from brain.errors import SchemaError, StoreUnavailable
from brain.schema import HEAD, LEAST_PGVECTOR, LEAST_POSTGRES, pgvector_too_old

# In an installed package the migrations stand inside it; in a checkout they stand beside it.
_PLACES = (Path(__file__).parent / "migrations", Path(__file__).parent.parent / "migrations")


def config() -> Config:
    """An alembic configuration that points to the migrations."""
    settings = Config()
    settings.set_main_option("script_location", str(next(place for place in _PLACES if place.is_dir())))
    return settings


async def upgrade(url: str) -> str:
    """Migrates the database at `url` to the newest revision and returns that. Safe to run twice or at once.

    Raises:
        StoreUnavailable: nothing answers there.
        SchemaError: the server is too old, pgvector is missing, or the role may not do what is needed.
    """
    engine = create_async_engine(_sqlalchemy_url(url), poolclass=NullPool)
    try:
        async with engine.begin() as connection:
            await connection.run_sync(_migrate)
    except (OSError, asyncpg.CannotConnectNowError) as error:
        raise StoreUnavailable(f"cannot connect to Postgres: {error}") from error
    except asyncpg.PostgresError as error:
        raise SchemaError(f"cannot migrate this database: {error}") from error
    except sa.exc.DBAPIError as error:
        raise SchemaError(f"cannot migrate this database: {error.orig}") from error
    except CommandError as error:
        raise SchemaError(f"this database is of another version of the schema: {error}") from error
    finally:
        await engine.dispose()
    return HEAD


def _migrate(connection: sa.Connection) -> None:
    # one migration at a time; the lock goes with the transaction
    connection.execute(sa.text("SELECT pg_advisory_xact_lock(hashtext('cognitive.migrate'))"))
    _prerequisites(connection)
    settings = config()
    settings.attributes["connection"] = connection
    command.upgrade(settings, "head")


def _sqlalchemy_url(url: str) -> sa.URL:
    try:
        parsed = sa.make_url(url)
    except (sa.exc.ArgumentError, ValueError) as error:
        raise SchemaError(f"not a database URL: {error}") from error
    if parsed.get_backend_name() not in {"postgresql", "postgres"}:
        raise SchemaError(f"not a Postgres URL: it begins with {parsed.drivername!r}, not 'postgresql'")
    return parsed.set(drivername="postgresql+asyncpg")


def _prerequisites(connection: sa.Connection) -> None:
    version = connection.execute(sa.text("SELECT current_setting('server_version_num')::int / 10000")).scalar_one()
    if version < LEAST_POSTGRES:
        raise SchemaError(f"Postgres {version} is too old: {LEAST_POSTGRES} or newer is needed")
    _extension(connection)
    if connection.execute(sa.text("SELECT 1 FROM pg_roles WHERE rolname = 'cognitive_app'")).first() is None:
        connection.execute(sa.text("CREATE ROLE cognitive_app NOLOGIN NOSUPERUSER NOBYPASSRLS NOCREATEDB NOCREATEROLE"))
        connection.execute(sa.text("GRANT cognitive_app TO CURRENT_USER"))


def _extension(connection: sa.Connection) -> None:
    installed = "SELECT extversion FROM pg_extension WHERE extname = 'vector'"
    found = connection.execute(sa.text(installed)).scalar()
    if found is None:
        available = "SELECT default_version FROM pg_available_extensions WHERE name = 'vector'"
        if connection.execute(sa.text(available)).scalar() is None:
            raise SchemaError(f"this server has no pgvector: install version {LEAST_PGVECTOR} or newer on it")
        connection.execute(sa.text("CREATE EXTENSION vector"))
        found = connection.execute(sa.text(installed)).scalar_one()
    if pgvector_too_old(found):
        raise SchemaError(
            f"pgvector {found} is too old: {LEAST_PGVECTOR} or newer is needed (ALTER EXTENSION vector UPDATE)"
        )
