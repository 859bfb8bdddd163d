"""Imports from other systems: users are kept, a dry run counts, repetition and interruption change nothing."""

from __future__ import annotations

import json
from pathlib import Path

import pytest

from cognitive import NewMemory
from cognitive.api import import_export
from cognitive.formats.records import TextFile

FILES = Path(__file__).parent.parent / "data" / "imports"
MEM0 = TextFile(FILES / "mem0.json")


async def stored(layer, agent):
    return [line async for line in layer.admin.export(agent)]


async def test_dry_run_counts_what_comes_and_stores_nothing(layer, agent):
    report = await layer.admin.preview_import(agent, MEM0)
    assert (report.memories, report.new, report.merged) == (4, 3, 1)
    assert report.formats == {"mem0": 4}
    assert report.users == {"ada": 1, "bob": 1, "cem": 2}
    assert report.dropped == {"a record without text": 1, "a relation of mem0's graph": 1}
    assert report.first_dropped == {"a record without text": 42, "a relation of mem0's graph": 51}
    assert await layer.admin.find(agent) == []


async def test_dry_run_agrees_with_the_import(layer, agent):
    await layer.remember(
        agent, [NewMemory(type="fact", content="Speaks Dutch", source="mem0/5c1f0e6a-0000-4000-8000-000000000003")]
    )
    report = await layer.admin.preview_import(agent, MEM0)
    ids = await layer.admin.import_lines(agent, MEM0)
    assert (len(ids), len(set(ids)), len(await layer.admin.find(agent))) == (report.memories, 3, 3)
    assert report.new == 2


@pytest.mark.parametrize("file", sorted(FILES.iterdir()), ids=lambda file: file.stem)
async def test_second_import_changes_nothing(layer, agent, file):
    ids = await layer.admin.import_lines(agent, TextFile(file))
    before = await stored(layer, agent)
    assert len(before) == len(set(ids))
    assert (await layer.admin.preview_import(agent, TextFile(file))).new == 0
    assert await layer.admin.import_lines(agent, TextFile(file)) == ids
    assert await stored(layer, agent) == before


async def test_imported_metadata_can_be_filtered(layer, agent):
    await layer.admin.import_lines(agent, MEM0)
    [memory] = await layer.admin.find(agent, {"metadata.priority": {"gte": 3}})
    assert (memory.content, memory.trust) == ("Likes green tea", "foreign")


class Interrupted(Exception):
    """Raised in the middle of an import."""


async def test_interrupted_import_run_again_ends_equal(layer, agent, monkeypatch):
    monkeypatch.setattr(import_export, "BATCH", 4)
    memories = [NewMemory(type="fact", content=f"Pump {n} delivers {n} litres.", source=f"p{n}") for n in range(9)]
    ids = await layer.remember(agent, memories)
    newer = [
        NewMemory(type="fact", content=f"Pump {n} was scrapped.", supersedes=ids[n], source=f"s{n}") for n in (0, 8)
    ]
    await layer.remember(agent, newer)
    await layer.update(agent, ids[5], content="Pump 5 delivers 50 litres.")
    lines = await stored(layer, agent)

    def stop(done, total):
        assert total == 11
        if done >= 8:
            raise Interrupted

    there = f"{agent}-there"
    with pytest.raises(Interrupted):
        await layer.admin.import_lines(there, lines, progress=stop)
    assert 0 < len(await layer.admin.find(there)) < 11
    assert (await layer.admin.preview_import(there, lines)).new == 3
    await layer.admin.import_lines(there, lines)
    assert await stored(layer, there) == lines


async def test_lines_that_can_be_read_once_are_imported(layer, agent):
    lines = (json.dumps({"id": str(n), "memory": f"Pump {n} stands still."}) for n in range(3))
    assert len(await layer.admin.import_lines(agent, lines)) == 3


async def test_markdown_export_is_for_people(layer, agent):
    [old] = await layer.remember(agent, [NewMemory(type="decision", content="We use *MySQL*.")])
    await layer.remember(
        agent,
        [
            NewMemory(type="decision", content="We use Postgres.", supersedes=old, tags=("db",), pinned=True),
            NewMemory(type="episode", content="# Not a title\n- nor a list", speaker="Ada", session_id="s"),
        ],
    )
    lines = [line async for line in layer.admin.export_markdown(agent)]
    assert lines[0] == f"# Memories of {agent}"
    assert [line for line in lines if line.startswith("## ")] == ["## Decisions", "## What was said and done"]
    assert r"- ~~We use \*MySQL\*.~~" in lines
    about = lines[lines.index("- We use Postgres.") + 1]
    assert about.endswith(", pinned, #db*")
    spoken = lines.index(r"- Ada: \# Not a title")
    assert lines[spoken + 1] == r"  \- nor a list"
    only = [line async for line in layer.admin.export_markdown(agent, {"type": {"eq": "episode"}})]
    assert "## Decisions" not in only
