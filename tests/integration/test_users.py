"""Postgres keeps the users of an agent apart: for SQL as the application's role, and for the stores."""

from __future__ import annotations

from datetime import UTC, datetime
from uuid import uuid4

import asyncpg
import pytest

from benchmarks.chaos import pooler
from benchmarks.chaos.sample_data import WordEmbedder
from brain import statements
from brain.opening import connections
from brain.postgres.database import Database
from brain.postgres.health import examine
from brain.postgres.transaction import write_as
from brain.settings import Settings
from brain.users import ALL_USERS, SHARED, Scope
from cognitive import CognitiveLayer, NewMemory, Outcome, Policy, Turn
from cognitive.doctor.database import roles as check_roles
from cognitive.errors import SchemaError

pytestmark = pytest.mark.promise(number=4)

AT = datetime(2026, 9, 1, 12, tzinfo=UTC)
# in an order in which foreign keys allow to insert rows; agents have no other tables with what users say
SCOPED = (
    "memory revision passage posting memory_value embedding cell session turn turn_embedding exposure usage usage_base"
    " shadow artifact artifact_chunk subtask erasure corpus"
).split()
OF_AGENTS = {"agent_state", "embedding_model", "rollup", "policy", "policy_version", "policy_activation"}
COUNTERS = {"usage", "usage_base"}  # a user's turn adds to those of shared memories
# a row of another user, with ids of its own: an id names one memory of the agent
COPY = (
    "jsonb_build_object('user_id', $2::text"
    + "".join(f", '{name}', md5($2 || (to_jsonb(t) ->> '{name}'))::uuid" for name in ("id", "memory_id", "artifact_id"))
    + ")"
)
POLICIES = """
SELECT c.relname AS table, p.polname AS name, p.polcmd AS command, pg_get_expr(p.polqual, p.polrelid) AS seen,
       pg_get_expr(p.polwithcheck, p.polrelid) AS written, p.polroles = '{0}' AS of_everyone,
       p.polroles = ARRAY[o.oid] AS of_operator, c.relrowsecurity AND c.relforcerowsecurity AS forced
FROM pg_roles AS o, pg_class AS c LEFT JOIN pg_policy AS p ON p.polrelid = c.oid
WHERE o.rolname = 'cognitive_operator' AND c.relnamespace = 'cognitive'::regnamespace AND c.relkind IN ('r', 'p')
  AND c.relname <> 'alembic_version'
"""
AGENT = "(agent_id = current_setting('cognitive.agent_id'::text, true))"
SEEN = f"({AGENT} AND (user_id = ANY (ARRAY[''::text, current_setting('cognitive.user_id'::text, true)])))"
OWN = f"({AGENT} AND (user_id = COALESCE(current_setting('cognitive.user_id'::text, true), ''::text)))"
OPERATORS = f"((CURRENT_USER = 'cognitive_operator'::name) AND {AGENT})"


def checked(condition: str) -> str:
    """Return the condition of a WITH CHECK, which also refuses an agent without a name."""
    return f"((agent_id <> ''::text) AND {condition.removeprefix('(')}"


def expected(table: str) -> set[tuple]:
    """Return the policies of a table with rows of users: command, USING, WITH CHECK, for everyone or the operator."""
    written = SEEN if table in COUNTERS else OWN
    return {
        (b"r", SEEN, None, True, False),
        (b"a", None, checked(written), True, False),
        (b"w", written, checked(written), True, False),
        (b"d", OWN, None, True, False),
        (b"*", OPERATORS, checked(OPERATORS), False, True),
    }


async def unsafe(connection) -> set[str]:
    """Return what is wrong with the policies of the schema's tables: users' rows unprotected, or writes unchecked."""
    policies: dict[str, list] = {}
    for row in await connection.fetch(POLICIES):
        policies.setdefault(row["table"], []).append(row)
    found = set()
    for table, own in policies.items():
        for each in own:
            if each["name"] is not None and each["command"] in (b"a", b"w", b"*") and each["written"] is None:
                found.add(f"{table}: {each['name']} has no WITH CHECK")
        columns = ("command", "seen", "written", "of_everyone", "of_operator")
        if not own[0]["forced"]:
            found.add(f"{table}: row level security is not forced")
        if table not in OF_AGENTS and {tuple(each[name] for name in columns) for each in own} != expected(table):
            found.add(f"{table}: other policies than those by agent and user")
    return found


