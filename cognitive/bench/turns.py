"""Store memories, run whole turns, and time them in rounds together with the floor on the same machine.

The floor is the least that any turn must do: embed the message, read its ten nearest memories in one statement, and
commit a row for the turn. It reads the same cells of the vector index as a turn; the exact floor reads all vectors.

Each round asks one question twice over the same memories: with a turn (`pre_turn` and `post_turn`), and with a `recall`
by a second layer, whose caches the turn has not filled. `pre_turn` gets the conversation as in every turn; `recall`
gets none, so a follow-up question is preceded by the user's earlier words.
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
from brain.admission import PROBES
from brain.embedding.minilm import MiniLM
from brain.ports import Embedder
from brain.postgres.database import Connection, Database
from brain.postgres.migrate import upgrade
from brain.postgres.wire_types import encode_halfvec
from brain.users import Scope
from cognitive.bench import databases
from cognitive.bench.figures import percentiles, ratio
from cognitive.bench.vectors import InterpolatedEmbedder
from cognitive.bench.workload import END, Question, Workload, WorkloadSize, statement_workload
from cognitive.layer import CognitiveLayer
from cognitive.policy import Policy
from cognitive.recall_hits import RecallHit
from cognitive.turn import Message, Outcome, Turn, TurnContext

SQL = statements.load("bench")
TEN = 10
WARMING = 5  # rounds before measuring begins
DEADLINE_MS = 60_000.0  # so long that slow turns are measured in full
_ALL_EMBEDDED = 10_000  # memories up to which all are embedded, which takes one processor a minute or two
_EXACT_EVERY = 5  # rounds per measurement of the exact floor
ProgressReport = Callable[[int, int, str], None]


@dataclass(frozen=True, slots=True)
class RoundResult:
    """The results of one round of the benchmark, which asks one question.

    Attributes:
        hits: the memories that `recall` found.
        context: the context that `pre_turn` returned.
        response: the text that was passed to `post_turn`.
    """

    agent: str
    hits: Sequence[RecallHit]
    context: TurnContext
    response: str


class PeerBenchmark(Protocol):
    """A memory system to compare with. It runs in the same rounds as the measured system, on the same memories."""

    async def store(
        self, agents: Sequence[str], workload: Workload, embedder: Embedder, report_progress: ProgressReport
    ) -> None:
        """Store the memories of all agents in the compared system as well."""

    def compare(self, question: Question, answer: RoundResult, embedder: Embedder, counted: bool) -> None:
        """Ask the compared system the question of a round, and compare its answer and time.

        `counted` is False in the warm-up rounds, which are left out of the result.
        """


def _message(index: int, text: str) -> Message:
    return Message(role="user" if index % 2 == 0 else "assistant", content=text)


_CONVERSATION = tuple(_message(n, f"We talked about point {n} of the plan.") for n in range(8))


@dataclass(slots=True)
class Times:
    """The times in milliseconds of all measured calls at one number of memories, and the number of degraded turns."""

    floor: list[float] = field(default_factory=list)
    exact: list[float] = field(default_factory=list)
    recall: list[float] = field(default_factory=list)
    pre_turn: list[float] = field(default_factory=list)
    post_turn: list[float] = field(default_factory=list)
    stages: dict[str, list[float]] = field(default_factory=dict)
    degraded: int = 0


@dataclass(frozen=True, slots=True)
class BenchmarkTarget:
    """The memory system that a benchmark measures.

    Attributes:
        layer: runs the turns.
        apart: runs searches without a turn, on the same database and with separate caches.
        database: runs the statements of the floor, the least that any turn must do.
        embedder: embeds texts for all three.
    """

    layer: CognitiveLayer
    apart: CognitiveLayer
    database: Database
    embedder: InterpolatedEmbedder


async def timed_turns(
    url: str | None, data: Path | None, sizes: Sequence[WorkloadSize], report_progress: ProgressReport
) -> list[dict[str, Any]]:
    """Time turns at each of the given numbers of memories, each in a temporary database, and return the figures.

    See `databases.server` for `url` and `data`.
    """
    real, policy = await asyncio.to_thread(MiniLM), Policy(deadline_ms=DEADLINE_MS)
    async with databases.server(url, data) as server, databases.database(server) as database_url:
        await upgrade(database_url)
        return [
            await measure(
                database_url, real, size, statement_workload(size, size.turns + WARMING), policy, report_progress
            )
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
    """Time turns at one number of memories, in the migrated database at `url`, and return the figures.

    Args:
        url: the database, in which the memories are stored.
        real: the embedder of all messages, and of the memories as far as time allows.
        size: the numbers of memories, agents and turns.
        workload: the memories and questions.
        policy: the policy of the turns.
        report_progress: called with (done, total, label).
        beside: a system to compare with in the same rounds.
    """
    report_progress(0, size.memories, "embedding")
    embedder = await asyncio.to_thread(InterpolatedEmbedder, real, _texts_to_embed(workload, size))
    database = Database(url)
    try:
        async with (
            CognitiveLayer.open(url, embedder=embedder, policy=policy) as layer,
            CognitiveLayer.open(url, embedder=embedder, policy=policy) as apart,
        ):
            target = BenchmarkTarget(layer, apart, database, embedder)
            figures = await _measure(target, url, workload, size, report_progress, beside)
        async with CognitiveLayer.open(url, embedder=real, policy=policy) as layer:
            figures["cold_ms"] = await _cold_ms(layer, size.names()[0])
        figures["database_mb"] = await databases.megabytes(url)
        return figures
    finally:
        await database.close()


def _texts_to_embed(workload: Workload, size: WorkloadSize) -> Sequence[str]:
    """Return the texts that the real embedding model embeds before the measurement begins."""
    if size.memories > _ALL_EMBEDDED:
        return workload.texts
    return [memory.content for agent in range(size.agents) for memory in workload.memories_of(agent)]


async def _measure(
    target: BenchmarkTarget,
    url: str,
    workload: Workload,
    size: WorkloadSize,
    report_progress: ProgressReport,
    beside: PeerBenchmark | None,
) -> dict[str, Any]:
    agents = size.names()
    stored_per_second = await _store(target.layer, agents, workload, size, report_progress)
    if beside is not None:
        await beside.store(agents, workload, target.embedder, report_progress)
    # Query plans and index-only scans need what autovacuum would do some minutes later.
    await databases.execute(url, "VACUUM ANALYZE")
    times = Times()
    gc.collect()
    for n, question in enumerate(workload.questions):
        result = await _round(target, agents[question.agent], n, question, times if n >= WARMING else Times())
        if beside is not None:
            beside.compare(question, result, target.embedder, n >= WARMING)
        report_progress(n + 1, len(workload.questions), "turns")
    return {
        "memories": size.memories,
        "agents": size.agents,
        "stored_per_second": round(stored_per_second),
        **_figures(times),
    }


async def _store(
    layer: CognitiveLayer,
    agents: Sequence[str],
    workload: Workload,
    size: WorkloadSize,
    report_progress: ProgressReport,
) -> float:
    """Store the memories, build vector indexes for large agents, and return the memories stored per second."""
    start = perf_counter()
    for n, agent in enumerate(agents):
        progress = partial(report_part, report_progress, "storing", n * size.each, size.memories)
        await layer.remember(agent, workload.memories_of(n), progress=progress)
    rate = size.memories / (perf_counter() - start)
    for agent in agents:
        await layer.admin.build_vector_index(
            agent, progress=partial(report_part, report_progress, "indexing", 0, size.each)
        )
    return rate


def report_part(report_progress: ProgressReport, what: str, before: int, total: int, done: int, _of: int) -> None:
    """Report the progress of storing one agent's memories as progress of storing those of all agents.

    `before` is the number stored for earlier agents, `done` the number stored for this agent, and `total` that of all.
    """
    report_progress(before + done, total, what)


async def _round(target: BenchmarkTarget, agent: str, n: int, question: Question, times: Times) -> RoundResult:
    times.floor.append(await _floor(target.database, target.embedder, agent, question.question, PROBES))
    if n % _EXACT_EVERY == 0:
        times.exact.append(await _floor(target.database, target.embedder, agent, question.question, None))
    with timed(times.recall):
        hits = await target.apart.recall(agent, question.with_context, limit=TEN, now=END)
    context, response = await _turn(target.layer, agent, n, question, times)
    return RoundResult(agent, hits, context, response)


@contextmanager
def timed(milliseconds: list[float]) -> Iterator[None]:
    """Measure the duration of the block in milliseconds, and append it to the list."""
    start = perf_counter()
    yield
    milliseconds.append((perf_counter() - start) * 1000)


def as_turn(agent: str, n: int, question: Question) -> Turn:
    """Return the turn in which an agent's user asks question number `n`, after a conversation."""
    conversation = tuple(_message(index, text) for index, text in enumerate(question.preceding)) or _CONVERSATION
    return Turn(agent_id=agent, session_id=f"bench-{n}", text=question.question, conversation=conversation, now=END)


