"""The table of values by which filters find memories: it never misses one, whatever is written or changed."""

from __future__ import annotations

import json
import re
from datetime import UTC, datetime
from uuid import uuid4

import asyncpg
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from brain import admission, filter_values, value_rows
from brain.filter_values import encoded
from brain.filters import MemoryFilter
from brain.postgres.database import Database
from brain.users import Scope
from cognitive import NewMemory
from tests.integration.test_filtered_recall import FILTERS, MEMORIES, admits

NUMBERS = st.integers(-(10**400), 10**400) | st.integers(-1000, 1000) | st.floats(allow_nan=False, allow_infinity=False)
EDGES = [0, -0.0, 2**53, 2**53 + 1, 1e-310, -1e-310, 1e-300, 10**308, 10**308 + 1, 10**400, -(10**400), 0.1, -0.1]
TEXTS = st.text(st.characters(exclude_categories=["Cs"], exclude_characters="\0"), max_size=120)


async def rows(urls, sql, *arguments):
    connection = await asyncpg.connect(urls.admin)
    try:
        return await connection.fetch(sql, *arguments)
    finally:
        await connection.close()


async def wrong_values(urls, agent):
    """Return the values that an agent's memories have and the table lacks, and those that they don't have."""
    stored = "SELECT type, path, value, memory_id FROM cognitive.memory_value WHERE agent_id = $1"
    due = (
        "SELECT m.type, v.path, v.value, m.id FROM cognitive.memory AS m,"
        " cognitive.memory_values(m.tags, m.attributes, m.metadata) AS v WHERE m.agent_id = $1"
    )
    lacking, left = f"{due} EXCEPT {stored}", f"{stored} EXCEPT {due}"
    return [tuple(row) for sql in (lacking, left) for row in await rows(urls, sql, agent)]


def drawn(strategy, examples):
    found = []

    @settings(max_examples=examples, database=None, derandomize=True)
    @given(strategy)
    def draw(value):
        found.append(value)

    draw()
    return found


async def test_values_are_encoded_alike_in_python_and_postgres(urls):
    values = [*EDGES, True, False, *drawn(NUMBERS, 200), *drawn(TEXTS, 200)]
    sql = "SELECT (SELECT value FROM cognitive.memory_values('{}', '{}', m)) FROM unnest($1::jsonb[]) AS m"
    found = await rows(urls, sql, [json.dumps({"a": value}) for value in values])
    assert [row[0] for row in found] == [encoded(value) for value in values]


@given(st.lists(NUMBERS | st.sampled_from(EDGES), min_size=2) | st.lists(TEXTS, min_size=2))
def test_encoded_values_are_in_the_order_of_the_values(values):
    texts = [encoded(value) for value in sorted(values)]
    assert texts == sorted(texts)


@pytest.mark.parametrize("max_listed", [10, 10_000])
async def test_recall_by_values_equals_a_plain_scan(layer, agent, monkeypatch, max_listed):
    monkeypatch.setattr(admission, "SAMPLE", 40)
    monkeypatch.setattr(admission, "MAX_LISTED", max_listed)
    fields = drawn(MEMORIES, 80)
    stored = [NewMemory(content=f"the ferry line {n}", source=str(n), **each) for n, each in enumerate(fields)]
    by_id = dict(zip(await layer.remember(agent, stored), stored, strict=True))
    for where in drawn(FILTERS, 100):
        found = {hit.memory_id for hit in await layer.recall(agent, "the ferry line", limit=200, where=where)}
        assert found == {id for id, memory in by_id.items() if admits(memory, where)}, where


def labelled(n: int, **fields) -> NewMemory:
    given = {"tags": ("red", f"tag {n}"), "metadata": {"n": n, "file": {"path": f"a/{n}"}}}
    return NewMemory(type="fact", content=f"The ferry number {n}.", **(given | fields))


async def test_values_follow_every_change_of_memories(layer, urls, agent):
    ids = await layer.remember(agent, [labelled(n) for n in range(6)])
    assert await wrong_values(urls, agent) == []
    await layer.update(agent, ids[0], metadata={"n": "none"})
    await layer.update(agent, ids[1], tags=())
    await layer.retire(agent, [ids[2]])
    await layer.forget(agent, [ids[3]])
    assert await wrong_values(urls, agent) == []
    lines = [line async for line in layer.admin.export(agent)]
    await layer.admin.import_lines(f"{agent}-copy", lines)
    assert await wrong_values(urls, f"{agent}-copy") == []
    hits = await layer.recall(f"{agent}-copy", "the ferry", where={"metadata.n": {"lte": 2}})
    assert [hit.memory_id for hit in hits] == [ids[1]]
    await layer.erase_agent(agent)
    assert await rows(urls, "SELECT 1 FROM cognitive.memory_value WHERE agent_id = $1", agent) == []


async def test_memories_without_labels_have_no_values(layer, urls, agent):
    await layer.remember(agent, [NewMemory(type="episode", content="The gate is open.", session_id="s")])
    assert await rows(urls, "SELECT 1 FROM cognitive.memory_value WHERE agent_id = $1", agent) == []


