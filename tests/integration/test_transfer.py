"""Export and import: our format losslessly, other systems' exports, idempotently, with numbered errors."""

from __future__ import annotations

import json
from datetime import UTC, datetime
from uuid import UUID

import pytest

from cognitive import ALL_USERS, CognitiveLayer, NewMemory, Outcome, Policy, Turn
from cognitive.api import exporter, importer
from cognitive.bootstrap import assemble
from cognitive.errors import InvalidInput
from cognitive.infrastructure import Extensions
from cognitive.policy.constants import Constants

AT = datetime(2026, 9, 1, 12, tzinfo=UTC)
QUESTION = "How many litres does pump 2 deliver?"
MEM0 = {
    "results": [
        {
            "id": "5c1f",
            "memory": "Likes green tea",
            "hash": "x",
            "metadata": None,
            "created_at": "2026-08-01T10:00:00+00:00",
            "updated_at": None,
            "user_id": "ada",
            "categories": ["food"],
        },
    ]
}
LANGGRAPH = {
    "namespace": ["users", "ada"],
    "key": "k1",
    "value": {"text": "Works nights", "n": 3},
    "created_at": "2026-08-01T10:00:00+00:00",
    "updated_at": "2026-08-02T10:00:00+00:00",
}


async def exported(layer, agent: str) -> list[str]:
    return [line async for line in layer.admin.export(agent)]


async def test_import_restores_the_export_once(layer, agent):
    mysql = NewMemory(type="decision", content="We use MySQL.", occurred_at=AT, trust="agent")
    [old] = await layer.remember(agent, [mysql])
    await layer.remember(
        agent,
        [
            NewMemory(
                type="decision",
                content="We use Postgres.",
                supersedes=old,
                occurred_at=AT,
                tags=("db",),
                entities=("Postgres",),
                confidence=0.5,
                pinned=True,
                attributes={"stakes": "high"},
                trust="agent",
            ),
            NewMemory(
                type="episode",
                content="Zeile \u2028 eins",
                speaker="Ada",
                context="Vorher",
                session_id="s",
                occurred_at=AT,
                source="x/1",
                trust="talk",
            ),
        ],
    )
    lines = await exported(layer, agent)
    there = f"{agent}-there"
    ids = await layer.admin.import_lines(there, lines)
    assert await exported(layer, there) == lines
    assert await layer.admin.import_lines(there, lines) == ids
    assert await layer.admin.import_lines(agent, lines) == [memory.id for memory in await layer.admin.find(agent)]
    assert (await layer.get(there, ids[:1]))[0].replaced_by == ids[1]


@pytest.mark.parametrize(
    ("line", "content", "source", "tags"),
    [
        (MEM0, "Likes green tea", "mem0/5c1f", ("food",)),
        (MEM0["results"][0], "Likes green tea", "mem0/5c1f", ("food",)),
        (LANGGRAPH, "Works nights", "langgraph/users/ada/k1", ("users", "ada")),
    ],
)
async def test_exports_of_other_systems_are_imported_as_foreign(layer, agent, line, content, source, tags):
    ids = await layer.admin.import_lines(agent, [json.dumps(line), "", json.dumps(line)])
    assert len(set(ids)) == 1
    [memory] = await layer.get(agent, ids[:1], user_id=ALL_USERS)
    assert memory.user_id == (None if "langgraph" in source else "ada")
    assert (memory.content, memory.source, memory.tags, memory.trust) == (content, source, tags, "foreign")
    assert memory.occurred_at.year == 2026


@pytest.fixture
async def alone(urls, embedder):
    """Yield a layer that does not use past turns, because an export does not contain them."""
    policy, alone = Policy(deadline_ms=10_000, abstention=False), Constants(association_max_similar=0)
    async with assemble(urls.app, policy, None, Extensions(embedder, constants=alone)) as services:
        yield CognitiveLayer(services)


async def use_agent(layer: CognitiveLayer, agent: str) -> None:
    """Give the agent memories, turns, ratings, revisions and policies."""
    pumps = [NewMemory(type="fact", content=f"Pump {n} delivers {n * 3} litres a minute.") for n in range(6)]
    ids = await layer.remember(agent, [*pumps, NewMemory(type="fact", content="Ask Ada of pumps.", pinned=True)])
    less_trusted = NewMemory(type="fact", content="Pump 4 leaks.", trust="talk", supersedes=ids[4], session_id="s")
    await layer.remember(agent, [less_trusted])  # does not supersede it: its trust is lower
    new = NewMemory(type="fact", content="Pump 5 was scrapped.", supersedes=ids[5], session_id="s")
    [scrapped] = await layer.remember(agent, [new])
    await layer.remember(agent, [NewMemory(type="fact", content="Pump 9 is on loan.", supersedes=ids[3])])
    for n in range(3):
        context = await layer.pre_turn(Turn(agent_id=agent, session_id="s", text=QUESTION, turn_id=f"t{n}"))
        await layer.post_turn(context, Outcome(response="Pump 2 delivers 6 litres a minute."))
    await layer.rate(agent, "t0", ids[1], useful=True)
    await layer.update(agent, ids[0], content="Pump 0 stands still.", tags=("idle",))
    await layer.update(agent, ids[0], content="Pump 0 runs again.", occurred_at=AT)
    await layer.forget(agent, [scrapped])  # the superseded memory stays superseded
    saved = await layer.policies.save(agent, {"usage.half_life_days": 9}, by="ada", note="it forgets too slowly")
    await layer.policies.activate(agent, saved.version, by="ada", note="tried in the lab")
    beside = await layer.policies.save(agent, {"usage.half_life_days": 30}, by="bob")
    await layer.policies.shadow(agent, beside.version, by="bob")


