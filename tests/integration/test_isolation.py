"""Postgres itself keeps agents apart, for the application's role and for the owner."""

from __future__ import annotations

from datetime import UTC, datetime

import asyncpg
import pytest

from brain.users import Scope
from cognitive import CognitiveLayer, NewMemory, Turn
from cognitive.errors import InvalidInput, SchemaError
from tests.internals import internals

pytestmark = pytest.mark.promise(number=4)

AT = datetime(2026, 9, 1, 12, tzinfo=UTC)
CANARY = "The canary sings at 05:17 in the boiler room."


@pytest.fixture
async def two(layer, agent):
    other = f"{agent}-other"
    for name in (agent, other):
        await layer.remember(name, [NewMemory(type="fact", content=CANARY, occurred_at=AT)])
    return agent, other


async def tables(connection) -> list[str]:
    rows = await connection.fetch(
        "SELECT tablename FROM pg_tables WHERE schemaname = 'cognitive' AND tablename <> 'alembic_version'"
    )
    return [row["tablename"] for row in rows]


@pytest.mark.parametrize("role", ["app", "owner"])
@pytest.mark.parametrize("tenant", [None, "", "null", "%"])
async def test_no_row_is_visible_without_a_matching_tenant(two, urls, role, tenant):
    connection = await asyncpg.connect(getattr(urls, role))
    try:
        async with connection.transaction():
            if tenant is not None:
                await connection.execute("SELECT set_config('cognitive.agent_id', $1, true)", tenant)
            seen = {
                t: await connection.fetchval(f"SELECT count(*) FROM cognitive.{t}") for t in await tables(connection)
            }
    finally:
        await connection.close()
    assert set(seen.values()) == {0}


async def test_tenant_cannot_read_write_or_move_rows_of_another(two, urls):
    mine, other = two
    connection = await asyncpg.connect(urls.app)
    try:
        async with connection.transaction():
            await connection.execute("SELECT set_config('cognitive.agent_id', $1, true)", mine)
            for table in await tables(connection):
                agents = await connection.fetch(f"SELECT DISTINCT agent_id FROM cognitive.{table}")
                assert {row["agent_id"] for row in agents} <= {mine}, table
            assert await connection.execute("DELETE FROM cognitive.memory WHERE agent_id = $1", other) == "DELETE 0"
            with pytest.raises(asyncpg.InsufficientPrivilegeError):
                async with connection.transaction():
                    await connection.execute(
                        "INSERT INTO cognitive.agent_state (agent_id, language_chosen) VALUES ($1, true)",
                        f"{other}-new",
                    )
            with pytest.raises(asyncpg.InsufficientPrivilegeError):
                async with connection.transaction():
                    await connection.execute("UPDATE cognitive.memory SET agent_id = $1", other)
    finally:
        await connection.close()


async def test_every_table_forces_row_level_security_and_keys_by_agent(urls):
    connection = await asyncpg.connect(urls.admin)
    try:
        rows = await connection.fetch("""
            SELECT c.relname, c.relrowsecurity, c.relforcerowsecurity,
                   (SELECT count(*) FROM pg_policy p
                    WHERE p.polrelid = c.oid AND p.polname <> 'overview') AS policies,
                   EXISTS (SELECT FROM pg_attribute a WHERE a.attrelid = c.oid AND a.attname = 'user_id') AS by_user,
                   (SELECT bool_and(a.attname = 'agent_id') FROM pg_index i
                    JOIN pg_attribute a ON a.attrelid = c.oid AND a.attnum = i.indkey[0]
                    WHERE i.indrelid = c.oid) AS agent_first
            FROM pg_class c JOIN pg_namespace n ON n.oid = c.relnamespace
            WHERE n.nspname = 'cognitive' AND c.relkind = 'r' AND c.relname <> 'alembic_version'""")
        role = await connection.fetchrow("SELECT rolsuper, rolbypassrls FROM pg_roles WHERE rolname = 'cognitive_app'")
        owned = await connection.fetchval(
            "SELECT count(*) FROM pg_class WHERE relowner = (SELECT oid FROM pg_roles WHERE rolname = 'cognitive_app')"
        )
    finally:
        await connection.close()
    assert len(rows) == 25
    for row in rows:
        across = row["relname"] == "rollup"  # one of its indexes serves the overview role
        assert (row["relrowsecurity"], row["relforcerowsecurity"], row["policies"], row["agent_first"]) == (
            True,
            True,
            5 if row["by_user"] else 1,  # one per command, and one for the operator
            not across,
        ), row["relname"]
    assert tuple(role) == (False, False)
    assert owned == 0


async def test_no_function_or_view_runs_with_owner_rights(urls):
    connection = await asyncpg.connect(urls.admin)
    try:
        definers = await connection.fetch(
            "SELECT p.proname FROM pg_proc p JOIN pg_namespace n ON n.oid = p.pronamespace"
            " WHERE n.nspname = 'cognitive' AND p.prosecdef"
        )
        views = await connection.fetch("""
            SELECT c.relname FROM pg_class c JOIN pg_namespace n ON n.oid = c.relnamespace
            WHERE n.nspname = 'cognitive' AND c.relkind IN ('v', 'm')
              AND NOT coalesce(c.reloptions @> ARRAY['security_invoker=true'], false)""")
    finally:
        await connection.close()
    assert definers == views == []


async def test_layer_methods_refuse_ids_of_another_agent(layer, two):
    mine, other = two
    [hit] = await layer.recall(other, CANARY)
    assert await layer.get(mine, [hit.memory_id]) == []
    with pytest.raises(InvalidInput):
        await layer.forget(mine, [hit.memory_id])
    with pytest.raises(InvalidInput):
        await layer.update(mine, hit.memory_id, content="stolen")
    context = await layer.pre_turn(Turn(agent_id=other, session_id="s", text="When does the canary sing?"))
    with pytest.raises(InvalidInput):
        await layer.why(mine, context.turn_id, hit.memory_id)
    with pytest.raises(InvalidInput):
        await layer.rate(mine, context.turn_id, hit.memory_id, useful=True)


async def test_layer_uses_the_application_role_even_as_superuser(urls, agent, embedder):
    async with CognitiveLayer.open(urls.admin, embedder=embedder) as layer:
        await layer.remember(agent, [NewMemory(type="fact", content=CANARY, occurred_at=AT)])
        assert len(await layer.recall(agent, "canary")) == 1
        who = await internals(layer).database.run(Scope(agent), lambda c: c.fetchval("SELECT current_user"))
    assert who == "cognitive_app"


async def test_application_role_with_bypassrls_is_refused(urls, embedder):
    admin = await asyncpg.connect(urls.admin)
    try:
        await admin.execute("ALTER ROLE cognitive_app BYPASSRLS")
        with pytest.raises(SchemaError, match="BYPASSRLS"):
            async with CognitiveLayer.open(urls.app, embedder=embedder):
                pass
    finally:
        await admin.execute("ALTER ROLE cognitive_app NOBYPASSRLS")
        await admin.close()
