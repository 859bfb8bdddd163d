"""Distribute the tables over the machines of a Citus cluster, with all rows of an agent on one machine.

All tables are distributed by `agent_id` and colocated, so that one machine answers every statement of a turn. This is
possible because every key begins with `agent_id`, every foreign key stays within an agent, and every statement of a
turn names one agent.
"""

from __future__ import annotations

from collections.abc import Sequence

from brain.errors import SchemaError
from brain.postgres.admin_connection import connected
from brain.postgres.tables import metadata

DISTRIBUTION_COLUMN = "agent_id"
_FIRST = "agent_state"  # the other tables are colocated with this one
# Sequential, because the transaction creates tables that its later statements refer to.
_SEQUENTIAL = "SET LOCAL citus.multi_shard_modify_mode TO 'sequential'"
# The machines of a cluster connect to each other as the calling role. Citus propagates ALTER ROLE to all of them.
_LOGINS = """DO $$
DECLARE
    name text;
BEGIN
    FOR name IN SELECT rolname FROM pg_roles WHERE rolname IN ('cognitive_app', 'cognitive_operator', 'cognitive_reader', 'cognitive_overview') LOOP
        EXECUTE format('ALTER ROLE %I LOGIN', name);
    END LOOP;
END $$"""  # noqa: E501
# Functions that statements call must exist on the machines that run the statements.
_FUNCTIONS = (
    "SELECT create_distributed_function(oid::regprocedure) FROM pg_proc WHERE pronamespace = 'cognitive'::regnamespace"
)


def statements() -> tuple[str, ...]:
    """Return the SQL statements that distribute all tables, each table before the tables that refer to it."""
    tables = sorted(metadata.sorted_tables, key=lambda table: table.name != _FIRST)
    return (
        _SEQUENTIAL,
        _LOGINS,
        *(
            f"SELECT create_distributed_table('{table.fullname}', '{DISTRIBUTION_COLUMN}',"
            f" colocate_with => '{_colocation(table.name)}')"
            for table in tables
        ),
        _FUNCTIONS,
    )


def _colocation(table: str) -> str:
    return "none" if table == _FIRST else f"cognitive.{_FIRST}"


async def distribute(url: str) -> Sequence[str]:
    """Run `statements()` in one transaction, as the owner of the schema, and return them.

    Raises:
        StoreUnavailable: the server does not answer.
        SchemaError: the server has no Citus, or refuses a statement.
    """
    async with connected(url, "distribute the tables") as connection:
        if await connection.fetchval("SELECT 1 FROM pg_extension WHERE extname = 'citus'") is None:
            raise SchemaError("this database has no Citus: CREATE EXTENSION citus on every node first")
        async with connection.transaction():
            for statement in statements():
                await connection.execute(statement)
    return statements()