@pytest.fixture(scope="module")
async def admin(urls):
    connection = await asyncpg.connect(urls.admin)
    yield connection
    await connection.close()


@pytest.fixture(scope="module")
async def users(urls, admin):
    """Return an agent that `fill` filled, for tests that change none of its rows."""
    return await fill(urls, admin, f"agent-{uuid4().hex[:12]}")


@pytest.fixture
async def own_users(urls, admin, agent):
    """Return an agent that `fill` filled, whose rows the test may change."""
    return await fill(urls, admin, agent)


async def fill(urls, admin, agent: str) -> str:
    """Give an agent rows in every table: shared ones, and a copy of each for the users ann and bob. Return its id."""
    policy = Policy(deadline_ms=20_000, abstention=False)
    async with CognitiveLayer.open(urls.app, policy=policy, embedder=WordEmbedder()) as layer:
        [id] = await layer.remember(
            agent, [NewMemory(type="fact", content="The kettle leaks.", tags=("kitchen",), occurred_at=AT)]
        )
        await layer.update(agent, id, content="The old kettle leaks.")
        context = await layer.pre_turn(Turn(agent_id=agent, session_id="s", text="Which kettle leaks?", now=AT))
        await layer.post_turn(context, Outcome(response="The old kettle leaks."))
    await admin.execute(
        "INSERT INTO cognitive.turn_embedding (agent_id, turn_id, model, at, embedding)"
        f" SELECT agent_id, turn_id, 'other', at, '[1]' FROM cognitive.turn WHERE agent_id = '{agent}';"
        "INSERT INTO cognitive.shadow (agent_id, turn_id, policy, shown, tokens, at)"
        f" SELECT agent_id, turn_id, 'other', '{{}}', 0, at FROM cognitive.turn WHERE agent_id = '{agent}';"
        "INSERT INTO cognitive.artifact (agent_id, id, session_id, kind, name)"
        f" VALUES ('{agent}', gen_random_uuid(), 's', 'log', 'n');"
        "INSERT INTO cognitive.artifact_chunk (agent_id, artifact_id, ordinal, start, line, content)"
        f" SELECT agent_id, id, 0, 0, 1, 'words' FROM cognitive.artifact WHERE agent_id = '{agent}';"
        "INSERT INTO cognitive.subtask (agent_id, id, session_id, title)"
        f" VALUES ('{agent}', gen_random_uuid(), 's', 'Descale');"
        "INSERT INTO cognitive.cell (agent_id, model, field, type, number, centre)"
        f" VALUES ('{agent}', 'm', 'content', 'fact', 0, '[1]');"
        f"INSERT INTO cognitive.erasure (agent_id, what) VALUES ('{agent}', 'retention')"
    )
    for user in ("ann", "bob"):
        for table in SCOPED:
            copied = await admin.execute(
                f"INSERT INTO cognitive.{table} SELECT (jsonb_populate_record(t, {COPY})).*"
                f" FROM cognitive.{table} AS t WHERE agent_id = $1 AND user_id = ''",
                agent,
                user,
            )
            assert copied != "INSERT 0 0", table
    return agent


async def view(connection, agent: str, user: str | None) -> None:
    await connection.execute("SELECT set_config('cognitive.agent_id', $1, true)", agent)
    if user is not None:
        await connection.execute("SELECT set_config('cognitive.user_id', $1, true)", user)


async def seen(connection) -> dict[str, set[str]]:
    return {
        table: {row[0] for row in await connection.fetch(f"SELECT DISTINCT user_id FROM cognitive.{table}")}
        for table in SCOPED
    }


def everywhere(*users: str) -> dict[str, set[str]]:
    return {table: set(users) for table in SCOPED}


async def test_every_table_with_words_is_protected_by_user(admin):
    assert await unsafe(admin) == set()
    columns = await admin.fetch(
        "SELECT table_name FROM information_schema.columns WHERE table_schema = 'cognitive' AND column_name = 'user_id'"
    )
    assert {row["table_name"] for row in columns} == set(SCOPED)


