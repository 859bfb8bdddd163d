"""Memories out and in: ours whole, other systems' as they export them; twice is once; a bad line has its number."""

from __future__ import annotations

import json
from datetime import UTC, datetime

import pytest

from cognitive import NewMemory
from cognitive.errors import InvalidInput

AT = datetime(2026, 9, 1, 12, tzinfo=UTC)
MEM0 = {
    "results": [
        {"id": "5c1f", "memory": "Likes green tea", "hash": "x", "metadata": None,
         "created_at": "2026-08-01T10:00:00+00:00", "updated_at": None, "user_id": "ada", "categories": ["food"]},
    ]
}  # fmt: skip
LANGGRAPH = {
    "namespace": ["users", "ada"], "key": "k1", "value": {"text": "Works nights", "n": 3},
    "created_at": "2026-08-01T10:00:00+00:00", "updated_at": "2026-08-02T10:00:00+00:00",
}  # fmt: skip


async def exported(layer, agent: str) -> list[str]:
    return [line async for line in layer.export(agent)]


def said(lines: list[str]) -> list[dict]:
    told = [json.loads(line) for line in lines]
    names = {each["id"]: n for n, each in enumerate(told)}
    return [{**each, "id": names[each["id"]], "supersedes": names.get(each["supersedes"])} for each in told]


async def test_what_was_exported_is_there_again_whole_and_once(layer, agent):
    mysql = NewMemory(type="decision", content="We use MySQL.", occurred_at=AT, trust="agent")
    [old] = await layer.remember(agent, [mysql])
    await layer.remember(agent, [
        NewMemory(type="decision", content="We use Postgres.", supersedes=old, occurred_at=AT, tags=("db",),
                  entities=("Postgres",), confidence=0.5, pinned=True, attributes={"stakes": "high"}, trust="agent"),
        NewMemory(type="episode", content="Zeile \u2028 eins", speaker="Ada", context="Vorher", session_id="s",
                  occurred_at=AT, source="x/1", trust="talk"),
    ])  # fmt: skip
    lines = await exported(layer, agent)
    there = f"{agent}-there"
    ids = await layer.import_lines(there, lines)
    assert said(await exported(layer, there)) == said(lines)
    assert await layer.import_lines(there, lines) == ids
    assert await layer.import_lines(agent, lines) == [memory.id for memory in await layer.tagged(agent, ())]
    assert (await layer.get(there, ids[:1]))[0].superseded_by == ids[1]


@pytest.mark.parametrize(
    ("line", "content", "source", "tags"),
    [
        (MEM0, "Likes green tea", "mem0/5c1f", ("user_id:ada", "food")),
        (MEM0["results"][0], "Likes green tea", "mem0/5c1f", ("user_id:ada", "food")),
        (LANGGRAPH, "Works nights", "langgraph/users/ada/k1", ("users", "ada")),
    ],
)
async def test_other_systems_exports_are_read_and_are_foreign(layer, agent, line, content, source, tags):
    ids = await layer.import_lines(agent, [json.dumps(line), "", json.dumps(line)])
    assert len(set(ids)) == 1
    [memory] = await layer.get(agent, ids[:1])
    assert (memory.content, memory.source, memory.tags, memory.trust) == (content, source, tags, "foreign")
    assert memory.occurred_at.year == 2026


@pytest.mark.parametrize("bad", ["{", "7", '{"colour": "red"}', '{"id": "1", "memory": " "}'])
async def test_a_line_that_cannot_be_read_is_named_by_its_number(layer, agent, bad):
    with pytest.raises(InvalidInput, match="line 3"):
        await layer.import_lines(agent, [json.dumps(LANGGRAPH), "", bad])
