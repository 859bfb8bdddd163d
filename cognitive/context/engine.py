"""Build the memory context of a turn, the part of its prompt that shows memories.

`ContextEngine.build` does all I/O within the turn's deadline: it fetches pinned memories, candidates and the vectors of
the conversation. `assemble` then selects the memories without I/O.
"""

from __future__ import annotations

import asyncio
from collections.abc import Awaitable, Callable, Mapping, Sequence
from dataclasses import dataclass
from datetime import datetime
from time import perf_counter
from uuid import UUID

from brain.deadline import Deadline
from brain.embedding.embedders import CachedEmbedder, Embedders
from brain.errors import CognitiveError, StoreUnavailable
from brain.filters import MemoryFilter
from brain.postgres.reading import LaggingReads
from brain.search import Hit, MemorySearch
from brain.store import MemoryStore
from brain.turn_reads import TurnReader, TurnReads
from brain.types import Memory, Vector
from brain.users import Scope
from cognitive.context import dedup, render, system_memories
from cognitive.context.assemble import AssembledContext, assemble, order
from cognitive.context.retrieve import Retrieved, Retriever, embedded_window
from cognitive.context.similarity import SentenceSet
from cognitive.degradation import Degradation
from cognitive.plan import Plan, RetrievalQuery
from cognitive.policy import Policy
from cognitive.policy.constants import Constants
from cognitive.recording.record import AlreadyInPrompt, TurnInputs, encode
from cognitive.tokens import TokenCounter
from cognitive.trace import NOT_ELIGIBLE, Candidate, Trace
from cognitive.turn import Message, Shown, Turn

Sent = Callable[[], Awaitable[Sequence[Message]]]


