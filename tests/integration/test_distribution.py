"""`cognitive db distribute` on Postgres with stand-ins for the functions and catalogs of Citus."""

from __future__ import annotations

import uuid

import asyncpg
import pytest

from benchmarks.chaos.sample_data import WordEmbedder
from brain.postgres.distribute import FUNCTIONS_OF_AGENT, TABLES, distribute
from brain.postgres.migrate import upgrade
from cognitive import CognitiveLayer, NewMemory
from cognitive.errors import SchemaError

# As in Citus: a table is distributed once, and rows are copied under the policies of the caller.
CITUS = """
INSERT INTO pg_extension (oid, extname, extowner, extnamespace, extrelocatable, extversion)
SELECT 999999, 'citus', 10, oid, false, '14.0-1' FROM pg_namespace WHERE nspname = 'public';
CREATE TABLE public.pg_dist_partition (logicalrelid regclass PRIMARY KEY);
CREATE TABLE public.registered (function regprocedure, argument text, colocated text);
GRANT SELECT, INSERT ON public.pg_dist_partition, public.registered TO PUBLIC;
CREATE FUNCTION public.create_distributed_table(of regclass, by text, colocate_with text) RETURNS void
LANGUAGE plpgsql AS $$
BEGIN
    IF EXISTS (SELECT FROM public.pg_dist_partition WHERE logicalrelid = of) THEN
        RAISE EXCEPTION 'table % is already distributed', of;
    END IF;
    INSERT INTO public.pg_dist_partition VALUES (of);
END $$;
CREATE FUNCTION public.create_distributed_function(f regprocedure, a text DEFAULT NULL, colocate_with text DEFAULT NULL)
RETURNS void LANGUAGE sql AS $$ INSERT INTO public.registered VALUES (f, a, colocate_with) $$;
"""
WITHOUT_LOGIN = "SELECT rolname FROM pg_roles WHERE rolname LIKE 'cognitive_%' AND NOT rolcanlogin"
DISTRIBUTED = "SELECT logicalrelid::text FROM public.pg_dist_partition"
IN_SCHEMA = "SELECT tablename FROM pg_tables WHERE schemaname = 'cognitive' AND tablename <> 'alembic_version'"
REFERENCES = """
SELECT f.relname, t.relname FROM pg_constraint AS c
JOIN pg_class AS f ON f.oid = c.conrelid JOIN pg_class AS t ON t.oid = c.confrelid
WHERE c.contype = 'f' AND c.connamespace = 'cognitive'::regnamespace
"""
KEYS_WITHOUT_AGENT = """
SELECT i.indexrelid::regclass::text FROM pg_index AS i JOIN pg_class AS t ON t.oid = i.indrelid
WHERE i.indisunique AND t.relnamespace = 'cognitive'::regnamespace AND t.relname <> 'alembic_version' AND NOT EXISTS (
    SELECT FROM pg_attribute AS a
    WHERE a.attrelid = i.indrelid AND a.attname = 'agent_id' AND a.attnum = ANY (i.indkey[0:i.indnkeyatts - 1]))
UNION ALL
SELECT c.conname FROM pg_constraint AS c
WHERE c.contype = 'f' AND c.connamespace = 'cognitive'::regnamespace AND NOT EXISTS (
    SELECT FROM unnest(c.conkey, c.confkey) AS key (own, other)
    JOIN pg_attribute AS a ON a.attrelid = c.conrelid AND a.attnum = own AND a.attname = 'agent_id'
    JOIN pg_attribute AS b ON b.attrelid = c.confrelid AND b.attnum = other AND b.attname = 'agent_id')
"""


