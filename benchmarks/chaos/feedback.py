"""Promise P3: no acknowledged outcome is lost and none is counted twice, whatever process is killed.

Clients are separate processes that print a line for each acknowledged outcome. They and the server are killed at random
times; afterwards the counts in the store must equal the acknowledged ones.
"""

from __future__ import annotations

import asyncio
import random
import signal
from dataclasses import replace
from time import monotonic
from uuid import uuid4

from benchmarks.chaos import reconciling
from benchmarks.chaos.clients import Clients
from benchmarks.chaos.reconciling import PATIENT
from benchmarks.chaos.report import SuiteReport
from benchmarks.chaos.sample_data import ANSWER, ASKED, WordEmbedder, store
from benchmarks.chaos.site import Site
from cognitive import CognitiveLayer, Outcome, Turn
from cognitive.turn import TurnContext

HOT = 40  # memories that all concurrent outcomes are about
_CLIENTS = 3
_AT_ONCE = 16
_STALLED = 300.0  # seconds without a promise: clients that can reach nothing write into their journal at once


async def suite(ledger: SuiteReport, seed: int, turns: int, kills: int, site: Site) -> None:
    """Let several client processes run turns, and meanwhile kill clients and the server `kills` times each.

    Afterwards, the counts in the store must equal the acknowledged outcomes.
    """
    agent = f"agent-{seed}"
    async with CognitiveLayer.open(site.urls.app, policy=PATIENT, embedder=WordEmbedder()) as layer:
        await layer.remember(agent, store(20))
    async with Clients.running(ledger, "feedback", site, agent, seed=seed, count=_CLIENTS) as clients:
        await _killed(ledger, random.Random(seed), site, clients, turns, kills)
    await site.back()
    await reconciling.drained(ledger, "feedback", site, site.urls.app)
    await reconciling.kept(ledger, "feedback", site, agent, clients.promised)
    await reconciling.judged(ledger, "feedback", site, agent, clients.promised)
    await reconciling.counted(ledger, "feedback", site)


async def _killed(
    ledger: SuiteReport, chance: random.Random, site: Site, clients: Clients, turns: int, kills: int
) -> None:
    """Kill the server and a client alternately, until `turns` outcomes were acknowledged.

    The kills follow at even intervals of acknowledged outcomes.
    """
    every = turns / (2 * kills + 1)
    for n in range(2 * kills + 1):
        if not await _promised(clients, every * (n + 1)):
            ledger.violations[f"feedback: nothing was promised for {_STALLED:g} s"] += 1
            return
        if n == 2 * kills:
            return
        await (clients.kill(chance) if n % 2 else _server_killed(ledger, chance, site))


async def _promised(clients: Clients, turns: float) -> bool:
    """Wait until the clients have seen `turns` outcomes acknowledged.

    Returns False if no more outcomes were acknowledged for five minutes.
    """
    last, since = 0, monotonic()
    while len(clients.promised) < turns:
        await asyncio.sleep(0.05)
        if len(clients.promised) > last:
            last, since = len(clients.promised), monotonic()
        if monotonic() - since > _STALLED:
            return False
    return True


async def _server_killed(ledger: SuiteReport, chance: random.Random, site: Site) -> None:
    if chance.random() < 0.5:
        site.kill()
    else:
        site.signal(signal.SIGKILL)
    ledger.counts["feedback: kills of the server"] += 1
    await asyncio.sleep(chance.uniform(0.0, 1.0))
    await site.back()


async def hot(ledger: SuiteReport, seed: int, outcomes: int, site: Site) -> None:
    """Send many outcomes concurrently, all about the same forty memories.

    All must be recorded: deadlocks in Postgres must not become errors of the caller.
    """
    chance, agent = random.Random(seed), f"hot-{seed}"
    policy = PATIENT.changed({"deadlines.post_turn_ms": 60_000.0})
    async with CognitiveLayer.open(site.urls.app, policy=policy, embedder=WordEmbedder()) as layer:
        ids = await layer.remember(agent, store(HOT - 1))
        shown = (await layer.pre_turn(Turn(agent_id=agent, session_id="s", text=ASKED))).shown
        context = await layer.pre_turn(Turn(agent_id=agent, session_id="s", text=ASKED))
        before = await site.ask("SELECT deadlocks FROM pg_stat_database WHERE datname = 'cognitive'")
        places = asyncio.Semaphore(_AT_ONCE)

        async def told() -> None:
            chosen = [replace(shown[0], memory_id=id) for id in chance.sample(ids, 8)]
            turn: TurnContext = replace(context, turn_id=str(uuid4()), shown=tuple(chosen))
            async with places:
                with ledger.recorded("feedback: a hot outcome"):
                    outcome_report = await layer.post_turn(turn, Outcome(response=ANSWER))
                    ledger.counts["feedback: hot outcomes"] += outcome_report.recorded
                    ledger.require(outcome_report.recorded, "feedback: a hot outcome went to the journal")

        await asyncio.gather(*(told() for _ in range(outcomes)))
    after = await site.ask("SELECT deadlocks FROM pg_stat_database WHERE datname = 'cognitive'")
    ledger.counts["feedback: deadlocks that Postgres resolved"] = after - before
    total = await site.ask("SELECT sum(times_shown) FROM cognitive.usage WHERE agent_id = $1", agent)
    ledger.require(int(total) == 8 * outcomes, f"feedback: {total} showings counted of {8 * outcomes}")
    await reconciling.counted(ledger, "feedback", site)
