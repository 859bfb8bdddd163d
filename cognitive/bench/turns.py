"""Whole turns at a size, round by round beside the floor and the peers, so that all of them meet the same machine.

The floor is what no turn can do without: the message is embedded, its ten nearest memories are read by one statement,
and a row that says there was a turn is committed. It reads the cells that a turn reads; the exact floor reads all.

A turn of this layer is `pre_turn` and `post_turn`, one of a peer its search and the storing of the exchange; beside
them stands a bare search, `recall`, of a layer whose caches the turn did not fill. All are asked the same, of the same
lines, for ten memories. What a search finds is compared with what a turn ranks first, and with what its prompt shows,
often fewer than ten. A question that needs what was said before it is handed to searches behind the user's words
before: `pre_turn` gets the conversation, as it does in every turn.
"""

from __future__ import annotations

import gc
import resource
import sys
from collections.abc import Awaitable, Callable, Iterator, Sequence
from contextlib import contextmanager
from dataclasses import dataclass, field
from datetime import UTC, datetime
from functools import partial
from itertools import product
from time import perf_counter
from typing import Any
from uuid import uuid4

from brain import statements
from brain.ports import Embedder
from brain.postgres.database import Connection, Database
from brain.postgres.halfvec import encode_halfvec
from brain.search import PROBES
from cognitive.bench.data import END, Known, Stock, lines
from cognitive.bench.figures import percentiles, ratio
from cognitive.bench.finding import Finding
from cognitive.bench.peers import Peer
from cognitive.bench.vectors import Between
from cognitive.layer import CognitiveLayer
from cognitive.turn import Message, Outcome, Turn, TurnContext

SQL = statements.load("bench")
TEN = 10
WARMING = 5  # turns before the clock counts
_EXACT_EVERY = 5
Told = Callable[[int, int, str], None]


def _message(place: int, text: str) -> Message:
    """Of a conversation that the user began."""
    return Message(role="user" if place % 2 == 0 else "assistant", content=text)


_TALK = tuple(_message(n, f"We talked about point {n} of the plan.") for n in range(8))


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
    """Milliseconds by what took them, and what was found."""

    floor: list[float] = field(default_factory=list)
    exact: list[float] = field(default_factory=list)
    recall: list[float] = field(default_factory=list)
    pre_turn: list[float] = field(default_factory=list)
    post_turn: list[float] = field(default_factory=list)
    stages: dict[str, list[float]] = field(default_factory=dict)
    searches: dict[str, list[float]] = field(default_factory=dict)
    stores: dict[str, list[float]] = field(default_factory=dict)
    found: Finding = field(default_factory=Finding)
    degraded: int = 0


@dataclass(frozen=True, slots=True)
class Measured:
    """What is asked in every round: the layer and another one on the same database for bare searches, the database for
    the floor, the embedder of all, and the peers."""

    layer: CognitiveLayer
    apart: CognitiveLayer
    database: Database
    embedder: Between
    peers: Sequence[Peer]


async def measure(
    measured: Measured, known: Stock, size: Size, settled: Callable[[], Awaitable[None]], told: Told
) -> dict[str, Any]:
    """Stores what is to be measured, sorts it if it is large, runs the turns and returns the numbers of the size."""
    agents, each, layer = size.names(), size.memories // size.agents, measured.layer
    start = perf_counter()
    for n, agent in enumerate(agents):
        moved = partial(_part, told, "storing", n * each, size.memories)
        await layer.remember(agent, list(lines(each, known.statements[n], size.seed + n)), progress=moved)
    stored = size.memories / (perf_counter() - start)
    for agent in agents:
        await layer.sort(agent, progress=partial(_part, told, "sorting", 0, each))
    for peer, (n, agent) in product(measured.peers, enumerate(agents)):
        moved = partial(_part, told, f"{peer.name} stores", n * each, size.memories)
        peer.fill(agent, list(lines(each, known.statements[n], size.seed + n)), measured.embedder, moved)
    await settled()
    times = Times()
    gc.collect()
    for n, asked in enumerate(known.questions):
        await _round(measured, agents[asked.agent], n, asked, times if n >= WARMING else Times())
        told(n + 1, len(known.questions), "turns")
    return {"memories": size.memories, "agents": size.agents, "stored_per_second": round(stored), **_told(times)}


def _part(told: Told, what: str, before: int, total: int, done: int, _of: int) -> None:
    told(before + done, total, what)


