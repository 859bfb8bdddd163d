"""Store memories, run whole turns and time them, round by round beside the floor of the same machine.

The floor is what no turn can do without: the message is embedded, its ten nearest memories are read by one statement,
and a row that says there was a turn is committed. It reads the cells that a turn reads; the exact floor reads all.

A turn is `pre_turn` and `post_turn`; beside it stands a bare search, `recall`, of a layer whose caches the turn did not
fill. Both are asked the same, of the same lines. A search is handed a follow-up question behind the user's words before
it; `pre_turn` gets the conversation, as it does in every turn.
"""

from __future__ import annotations

import asyncio
import gc
import resource
import sys
from collections.abc import Callable, Iterator, Sequence
from contextlib import contextmanager
from dataclasses import dataclass, field
from datetime import UTC, datetime
from functools import partial
from pathlib import Path
from time import perf_counter
from typing import Any, Protocol
from uuid import uuid4

from brain import statements
from brain.embedding.minilm import MiniLM
from brain.ports import Embedder
from brain.postgres.database import Connection, Database
from brain.postgres.migrate import upgrade
from brain.postgres.wire_types import encode_halfvec
from brain.search import PROBES
from cognitive.bench import databases
from cognitive.bench.figures import percentiles, ratio
from cognitive.bench.vectors import InterpolatedEmbedder
from cognitive.bench.workload import END, Question, Workload, WorkloadSize, statement_workload
from cognitive.layer import CognitiveLayer
from cognitive.policy import Policy
from cognitive.turn import Message, Outcome, RecallHit, Turn, TurnContext

SQL = statements.load("bench")
TEN = 10
WARMING = 5  # turns before the clock counts
DEADLINE_MS = 60_000.0  # a late turn is measured, and not cut
_ALL_EMBEDDED = 10_000  # memories: a minute or two of a processor
_EXACT_EVERY = 5
ProgressReport = Callable[[int, int, str], None]


@dataclass(frozen=True, slots=True)
class RoundResult:
    """What one round came to: the hits of the search, the context of the turn and the response that was handed in."""

    agent: str
    hits: Sequence[RecallHit]
    context: TurnContext
    response: str


class PeerBenchmark(Protocol):
    """What is measured in the same rounds on the same memories."""

    async def store(
        self, agents: Sequence[str], workload: Workload, embedder: Embedder, report_progress: ProgressReport
    ) -> None:
        """Store the memories of all agents once more."""

    def compare(self, question: Question, answer: RoundResult, embedder: Embedder, counted: bool) -> None:
        """Ask the same; the first rounds are not `counted`."""


def _message(place: int, text: str) -> Message:
    return Message(role="user" if place % 2 == 0 else "assistant", content=text)


_TALK = tuple(_message(n, f"We talked about point {n} of the plan.") for n in range(8))


@dataclass(slots=True)
class Times:
    """Milliseconds by what took them."""

    floor: list[float] = field(default_factory=list)
    exact: list[float] = field(default_factory=list)
    recall: list[float] = field(default_factory=list)
    pre_turn: list[float] = field(default_factory=list)
    post_turn: list[float] = field(default_factory=list)
    stages: dict[str, list[float]] = field(default_factory=dict)
    degraded: int = 0


@dataclass(frozen=True, slots=True)
class BenchmarkTarget:
    """What is asked in every round: the layer, another one on the same database for bare searches, the database for
    the floor, and the embedder of all."""

    layer: CognitiveLayer
    apart: CognitiveLayer
    database: Database
    embedder: InterpolatedEmbedder


async def timed_turns(
    url: str | None, data: Path | None, sizes: Sequence[WorkloadSize], report_progress: ProgressReport
) -> list[dict[str, Any]]:
    """Return the figures of each size, measured in a database of its own on a server; see `databases.server`."""
    real, policy = await asyncio.to_thread(MiniLM), Policy(deadline_ms=DEADLINE_MS)
    async with databases.server(url, data) as server, databases.database(server) as own:
        await upgrade(own)
        return [
            await measure(own, real, size, statement_workload(size, size.turns + WARMING), policy, report_progress)
            for size in sizes
        ]


async def measure(
    url: str,
    real: Embedder,
    size: WorkloadSize,
    workload: Workload,
    policy: Policy,
    report_progress: ProgressReport,
    beside: PeerBenchmark | None = None,
) -> dict[str, Any]:
    """Return the figures of a size, in the migrated database at `url`.

    Args:
        real: what embeds all messages, and the memories as far as there is time for it.
        told: called with (done, total, what).
    """
    report_progress(0, size.memories, "embedding")
    embedder = await asyncio.to_thread(InterpolatedEmbedder, real, _embedded(workload, size))
    database = Database(url)
    try:
        async with (
            CognitiveLayer.open(url, embedder=embedder, policy=policy) as layer,
            CognitiveLayer.open(url, embedder=embedder, policy=policy) as apart,
        ):
            found = await _measured(
                BenchmarkTarget(layer, apart, database, embedder), url, workload, size, report_progress, beside
            )
        async with CognitiveLayer.open(url, embedder=real, policy=policy) as layer:
            found["cold_ms"] = await _cold(layer, size.names()[0])
        found["database_mb"] = await databases.megabytes(url)
        return found
    finally:
        await database.close()


def _embedded(workload: Workload, size: WorkloadSize) -> Sequence[str]:
    """Return the texts that get a real vector before the clock runs."""
    if size.memories > _ALL_EMBEDDED:
        return workload.texts
    return [memory.content for agent in range(size.agents) for memory in workload.memories_of(agent)]


