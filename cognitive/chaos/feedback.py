"""Promise P3: no acknowledged outcome is lost and none is counted twice, whoever is killed meanwhile.

Clients are processes of their own (`cognitive.chaos.client`) that say a line for each outcome they were promised. They
and the server are killed at random; afterwards the store must hold what was promised, to the unit.
"""

from __future__ import annotations

import asyncio
import random
import signal
import sys
from contextlib import suppress
from dataclasses import replace
from time import monotonic
from uuid import uuid4

import asyncpg

from brain.journal import Journal, journal_name
from cognitive import CognitiveLayer, Outcome, Policy, Turn
from cognitive.chaos.ledger import Ledger
from cognitive.chaos.site import Site
from cognitive.chaos.words import ANSWER, ASKED, WordEmbedder, store
from cognitive.turn import TurnContext

PATIENT = Policy(abstention=False, deadline_ms=5_000)
HOT = 40  # memories that all concurrent outcomes are about
_CLIENTS = 3
_AT_ONCE = 16
_DRAINED_WITHIN = 120.0  # seconds

_COUNTED_WRONGLY = """
WITH told AS (
    SELECT e.agent_id, e.memory_id, count(*) AS shown, count(*) FILTER (WHERE e.used) AS used
    FROM cognitive.exposure AS e JOIN cognitive.turn AS t USING (agent_id, turn_id)
    WHERE t.status = 'completed' AND e.used IS NOT NULL GROUP BY 1, 2),
counted AS (SELECT agent_id, memory_id, times_shown, times_used FROM cognitive.usage WHERE times_shown > 0)
SELECT (SELECT count(*) FROM (TABLE told EXCEPT TABLE counted) AS a)
     + (SELECT count(*) FROM (TABLE counted EXCEPT TABLE told) AS b)
"""
_TALLIED_WRONGLY = """
WITH told AS (SELECT agent_id, count(*) FILTER (WHERE status = 'completed') AS n FROM cognitive.turn GROUP BY 1),
tallied AS (SELECT agent_id, sum(completed) AS n FROM cognitive.tally WHERE span = 'day' AND by = 'all' GROUP BY 1)
SELECT count(*) FROM told FULL JOIN tallied USING (agent_id) WHERE coalesce(told.n, 0) <> coalesce(tallied.n, 0)
"""


async def suite(ledger: Ledger, seed: int, turns: int, kills: int, site: Site) -> None:
    """So many turns by several clients, with so many kills of clients and of the server among them."""
    chance, agent = random.Random(seed), f"agent-{seed}"
    async with CognitiveLayer.open(site.urls.app, policy=PATIENT, embedder=WordEmbedder()) as layer:
        await layer.remember(agent, store(20))
    promised = await _Clients(ledger, chance, site, agent, turns, kills).run()
    await site.back()
    await _drained(ledger, site)
    await _reconciled(ledger, site, agent, promised)


