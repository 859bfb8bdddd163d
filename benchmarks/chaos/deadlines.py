"""Promise P2: whatever is wrong with Postgres or the embedder, no turn is late or silent, and nothing is left open.

A turn is late if `pre_turn` returns more than 25 ms after its deadline. It is silent if it neither shows the memory
that was asked for nor reports a degradation. Nothing is left open if no connection is busy and no transaction is open
after a fault.

The time that the machine kept the process waiting for a processor does not count as late; computing time of the product
does. Both numbers are reported. The time limits of a recovery after a fault are also extended by the waiting time.
"""

from __future__ import annotations

import asyncio
import gc
import math
import random
import time
from collections.abc import AsyncIterator, Collection
from contextlib import asynccontextmanager
from datetime import datetime, timedelta

from benchmarks.chaos.faults import FaultyProxy
from benchmarks.chaos.report import SuiteReport
from benchmarks.chaos.sample_data import ASKED, AT, KEY, store
from benchmarks.chaos.scenarios import POOL, SCENARIOS, FaultTarget, FaultyEmbedder
from benchmarks.chaos.site import Site, setting
from benchmarks.chaos.stopwatch import ProcessorStopwatch
from cognitive import CognitiveLayer, Policy, Turn

DEADLINE = 250.0  # milliseconds: the default
GRACE = 25.0
AT_ONCE = 4
IDLE_WITHIN = 2_000.0  # milliseconds after a fault has gone
_BACK_WITHIN = 30_000.0  # until turns are whole again; the breaker's longest wait is 5,000
_BLOCKED = 300.0  # that a host blocks the event loop: longer than a turn has
_IDLE_IN_TRANSACTION = """
SELECT count(*) FROM pg_stat_activity
WHERE state LIKE 'idle in transaction%' AND state_change < clock_timestamp() - interval '0.5 seconds'
"""

POLICY = Policy(abstention=False, deadline_ms=DEADLINE)


async def suite(
    ledger: SuiteReport,
    seed: int,
    calls: int,
    site: Site,
    names: Collection[str] | None = None,
    breakers: Collection[int] = (5, 0),
) -> None:
    """Make `calls` calls of `pre_turn`, spread evenly over the faults in `names` (None: all faults).

    `breakers` are the numbers of failures that open the circuit breaker; 0 switches it off. Each number gets an equal
    part of the calls.
    """
    chosen = {name: scenario for name, scenario in SCENARIOS.items() if names is None or name in names}
    each = math.ceil(calls / (len(breakers) * len(chosen)))
    for failures in breakers:
        for name, scenario in chosen.items():
            chance = random.Random(f"{seed}/{failures}/{name}")
            async with staged(site, failures, chance) as stage:
                if not await whole(stage):
                    ledger.violations[f"deadlines: {name}: turns were not whole before anything was broken"] += 1
                async with scenario(stage):
                    await _called(stage, ledger, name, each)
                await _recovered(stage, ledger, name)


@asynccontextmanager
async def staged(
    site: Site, failures: int, chance: random.Random, policy: Policy = POLICY
) -> AsyncIterator[FaultTarget]:
    """Open a layer behind a faulty proxy, store some memories of a new agent, and yield all of it as a `FaultTarget`.

    `failures` is the number of failures that open the layer's circuit breaker.
    """
    embedder, agent = FaultyEmbedder(), f"agent-{chance.randrange(1 << 40)}"
    async with FaultyProxy.before(site.urls.app) as proxy, _opened(proxy.url, policy, embedder, failures) as layer:
        await layer.remember(agent, store(12))
        gc.unfreeze()  # of the stage before
        gc.collect()
        gc.freeze()  # as `cognitive serve` does: a full collection in the middle of a turn takes 100 ms
        yield FaultTarget(site, proxy, embedder, layer, agent, chance)


@asynccontextmanager
async def _opened(url: str, policy: Policy, embedder: FaultyEmbedder, failures: int) -> AsyncIterator[CognitiveLayer]:
    with setting("COGNITIVE_BREAKER_FAILURES", str(failures)):
        async with CognitiveLayer.open(url, policy=policy, embedder=embedder) as layer:
            yield layer