@pytest.fixture
async def cluster(urls):
    """Yield a superuser's connection to a new database with the schema, and the URLs of its three logins."""
    name = f"cluster_{uuid.uuid4().hex[:8]}"
    admin = await asyncpg.connect(urls.admin)
    await admin.execute(f"CREATE DATABASE {name} OWNER cognitive_owner")
    of_admin, of_owner, of_app = (url.replace("/cognitive?", f"/{name}?") for url in (urls.admin, urls.owner, urls.app))
    inside = await asyncpg.connect(of_admin)
    await inside.execute("CREATE EXTENSION vector")
    await upgrade(of_owner)
    await inside.execute(CITUS)
    roles = [row[0] for row in await inside.fetch(WITHOUT_LOGIN)]
    for role in roles:  # its owner created the roles of a cluster and may do this; here a superuser created them
        await inside.execute(f"ALTER ROLE {role} LOGIN")
    yield inside, of_admin, of_owner, of_app
    for role in roles:
        await inside.execute(f"ALTER ROLE {role} NOLOGIN")
    await inside.close()
    await admin.execute(f"DROP DATABASE {name} WITH (FORCE)")
    await admin.close()


async def test_all_tables_are_distributed_those_referenced_first(cluster):
    inside, *_ = cluster
    assert {row[0] for row in await inside.fetch(IN_SCHEMA)} == set(TABLES)
    references = await inside.fetch(REFERENCES)
    assert references
    for table, referenced in references:
        assert TABLES.index(referenced) < TABLES.index(table)


async def test_unique_and_foreign_keys_include_the_agent(cluster):
    """Citus enforces unique and foreign keys only within a shard."""
    inside, *_ = cluster
    assert await inside.fetch(KEYS_WITHOUT_AGENT) == []
    await inside.execute("CREATE UNIQUE INDEX wrong ON cognitive.usage (memory_id)")
    assert [row[0] for row in await inside.fetch(KEYS_WITHOUT_AGENT)] == ["cognitive.wrong"]


async def test_second_run_distributes_only_what_is_new(cluster):
    inside, _, owner, _ = cluster
    await distribute(owner)
    assert {row[0] for row in await inside.fetch(DISTRIBUTED)} == {f"cognitive.{table}" for table in TABLES}
    await inside.execute("DELETE FROM public.pg_dist_partition WHERE logicalrelid = 'cognitive.shadow'::regclass")
    run = await distribute(owner)
    assert sum("create_distributed_table" in each for each in run) == 1
    assert len(await inside.fetch(DISTRIBUTED)) == len(TABLES)


async def test_functions_with_tables_are_registered_with_their_agent(cluster):
    inside, _, owner, _ = cluster
    await distribute(owner)
    rows = await inside.fetch("SELECT split_part(function::text, '(', 1) AS name, argument, colocated FROM registered")
    of_agent = {row["name"] for row in rows if (row["argument"], row["colocated"]) == ("$1", "cognitive.agent_state")}
    assert of_agent == {f"cognitive.{name}" for name in FUNCTIONS_OF_AGENT}
    assert {"cognitive.scope", "cognitive.decay"} <= {row["name"] for row in rows if row["argument"] is None}
    assert len({row["name"] for row in rows}) == len(rows)


async def test_rows_need_a_superuser_and_nothing_is_changed_before(cluster):
    inside, admin, owner, app = cluster
    async with CognitiveLayer.open(app, embedder=WordEmbedder()) as layer:
        await layer.remember("ada", [NewMemory(type="fact", content="The kettle leaks.")])
    with pytest.raises(SchemaError, match=r"cognitive\.memory.*hold rows.*as a superuser"):
        await distribute(owner)
    assert await inside.fetch(DISTRIBUTED) == []
    await distribute(admin)
    assert len(await inside.fetch(DISTRIBUTED)) == len(TABLES)


async def test_role_of_another_owner_is_reported_with_the_remedy(cluster):
    inside, _, owner, _ = cluster
    await inside.execute("ALTER ROLE cognitive_operator NOLOGIN")
    with pytest.raises(SchemaError, match=r"permission denied to alter role.*INSERT INTO pg_dist_object"):
        await distribute(owner)
