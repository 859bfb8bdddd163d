"""Rollups equal a recount of the turns, in whatever order these were closed, rated and repeated."""

from __future__ import annotations

import asyncio
import random
from datetime import UTC, datetime, timedelta

import asyncpg
import pytest

from brain import rollups
from cognitive import CognitiveLayer, NewMemory, Outcome, Policy, Tool, ToolCall, Turn, TurnRef
from cognitive.tokens import count

AT = datetime(2026, 9, 1, 12, 30, tzinfo=UTC)
POLICY = Policy(abstention=False, dedup={"enabled": False}, deadline_ms=20_000)
RECOUNT = """
    SELECT date_trunc('hour', t.at, 'UTC') AS hour, count(DISTINCT t.turn_id) AS turns,
           count(DISTINCT t.turn_id) FILTER (WHERE t.status = 'completed') AS completed,
           count(DISTINCT t.turn_id) FILTER (WHERE t.status = 'failed') AS failed,
           count(e.memory_id) AS shown, count(*) FILTER (WHERE e.used) AS used,
           coalesce(sum(e.tokens), 0) AS tokens, coalesce(sum(e.tokens) FILTER (WHERE e.used), 0) AS used_tokens
    FROM cognitive.turn AS t LEFT JOIN cognitive.exposure AS e ON e.agent_id = t.agent_id AND e.turn_id = t.turn_id
         AND t.status = 'completed'
    WHERE t.agent_id = $1 AND t.status <> 'open' GROUP BY 1 ORDER BY 1"""
TALLIED = """
    SELECT at AS hour, sum(turns) AS turns, sum(completed) AS completed, sum(failed) AS failed, sum(shown) AS shown,
           sum(used) AS used, sum(tokens) AS tokens, sum(used_tokens) AS used_tokens
    FROM cognitive.rollup WHERE agent_id = $1 AND span = 'hour' AND dimension = $2 GROUP BY at ORDER BY at"""


@pytest.fixture(scope="module")
async def layer(urls, embedder):
    async with CognitiveLayer.open(urls.app, policy=POLICY, embedder=embedder) as layer:
        yield layer


@pytest.fixture
async def pumps(layer, agent):
    types = ("fact", "fact", "decision", "episode")
    return await layer.remember(
        agent,
        [
            NewMemory(type=each, content=f"The pump of berth {n} was sealed on pier {n}.", occurred_at=AT)
            for n, each in enumerate(types)
        ],
    )


async def fetch(urls, sql: str, *arguments) -> list[dict]:
    connection = await asyncpg.connect(urls.admin)
    try:
        return [dict(row) for row in await connection.fetch(sql, *arguments)]
    finally:
        await connection.close()


async def rows(urls, agent: str, by: str) -> dict[str, dict]:
    result = await fetch(
        urls, "SELECT * FROM cognitive.rollup WHERE agent_id = $1 AND span = 'day' AND dimension = $2", agent, by
    )
    return {row["value"]: row for row in result}


def make_turn(agent: str, **fields) -> Turn:
    usual = {"session_id": "s", "text": "Which pump of which berth was sealed?", "now": AT}
    return Turn(agent_id=agent, **usual | fields)


async def test_pinned_and_recalled_memories_count_with_their_tokens(layer, urls, agent, pumps):
    text = "Answer in whole sentences, and name the berth."
    [pinned] = await layer.remember(agent, [NewMemory(type="procedure", content=text, pinned=True)])
    context = await layer.pre_turn(make_turn(agent))
    shown = {memory.memory_id: memory.tokens for memory in context.shown}
    [crane] = await layer.remember(agent, [NewMemory(type="fact", content="The crane of dock 9 is painted green.")])
    hits = await layer.recall(agent, "green crane of the dock", limit=1, turn_id=context.turn_id)
    assert [hit.memory_id for hit in hits] == [crane]
    await layer.post_turn(context, Outcome(response="Sealed."))
    failed = await layer.pre_turn(make_turn(agent))
    await layer.post_turn(failed, Outcome(response="", status="failed"))

    [counted] = (await rows(urls, agent, "all")).values()
    assert {pinned, crane}.isdisjoint(shown)
    assert counted["pinned_tokens"] == context.trace.pinned_tokens == count(context.prefix) > 0
    assert counted["tokens"] == sum(shown.values()) + count("The crane of dock 9 is painted green.")
    assert (counted["shown"], context.trace.pinned) == (len(shown) + 1, 1)


