"""The recall tool: search memory with the model's own query, as a turn's start does, with more candidates."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from datetime import UTC, datetime
from math import inf
from uuid import UUID

from brain.errors import InvalidInput, RecallClosed, StoreUnavailable
from brain.filters import NO_FILTER, MemoryFilter
from brain.postgres.reading import LaggingReads, ReadDatabase
from brain.turn_records import RecordedTurn
from brain.turns import TurnLog
from brain.types import MEMORY_TYPES, MemoryType
from brain.users import Scope
from cognitive.context import formed, trust
from cognitive.context.engine import ContextEngine
from cognitive.context.folding import Folded, fold
from cognitive.plan import RetrievalQuery
from cognitive.policy import Policy
from cognitive.policy.resolver import PolicyResolver
from cognitive.preflight import signals
from cognitive.recall_hits import RecallHit, RecallHits
from cognitive.recording.recorded import RecordedCandidate, decode
from cognitive.tokens import TokenCounter
from cognitive.trace import NOT_ELIGIBLE
from cognitive.turn import MAX_MESSAGE_LENGTH
from cognitive.validation import require_aware, require_label, require_sequence

MAX_HITS = 200
_FURTHER = 8  # factor for the next search if one found too few distinct memories
_MIN_COSINE = 0.2  # unrelated sentences have 0.0 to 0.15 with the bundled model, questions and answers 0.3 or more
_MAX_SEARCHED = 1_600  # memories of each type that one recall searches for


@dataclass(frozen=True, slots=True)
class _Search:
    """The arguments of a recall, checked. `present` has the memories that the turn's prompt shows already."""

    scope: Scope
    query: str
    types: Sequence[MemoryType]
    limit: int
    now: datetime
    filters: MemoryFilter
    policy: Policy
    present: frozenset[UUID]
    related_only: bool = False
    reads: LaggingReads | None = None


