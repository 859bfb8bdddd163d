"""The plan is run: retrieve, rank, drop what is said already, fit, render. One loop for all memory types."""

from __future__ import annotations

import asyncio
from collections.abc import Callable, Sequence
from dataclasses import dataclass
from datetime import datetime
from time import perf_counter

from brain.deadline import Deadline
from brain.embedding.cached import CachedEmbedder
from brain.errors import CognitiveError, StoreUnavailable
from brain.search import Found, MemorySearch
from brain.store import MemoryStore
from brain.types import Memory, Vector
from cognitive.context import abstain, boost, budget, dedup, rank, relevance, render
from cognitive.context.retrieve import NO_FILTERS, Filters, Retrieved, retrieve
from cognitive.plan import Plan, RetrievalQuery
from cognitive.policy import Policy
from cognitive.tokens import count
from cognitive.trace import Candidate, Fate, Sifted, Trace
from cognitive.turn import Shown, Turn

_DEDUP_POOL = 2  # times a type's limit are compared with the window; what ranks lower would not be shown anyway
_WINDOW_SHARE = 0.8  # of the time left goes to embedding the window at most
_FRAME_TOKENS = count(render.frame()) + 1


@dataclass(frozen=True, slots=True)
class Built:
    """What the model should see of its memory, and how that came about."""

    text: str
    prefix: str
    shown: tuple[Shown, ...]
    trace: Trace
    degraded: tuple[str, ...]
    vector: Vector | None

    @classmethod
    def nothing(cls, plan: Plan, now: datetime, *degraded: str) -> Built:
        """No memory at all: none was asked for, or none could be had."""
        return cls("", "", (), Trace(plan.signals.text, plan.policy, now), degraded, None)


class ContextEngine:
    """Runs plans against an agent's memory."""

    def __init__(self, store: MemoryStore, search: MemorySearch, embedder: CachedEmbedder, policy: Policy) -> None:
        self._store = store
        self._search = search
        self._embedder = embedder
        self._policy = policy

    async def build(self, plan: Plan, turn: Turn, now: datetime, deadline: Deadline) -> Built:
        """The context of a turn. Whatever does not arrive by the deadline is missing and said to be."""
        clock = Stopwatch()
        (pinned, unpinned), retrieved = await asyncio.gather(
            self._pinned(turn.agent_id, deadline), self._retrieve(turn.agent_id, plan.retrieval, deadline)
        )
        clock.lap("retrieve")
        ranked = self._rank(plan.retrieval, retrieved, now)
        clock.lap("rank")
        window, missing = await self._window(turn, plan, deadline) if ranked else ([], ())
        sifted = self._sift(ranked, plan, pinned, retrieved.found, window)
        clock.lap("sift")
        text = render.block(sifted.kept)
        clock.lap("render")
        fates = tuple(sorted((*_fates_of_shown(sifted.kept), *sifted.dropped), key=lambda f: f.candidate.rank))
        return Built(
            text=text,
            prefix=render.prefix(pinned),
            shown=tuple(_shown(candidate) for candidate in sifted.kept),
            trace=Trace(plan.signals.text, plan.policy, now, retrieved.channels, fates, clock.laps),
            degraded=unpinned + retrieved.degraded + missing,
            vector=retrieved.vector,
        )

    async def recall(
        self, agent_id: str, queries: Sequence[RetrievalQuery], filters: Filters, now: datetime
    ) -> list[Candidate]:
        """The same stages for a query of the model's own: no floor, no budget, no window, all types in one order.

        Raises:
            StoreUnavailable: nothing could be retrieved in time.
        """
        retrieved = await self._retrieve(agent_id, queries, Deadline(self._policy.recall_deadline_ms), filters)
        if queries and not retrieved.channels:
            raise StoreUnavailable("; ".join(retrieved.degraded))
        return self._rank(queries, retrieved, now)

    async def _pinned(self, agent_id: str, deadline: Deadline) -> tuple[list[Memory], tuple[str, ...]]:
        try:
            return await deadline.within(self._store.pinned(agent_id)), ()
        except (CognitiveError, TimeoutError) as error:
            return [], (f"prefix: {str(error) or 'no answer from Postgres in time'}",)

    async def _retrieve(
        self, agent_id: str, queries: Sequence[RetrievalQuery], deadline: Deadline, filters: Filters = NO_FILTERS
    ) -> Retrieved:
        return await retrieve(
            agent_id, queries, search=self._search, embedder=self._embedder, policy=self._policy,
            deadline=deadline, filters=filters,
        )  # fmt: skip

    def _sift(
        self,
        ranked: Sequence[Candidate],
        plan: Plan,
        pinned: Sequence[Memory],
        found: Found,
        window: Sequence[dedup.Statement],
    ) -> Sifted:
        """From all candidates to those that are shown: the stages in their order, each saying what it dropped."""
        policy = self._policy
        limits = {query.type: query.limit for query in plan.retrieval}
        pool = {type_: limit * _DEDUP_POOL for type_, limit in limits.items()}
        stages: tuple[Callable[[Sequence[Candidate]], Sifted], ...] = (
            lambda candidates: _without_pinned(candidates, pinned),
            _without_superseded,
            lambda candidates: abstain.abstain(candidates, found, plan.signals, policy),
            lambda candidates: budget.limit(candidates, pool),
            lambda candidates: dedup.drop_said(candidates, window, policy) if plan.dedup else Sifted(tuple(candidates)),
            lambda candidates: budget.limit(candidates, limits),
            lambda candidates: budget.fit(candidates, plan.budgets, plan.total, cost=_cost, overhead=_FRAME_TOKENS),
        )
        left = tuple(ranked)
        dropped: tuple[Fate, ...] = ()
        for stage in stages:
            sifted = stage(left)
            left, dropped = sifted.kept, (*dropped, *sifted.dropped)
        return Sifted(left, dropped)

    def _rank(self, queries: Sequence[RetrievalQuery], retrieved: Retrieved, now: datetime) -> list[Candidate]:
        if not queries:
            return []
        found = relevance.candidates(retrieved.found, queries[0], now, self._policy)
        return rank.rank(found, boost.boosts(retrieved.found, now, self._policy), self._policy)

    async def _window(
        self, turn: Turn, plan: Plan, deadline: Deadline
    ) -> tuple[list[dedup.Statement], tuple[str, ...]]:
        """What the last turns of the conversation and this message state, with the vectors that can be had in time."""
        if not plan.dedup:
            return [], ()
        spoken = [message.content for message in turn.conversation if message.role in ("user", "assistant")]
        recent = spoken[-2 * plan.window :] if plan.window else []
        stated = dedup.window_sentences([*recent, turn.text])
        unknown = [sentence for sentence in stated if self._embedder.known(sentence) is None]
        missing: tuple[str, ...] = ()
        try:
            await deadline.within(self._embedder.embed(unknown[-self._policy.window_sentences :]), _WINDOW_SHARE)
        except TimeoutError:
            missing = ("dedup: not all of the window was embedded in time, compared by words",)
        except CognitiveError as error:
            missing = (f"dedup: {error}; compared by words",)
        vectors = {sentence: vector for sentence in stated if (vector := self._embedder.known(sentence)) is not None}
        return dedup.window_statements(stated, vectors), missing


