"""What a connection is checked for, once, before it is used: server, extension, schema, role; and what it is taught."""

from __future__ import annotations

import json

from brain.errors import SchemaError
from brain.postgres.halfvec import decode_halfvec
from brain.postgres.schema import LEAST_PGVECTOR, LEAST_POSTGRES, pgvector_too_old, refusal
from brain.postgres.transaction import Connection

_STATE = """
SELECT current_setting('server_version_num')::int / 10000 AS postgres,
       (SELECT extversion FROM pg_extension WHERE extname = 'vector') AS pgvector,
       (SELECT n.nspname FROM pg_type t JOIN pg_namespace n ON n.oid = t.typnamespace WHERE t.typname = 'halfvec') AS types,
       to_regclass('cognitive.alembic_version') IS NOT NULL AS migrated,
       (SELECT rolsuper OR rolbypassrls FROM pg_roles WHERE rolname = current_user) AS above_policies,
       current_user AS role
"""  # noqa: E501
# As JSON, in which a column that is not there yet is missing and no error.
_VERSION = "SELECT version_num, to_jsonb(v) ->> 'oldest' AS oldest FROM cognitive.alembic_version AS v"


async def prepare(connection: Connection, role: str | None) -> None:
    """Checks the database once per connection and teaches it our types, in one transaction: a pooler may hand on the
    connection after it, so that `role` is taken on within.

    Raises:
        SchemaError: something is missing; the message says what and what to do.
    """
    async with connection.transaction():
        if role is not None:
            await connection.execute(f"SET LOCAL ROLE {role}")
        await _checked(connection)


async def _checked(connection: Connection) -> None:
    state = await connection.fetchrow(_STATE)
    if state["postgres"] < LEAST_POSTGRES:
        raise SchemaError(f"Postgres {state['postgres']} is too old: {LEAST_POSTGRES} or newer is needed")
    if state["pgvector"] is None or pgvector_too_old(state["pgvector"]):
        found = state["pgvector"] or "none"
        raise SchemaError(
            f"the extension pgvector {LEAST_PGVECTOR} or newer is needed in this database (found: {found}). Install it"
            " on the server and run `cognitive db upgrade` as a role that may create extensions"
        )
    version = await connection.fetchrow(_VERSION) if state["migrated"] else None
    if version is None:
        raise SchemaError("this database has no cognitive schema yet: run `cognitive db upgrade`")
    if (refused := refusal(version["version_num"], version["oldest"])) is not None:
        raise SchemaError(refused)
    if state["above_policies"]:
        raise SchemaError(
            f"the role {state['role']} must be neither superuser nor BYPASSRLS: row level security would not bind it"
        )
    await connection.set_type_codec(
        "halfvec", schema=state["types"], encoder=bytes, decoder=decode_halfvec, format="binary"
    )
    await connection.set_type_codec("jsonb", schema="pg_catalog", encoder=json.dumps, decoder=json.loads)
