"""Distribute the tables over the machines of a Citus cluster, with all rows of an agent on one machine.

All tables are distributed by `agent_id` and colocated, so that one machine answers every statement of a turn. This is
possible because every key begins with `agent_id`, every foreign key stays within an agent, and every statement of a
turn names one agent. Functions that read or write tables are registered with the agent as their first argument.
"""

from __future__ import annotations

from collections.abc import Collection, Sequence

import asyncpg

from brain.errors import SchemaError
from brain.postgres.admin_connection import connected

DISTRIBUTION_COLUMN = "agent_id"
# The functions of the schema that read or write tables; the agent is the first argument of each.
FUNCTIONS_OF_AGENT = ("add_to_counts", "close_turn", "most_common_model", "open_turn", "rate_memory", "users_of")
# All tables, each before those that refer to it. The others are colocated with the first one.
TABLES = (
    "agent_state artifact artifact_chunk cell corpus embedding_model erasure exposure memory embedding memory_value"
    " passage policy policy_version policy_activation posting revision rollup session shadow subtask turn"
    " turn_embedding usage usage_base"
).split()
_FIRST = f"cognitive.{TABLES[0]}"
# Sequential, because the transaction creates tables that its later statements refer to.
_SEQUENTIAL = "SET LOCAL citus.multi_shard_modify_mode TO 'sequential'"
# The machines of a cluster connect to each other as the calling role. Citus propagates ALTER ROLE to all of them.
_LOGINS = """DO $$
DECLARE
    name text;
BEGIN
    FOR name IN SELECT rolname FROM pg_roles WHERE NOT rolcanlogin AND rolname IN ('cognitive_app', 'cognitive_operator', 'cognitive_reader', 'cognitive_overview') LOOP
        EXECUTE format('ALTER ROLE %I LOGIN', name);
    END LOOP;
END $$"""  # noqa: E501
# Functions that statements call must exist on the machines that run the statements.
_FUNCTIONS = (
    "SELECT create_distributed_function(oid::regprocedure) FROM pg_proc"
    " WHERE pronamespace = 'cognitive'::regnamespace AND proname <> ALL ('{{{names}}}')"
)
_FUNCTIONS_OF_AGENT = (
    "SELECT create_distributed_function(oid::regprocedure, '$1', colocate_with => '{first}') FROM pg_proc"
    " WHERE pronamespace = 'cognitive'::regnamespace AND proname = ANY ('{{{names}}}')"
)
_DISTRIBUTED = "SELECT logicalrelid::regclass::text FROM pg_dist_partition"
# Row level security binds the owner, who cannot count the rows. A table without pages has none.
_WITH_ROWS = """
SELECT oid::regclass::text FROM pg_class
WHERE relnamespace = 'cognitive'::regnamespace AND relkind = 'r' AND pg_relation_size(oid) > 0 ORDER BY 1
"""
_IS_SUPERUSER = "SELECT rolsuper FROM pg_roles WHERE rolname = current_user"


def statements(distributed: Collection[str] = ()) -> tuple[str, ...]:
    """Return the SQL statements that distribute all tables except `distributed`, which are named with their schema."""
    names = ",".join(FUNCTIONS_OF_AGENT)
    return (
        _SEQUENTIAL,
        _LOGINS,
        *(
            f"SELECT create_distributed_table('{table}', '{DISTRIBUTION_COLUMN}',"
            f" colocate_with => '{_FIRST if table != _FIRST else 'none'}')"
            for table in (f"cognitive.{name}" for name in TABLES)
            if table not in distributed
        ),
        _FUNCTIONS.format(names=names),
        _FUNCTIONS_OF_AGENT.format(names=names, first=_FIRST),
    )


async def distribute(url: str) -> Sequence[str]:
    """Distribute what is not distributed yet, in one transaction, and return the statements that were run.

    Run it as the owner of the schema, and again after an upgrade.

    Raises:
        StoreUnavailable: the server does not answer.
        SchemaError: the server has no Citus or refuses a statement, or tables hold rows and the role is no superuser.
    """
    async with connected(url, "distribute the tables") as connection:
        if await connection.fetchval("SELECT 1 FROM pg_extension WHERE extname = 'citus'") is None:
            raise SchemaError("this database has no Citus: CREATE EXTENSION citus on every node first")
        async with connection.transaction():
            run = statements({row[0] for row in await connection.fetch(_DISTRIBUTED)})
            await _check_rows(connection, run)
            for statement in run:
                await connection.execute(statement)
    return run


async def _check_rows(connection: asyncpg.Connection, run: Sequence[str]) -> None:
    """Raise SchemaError if a table to be distributed may hold rows, which only a superuser may copy."""
    if await connection.fetchval(_IS_SUPERUSER):
        return
    filled = [row[0] for row in await connection.fetch(_WITH_ROWS)]
    filled = [table for table in filled if any(f"create_distributed_table('{table}'" in each for each in run)]
    if filled:
        raise SchemaError(
            f"the tables {', '.join(filled)} hold rows, or held some, and row level security lets only a superuser copy"
            " them to other machines",
            remedy="run `cognitive db distribute --run --url …` as a superuser; the tables stay their owner's",
        )