async def test_memory_with_too_many_values_is_found_by_all(layer, urls, agent):
    many = {f"key {n}": n for n in range(70)}
    [id] = await layer.remember(agent, [labelled(1, metadata={**many, "deep": {"er": "x" * 500}})])
    found = await rows(urls, "SELECT path FROM cognitive.memory_value WHERE agent_id = $1", agent)
    assert [row["path"] for row in found] == ["*"]
    for where in ({"metadata.key 66": {"eq": 66}}, {"metadata.deep.er": {"gte": "x" * 400}}, {"tags": {"eq": "red"}}):
        assert [hit.memory_id for hit in await layer.recall(agent, "the ferry", where=where)] == [id]
    assert await layer.recall(agent, "the ferry", where={"metadata.key 66": {"eq": 67}}) == ()


async def test_long_keys_and_texts_are_found_and_told_apart(layer, agent):
    key, text = "k" * 300, "x" * 300
    memories = [labelled(n, metadata={f"{key}{n}": f"{text}{n}", "a.b": n}) for n in range(2)]
    ids = await layer.remember(agent, memories)
    hits = await layer.recall(agent, "the ferry", where={f"metadata.{key}1": {"eq": f"{text}1"}})
    assert [hit.memory_id for hit in hits] == [ids[1]]
    assert await layer.recall(agent, "the ferry", where={"metadata.a.b": {"eq": 1}}) == ()


async def listed(urls, agent, where):
    """Return the ids that the index finds for a filter, or None if it finds too many."""
    connection = await asyncpg.connect(urls.admin)
    try:
        parts, _ = await admission._rare(
            connection, agent, filter_values.candidates(MemoryFilter.parse(where)), ["fact"]
        )
        found = admission.Admission(None, admission._intersection(parts))
        by_type = await admission._by_index(connection, agent, found, ["fact"], 5)
        return None if by_type is None else set(by_type["fact"])
    finally:
        await connection.close()


async def test_rarest_of_several_conditions_is_looked_up(layer, urls, agent, monkeypatch):
    monkeypatch.setattr(admission, "MAX_LISTED", 5)
    monkeypatch.setattr(admission, "_MAX_INDEXED", 7)
    ids = await layer.remember(agent, [labelled(n) for n in range(10)])
    both = {"metadata.n": {"lte": 6}, "metadata.file.path": {"gte": "a/4"}}
    assert await listed(urls, agent, both | {"tags": {"eq": "red"}}) == set(ids[4:7])
    assert await listed(urls, agent, {"tags": {"eq": "red"}, "metadata.n": {"lte": 2}}) == set(ids[:3])
    assert await listed(urls, agent, {"tags": {"eq": "tag 3"}, "metadata.n": {"exists": True}}) == {ids[3]}
    assert await listed(urls, agent, {"tags": {"eq": "red"}, "metadata.n": {"exists": True}}) is None


async def test_sessions_are_looked_up_beside_memories_with_too_many_values(layer, urls, agent):
    many = {f"key {n}": n for n in range(70)}
    ids = await layer.remember(agent, [labelled(n, metadata=many, session_id=f"s {n}") for n in range(8)])
    assert await listed(urls, agent, {"session_id": {"eq": "s 3"}}) == {ids[3]}
    assert await listed(urls, agent, {"tags": {"eq": "red"}}) is None


async def test_values_of_gone_memories_are_found_by_the_primary_key(urls, agent):
    await rows(
        urls,
        "INSERT INTO cognitive.memory (agent_id, id, seq, identity, type, content, occurred_at, tags, metadata)"
        " SELECT $1, gen_random_uuid(), n, int4send(n), 'fact', 'x', now(), '{red}', jsonb_build_object('n', n)"
        " FROM generate_series(1, 5000) AS n",
        agent,
    )
    ids = [row[0] for row in await rows(urls, "SELECT id FROM cognitive.memory WHERE agent_id = $1", agent)]
    memories = {id: NewMemory(type="fact", content="x", tags=("red",), metadata={"n": n}) for n, id in enumerate(ids)}
    database = Database(urls.app)
    await database.run(Scope(agent), lambda c: c.execute(*value_rows.insert(agent, memories)))
    await database.close()
    for table in ("memory", "memory_value"):
        await rows(urls, f"ANALYZE cognitive.{table}")
    delete, *values = value_rows.SQL.delete_values(agent_id=agent, memory_ids=ids[:3])
    plan = "\n".join(row[0] for row in await rows(urls, f"EXPLAIN {delete}", *values))
    assert re.search(r"Index Cond: .*path = .*value = .*memory_id = ", plan), plan


async def test_upgrade_writes_the_values_of_stored_memories(urls):
    from brain.postgres.migrate import upgrade
    from tests.faults.test_upgrade import database_of

    async with database_of(urls) as database:
        await upgrade(database.owner, to="0102")
        id = uuid4()
        await rows(
            database,
            "INSERT INTO cognitive.memory (agent_id, id, seq, identity, type, content, occurred_at, tags, metadata)"
            " VALUES ('a', $1, 1, $2, 'fact', 'x', $3, '{red}', '{\"n\": {\"x\": true}}')",
            id,
            id.bytes,
            datetime(2026, 3, 1, tzinfo=UTC),
        )
        await upgrade(database.owner)
        found = await rows(database, "SELECT path, value FROM cognitive.memory_value ORDER BY path")
        assert [tuple(row) for row in found] == [("metadata.n", "o"), ("metadata.n.x", "b1"), ("tags", "sred")]
        assert await wrong_values(database, "a") == []
