"""A pool's first connections: made within a bound, and told in our words what keeps them from being made."""

from __future__ import annotations

import asyncpg

from brain.deadline import Deadline
from brain.errors import SchemaError, StoreUnavailable
from brain.postgres.failures import LOST, MISCONFIGURED
from brain.postgres.transaction import Connection

_OPEN_SECONDS = 10.0  # for the first connections with their checks, which a server may leave without an answer


async def fill(pool: asyncpg.Pool) -> None:
    """Makes the pool's first connections. If they cannot be used, none of them is left open.

    Raises:
        SchemaError: the address, the login or the database is not usable; the message says why.
        StoreUnavailable: nothing answers there (yet).
    """
    try:
        await Deadline(_OPEN_SECONDS * 1000).within(_made(pool))
    except asyncpg.ClientConfigurationError as error:
        raise SchemaError(f"not a usable database URL: {error}") from error
    except MISCONFIGURED as error:
        raise SchemaError(f"cannot use this database: {error}. Has `cognitive db upgrade` been run on it?") from error
    except (*LOST, TimeoutError) as error:
        if "startup parameter" in str(error):  # only a pooler says this of the role
            raise SchemaError(f"this is a pooler: set COGNITIVE_POOLER=transaction ({error})") from error
        raise StoreUnavailable(f"cannot connect to Postgres: {error or 'no answer'}") from error
    except (ValueError, asyncpg.PostgresError) as error:
        raise SchemaError(f"cannot use this database: {error}") from error


async def _made(pool: asyncpg.Pool) -> None:
    try:
        await pool
    except BaseException:
        pool.terminate()
        raise


async def no_reset(connection: Connection) -> None:
    """In place of asyncpg's reset, which costs a round trip: all our settings are local to their transaction."""
