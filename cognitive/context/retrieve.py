"""Retrieval: embed the query and the latest statements, and search an agent's memories, within the deadline.

The search has up to three channels: "dense" (by meaning), "lexical" (by words) and "temporal" (by the date that the
message names).
"""

from __future__ import annotations

import asyncio
from collections.abc import Callable, Coroutine, Sequence
from dataclasses import dataclass, replace
from datetime import UTC, datetime, timedelta
from functools import partial
from math import inf
from typing import Any

from brain.deadline import Deadline
from brain.embedding.embedders import CachedEmbedder, Embedders
from brain.errors import CognitiveError
from brain.filters import NO_FILTER, MemoryFilter
from brain.past_turns import PastTurns
from brain.postgres.reading import LaggingReads
from brain.search import MemorySearch, Query, QueryVector, SearchResult
from brain.turn_reads import TurnReads
from brain.types import Vector
from brain.users import Scope
from cognitive.context import dedup
from cognitive.context.similarity import SentenceSet
from cognitive.degradation import Degradation
from cognitive.plan import Plan, RetrievalQuery
from cognitive.policy import Policy
from cognitive.policy.constants import Constants
from cognitive.prompt import without_injected
from cognitive.telemetry import attributes
from cognitive.telemetry.attributes import SEARCH_MEMORY
from cognitive.telemetry.spans import Span
from cognitive.turn import Turn

_Embedded = tuple[Vector | None, tuple[Degradation, ...]]
Find = Callable[[Query, QueryVector], Coroutine[Any, Any, SearchResult]]
# Characters. Of a longer message only the head and the tail are searched for, because a question is mostly there.
_MAX_SEARCHED = 4_000
_EMPTY_WINDOW = dedup.window([], {})
_WINDOW_SHARE = 0.8  # maximum share of the remaining time that embedding the window may take
# From the beginning to the end of the calendar, less a day for the conversion between time zones.
_ALL_TIME = (datetime.min.replace(tzinfo=UTC) + timedelta(days=1), datetime.max.replace(tzinfo=UTC) - timedelta(days=1))


@dataclass(frozen=True, slots=True)
class Retrieved:
    """The result of retrieval: the search hits, and what was not ready in time.

    Attributes:
        found: the hits, with the other data that ranking needs.
        vector: the query's vector, or None if it was not ready in time.
        channels: the search channels ("dense", "lexical", "temporal") that answered; none if Postgres did not.
        degraded: the parts that failed or were late.
    """

    found: SearchResult
    vector: Vector | None
    channels: tuple[str, ...]
    degraded: tuple[Degradation, ...] = ()

    def in_time(self, left: float, reserved: float) -> Retrieved:
        """Return this result, without hits if there is too little time to rank them.

        The time is too little if less than half of the `reserved` seconds are `left`. This happens if other turns have
        used the processor in the meantime. Ranking the hits anyway would make this turn late.
        """
        if left >= reserved / 2 or not self.found.hits:
            return self
        late = Degradation("retrieval_late", "the candidates arrived too late to be ranked")
        return replace(self, found=SearchResult(()), channels=(), degraded=(*self.degraded, late))


