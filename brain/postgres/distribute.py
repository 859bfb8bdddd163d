"""Several machines: the statements by which Citus spreads the tables over them, an agent's rows on one.

Every key begins with `agent_id`, every foreign key stays within an agent, and every statement of a turn names one:
all tables are distributed by it and stand together, so that whatever concerns an agent is asked of one machine.
"""

from __future__ import annotations

from collections.abc import Sequence

from brain.errors import SchemaError
from brain.postgres.admin_connection import connected
from brain.postgres.tables import metadata

DISTRIBUTION_COLUMN = "agent_id"
_FIRST = "corpus"  # the others stand where the agent's row in it does
# One statement after the other on each machine: what a table needs is made in the same transaction.
_IN_TURN = "SET LOCAL citus.multi_shard_modify_mode TO 'sequential'"
# Machines of a cluster connect to one another as whoever asks. Citus hands this on, as it does roles and grants.
_LOGINS = """DO $$
DECLARE
    name text;
BEGIN
    FOR name IN SELECT rolname FROM pg_roles WHERE rolname IN ('cognitive_app', 'cognitive_reader', 'cognitive_overview') LOOP
        EXECUTE format('ALTER ROLE %I LOGIN', name);
    END LOOP;
END $$"""  # noqa: E501
# What statements call must be known where they are answered.
_FUNCTIONS = (
    "SELECT create_distributed_function(oid::regprocedure) FROM pg_proc WHERE pronamespace = 'cognitive'::regnamespace"
)


def statements() -> tuple[str, ...]:
    """What is to be run, in order: a table that others refer to comes before them."""
    tables = sorted(metadata.sorted_tables, key=lambda table: table.name != _FIRST)
    return (
        _IN_TURN,
        _LOGINS,
        *(
            f"SELECT create_distributed_table('{table.fullname}', '{DISTRIBUTION_COLUMN}',"
            f" colocate_with => '{_beside(table.name)}')"
            for table in tables
        ),
        _FUNCTIONS,
    )


def _beside(table: str) -> str:
    return "none" if table == _FIRST else f"cognitive.{_FIRST}"


async def distribute(url: str) -> Sequence[str]:
    """Runs them in one transaction, as the owner of the schema, and returns them.

    Raises:
        StoreUnavailable: nothing answers there.
        SchemaError: the server has no Citus, or it refuses.
    """
    async with connected(url, "distribute the tables") as connection:
        if await connection.fetchval("SELECT 1 FROM pg_extension WHERE extname = 'citus'") is None:
            raise SchemaError("this database has no Citus: CREATE EXTENSION citus on every node first")
        async with connection.transaction():
            for statement in statements():
                await connection.execute(statement)
    return statements()
