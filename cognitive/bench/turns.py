"""Whole turns at a size, round by round beside the floor and the peers, so that all of them meet the same machine.

The floor is what no turn can do without: the message is embedded, its ten nearest memories are read by one statement,
and a row that says there was a turn is committed. It reads the cells that a turn reads; the exact floor reads all.
"""

from __future__ import annotations

import gc
import resource
import sys
from collections.abc import Awaitable, Callable, Sequence
from dataclasses import dataclass, field
from datetime import UTC, datetime
from functools import partial
from itertools import product
from time import perf_counter
from typing import Any
from uuid import uuid4

from brain import statements
from brain.database import Connection, Database
from brain.halfvec import encode_halfvec
from brain.ports import Embedder
from brain.search import PROBES
from cognitive.bench.data import Between, Known, Stock, lines
from cognitive.bench.figures import percentiles, ratio
from cognitive.bench.peers import Peer
from cognitive.layer import CognitiveLayer
from cognitive.turn import Message, Outcome, Turn, TurnContext

SQL = statements.load("bench")
WARMING = 5  # turns before the clock counts
_EXACT_EVERY = 5
_TALK = tuple(
    Message(role="user" if n % 2 == 0 else "assistant", content=f"We talked about point {n} of the plan.")
    for n in range(8)
)
Told = Callable[[int, int, str], None]


@dataclass(frozen=True, slots=True)
class Size:
    """What is measured: memories, spread over so many agents, in so many turns; `seed` decides all that is drawn."""

    memories: int
    agents: int
    turns: int
    seed: int

    def names(self) -> list[str]:
        """The agents."""
        return [f"bench-{self.memories}-{self.agents}-{n}" for n in range(self.agents)]


@dataclass(slots=True)
class Times:
    """Milliseconds by what took them, and in how many turns the answer was among the first ten."""

    floor: list[float] = field(default_factory=list)
    exact: list[float] = field(default_factory=list)
    pre_turn: list[float] = field(default_factory=list)
    post_turn: list[float] = field(default_factory=list)
    stages: dict[str, list[float]] = field(default_factory=dict)
    peers: dict[str, list[float]] = field(default_factory=dict)
    found: dict[str, int] = field(default_factory=dict)
    degraded: int = 0


async def measure(
    layer: CognitiveLayer, database: Database, between: Between, known: Stock, size: Size, peers: Sequence[Peer],
    settled: Callable[[], Awaitable[None]], told: Told,
) -> dict[str, Any]:  # fmt: skip
    """Stores what is to be measured, sorts it if it is large, runs the turns and returns the numbers of the size."""
    agents, each = size.names(), size.memories // size.agents
    start = perf_counter()
    for n, agent in enumerate(agents):
        moved = partial(_part, told, "storing", n * each, size.memories)
        await layer.remember(agent, list(lines(each, known, size.seed + n)), progress=moved)
    stored = size.memories / (perf_counter() - start)
    for agent in agents:
        await layer.sort(agent, progress=partial(_part, told, "sorting", 0, each))
    for peer, (n, agent) in product(peers, enumerate(agents)):
        moved = partial(_part, told, f"{peer.name} stores", n * each, size.memories)
        peer.fill(agent, list(lines(each, known, size.seed + n)), between, moved)
    await settled()
    times = await _rounds(layer, database, between, agents, known.questions, peers, told)
    return {"memories": size.memories, "agents": size.agents, "stored_per_second": round(stored), **_told(times)}


def _part(told: Told, what: str, before: int, total: int, done: int, _of: int) -> None:
    told(before + done, total, what)


async def _rounds(
    layer: CognitiveLayer, database: Database, real: Embedder, agents: Sequence[str], questions: Sequence[Known],
    peers: Sequence[Peer], told: Told,
) -> Times:  # fmt: skip
    times = Times()
    gc.collect()
    for n, asked in enumerate(questions):
        agent, counted = agents[n % len(agents)], n >= WARMING
        at = Times() if not counted else times
        at.floor.append(await _floor(database, real, agent, asked.question, PROBES))
        if n % _EXACT_EVERY == 0:
            at.exact.append(await _floor(database, real, agent, asked.question, None))
        context = await _turn(layer, agent, asked, at)
        _find(at, "cognitive", asked, _ranked(context))
        for peer in peers:
            start = perf_counter()
            sources = peer.search(agent, asked.question, real)
            at.peers.setdefault(peer.name, []).append((perf_counter() - start) * 1000)
            _find(at, peer.name, asked, sources)
        told(n + 1, len(questions), "turns")
    return times


async def _turn(layer: CognitiveLayer, agent: str, asked: Known, at: Times) -> TurnContext:
    turn = Turn(agent_id=agent, session_id="bench", text=asked.question, conversation=_TALK)
    start = perf_counter()
    context = await layer.pre_turn(turn)
    at.pre_turn.append((perf_counter() - start) * 1000)
    at.degraded += bool(context.degraded)
    for stage, milliseconds in context.trace.timings.items():
        at.stages.setdefault(stage, []).append(milliseconds)
    answer = " ".join(shown.content for shown in context.shown[:2]) or "Nothing is known of that."
    start = perf_counter()
    await layer.post_turn(context, Outcome(response=answer))
    at.post_turn.append((perf_counter() - start) * 1000)
    return context


def _ranked(context: TurnContext) -> list[str | None]:
    """The sources of the ten candidates that rank first, whatever the budget shows of them."""
    first = sorted(context.trace.fates, key=lambda fate: fate.candidate.rank)[:10]
    return [fate.candidate.hit.source for fate in first]


def _find(at: Times, name: str, asked: Known, sources: Sequence[str | None]) -> None:
    at.found[name] = at.found.get(name, 0) + (asked.source in sources)


async def _floor(database: Database, real: Embedder, agent: str, message: str, probes: int | None) -> float:
    start = perf_counter()
    vector = encode_halfvec(real.embed([message])[0])

    async def work(c: Connection) -> None:
        await c.fetch(SQL["nearest"], agent, real.model, vector, probes)
        await c.execute(SQL["there_was_a_turn"], agent, f"floor-{uuid4()}", datetime.now(UTC), message)

    await database.run(agent, work)
    return (perf_counter() - start) * 1000


def _told(times: Times) -> dict[str, Any]:
    turns = len(times.pre_turn)
    return {
        "turns": turns,
        "floor_ms": percentiles(times.floor),
        "exact_floor_ms": percentiles(times.exact),
        "pre_turn_ms": percentiles(times.pre_turn),
        "post_turn_ms": percentiles(times.post_turn),
        "stages_ms": {name: percentiles(values) for name, values in times.stages.items()},
        "peers_ms": {name: percentiles(values) for name, values in times.peers.items()},
        "pre_turn_by_floor": ratio(times.pre_turn, times.floor),
        "pre_turn_by_exact_floor": ratio(times.pre_turn, times.exact),
        "recall_at_10": {name: round(count / turns, 3) for name, count in times.found.items()},
        "degraded": times.degraded,
        "resident_mb": _resident(),
    }


def _resident() -> int:
    most = resource.getrusage(resource.RUSAGE_SELF).ru_maxrss
    return round(most / (1024 * 1024 if sys.platform == "darwin" else 1024))


async def cold(layer: CognitiveLayer, agent: str) -> float:
    """Milliseconds of the first turn of a layer that was just opened: nothing planned, nothing cached by it."""
    start = perf_counter()
    await layer.pre_turn(Turn(agent_id=agent, session_id="cold", text="Where does Ada keep the kayak?"))
    return round((perf_counter() - start) * 1000, 2)
