"""The reader and overview roles: each reads exactly its rows, and only after `SET ROLE`."""

from __future__ import annotations

from datetime import UTC, datetime

import asyncpg
import pytest

from brain.errors import SchemaError
from brain.postgres import roles
from cognitive import CognitiveLayer, NewMemory, Outcome, Policy, Turn

AT = datetime(2026, 9, 1, 12, tzinfo=UTC)
TABLES = "SELECT tablename FROM pg_tables WHERE schemaname = 'cognitive' AND tablename <> 'alembic_version'"


@pytest.fixture
async def agents(urls, embedder, agent):
    """Create two agents with a turn each, and grant the roles to the application's login."""
    await roles.create(urls.admin, ["cognitive_app"])
    names = (agent, f"{agent}-other")
    async with CognitiveLayer.open(urls.app, policy=Policy(deadline_ms=20_000), embedder=embedder) as layer:
        for name in names:
            await layer.remember(name, [NewMemory(type="fact", content="The pump was sealed.", occurred_at=AT)])
            context = await layer.pre_turn(Turn(agent_id=name, session_id="s", text="Was the pump sealed?", now=AT))
            await layer.post_turn(context, Outcome(response="Sealed."))
    yield names
    admin = await asyncpg.connect(urls.admin)
    await admin.execute("REVOKE cognitive_reader, cognitive_overview FROM cognitive_app")
    await admin.execute("DROP POLICY overview ON cognitive.rollup")
    await admin.execute("DROP POLICY IF EXISTS overview ON cognitive.agent_state")
    await admin.close()


@pytest.fixture
async def become(urls):
    """Return a function that connects as the application and sets a role for one agent."""
    open_ones = []

    async def become(role: str, tenant: str) -> asyncpg.Connection:
        connection = await asyncpg.connect(urls.app)
        open_ones.append(connection)
        await connection.execute(f"SET ROLE {role}")
        await connection.execute("SELECT set_config('cognitive.agent_id', $1, false)", tenant)
        return connection

    yield become
    for connection in open_ones:
        await connection.close()


async def seen(connection, table: str) -> set[str]:
    return {row["agent_id"] for row in await connection.fetch(f"SELECT DISTINCT agent_id FROM cognitive.{table}")}


async def test_reader_role_reads_one_agent_and_writes_nothing(agents, become):
    mine, _ = agents
    reader = await become(roles.READER, mine)
    tables = [row["tablename"] for row in await reader.fetch(TABLES)]
    assert all([await seen(reader, table) <= {mine} for table in tables])
    assert await seen(reader, "memory") == await seen(reader, "turn") == await seen(reader, "rollup") == {mine}
    for table in tables:
        with pytest.raises(asyncpg.InsufficientPrivilegeError):
            await reader.execute(f"DELETE FROM cognitive.{table}")
    await reader.execute("SELECT set_config('cognitive.agent_id', '', false)")
    assert await seen(reader, "memory") == set()


async def test_overview_role_reads_only_the_counts_of_all_agents(agents, become):
    overview = await become(roles.OVERVIEW, agents[0])
    assert set(agents) <= await seen(overview, "rollup")
    for table in [row["tablename"] for row in await overview.fetch(TABLES)]:
        if table != "rollup":
            with pytest.raises(asyncpg.InsufficientPrivilegeError):
                await overview.fetch(f"SELECT * FROM cognitive.{table}")  # of agent_state it may read the names
    with pytest.raises(asyncpg.InsufficientPrivilegeError):
        await overview.execute("DELETE FROM cognitive.rollup")


async def test_granted_login_has_no_rights_before_set_role(agents, become):
    mine, _ = agents
    application = await become("cognitive_app", mine)
    assert await seen(application, "rollup") == {mine}


async def test_login_can_only_set_a_granted_role(urls, agents, become):
    admin = await asyncpg.connect(urls.admin)
    await admin.execute("REVOKE cognitive_reader, cognitive_overview FROM cognitive_app")
    await admin.close()
    assert await roles.create(urls.admin, ["cognitive_app"], overview=False) == (roles.READER,)
    await become(roles.READER, agents[0])
    with pytest.raises(asyncpg.InsufficientPrivilegeError):
        await become(roles.OVERVIEW, agents[0])


async def test_role_creation_without_privilege_is_refused(urls):
    with pytest.raises(SchemaError, match="cannot create the roles"):
        await roles.create(urls.app)
