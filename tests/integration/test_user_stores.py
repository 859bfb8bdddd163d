"""The stores write, search and erase in the view of a user, and calls over all users reach the rows of each."""

from __future__ import annotations

import tempfile
from datetime import UTC, datetime, timedelta
from pathlib import Path

import asyncpg
import pytest

from benchmarks.chaos.sample_data import WordEmbedder
from brain.changes.backfill import Pace
from brain.changes.reembedding import Reembedding
from brain.changes.reindexing import Reindexing
from brain.embedded import EmbeddedServer
from brain.embedding.embedders import CachedEmbedder, Embedders
from brain.erasure.erasing import Eraser
from brain.erasure.retention import Retention
from brain.ivf_index import IvfIndex
from brain.opening import connections
from brain.policies import PolicyStore
from brain.postgres.database import Database
from brain.postgres.migrate import upgrade
from brain.postgres.schema import HEAD
from brain.search import MemorySearch, Query
from brain.settings import Settings
from brain.store import MemoryStore
from brain.users import ALL_USERS, SHARED, Scope, View
from cognitive import NewMemory
from cognitive.admin import migrate
from cognitive.errors import SchemaError

AT = datetime(2026, 9, 1, 12, tzinfo=UTC)


@pytest.fixture
async def admin(urls):
    connection = await asyncpg.connect(urls.admin)
    yield connection
    await connection.close()


@pytest.fixture
async def database(urls):
    database = connections(urls.app, Settings(pool_size=2))
    yield database
    await database.close()


def store(database: Database) -> MemoryStore:
    return MemoryStore(database, Embedders([CachedEmbedder(WordEmbedder())]))


async def found(database: Database, agent: str, user_id: View, text: str) -> set[str]:
    [vector] = await CachedEmbedder(WordEmbedder()).embed([text])
    query = Query({"fact": 10}, text, vector, WordEmbedder().model, dates=(AT, datetime.max.replace(tzinfo=UTC)))
    result = await MemorySearch(database).find(Scope(agent, user_id), query)
    return {hit.content for hit in result.hits}


async def test_base_rates_of_shared_and_private_memories_are_added(database, agent, admin):
    await store(database).remember(agent, [NewMemory(type="fact", content="The kettle leaks.", user_id="ann")], now=AT)
    columns = "agent_id, user_id, type, shown, used, last_at"
    insert = f"INSERT INTO cognitive.usage_base ({columns}) VALUES ($1, $2, 'fact', $3, 4, $4)"
    await admin.executemany(insert, [(agent, "", 8.0, AT), (agent, "ann", 6.0, AT + timedelta(days=7))])
    query = Query({"fact": 10}, "kettle", None, WordEmbedder().model, half_life_days=7)
    for user, shown, used in (("ann", 10, 6), (SHARED, 8, 4), (ALL_USERS, 10, 6)):
        scope = Scope(agent, user)
        found = (await MemorySearch(database).find(scope, query)).base["fact"]
        for base in (found, (await PolicyStore(database).base_rates(scope, half_life_days=7))["fact"]):
            assert (base.shown, base.used) == (shown, used)


async def test_users_store_search_and_erase_side_by_side(database, agent, admin):
    for user in (SHARED, "ann", "bob"):
        content = f"The kettle of {user or 'everyone'} leaks."
        memories = [NewMemory(type="fact", content=content, source="same", session_id="s", user_id=user or None)]
        assert await store(database).remember(agent, memories, now=AT)
        assert await store(database).remember(agent, memories, now=AT)  # exists already
    everyone, ann = "The kettle of everyone leaks.", "The kettle of ann leaks."
    assert await found(database, agent, SHARED, "Which kettle leaks?") == {everyone}
    assert await found(database, agent, "ann", "Which kettle leaks?") == {everyone, ann}
    assert await found(database, agent, "eve", "Which kettle leaks?") == {everyone}
    counted = await admin.fetch("SELECT user_id, memories, passages FROM cognitive.corpus WHERE agent_id = $1", agent)
    assert {tuple(row) for row in counted} == {("", 1, 1), ("ann", 1, 1), ("bob", 1, 1)}
    sessions = await admin.fetch("SELECT number, memories FROM cognitive.session WHERE agent_id = $1", agent)
    assert {tuple(row) for row in sessions} == {(1, 1), (2, 1), (3, 1)}


class Other(WordEmbedder):
    model = "words/other"