@dataclass(frozen=True, slots=True)
class MemoryContext:
    """The memories that a turn shows, and how they were selected.

    Attributes:
        text: the block with this turn's memories; empty for none.
        prefix: the block with shared pinned memories; empty for none.
        shown: the memories in `text`.
        trace: every candidate's result, timings and the record for replay.
        degraded: the parts that failed or were late.
        vector: the embedding of the query by `model`, or None if it was not ready in time.
        inputs: the inputs of `assemble`, or None if no memories were retrieved.
        model: the embedding model that made `vector`.
        first_model_vector: the embedding of the query by the process's first embedding model, to compare with the
            vectors of tools and labelled sentences.
        user_prefix: the block with the user's pinned memories and wishes; empty for none.
        user_prefix_tokens: the number of its tokens.
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
    user_prefix: str = ""
    user_prefix_tokens: int = 0

    @classmethod
    def empty(cls, plan: Plan, now: datetime, *degraded: Degradation) -> MemoryContext:
        """Return a context that shows no memories, for a plan that retrieves none or a turn whose retrieval failed."""
        return cls("", "", (), Trace(plan.signals.text, plan.policy, now), degraded, None)


@dataclass(frozen=True, slots=True)
class _Fetched:
    """The pinned memories and the candidates of a turn, and the conversation that they are compared with.

    `embedder` embedded the query and `window`, the latest statements of the conversation.
    """

    pinned: tuple[Memory, ...]
    retrieved: Retrieved
    embedder: CachedEmbedder
    window: SentenceSet
    already_in_prompt: tuple[AlreadyInPrompt, ...]
    degraded: tuple[Degradation, ...]


class ContextEngine:
    """Builds the memory context of turns from an agent's memory, and answers the queries of the recall tool."""

    def __init__(
        self,
        store: MemoryStore,
        search: MemorySearch,
        reader: TurnReader,
        embedders: Embedders,
        counter: TokenCounter,
        constants: Constants,
    ) -> None:
        self._store = store
        self._reader = reader
        self._embedders = embedders
        self._retriever = Retriever(search, embedders, constants)
        self._counter = counter
        self._constants = constants

    async def build(
        self,
        plan: Plan,
        turn: Turn,
        now: datetime,
        deadline: Deadline,
        policy: Policy,
        reads: TurnReads,
        room: int | None = None,
        sent: Sent | None = None,
    ) -> MemoryContext:
        """Return the memory context of a turn.

        A part that fails or is late is missing from the context, and `degraded` names it.

        Args:
            plan: the queries, budgets and limits of the turn.
            turn: the turn, with its conversation.
            now: the turn's time.
            deadline: the time limit of all I/O and ranking.
            policy: the policy that the turn is planned with.
            reads: reads the pinned memories and the candidates; their transaction ends here.
            room: the tokens that the model leaves for memory, or None for no limit.
            sent: returns the messages that the model is sent, in which earlier memory blocks are searched. With None,
                the model is sent the whole conversation.
        """
        clock = _StageTimer()
        fetched = await self._fetch(plan, turn, now, deadline, policy, reads, sent)
        retrieved, embedder = fetched.retrieved, fetched.embedder
        clock.lap("retrieve")
        inputs = TurnInputs.from_plan(
            plan,
            now=now,
            model=embedder.model,
            found=retrieved.found,
            pinned=fetched.pinned,
            agent_id=turn.agent_id,
            turn_id=turn.turn_id or "",
            already_in_prompt=fetched.already_in_prompt,
            counter=self._counter.name,
            room=room,
            constants=self._constants.digest,
            filtered=tuple(dict.fromkeys(each.name for each in reads.wanted.conditions)),
        )
        compare = dedup.window_comparer(fetched.window, policy)
        assembled = assemble(plan, inputs, compare, policy, self._counter, self._constants)
        clock.lap("assemble")
        record = encode(inputs, assembled.candidates, text=assembled.text, prefix=assembled.system)
        clock.lap("record")
        return MemoryContext(
            text=assembled.text,
            prefix=assembled.prefix,
            user_prefix=assembled.user_prefix,
            user_prefix_tokens=assembled.user_prefix_tokens,
            shown=_shown(assembled),
            trace=self._trace(plan, now, retrieved.channels, assembled, clock.laps, record),
            degraded=fetched.degraded,
            vector=retrieved.vector,
            inputs=inputs,
            model=embedder.model,
            first_model_vector=await self._retriever.first_model_vector(
                plan.retrieval, retrieved.vector, embedder, deadline
            ),
        )

    async def _fetch(
        self,
        plan: Plan,
        turn: Turn,
        now: datetime,
        deadline: Deadline,
        policy: Policy,
        reads: TurnReads,
        sent: Sent | None,
    ) -> _Fetched:
        """Read and embed what the selection of memories needs. A share of the deadline is left for the selection."""
        expected, reserved = self._embedders.of(turn.agent_id), deadline.left() * self._constants.ranking_time_share
        searching = deadline.leaving(reserved)
        (pinned, unpinned), (retrieved, embedder), (window, missing) = await asyncio.gather(
            _pinned(reads, searching),
            self._retriever.retrieve(turn.scope, plan.retrieval, now, searching, policy, reads.wanted, reads=reads),
            embedded_window(turn, plan, expected, self._constants, searching),  # embeds while Postgres searches
        )
        if embedder is not expected:
            window, missing = await embedded_window(turn, plan, embedder, self._constants, searching)
        reads.close(late=True)
        repeated = await _already_in_prompt(turn, retrieved.found.hits, sent, policy)  # may wait for the window
        retrieved = retrieved.in_time(deadline.left(), reserved)
        if not retrieved.found.hits:
            repeated, missing = (), ()
        degraded = (*unpinned, *retrieved.degraded, *missing)
        return _Fetched(pinned, retrieved, embedder, window, repeated, degraded)

    def begin_reads(self, turn: Turn, now: datetime, deadline: Deadline) -> TurnReads:
        """Return the reads of a turn, to be passed to `build`; nothing is read yet. They end with the deadline."""
        return self._reader.begin(turn.scope, turn.session_id, now, MemoryFilter.parse(turn.where), deadline)

    async def recall(
        self,
        scope: Scope,
        queries: Sequence[RetrievalQuery],
        filters: MemoryFilter,
        now: datetime,
        policy: Policy,
        model: str | None = None,
        reads: LaggingReads | None = None,
    ) -> list[Candidate]:
        """Search for a query of the model or a user; return the memories found as candidates, best first.

        `queries` has one query for each memory type; memories of all types are ranked together. Retrieval and ranking
        are those of a turn, with more candidates. There is no abstention, budget or deduplication. `model` names the
        embedding model to search by; by default it is the agent's live model. `reads` reads from a standby.

        Raises:
            EmbeddingError: this process does not have the named embedding model.
            StoreUnavailable: no part of the search answered in time.
        """
        deadline = Deadline(policy.deadlines.recall_ms)
        retriever = self._retriever if reads is None else self._retriever.on(reads)
        retrieved, _ = await retriever.retrieve(scope, queries, now, deadline, policy, filters, model)
        if queries and not retrieved.channels:
            raise StoreUnavailable("; ".join(retrieved.degraded))
        return order(queries, retrieved.found, now, policy, self._constants)

    async def in_system(self, scope: Scope, now: datetime, policy: Policy) -> frozenset[UUID]:
        """Return the ids of the memories that the system message of a turn shows at the time `now`."""
        shown = system_memories.select(await self._store.pinned(scope, now), policy, self._counter)
        return frozenset(memory.id for memory in (*shown.shared, *shown.of_user))

    def _trace(
        self,
        plan: Plan,
        now: datetime,
        channels: tuple[str, ...],
        assembled: AssembledContext,
        timings: Mapping[str, float],
        record: str,
    ) -> Trace:
        prefix_tokens = self._counter(assembled.prefix) if assembled.prefix else 0
        return Trace(
            plan.signals.text,
            plan.policy,
            now,
            channels,
            assembled.candidates,
            timings,
            record,
            assembled.sections,
            pinned=assembled.pinned,
            pinned_tokens=prefix_tokens + assembled.user_prefix_tokens,
        )


