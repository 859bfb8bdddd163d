"""The cell index: it returns enough rows, nearly the nearest, of one agent only, also during concurrent writes."""

from __future__ import annotations

import asyncio
from dataclasses import replace

import asyncpg
import numpy as np
import pytest

from brain.agents import unsorted
from brain.filters import MemoryFilter
from brain.ivf_index import IvfIndex
from brain.postgres.database import Database
from brain.search import MemorySearch, Query
from brain.users import Scope
from cognitive import CognitiveLayer, NewMemory

TOPICS = 40


class ByTopic:
    """An embedder whose vectors lie near that of the text's topic, each with its own noise."""

    model = "topics/test"
    dimension = 48

    def __init__(self) -> None:
        self._topics = np.random.default_rng(3).standard_normal((TOPICS, self.dimension))

    def embed(self, texts):
        vectors = []
        for text in texts:
            topic, own = (int(word) for word in text.split()[-2:])
            noise = np.random.default_rng(own).standard_normal(self.dimension)
            vector = (self._topics[topic] + 0.9 * noise).astype(np.float32)
            vectors.append(vector / np.linalg.norm(vector))
        return np.stack(vectors)


class Stopped(Exception):
    pass


def lines(size: int, first: int = 0) -> list[NewMemory]:
    return [
        NewMemory(type="episode", content=f"line about {n % TOPICS} {n}", session_id=f"s{n % 9}", source=str(n))
        for n in range(first, first + size)
    ]


@pytest.fixture(scope="module")
async def layer(urls):
    async with CognitiveLayer.open(urls.app, embedder=ByTopic()) as layer:
        yield layer


@pytest.fixture(scope="module")
async def database(urls):
    database = Database(urls.app)
    await database.open()
    yield database
    await database.close()


@pytest.fixture
def cells(database):
    return IvfIndex(database, large=400, size=10, page=300)


async def nearest(database, agent, limit, text="line about 7 99999", **filters):
    """Return the ids that the dense channel alone finds, nearest first."""
    query = Query(
        {"episode": limit},
        "",
        ByTopic().embed([text])[0],
        ByTopic.model,
        wanted=0,
        filter=MemoryFilter.parse(**filters),
    )
    hits = (await MemorySearch(database).find(Scope(agent), query)).hits
    return [hit.memory_id for hit in sorted(hits, key=lambda hit: (-hit.scores["content_cosine"], hit.memory_id))]


async def query_as_admin(urls, sql, *arguments):
    """Query as a superuser, without row level security."""
    connection = await asyncpg.connect(urls.admin)
    try:
        return await connection.fetchval(sql, *arguments)
    finally:
        await connection.close()


async def test_cell_search_returns_enough_near_rows_of_its_own_agent(layer, database, cells, agent):
    others = [f"{agent}-{n}" for n in range(3)]
    for each in (agent, *others):
        await layer.remember(each, lines(900))
    exact = {n: await nearest(database, agent, 10, f"line about {n} {n + 50_000}") for n in range(TOPICS)}
    for each in (agent, *others[:2]):
        [group] = await cells.build(each)
        assert group.cells > 32
    for limit in (10, 80, 700, 1000):
        assert len(await nearest(database, agent, limit)) == min(limit, 900)
    approximate = {n: await nearest(database, agent, 10, f"line about {n} {n + 50_000}") for n in range(TOPICS)}
    own = set(await layer_ids(layer, agent))
    assert all(own.issuperset(ids) for ids in approximate.values())
    recall = np.mean([len(set(approximate[n]) & set(exact[n])) / 10 for n in exact])
    assert recall >= 0.95
    assert len(await nearest(database, others[2], 20)) == 20


async def layer_ids(layer, agent):
    return [memory.id for memory in await layer.admin.find(agent, limit=5_000)]


async def test_index_reflects_memories_added_or_forgotten_after_its_build(layer, database, cells, agent, urls):
    await layer.remember(agent, lines(600))
    await cells.build(agent)
    [new] = await layer.remember(agent, [NewMemory(type="episode", content="line about 7 99999", source="new")])
    assert (await nearest(database, agent, 5))[0] == new
    unsorted = "SELECT count(*) FROM cognitive.embedding WHERE agent_id = $1 AND cell IS NULL"
    assert await query_as_admin(urls, unsorted, agent) == 0
    await layer.forget(agent, [new])
    assert new not in await nearest(database, agent, 600)