@pytest.mark.parametrize(
    ("change", "complaint"),
    [
        ("CREATE TABLE cognitive.note (agent_id text, said text)", "note: other policies than those by agent and user"),
        (
            "CREATE TABLE cognitive.note (agent_id text, said text); CREATE POLICY tenant ON cognitive.note"
            " USING (agent_id = current_setting('cognitive.agent_id', true))",
            "note: tenant has no WITH CHECK",
        ),
        (
            "DROP POLICY change ON cognitive.turn; CREATE POLICY change ON cognitive.turn FOR UPDATE USING"
            " (agent_id = current_setting('cognitive.agent_id') AND user_id = current_setting('cognitive.user_id'))",
            "turn: change has no WITH CHECK",
        ),
        (
            "CREATE POLICY more ON cognitive.turn FOR SELECT TO cognitive_app USING (true)",
            "turn: other policies than those by agent and user",
        ),
        (
            "DROP POLICY see ON cognitive.memory; CREATE POLICY see ON cognitive.memory FOR SELECT USING (agent_id ="
            " current_setting('cognitive.agent_id', true) AND user_id <> current_setting('cognitive.user_id', true))",
            "memory: other policies than those by agent and user",
        ),
        ("ALTER TABLE cognitive.memory NO FORCE ROW LEVEL SECURITY", "memory: row level security is not forced"),
        ("DROP POLICY see ON cognitive.session", "session: other policies than those by agent and user"),
    ],
)
async def test_missing_policy_is_noticed(admin, change, complaint):
    transaction = admin.transaction()
    await transaction.start()
    try:
        await admin.execute(change)
        assert complaint in await unsafe(admin)
    finally:
        await transaction.rollback()


@pytest.mark.parametrize("user", [None, "", "ann", "eve", "%", "null"])
@pytest.mark.parametrize("role", ["app", "owner"])
async def test_view_sees_shared_rows_and_those_of_its_user(users, urls, role, user):
    connection = await asyncpg.connect(getattr(urls, role))
    try:
        async with connection.transaction():
            await view(connection, users, user)
            assert await seen(connection) == everywhere(SHARED, *(("ann",) if user == "ann" else ()))
    finally:
        await connection.close()


async def test_operator_sees_all_users_of_one_agent(users, urls):
    connection = await asyncpg.connect(urls.app)
    try:
        async with connection.transaction():
            await connection.execute("SET LOCAL ROLE cognitive_operator")
            assert not any((await seen(connection)).values())
            await view(connection, users, None)
            assert await seen(connection) == everywhere("", "ann", "bob")
            agents = [await connection.fetch(f"SELECT DISTINCT agent_id FROM cognitive.{table}") for table in SCOPED]
            assert {row[0] for rows in agents for row in rows} == {users}
    finally:
        await connection.close()


@pytest.mark.parametrize("table", SCOPED)
@pytest.mark.parametrize("user", ["", "ann"])
async def test_view_writes_only_its_own_rows(users, urls, user, table):
    others = {"", "ann", "bob"} - {user}
    connection = await asyncpg.connect(urls.app)
    try:
        transaction = connection.transaction()
        await transaction.start()
        try:
            await view(connection, users, user)
            for other in others:
                where = f"FROM cognitive.{table} WHERE user_id = '{other}'"
                assert await connection.execute(f"DELETE {where}") == "DELETE 0"
                if table not in COUNTERS:
                    update = f"UPDATE cognitive.{table} SET user_id = '{user}' WHERE user_id = '{other}'"
                    assert await connection.execute(update) == "UPDATE 0"
            for other in [*others, "eve"]:
                copied = f'(jsonb_populate_record(t, \'{{"user_id": "{other}"}}\')).* FROM cognitive.{table} AS t'
                refused = [f"UPDATE cognitive.{table} SET user_id = '{other}' WHERE user_id = '{user}'"]
                if table not in COUNTERS or other != SHARED:
                    refused.append(f"INSERT INTO cognitive.{table} SELECT {copied} WHERE user_id = '{user}'")
                for statement in refused:
                    with pytest.raises(asyncpg.InsufficientPrivilegeError):
                        async with connection.transaction():
                            await connection.execute(statement)
            assert await connection.execute(f"DELETE FROM cognitive.{table} WHERE user_id = '{user}'") != "DELETE 0"
        finally:
            await transaction.rollback()
    finally:
        await connection.close()


