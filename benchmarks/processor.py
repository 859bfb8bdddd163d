"""Measure the processor time of whole turns with their background work, beside peers.

    python -m benchmarks.processor 20000 --agents 1000 --turns 300

Each system is asked the same questions over the same memories and stores each exchange, one system after the other. Its
processor time is that of this process and of all processes of Postgres, until its background work is done. The group
`peers` must be installed.
"""

from __future__ import annotations

import argparse
import asyncio
from collections.abc import Sequence
from dataclasses import dataclass
from time import process_time
from typing import NamedTuple, Self

import asyncpg
import click
import psutil

from benchmarks.turns import peers
from benchmarks.turns.comparison import PeerComparison
from benchmarks.turns.data import make_stock
from brain.embedding.minilm import MiniLM
from brain.ports import Embedder
from brain.postgres.migrate import upgrade
from cognitive import CognitiveLayer, Policy
from cognitive.bench import databases
from cognitive.bench.turns import DEADLINE_MS, WARMING, as_turn
from cognitive.bench.vectors import InterpolatedEmbedder
from cognitive.bench.workload import Question, WorkloadSize
from cognitive.turn import Outcome


class ProcessorTime(NamedTuple):
    """Processor time in seconds: of this process, and of Postgres."""

    client: float
    postgres: float

    @classmethod
    def until_now(cls, server: psutil.Process) -> Self:
        """Return the time that this process has taken so far, and a Postgres server with all its processes."""
        running = [server.cpu_times(), *(each.cpu_times() for each in server.children())]
        ended = running[0].children_user + running[0].children_system
        return cls(process_time(), sum(each.user + each.system for each in running) + ended)


@dataclass(frozen=True, slots=True)
class Exchanges:
    """The questions that each system is asked, with the agents, the embedder and the Postgres server."""

    questions: Sequence[Question]
    agents: Sequence[str]
    embedder: Embedder
    server: psutil.Process

    async def own(self, url: str) -> str:
        """Run a turn of this layer for each question. Return its row of the table."""
        policy, prepared = Policy(deadline_ms=DEADLINE_MS, capture="exchange"), list[float]()
        async with CognitiveLayer.open(url, embedder=self.embedder, policy=policy) as layer:
            for n, question in enumerate(self.questions):
                if n == WARMING:
                    before = ProcessorTime.until_now(self.server)
                began = process_time()
                context = await layer.pre_turn(as_turn(self.agents[question.agent], n, question))
                prepared.append(process_time() - began)
                await layer.post_turn(context, Outcome(response=_answer(question)))
        measured = prepared[WARMING:]  # closing the layer has completed its background work
        return self._row("cognitive", before, f"{sum(measured) / len(measured) * 1000:.1f}")

    def of_peer(self, peer: peers.Peer) -> str:
        """Search and store each exchange through another memory system. Return its row of the table."""
        for n, question in enumerate(self.questions):
            if n == WARMING:
                before = ProcessorTime.until_now(self.server)
            agent = self.agents[question.agent]
            peer.search(agent, question.with_context, self.embedder)
            peer.store(agent, question.question, _answer(question), self.embedder)
        return self._row(peer.name, before, "")

    def _row(self, name: str, before: ProcessorTime, prepared: str) -> str:
        after, turns = ProcessorTime.until_now(self.server), len(self.questions) - WARMING
        client, postgres = after.client - before.client, after.postgres - before.postgres
        times = f"{client / turns * 1000:.1f} | {postgres / turns * 1000:.1f} | {turns / (client + postgres):.0f}"
        return f"| {name} | {prepared} | {times} |"


def _answer(question: Question) -> str:
    return f"I have looked for what is known about this: {question.question}"


async def main(memories: int, agents: int, turns: int) -> None:
    """Store the memories in all systems, run their turns, and print the table."""
    size = WorkloadSize(memories, agents, turns, seed=7)
    work, real = make_stock(turns + WARMING, size.each, size.seed, agents).workload(size), MiniLM()
    embedder = await asyncio.to_thread(InterpolatedEmbedder, real, work.texts)
    async with (
        databases.server(None, None) as server,
        databases.database(server) as own,
        peers.opened(server, real.dimension) as (url, systems),
    ):
        await upgrade(own)
        admin = await asyncpg.connect(server)
        process = psutil.Process(int((await admin.fetchval("SELECT pg_read_file('postmaster.pid')")).split()[0]))
        await admin.close()
        async with CognitiveLayer.open(own, embedder=embedder) as layer:
            for n, agent in enumerate(size.names()):
                await layer.remember(agent, work.memories_of(n))
        await PeerComparison(systems, url).store(size.names(), work, embedder, lambda done, total, label: None)
        await databases.execute(own, "VACUUM ANALYZE")
        exchanges = Exchanges(work.questions, size.names(), embedder, process)
        click.echo("| system | `pre_turn`, client ms | turn, client ms | Postgres ms | turns/s of one processor |")
        click.echo("|---|---|---|---|---|")
        click.echo(await exchanges.own(own))
        for system in systems:
            click.echo(exchanges.of_peer(system))


if __name__ == "__main__":
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("memories", type=int, nargs="?", default=20_000)
    parser.add_argument("--agents", type=int, default=1_000)
    parser.add_argument("--turns", type=int, default=300)
    given = parser.parse_args()
    asyncio.run(main(given.memories, given.agents, given.turns))
