"""What asyncpg raises, by what it means for work: the server went away, somebody came first, or the setup is wrong."""

from __future__ import annotations

import asyncpg

# The server went away, or made us wait and gave up: the same idempotent work may succeed on a new connection.
LOST = (
    OSError,
    asyncpg.PostgresConnectionError,
    asyncpg.InterfaceError,
    asyncpg.InternalClientError,
    asyncpg.CannotConnectNowError,
    asyncpg.AdminShutdownError,
    asyncpg.CrashShutdownError,
    asyncpg.TooManyConnectionsError,
)
# Another transaction came first, or a migration changed what a statement was planned for.
CONTENDED = (
    asyncpg.SerializationError,
    asyncpg.DeadlockDetectedError,
    asyncpg.InvalidCachedStatementError,
    asyncpg.OutdatedSchemaCacheError,
)
# Nothing answers otherwise until somebody mends the address, the login or the database.
MISCONFIGURED = (
    asyncpg.InvalidAuthorizationSpecificationError,
    asyncpg.InvalidCatalogNameError,
    asyncpg.InvalidParameterValueError,
    asyncpg.InsufficientPrivilegeError,
)