class Retriever:
    """Searches agents' memories for the queries of a plan, or of the recall tool."""

    def __init__(self, search: MemorySearch, embedders: Embedders, constants: Constants) -> None:
        self._search = search
        self._embedders = embedders
        self._constants = constants

    def on(self, reads: LaggingReads) -> Retriever:
        """Return this retriever, with searches that read from a standby."""
        return Retriever(self._search.on(reads), self._embedders, self._constants)

    async def retrieve(
        self,
        scope: Scope,
        queries: Sequence[RetrievalQuery],
        now: datetime,
        deadline: Deadline,
        policy: Policy,
        filters: MemoryFilter,
        model: str | None = None,
        reads: TurnReads | None = None,
    ) -> tuple[Retrieved, CachedEmbedder]:
        """Search the memories for the queries. Return the result and the embedder that the search used.

        The search uses the named embedding model, or else the agent's live model if this process has it. The search
        result says which model is live now. If the search used another model, it is repeated with the live one. If the
        repeated search is not in time, the first result is kept. `reads` are the reads of a turn, whose transaction the
        search shares.
        """

        async def find(query: Query, vector: QueryVector) -> SearchResult:
            if reads is not None:
                return await reads.find(query, vector)
            return await self._search.find(scope, query, vector, timeout=max(deadline.left(), 0.001))

        search = partial(
            run_queries,
            scope,
            queries,
            find=find,
            policy=policy,
            constants=self._constants,
            now=now,
            deadline=deadline,
            filters=filters,
            recalled=reads is None,
        )
        if model is not None:
            embedder = self._embedders.named(model)
            return await search(embedder=embedder), embedder
        embedder = self._embedders.of(scope.agent_id)
        retrieved = await search(embedder=embedder)
        live = self._embedders.of(scope.agent_id)
        if retrieved.channels and live is not embedder:
            again = await search(embedder=live)
            retrieved, embedder = (again, live) if again.channels else (retrieved, embedder)
        missing = self._embedders.missing_live_model(scope.agent_id)
        if missing is not None and queries:
            detail = f"this process does not have the agent's live model {missing}; searched with {embedder.model}"
            degraded = (*retrieved.degraded, Degradation("embedding_model_missing", detail))
            retrieved = replace(retrieved, degraded=degraded)
        return retrieved, embedder

    async def first_model_vector(
        self, queries: Sequence[RetrievalQuery], vector: Vector | None, embedder: CachedEmbedder, deadline: Deadline
    ) -> Vector | None:
        """Return the query's vector by the process's first embedder, which also embeds tools and labelled sentences.

        `vector` is the query's vector by the embedder of the search; None, if it was not ready in time, stays None.
        """
        if embedder is self._embedders.first or vector is None:
            return vector
        return (await embedded(searched(queries[0].text), self._embedders.first, self._constants, deadline))[0]


async def run_queries(
    scope: Scope,
    queries: Sequence[RetrievalQuery],
    *,
    find: Find,
    embedder: CachedEmbedder,
    policy: Policy,
    constants: Constants,
    now: datetime,
    deadline: Deadline,
    recalled: bool,
    filters: MemoryFilter = NO_FILTER,
) -> Retrieved:
    """Run the queries of a plan: search an agent's memories, all memory types at once.

    The queries share one text. If its vector is not ready in time, the search is by words (and date) only. If Postgres
    does not answer in time, or fails, there are no hits. `degraded` in the result reports both.

    Args:
        scope: the agent and the view whose memories are searched.
        queries: one query for each memory type; empty returns nothing.
        find: searches Postgres, by the vector when it is ready.
        embedder: embeds the query's text.
        policy: sets how many hits each search channel returns, and if past turns are retrieved too.
        constants: the shares of the deadline, and the limits of past turns.
        now: the turn's time, for the age of past turns.
        deadline: the time limit of embedding and search.
        recalled: whether the recall tool searches, and not a turn, which fetches fewer candidates.
        filters: the conditions that memories must meet.
    """
    if not queries:
        return Retrieved(SearchResult(()), None, ())
    query = _query(queries, embedder.model, now, policy, constants, filters, recalled=recalled)
    embedding = asyncio.ensure_future(embedded(query.text, embedder, constants, deadline))
    try:
        retrieved = await _find(scope, query, embedding, find, deadline)
        return replace(retrieved, degraded=(*(await embedding)[1], *retrieved.degraded))
    finally:
        embedding.cancel()


def _query(
    queries: Sequence[RetrievalQuery],
    model: str,
    now: datetime,
    policy: Policy,
    constants: Constants,
    filters: MemoryFilter,
    *,
    recalled: bool,
) -> Query:
    """Return the search request for queries that share one text, without its vector.

    The search returns a multiple of the memories that are shown. A turn limits the memories of each type; the recall
    tool shows the best of all types.
    """
    first, weight, limits = queries[0], policy.retrieval.relevance, [each.limit for each in queries]
    if recalled:
        candidates, kept_of_type = constants.candidates_per_recalled, 0
        kept = max(limits) * constants.ranked_per_recalled
    else:
        candidates, kept_of_type = constants.candidates_per_result, constants.ranked_of_type
        kept = round(sum(limits) * constants.ranked_per_result)
    per_channel = policy.retrieval.candidates_per_channel
    return Query(
        types={each.type: max(each.limit, min(per_channel, each.limit * candidates)) for each in queries},
        text=searched(first.text),
        vector=None,
        model=model,
        wanted=max(limits),
        kept=kept,
        kept_of_type=kept_of_type,
        weights=(weight["lexical"], weight["semantic"], weight["semantic_context"]),
        dates=(first.dates.start, first.dates.end) if first.dates else _ALL_TIME if first.newest else None,
        filter=filters,
        past=_past(now, policy, constants),
        at=now,
        half_life_days=policy.usage.half_life_days,
    )


