"""Search memories, and return the candidates with their raw scores.

Candidates are found in several ways, called channels: by words, by meaning and by date. A weighted sum of scores only
decides which candidates are worth ranking. The scores stay raw and named, so that they can be explained, calibrated and
replayed; `cognitive.context.ranking` combines them.
"""

from __future__ import annotations

from collections.abc import Awaitable, Callable, Mapping, Sequence
from dataclasses import dataclass, field, replace
from datetime import datetime
from types import MappingProxyType
from typing import Any, NamedTuple
from uuid import UUID

from brain import past_turns, statements
from brain.admission import ALL, EVERY_MEMORY, admission, with_listed
from brain.embedding.embedders import EmbeddingSpaces
from brain.filters import NO_FILTER, MemoryFilter
from brain.languages import AgentLanguages, IndexLanguages
from brain.past_turns import PastTurn, PastTurns
from brain.postgres.database import Connection, Database
from brain.postgres.reading import LaggingReads
from brain.postgres.shared_transaction import SharedTransaction
from brain.postgres.wire_types import decode_halfvecs, encode_halfvec
from brain.terms import (
    LARGE_AGENT_PASSAGES,
    MAX_COUNTED_POSTINGS,
    MAX_POSTINGS,
    SelectedTerms,
    Term,
    idf,
    query_lexemes,
    select_terms,
    terms,
)
from brain.types import HiddenReason, MemoryType, Trust, Vector
from brain.users import Scope

SQL = statements.load("search")
QueryVector = Callable[[], Awaitable[Vector | None]]  # waits for the vector of a query; None if it was not in time

# Okapi BM25 (Robertson and Zaragoza, "The Probabilistic Relevance Framework: BM25 and Beyond", 2009)
# with parameters for short texts: a word repeated in one message says little, and messages differ little in length.
K1 = 0.5  # saturation: the lower, the less a repeated word adds
B = 0.5  # length normalisation, 0 to 1: how much the score of a long passage is reduced
# True: the vectors fit into the covering index. False: they have more dimensions and are read from the table.
_DIMENSIONS = {True: "dimension <= 1200", False: "dimension > 1200"}
_MAX_HIDDEN = 5_000  # hidden memories examined; with as many, the search checks each candidate
_FURTHER = 8  # factor for a type's limit when passages of a few long memories fill it


@dataclass(frozen=True, slots=True)
class Query:
    """A search request.

    `types` maps each memory type to its maximum number of passages per channel. The maximum is raised if the passages
    belong to fewer than `wanted` memories. Of those found by words or meaning, the `kept` best and the `kept_of_type`
    best of each type are returned, by a sum of three scores with these `weights`: BM25 as a share of the best one, and
    the cosines of content and context. Up to 32 lexemes of `text` are searched for, in the agent's language.
    `vector` is the unit vector of the query by the embedding model `model`; if it is None, memories are not searched by
    meaning. `dates` is a time range [from, until) that the query names; memories in this range are found by date.
    Only memories that `filter` admits are found. `past` adds the memories that similar past turns used. `at` is the
    time for which memories are hidden or not (None: now); `filter.as_of` replaces it. `half_life_days` decays usage.
    """

    types: Mapping[MemoryType, int]
    text: str
    vector: Vector | None
    model: str
    wanted: int = 1
    kept: int = ALL
    kept_of_type: int = 0
    weights: tuple[float, float, float] = (1.0, 1.0, 1.0)
    dates: tuple[datetime, datetime] | None = None
    filter: MemoryFilter = NO_FILTER
    past: PastTurns | None = None
    at: datetime | None = None
    half_life_days: float = 7.0


class Hit(NamedTuple):
    """A passage that a channel found, with the metadata and usage of its memory.

    `scores` has the raw scores by name (see `SCORES`), without those that do not apply. `partial` is True if the
    memory has other passages too.
    `hidden_at`, `hidden_reason` and `replaced_by` are set if the memory is hidden at the time of the query.
    `claim` is the subject and attribute that the memory states (see `brain.claims`), None if none was recognised.
    `user_id` is None for a shared memory.
    """

    memory_id: UUID
    ordinal: int
    seq: int
    type: MemoryType
    content: str
    partial: bool
    speaker: str | None
    occurred_at: datetime
    session_id: str | None
    source: str | None
    confidence: float
    pinned: bool
    length: int
    scores: Mapping[str, float]
    vector: Vector | None = None
    usage_shown: float = 0.0
    usage_used: float = 0.0
    times_shown: int = 0
    times_used: int = 0
    usage_at: datetime | None = None
    trust: Trust = "host"
    attributes: Mapping[str, Any] = MappingProxyType({})
    hidden_at: datetime | None = None
    hidden_reason: HiddenReason | None = None
    replaced_by: UUID | None = None
    claim: str | None = None
    user_id: str | None = None

    def __repr__(self) -> str:
        """Return the fields as text, without the numbers of the vector."""
        shown = (f"{name}={value!r}" for name, value in self._asdict().items() if name != "vector")
        return f"Hit({', '.join(shown)})"


