"""`recall` fills its limit: no cap per source, near-identical lines are one hit, and `more` counts what is left."""

from __future__ import annotations

from datetime import UTC, datetime, timedelta

import pytest
from mcp import Client

from cognitive import CognitiveLayer, NewMemory, Outcome, Policy, Turn
from cognitive.runtimes.mcp import McpScope, create_server

AT = datetime(2026, 9, 1, 12, tzinfo=UTC)
NOTES = (
    "The staging cluster runs on three nodes in Frankfurt.",
    "Deploys to the cluster need two approvals.",
    "The cluster's certificates are renewed by Ada.",
    "Logs of the cluster are kept for thirty days.",
    "The cluster's registry is at registry.example.org.",
    "On weekends the cluster is scaled down to one node.",
    "The cluster budget is 900 euros a month.",
    "Ben upgraded the cluster to version 1.31 in June.",
    "Backups of the cluster run at 02:00.",
    "The cluster's ingress is traefik.",
)
THANKS = ("Thanks, the pump report is noted!", "thanks - the pump report is noted", "Thanks, the pump report is noted.")


@pytest.fixture(scope="module")
async def capturing(urls, embedder):
    policy = Policy(capture="exchange", deadline_ms=10_000)
    async with CognitiveLayer.open(urls.app, policy=policy, embedder=embedder) as layer:
        yield layer


async def keep_notes(layer, agent):
    async with Client(create_server(layer, McpScope(agent, may_remember=True)), mode="legacy") as client:
        for note in NOTES:
            await client.call_tool("remember", {"content": note})


async def ask(layer, agent, query, **arguments):
    async with Client(create_server(layer, McpScope(agent)), mode="legacy") as client:
        return await client.call_tool("recall_context", {"query": query, **arguments})


async def talk(layer, agent):
    """Capture thirty exchanges in one session: each a statement, and an acknowledgement that repeats itself."""
    for n in range(30):
        text = f"Pump {n} of hall {n % 7} was checked on {1 + n % 28} September and needs part {400 + n}."
        turn = Turn(agent_id=agent, session_id="pumps", text=text, now=AT + timedelta(minutes=n), turn_id=f"t{n}")
        await layer.post_turn(await layer.pre_turn(turn), Outcome(response=THANKS[n % len(THANKS)]))


async def test_ten_notes_kept_over_mcp_are_all_recalled(layer, agent):
    await keep_notes(layer, agent)
    hits = await layer.recall(agent, "What do we know about the cluster?", limit=10)
    assert {hit.content for hit in hits} == set(NOTES)
    assert hits.more == 0


async def test_mcp_says_how_many_more_were_found(layer, agent):
    await keep_notes(layer, agent)
    answer = await ask(layer, agent, "What do we know about the cluster?", limit=4)
    assert len(answer.structured_content["memories"]) == 4
    assert answer.structured_content["more"] == 6
    assert "At least 6 more were found" in answer.content[0].text
    every = await ask(layer, agent, "What do we know about the cluster?", limit=10)
    assert every.structured_content["more"] == 0
    assert "more were found" not in every.content[0].text


async def test_acknowledgements_of_a_talk_are_one_hit(capturing, agent):
    await talk(capturing, agent)
    hits = await capturing.recall(agent, "the pump report", limit=50, now=AT + timedelta(hours=1))
    assert len(hits) == 31  # thirty statements, and one hit for the thirty acknowledgements
    [thanks] = [hit for hit in hits if hit.content in THANKS]
    assert (thanks.count, len(set(thanks.alike))) == (30, 29)
    assert all(hit.count == 1 for hit in hits if hit is not thanks)


async def test_folded_lines_do_not_use_up_the_limit(capturing, agent):
    """The acknowledgements match best: a search for five memories alone would find nothing else."""
    await talk(capturing, agent)
    hits = await capturing.recall(agent, "thanks, the pump report is noted", limit=5, now=AT + timedelta(hours=1))
    assert len(hits) == 5
    assert sum(hit.content in THANKS for hit in hits) == 1


