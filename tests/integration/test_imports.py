"""Imports from other systems: users are kept, a dry run counts, repetition and interruption change nothing."""

from __future__ import annotations

import asyncio
import json
from pathlib import Path

import pytest

from cognitive import ALL_USERS, CognitiveLayer, NewMemory, Policy
from cognitive.api import exporter, importer
from cognitive.errors import InvalidInput
from cognitive.formats.records import TextFile

FILES = Path(__file__).parent.parent / "data" / "imports"
MEM0 = TextFile(FILES / "mem0.json")
TALK = [
    "We decided to keep berth 4 for the ferry.",
    "Let me look at the plan.",
    "Then berth 4 is taken on Mondays.",
]  # of talk.json, after its small talk
CONVERSATIONS = ("chatgpt", "claude", "talk")


async def stored(layer, agent, user_id=ALL_USERS):
    return [line async for line in layer.admin.export(agent, user_id=user_id)]


async def seen(layer, agent, user_id):
    return [memory.content for memory in await layer.admin.find(agent, user_id=user_id)]


async def test_dry_run_counts_what_comes_and_stores_nothing(layer, agent):
    report = await layer.admin.preview_import(agent, MEM0)
    assert (report.memories, report.new, report.merged) == (4, 3, 1)
    assert report.formats == {"mem0": 4}
    assert report.users == {"ada": 1, "bob": 1, "cem": 2}
    assert report.dropped == {"a record without text": 1, "a relation of mem0's graph": 1}
    assert report.first_dropped == {"a record without text": 42, "a relation of mem0's graph": 51}
    assert await stored(layer, agent) == []


async def test_dry_run_agrees_with_the_import(layer, agent):
    known = NewMemory(type="fact", content="Speaks Dutch", source="mem0/5c1f0e6a-0000-4000-8000-000000000003")
    others = [known, known.model_copy(update={"user_id": "bob"})]
    await layer.remember(agent, [known.model_copy(update={"user_id": "cem"}), *others])
    report = await layer.admin.preview_import(agent, MEM0)
    ids = await layer.admin.import_lines(agent, MEM0)
    assert (len(ids), len(set(ids)), len(await stored(layer, agent))) == (report.memories, 3, 5)
    assert report.new == 2
    assert await seen(layer, agent, "ada") == ["Speaks Dutch", "Likes green tea"]
    assert await seen(layer, agent, None) == ["Speaks Dutch"]


async def test_file_without_users_is_shared_or_goes_to_the_named_user(layer, agent):
    langgraph = TextFile(FILES / "langgraph.jsonl")
    await layer.admin.import_lines(agent, langgraph)
    shared = await seen(layer, agent, None)
    assert await seen(layer, agent, "ada") == shared
    assert (await layer.admin.preview_import(agent, langgraph, user_id="ada")).new == 3
    await layer.admin.import_lines(agent, langgraph, user_id="ada")
    assert len(await seen(layer, agent, "ada")) == 2 * len(shared)
    assert await seen(layer, agent, None) == shared


@pytest.mark.parametrize("call", ["preview_import", "import_lines"])
async def test_import_for_a_user_refuses_memories_of_others(layer, agent, call):
    with pytest.raises(InvalidInput, match=r"line \d+: user_id: 'bob' is not the user of this import"):
        await getattr(layer.admin, call)(agent, MEM0, user_id="ada")
    assert await stored(layer, agent) == []


