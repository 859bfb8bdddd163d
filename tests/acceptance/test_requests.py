"""Broad, dated and historical requests, which no single memory matches, on real Postgres under the default policy.

The stores, requests and questions of `tests/data/requests.json` were written by two people who had not seen the rules.
"""

from __future__ import annotations

import json
from datetime import UTC, datetime, timedelta
from pathlib import Path

import pytest

from cognitive import CognitiveLayer, NewMemory, Policy, Turn

DATA = json.loads((Path(__file__).parents[1] / "data" / "requests.json").read_text(encoding="utf-8"))
NOW = datetime(2026, 11, 23, 10, tzinfo=UTC)  # a Monday
MIN_EXPECTED = 0.7  # of the memories that a request is about, on average; long lists have a limit
MIN_EARLIER = 0.9  # of the questions about the past show the earlier memory


@pytest.fixture(scope="module")
async def layer(urls, embedder):
    async with CognitiveLayer.open(urls.app, embedder=embedder, policy=Policy(deadline_ms=20_000.0)) as opened:
        yield opened


def memory(type_: str, content: str, days: float = 5, **fields) -> NewMemory:
    return NewMemory(type=type_, content=content, occurred_at=NOW - timedelta(days=days), **fields)


def ask(agent: str, text: str, now: datetime = NOW, **fields) -> Turn:
    return Turn(agent_id=agent, session_id="s", text=text, now=now, **fields)


async def contents(layer, agent: str, text: str, **fields) -> list[str]:
    context = await layer.pre_turn(ask(agent, text, **fields))
    return [shown.content for shown in context.shown]


STORE = (
    memory("decision", "The beds are planted with garlic this year.", 4),
    memory("decision", "No peat is bought any more.", 90),
    memory("procedure", "Sharpen the hoe: clamp it, file along the edge, oil it.", 200),
    memory("fact", "The greenhouse key hangs behind the water butt.", 150),
    memory("fact", "The user is allergic to wasp stings.", 80),
    memory("episode", "Repaired the fence behind the compost.", 1),
    memory("episode", "Two hedgehogs were seen under the hedge.", 7),
)
GARLIC, PEAT, HOE, KEY, WASPS, FENCE, HEDGEHOGS = (each.content for each in STORE)


@pytest.mark.parametrize("store", DATA["stores"], ids=["household", "platform team", "school office"])
async def test_no_broad_request_ends_in_nothing(layer, agent, store):
    now = datetime.fromisoformat(store["now"])
    ids = await layer.remember(agent, [NewMemory(**each) for each in store["memories"]])
    shares = []
    for request in store["requests"]:
        context = await layer.pre_turn(ask(agent, request["text"], now))
        shown = {memory.memory_id for memory in context.shown}
        expected = {ids[n] for n in request["expected"]}
        assert shown & expected, request["text"]
        shares.append(len(shown & expected) / len(expected))
    assert sum(shares) / len(shares) >= MIN_EXPECTED


async def test_earlier_memories_answer_questions_about_the_past(layer, agent):
    found = 0
    for n, case in enumerate(DATA["history"]):
        own = f"{agent}-{n}"
        [old] = await layer.remember(own, [memory("fact", case["old"], 200)])
        await layer.remember(own, [memory("fact", case["new"], 40, supersedes=old)])
        context = await layer.pre_turn(ask(own, case["question"]))
        found += old in [shown.memory_id for shown in context.shown] and "(replaced on 2026-10-14)" in context.text
    assert found >= MIN_EARLIER * len(DATA["history"])


@pytest.mark.parametrize(
    ("text", "expected"),
    [
        ("What have we decided so far?", {GARLIC, PEAT}),
        ("which runbooks do we have?", {HOE}),
        ("list my allergies", {WASPS}),
        ("What did I do yesterday?", {FENCE}),
        ("Anything new since Thursday?", {GARLIC, FENCE}),
        ("what happened last week", {GARLIC, FENCE, HEDGEHOGS}),
        ("what happened between Nov 15 and Nov 17?", {HEDGEHOGS}),
        ("What did we decide this month?", {GARLIC}),
    ],
)
async def test_list_has_the_memories_of_its_types_and_dates_only(layer, agent, text, expected):
    await layer.remember(agent, STORE)
    assert set(await contents(layer, agent, text)) == expected