class _StageTimer:
    """Measures the time of each stage of a turn. `laps` has the milliseconds by the stage's name."""

    def __init__(self) -> None:
        self.laps: dict[str, float] = {}
        self._last = perf_counter()

    def lap(self, name: str) -> None:
        """Store the milliseconds since the previous lap under the name of the stage that has just ended."""
        now = perf_counter()
        self.laps[name] = (now - self._last) * 1000
        self._last = now


async def _pinned(reads: TurnReads, deadline: Deadline) -> tuple[tuple[Memory, ...], tuple[Degradation, ...]]:
    """Return the memories that the system message may show.

    If Postgres fails or is late, return none, and the degradation.
    """
    try:
        async with deadline.limit():
            return (await reads.start()).pinned, ()
    except (CognitiveError, TimeoutError) as error:
        return (), (Degradation.from_error("prefix", error, deadline),)


def _shown(assembled: AssembledContext) -> tuple[Shown, ...]:
    """Return the memories that the prompt shows, each with its relevance gap.

    The gap is the relevance of the best candidate that could have been shown, minus the relevance of the memory itself.
    """
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
            user_id=each.hit.user_id,
        )
        for each in assembled.shown
    )


async def _already_in_prompt(
    turn: Turn, hits: Sequence[Hit], sent: Sent | None, policy: Policy
) -> tuple[AlreadyInPrompt, ...]:
    """Return the search hits that a memory block of an earlier turn, in the messages sent to the model, still shows.

    There are none unless the placement is "journaled", which leaves blocks in the conversation.
    """
    if policy.placement != "journaled" or not hits:
        return ()
    conversation = await sent() if sent is not None else turn.conversation
    return dedup.find_in_history(hits, conversation, lambda hit: render.line(hit, policy))