async def _turn(layer: CognitiveLayer, agent: str, n: int, question: Question, times: Times) -> tuple[TurnContext, str]:
    """Run one turn with the question. Return its context and its response, which repeats the first memories shown."""
    turn = as_turn(agent, n, question)
    with timed(times.pre_turn):
        context = await layer.pre_turn(turn)
    times.degraded += bool(context.degraded)
    for stage, milliseconds in context.trace.timings.items():
        times.stages.setdefault(stage, []).append(milliseconds)
    response = " ".join(shown.content for shown in context.shown[:2]) or "Nothing is known of that."
    with timed(times.post_turn):
        await layer.post_turn(context, Outcome(response=response))
    return context, response


async def _floor(database: Database, embedder: Embedder, agent: str, message: str, probes: int | None) -> float:
    start = perf_counter()
    vector = encode_halfvec(embedder.embed([message])[0])

    async def work(c: Connection) -> None:
        await c.fetch(*SQL.nearest(agent_id=agent, model=embedder.model, embedding=vector, cells=probes))
        await c.execute(
            *SQL.there_was_a_turn(agent_id=agent, turn_id=f"floor-{uuid4()}", at=datetime.now(UTC), message=message)
        )

    await database.run(Scope(agent), work)
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
        "resident_mb": _resident_mb(),
    }


def sums(before: Sequence[float], after: Sequence[float]) -> list[float]:
    """Return the duration of each whole turn: the time before the model call plus the time after it."""
    return [sum(halves) for halves in zip(before, after, strict=True)]


def _resident_mb() -> int:
    maximum = resource.getrusage(resource.RUSAGE_SELF).ru_maxrss  # bytes on macOS, KB on Linux
    return round(maximum / (1024 * 1024 if sys.platform == "darwin" else 1024))


async def _cold_ms(layer: CognitiveLayer, agent: str) -> float:
    """Return how many milliseconds the first turn of a newly opened layer takes, while its caches are empty."""
    start = perf_counter()
    await layer.pre_turn(Turn(agent_id=agent, session_id="cold", text="Where does Ada keep the kayak?"))
    return round((perf_counter() - start) * 1000, 2)