async def _measured(
    measured: BenchmarkTarget,
    url: str,
    workload: Workload,
    size: WorkloadSize,
    report_progress: ProgressReport,
    beside: PeerBenchmark | None,
) -> dict[str, Any]:
    agents = size.names()
    stored = await _stored(measured.layer, agents, workload, size, report_progress)
    if beside is not None:
        await beside.store(agents, workload, measured.embedder, report_progress)
    # as autovacuum would before long: plans and index-only scans need it
    await databases.execute(url, "VACUUM ANALYZE")
    times = Times()
    gc.collect()
    for n, asked in enumerate(workload.questions):
        answer = await _round(measured, agents[asked.agent], n, asked, times if n >= WARMING else Times())
        if beside is not None:
            beside.compare(asked, answer, measured.embedder, n >= WARMING)
        report_progress(n + 1, len(workload.questions), "turns")
    return {"memories": size.memories, "agents": size.agents, "stored_per_second": round(stored), **_figures(times)}


async def _stored(
    layer: CognitiveLayer,
    agents: Sequence[str],
    workload: Workload,
    size: WorkloadSize,
    report_progress: ProgressReport,
) -> float:
    """Store the memories and sort them if they are many; return how many were stored in a second."""
    start = perf_counter()
    for n, agent in enumerate(agents):
        moved = partial(report_part, report_progress, "storing", n * size.each, size.memories)
        await layer.remember(agent, workload.memories_of(n), progress=moved)
    rate = size.memories / (perf_counter() - start)
    for agent in agents:
        await layer.admin.build_vector_index(
            agent, progress=partial(report_part, report_progress, "sorting", 0, size.each)
        )
    return rate


def report_part(report_progress: ProgressReport, what: str, before: int, total: int, done: int, _of: int) -> None:
    """Report the progress of one agent as that of all."""
    report_progress(before + done, total, what)


async def _round(measured: BenchmarkTarget, agent: str, n: int, asked: Question, at: Times) -> RoundResult:
    at.floor.append(await _floor(measured.database, measured.embedder, agent, asked.question, PROBES))
    if n % _EXACT_EVERY == 0:
        at.exact.append(await _floor(measured.database, measured.embedder, agent, asked.question, None))
    with timed(at.recall):
        hits = await measured.apart.recall(agent, asked.with_context, limit=TEN, now=END)
    context, response = await _turn(measured.layer, agent, n, asked, at)
    return RoundResult(agent, hits, context, response)


@contextmanager
def timed(milliseconds: list[float]) -> Iterator[None]:
    """Append how long the block took."""
    start = perf_counter()
    yield
    milliseconds.append((perf_counter() - start) * 1000)


async def _turn(layer: CognitiveLayer, agent: str, n: int, asked: Question, at: Times) -> tuple[TurnContext, str]:
    """Return the context, and the response, which repeats what was shown first."""
    talk = tuple(_message(place, text) for place, text in enumerate(asked.preceding)) or _TALK
    turn = Turn(agent_id=agent, session_id=f"bench-{n}", text=asked.question, conversation=talk, now=END)
    with timed(at.pre_turn):
        context = await layer.pre_turn(turn)
    at.degraded += bool(context.degraded)
    for stage, milliseconds in context.trace.timings.items():
        at.stages.setdefault(stage, []).append(milliseconds)
    response = " ".join(shown.content for shown in context.shown[:2]) or "Nothing is known of that."
    with timed(at.post_turn):
        await layer.post_turn(context, Outcome(response=response))
    return context, response


async def _floor(database: Database, real: Embedder, agent: str, message: str, probes: int | None) -> float:
    start = perf_counter()
    vector = encode_halfvec(real.embed([message])[0])

    async def work(c: Connection) -> None:
        await c.fetch(*SQL.nearest(agent_id=agent, model=real.model, embedding=vector, cells=probes))
        await c.execute(
            *SQL.there_was_a_turn(agent_id=agent, turn_id=f"floor-{uuid4()}", at=datetime.now(UTC), message=message)
        )

    await database.run(agent, work)
    return (perf_counter() - start) * 1000


def _figures(times: Times) -> dict[str, Any]:
    return {
        "turns": len(times.pre_turn),
        "floor_ms": percentiles(times.floor),
        "exact_floor_ms": percentiles(times.exact),
        "recall_ms": percentiles(times.recall),
        "pre_turn_ms": percentiles(times.pre_turn),
        "post_turn_ms": percentiles(times.post_turn),
        "turn_ms": percentiles(sums(times.pre_turn, times.post_turn)),
        "stages_ms": {name: percentiles(values) for name, values in times.stages.items()},
        "pre_turn_by_floor": ratio(times.pre_turn, times.floor),
        "pre_turn_by_exact_floor": ratio(times.pre_turn, times.exact),
        "degraded": times.degraded,
        "resident_mb": _resident(),
    }


def sums(before: Sequence[float], after: Sequence[float]) -> list[float]:
    """Return the times of whole turns from those of their halves."""
    return [sum(halves) for halves in zip(before, after, strict=True)]


def _resident() -> int:
    most = resource.getrusage(resource.RUSAGE_SELF).ru_maxrss
    return round(most / (1024 * 1024 if sys.platform == "darwin" else 1024))


async def _cold(layer: CognitiveLayer, agent: str) -> float:
    """Return the milliseconds of the first turn of a layer that was just opened: nothing planned, nothing cached."""
    start = perf_counter()
    await layer.pre_turn(Turn(agent_id=agent, session_id="cold", text="Where does Ada keep the kayak?"))
    return round((perf_counter() - start) * 1000, 2)