class _Clients:
    """Several clients at work, and who kills them."""

    def __init__(self, ledger: Ledger, chance: random.Random, site: Site, agent: str, turns: int, kills: int) -> None:
        self._ledger, self._chance, self._site, self._agent = ledger, chance, site, agent
        self._turns, self._every = turns, max(1, turns // (kills + 1))
        self._promised: set[str] = set()
        self._running: list[asyncio.subprocess.Process] = []

    async def run(self) -> set[str]:
        """What was promised."""
        hearing = [asyncio.create_task(self._heard(n)) for n in range(_CLIENTS)]
        next_kill, server = self._every, False
        while len(self._promised) < self._turns:
            await asyncio.sleep(0.05)
            if (failed := next((task for task in hearing if task.done()), None)) is not None:
                failed.result()
            if len(self._promised) < next_kill:
                continue
            next_kill += max(1, self._every // 2)
            server = not server
            await (self._kill_server() if server else self._kill_client())
        for task in hearing:
            task.cancel()
        await asyncio.gather(*hearing, return_exceptions=True)
        return self._promised

    async def _kill_server(self) -> None:
        if self._chance.random() < 0.5:
            self._site.kill()
        else:
            self._site.signal(signal.SIGKILL)
        self._ledger.did["feedback: kills of the server"] += 1
        await asyncio.sleep(self._chance.uniform(0.0, 1.0))
        await self._site.back()

    async def _kill_client(self) -> None:
        if self._running:
            self._chance.choice(self._running).kill()
            self._ledger.did["feedback: kills of clients"] += 1

    async def _heard(self, n: int) -> None:
        """Starts a client anew whenever it was killed, and notes what it says."""
        while True:
            client = await asyncio.create_subprocess_exec(
                sys.executable, "-m", "cognitive.chaos.client", self._site.urls.app, self._agent,
                str(self._chance.randrange(1 << 30)),
                stdout=asyncio.subprocess.PIPE, stderr=asyncio.subprocess.DEVNULL,
            )  # fmt: skip
            self._running.append(client)
            try:
                assert client.stdout is not None
                while (line := (await client.stdout.readline()).decode()).endswith("\n"):
                    what, turn_id = line.split()
                    self._ledger.did[f"feedback: {what}"] += 1
                    self._promised |= {turn_id} if what == "promised" else set()
            finally:
                self._running.remove(client)
                with suppress(ProcessLookupError):
                    client.kill()
                await client.wait()


async def _drained(ledger: Ledger, site: Site) -> None:
    """Whoever opens the layer next settles what lies in the journal."""
    journal = Journal(site.directory / "journal" / journal_name(site.urls.app))
    ledger.did["feedback: in the journal at the end"] = journal.count()
    async with CognitiveLayer.open(site.urls.app, policy=PATIENT, embedder=WordEmbedder()):
        until = monotonic() + _DRAINED_WITHIN
        while await asyncio.to_thread(journal.count) and monotonic() < until:
            await asyncio.sleep(0.05)
    ledger.wrong.update({"feedback: left in the journal": journal.count()})
    ledger.wrong.update({"feedback: parked in the journal": journal.count(parked=True)})


async def _reconciled(ledger: Ledger, site: Site, agent: str, promised: set[str]) -> None:
    connection = await asyncpg.connect(site.urls.admin)
    try:
        rows = await connection.fetch("SELECT turn_id, status FROM cognitive.turn WHERE agent_id = $1", agent)
        found = {row["turn_id"]: row["status"] for row in rows}
        ledger.wrong["feedback: promised and lost"] += sum(found.get(turn) != "completed" for turn in promised)
        ledger.did["feedback: completed, in the store"] = list(found.values()).count("completed")
        ledger.wrong["feedback: memories counted otherwise than a replay of the events"] += await connection.fetchval(
            _COUNTED_WRONGLY
        )
        ledger.wrong["feedback: agents tallied otherwise than their turns"] += await connection.fetchval(
            _TALLIED_WRONGLY
        )
    finally:
        await connection.close()


async def hot(ledger: Ledger, seed: int, outcomes: int, site: Site) -> None:
    """So many outcomes at once about the same forty memories: deadlocks may happen in Postgres, and nobody is told."""
    chance, agent = random.Random(seed), f"hot-{seed}"
    policy = PATIENT.model_copy(update={"post_turn_deadline_ms": 60_000.0})
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
                try:
                    report = await layer.post_turn(turn, Outcome(response=ANSWER))
                    ledger.did["feedback: hot outcomes"] += report.recorded
                    ledger.require(report.recorded, "feedback: a hot outcome went to the journal")
                except Exception as error:
                    ledger.wrong[f"feedback: a hot outcome raised {type(error).__name__}"] += 1

        await asyncio.gather(*(told() for _ in range(outcomes)))
    after = await site.ask("SELECT deadlocks FROM pg_stat_database WHERE datname = 'cognitive'")
    ledger.did["feedback: deadlocks that Postgres resolved"] = after - before
    total = await site.ask("SELECT sum(times_shown) FROM cognitive.usage WHERE agent_id = $1", agent)
    ledger.require(int(total) == 8 * outcomes, f"feedback: {total} showings counted of {8 * outcomes}")
    ledger.wrong["feedback: memories counted otherwise than a replay of the events"] += await site.ask(_COUNTED_WRONGLY)