@dataclass(frozen=True, slots=True)
class Masses:
    """Counts of how often memories were shown and used, as sums that decay with time and are valid for the time `at`.

    `decoys` is a sum over candidates that were not shown, but compared with the response like the shown memories.
    `decoys_used` is the part of them that the comparison took as used, which can only be chance.
    """

    shown: float
    used: float
    at: datetime
    decoys: float = 0.0
    decoys_used: float = 0.0


@dataclass(frozen=True, slots=True)
class SearchResult:
    """The result of a search.

    `hits` are in the order in which the memories were stored. `idf` and `session_idf` are the inverse document
    frequencies of the query's lexemes among passages and among sessions. `passages` is the number of passages of the
    agent, `base` the usage of its memories by type, and `past` similar past turns, the most similar first.
    """

    hits: tuple[Hit, ...]
    idf: Mapping[str, float] = field(default_factory=dict)
    session_idf: Mapping[str, float] = field(default_factory=dict)
    passages: int = 0
    base: Mapping[str, Masses] = field(default_factory=dict)
    past: tuple[PastTurn, ...] = ()


SCORES = (
    "content_bm25",
    "session_bm25",
    "content_matched",
    "context_matched",
    "content_cosine",
    "context_cosine",
)


class MemorySearch:
    """Searches an agent's memories. Each search reports the agent's embedding models to the callback `on_models`."""

    def __init__(
        self,
        database: Database | LaggingReads,
        on_models: Callable[[str, EmbeddingSpaces], None] = lambda agent_id, spaces: None,
        languages: AgentLanguages | None = None,
    ) -> None:
        self._database = database
        self._on_models = on_models
        self._languages = languages if languages is not None else AgentLanguages()

    def on(self, database: LaggingReads) -> MemorySearch:
        """Return this search on another database, such as a standby."""
        return MemorySearch(database, self._on_models, self._languages)

    async def find(
        self,
        scope: Scope,
        query: Query,
        vector: QueryVector | None = None,
        *,
        timeout: float = 60.0,
        shared: SharedTransaction | None = None,
    ) -> SearchResult:
        """Return the candidates of the query with their raw scores, and the statistics needed to weight the scores.

        The search runs in the transaction `shared`, with its timeout, or else in another one. If the query is still
        being embedded, `vector` waits for its vector; the statistics are read meanwhile.

        Raises:
            StoreUnavailable: Postgres cannot be reached or did not answer within `timeout` seconds.
        """

        async def work(connection: Connection) -> tuple[Any, dict[str, Term], list[Hit], Sequence[Any]]:
            facts, lexemes = await self._facts(connection, scope, query)
            words = terms(facts["terms"] or {}, lexemes, facts["sessions"])
            chosen = select_terms(words, facts["passages"])
            embedded = query if vector is None else replace(query, vector=await vector())
            hits, past = await _candidates(connection, scope.agent_id, embedded, chosen, hidden=facts["hidden"])
            return facts, words, hits, past

        # in one snapshot: the second statement must find the postings that the first one counted
        if shared is not None:
            facts, words, hits, past = await shared.run(work)
        else:
            facts, words, hits, past = await self._database.run(scope, work, timeout=timeout, snapshot=True)
        self._on_models(scope.agent_id, EmbeddingSpaces.of(facts["live"], facts["kept"]))
        return _result(facts, words, hits, past)

    async def _facts(self, connection: Connection, scope: Scope, query: Query) -> tuple[Any, list[str]]:
        """Return the row of statistics for the query, such as the frequencies of its lexemes, and these lexemes.

        The lexemes depend on the agent's language, which is cached. If the database has another language for the agent,
        the statement is run again with the lexemes of that language.
        """
        assumed = None
        while assumed != (language := self._languages.of(scope.agent_id).language):
            assumed, lexemes = language, query_lexemes(query.text, language)
            facts = await connection.fetchrow(*SQL.facts(**_fact_values(scope.agent_id, query, lexemes)))
            self._languages.remember(scope.agent_id, _indexed(facts))
        return facts, lexemes


