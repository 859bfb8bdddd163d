"""The faults of the chaos test, in a table. Each is an async context manager whose fault lasts as long as its block."""

from __future__ import annotations

import asyncio
import random
import signal
import threading
from collections.abc import AsyncIterator, Callable, Sequence
from contextlib import AbstractAsyncContextManager, asynccontextmanager, suppress
from dataclasses import dataclass
from typing import Any

import asyncpg
import numpy as np
from numpy.typing import NDArray

from benchmarks.chaos.faults import FAULTS, Fault, FaultyProxy
from benchmarks.chaos.sample_data import WordEmbedder
from benchmarks.chaos.site import Site
from brain.users import Scope
from cognitive import CognitiveLayer
from cognitive.errors import StoreUnavailable

POOL = 8  # connections: the default


class FaultyEmbedder(WordEmbedder):
    """An embedder that works until a test sets it to fail, to imitate a broken embedding model."""

    def __init__(self) -> None:
        self.fault: str | None = None
        self.released = threading.Event()

    def embed(self, texts: Sequence[str]) -> NDArray[np.float32]:
        """Embed texts; if a fault is set, return unusable vectors, raise an error, or hang for up to a minute."""
        vectors = super().embed(texts)
        match self.fault:
            case "hangs":
                self.released.wait(60)
            case "raises":
                raise RuntimeError("out of memory")
            case "NaN":
                vectors[:, 3] = np.nan
        return vectors


@dataclass(frozen=True, slots=True)
class FaultTarget:
    """The parts that a fault may break: the server, the proxy before it, the embedder, and the layer that uses them."""

    site: Site
    proxy: FaultyProxy
    embedder: FaultyEmbedder
    layer: CognitiveLayer
    agent: str
    chance: random.Random  # for what a scenario chooses


Scenario = Callable[[FaultTarget], AbstractAsyncContextManager[None]]


def _by_proxy(fault: Fault) -> Scenario:
    @asynccontextmanager
    async def scenario(stage: FaultTarget) -> AsyncIterator[None]:
        stage.proxy.fault = fault
        try:
            yield
        finally:
            stage.proxy.fault = None

    return scenario


def _by_embedder(fault: str) -> Scenario:
    @asynccontextmanager
    async def scenario(stage: FaultTarget) -> AsyncIterator[None]:
        stage.embedder.released.clear()
        stage.embedder.fault = fault
        try:
            yield
        finally:
            stage.embedder.fault = None
            stage.embedder.released.set()

    return scenario


@asynccontextmanager
async def _stopped(stage: FaultTarget) -> AsyncIterator[None]:
    stage.site.signal(signal.SIGSTOP)
    try:
        yield
    finally:
        stage.site.signal(signal.SIGCONT)


@asynccontextmanager
async def _killed(stage: FaultTarget) -> AsyncIterator[None]:
    stage.site.signal(signal.SIGKILL)
    try:
        yield
    finally:
        await stage.site.back()


@asynccontextmanager
async def _backends_killed(stage: FaultTarget) -> AsyncIterator[None]:
    """Make Postgres terminate the layer's connections, one after another, until the block ends."""
    ours = "SELECT array_agg(pid ORDER BY pid) FROM pg_stat_activity WHERE application_name = 'cognitive-layer'"

    async def kill() -> None:
        while True:
            if pids := await stage.site.ask(ours):
                await stage.site.ask("SELECT pg_terminate_backend($1)", stage.chance.choice(pids))
            await asyncio.sleep(0.02)

    async with _beside(kill()):
        yield


@asynccontextmanager
async def _exhausted(stage: FaultTarget) -> AsyncIterator[None]:
    """Keep all connections of the layer's pool busy until the block ends."""
    database = stage.layer._agent_memories._store._database

    async def hold() -> None:
        while True:
            with suppress(StoreUnavailable):  # it had no place this time
                await database.run(Scope(stage.agent), lambda c: c.execute("SELECT pg_sleep(0.4)"))

    async with _beside(*(hold() for _ in range(POOL))):
        await asyncio.sleep(0.1)
        yield


@asynccontextmanager
async def _no_more_connections(stage: FaultTarget) -> AsyncIterator[None]:
    """Make Postgres refuse new connections and terminate the open ones."""
    spare = int(await stage.site.ask("SELECT current_setting('max_connections')::int"))
    held = []
    try:
        for _ in range(spare):
            try:
                held.append(await asyncpg.connect(stage.site.urls.app, server_settings={"application_name": "others"}))
            except (asyncpg.TooManyConnectionsError, asyncpg.CannotConnectNowError):
                break
        admin = await asyncpg.connect(stage.site.urls.admin)  # reserved connections of superusers
        ours = "SELECT pg_terminate_backend(pid) FROM pg_stat_activity WHERE application_name = 'cognitive-layer'"
        await admin.execute(ours)
        await admin.close()
        yield
    finally:
        for connection in held:
            connection.terminate()


@asynccontextmanager
async def _locked(stage: FaultTarget) -> AsyncIterator[None]:
    """Lock a table that turns need, from another connection, for the duration of the block."""
    other = await asyncpg.connect(stage.site.urls.admin)
    try:
        async with other.transaction():
            await other.execute("LOCK TABLE cognitive.embedding IN ACCESS EXCLUSIVE MODE")
            yield
    finally:
        await other.close()


@asynccontextmanager
async def _nothing(_: FaultTarget) -> AsyncIterator[None]:
    """Apply no fault: in these scenarios the calls themselves are unusual."""
    yield


@asynccontextmanager
async def _beside(*work: Any) -> AsyncIterator[None]:
    """Run endless coroutines during the block. If one of them ends early with an error, raise the error."""
    tasks = [asyncio.ensure_future(each) for each in work]
    try:
        yield
    finally:
        for task in tasks:
            task.cancel()
        run_suite = await asyncio.gather(*tasks, return_exceptions=True)
    for error in run_suite:
        if isinstance(error, Exception):
            raise error


SCENARIOS: dict[str, Scenario] = {
    **{f"Postgres behind a network: {fault}": _by_proxy(fault) for fault in FAULTS},
    "Postgres is stopped (SIGSTOP)": _stopped,
    "Postgres is killed (SIGKILL)": _killed,
    "its backends are terminated": _backends_killed,
    "the pool is exhausted": _exhausted,
    "max_connections is reached": _no_more_connections,
    "a table is locked": _locked,
    "the embedder hangs": _by_embedder("hangs"),
    "the embedder raises": _by_embedder("raises"),
    "the embedder returns NaN": _by_embedder("NaN"),
    "the host blocks the event loop": _nothing,
    "the clock jumps": _nothing,
}
AMBIENT_FAULTS = tuple(
    name for name, scenario in SCENARIOS.items() if scenario is not _nothing
)  # whatever the calls are