async def test_interrupted_index_build_loses_nothing_and_resumes(layer, database, cells, agent, urls):
    await layer.remember(agent, lines(700))
    everything = set(await layer_ids(layer, agent))

    def stop(done, total):
        raise Stopped

    with pytest.raises(Stopped):
        await cells.build(agent, progress=stop)
    left = "SELECT count(*) FROM cognitive.embedding WHERE agent_id = $1 AND cell IS NULL"
    assert 0 < await query_as_admin(urls, left, agent) < 700
    assert set(await nearest(database, agent, 700)) == everything
    await asyncio.gather(cells.build(agent), cells.build(agent), layer.remember(agent, lines(100, first=700)))
    assert await query_as_admin(urls, left, agent) == 0
    assert len(await nearest(database, agent, 1000)) == 800


async def test_overfull_cells_are_split(layer, database, cells, agent):
    await layer.remember(agent, lines(400))
    [before] = await cells.build(agent)
    await layer.remember(agent, lines(1_200, first=400))
    [after] = await cells.build(agent)
    assert after.cells > before.cells
    assert await cells.build(agent) == [replace(after, moved=0)]
    assert len(await nearest(database, agent, 1000)) == 1000


async def test_filtered_search_reads_all_cells(layer, database, cells, agent):
    await layer.remember(agent, lines(900))
    before = await nearest(database, agent, 50, session_id="s4")
    await cells.build(agent)
    assert await nearest(database, agent, 50, session_id="s4") == before
    assert len(before) == 50


async def test_small_agent_has_no_cells_and_erasure_removes_them(layer, cells, agent, urls):
    await layer.remember(agent, lines(100))
    assert await layer.admin.build_vector_index(agent) == []
    assert await cells.build(agent) == []
    await layer.remember(agent, lines(400, first=100))
    assert await cells.build(agent) != []
    await layer.erase_agent(agent)
    assert await query_as_admin(urls, "SELECT count(*) FROM cognitive.cell WHERE agent_id = $1", agent) == 0


class Interrupted:
    """A database that awaits `meanwhile` after a number of transactions."""

    def __init__(self, database: Database, transactions: int, meanwhile) -> None:
        self.left = transactions
        self._database = database
        self._meanwhile = meanwhile

    async def run(self, *arguments, **options):
        result = await self._database.run(*arguments, **options)
        self.left -= 1
        if self.left == 0:
            await self._meanwhile()
        return result


@pytest.mark.parametrize("erased", ["user", "agent"])
@pytest.mark.parametrize(
    ("overfull", "transactions"), [*((False, n) for n in range(1, 9)), *((True, n) for n in range(1, 8))]
)
async def test_erasure_during_an_index_build_leaves_no_centres(
    layer, database, agent, urls, overfull, transactions, erased
):
    async def store(size: int, first: int) -> None:
        await layer.remember(agent, [line.model_copy(update={"user_id": "ada"}) for line in lines(size, first)])

    async def erase() -> None:
        await (layer.forget_user(agent, "ada") if erased == "user" else layer.erase_agent(agent))

    await store(40, 0)
    if overfull:
        await IvfIndex(database, large=20, size=20).build(agent)
        await store(400, 40)
    interrupted = Interrupted(database, transactions, erase)
    await IvfIndex(interrupted, large=20, size=20).build(agent)
    assert interrupted.left <= 0
    assert await query_as_admin(urls, "SELECT count(*) FROM cognitive.cell WHERE agent_id = $1", agent) == 0
    rows = await query_as_admin(urls, "SELECT count(*) FROM cognitive.agent_state WHERE agent_id = $1", agent)
    assert rows == (1 if erased == "user" else 0)


async def test_large_agent_is_reported_until_its_index_is_built(layer, cells, urls):
    await layer.remember("unsorted", lines(400))
    await layer.remember("small", lines(399))
    before = await unsorted(urls.admin, large=400)
    await cells.build("unsorted")
    assert "unsorted" in before
    assert "small" not in before
    assert "unsorted" not in await unsorted(urls.admin, large=400)