def _result(facts: Any, words: Mapping[str, Term], hits: Sequence[Hit], past: Sequence[Any]) -> SearchResult:
    """Return the hits and past turns that a search found, with the statistics of its query."""
    rarity = {lexeme: idf(facts["passages"], term.content_passages) for lexeme, term in words.items()}
    return SearchResult(
        hits=tuple(sorted(hits, key=lambda hit: (hit.seq, hit.ordinal))),
        idf=rarity,
        session_idf={lexeme: idf(facts["sessions"], term.sessions) for lexeme, term in words.items()},
        passages=facts["passages"],
        base={
            type_: Masses(shown, used, datetime.fromisoformat(at), *decoys)
            for type_, (shown, used, at, *decoys) in (facts["base"] or {}).items()
        },
        past=tuple(past_turns.past_turn(row, rarity, _indexed(facts).language) for row in past),
    )


def _indexed(facts: Any) -> IndexLanguages:
    return IndexLanguages(*facts["indexed"]) if facts["indexed"] is not None else IndexLanguages()


def _fact_values(agent_id: str, query: Query, lexemes: Sequence[str]) -> dict[str, Any]:
    return {
        "agent_id": agent_id,
        "lexemes": lexemes,
        "max_postings": MAX_POSTINGS,
        "at": query.at,
        "max_hidden": _MAX_HIDDEN,
        "large_passages": LARGE_AGENT_PASSAGES,
        "max_counted": MAX_COUNTED_POSTINGS,
        "half_life_seconds": query.half_life_days * 86_400,
    }


async def _candidates(
    connection: Connection, agent_id: str, query: Query, chosen: SelectedTerms, *, hidden: bool
) -> tuple[list[Hit], Sequence[Any]]:
    """Return the passages that the channels find, and the rows of past turns.

    `hidden` says that the agent has memories that cannot be found.
    """
    admitted = EVERY_MEMORY
    if query.filter or hidden:
        admitted = await admission(connection, agent_id, query.types, query.filter, query.at)
    values = _candidate_values(agent_id, query, chosen)
    dimensions = _DIMENSIONS[query.vector is None or len(query.vector) <= 1200]
    types, hits, past = query.types, list[Hit](), list[Any]()
    while types:
        rows = await connection.fetch(*admitted.statement(dimensions)(**{**values, **admitted.values(types)}))
        past, crowded = rows[0]["past"] or [], rows[0]["crowded"] or []  # at least one row, perhaps without a memory
        found = [row for row in rows if row["memory_id"] is not None]
        new = [*map(_hit, found, decode_halfvecs([row["vector"] for row in found]))]
        short = admitted.short(rows)
        admitted = await with_listed(connection, agent_id, admitted, sorted(short))
        further = {**{type_: types[type_] * _FURTHER for type_ in crowded}, **{type_: types[type_] for type_ in short}}
        hits += [hit for hit in new if hit.type not in further]
        types = further
    return hits, past


def _candidate_values(agent_id: str, query: Query, chosen: SelectedTerms) -> dict[str, Any]:
    (date_from, date_until), past = query.dates or (None, None), query.past
    return {
        "agent_id": agent_id,
        "lexemes": list(chosen.read),
        "lexeme_passages": list(chosen.read.values()),
        "common_lexemes": list(chosen.common),
        "common_passages": list(chosen.common.values()),
        "embedding": encode_halfvec(query.vector) if query.vector is not None else None,
        "model": query.model,
        "wanted": query.wanted,
        "kept": query.kept,
        "kept_of_type": query.kept_of_type,
        **dict(zip(("by_words", "by_content", "by_context"), query.weights, strict=True)),
        "k1": K1,
        "b": B,
        "date_from": date_from,
        "date_until": date_until,
        "at": query.filter.as_of or query.at,
        "now": past and past.now,
        "max_turns": past and past.latest,
        "max_similar": past and past.kept,
        "min_cosine": past and past.min_cosine,
        "used_cosine": past and past.similarity,
    }


def _hit(row: Any, vector: Vector | None) -> Hit:
    return Hit(
        memory_id=row["memory_id"],
        ordinal=row["ordinal"],
        seq=row["seq"],
        type=row["type"],
        content=row["content"],
        partial=row["partial"],
        speaker=row["speaker"],
        occurred_at=row["occurred_at"],
        session_id=row["session_id"],
        source=row["source"],
        confidence=float(row["confidence"]),
        pinned=row["pinned"],
        length=row["content_length"],
        # rounded: the order in which Postgres adds depends on its plan and changes the last digits
        scores={name: round(row[name], 9) for name in SCORES if row[name] is not None},
        vector=vector,
        usage_shown=float(row["shown"] or 0.0),
        usage_used=float(row["used"] or 0.0),
        times_shown=row["times_shown"] or 0,
        times_used=row["times_used"] or 0,
        usage_at=row["last_at"],
        trust=row["trust"],
        attributes=row["attributes"],
        hidden_at=row["hidden_at"],
        hidden_reason=row["hidden_reason"],
        replaced_by=row["replaced_by"],
        claim=row["claim"],
        user_id=row["user_id"],
    )