async def test_ids_taken_by_others_get_new_ones_and_links_follow(layer, agent):
    [old] = await layer.remember(agent, [NewMemory(type="fact", content="The crane is red.")])
    [new] = await layer.remember(agent, [NewMemory(type="fact", content="The crane is blue.", supersedes=old)])
    lines = await stored(layer, agent)
    for user_id in ("ada", "bob"):
        assert (await layer.admin.preview_import(agent, lines, user_id=user_id)).new == 2
        ids = await layer.admin.import_lines(agent, lines, user_id=user_id)
        assert not {old, new} & set(ids)
        [replaced, replacing] = await layer.get(agent, ids, user_id=user_id)
        assert (replaced.replaced_by, replacing.supersedes) == (ids[1], ids[0])
        await layer.update(agent, ids[1], content=f"The crane of {user_id} is blue.", user_id=user_id)
        assert (await layer.admin.preview_import(agent, lines, user_id=user_id)).new == 0
        assert await layer.admin.import_lines(agent, lines, user_id=user_id) == ids
    assert await stored(layer, agent, None) == lines
    assert len(await stored(layer, agent)) == 6


async def test_users_may_import_the_same_file_at_the_same_time(layer, agent):
    await layer.remember(agent, [NewMemory(type="fact", content=f"Pump {n} stands still.") for n in range(9)])
    lines, there = await stored(layer, agent), f"{agent}-there"
    users = ["ada", "bob", "cem"]
    found = await asyncio.gather(*(layer.admin.import_lines(there, lines, user_id=user_id) for user_id in users))
    assert len({id for ids in found for id in ids}) == 27
    for user_id in users:
        assert len(await seen(layer, there, user_id)) == 9


@pytest.mark.parametrize("file", sorted(FILES.iterdir()), ids=lambda file: file.stem)
async def test_second_import_changes_nothing(layer, agent, file):
    ids = await layer.admin.import_lines(agent, TextFile(file))
    before = await stored(layer, agent)
    assert len(before) == len(set(ids))
    assert (await layer.admin.preview_import(agent, TextFile(file))).new == 0
    again = await layer.admin.import_lines(agent, TextFile(file))
    assert again == ([] if file.stem in CONVERSATIONS else ids)  # of conversations, what is new is returned
    assert await stored(layer, agent) == before


async def test_imported_metadata_can_be_filtered(layer, agent):
    await layer.admin.import_lines(agent, MEM0)
    [memory] = await layer.admin.find(agent, {"metadata.priority": {"gte": 3}}, user_id="ada")
    assert (memory.content, memory.trust) == ("Likes green tea", "foreign")


class Interrupted(Exception):
    """Raised in the middle of an import."""


async def test_interrupted_import_run_again_ends_equal(layer, agent, monkeypatch):
    for module in (exporter, importer):
        monkeypatch.setattr(module, "BATCH", 4)
    users = ["ada", "bob", None]
    memories = [
        NewMemory(type="fact", content=f"Pump {n} delivers {n} litres.", source=f"p{n}", user_id=users[n % 3])
        for n in range(9)
    ]
    ids = await layer.remember(agent, memories)
    newer = [
        NewMemory(type="fact", content=f"Pump {n} stopped.", supersedes=ids[n], source=f"s{n}", user_id=users[n % 3])
        for n in (0, 8)
    ]
    await layer.remember(agent, newer)
    await layer.update(agent, ids[3], content="Pump 3 delivers 30 litres.", user_id="ada")
    lines = await stored(layer, agent)

    def stop(done, total):
        assert total == 11
        if done >= 8:
            raise Interrupted

    there = f"{agent}-there"
    with pytest.raises(Interrupted):
        await layer.admin.import_lines(there, lines, progress=stop)
    assert 0 < len(await stored(layer, there)) < 11
    assert (await layer.admin.preview_import(there, lines)).new == 3
    await layer.admin.import_lines(there, lines)
    assert sorted(await stored(layer, there)) == sorted(lines)


