"""Check all promises at once for any length of time: agents work concurrently while faults come and go.

Twenty agents run turns, post outcomes, recall, remember and forget through one layer behind a proxy. A separate process
runs turns and is killed. The seed decides the faults, their order and length, and the actions of each agent. At the end
the store must contain exactly what the agents were promised.
"""

from __future__ import annotations

import asyncio
import random
from collections.abc import Iterator, Mapping
from dataclasses import dataclass
from time import monotonic

from benchmarks.chaos import deadlines, footprint, reconciling
from benchmarks.chaos.agents import ChaosAgent
from benchmarks.chaos.clients import Clients
from benchmarks.chaos.report import SuiteReport
from benchmarks.chaos.sample_data import store
from benchmarks.chaos.scenarios import AMBIENT_FAULTS, SCENARIOS, FaultTarget
from benchmarks.chaos.site import Site
from cognitive import Policy

AGENTS = 20
# the same question again and again: what was just said of it is to be shown all the same
POLICY = Policy(
    abstention=False, dedup={"enabled": False}, deadline_ms=deadlines.DEADLINE, deadlines={"recall_ms": 2_000}
)
_BROKEN = (2.0, 10.0)  # seconds, from and to
_QUIET = (3.0, 12.0)
_KILLED = 0.25  # of the faults: the process beside is killed meanwhile
_PAUSE = 2.0  # seconds between two turns of one of its four conversations, on average
_STRAYS = """
SELECT count(*) FROM cognitive.exposure AS e JOIN cognitive.memory AS m ON m.id = e.memory_id
WHERE m.agent_id <> e.agent_id
"""


@dataclass(frozen=True, slots=True)
class Episode:
    """A part of the mixed suite: one fault, its length in seconds (`broken`), and the pause after it (`quiet`).

    If `kill` is True, the separate client process is killed meanwhile.
    """

    fault: str
    broken: float
    kill: bool
    quiet: float


def episodes(seed: int) -> Iterator[Episode]:
    """Yield an endless random sequence of faults that follows from the seed.

    Each fault occurs once before any is repeated.
    """
    chance = random.Random(f"{seed}/episodes")
    while True:
        for fault in chance.sample(AMBIENT_FAULTS, len(AMBIENT_FAULTS)):
            yield Episode(fault, chance.uniform(*_BROKEN), chance.random() < _KILLED, chance.uniform(*_QUIET))


async def suite(ledger: SuiteReport, seed: int, minutes: float, site: Site) -> None:
    """Run agents while faults come and go for some minutes, and then compare the store with the acknowledged calls."""
    agents = [ChaosAgent(ledger, seed, n) for n in range(AGENTS)]
    beside = f"beside-{seed}"
    async with deadlines.staged(site, 5, random.Random(seed), POLICY) as stage:
        promised = await _load(ledger, stage, agents, beside, seed, minutes)
        await deadlines.rested(ledger, site, "mixed: at the end")
        ledger.require(await deadlines.whole(stage), "mixed: turns are not whole at the end")
        for url in (stage.proxy.url, site.urls.app):
            await reconciling.drained(ledger, "mixed", site, url)
    await reconciling.kept(ledger, "mixed", site, beside, promised)
    await reconciling.judged(ledger, "mixed", site, beside, promised)
    for agent in agents:
        await reconciling.kept(ledger, "mixed", site, agent.name, agent.promised)
        await agent.check_store(site)
    await reconciling.counted(ledger, "mixed", site)
    ledger.violations["mixed: exposures of another agent's memories"] += await site.ask(_STRAYS)


async def _load(
    ledger: SuiteReport, stage: FaultTarget, agents: list[ChaosAgent], beside: str, seed: int, minutes: float
) -> Mapping[str, int]:
    """Run the agents and the separate client process for some minutes, while faults come and go.

    Returns the turns of that process whose outcomes were acknowledged, with the number of memories that each showed.
    """
    await stage.layer.remember(beside, store(20))
    await asyncio.gather(*(agent.store_key(stage.layer) for agent in agents))
    until = monotonic() + minutes * 60
    looking = asyncio.create_task(footprint.watched(ledger, "mixed"))
    async with Clients.running(ledger, "mixed", stage.site, beside, seed=seed, count=1, pause=_PAUSE) as clients:
        await asyncio.gather(
            _broken(ledger, stage, clients, seed, until), *(agent.work_until(stage.layer, until) for agent in agents)
        )
    looking.cancel()
    await asyncio.wait({looking})
    return clients.promised


async def _broken(ledger: SuiteReport, stage: FaultTarget, clients: Clients, seed: int, until: float) -> None:
    chance = random.Random(f"{seed}/kills")
    for episode in episodes(seed):
        if monotonic() >= until:
            return
        async with SCENARIOS[episode.fault](stage):
            await asyncio.sleep(episode.broken)
            if episode.kill:
                await clients.kill(chance)
        ledger.counts[f"mixed: {episode.fault}"] += 1
        ledger.require(await deadlines.whole(stage), f"mixed: {episode.fault}: turns are not whole again")
        await asyncio.sleep(episode.quiet)
