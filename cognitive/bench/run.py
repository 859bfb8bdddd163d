"""Where a benchmark runs: databases of its own, on an embedded server or a named one, dropped when it is over."""

from __future__ import annotations

import asyncio
import tempfile
from collections.abc import AsyncIterator, Callable, Sequence
from contextlib import asynccontextmanager
from dataclasses import dataclass
from pathlib import Path
from typing import Any
from uuid import uuid4

import asyncpg
import sqlalchemy as sa

from brain.embedded import EmbeddedServer
from brain.embedding.minilm import MiniLM
from brain.ports import Embedder
from brain.postgres.database import Database
from brain.postgres.migrate import upgrade
from cognitive.bench.data import Stock, lines, stock
from cognitive.bench.peers import Peer
from cognitive.bench.turns import WARMING, Measured, Size, cold, measure
from cognitive.bench.vectors import Between
from cognitive.layer import CognitiveLayer
from cognitive.policy import Policy

Told = Callable[[int, int, str], None]
_ALL_EMBEDDED = 10_000  # memories: a minute or two of a processor
_DEADLINE_MS = 60_000.0  # a late turn is measured, and not cut


@dataclass(frozen=True, slots=True)
class Bench:
    """A database to measure in, and another one for peers."""

    url: str
    peers_url: str
    real: Embedder

    @property
    def dimension(self) -> int:
        """Of the vectors."""
        return self.real.dimension

    async def measure(self, size: Size, peers: Sequence[Peer], told: Told) -> dict[str, Any]:
        """The numbers of a size; `told` is called with (done, total, what)."""
        known = stock(size.turns + WARMING, size.memories // size.agents, size.seed, size.agents)
        told(0, size.memories, "embedding")
        embedder = await asyncio.to_thread(Between, self.real, _embedded(known, size))
        policy, database = _policy(peers), Database(self.url)
        try:
            async with (
                CognitiveLayer.open(self.url, embedder=embedder, policy=policy) as layer,
                CognitiveLayer.open(self.url, embedder=embedder, policy=policy) as apart,
            ):
                measured = Measured(layer, apart, database, embedder, peers)
                found = await measure(measured, known, size, self._settled, told)
            async with CognitiveLayer.open(self.url, embedder=self.real, policy=policy) as layer:
                found["cold_ms"] = await cold(layer, size.names()[0])
            found["database_mb"] = await self._megabytes()
            return found
        finally:
            await database.close()

    async def _settled(self) -> None:
        """As autovacuum would before long: plans and index-only scans need it."""
        for url in (self.url, self.peers_url):
            await _execute(url, "VACUUM ANALYZE")

    async def _megabytes(self) -> int:
        connection = await asyncpg.connect(self.url)
        try:
            return int(await connection.fetchval("SELECT pg_database_size(current_database()) / 1048576"))
        finally:
            await connection.close()


def _policy(peers: Sequence[Peer]) -> Policy:
    """The default; beside peers, which store every exchange as memories, so does this layer."""
    return Policy(deadline_ms=_DEADLINE_MS, capture="exchange" if peers else "off")


def _embedded(known: Stock, size: Size) -> list[str]:
    """What gets a real vector before the clock runs."""
    if size.memories > _ALL_EMBEDDED:
        return known.texts()
    each = size.memories // size.agents
    return [line.content for n, said in enumerate(known.statements) for line in lines(each, said, size.seed + n)]


@asynccontextmanager
async def opened(url: str | None, data: Path | None) -> AsyncIterator[Bench]:
    """Databases on the server at `url`, or on an embedded one in `data` or in a directory for the time."""
    if url is not None:
        async with _databases(url) as bench:
            yield bench
        return
    with tempfile.TemporaryDirectory(prefix="cognitive-bench-") as directory:
        home = data or Path(directory)
        home.chmod(0o711)  # as root the server runs as a user of its own, which must get there
        server = EmbeddedServer(home)
        try:
            urls = await asyncio.to_thread(server.acquire)
            async with _databases(urls.admin) as bench:
                yield bench
        finally:
            await asyncio.to_thread(server.release)


@asynccontextmanager
async def _databases(url: str) -> AsyncIterator[Bench]:
    names = [f"cognitive_bench_{uuid4().hex[:8]}{kind}" for kind in ("", "_peers")]
    own, beside = (sa.make_url(url).set(database=name).render_as_string(hide_password=False) for name in names)
    try:
        for name in names:
            await _execute(url, f"CREATE DATABASE {name}")
        await upgrade(own)
        await _execute(beside, "CREATE EXTENSION vector")
        yield Bench(own, beside, await asyncio.to_thread(MiniLM))
    finally:
        for name in names:
            await _execute(url, f"DROP DATABASE IF EXISTS {name} WITH (FORCE)")


async def _execute(url: str, statement: str) -> None:
    connection = await asyncpg.connect(url)
    try:
        await connection.execute(statement, timeout=3_600)
    finally:
        await connection.close()
