"""A simulated agent whose actions follow from a seed. It records which calls were acknowledged, for a later check."""

from __future__ import annotations

import asyncio
import random
import re
from collections.abc import Awaitable, Callable, Iterable
from contextlib import suppress
from datetime import timedelta
from time import monotonic
from uuid import UUID

from benchmarks.chaos.deadlines import DEADLINE, GRACE, timed
from benchmarks.chaos.report import SuiteReport
from benchmarks.chaos.sample_data import ASKED, AT, KEY, TOPICS
from benchmarks.chaos.site import Site
from benchmarks.chaos.stopwatch import ProcessorStopwatch
from cognitive import CognitiveLayer, NewMemory, Outcome, Turn
from cognitive.errors import CognitiveError

_PAUSE = 2.0  # mean seconds between two actions of an agent
_GONE = 0.1  # share of outcomes whose call is cancelled and repeated
_TWICE = 0.1  # share of outcomes that are posted twice at once
_MARK = re.compile(r"zq-(\d+)-zq")
_CONTENTS = "SELECT array_agg(content) FROM cognitive.memory WHERE agent_id = $1"


class ChaosAgent:
    """A simulated agent that calls a layer during faults, and remembers what the store must contain afterwards.

    An acknowledged call must have had its effect. A call that was refused or not answered may or may not have had it.
    """

    def __init__(self, ledger: SuiteReport, seed: int, n: int) -> None:
        self.name, self._mark = f"mixed-{n}-{seed}", f"zq-{n}-zq"
        self._ledger, self._n, self._chance = ledger, n, random.Random(f"{seed}/agent/{n}")
        self._key = f"{KEY} {self._mark}"
        self._stored: dict[str, UUID] = {}
        self._unsure: set[str] = set()
        self._count = 0
        self.promised: set[str] = set()

    async def store_key(self, layer: CognitiveLayer) -> None:
        """Store the memory that answers the question of all this agent's turns."""
        await layer.remember(self.name, [NewMemory(type="fact", content=self._key, occurred_at=AT)])

    async def work_until(self, layer: CognitiveLayer, until: float) -> None:
        """Perform random actions one after another until the monotonic time `until`."""
        does: tuple[Callable[[CognitiveLayer], Awaitable[None]], ...] = (
            self._turn,
            self._turn,
            self._turn,
            self._recall,
            self._remember,
            self._remember,
            self._forget,
        )
        while monotonic() < until:
            await asyncio.sleep(self._chance.uniform(0.0, 2 * _PAUSE))
            self._count += 1
            work = self._chance.choice(does)
            with self._ledger.recorded(f"mixed: {work.__name__[1:]}"):
                try:
                    await work(layer)
                except CognitiveError as error:
                    self._ledger.counts[f"mixed: {work.__name__[1:]} refused, {type(error).__name__}"] += 1

    async def check_store(self, site: Site) -> None:
        """Check that the store has all memories acknowledged as stored, and none that was acknowledged as erased."""
        found = set(await site.ask(_CONTENTS, self.name) or ()) - {self._key}
        self._ledger.counts["mixed: memories in the store"] += len(found)
        self._ledger.violations["mixed: memories lost"] += len(self._stored.keys() - found)
        self._ledger.violations["mixed: memories that are there and should not be"] += len(
            found - self._stored.keys() - self._unsure
        )

    async def _turn(self, layer: CognitiveLayer) -> None:
        turn = Turn(
            agent_id=self.name,
            session_id=f"s{self._count // 20}",
            text=f"{ASKED} {self._mark}",
            now=AT + timedelta(days=2, minutes=self._count),
        )
        watch = ProcessorStopwatch()
        context = await layer.pre_turn(turn)
        timed(self._ledger, "mixed: pre_turn", watch, watch.elapsed - DEADLINE - GRACE)
        self._ledger.counts[f"mixed: turns, {'degraded' if context.degraded else 'whole'}"] += 1
        self._ledger.require(bool(context.degraded) or self._key in context.text, "mixed: silent")
        self._sees([context.text, context.prefix, *(shown.content for shown in context.shown)])
        outcome = Outcome(response=f"Behind the barometer. {self._mark}")
        if self._chance.random() < _GONE:
            early = asyncio.ensure_future(layer.post_turn(context, outcome))
            await asyncio.wait({early}, timeout=self._chance.uniform(0.0, 0.05))
            early.cancel()
            with suppress(asyncio.CancelledError, CognitiveError):
                await early
        times, watch = 2 if self._chance.random() < _TWICE else 1, ProcessorStopwatch()
        reports = await asyncio.gather(*(layer.post_turn(context, outcome) for _ in range(times)))
        self._ledger.milliseconds["mixed: post_turn"].append(watch.elapsed)
        self._ledger.counts["mixed: outcomes promised"] += 1
        self._ledger.counts["mixed: outcomes that went to the journal"] += not reports[0].recorded
        self.promised.add(context.turn_id)

    async def _recall(self, layer: CognitiveLayer) -> None:
        hits = await layer.recall(self.name, f"the {self._chance.choice(TOPICS)}", limit=5)
        self._ledger.counts["mixed: recalls"] += 1
        self._sees(hit.content for hit in hits)

    async def _remember(self, layer: CognitiveLayer) -> None:
        content = f"Entry {self._count}: the {self._chance.choice(TOPICS)} was inspected. {self._mark}"
        memory = NewMemory(type="episode", content=content, source=f"line-{self._count}")
        self._unsure.add(content)
        [self._stored[content]] = await layer.remember(self.name, [memory])
        self._unsure.remove(content)
        self._ledger.counts["mixed: remembered"] += 1

    async def _forget(self, layer: CognitiveLayer) -> None:
        if not self._stored:
            return
        content = self._chance.choice(list(self._stored))
        self._unsure.add(content)
        await layer.forget(self.name, [self._stored.pop(content)])
        self._unsure.remove(content)
        self._ledger.counts["mixed: forgotten"] += 1

    def _sees(self, texts: Iterable[str]) -> None:
        for found in (mark for text in texts for mark in _MARK.findall(text)):
            self._ledger.counts["mixed: marks seen"] += 1
            self._ledger.require(int(found) == self._n, "mixed: another agent's row was seen")