async def test_recall_within_a_turn_fills_the_limit_with_new_memories(layer, agent):
    await layer.remember(agent, [NewMemory(type="fact", content=note, occurred_at=AT) for note in NOTES])
    question = "Who renews the certificates of the cluster?"
    context = await layer.pre_turn(Turn(agent_id=agent, session_id="s", text=question, now=AT, turn_id="t"))
    shown = {memory.content for memory in context.shown}
    assert 0 < len(shown) < len(NOTES)
    hits = await layer.recall(agent, question, limit=len(NOTES) - len(shown), turn_id="t", now=AT)
    assert {hit.content for hit in hits} == set(NOTES) - shown


async def test_copies_of_a_memory_that_the_prompt_shows_are_left_out(urls, embedder, agent):
    policy = Policy(abstention=False, deadline_ms=10_000)
    said = [
        NewMemory(type="episode", content=each, speaker="Ada", session_id=f"s{n}", occurred_at=AT)
        for n, each in enumerate(THANKS)
    ]
    question = "What did Ada say about the pump report?"
    async with CognitiveLayer.open(urls.app, policy=policy, embedder=embedder) as layer:
        await layer.remember(agent, said)
        context = await layer.pre_turn(Turn(agent_id=agent, session_id="s", text=question, now=AT, turn_id="t"))
        assert len(context.shown) == 1
        assert await layer.recall(agent, question, turn_id="t", now=AT) == ()


@pytest.mark.parametrize(
    ("one", "other"),
    [
        ("The pump of hall 3 is on.", "The pump of hall 3 is off."),
        ("The pump of hall 3 runs.", "The pump of hall 4 runs."),
        ("Ada told Ben about the leak.", "Ben told Ada about the leak."),
        ("The pump may start.", "The pump may not start."),
    ],
)
async def test_lines_with_a_difference_are_not_folded(layer, agent, one, other):
    await layer.remember(agent, [NewMemory(type="fact", content=each, occurred_at=AT) for each in (one, other)])
    assert [hit.count for hit in await layer.recall(agent, "pump leak hall", now=AT)] == [1, 1]


async def test_equal_lines_that_differ_in_a_field_are_not_folded(layer, agent):
    said = [
        NewMemory(type="episode", content="I take the keys.", speaker=who, occurred_at=AT) for who in ("Ada", "Ben")
    ]
    decided = [
        NewMemory(type="decision", content="Buy the pump.", attributes={"outcome": outcome}, session_id=outcome)
        for outcome in ("success", "failure")
    ]
    read = [NewMemory(type="fact", content="The pump is blue.", source=source) for source in ("manual", "letter")]
    await layer.remember(agent, said + decided + read)
    assert [hit.count for hit in await layer.recall(agent, "keys pump")] == [1] * 6


async def test_note_of_several_sessions_is_one_hit(layer, agent):
    notes = [NewMemory(type="fact", content="The pump is blue.", session_id=f"s{n}", trust="agent") for n in range(3)]
    ids = await layer.remember(agent, notes)
    [hit] = await layer.recall(agent, "pump")
    assert {hit.memory_id, *hit.alike} == set(ids)


async def test_order_of_a_recall_is_the_order_of_its_scores(layer, agent):
    texts = ("The pump room's door code is 4471.", "The pump room's door code is 9002 now.", "Pumps hum.", "Pumps hum!")
    notes = [NewMemory(type="fact", content=text, occurred_at=AT + timedelta(days=n)) for n, text in enumerate(texts)]
    await layer.remember(agent, notes)
    hits = await layer.recall(agent, "pump room's door code is 4471?")
    assert [hit.count for hit in hits] == [1, 1, 2]
    assert [hit.score for hit in hits] == sorted([hit.score for hit in hits], reverse=True)