class Stopwatch:
    """Milliseconds between laps, by name."""

    def __init__(self) -> None:
        self.laps: dict[str, float] = {}
        self._last = perf_counter()

    def lap(self, name: str) -> None:
        """Ends a lap under this name."""
        now = perf_counter()
        self.laps[name] = (now - self._last) * 1000
        self._last = now


def _without_pinned(candidates: Sequence[Candidate], pinned: Sequence[Memory]) -> Sifted:
    """What the prefix shows, the block does not repeat."""
    ids = {memory.id for memory in pinned}
    return Sifted(
        tuple(candidate for candidate in candidates if candidate.hit.memory_id not in ids),
        tuple(
            Fate(candidate, "pinned", candidate.score, "it stands in the prefix")
            for candidate in candidates
            if candidate.hit.memory_id in ids
        ),
    )


def _without_superseded(candidates: Sequence[Candidate]) -> Sifted:
    """What a newer memory replaced is not offered to the model; recall still finds it, below its replacement."""
    return Sifted(
        tuple(candidate for candidate in candidates if candidate.hit.superseded_by is None),
        tuple(
            Fate(candidate, "superseded", candidate.score, f"replaced by {candidate.hit.superseded_by}")
            for candidate in candidates
            if candidate.hit.superseded_by is not None
        ),
    )


def _cost(candidate: Candidate) -> int:
    return count(render.line(candidate)) + 1  # and its line break


def _fates_of_shown(shown: Sequence[Candidate]) -> list[Fate]:
    return [Fate(candidate, "shown", candidate.score, f"rank {candidate.rank}") for candidate in shown]


def _shown(candidate: Candidate) -> Shown:
    hit = candidate.hit
    return Shown(hit.memory_id, hit.type, hit.content, hit.source, candidate.score, candidate.tokens)
