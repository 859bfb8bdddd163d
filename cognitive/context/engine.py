"""The plan is run: what the stages need is fetched, they are run on it, and it is kept for replay."""

from __future__ import annotations

import asyncio
from collections.abc import Awaitable, Callable, Sequence
from dataclasses import dataclass, replace
from datetime import datetime
from time import perf_counter

from brain.deadline import Deadline
from brain.embedding.embedders import CachedEmbedder, Embedders
from brain.errors import CognitiveError, StoreUnavailable
from brain.search import Hit, MemorySearch
from brain.store import MemoryStore
from brain.types import Memory, Vector
from cognitive.context import dedup, render
from cognitive.context.assemble import AssembledContext, assemble, order
from cognitive.context.retrieve import NO_FILTERS, Filters, Retrieved, embedded, retrieve, searched
from cognitive.context.similarity import SentenceSet
from cognitive.degradation import Degradation
from cognitive.plan import Plan, RetrievalQuery
from cognitive.policy import Policy
from cognitive.policy.constants import Constants
from cognitive.prompt import without_injected
from cognitive.recording.record import AlreadyInPrompt, TurnInputs, encode
from cognitive.tokens import TokenCounter
from cognitive.trace import NOT_ELIGIBLE, Candidate, Trace
from cognitive.turn import Message, Shown, Turn

Sent = Callable[[], Awaitable[Sequence[Message]]]
EMPTY_WINDOW = dedup.window([], {})
_WINDOW_SHARE = 0.8  # of the time left goes to embedding the window at most


@dataclass(frozen=True, slots=True)
class MemoryContext:
    """What the model should see of its memory, and how that came about; `inputs` is what the stages ran on.

    `vector` is the query's, by the embedding model of that name; `first_model_vector` is the same by the process's own
    first model, for what the process compares it with itself.
    """

    text: str
    prefix: str
    shown: tuple[Shown, ...]
    trace: Trace
    degraded: tuple[Degradation, ...]
    vector: Vector | None
    inputs: TurnInputs | None = None
    model: str | None = None
    first_model_vector: Vector | None = None

    @classmethod
    def empty(cls, plan: Plan, now: datetime, *degraded: Degradation) -> MemoryContext:
        """No memory at all: none was asked for, or none could be had."""
        return cls("", "", (), Trace(plan.signals.text, plan.policy, now), degraded, None)