async def _round(measured: Measured, agent: str, n: int, asked: Known, at: Times) -> None:
    at.floor.append(await _floor(measured.database, measured.embedder, agent, asked.question, PROBES))
    if n % _EXACT_EVERY == 0:
        at.exact.append(await _floor(measured.database, measured.embedder, agent, asked.question, None))
    with _timed(at.recall):
        hits = await measured.apart.recall(agent, asked.joined, limit=TEN, now=END)
    at.found.add("recall", asked, [hit.source for hit in hits])
    answer = await _turn(measured.layer, agent, n, asked, at)
    for peer in measured.peers:
        with _timed(at.searches.setdefault(peer.name, [])):
            sources = peer.search(agent, asked.joined, measured.embedder)
        at.found.add(peer.name, asked, sources)
        with _timed(at.stores.setdefault(peer.name, [])):
            peer.store(agent, asked.question, answer, measured.embedder)


@contextmanager
def _timed(milliseconds: list[float]) -> Iterator[None]:
    start = perf_counter()
    yield
    milliseconds.append((perf_counter() - start) * 1000)


async def _turn(layer: CognitiveLayer, agent: str, n: int, asked: Known, at: Times) -> str:
    """The answer, which repeats what was shown first."""
    talk = tuple(_message(place, text) for place, text in enumerate(asked.talk)) or _TALK
    turn = Turn(agent_id=agent, session_id=f"bench-{n}", text=asked.question, conversation=talk, now=END)
    with _timed(at.pre_turn):
        context = await layer.pre_turn(turn)
    at.degraded += bool(context.degraded)
    for stage, milliseconds in context.trace.timings.items():
        at.stages.setdefault(stage, []).append(milliseconds)
    if asked.source is not None:
        at.found.add("ranked", asked, _ranked(context))
    at.found.add("shown", asked, [shown.source for shown in context.shown])
    answer = " ".join(shown.content for shown in context.shown[:2]) or "Nothing is known of that."
    with _timed(at.post_turn):
        await layer.post_turn(context, Outcome(response=answer))
    return answer


def _ranked(context: TurnContext) -> list[str | None]:
    """The sources of the ten candidates that rank first, whatever the budget shows of them."""
    first = sorted(context.trace.fates, key=lambda fate: fate.candidate.rank)[:TEN]
    return [fate.candidate.hit.source for fate in first]


async def _floor(database: Database, real: Embedder, agent: str, message: str, probes: int | None) -> float:
    start = perf_counter()
    vector = encode_halfvec(real.embed([message])[0])

    async def work(c: Connection) -> None:
        await c.fetch(SQL["nearest"], agent, real.model, vector, probes)
        await c.execute(SQL["there_was_a_turn"], agent, f"floor-{uuid4()}", datetime.now(UTC), message)

    await database.run(agent, work)
    return (perf_counter() - start) * 1000


def _told(times: Times) -> dict[str, Any]:
    return {
        "turns": len(times.pre_turn),
        "floor_ms": percentiles(times.floor),
        "exact_floor_ms": percentiles(times.exact),
        "recall_ms": percentiles(times.recall),
        "pre_turn_ms": percentiles(times.pre_turn),
        "post_turn_ms": percentiles(times.post_turn),
        "turn_ms": percentiles(_whole(times.pre_turn, times.post_turn)),
        "stages_ms": {name: percentiles(values) for name, values in times.stages.items()},
        "peers": {
            name: {
                "search_ms": percentiles(searches),
                "store_ms": percentiles(times.stores[name]),
                "turn_ms": percentiles(_whole(searches, times.stores[name])),
            }
            for name, searches in times.searches.items()
        },
        "pre_turn_by_floor": ratio(times.pre_turn, times.floor),
        "pre_turn_by_exact_floor": ratio(times.pre_turn, times.exact),
        "found": times.found.told(),
        "degraded": times.degraded,
        "resident_mb": _resident(),
    }


def _whole(before: Sequence[float], after: Sequence[float]) -> list[float]:
    return [sum(halves) for halves in zip(before, after, strict=True)]


def _resident() -> int:
    most = resource.getrusage(resource.RUSAGE_SELF).ru_maxrss
    return round(most / (1024 * 1024 if sys.platform == "darwin" else 1024))


async def cold(layer: CognitiveLayer, agent: str) -> float:
    """Milliseconds of the first turn of a layer that was just opened: nothing planned, nothing cached by it."""
    start = perf_counter()
    await layer.pre_turn(Turn(agent_id=agent, session_id="cold", text="Where does Ada keep the kayak?"))
    return round((perf_counter() - start) * 1000, 2)
