"""A connection of its own, beside the pool: for whoever looks at a database as a whole, or tends it."""

from __future__ import annotations

import asyncio
from collections.abc import AsyncIterator
from contextlib import asynccontextmanager

import asyncpg

from brain.errors import SchemaError, StoreUnavailable

_CONNECT_SECONDS = 5.0
_CLOSE_SECONDS = 1.0  # a server that is frozen never says goodbye, and whoever asked it is to be told so soon


@asynccontextmanager
async def connected(
    url: str, purpose: str, *, statement_seconds: float | None = None
) -> AsyncIterator[asyncpg.Connection]:
    """A connection for one task. `purpose` is what cannot be done where Postgres refuses: "scrub this database".

    Raises:
        StoreUnavailable: nothing answers there, or no longer.
        SchemaError: the URL or its role is refused, or what is asked for.
    """
    connection = await _connected(url, statement_seconds)
    try:
        yield connection
    except (OSError, TimeoutError, asyncpg.PostgresConnectionError, asyncpg.InterfaceError) as error:
        raise StoreUnavailable(f"Postgres went away: {_told(error)}") from error
    except asyncpg.PostgresError as error:
        raise SchemaError(f"cannot {purpose}: {error}") from error
    finally:
        await _closed(connection)


async def _connected(url: str, statement_seconds: float | None) -> asyncpg.Connection:
    try:
        return await asyncpg.connect(url, timeout=_CONNECT_SECONDS, command_timeout=statement_seconds)
    except (
        OSError,
        TimeoutError,
        asyncpg.PostgresConnectionError,
        asyncpg.CannotConnectNowError,
        asyncpg.TooManyConnectionsError,
    ) as error:
        raise StoreUnavailable(f"cannot connect to Postgres: {_told(error)}") from error
    except (ValueError, asyncpg.PostgresError, asyncpg.InterfaceError) as error:
        raise SchemaError(f"cannot use this database: {error}") from error


async def _closed(connection: asyncpg.Connection) -> None:
    try:
        async with asyncio.timeout(_CLOSE_SECONDS):
            await connection.close()
    except (TimeoutError, OSError, asyncpg.PostgresError, asyncpg.InterfaceError):
        connection.terminate()


def _told(error: Exception) -> str:
    return str(error) or "no answer"