async def test_rollups_equal_a_recount_of_the_turns(layer, urls, agent, pumps):
    chance = random.Random(7)
    contexts = [await layer.pre_turn(make_turn(agent, now=AT + timedelta(hours=n % 3))) for n in range(12)]

    async def close(n: int) -> None:
        used = tuple(chance.sample(pumps, chance.randint(1, 2)))
        outcome = Outcome(response="Sealed.", citations=used, status="failed" if n % 5 == 4 else "completed")
        await layer.post_turn(contexts[n] if n % 2 else TurnRef(agent, contexts[n].turn_id), outcome)
        await layer.post_turn(contexts[n], outcome)

    await layer.rate(agent, contexts[0].turn_id, pumps[0], useful=True)  # before its outcome
    await asyncio.gather(*(close(n) for n in range(10)))  # two stay open
    for n in (1, 2, 3, 4):
        for useful in (True, False, False):
            await layer.rate(agent, contexts[n].turn_id, chance.choice(pumps), useful=useful)

    recount = await fetch(urls, RECOUNT, agent)
    assert sum(row["shown"] for row in recount) > 20
    assert sum(row["used_tokens"] for row in recount) > 0
    for by in ("all", "frame"):
        assert await fetch(urls, TALLIED, agent, by) == recount
    by_type = await fetch(urls, TALLIED, agent, "type")
    assert [(row["shown"], row["used"], row["tokens"]) for row in by_type] == [
        (row["shown"], row["used"], row["tokens"]) for row in recount
    ]


async def test_rollups_separate_type_category_runtime_stage_and_tool(layer, urls, agent, pumps):
    turn = make_turn(
        agent, text="Debug the script: which pump was sealed?", runtime="pydantic-ai", tools=[Tool(name="exec")]
    )
    context = await layer.pre_turn(turn)
    await layer.post_turn(context, Outcome(response="Sealed.", tool_calls=[ToolCall(name="exec", result="ok")]))
    assert {"fact", "decision", "episode"} <= set(await rows(urls, agent, "type"))
    assert set(await rows(urls, agent, "runtime")) == {"pydantic-ai"}
    assert set(await rows(urls, agent, "category")) == set(context.plan.categories) != set()
    assert {f"{each}/exec" for each in context.plan.categories} == set(await rows(urls, agent, "tool"))
    stages = await rows(urls, agent, "stage")
    assert {"embed", "retrieve", "rank"} & set(stages)
    whole = (await rows(urls, agent, "all"))[""]
    assert sum(whole["latency"]) == 1
    assert whole["milliseconds"] >= sum(row["milliseconds"] for row in stages.values()) * 0.5


async def test_turn_without_relevant_memories_counts_as_abstained(urls, embedder, agent):
    async with CognitiveLayer.open(urls.app, policy=Policy(deadline_ms=20_000), embedder=embedder) as layer:
        await layer.remember(agent, [NewMemory(type="fact", content="The pump of berth 4 was sealed.")])
        context = await layer.pre_turn(make_turn(agent, text="Write a haiku about the first snow in the mountains."))
        assert not context.shown
        await layer.post_turn(context, Outcome(response="Snow."))
    assert (await rows(urls, agent, "all"))[""]["abstained"] == 1


async def test_erased_agent_leaves_no_rollups(layer, urls, agent, pumps):
    await layer.post_turn(await layer.pre_turn(make_turn(agent)), Outcome(response="Sealed."))
    await layer.erase_agent(agent)
    assert await fetch(urls, "SELECT 1 FROM cognitive.rollup WHERE agent_id = $1", agent) == []


async def test_add_counts_adds_arrays_element_by_element(urls):
    sums = await fetch(
        urls, "SELECT cognitive.add_counts('{1,2}', '{0,1,5}') AS sum, cognitive.add_counts('{}', '{}') AS none"
    )
    assert sums == [{"sum": [1, 3, 5], "none": []}]


@pytest.mark.parametrize("times", [[0.2, 0.7], [3.0] * 7, [1.5, 20.0, 48.0, 51.0, 60.0, 75.0, 250.0, 900.0], [1e9]])
def test_histogram_quantile_is_within_one_bucket_of_the_exact_value(times):
    counts = [0] * 80
    for ms in times:
        counts[rollups.bucket(ms)] += 1
    for share in (0.5, 0.95):
        exact = sorted(times)[min(len(times) - 1, int(share * len(times)))]
        estimate = rollups.quantile(counts, share)
        assert estimate <= 2**19.75
        if exact < 2**19:
            assert rollups.bucket(exact) - 2 <= rollups.bucket(estimate) <= rollups.bucket(exact) + 1


def test_empty_histogram_has_no_quantile():
    assert rollups.quantile([], 0.5) is None


async def test_concurrent_turns_are_each_counted_once(layer, urls, agent, pumps):
    """The turns lie in distant hours, are closed twice and rated at the same time: no deadlock may occur."""
    hours = (AT, AT + timedelta(hours=1), datetime(2001, 1, 1, tzinfo=UTC))
    contexts = [await layer.pre_turn(make_turn(agent, session_id=f"s{n % 5}", now=hours[n % 3])) for n in range(40)]
    outcome = Outcome(response="The pump of berth 1 was sealed on pier 1.")
    closing = [layer.post_turn(TurnRef(agent, each.turn_id), outcome) for each in contexts for _ in range(2)]
    rating = [
        layer.rate(agent, each.turn_id, shown.memory_id, useful=n % 2 == 0)
        for n, each in enumerate(contexts)
        for shown in reversed(each.shown)
    ]
    reports, _ = await asyncio.gather(asyncio.gather(*closing), asyncio.gather(*rating))
    assert sum(report.recorded and not report.duplicate for report in reports) == 40
    assert await fetch(urls, TALLIED, agent, "all") == await fetch(urls, RECOUNT, agent)
