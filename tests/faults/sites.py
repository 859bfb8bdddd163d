"""Servers that tests may stop, freeze and kill, and queries on them."""

from __future__ import annotations

import asyncio
import os
import signal
import time
from collections.abc import AsyncIterator
from contextlib import asynccontextmanager, suppress
from pathlib import Path

import asyncpg
from clients import TOLERANT, turn

from benchmarks.chaos.sample_data import WordEmbedder
from brain.embedded import EmbeddedServer, ServerUrls
from cognitive import CognitiveLayer, Policy


class Site:
    """A data directory with a migrated server that tests may stop, freeze and kill."""

    def __init__(self, directory: Path) -> None:
        self.directory = directory
        self.server = EmbeddedServer(directory)
        self.urls: ServerUrls = self.server.acquire()

    def postmaster(self) -> int:
        return int((self.directory / "postgres" / "cluster" / "postmaster.pid").read_text().split("\n", 1)[0])

    def processes(self) -> list[int]:
        """Return the process ids of the postmaster and its children, in this order."""
        postmaster = self.postmaster()
        found = [postmaster]
        for stat in Path("/proc").glob("[0-9]*/stat"):
            with suppress(OSError):
                if int(stat.read_text().rsplit(")", 1)[1].split()[1]) == postmaster:
                    found.append(int(stat.parent.name))
        return found

    def signal(self, number: int) -> None:
        for pid in self.processes():
            with suppress(ProcessLookupError):
                os.kill(pid, number)

    def kill(self) -> None:
        """Kill the postmaster; wait at most a second for its backends, which stop serving once they notice."""
        postmaster, *backends = self.processes()
        os.kill(postmaster, signal.SIGKILL)
        deadline = time.monotonic() + 1
        while any(map(_runs, backends)) and time.monotonic() < deadline:
            time.sleep(0.005)

    def database(self, name: str, role: str = "app") -> str:
        return getattr(self.urls, role).replace("/cognitive?", f"/{name}?")


def _runs(pid: int) -> bool:
    try:
        return Path(f"/proc/{pid}/stat").read_text().rsplit(")", 1)[1].split()[0] != "Z"
    except OSError:
        return False


@asynccontextmanager
async def opened(site: Site, policy: Policy = TOLERANT, embedder=None) -> AsyncIterator[CognitiveLayer]:
    async with CognitiveLayer.open(site.urls.app, policy=policy, embedder=embedder or WordEmbedder()) as layer:
        yield layer


async def ask(url: str, statement: str, *arguments):
    connection = await asyncpg.connect(url)
    try:
        return await connection.fetchval(statement, *arguments)
    finally:
        await connection.close()


async def eventually(condition, seconds: float = 30.0):
    """Wait for a condition and return its result. The timeout only turns a hang into a failure."""
    async with asyncio.timeout(seconds):
        while not (result := await condition()):
            await asyncio.sleep(0.02)
    return result


async def recovered_turn(layer: CognitiveLayer, agent: str):
    """Repeat a turn until it is not degraded, and return its context. The layer must recover by itself."""

    async def whole():
        context = await layer.pre_turn(turn(agent))
        return context if not context.degraded else None

    return await eventually(whole)


async def totals(url: str, agent: str) -> dict[str, int]:
    """Return how many memories each table holds, and the counters that must agree."""
    connection = await asyncpg.connect(url)
    try:
        row = await connection.fetchrow(
            """SELECT (SELECT count(*) FROM cognitive.memory WHERE agent_id = $1) AS memories,
                      (SELECT count(DISTINCT memory_id) FROM cognitive.passage WHERE agent_id = $1) AS indexed,
                      (SELECT count(DISTINCT memory_id) FROM cognitive.posting WHERE agent_id = $1) AS posted,
                      (SELECT count(DISTINCT memory_id) FROM cognitive.embedding WHERE agent_id = $1) AS embedded,
                      (SELECT coalesce(sum(memories), 0) FROM cognitive.corpus WHERE agent_id = $1) AS booked,
                      (SELECT coalesce(sum(memories), 0) FROM cognitive.session WHERE agent_id = $1) AS in_sessions""",
            agent,
        )
    finally:
        await connection.close()
    return {name: int(value) for name, value in row.items()}


async def times_shown(url: str, agent: str) -> int:
    return int(await ask(url, "SELECT coalesce(sum(times_shown), 0) FROM cognitive.usage WHERE agent_id = $1", agent))