async def test_conversation_is_stored_like_turns_with_what_it_forms(layer, agent):
    talk = TextFile(FILES / "talk.json")
    report = await layer.admin.preview_import(agent, talk, user_id="ada")
    ids = await layer.admin.import_lines(agent, talk, user_id="ada")
    question, answer, decision = await layer.get(agent, ids, user_id="ada")
    assert (question.content, answer.content) == (TALK[0], TALK[2])
    assert (question.type, question.speaker, question.trust, question.tags) == ("episode", "ada", "talk", ("captured",))
    assert (answer.speaker, answer.context) == ("assistant", question.content)
    assert question.session_id == answer.session_id == "claude/c-2"
    assert (decision.type, decision.content, decision.tags) == ("decision", TALK[0], ("formed",))
    assert {memory.user_id for memory in (question, answer, decision)} == {"ada"}
    assert (report.memories, report.new, report.merged, report.users) == (3, 3, 0, {"ada": 3})
    assert report.dropped == {
        "a message that is small talk or not the last answer, or that Policy.capture leaves out": 3
    }


@pytest.mark.parametrize(("detect", "order"), [(True, (2025, 2026)), (True, (2026, 2025)), (False, (2026, 2025))])
async def test_imported_value_is_superseded_by_a_later_one_in_any_order(urls, embedder, agent, detect, order):
    rents = {2025: "Our rent is 900 euros.", 2026: "Our rent is 950 euros."}
    lines = [
        json.dumps({"id": f"m-{year}", "memory": rents[year], "created_at": f"{year}-03-01T09:00:00Z"})
        for year in order
    ]
    async with CognitiveLayer.open(urls.app, policy=Policy(detect_updates=detect), embedder=embedder) as importing:
        for line in lines:
            await importing.admin.import_lines(agent, [line])
        reasons = {memory.content: memory.hidden_reason for memory in await importing.admin.find(agent)}
    assert reasons == {rents[2025]: "superseded" if detect else None, rents[2026]: None}


async def test_conversation_with_a_teams_agent_is_shared_but_for_wishes(urls, embedder, agent):
    talk = [{"sender": "human", "text": text} for text in (TALK[0], "I can't stand the smell of gas.")]
    record = {"uuid": "c-4", "created_at": "2026-06-02T08:00:00Z", "chat_messages": talk}
    policy = Policy(capture_scope="agent")
    async with CognitiveLayer.open(urls.app, policy=policy, embedder=embedder) as team:
        report = await team.admin.preview_import(agent, [json.dumps(record)], user_id="ada")
        ids = await team.admin.import_lines(agent, [json.dumps(record)], user_id="ada")
        owners = [memory.user_id for memory in await team.get(agent, ids, user_id="ada")]
    assert (report.new, report.users) == (len(ids), {"ada": 1})
    assert (owners.count("ada"), owners.count(None)) == (1, 3)


async def test_longer_conversation_adds_only_its_new_exchanges(layer, agent):
    def export(*texts):
        senders = ("human", "assistant") * len(texts)
        talk = [{"sender": sender, "text": text} for sender, text in zip(senders, texts, strict=False)]
        return json.dumps({"uuid": "c-3", "created_at": "2026-06-02T08:00:00Z", "chat_messages": talk})

    more = ("Which crane is on berth 7?", "The red crane is on berth 7.")
    await layer.admin.import_lines(agent, [export(TALK[0], TALK[2])])
    longer = [export(TALK[0], TALK[2], *more), export(TALK[0], TALK[2], *more)]
    report = await layer.admin.preview_import(agent, longer)
    new = await layer.admin.import_lines(agent, longer)
    assert [memory.content for memory in await layer.get(agent, new)] == list(more)
    assert (report.new, report.merged) == (2, 6)


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
    assert [line for line in lines if line.startswith("## ")] == ["## Decisions", "## Episodes"]
    assert r"- ~~We use \*MySQL\*.~~" in lines
    about = lines[lines.index("- We use Postgres.") + 1]
    assert about.endswith(", pinned, #db*")
    spoken = lines.index(r"- Ada: \# Not a title")
    assert lines[spoken + 1] == r"  \- nor a list"
    only = [line async for line in layer.admin.export_markdown(agent, {"type": {"eq": "episode"}})]
    assert "## Decisions" not in only
