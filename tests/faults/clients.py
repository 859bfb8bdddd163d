"""Texts of the fault tests, and the client processes that they kill (see `tests.forked`)."""

from __future__ import annotations

import asyncio
import os
import random
import signal
from datetime import timedelta
from multiprocessing.connection import Connection
from pathlib import Path

from benchmarks.chaos.sample_data import ASKED, AT, KEY, TOPICS, WordEmbedder
from brain.changes.backfill import Pace
from brain.embedding.minilm import MiniLM
from brain.embedding.wordllama import WordLlama
from cognitive import CognitiveLayer, NewMemory, Outcome, Policy, Turn

TOLERANT = Policy(abstention=False, deadline_ms=5_000)  # only faults, not a busy machine, may degrade a turn
ANSWER = Outcome(response="It hangs behind the barometer in the boat house.")


def lines(n: int, first: int = 0) -> list[NewMemory]:
    return [
        NewMemory(
            type="episode",
            content=f"Entry {k}: the {TOPICS[k % 10]} was inspected for the {k}th time.",
            source=f"line-{k}",
            session_id=f"s{k // 50}",
            occurred_at=AT + timedelta(minutes=k),
        )
        for k in range(first, first + n)
    ]


def turn(agent: str, text: str = ASKED, **fields) -> Turn:
    return Turn(agent_id=agent, session_id="talk", text=text, **({"now": AT + timedelta(days=2)} | fields))


def kill_own_server(talk: Connection) -> None:
    """Kill the embedded server twice between turns.

    Sends the number of memories found and the degradations of the last turn.
    """

    async def main() -> None:
        pid_file = Path(os.environ["COGNITIVE_DATA_DIR"]) / "postgres" / "cluster" / "postmaster.pid"
        async with CognitiveLayer.open(policy=TOLERANT, embedder=WordEmbedder()) as layer:
            await layer.remember("a", [NewMemory(type="fact", content=KEY)])
            for n in range(2):
                os.kill(int(pid_file.read_text().split()[0]), signal.SIGKILL)
                await layer.pre_turn(turn("a"))
                await layer.remember("a", lines(20, first=20 * n))
                context = await layer.pre_turn(turn("a"))
                assert KEY in context.text, context.degraded
                await layer.post_turn(context, ANSWER)
            found = await layer.recall("a", "crane harbour ledger turbine entry", limit=200)
            talk.send((len(found), context.degraded))

    asyncio.run(main())


def remember_lines(talk: Connection, url: str, agent: str) -> None:
    """Remember 600 lines and send a message after each batch."""

    async def main() -> None:
        async with CognitiveLayer.open(url, embedder=WordEmbedder()) as layer:
            await layer.remember(agent, lines(600), progress=lambda *_: talk.send("batch"))

    asyncio.run(main())


def deliver_outcomes(talk: Connection, url: str, agent: str, seed: int, wait: bool) -> None:
    """Run turns and deliver their outcomes, some twice.

    Sends the id and the number of shown memories of each acknowledged turn.
    """

    async def main() -> None:
        chance, delivered = random.Random(seed), []
        async with CognitiveLayer.open(url, policy=TOLERANT, embedder=WordEmbedder()) as layer:
            for n in range(1000):
                context = await layer.pre_turn(turn(agent, turn_id=f"{seed}-{n}"))
                if wait:
                    talk.send("ready")
                    talk.recv()
                await layer.post_turn(context, ANSWER)
                talk.send((context.turn_id, len(context.shown)))
                delivered.append(context)
                await layer.post_turn(chance.choice(delivered), ANSWER)

    asyncio.run(main())


def report_extractions(talk: Connection, url: str) -> None:
    """Send the ids of the turns passed to the extractor, until a message ends the process."""

    async def extract(exchange):
        talk.send(exchange.turn_id)
        return []

    async def main() -> None:
        async with CognitiveLayer.open(url, policy=TOLERANT, embedder=WordEmbedder(), extractor=extract):
            talk.send("ready")
            await asyncio.to_thread(talk.recv)

    asyncio.run(main())


def reembed_memories(talk: Connection, url: str, agent: str) -> None:
    """Embed an agent's memories slowly with the second of two real models."""

    async def main() -> None:
        async with CognitiveLayer.open(url, embedder=(WordLlama(), MiniLM())) as layer:
            await layer.admin.reembedding.begin(agent, MiniLM.model)
            await layer.admin.reembedding.fill(agent, MiniLM.model, Pace(batch=8, load=0.3))

    asyncio.run(main())
