"""Start client processes that run turns until they are killed, and collect which outcomes each saw acknowledged."""

from __future__ import annotations

import asyncio
import random
import sys
from collections.abc import AsyncIterator
from contextlib import asynccontextmanager, suppress
from pathlib import Path
from typing import Self

from benchmarks.chaos.report import SuiteReport
from benchmarks.chaos.site import Site

_CHECKOUT = Path(__file__).parents[2]  # where `-m` finds this package


class Clients:
    """Several `benchmarks.chaos.client` processes. One that was killed is replaced by a new one.

    `promised` maps each turn whose outcome was acknowledged to the number of memories that it showed.
    """

    def __init__(self, ledger: SuiteReport, suite: str, site: Site, agent: str, pause: float) -> None:
        self._ledger, self._suite, self._site, self._agent, self._pause = ledger, suite, site, agent, pause
        self._running: list[asyncio.subprocess.Process] = []
        self._killed: set[asyncio.subprocess.Process] = set()
        self.promised: dict[str, int] = {}

    @classmethod
    @asynccontextmanager
    async def running(
        cls, ledger: SuiteReport, suite: str, site: Site, agent: str, *, seed: int, count: int, pause: float = 0.0
    ) -> AsyncIterator[Self]:
        """Run client processes for an agent until the block ends, then kill them.

        Each client pauses about `pause` seconds between two turns.
        """
        clients = cls(ledger, suite, site, agent, pause)
        async with asyncio.TaskGroup() as group:
            hearing = [group.create_task(clients._heard(random.Random(f"{seed}/client/{n}"))) for n in range(count)]
            try:
                yield clients
            finally:
                for task in hearing:
                    task.cancel()

    async def kill(self, chance: random.Random) -> None:
        """Kill a random client process; if none runs, wait until one does."""
        while not self._running:
            await asyncio.sleep(0.05)
        client = chance.choice(self._running)
        self._killed.add(client)
        with suppress(ProcessLookupError):
            client.kill()
        self._ledger.counts[f"{self._suite}: kills of clients"] += 1

    async def _heard(self, chance: random.Random) -> None:
        while True:
            client = await asyncio.create_subprocess_exec(
                sys.executable,
                "-m",
                "benchmarks.chaos.client",
                self._site.urls.app,
                self._agent,
                str(chance.randrange(1 << 30)),
                str(self._pause),
                stdout=asyncio.subprocess.PIPE,
                stderr=asyncio.subprocess.DEVNULL,
                cwd=_CHECKOUT,
            )
            self._running.append(client)
            try:
                await self._listened(client)
            finally:
                self._running.remove(client)
                with suppress(ProcessLookupError):
                    client.kill()
                await client.wait()
            if client not in self._killed:
                self._ledger.violations[f"{self._suite}: a client ended by itself with {client.returncode}"] += 1

    async def _listened(self, client: asyncio.subprocess.Process) -> None:
        assert client.stdout is not None
        while (line := (await client.stdout.readline()).decode()).endswith("\n"):
            what, turn_id, shown = line.split()
            self._ledger.counts[f"{self._suite}: {what}"] += 1
            if what == "promised":
                self.promised[turn_id] = int(shown)