@pytest.fixture
async def database(urls):
    database = connections(urls.app, Settings(pool_size=2))
    yield database
    await database.close()


async def test_outcome_of_a_user_adds_to_the_counters_of_shared_memories(own_users, database, admin):
    turn, id = await admin.fetchrow(
        "UPDATE cognitive.exposure SET memory_id = m.id FROM cognitive.memory AS m WHERE m.agent_id = $1"
        " AND m.user_id = '' AND exposure.agent_id = $1 AND exposure.user_id = 'ann' RETURNING turn_id, memory_id",
        own_users,
    )
    await admin.execute("UPDATE cognitive.turn SET status = 'open' WHERE agent_id = $1 AND user_id = 'ann'", own_users)
    close = statements.load("turns").close_turn(
        agent_id=own_users,
        turn_id=turn,
        status="completed",
        tools=[],
        response=None,
        at=AT,
        memory_ids=[id],
        overlaps=[1.0],
        used=[True],
        ratings=[None],
        rating_weight=3.0,
        half_life_seconds=1e6,
        decoy_types=["fact"],
        decoys_credited=[True],
    )
    before = dict(await admin.fetch("SELECT user_id, times_used FROM cognitive.usage WHERE agent_id = $1", own_users))
    assert await database.run(Scope(own_users, "ann"), lambda c: c.fetchval(*close)) is True
    after = dict(await admin.fetch("SELECT user_id, times_used FROM cognitive.usage WHERE agent_id = $1", own_users))
    assert after == {**before, "": before[""] + 1}
    assert await database.run(Scope(own_users, "eve"), lambda c: c.fetchval(*close)) is False


async def test_operator_writes_the_rows_of_the_user_it_names(own_users, database):
    async def erase(c):
        await write_as(c, "bob")
        deleted = "DELETE FROM cognitive.memory WHERE user_id = cognitive.scope()"
        return await c.execute(deleted), await c.fetch("SELECT user_id FROM cognitive.memory ORDER BY user_id")

    deleted, left = await database.run(Scope(own_users, ALL_USERS), erase)
    assert (deleted, [row["user_id"] for row in left]) == ("DELETE 1", ["", "ann"])
    assert await database.run(Scope(own_users), lambda c: c.fetchval("SELECT current_user")) == "cognitive_app"


async def test_missing_operator_role_is_explained(users, database, admin, urls):
    await admin.execute("REVOKE cognitive_operator FROM cognitive_app")
    try:
        with pytest.raises(SchemaError, match="GRANT cognitive_operator TO cognitive_app WITH INHERIT FALSE, SET TRUE"):
            await database.run(Scope(users, ALL_USERS), lambda c: c.fetchval("SELECT 1"))
        assert await database.run(Scope(users, "ann"), lambda c: c.fetchval("SELECT 1")) == 1
        status, detail, fix = check_roles(await examine(urls.app))
        assert (status, "cognitive_operator" in detail, "GRANT" in fix) == ("failure", True, True)
    finally:
        await admin.execute("GRANT cognitive_operator TO cognitive_app WITH INHERIT FALSE, SET TRUE")
    assert check_roles(await examine(urls.app))[0] == "ok"


@pytest.mark.skipif(pooler.installed() is None, reason="PgBouncer is not installed")
@pytest.mark.parametrize("login", ["app", "admin"])
async def test_users_stay_apart_through_a_transaction_pooler(users, urls, login):
    async with pooler.pooled(getattr(urls, login)) as url:
        database = Database(url, pool_size=3, pooled=True, prepares=False)
        try:
            views = [(user, {"", user} & {"", "ann", "bob"}) for user in ("ann", "", "bob", "eve")]
            for view_of, expected in [*views, (ALL_USERS, {"", "ann", "bob"})] * 3:
                assert await database.run(Scope(users, view_of), seen) == everywhere(*expected)
            async with database._pool.acquire() as connection:
                left = "SELECT current_user = session_user, coalesce(current_setting('cognitive.user_id', true), '')"
                assert tuple(await connection.fetchrow(left)) == (True, "")
        finally:
            await database.close()