async def _called(stage: FaultTarget, ledger: SuiteReport, name: str, calls: int) -> None:
    places, days = asyncio.Semaphore(AT_ONCE), [0.0] * calls
    if name == "the clock jumps":
        days = [stage.chance.uniform(-20_000, 20_000) for _ in days]

    async def call(n: int) -> None:
        async with places:
            await _one(stage, ledger, name, n, AT + timedelta(days=2 + days[n]))

    await asyncio.gather(*(call(n) for n in range(calls)))


async def _one(stage: FaultTarget, ledger: SuiteReport, name: str, n: int, now: datetime) -> None:
    turn = Turn(agent_id=stage.agent, session_id=f"s{n % 10}", text=f"{ASKED} ({n})", now=now)
    watch, blocks = ProcessorStopwatch(), name == "the host blocks the event loop"
    task = asyncio.create_task(stage.layer.pre_turn(turn))
    if blocks and n % 10 == 0:
        await asyncio.sleep(0.01)
        time.sleep(_BLOCKED / 1000)  # noqa: ASYNC251 - that is the fault
    context = None
    with ledger.recorded(f"deadlines: {name}:"):
        context = await task
    if context is None:
        return
    over = watch.elapsed - DEADLINE - GRACE - (_BLOCKED if blocks else 0)  # each may have lain behind another's block
    timed(ledger, f"deadlines: {name}", watch, over)
    ledger.counts[f"deadlines: {name}"] += 1
    silent = not context.degraded and KEY not in context.text
    ledger.require(not silent, f"deadlines: {name}: silent")
    ledger.counts[f"deadlines: {'degraded' if context.degraded else 'whole'}"] += 1


def timed(ledger: SuiteReport, name: str, watch: ProcessorStopwatch, over: float) -> None:
    """Record how long a call took, and a violation if it was late.

    `over` is the milliseconds by which the call exceeded its limit. The time spent waiting for a processor is
    subtracted before a violation is recorded.
    """
    suite = name.partition(":")[0]
    kept = watch.waited
    ledger.milliseconds[name].append(watch.elapsed)
    ledger.milliseconds[f"{suite}: kept waiting for a processor"].append(kept)
    ledger.counts[f"{suite}: late by the clock"] += over > 0
    ledger.require(over - kept <= 0, f"{name}: late beyond what the machine kept us waiting")


async def _recovered(stage: FaultTarget, ledger: SuiteReport, name: str) -> None:
    """Check that the layer recovers after a fault.

    Within two seconds, all connections must be idle and no more than the pool's size. Within 30 seconds, turns must
    show memories again without degradation.
    """
    await rested(ledger, stage.site, f"deadlines: {name}")
    ledger.require(await stage.site.connected() <= POOL, f"deadlines: {name}: more connections than the pool may have")
    watch = ProcessorStopwatch()
    late = f"deadlines: {name}: turns are not whole again after {_BACK_WITHIN / 1000:g} s"
    ledger.require(await whole(stage), late)
    ledger.milliseconds["deadlines: until turns were whole"].append(watch.elapsed)


async def rested(ledger: SuiteReport, site: Site, name: str) -> None:
    """Check that two seconds after the last call no connection is busy and no transaction is open."""
    watch = ProcessorStopwatch()
    while (busy := await site.busy()) and watch.processing < IDLE_WITHIN:
        await asyncio.sleep(0.05)
    ledger.milliseconds[f"{name.partition(':')[0]}: until the pool was idle"].append(watch.elapsed)
    for doing in busy:
        ledger.violations[f"{name}: a connection at work after {IDLE_WITHIN / 1000:g} s: {doing}"] += 1
    ledger.require(not await site.ask(_IDLE_IN_TRANSACTION), f"{name}: idle in transaction")


async def whole(stage: FaultTarget) -> bool:
    """Return True if turns show memories without degradation again, within 30 seconds after a fault."""
    turn, watch = (
        Turn(agent_id=stage.agent, session_id="s", text=ASKED, now=AT + timedelta(days=2)),
        ProcessorStopwatch(),
    )
    while watch.processing < _BACK_WITHIN:
        context = await stage.layer.pre_turn(turn)
        if not context.degraded and KEY in context.text:
            return True
        await asyncio.sleep(0.05)
    return False
