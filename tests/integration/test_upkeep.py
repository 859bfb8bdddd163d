"""The upkeep lists name duplicates, contradictions and stale memories, each with its reason, a page at a time."""

from __future__ import annotations

import json
from datetime import UTC, datetime, timedelta

import asyncpg
import pytest

from benchmarks.upkeep_texts import texts
from cognitive import ALL_USERS, CognitiveLayer, NewMemory, Outcome, Policy, Turn
from cognitive.errors import InvalidInput

AT = datetime(2026, 3, 1, 9, 0, tzinfo=UTC)


@pytest.fixture
async def layer(urls, embedder):
    policy = Policy(deadline_ms=10_000, abstention=False)
    async with CognitiveLayer.open(urls.app, policy=policy, embedder=embedder) as layer:
        yield layer


@pytest.fixture(scope="module")
def pairs(root):
    return json.loads((root / "tests" / "data" / "upkeep.json").read_text(encoding="utf-8"))


async def store(layer, agent, contents, type_="fact"):
    new = [
        NewMemory(type=type_, content=content, occurred_at=AT + timedelta(hours=n), source=f"{type_} {n}")
        for n, content in enumerate(contents)
    ]
    return await layer.remember(agent, new)


async def listed(call, agent, limit=50):
    """Return the contents of all pairs of a list, read page by page."""
    found, page = [], await call(agent, limit)
    while True:
        assert len(page.items) <= limit
        found += [(each.older.content, each.newer.content) for each in page.items]
        if page.next is None:
            return found
        page = await call(agent, limit, page.next)


async def test_duplicates_are_listed_and_siblings_are_not(layer, agent, pairs):
    restated = [pair for pair in pairs if pair["kind"] == "restated"]
    siblings = [pair for pair in pairs if pair["kind"] == "sibling"]
    chosen = list({pair["first"]: pair for pair in restated}.values())
    await store(layer, agent, [text for pair in [*chosen, *siblings] for text in (pair["first"], pair["second"])])
    found = {frozenset(pair) for pair in await listed(layer.upkeep.duplicates, agent)}
    right = {frozenset((pair["first"], pair["second"])) for pair in chosen}
    wrong = {frozenset((pair["first"], pair["second"])) for pair in siblings}
    assert len(found & right) >= 0.85 * len(right)
    assert len(found & wrong) <= 0.05 * len(wrong)


async def test_lists_name_the_user_of_a_memory_and_never_pair_two_users(layer, agent):
    said = {None: "Shelf 3 holds bolts.", "ann": "The door code is 4471.", "bob": "The door code is 8820."}
    await layer.remember(agent, [NewMemory(type="fact", content=said[user], user_id=user) for user in said])
    changed = NewMemory(type="fact", content="The door code is 5512.", user_id="ann")
    await layer.remember(agent, [changed, NewMemory(type="fact", content=said["ann"], source="twice", user_id="ann")])
    twins = [NewMemory(type="fact", content=said[user], source="again", user_id="bob") for user in (None, "ann")]
    [shelf, _] = await layer.remember(agent, twins)
    pairs = [
        (each.older, each.newer)
        for call in (layer.upkeep.duplicates, layer.upkeep.contradictions)
        for each in (await call(agent, user_id=ALL_USERS)).items
    ]
    users = [{older.user_id, newer.user_id} for older, newer in pairs]
    assert {"ann"} in users
    assert {None, "bob"} in users
    assert (said["ann"], changed.content) in {(older.content, newer.content) for older, newer in pairs}
    assert {"ann", "bob"} not in users
    assert shelf in {memory.id for pair in pairs for memory in pair}


async def test_contradictions_are_listed_newest_first_with_both_values(layer, agent):
    await store(
        layer,
        agent,
        [
            "The door code is 4471.",
            "Ana works at Siemens.",
            "Shelf 3 holds bolts.",
            "Shelf 4 holds nuts.",
            "The code of the door is now 8820.",
            "Ana works at Bosch.",
            "The door code is 8820.",
        ],
    )
    page = await layer.upkeep.contradictions(agent)
    assert [(each.older.content, each.newer.content) for each in page.items] == [
        ("Ana works at Siemens.", "Ana works at Bosch."),
        ("The door code is 4471.", "The code of the door is now 8820."),
    ]
    assert "4471" in page.items[1].reason
    assert "8820" in page.items[1].reason
    assert len(await listed(layer.upkeep.contradictions, agent)) == 2