class Recall:
    """Answers the recall tool, by which a model searches the agent's memories."""

    def __init__(
        self,
        engine: ContextEngine,
        policies: PolicyResolver,
        turns: TurnLog,
        reading: ReadDatabase,
        counter: TokenCounter,
    ) -> None:
        self._engine = engine
        self._policies = policies
        self._turns = turns
        self._reading = reading
        self._counter = counter

    @staticmethod
    def filter(
        where: object,
        tags: Sequence[str],
        session_id: str | None,
        since: datetime | None,
        until: datetime | None,
        as_of: datetime | None,
        now: datetime | None,
    ) -> MemoryFilter:
        """Return the filter of a recall's arguments.

        Raises:
            InvalidInput: an argument is invalid, or `as_of` is after `now` (None: the present).
        """
        for name, value in (
            ("session_id", session_id),
            *(("tags", tag) for tag in require_sequence("tags", tags, "texts")),
        ):
            if value is not None:
                require_label(name, value)
        for name, at in (("now", now), ("since", since), ("until", until), ("as_of", as_of)):
            require_aware(name, at)
        if as_of is not None and as_of > (now or datetime.now(UTC)):
            raise InvalidInput(f"as_of: {as_of.isoformat()} is after now")
        return MemoryFilter.parse(where, tags=tags, session_id=session_id, since=since, until=until, as_of=as_of)

    async def search(
        self,
        scope: Scope,
        query: str,
        memory_type: MemoryType | None = None,
        limit: int = 10,
        turn_id: str | None = None,
        now: datetime | None = None,
        filters: MemoryFilter = NO_FILTER,
        *,
        related_only: bool = False,
        max_lag_seconds: float | None = None,
    ) -> RecallHits:
        """Return at most `limit` memories for a query, best first. The result's `more` counts further ones found.

        Near-identical memories are one hit with a count. If `turn_id` is given, memories that the turn's prompt already
        shows are left out, and the results are recorded as shown in that turn. With `related_only`, memories are left
        out that share no word with the query and whose vector is far from it. With `max_lag_seconds`, a standby is read
        if it lags no more.

        Raises:
            InvalidInput: a turn with `max_lag_seconds`, an unknown memory type, a limit outside 1 to 200, or a query
                that is not a text.
            RecallClosed: the policy disables the tool in turns of this frame (question, task, ...).
            StoreUnavailable: Postgres is down or did not answer in time.
        """
        _require_searchable(query, memory_type, limit, turn_id, now, max_lag_seconds)
        reads = LaggingReads(self._reading, max_lag_seconds) if max_lag_seconds is not None else None
        policy, now = await self._policies.current(scope.agent_id), now or datetime.now(UTC)
        results: Sequence[RecordedCandidate] = ()
        present = frozenset[UUID]()
        if turn_id is not None:
            turn = await self._turns.turn(scope, turn_id)
            _require_open(turn, policy)
            results = _candidates(turn)
            present = await self._present(scope, turn_id, results, now, policy)
        types = (memory_type,) if memory_type is not None else MEMORY_TYPES
        found = await self._find(
            _Search(scope, query, types, limit, now, filters, policy, present, related_only, reads)
        )
        hits = RecallHits(_hits(found[:limit]), len(found[limit:]), reads.lag if reads is not None else None)
        if turn_id is not None and hits:
            gaps = _relevance_gaps(results, hits)
            tokens = (self._counter(hit.content) for hit in hits)
            shown = [(*gap, each) for gap, each in zip(gaps, tokens, strict=True)]
            await self._turns.expose_recalled(scope, turn_id, shown, now)
        return hits

    async def _find(self, search: _Search) -> Sequence[Folded]:
        """Return the memories that a search finds, best first, near-identical ones as one.

        If they are fewer than the limit because many were folded or left out, search again for more memories. If a
        repeated search is late, the result of the one before is returned.
        """
        found, wanted = await self._find_once(search, search.limit)
        while len(found) < search.limit and wanted is not None:
            try:
                found, wanted = await self._find_once(search, wanted)
            except StoreUnavailable:
                break
        return found

    async def _present(
        self, scope: Scope, turn_id: str, results: Sequence[RecordedCandidate], now: datetime, policy: Policy
    ) -> frozenset[UUID]:
        """Return the ids of memories that the turn's prompt shows already; `results` are the turn's candidates.

        They are in its memory block or system message, in earlier blocks, or in the results of earlier recalls.
        """
        shown = {shown.memory_id for shown in await self._turns.shown(scope, turn_id)}
        in_earlier_blocks = {result.memory_id for result in results if result.disposition == "already_in_prompt"}
        return frozenset(shown | in_earlier_blocks | await self._engine.in_system(scope, now, policy))

    async def _find_once(self, search: _Search, wanted: int) -> tuple[Sequence[Folded], int | None]:
        """Search for `wanted` memories of each type. Return the distinct ones, and how many to search for next.

        The number is None if a further search would find no more.
        """
        # No other signals are read: a model that searches for "thanks" means the word.
        recency, dates = signals.read_time(search.query, search.now)
        queries = [RetrievalQuery(type_, search.query, wanted, recency, dates) for type_ in search.types]
        ranked = await self._engine.recall(
            search.scope, queries, search.filters, search.now, search.policy, reads=search.reads
        )
        folded = fold(formed.drop_lines(trust.drop_untrusted(ranked, search.policy).kept).kept)
        found = [
            each
            for each in folded
            if search.present.isdisjoint(candidate.hit.memory_id for candidate in each.group)
            and not (search.related_only and _unrelated(each))
        ]
        has_more = len(ranked) >= wanted and wanted < _MAX_SEARCHED
        return found, min(wanted * _FURTHER, _MAX_SEARCHED) if has_more else None


def _unrelated(found: Folded) -> bool:
    """Return True if no memory of the group shares a word with the query or has a vector near to it."""
    scores = [candidate.hit.scores for candidate in found.group]
    return not any(
        each.get("content_matched") or each.get("context_matched") or each.get("content_cosine", 0.0) >= _MIN_COSINE
        for each in scores
    )


