"""The one stage with I/O: the query's vector, and every candidate that the channels find, within the deadline."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass, replace
from datetime import datetime
from math import inf

from brain.deadline import Deadline
from brain.embedding.embedders import CachedEmbedder
from brain.errors import CognitiveError
from brain.past_turns import PastTurns
from brain.search import MemorySearch, Query, SearchResult
from brain.types import MemoryType, Vector
from cognitive.degradation import Degradation
from cognitive.plan import RetrievalQuery
from cognitive.policy import Policy
from cognitive.policy.constants import Constants
from cognitive.telemetry import attributes
from cognitive.telemetry.attributes import SEARCH_MEMORY
from cognitive.telemetry.spans import Span

# Of a message longer than this, the head and the tail are searched for: there the question stands.
_MAX_SEARCHED = 4_000


@dataclass(frozen=True, slots=True)
class Filters:
    """What a recall may be narrowed to; nothing set, nothing filtered."""

    tags: tuple[str, ...] = ()
    session_id: str | None = None
    since: datetime | None = None
    until: datetime | None = None


NO_FILTERS = Filters()


@dataclass(frozen=True, slots=True)
class Retrieved:
    """What came back, through which channels, and what did not come in time."""

    found: SearchResult
    vector: Vector | None
    channels: tuple[str, ...]
    degraded: tuple[Degradation, ...] = ()

    def in_time(self, left: float, kept: float) -> Retrieved:
        """Without its candidates, if less than half is left of the seconds that were kept for weighing them.

        Turns beside this one have had the processor then: to weigh them all the same would make this one late too.
        """
        if left >= kept / 2 or not self.found.hits:
            return self
        late = Degradation("retrieval_late", "too late for what was found to be weighed")
        return replace(self, found=SearchResult(()), channels=(), degraded=(*self.degraded, late))


async def retrieve(
    agent_id: str,
    queries: Sequence[RetrievalQuery],
    *,
    search: MemorySearch,
    embedder: CachedEmbedder,
    policy: Policy,
    constants: Constants,
    now: datetime,
    deadline: Deadline,
    filters: Filters = NO_FILTERS,
) -> Retrieved:
    """Runs the plan's queries, which share one text, as one statement over all their types.

    Without the vector in time the lexical channel goes alone; without Postgres in time there are no candidates. Both
    are said in `degraded`.
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
    )
    channels = ("dense",) * (vector is not None) + ("lexical",) + ("temporal",) * (query.dates is not None)
    seconds = deadline.left()
    try:
        with Span(SEARCH_MEMORY, lambda: attributes.search(agent_id, types, channels)) as span:
            found = await deadline.within(search.find(agent_id, query, timeout=max(seconds, 0.001)))
            span.add_attributes(
                lambda: attributes.search_result(found.hits), lambda: attributes.search_content(text, found.hits)
            )
    except TimeoutError:
        late = Degradation("retrieval_late", "no answer from Postgres in time")
        return Retrieved(SearchResult(()), vector, (), (*missing, late))
    except CognitiveError as error:
        return Retrieved(SearchResult(()), vector, (), (*missing, Degradation("retrieval_failed", str(error))))
    return Retrieved(found, vector, channels, missing)


def searched(text: str) -> str:
    """What of a text is searched for."""
    if len(text) <= _MAX_SEARCHED:
        return text
    return f"{text[: _MAX_SEARCHED // 2]}\n{text[-_MAX_SEARCHED // 2 :]}"


async def embedded(
    text: str, embedder: CachedEmbedder, constants: Constants, deadline: Deadline
) -> tuple[Vector | None, tuple[Degradation, ...]]:
    """The vector of a text within its share of the deadline, or why there is none."""
    try:
        return (await deadline.within(embedder.embed([text]), constants.embedding_time_share))[0], ()
    except TimeoutError:
        return None, (Degradation("embedding_late", "no vector in time, searched by words only"),)
    except CognitiveError as error:
        return None, (Degradation("embedding_failed", f"{error}; searched by words only"),)


def _per_channel(limit: int, policy: Policy, constants: Constants) -> int:
    """As many as can matter for the memories that are wanted: of a few, the best stand among fewer."""
    return max(limit, min(policy.retrieval.candidates_per_channel, limit * constants.candidates_per_result))


def _query(
    types: Mapping[MemoryType, int],
    text: str,
    first: RetrievalQuery,
    vector: Vector | None,
    model: str,
    filters: Filters,
    wanted: int,
    past: PastTurns | None,
) -> Query:
    return Query(
        types=types,
        text=text,
        vector=vector,
        model=model,
        wanted=wanted,
        dates=(first.dates.start, first.dates.end) if first.dates else None,
        tags=filters.tags,
        session_id=filters.session_id,
        since=filters.since,
        until=filters.until,
        past=past,
    )


def _past(now: datetime, policy: Policy, constants: Constants) -> PastTurns | None:
    if not policy.association.weight and policy.usage.boost == "rate":
        return None
    known = constants.association_cosine(policy.association.min_similarity)
    similar = known if policy.association.weight else inf  # what nothing would lift is not fetched
    return PastTurns(now, constants.association_max_turns, constants.association_max_similar, similar)
