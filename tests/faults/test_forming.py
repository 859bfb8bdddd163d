"""Processes that are killed while memories are formed: each turn forms its memories once, by rules and by a model."""

from __future__ import annotations

import asyncio
import json
import random
from contextlib import asynccontextmanager
from multiprocessing.connection import Connection

import asyncpg
import pytest
from forked import forked

from benchmarks.chaos.sample_data import WordEmbedder
from cognitive import CognitiveLayer, ModelExtractor, Outcome, Policy, Turn

POLICY = Policy(capture="user", deadline_ms=5_000, trust={"max_per_source": 9})
TURNS = 12


async def answer(prompt: str) -> str:
    """Form one memory of each exchange, from its first words."""
    await asyncio.sleep(0)
    said = [json.loads(line.removeprefix("user: ")) for line in prompt.splitlines() if line.startswith("user: ")]
    found = [{"kind": "fact", "text": f"Noted: {text[:20]}", "quote": text.split(".")[0]} for text in said]
    return json.dumps({"memories": found})


@asynccontextmanager
async def opened(url: str):
    model = ModelExtractor(answer)
    async with CognitiveLayer.open(url, policy=POLICY, embedder=WordEmbedder(), extractor=model) as layer:
        yield layer


def say_lines(talk: Connection, url: str, agent: str, first: int) -> None:
    """Run the turns from `first` on; send a message after each outcome."""

    async def main() -> None:
        async with opened(url) as layer:
            for n in range(first, TURNS):
                text = f"Harbour number {n} has the ledger. My cat number {n} is called Cat{n}."
                context = await layer.pre_turn(Turn(agent_id=agent, session_id="s", text=text, turn_id=f"t{n}"))
                await layer.post_turn(context, Outcome(response="Noted."))
                talk.send(n)

    asyncio.run(main())


async def counts(url: str, agent: str) -> tuple[int, int]:
    """Return the numbers of turns that rules and the model are still to read."""
    connection = await asyncpg.connect(url)
    try:
        row = await connection.fetchrow(
            "SELECT count(*) FILTER (WHERE forming), count(*) FILTER (WHERE model_state = 'waiting')"
            " FROM cognitive.turn WHERE agent_id = $1",
            agent,
        )
        await connection.execute("UPDATE cognitive.turn SET model_due = NULL WHERE agent_id = $1", agent)
    finally:
        await connection.close()
    return row[0], row[1]


@pytest.mark.parametrize("seed", [1, 2, 3])
async def test_killed_process_forms_each_memory_once(urls, agent, seed):
    chance, done = random.Random(seed), 0
    while done < TURNS:
        async with forked(say_lines, urls.app, agent, done) as client:
            for _ in range(min(chance.randint(1, 4), TURNS - done)):
                done = await client.receive() + 1
            await client.kill()
    while await counts(urls.admin, agent) != (0, 0):
        async with opened(urls.app) as layer:
            await layer.pre_turn(Turn(agent_id=agent, session_id="other", text="Good morning!"))
    async with opened(urls.app) as layer:
        formed = await layer.admin.find(agent, {"tags": {"eq": "formed"}}, limit=200)
    by_rules = [memory.content for memory in formed if not memory.attributes["formed_by"].startswith("model")]
    by_model = [memory.source for memory in formed if memory.attributes["formed_by"].startswith("model")]
    assert sorted(by_rules) == sorted(f"My cat number {n} is called Cat{n}." for n in range(TURNS))
    assert sorted(by_model) == sorted(f"turn/t{n}/user" for n in range(TURNS))