def _require_searchable(
    query: str,
    memory_type: MemoryType | None,
    limit: int,
    turn_id: str | None,
    now: datetime | None,
    max_lag_seconds: float | None,
) -> None:
    """Raise InvalidInput if an argument of a recall is invalid."""
    require_label("query", query, max_length=MAX_MESSAGE_LENGTH)
    if turn_id is not None:
        require_label("turn_id", turn_id)
    require_aware("now", now)
    if max_lag_seconds is not None and (
        turn_id is not None or not isinstance(max_lag_seconds, (int, float)) or not max_lag_seconds >= 0
    ):
        raise InvalidInput("max_lag_seconds: at least 0, and without turn_id, since a turn never reads a standby")
    if memory_type is not None and memory_type not in MEMORY_TYPES:
        raise InvalidInput(f"memory_type: expected one of {', '.join(MEMORY_TYPES)}, got {memory_type!r}")
    if not isinstance(limit, int) or not 1 <= limit <= MAX_HITS:
        raise InvalidInput(f"limit: expected 1 to {MAX_HITS}, got {limit!r}")


def _require_open(turn: RecordedTurn | None, policy: Policy) -> None:
    """Raise RecallClosed if the policy disables the recall tool for the turn's frame (question, task, ...).

    It is also raised if the turn is not recorded, so that its frame is unknown.
    """
    if policy.trust.recall_disabled_frames and (turn is None or turn.frame in policy.trust.recall_disabled_frames):
        frame = f"in a turn of the frame {turn.frame}" if turn is not None else "in a turn that is not recorded"
        raise RecallClosed(f"Memory cannot be searched {frame}; go on with what the prompt shows.")


def _candidates(turn: RecordedTurn | None) -> Sequence[RecordedCandidate]:
    """Return the recorded candidate memories of the turn; none if its record is missing or unreadable."""
    try:
        return decode(turn.record).candidates if turn is not None else ()
    except InvalidInput:  # a record of another version; the query can still be answered
        return ()


def _relevance_gaps(
    results: Sequence[RecordedCandidate], hits: Sequence[RecallHit]
) -> list[tuple[UUID, MemoryType, float | None]]:
    """Return for each recalled memory its id, its type, and its relevance gap to the turn's first search.

    The first search is the one that prepared the turn; `results` are its candidates. The gap is the best relevance of
    that search minus the memory's own. A memory that the search did not find counts with the lowest relevance found.
    The gap is None if the search is not recorded.
    """
    eligible = [result.relevance for result in results if result.disposition not in NOT_ELIGIBLE]
    if not eligible:
        return [(hit.memory_id, hit.type, None) for hit in hits]
    relevance = {result.memory_id: result.relevance for result in results}
    best, lowest = max(eligible), min(relevance.values())
    return [(hit.memory_id, hit.type, max(0.0, best - relevance.get(hit.memory_id, lowest))) for hit in hits]


def _hits(found: Sequence[Folded]) -> Iterator[RecallHit]:
    """Yield the hits in order. None has a higher score than the hit above it.

    A rule may put a memory above one that matches better, such as a replacement above what it replaced. The lower one
    then has the score of the upper one.
    """
    score = inf
    for each in found:
        score = min(score, each.best.score)
        yield _hit(each, score)


def _hit(folded: Folded, score: float) -> RecallHit:
    candidate = folded.best
    return RecallHit(
        memory_id=candidate.hit.memory_id,
        type=candidate.hit.type,
        content=candidate.hit.content,
        source=candidate.hit.source,
        score=score,
        scores={
            **candidate.hit.scores,
            **{f"relevance.{k}": v for k, v in candidate.factors.items()},
            "relevance": candidate.relevance,
            "boost": candidate.boost.factor,
        },
        occurred_at=candidate.hit.occurred_at,
        speaker=candidate.hit.speaker,
        session_id=candidate.hit.session_id,
        partial=candidate.hit.partial,
        confidence=candidate.hit.confidence,
        attributes=candidate.hit.attributes,
        hidden_at=candidate.hit.hidden_at,
        hidden_reason=candidate.hit.hidden_reason,
        replaced_by=candidate.hit.replaced_by,
        count=len(folded.group),
        alike=tuple(each.hit.memory_id for each in folded.group[1:]),
        user_id=candidate.hit.user_id,
    )