async def test_follow_up_keeps_the_list_and_changes_the_date(layer, agent):
    await layer.remember(agent, STORE)
    said = [{"role": "user", "content": "What happened yesterday?"}, {"role": "assistant", "content": "The fence."}]
    assert set(await contents(layer, agent, "and last Monday?", conversation=said)) == {HEDGEHOGS}


@pytest.mark.parametrize(
    "text",
    [
        "what's new?",
        "list three cities in France",
        "remind me to call mum tomorrow",
        "what do you know about photosynthesis?",
        "Tell me everything about black holes",
        "have you ever been so tired?",
        "What happened on 3 May 1998?",
    ],
)
async def test_other_messages_are_not_answered_by_a_list(layer, agent, text):
    await layer.remember(agent, STORE)
    assert await contents(layer, agent, text) == []


async def test_list_shows_the_newest_of_many_memories(layer, agent):
    many = [memory("decision", f"Bed {n} gets {n * 7} litres of compost.", n) for n in range(1, 61)]
    await layer.remember(agent, many)
    shown = await contents(layer, agent, "What have we decided so far?")
    assert 5 <= len(shown) <= 20
    assert shown == [each.content for each in many[: len(shown)]]


async def test_list_without_abstention_drops_nothing_as_irrelevant(urls, embedder, agent):
    policy = Policy(deadline_ms=20_000.0, abstention=False)
    async with CognitiveLayer.open(urls.app, embedder=embedder, policy=policy) as layer:
        await layer.remember(agent, STORE)
        context = await layer.pre_turn(ask(agent, "What have we decided so far?"))
    assert {GARLIC, PEAT, FENCE} <= {shown.content for shown in context.shown}
    assert "irrelevant" not in {each.disposition for each in context.trace.candidates}


async def test_list_leaves_out_hidden_and_filtered_memories(layer, agent):
    ids = await layer.remember(
        agent,
        [
            memory("decision", "The shed is painted red.", 3),
            memory("decision", "The pond is filled in.", 4),
            memory("decision", "The swing stays.", 5, metadata={"part": "play"}),
        ],
    )
    await layer.forget(agent, ids[:1])
    assert set(await contents(layer, agent, "List all decisions")) == {"The pond is filled in.", "The swing stays."}
    own = await contents(layer, agent, "List all decisions", where={"metadata.part": {"eq": "play"}})
    assert own == ["The swing stays."]


async def test_why_and_replay_know_the_list(layer, agent):
    await layer.remember(agent, STORE)
    context = await layer.pre_turn(ask(agent, "What have we decided so far?", turn_id="t"))
    explained = await layer.why(agent, "t", context.shown[0].memory_id)
    assert "listed: the message asks for all decisions" in explained.reason
    assert "the message asks for all decisions" in explained.summary
    [fact] = [each for each in context.trace.candidates if each.candidate.hit.content == KEY]
    left_out = await layer.why(agent, "t", fact.candidate.hit.memory_id)
    assert left_out.reason == "not listed: the message asks for all decisions"
    replayed = await layer.explain.replay(agent, "t")
    assert (replayed.verdict, replayed.text) == ("identical", context.text)


async def test_replaced_memory_is_shown_only_if_the_past_is_asked_for(layer, agent):
    [old] = await layer.remember(agent, [memory("fact", "The choir rehearses in the town hall.", 90)])
    new = memory("fact", "The choir rehearses in the old school.", 30, supersedes=old)
    await layer.remember(agent, [new])
    assert await contents(layer, agent, "Where does the choir rehearse?") == [new.content]
    context = await layer.pre_turn(ask(agent, "Where did the choir rehearse before?", turn_id="t"))
    assert old in [shown.memory_id for shown in context.shown]
    assert '"The choir rehearses in the town hall." (replaced on 2026-10-24)' in context.text
    assert "the message asks about the past" in (await layer.why(agent, "t", old)).reason
    assert (await layer.explain.replay(agent, "t")).verdict == "identical"
