"""Open single connections beside the pool, for tasks that inspect or maintain a whole database."""

from __future__ import annotations

import asyncio
from collections.abc import AsyncIterator
from contextlib import asynccontextmanager

import asyncpg

from brain.errors import StoreUnavailable
from brain.postgres.refusals import AWAY, plain_url, refused, unreachable

_CONNECT_SECONDS = 5.0
_CLOSE_SECONDS = 1.0  # a frozen server never acknowledges the close; the caller should get its error soon


@asynccontextmanager
async def connected(
    url: str, purpose: str, *, statement_seconds: float | None = None
) -> AsyncIterator[asyncpg.Connection]:
    """Open a connection for one task, yield it, and close it afterwards.

    `purpose` completes the error message "cannot …" when Postgres refuses a statement, for example "rewrite this
    database".

    Raises:
        StoreUnavailable: the server does not answer, or the connection was lost.
        SchemaError: Postgres refused the URL, the role or a statement.
    """
    connection = await _connected(url, statement_seconds)
    try:
        yield connection
    except TimeoutError as error:
        raise StoreUnavailable("no answer from Postgres in time") from error
    except AWAY as error:
        raise StoreUnavailable(f"the connection to Postgres was lost: {error}") from error
    except asyncpg.PostgresError as error:
        raise refused(error, url, f"cannot {purpose}") from error
    finally:
        await _closed(connection)


async def _connected(url: str, statement_seconds: float | None) -> asyncpg.Connection:
    try:
        return await asyncpg.connect(plain_url(url), timeout=_CONNECT_SECONDS, command_timeout=statement_seconds)
    except (
        OSError,
        TimeoutError,
        asyncpg.PostgresConnectionError,
        asyncpg.CannotConnectNowError,
        asyncpg.TooManyConnectionsError,
    ) as error:
        raise unreachable(error, url) from error
    except (ValueError, asyncpg.PostgresError, asyncpg.InterfaceError) as error:
        raise refused(error, url) from error


async def _closed(connection: asyncpg.Connection) -> None:
    try:
        async with asyncio.timeout(_CLOSE_SECONDS):
            await connection.close()
    except (TimeoutError, OSError, asyncpg.PostgresError, asyncpg.InterfaceError):
        connection.terminate()