async def _find(
    scope: Scope, query: Query, embedding: asyncio.Future[_Embedded], find: Find, deadline: Deadline
) -> Retrieved:
    """Search Postgres within the deadline. If it fails or is late, return no hits, and the degradation.

    The search begins before the query is embedded.
    """

    async def vector() -> Vector | None:
        return (await asyncio.shield(embedding))[0]

    try:
        with Span(SEARCH_MEMORY, lambda: attributes.search(scope.agent_id, query.types)) as span:
            found = await deadline.within(find(query, vector))
            embedded_query = await vector()
            channels = (
                ("dense",) * (embedded_query is not None) + ("lexical",) + ("temporal",) * (query.dates is not None)
            )
            span.add_attributes(
                lambda: attributes.search_result(found.hits, channels),
                lambda: attributes.search_content(query.text, found.hits),
            )
    except (CognitiveError, TimeoutError) as error:
        failed = Degradation.from_error("retrieval", error, deadline)
        return Retrieved(SearchResult(()), await vector(), (), (failed,))
    return Retrieved(found, embedded_query, channels)


def searched(text: str) -> str:
    """Return the part of a message that the search uses: all of it, or the head and the tail of a long message."""
    if len(text) <= _MAX_SEARCHED:
        return text
    return f"{text[: _MAX_SEARCHED // 2]}\n{text[-_MAX_SEARCHED // 2 :]}"


async def embedded(text: str, embedder: CachedEmbedder, constants: Constants, deadline: Deadline) -> _Embedded:
    """Return the vector of a text, or None and the degradation if it is not ready in time or the model fails.

    The time is limited to the share of the deadline that is meant for embedding.
    """
    try:
        async with deadline.limit(constants.embedding_time_share):
            return (await embedder.embed([text]))[0], ()
    except TimeoutError:
        return None, (Degradation("embedding_late", "no vector in time; searched by words only"),)
    except CognitiveError as error:
        return None, (Degradation("embedding_failed", f"{error}; searched by words only"),)


def _past(now: datetime, policy: Policy, constants: Constants) -> PastTurns | None:
    """Return which past turns the search shall return besides memories, or None if the policy does not use past turns.

    Past turns with a similar message change the ranking of the memories that they showed (see module `usage`).
    """
    if not policy.association.weight and policy.usage.boost == "rate":
        return None
    cosine = constants.association_cosine(policy.association.min_similarity)
    return PastTurns(
        now,
        latest=constants.association_max_turns,
        kept=constants.association_max_similar,
        similarity=cosine if policy.association.weight else inf,  # without lifts, no memory of a turn is a candidate
        min_cosine=min(cosine, constants.association_min_cosine),
    )


async def embedded_window(
    turn: Turn, plan: Plan, embedder: CachedEmbedder, constants: Constants, deadline: Deadline
) -> tuple[SentenceSet, tuple[Degradation, ...]]:
    """Return the statements of the latest messages, to compare memories with, and what failed or was late.

    The latest messages are the current turn's message and the messages of the last `plan.window` turns. Statements
    without a vector, for example because it was not ready in time, are compared by words.
    """
    if not plan.dedup or not plan.retrieval:
        return _EMPTY_WINDOW, ()
    texts = [each.content for each in turn.conversation if each.role in ("user", "assistant") and each.content]
    recent = [without_injected(content) for content in texts[-2 * plan.window :]] if plan.window else []
    stated = dedup.window_sentences([*recent, turn.text])
    unknown = [sentence for sentence in stated if embedder.known(sentence) is None]
    limit = constants.max_window_sentences
    missing: tuple[Degradation, ...] = ()
    try:
        async with deadline.limit(_WINDOW_SHARE):
            await embedder.embed(unknown[-limit:] if limit else [])
    except TimeoutError:
        detail = "the window was not fully embedded in time; its other sentences are compared by words"
        missing = (Degradation("dedup_late", detail),)
    except CognitiveError as error:
        missing = (Degradation("dedup_failed", f"{error}; compared by words"),)
    vectors = {sentence: vector for sentence in stated if (vector := embedder.known(sentence)) is not None}
    return dedup.window(stated, vectors), missing