class ContextEngine:
    """Runs plans against an agent's memory."""

    def __init__(
        self,
        store: MemoryStore,
        search: MemorySearch,
        embedders: Embedders,
        counter: TokenCounter,
        constants: Constants,
    ) -> None:
        self._store = store
        self._search = search
        self._embedders = embedders
        self._counter = counter
        self._constants = constants

    async def build(
        self,
        plan: Plan,
        turn: Turn,
        now: datetime,
        deadline: Deadline,
        policy: Policy,
        room: int | None = None,
        sent: Sent | None = None,
    ) -> MemoryContext:
        """The context of a turn. Whatever does not arrive by the deadline is missing and said to be.

        `room` is how many tokens the model at hand leaves for memory, None where that is no matter; `sent` brings the
        messages of the conversation that the model is sent, where those are not all.
        """
        clock = StageTimer()
        believed, kept = self._embedders.of(turn.agent_id), deadline.left() * self._constants.ranking_time_share
        searching = deadline.leaving(kept)
        (pinned, unpinned), (retrieved, embedder), (window, missing) = await asyncio.gather(
            self._pinned(turn.agent_id, searching),
            self._retrieve(turn.agent_id, plan.retrieval, now, searching, policy),
            self._window(turn, plan, searching, policy, believed),  # behind the message, while Postgres is at work
        )
        if embedder is not believed:
            window, missing = await self._window(turn, plan, searching, policy, embedder)
        retrieved = retrieved.in_time(deadline.left(), kept)
        clock.lap("retrieve")
        inputs = TurnInputs.from_plan(
            plan,
            now,
            embedder.model,
            retrieved.found,
            tuple(pinned),
            turn.agent_id,
            turn.turn_id or "",
            await _already_in_prompt(turn, retrieved.found.hits, sent, policy),
            self._counter.name,
            room,
            self._constants.digest,
        )
        assembled = assemble(
            plan, inputs, dedup.window_comparer(window, policy), policy, self._counter, self._constants
        )
        clock.lap("assemble")
        record = encode(inputs, assembled.candidates, text=assembled.text, prefix=assembled.prefix)
        clock.lap("record")
        return MemoryContext(
            text=assembled.text,
            prefix=assembled.prefix,
            shown=_shown(assembled),
            trace=Trace(
                plan.signals.text,
                plan.policy,
                now,
                retrieved.channels,
                assembled.candidates,
                clock.laps,
                record,
                assembled.sections,
            ),
            degraded=unpinned + retrieved.degraded + (missing if retrieved.found.hits else ()),
            vector=retrieved.vector,
            inputs=inputs,
            model=embedder.model,
            first_model_vector=await self._own(plan.retrieval, retrieved.vector, embedder, deadline),
        )

    async def recall(
        self,
        agent_id: str,
        queries: Sequence[RetrievalQuery],
        filters: Filters,
        now: datetime,
        policy: Policy,
        model: str | None = None,
    ) -> list[Candidate]:
        """The same stages for a query of the model's own: no floor, no budget, no window, all types in one order.

        By the agent's live embedding model, or by another one that is kept, to compare.

        Raises:
            EmbeddingError: this process lacks the embedding model that is named.
            StoreUnavailable: nothing could be retrieved in time.
        """
        deadline = Deadline(policy.deadlines.recall_ms)
        retrieved, _ = await self._retrieve(agent_id, queries, now, deadline, policy, filters, model)
        if queries and not retrieved.channels:
            raise StoreUnavailable("; ".join(retrieved.degraded))
        return order(queries, retrieved.found, now, policy, self._constants)

    async def _pinned(self, agent_id: str, deadline: Deadline) -> tuple[list[Memory], tuple[Degradation, ...]]:
        try:
            return await deadline.within(self._store.pinned(agent_id)), ()
        except (CognitiveError, TimeoutError) as error:
            return [], (Degradation.from_error("prefix", error, "no answer from Postgres in time"),)

    async def _retrieve(
        self,
        agent_id: str,
        queries: Sequence[RetrievalQuery],
        now: datetime,
        deadline: Deadline,
        policy: Policy,
        filters: Filters = NO_FILTERS,
        model: str | None = None,
    ) -> tuple[Retrieved, CachedEmbedder]:
        """What is found by the agent's live model, as far as this process has it, or by the one named; and by which.

        Which one is live is told with what is found. If it is another one than was believed, it is asked again, by that
        one; the answer by the other stands if there is no time.
        """

        async def found(embedder: CachedEmbedder) -> Retrieved:
            return await retrieve(
                agent_id,
                queries,
                search=self._search,
                embedder=embedder,
                policy=policy,
                constants=self._constants,
                now=now,
                deadline=deadline,
                filters=filters,
            )

        if model is not None:
            return await found(self._embedders.named(model)), self._embedders.named(model)
        embedder = self._embedders.of(agent_id)
        retrieved = await found(embedder)
        live = self._embedders.of(agent_id)
        if retrieved.channels and live is not embedder:
            again = await found(live)
            retrieved, embedder = (again, live) if again.channels else (retrieved, embedder)
        lacking = self._embedders.lacking(agent_id)
        if lacking is not None and queries:
            told = f"this process lacks {lacking}, the agent's live model; searched by {embedder.model}"
            degraded = (*retrieved.degraded, Degradation("embedding_model_missing", told))
            retrieved = replace(retrieved, degraded=degraded)
        return retrieved, embedder

    async def _own(
        self, queries: Sequence[RetrievalQuery], vector: Vector | None, embedder: CachedEmbedder, deadline: Deadline
    ) -> Vector | None:
        """The query's vector by the first embedder: tools and labelled sentences were embedded with that one."""
        if embedder is self._embedders.first or vector is None:
            return vector
        return (await embedded(searched(queries[0].text), self._embedders.first, self._constants, deadline))[0]

    async def _window(
        self, turn: Turn, plan: Plan, deadline: Deadline, policy: Policy, embedder: CachedEmbedder
    ) -> tuple[SentenceSet, tuple[Degradation, ...]]:
        """What the last turns of the conversation and this message state, with the vectors that can be had in time."""
        if not plan.dedup or not plan.retrieval:
            return EMPTY_WINDOW, ()
        spoken = [said.content for said in turn.conversation if said.role in ("user", "assistant") and said.content]
        recent = [without_injected(content) for content in spoken[-2 * plan.window :]] if plan.window else []
        stated = dedup.window_sentences([*recent, turn.text])
        unknown = [sentence for sentence in stated if embedder.known(sentence) is None]
        most = self._constants.max_window_sentences
        missing: tuple[Degradation, ...] = ()
        try:
            await deadline.within(
                embedder.embed(unknown[-most:] if most else []),
                _WINDOW_SHARE,
            )
        except TimeoutError:
            missing = (Degradation("dedup_late", "not all of the window was embedded in time, compared by words"),)
        except CognitiveError as error:
            missing = (Degradation("dedup_failed", f"{error}; compared by words"),)
        vectors = {sentence: vector for sentence in stated if (vector := embedder.known(sentence)) is not None}
        return dedup.window(stated, vectors), missing


class StageTimer:
    """Milliseconds between laps, by name."""

    def __init__(self) -> None:
        self.laps: dict[str, float] = {}
        self._last = perf_counter()

    def lap(self, name: str) -> None:
        """Ends a lap under this name."""
        now = perf_counter()
        self.laps[name] = (now - self._last) * 1000
        self._last = now


def _shown(assembled: AssembledContext) -> tuple[Shown, ...]:
    eligible = (result.candidate.relevance for result in assembled.candidates if result.disposition not in NOT_ELIGIBLE)
    best = max(eligible, default=0.0)
    return tuple(
        Shown(
            each.hit.memory_id,
            each.hit.type,
            each.hit.content,
            each.hit.source,
            each.score,
            each.tokens,
            each.propensity,
            relevance_gap=best - each.relevance,
        )
        for each in assembled.shown
    )


async def _already_in_prompt(
    turn: Turn, hits: Sequence[Hit], sent: Sent | None, policy: Policy
) -> tuple[AlreadyInPrompt, ...]:
    """What the conversation still shows of what was found, where blocks stay in it: not what its window leaves out."""
    if policy.placement != "journaled" or not hits:
        return ()
    conversation = await sent() if sent is not None else turn.conversation
    return dedup.find_in_history(hits, conversation, lambda hit: render.line(hit, policy))