async def test_similar_statements_with_other_values_come_behind_equal_claims(layer, agent):
    await store(
        layer,
        agent,
        [
            "The payments API returns 409 when an idempotency key is reused.",
            "Doris takes 20 mg of lisinopril.",
            "The door code is 4471.",
            "The code of the door is now 8820.",
            "Doris's lisinopril dose is 40 mg.",
            "The payments API returns 422 when an idempotency key is reused.",
            "Dina's train leaves at 7:10.",
            "Dina's train arrives at 9:40.",
        ],
    )
    found = [{first, second} for first, second in await listed(layer.upkeep.contradictions, agent)]
    assert found[0] == {"The door code is 4471.", "The code of the door is now 8820."}
    assert {"Doris takes 20 mg of lisinopril.", "Doris's lisinopril dose is 40 mg."} in found
    assert len(found) == 3


async def test_pair_with_claims_not_stored_is_listed(layer, agent, urls):
    contents = ["The door code of the depot is 4471.", "The door code of the depot is 8820."]
    [older, _] = await store(layer, agent, contents)
    connection = await asyncpg.connect(urls.admin)
    try:
        changed = "UPDATE cognitive.memory SET claim = NULL WHERE agent_id = $1 AND id = $2"
        await connection.execute(changed, agent, older)
    finally:
        await connection.close()
    assert await listed(layer.upkeep.contradictions, agent) == [tuple(contents)]


async def test_first_person_statements_of_two_speakers_are_not_listed(layer, agent):
    said = [
        ("Ana", "My budget for the trip to Oslo is 4000 euros."),
        ("Ben", "My budget for the trip to Oslo is 9000 euros."),
        ("Ana", "My dose of lisinopril from doctor Weber is 20 mg."),
        ("Ben", "I take 40 mg of lisinopril from doctor Weber."),
        (None, "My dose of ibuprofen from doctor Adler is 200 mg."),
        ("human", "I take 400 mg of ibuprofen from doctor Adler."),
        ("Ana", "The museum in Oslo closes at 17:00."),
        ("Ben", "The museum in Oslo closes at 20:00."),
    ]
    new = [
        NewMemory(type="fact", content=content, speaker=speaker, occurred_at=AT + timedelta(hours=n))
        for n, (speaker, content) in enumerate(said)
    ]
    await layer.remember(agent, new)
    found = {frozenset(pair) for pair in await listed(layer.upkeep.contradictions, agent)}
    assert found == {frozenset(content for _, content in said[n : n + 2]) for n in (4, 6)}


async def test_equal_first_person_statements_of_two_speakers_are_no_duplicates(layer, agent):
    said = {
        "Ana": "I usually drink green tea in the early morning.",
        "Ben": "In the early morning I usually drink green tea.",
    }
    await layer.remember(agent, [NewMemory(type="fact", content=said[name], speaker=name) for name in said])
    assert await listed(layer.upkeep.duplicates, agent) == []
    same = f"{agent}-same"
    await layer.remember(same, [NewMemory(type="fact", content=said[name], speaker="Ana") for name in said])
    [pair] = await listed(layer.upkeep.duplicates, same)
    assert set(pair) == set(said.values())


async def test_line_and_what_was_formed_from_it_are_no_duplicates(layer, agent):
    line = {"content": "our boiler is in the cellar of the old house", "source": "turn/t1/user"}
    told_again = {"content": "Our boiler is in the cellar of the old house!", "source": "turn/t2/user"}
    told = "Our boiler is in the cellar of the old house."
    formed = NewMemory(type="episode", content=told, source="turn/t1/user", attributes={"formed_by": "mine_is/1"})
    await layer.remember(agent, [formed, *(NewMemory(type="episode", **each) for each in (line, told_again))])
    pairs = [set(pair) for pair in await listed(layer.upkeep.duplicates, agent)]
    assert {line["content"], formed.content} not in pairs
    assert any(told_again["content"] in pair for pair in pairs)


