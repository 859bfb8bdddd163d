"""The operator's role sees the rows of all users only for the calls that set it."""

from __future__ import annotations

from contextlib import suppress
from datetime import UTC, datetime
from uuid import UUID

import asyncpg
import pytest
from test_user_stores import found, store

from brain import agent_rows, memory_rows
from brain.artifacts import Artifacts, NewArtifact
from brain.postgres import roles
from brain.postgres.database import Database
from brain.postgres.health import examine
from brain.postgres.migrate import upgrade
from brain.postgres.transaction import write_as
from brain.sessions import Sessions
from brain.statements import load
from brain.subtasks import Subtasks
from brain.users import ALL_USERS, SHARED, Scope
from cognitive import NewMemory
from cognitive.doctor.database import roles as check_roles
from cognitive.errors import InvalidInput, SchemaError, StoreError

pytestmark = pytest.mark.promise(number=4)

AT = datetime(2026, 9, 1, 12, tzinfo=UTC)
SQL = load("store")


@pytest.fixture
async def admin(urls):
    connection = await asyncpg.connect(urls.admin)
    yield connection
    await connection.close()


@pytest.fixture
async def database(urls):
    database = Database(urls.app, pool_size=2)
    yield database
    await database.close()


@pytest.fixture
async def kettles(database, agent):
    """Return an agent with a memory that is shared, one of ann's and one of bob's."""
    for user in (SHARED, "ann", "bob"):
        memories = [
            NewMemory(
                type="fact", content=f"The kettle of {user or 'everyone'} leaks.", occurred_at=AT, user_id=user or None
            )
        ]
        await store(database).remember(agent, memories, now=AT)
    return agent


@pytest.fixture
async def inheriting(admin):
    """Grant the operator's role to the application's as a plain GRANT does, which inherits."""
    await admin.execute("GRANT cognitive_operator TO cognitive_app WITH INHERIT TRUE")
    yield
    await admin.execute("GRANT cognitive_operator TO cognitive_app WITH INHERIT FALSE")


async def test_inherited_role_shows_no_other_users_rows(kettles, urls, inheriting):
    connection = await asyncpg.connect(urls.app)
    try:
        async with connection.transaction():
            await connection.execute("SELECT set_config('cognitive.agent_id', $1, true)", kettles)
            await connection.execute("SELECT set_config('cognitive.user_id', 'ann', true)")
            rows = await connection.fetch("SELECT DISTINCT user_id FROM cognitive.memory")
            assert {row["user_id"] for row in rows} == {"", "ann"}
            assert await connection.execute("DELETE FROM cognitive.memory WHERE user_id <> 'ann'") == "DELETE 0"
    finally:
        await connection.close()


async def test_inherited_role_is_refused_and_reported(urls, inheriting):
    database = Database(urls.app, pool_size=1)
    with pytest.raises(SchemaError, match="inherits from cognitive_operator"):
        await database.open()
    await database.close()
    status, detail, fix = check_roles(await examine(urls.app))
    assert (status, "inherits" in detail, "WITH INHERIT FALSE" in fix) == ("failure", True, True)


async def test_missing_grant_is_named_and_repaired(urls, admin):
    await admin.execute("REVOKE cognitive_operator FROM cognitive_app")
    try:
        with pytest.raises(SchemaError, match="`GRANT cognitive_operator TO cognitive_app WITH INHERIT FALSE"):
            await upgrade(urls.owner)
    finally:
        await roles.create_operator(urls.admin)
    assert await admin.fetchval("SELECT pg_has_role('cognitive_app', 'cognitive_operator', 'SET')")
    await upgrade(urls.owner)


async def test_only_the_operators_transaction_changes_its_user(database, kettles):
    async def work(c):
        await write_as(c, "bob")
        return {row["user_id"] for row in await c.fetch("SELECT user_id FROM cognitive.memory")}

    for view in (SHARED, "ann"):
        with pytest.raises(StoreError, match="only a transaction of the role cognitive_operator"):
            await database.run(Scope(kettles, view), work)
    assert await database.run(Scope(kettles, ALL_USERS), work) == {"", "ann", "bob"}


async def test_operators_view_lists_and_finds_the_rows_of_all_users(database, kettles, admin):
    assert len(await found(database, kettles, ALL_USERS, "Which kettle leaks?")) == 3
    for user in ("ann", "bob", "cyn"):  # cyn has a turn and no memory
        await admin.execute(
            "INSERT INTO cognitive.turn (agent_id, user_id, turn_id, session_id, at, message, policy, frame,"
            " trace, status, query, model)"
            " VALUES ($1, $2, 'of ' || $2, 's', $3, 'Hi', '', '', '{}', 'completed', '[1]', 'm')",
            kettles,
            user,
            AT,
        )
    reembedding = load("reembedding").next_turns(agent_id=kettles, model="other", latest=9, limit=9)
    for view, users in ((ALL_USERS, {"ann", "bob", "cyn"}), ("ann", {"ann"}), (SHARED, set())):
        rows = await database.run(Scope(kettles, view), lambda c: c.fetch(*reembedding))
        assert {row["turn_id"] for row in rows} == {f"of {user}" for user in users}


