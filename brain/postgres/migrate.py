"""Bring the schema of a database up to date with alembic and the migrations in the package.

Any role that may create a schema in the database can run this. Missing roles and the extension are created if the role
is allowed to; otherwise the error gives the statement that an administrator must run.
"""

from __future__ import annotations

import asyncio
from collections.abc import Sequence
from functools import partial
from pathlib import Path
from typing import Any

import asyncpg
import sqlalchemy as sa
from alembic import command
from alembic.config import Config
from alembic.migration import MigrationContext
from alembic.script import ScriptDirectory
from sqlalchemy.ext.asyncio import AsyncConnection, create_async_engine
from sqlalchemy.pool import NullPool

from brain.errors import SchemaError
from brain.postgres import index_builds
from brain.postgres.refusals import AWAY, plain_url, refused, unreachable
from brain.postgres.roles import missing_operator
from brain.postgres.schema import HEAD, MIN_PGVECTOR, MIN_POSTGRES, hidden_pgvector, pgvector_too_old, refusal, unknown

_PACKAGE = Path(__file__).parent.parent
# An installed package contains the migrations; in a checkout they are in a folder beside it.
_FOLDERS = (_PACKAGE / "migrations", _PACKAGE.parent / "migrations")
_LOCK_WAIT = "150ms"  # writes queue behind a migration that waits for its lock: less than a turn's deadline
_PAUSE = 0.3  # seconds for the queued writes to catch up
_ATTEMPTS = 20  # about ten seconds in all: longer than any transaction of this product
_HOLDERS = """
SELECT DISTINCT l.pid FROM pg_locks l JOIN pg_class c ON c.oid = l.relation
WHERE l.granted AND c.relnamespace = to_regnamespace('cognitive') AND l.pid <> pg_backend_pid()
  AND l.database = (SELECT oid FROM pg_database WHERE datname = current_database())
"""
# The schema of pgvector and the login, if the login does not find pgvector's types.
_HIDDEN = """
SELECT extnamespace::regnamespace::text, session_user::text FROM pg_extension
WHERE extname = 'vector' AND to_regtype('halfvec') IS NULL
"""


def config(scripts: Path | None = None) -> Config:
    """Return an alembic configuration for the product's migrations, or for those in the folder `scripts`."""
    settings = Config()
    settings.set_main_option("script_location", str(scripts or next(folder for folder in _FOLDERS if folder.is_dir())))
    return settings


async def upgrade(url: str, *, to: str = "head", scripts: Path | None = None, attempts: int = _ATTEMPTS) -> str:
    """Migrate the database at `url` and return its revision.

    It is safe to run this twice, in two processes at once, or during live traffic. Each migration runs in a separate
    transaction, which waits at most `_LOCK_WAIT` for a lock, because writes queue behind it. A migration that gets no
    lock in `attempts` attempts fails. The migrations before it stay applied, and the next call continues from there.

    Raises:
        StoreUnavailable: the server does not answer.
        SchemaError: the server is too old, pgvector is missing, the role lacks a privilege, the database's revision is
            unknown, or a long transaction holds a lock.
    """
    # asyncpg reads the URL, as elsewhere: it may contain settings, which SQLAlchemy does not know
    connect = partial(asyncpg.connect, plain_url(url))
    engine = create_async_engine(_sqlalchemy_url(url), poolclass=NullPool, async_creator=connect)
    try:
        async with engine.connect() as connection:
            driver = (await connection.get_raw_connection()).driver_connection
            await index_builds.lock(driver)
            return await _migrate_all(connection, driver, config(scripts), to, attempts)
    except AWAY as error:
        raise unreachable(error, url) from error
    except asyncpg.PostgresError as error:
        raise refused(error, url, "cannot migrate this database") from error
    except sa.exc.DBAPIError as error:
        raise refused(error.orig or error, url, "cannot migrate this database") from error
    finally:
        await engine.dispose()


async def repair(url: str) -> tuple[str, ...]:
    """Repair the indexes of the database at `url` and return the names of the rebuilt ones.

    See `brain.postgres.index_builds.repair`.
    """
    wanted = index_builds.declared(_versions(config()), HEAD)
    return await index_builds.repair(url, wanted)


async def _migrate_all(connection: AsyncConnection, driver: Any, settings: Config, to: str, attempts: int) -> str:
    async with connection.begin():
        await connection.run_sync(_ensure_prerequisites)
    async with connection.begin():
        current = await connection.run_sync(_current)
    pending = _pending(settings, current, to)
    for revision in pending:
        if current is not None:  # a migration may use the indexes of those before it
            await index_builds.build(driver, index_builds.declared(_versions(settings), current))
        await _migrate_with_retries(connection, driver, settings, revision, attempts)
        current = revision
    assert current is not None
    await index_builds.build(driver, index_builds.declared(_versions(settings), current))
    for statement in _analyses(_versions(settings), pending):  # they read many rows, so in no migration's transaction
        await driver.execute(statement)
    return current


def _analyses(folder: Path, applied: Sequence[str]) -> list[str]:
    """Return the ANALYZE and VALIDATE CONSTRAINT statements of the migrations `applied`.

    A file `NNNN_name.analyze.sql` declares those of a migration.
    """
    paths = [path for path in sorted(folder.glob("*.analyze.sql")) if path.name.partition("_")[0] in applied]
    return [statement for path in paths for statement in index_builds.split(path.read_text(encoding="utf-8"))]