async def test_calls_over_all_users_reach_the_rows_of_each(database, agent, admin):
    async def by_user(statement: str) -> list[tuple]:
        return [tuple(row) for row in await admin.fetch(f"{statement} WHERE agent_id = $1 ORDER BY 1", agent)]

    for user in (SHARED, "ann", "bob"):
        memories = [
            NewMemory(type="fact", content=f"The kettle of {user} leaks.", occurred_at=AT, user_id=user or None)
        ]
        await store(database).remember(agent, memories, now=AT)
    embedders = Embedders([CachedEmbedder(WordEmbedder()), CachedEmbedder(Other())])
    reembedding = Reembedding(database, embedders)
    await reembedding.begin(agent, Other.model)
    assert await reembedding.fill(agent, Other.model, Pace(load=1)) == 0
    embedded = await by_user("SELECT DISTINCT user_id, model FROM cognitive.embedding")
    assert {user for user, model in embedded if model == Other.model} == {"", "ann", "bob"}

    await Reindexing(database).change(agent, "german", Pace(load=1))
    assert {tuple(languages) for (languages,) in await by_user("SELECT languages FROM cognitive.passage")} == {
        ("german",)
    }

    groups = await IvfIndex(database, large=1, size=1).build(agent)
    assert all(group.moved for group in groups)
    assert await by_user("SELECT DISTINCT cell IS NULL FROM cognitive.embedding") == [(False,)]

    old = datetime.now(UTC) + timedelta(days=2)
    assert await Retention(database).enforce(agent, {"fact": 1}, old) == {"fact": 3}
    assert await by_user("SELECT user_id, memories, passages FROM cognitive.corpus") == [
        ("", 0, 0),
        ("ann", 0, 0),
        ("bob", 0, 0),
    ]

    await store(database).remember(agent, [NewMemory(type="fact", content="The kettle leaks.", user_id="ann")], now=AT)
    receipt = await Eraser(database, MemoryStore(database, embedders), embedders).agent(agent)
    assert (receipt.memories, receipt.passages) == (1, 1)
    assert await by_user("SELECT user_id FROM cognitive.memory") == await by_user(
        "SELECT user_id FROM cognitive.corpus"
    )


async def test_users_with_many_vectors_have_cells_of_their_own(database, agent, admin):
    async def cells(user: str) -> set[int | None]:
        query = "SELECT cell FROM cognitive.embedding WHERE agent_id = $1 AND user_id = $2"
        return {row["cell"] for row in await admin.fetch(query, agent, user)}

    async def remember(user: str, *contents: str) -> None:
        memories = [
            NewMemory(type="fact", content=content, occurred_at=AT, user_id=user or None) for content in contents
        ]
        await store(database).remember(agent, memories, now=AT)

    for user, most in ((SHARED, 12), ("ann", 12), ("bob", 3)):
        await remember(user, *(f"The kettle {n} of {user or 'everyone'} leaks." for n in range(most)))
    groups = await IvfIndex(database, large=10, size=4).build(agent)
    assert [(group.user_id, group.moved) for group in groups] == [(None, 12), ("ann", 12)]
    await remember("ann", "The kettle of ann is new.")
    await remember("bob", "The kettle of bob is new.")
    shared, anns = await cells(SHARED), await cells("ann")
    assert not shared & anns
    assert None not in shared | anns
    assert await cells("bob") == {None}
    for user, most in ((SHARED, 12), ("ann", 25), ("bob", 16)):
        query = Query(
            {"fact": 50}, "", (await CachedEmbedder(WordEmbedder()).embed(["kettle"]))[0], WordEmbedder().model
        )
        assert len((await MemorySearch(database).find(Scope(agent, user), query)).hits) == most
    assert [group.moved for group in await IvfIndex(database, large=10, size=4).build(agent)] == [0, 0]


@pytest.fixture
def folder():
    with tempfile.TemporaryDirectory(prefix="cognitive-older-") as folder:
        Path(folder).chmod(0o711)  # under root, the server runs as another user, who needs access
        yield folder


async def test_older_embedded_server_gets_the_operators_role(folder, monkeypatch):
    server = EmbeddedServer(Path(folder))
    urls = server.acquire()
    connection = await asyncpg.connect(urls.admin)
    try:
        await connection.execute("DROP ROLE cognitive_operator")
        with pytest.raises(SchemaError, match=r"`CREATE ROLE cognitive_operator .*; GRANT cognitive_operator TO"):
            await upgrade(urls.owner)
        monkeypatch.setenv("COGNITIVE_DATA_DIR", folder)
        assert await migrate(None) == HEAD
        assert await connection.fetchval("SELECT pg_has_role('cognitive_app', 'cognitive_operator', 'SET')") is True
    finally:
        await connection.close()
        server.release()