async def test_most_planted_pairs_are_listed_among_other_memories(layer, agent, pairs):
    planted = [pair for pair in pairs if pair["kind"] != "sibling"]
    contents = list(dict.fromkeys(text for pair in planted for text in (pair["first"], pair["second"])))
    await store(layer, agent, [*texts(1_000), *contents])
    for call, kind, share in (
        (layer.upkeep.duplicates, "restated", 0.85),
        (layer.upkeep.contradictions, "contradiction", 0.75),
    ):
        found = {frozenset(pair) for pair in await listed(call, agent, 200)}
        right = {frozenset((pair["first"], pair["second"])) for pair in planted if pair["kind"] == kind}
        assert len(found & right) >= share * len(right)
        assert sum(pair.isdisjoint(contents) for pair in found) <= 0.3 * len(found)


async def test_changed_memory_no_longer_contradicts(layer, agent):
    ids = await store(layer, agent, ["The door code is 4471.", "The door code is 8820."])
    assert len((await layer.upkeep.contradictions(agent)).items) == 1
    await layer.update(agent, ids[0], content="The gate code is 4471.")
    assert (await layer.upkeep.contradictions(agent)).items == ()


async def test_hidden_memories_and_other_types_are_not_listed(layer, agent):
    ids = await store(
        layer, agent, ["The staging server listens on port 8181.", "Staging server listens on port 8181."]
    )
    await store(layer, agent, ["The staging server listens on port 8181."], "episode")
    assert len(await listed(layer.upkeep.duplicates, agent)) == 1
    await layer.merge(agent, ids[:1], ids[1])
    assert await listed(layer.upkeep.duplicates, agent) == []
    ids = await store(layer, agent, ["The door code is 4471.", "The door code is 8820."], "decision")
    assert len(await listed(layer.upkeep.contradictions, agent)) == 1
    await layer.retire(agent, ids[:1])
    assert await listed(layer.upkeep.contradictions, agent) == []


async def test_pages_hold_each_pair_once(layer, agent, pairs):
    restated = list({pair["first"]: pair for pair in pairs if pair["kind"] == "restated"}.values())[:20]
    await store(layer, agent, [text for pair in restated for text in (pair["first"], pair["second"])])
    whole = await listed(layer.upkeep.duplicates, agent, 200)
    assert await listed(layer.upkeep.duplicates, agent, 3) == whole
    assert len(set(whole)) == len(whole) > 10


async def test_memory_that_is_shown_and_never_used_is_stale(layer, agent):
    [id] = await store(layer, agent, ["The pump of berth 2 was sealed with silicone."])
    for n in range(5):
        turn = Turn(agent_id=agent, session_id=f"s{n}", text="How was the pump of berth 2 sealed?")
        await layer.post_turn(await layer.pre_turn(turn), Outcome(response="I cannot say."))
    page = await layer.upkeep.stale(agent)
    assert [(each.memory.id, each.reason) for each in page.items] == [(id, "Shown 5 times and never used.")]
    assert page.next is None


async def test_list_of_an_agent_has_no_memory_of_another(layer, agent):
    await store(
        layer, f"{agent}-other", ["The door code is 4471.", "The door code is 8820.", "The code is 8820: door."]
    )
    for call in (layer.upkeep.duplicates, layer.upkeep.contradictions, layer.upkeep.stale):
        assert (await call(agent)).items == ()


@pytest.mark.parametrize("name", ["duplicates", "contradictions", "stale"])
@pytest.mark.parametrize("arguments", [{"limit": 0}, {"limit": 201}, {"limit": "5"}, {"after": "x"}, {"after": 5}])
async def test_invalid_page_gets_a_typed_error(layer, agent, name, arguments):
    with pytest.raises(InvalidInput, match=next(iter(arguments))):
        await getattr(layer.upkeep, name)(agent, **arguments)