def _pending(settings: Config, current: str | None, to: str) -> list[str]:
    """Return the revisions still to be applied: those after `current` up to `to`, in order."""
    script = ScriptDirectory.from_config(settings)
    ordered = [each.revision for each in script.walk_revisions("base", to)][::-1]
    if current is None:
        return ordered
    if current in ordered:
        return ordered[ordered.index(current) + 1 :]
    if current not in {each.revision for each in script.walk_revisions()}:
        raise SchemaError(refusal(current, None) or unknown(current))
    return []  # the database is beyond `to`


async def _migrate_with_retries(
    connection: AsyncConnection, driver: Any, settings: Config, revision: str, attempts: int
) -> None:
    """Run one migration. If it does not get its lock, pause so that the writes behind it can run, and try again."""
    for attempt in range(1, attempts + 1):
        try:
            async with connection.begin():
                await connection.run_sync(_migrate, settings, revision)
                return
        except (asyncpg.LockNotAvailableError, sa.exc.DBAPIError) as error:
            if not _is_lock_timeout(error):
                raise
            if attempt == attempts:
                holders = ", ".join(str(row["pid"]) for row in await driver.fetch(_HOLDERS))
                raise SchemaError(
                    f"migration {revision} got no lock in {attempts} attempts, and changed nothing: a transaction of"
                    f" process {holders or 'that has ended meanwhile'} holds one. End it, or try again later"
                ) from error
        await asyncio.sleep(_PAUSE)


def _is_lock_timeout(error: Exception) -> bool:
    cause = error.orig if isinstance(error, sa.exc.DBAPIError) else error
    return bool(getattr(cause, "sqlstate", None) == asyncpg.LockNotAvailableError.sqlstate)


def _migrate(connection: sa.Connection, settings: Config, revision: str) -> None:
    connection.execute(sa.text(f"SET LOCAL lock_timeout = '{_LOCK_WAIT}'"))
    settings.attributes["connection"] = connection
    command.upgrade(settings, revision)


def _current(connection: sa.Connection) -> str | None:
    return MigrationContext.configure(connection, opts={"version_table_schema": "cognitive"}).get_current_revision()


def _versions(settings: Config) -> Path:
    return Path(ScriptDirectory.from_config(settings).versions)


def _sqlalchemy_url(url: str) -> sa.URL:
    try:
        parsed = sa.make_url(plain_url(url))
    except (sa.exc.ArgumentError, ValueError) as error:
        raise SchemaError(f"not a database URL: {error}") from error
    if parsed.get_backend_name() not in {"postgresql", "postgres"}:
        raise SchemaError(f"not a Postgres URL: it begins with {parsed.drivername!r}, not 'postgresql'")
    return parsed.set(drivername="postgresql+asyncpg", query={})


def _ensure_prerequisites(connection: sa.Connection) -> None:
    version = connection.execute(sa.text("SELECT current_setting('server_version_num')::int / 10000")).scalar_one()
    if version < MIN_POSTGRES:
        raise SchemaError(f"Postgres {version} is too old: {MIN_POSTGRES} or newer is needed")
    _ensure_extension(connection)
    if connection.execute(sa.text("SELECT 1 FROM pg_roles WHERE rolname = 'cognitive_app'")).first() is None:
        _run_privileged(connection, "CREATE ROLE cognitive_app NOLOGIN NOSUPERUSER NOBYPASSRLS NOCREATEDB NOCREATEROLE")
        _run_privileged(connection, "GRANT cognitive_app TO CURRENT_USER")
    driver = connection.connection.dbapi_connection
    assert driver is not None
    missing = driver.run_async(missing_operator)
    for statement in missing:
        _run_privileged(connection, statement, missing)


def _ensure_extension(connection: sa.Connection) -> None:
    installed = "SELECT extversion FROM pg_extension WHERE extname = 'vector'"
    found = connection.execute(sa.text(installed)).scalar()
    if found is None:
        available = "SELECT default_version FROM pg_available_extensions WHERE name = 'vector'"
        if connection.execute(sa.text(available)).scalar() is None:
            raise SchemaError(f"this server has no pgvector: install version {MIN_PGVECTOR} or newer on it")
        _run_privileged(connection, "CREATE EXTENSION vector")
        found = connection.execute(sa.text(installed)).scalar_one()
    if pgvector_too_old(found):
        raise SchemaError(
            f"pgvector {found} is too old: {MIN_PGVECTOR} or newer is needed (ALTER EXTENSION vector UPDATE)"
        )
    if (hidden := connection.execute(sa.text(_HIDDEN)).first()) is not None:
        raise hidden_pgvector(*hidden)


def _run_privileged(connection: sa.Connection, statement: str, needed: Sequence[str] = ()) -> None:
    """Run a statement that needs a privilege.

    If the role lacks the privilege, raise an error that contains the statement, or all that are `needed`, for an
    administrator to run.
    """
    try:
        connection.execute(sa.text(statement))
    except sa.exc.DBAPIError as error:
        if getattr(error.orig, "sqlstate", None) != asyncpg.InsufficientPrivilegeError.sqlstate:
            raise
        advice = "; ".join(needed) or statement
        raise SchemaError(
            f"this role lacks a privilege: ask an administrator to run `{advice}` in this database"
        ) from error