async def test_imported_agent_behaves_like_the_exported_one(alone, agent, monkeypatch):
    for module in (exporter, importer):
        monkeypatch.setattr(module, "BATCH", 3)  # several pages and batches
    await use_agent(alone, agent)
    there, now = f"{agent}-there", datetime(2027, 1, 1, tzinfo=UTC)
    lines = await exported(alone, agent)
    await alone.admin.import_lines(there, lines)
    assert await exported(alone, there) == lines

    async def shown(of: str) -> list[tuple]:
        context = await alone.pre_turn(Turn(agent_id=of, session_id="x", text=QUESTION, now=now))
        assert context.degraded == ()
        ranked = [result.candidate for result in context.trace.candidates]
        return [context.prefix, *((each.hit.memory_id, each.score, each.boost) for each in ranked)]

    assert await shown(there) == await shown(agent)
    for each in await alone.admin.find(agent):
        was, here = [
            [(r.number, r.previous, r.changed_at) for r in await alone.admin.revisions(of, each.id)]
            for of in (agent, there)
        ]
        assert was == here
    holds = await alone.policies.effective(there)
    assert (holds.live.usage.half_life_days, holds.shadow.usage.half_life_days) == (9, 30)
    assert (await alone.recall(there, QUESTION, now=now)) == (await alone.recall(agent, QUESTION, now=now))


@pytest.mark.parametrize(("own", "expected"), [(None, "german"), ("spanish", "spanish"), ("english", "english")])
async def test_empty_agent_adopts_the_language_of_the_export(alone, agent, own, expected):
    await alone.admin.set_language(agent, "german")
    await alone.remember(agent, [NewMemory(type="fact", content="Die Häuser am Hang.", occurred_at=AT)])
    lines, there = await exported(alone, agent), f"{agent}-there"
    if own is not None:
        await alone.admin.set_language(there, own)
    await alone.admin.import_lines(there, lines)
    assert await alone.admin.language(there) == expected
    assert (await alone.admin.reindexing.status(there)).lacking == 0
    [hit] = await alone.recall(there, "Haus", now=AT)
    assert ("content_bm25" in hit.scores) == (expected == "german")
    assert (await exported(alone, there) == lines) == (expected == "german")


async def test_export_has_a_language_only_if_it_was_chosen(alone, agent):
    clear = ["Die Sitzung ist auf den Dienstag verschoben.", "Der Raum war nicht frei, weil wir da sind."]
    await alone.remember(agent, [NewMemory(type="fact", content=each, occurred_at=AT) for each in clear])
    lines, there = await exported(alone, agent), f"{agent}-there"
    assert not any("cognitive-language-1" in line for line in lines)
    await alone.admin.import_lines(there, lines)
    status = await alone.admin.reindexing.status(there)
    assert (status.language, status.chosen) == ("german", False)
    await alone.admin.set_language(agent, "english")
    chosen, third = await exported(alone, agent), f"{agent}-third"
    await alone.admin.import_lines(third, chosen)
    status = await alone.admin.reindexing.status(third)
    assert (status.language, status.chosen) == ("english", True)
    assert await exported(alone, third) == chosen


async def test_agent_with_memories_keeps_its_language(alone, agent):
    await alone.remember(agent, [NewMemory(type="fact", content="The houses on the slope.", occurred_at=AT)])
    await alone.admin.import_lines(agent, ['{"form": "cognitive-language-1", "language": "german"}'])
    assert await alone.admin.language(agent) == "english"


async def test_import_keeps_the_agents_own_policy_and_memories(alone, agent):
    await use_agent(alone, agent)
    lines, there = await exported(alone, agent), f"{agent}-there"
    own = await alone.policies.save(there, {"usage.half_life_days": 5}, by="bob")
    await alone.policies.activate(there, own.version, by="bob")
    [mine] = await alone.remember(there, [NewMemory(type="fact", content="Pump 9 is on loan.", source="own")])
    for _ in range(2):  # as after an interrupted import
        ids = await alone.admin.import_lines(there, lines)
        assert (await alone.policies.effective(there)).live.usage.half_life_days == 5
        assert len(await alone.admin.find(there)) == len(set(ids)) + 1
        assert mine not in ids


