"""Measure the processor time of whole turns with their background work, beside peers.

    python -m benchmarks.processor 20000 --agents 1000 --turns 300

Each system is asked the same questions over the same memories and stores each exchange, one system after the other. Its
processor time is that of this process and of all processes of Postgres, until its background work is done. The group
`peers` must be installed. Linux only.
"""

from __future__ import annotations

import argparse
import asyncio
import os
from collections.abc import Sequence
from dataclasses import dataclass
from pathlib import Path
from time import process_time
from typing import NamedTuple

import asyncpg
import click

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

_TICKS = os.sysconf("SC_CLK_TCK")  # per second; the unit of the times in /proc


class Spent(NamedTuple):
    """Processor time in seconds: of this process, and of Postgres."""

    client: float
    postgres: float

    @classmethod
    def until_now(cls, postmaster: int) -> Spent:
        """Return the time that this process and a server with all its processes have taken so far (see proc(5))."""
        ticks = 0
        for path in Path("/proc").glob("[0-9]*/stat"):
            try:
                fields = path.read_text().rpartition(")")[2].split()  # from the state of the process on
            except OSError:  # the process has ended; its time is among that of the ended children of the server
                continue
            is_server = path.parent.name == str(postmaster)
            if is_server or fields[1] == str(postmaster):
                ticks += sum(map(int, fields[11 : 15 if is_server else 13]))
        return cls(process_time(), ticks / _TICKS)


@dataclass(frozen=True, slots=True)
class Exchanges:
    """The questions that each system is asked, with the agents and the embedder."""

    questions: Sequence[Question]
    agents: Sequence[str]
    embedder: Embedder
    postmaster: int

    async def own(self, url: str) -> tuple[Spent, Spent, float]:
        """Run a turn of this layer for each question. Return the times before and after, and that of `pre_turn`."""
        policy = Policy(deadline_ms=DEADLINE_MS, capture="exchange")
        async with CognitiveLayer.open(url, embedder=self.embedder, policy=policy) as layer:
            for n, question in enumerate(self.questions):
                if n == WARMING:
                    before, prepared = Spent.until_now(self.postmaster), 0.0
                began = process_time()
                context = await layer.pre_turn(as_turn(self.agents[question.agent], n, question))
                if n >= WARMING:
                    prepared += process_time() - began
                await layer.post_turn(context, Outcome(response=_answer(question)))
        return before, Spent.until_now(self.postmaster), prepared

    def of_peer(self, peer: peers.Peer) -> tuple[Spent, Spent]:
        """Search and store each exchange through another memory system. Return the times before and after."""
        for n, question in enumerate(self.questions):
            if n == WARMING:
                before = Spent.until_now(self.postmaster)
            agent = self.agents[question.agent]
            peer.search(agent, question.with_context, self.embedder)
            peer.store(agent, question.question, _answer(question), self.embedder)
        return before, Spent.until_now(self.postmaster)

    def line(self, name: str, before: Spent, after: Spent, prepared: float | None = None) -> str:
        """Return a row of the table: milliseconds per turn, and turns per second of one processor."""
        turns = len(self.questions) - WARMING
        client, postgres = after.client - before.client, after.postgres - before.postgres
        alone = "" if prepared is None else f"{prepared / turns * 1000:.1f}"
        times = f"{client / turns * 1000:.1f} | {postgres / turns * 1000:.1f} | {turns / (client + postgres):.0f}"
        return f"| {name} | {alone} | {times} |"


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
        postmaster = int((await admin.fetchval("SELECT pg_read_file('postmaster.pid')")).split()[0])
        await admin.close()
        async with CognitiveLayer.open(own, embedder=embedder) as layer:
            for n, agent in enumerate(size.names()):
                await layer.remember(agent, work.memories_of(n))
        await PeerComparison(systems, url).store(size.names(), work, embedder, lambda done, total, label: None)
        await databases.execute(own, "VACUUM ANALYZE")
        exchanges = Exchanges(work.questions, size.names(), embedder, postmaster)
        click.echo("| system | `pre_turn`, client ms | turn, client ms | Postgres ms | turns/s of one processor |")
        click.echo("|---|---|---|---|---|")
        click.echo(exchanges.line("cognitive", *await exchanges.own(own)))
        for system in systems:
            click.echo(exchanges.line(system.name, *exchanges.of_peer(system)))


if __name__ == "__main__":
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("memories", type=int, nargs="?", default=20_000)
    parser.add_argument("--agents", type=int, default=1_000)
    parser.add_argument("--turns", type=int, default=300)
    given = parser.parse_args()
    asyncio.run(main(given.memories, given.agents, given.turns))
