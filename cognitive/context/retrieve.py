"""Retrieval: embed the query and search an agent's memories for candidates, within the deadline.

The search has up to three channels: "dense" (by meaning), "lexical" (by words) and "temporal" (by the date that the
message names).
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass, replace
from datetime import UTC, datetime, timedelta
from math import inf

from brain.deadline import Deadline
from brain.embedding.embedders import CachedEmbedder
from brain.errors import CognitiveError
from brain.filters import NO_FILTER, MemoryFilter
from brain.past_turns import PastTurns
from brain.search import MemorySearch, Query, SearchResult
from brain.types import MemoryType, Vector
from brain.users import Scope
from cognitive.degradation import Degradation
from cognitive.plan import RetrievalQuery
from cognitive.policy import Policy
from cognitive.policy.constants import Constants
from cognitive.telemetry import attributes
from cognitive.telemetry.attributes import SEARCH_MEMORY
from cognitive.telemetry.spans import Span

# Characters. Of a longer message only the head and the tail are searched for, because a question is mostly there.
_MAX_SEARCHED = 4_000
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


async def retrieve(
    scope: Scope,
    queries: Sequence[RetrievalQuery],
    *,
    search: MemorySearch,
    embedder: CachedEmbedder,
    policy: Policy,
    constants: Constants,
    now: datetime,
    deadline: Deadline,
    filters: MemoryFilter = NO_FILTER,
) -> Retrieved:
    """Run the queries of a plan: search an agent's memories, all memory types at once.

    The queries share one text. If its vector is not ready in time, the search is by words (and date) only. If Postgres
    does not answer in time, or fails, there are no hits. `degraded` in the result reports both.

    Args:
        scope: the agent and the view whose memories are searched.
        queries: one query for each memory type; empty returns nothing.
        search: the search in Postgres.
        embedder: embeds the query's text.
        policy: sets how many hits each search channel returns, and if past turns are retrieved too.
        constants: the shares of the deadline, and the limits of past turns.
        now: the turn's time, for the age of past turns.
        deadline: the time limit of embedding and search.
        filters: the conditions that memories must meet.
    """
    if not queries:
        return Retrieved(SearchResult(()), None, ())
    text = searched(queries[0].text)
    vector, missing = await embedded(text, embedder, constants, deadline)
    types = {query.type: _per_channel(query.limit, policy, constants) for query in queries}
    query = _query(
        types,
        text,
        queries[0],
        vector,
        embedder.model,
        filters,
        max(query.limit for query in queries),
        _past(now, policy, constants),
        now,
        policy.usage.half_life_days,
    )
    channels = ("dense",) * (vector is not None) + ("lexical",) + ("temporal",) * (query.dates is not None)
    seconds = deadline.left()
    try:
        with Span(SEARCH_MEMORY, lambda: attributes.search(scope.agent_id, types, channels)) as span:
            found = await deadline.within(search.find(scope, query, timeout=max(seconds, 0.001)))
            span.add_attributes(
                lambda: attributes.search_result(found.hits), lambda: attributes.search_content(text, found.hits)
            )
    except (CognitiveError, TimeoutError) as error:
        degraded = (*missing, Degradation.from_error("retrieval", error, deadline))
        return Retrieved(SearchResult(()), vector, (), degraded)
    return Retrieved(found, vector, channels, missing)


def searched(text: str) -> str:
    """Return the part of a message that the search uses: all of it, or the head and the tail of a long message."""
    if len(text) <= _MAX_SEARCHED:
        return text
    return f"{text[: _MAX_SEARCHED // 2]}\n{text[-_MAX_SEARCHED // 2 :]}"


async def embedded(
    text: str, embedder: CachedEmbedder, constants: Constants, deadline: Deadline
) -> tuple[Vector | None, tuple[Degradation, ...]]:
    """Return the vector of a text, or None and the degradation if it is not ready in time or the model fails.

    The time is limited to the share of the deadline that is meant for embedding.
    """
    try:
        return (await deadline.within(embedder.embed([text]), constants.embedding_time_share))[0], ()
    except TimeoutError:
        return None, (Degradation("embedding_late", "no vector in time; searched by words only"),)
    except CognitiveError as error:
        return None, (Degradation("embedding_failed", f"{error}; searched by words only"),)


def _per_channel(limit: int, policy: Policy, constants: Constants) -> int:
    """Return how many hits each search channel shall return for a memory type, of which at most `limit` are shown.

    The number grows with `limit`, up to the policy's `candidates_per_channel`.
    """
    return max(limit, min(policy.retrieval.candidates_per_channel, limit * constants.candidates_per_result))


def _query(
    types: Mapping[MemoryType, int],
    text: str,
    first: RetrievalQuery,
    vector: Vector | None,
    model: str,
    filters: MemoryFilter,
    wanted: int,
    past: PastTurns | None,
    now: datetime,
    half_life_days: float,
) -> Query:
    return Query(
        types=types,
        text=text,
        vector=vector,
        model=model,
        wanted=wanted,
        dates=(first.dates.start, first.dates.end) if first.dates else _ALL_TIME if first.newest else None,
        filter=filters,
        past=past,
        at=now,
        half_life_days=half_life_days,
    )


def _past(now: datetime, policy: Policy, constants: Constants) -> PastTurns | None:
    """Return which past turns the search shall return besides memories, or None if the policy does not use past turns.

    Past turns with a similar message change the ranking of the memories that they showed (see module `usage`).
    """
    if not policy.association.weight and policy.usage.boost == "rate":
        return None
    cosine = constants.association_cosine(policy.association.min_similarity)
    similar = cosine if policy.association.weight else inf  # without lifts, no similar turns are retrieved
    return PastTurns(now, constants.association_max_turns, constants.association_max_similar, similar)