async def test_existing_memory_replaces_its_imported_duplicate(alone, agent):
    old, new = (NewMemory(type="fact", content=content, occurred_at=AT) for content in ("It is blue.", "It is red."))
    [was] = await alone.remember(agent, [old])
    await alone.remember(agent, [new.model_copy(update={"supersedes": was})])
    there = f"{agent}-there"
    [here] = await alone.remember(there, [new])
    ids = await alone.admin.import_lines(there, await exported(alone, agent))
    assert ids == [was, here]
    assert (await alone.get(there, [was]))[0].replaced_by == here


async def test_imported_chain_of_replacements_keeps_all_links(layer, agent):
    chain: list[UUID] = []
    for content in ("We use MySQL.", "We use Postgres 15.", "We use Postgres 17."):
        replaced = chain[-1] if chain else None
        chain += await layer.remember(agent, [NewMemory(type="fact", content=content, supersedes=replaced)])
    ids = await layer.admin.import_lines(agent, await exported(layer, agent), user_id="bob")
    imported = await layer.get(agent, ids, user_id="bob")
    assert [(m.supersedes, m.replaced_by) for m in imported] == [(None, ids[1]), (ids[0], ids[2]), (ids[1], None)]


KEPT = {"created_at": AT.isoformat(), "updated_at": AT.isoformat()}
OURS = {
    "form": "cognitive-memory-2",
    "id": "00000000-0000-4000-8000-000000000001",
    "type": "fact",
    "content": "x",
    **KEPT,
}
USED = {"shown": 1, "used": 1, "times_shown": 1, "times_used": 1, "last_at": AT.isoformat()}
CHANGE = {"number": 1, "changed_at": AT.isoformat()}


@pytest.mark.parametrize(
    ("bad", "culprit"),
    [
        (OURS | {"usage": USED | {"shown": -1}}, "shown"),
        (OURS | {"usage": USED | {"shown": float("inf")}}, "shown"),
        (OURS | {"usage": USED | {"times_used": 2**63}}, "times_used"),
        (OURS | {"revisions": [CHANGE | {"previous": {"content": " "}}]}, "revision 1: .*content"),
        (OURS | {"revisions": [CHANGE | {"previous": {"colour": "red"}}]}, "revision 1: .*colour"),
        (OURS | {"revisions": [CHANGE | {"previous": {}}] * 2}, "the numbers must increase"),
        (OURS | {"created_at": "2026-09-01T12:00:00"}, "created_at"),
        (OURS | {"replaced_by": "x"}, "replaced_by"),
        ({"form": "cognitive-language-1", "language": "deutsch"}, "'deutsch'.*german"),
        ({"form": "cognitive-base-1", "type": "dream"}, "type"),
        (
            {"form": "cognitive-policy-1", "role": "live", "by": "x", "changes": {"trust.min_level": 1}},
            "trust.min_level",
        ),
    ],
)
async def test_file_with_an_invalid_line_stores_nothing(layer, agent, bad, culprit):
    good = OURS | {"id": "00000000-0000-4000-8000-000000000002", "content": "Good."}
    with pytest.raises(InvalidInput, match=f"line 2: .*{culprit}"):
        await layer.admin.import_lines(agent, [json.dumps(good), json.dumps(bad)])
    assert await layer.admin.find(agent) == []


async def test_duplicate_memory_ids_are_refused(layer, agent):
    with pytest.raises(InvalidInput, match="line 2: duplicate memory id"):
        await layer.admin.import_lines(agent, [json.dumps(OURS), json.dumps(OURS | {"content": "y"})])


async def test_old_export_without_usage_is_imported(layer, agent):
    old_line = {name: value for name, value in OURS.items() if name not in KEPT} | {"form": "cognitive-memory-1"}
    newer = old_line | {"id": "00000000-0000-4000-8000-000000000002", "content": "y", "supersedes": old_line["id"]}
    ids = await layer.admin.import_lines(agent, [json.dumps(old_line), json.dumps(newer)])
    assert (await layer.get(agent, ids[:1]))[0].replaced_by == ids[1]


@pytest.mark.parametrize("bad", ["{", "7", '{"colour": "red"}', '{"id": "1", "memory": "x"', "[" * 1_000 + "]" * 1_000])
async def test_unreadable_line_is_named_by_its_number(layer, agent, bad):
    with pytest.raises(InvalidInput, match="line 3"):
        await layer.admin.import_lines(agent, [json.dumps(LANGGRAPH), "", bad])