async def test_one_id_names_one_memory_of_an_agent(kettles, admin):
    with pytest.raises(asyncpg.UniqueViolationError):
        await admin.execute(
            'INSERT INTO cognitive.memory SELECT (jsonb_populate_record(m, \'{"user_id": "eve"}\')).*'
            " FROM cognitive.memory AS m WHERE agent_id = $1 AND user_id = 'ann'",
            kettles,
        )


async def records(c, agent: str) -> None:
    await memory_rows.share_agent(c, agent)


async def stores(c, agent: str) -> None:
    await Within(c).run(Scope(agent), lambda c: agent_rows.locked(c, agent), first=agent_rows.sharing(agent))


class Within:
    """A database whose work runs in the transaction of a connection."""

    def __init__(self, connection) -> None:
        self._connection = connection

    async def run(self, scope, work, *, first=(), **options):
        for statement in first:
            await self._connection.execute(*statement)
        return await work(self._connection)


async def begins_a_subtask(c, agent: str) -> None:
    await Subtasks(Within(c)).begin(Scope(agent, "ann"), "s", "Repair the kettle", (), id=UUID(int=1))


async def finishes_a_subtask(c, agent: str) -> None:
    with suppress(InvalidInput):  # it is unknown
        await Subtasks(Within(c)).finish(Scope(agent, "ann"), UUID(int=1), "completed", "The kettle is whole.")


async def plans(c, agent: str) -> None:
    await Sessions(Within(c)).plan(Scope(agent, "ann"), "s", ["Repair the kettle"], AT)


async def erases(c, agent: str) -> None:
    await c.execute(*SQL.own_rows(agent_id=agent))


async def waits(urls, agent: str, first: tuple, second: tuple) -> bool:
    """Return whether a call in one view waits for the lock that another took in its view."""
    connections = [await asyncpg.connect(urls.app) for _ in "12"]
    try:
        for connection, (user, call) in zip(connections, (first, second), strict=True):
            await connection.execute("BEGIN; SET LOCAL lock_timeout = '20ms'")
            await connection.execute("SELECT set_config('cognitive.agent_id', $1, true)", agent)
            await connection.execute("SELECT set_config('cognitive.user_id', $1, true)", user)
            await call(connection, agent)
    except asyncpg.LockNotAvailableError:
        return True
    finally:
        for connection in connections:
            await connection.close()
    return False


@pytest.mark.parametrize("writes", [begins_a_subtask, finishes_a_subtask, plans])
async def test_plan_or_subtask_is_not_written_during_an_erasure(urls, agent, writes):
    assert await waits(urls, agent, ("ann", writes), ("ann", erases))
    assert await waits(urls, agent, ("ann", erases), ("ann", writes))


@pytest.mark.parametrize("writes", [records, stores])
async def test_erasure_waits_for_writers_of_the_same_user_only(urls, agent, writes):
    assert await waits(urls, agent, ("ann", writes), ("ann", erases))
    assert await waits(urls, agent, ("ann", erases), ("ann", writes))
    for other in ("bob", ""):
        assert not await waits(urls, agent, (other, writes), ("ann", erases))
        assert not await waits(urls, agent, ("ann", erases), (other, writes))


@pytest.mark.parametrize("writes", [records, stores])
async def test_erasure_of_shared_rows_waits_for_the_writers_of_all_users(urls, agent, writes):
    for user in ("", "ann"):
        assert await waits(urls, agent, (user, writes), ("", erases))
        assert await waits(urls, agent, ("", erases), (user, writes))
    assert await waits(urls, agent, ("ann", erases), ("", erases))


async def test_artifacts_with_one_id_are_kept_apart(database, agent):
    artifacts, id = Artifacts(database), UUID(int=7)
    for user in (SHARED, "ann"):
        assert await artifacts.put(
            Scope(agent, user), "s", [NewArtifact(id, f"Output of {user or 'everyone'}.", "log")]
        )
    for user, text in ((SHARED, "everyone"), ("ann", "ann"), ("bob", "everyone")):
        view = Scope(agent, user)
        assert (await artifacts.read(view, id, 0, 99)).text == f"Output of {text}."
        assert [line.text for line in await artifacts.search(view, id, text, 9)] == [f"Output of {text}."]
        assert await artifacts.search(view, id, {"everyone": "ann", "ann": "everyone"}[text], 9) == ()
