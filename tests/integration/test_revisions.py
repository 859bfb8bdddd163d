"""Revisions of a memory: stored with it, deleted with it, and counted in the receipt."""

from __future__ import annotations

import asyncio
from datetime import UTC, datetime
from uuid import uuid4

import asyncpg
import pytest

from brain import memory_rows
from cognitive import NewMemory
from cognitive.errors import InvalidInput, UnknownMemory

AT = datetime(2026, 9, 1, 12, tzinfo=UTC)


@pytest.fixture
async def memory_id(layer, agent):
    [id] = await layer.remember(
        agent, [NewMemory(type="fact", content="The safe opens at noon.", tags=("safe",), occurred_at=AT)]
    )
    return id


async def test_revision_stores_only_the_replaced_values(layer, agent, memory_id):
    await layer.update(agent, memory_id, content="The safe opens at one.", tags=("safe", "hours"), pinned=False)
    await layer.update(agent, memory_id, confidence=0.7, occurred_at=AT.replace(hour=13))

    second, first = await layer.admin.revisions(agent, memory_id)
    assert (first.number, first.previous) == (1, {"content": "The safe opens at noon.", "tags": ["safe"]})
    assert (second.number, second.previous) == (2, {"confidence": 1.0, "occurred_at": AT.isoformat()})
    assert first.memory_id == memory_id
    assert AT < first.changed_at < second.changed_at


async def test_update_without_effect_creates_no_revision(layer, agent, memory_id):
    await layer.update(agent, memory_id, confidence=0.7)
    await layer.update(agent, memory_id, confidence=0.7, content="The safe opens at noon.", tags=["safe"])

    assert len(await layer.admin.revisions(agent, memory_id)) == 1


async def test_refused_update_creates_no_revision(layer, agent, memory_id):
    await layer.remember(agent, [NewMemory(type="fact", content="It opens at two.", occurred_at=AT)])
    with pytest.raises(InvalidInput, match="already has this content"):
        await layer.update(agent, memory_id, content="It opens at two.")

    assert await layer.admin.revisions(agent, memory_id) == []


async def test_concurrent_updates_get_consecutive_revision_numbers(layer, agent, memory_id):
    await asyncio.gather(*(layer.update(agent, memory_id, tags=(f"t{n}",)) for n in range(5)))

    kept = await layer.admin.revisions(agent, memory_id)
    assert [each.number for each in kept] == [5, 4, 3, 2, 1]
    before = [each.previous["tags"] for each in kept]
    assert len({tuple(tags) for tags in before}) == 5
    assert before[-1] == ["safe"]


async def test_only_the_latest_revisions_are_kept(layer, agent, memory_id, monkeypatch):
    monkeypatch.setattr(memory_rows, "MAX_REVISIONS", 2)
    for n in range(4):
        await layer.update(agent, memory_id, content=f"The safe opens at {n}.")

    assert [each.number for each in await layer.admin.revisions(agent, memory_id)] == [4, 3]


async def test_forgetting_a_memory_deletes_its_revisions(layer, agent, memory_id, urls):
    await layer.update(agent, memory_id, content="The safe opens at one.")
    await layer.update(agent, memory_id, content="The safe opens at two.")
    [other] = await layer.remember(agent, [NewMemory(type="fact", content="Tea is at four.")])
    await layer.update(agent, other, content="Tea is at five.")

    assert (await layer.admin.preview_forget(agent, [memory_id])).revisions == 2
    foreseen = await layer.admin.preview_forget(agent, [memory_id])
    assert await layer.forget(agent, [memory_id]) == foreseen
    assert await texts(urls, agent) == ['{"content": "Tea is at four."}']
    assert (await layer.erase_agent(agent)).revisions == 1
    assert await texts(urls, agent) == []


async def test_revisions_are_private_to_their_agent(layer, agent, memory_id):
    await layer.update(agent, memory_id, content="The safe opens at one.")
    for ids in ((f"{agent}-other", memory_id), (agent, uuid4())):
        with pytest.raises(UnknownMemory):
            await layer.admin.revisions(*ids)


async def texts(urls, agent):
    connection = await asyncpg.connect(urls.admin)
    try:
        return [
            row[0]
            for row in await connection.fetch(
                "SELECT previous::text FROM cognitive.revision WHERE agent_id = $1", agent
            )
        ]
    finally:
        await connection.close()
