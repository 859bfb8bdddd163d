"""The on-demand tool: the model asks in its own words, through the same stages, wider."""

from __future__ import annotations

from collections.abc import Sequence
from datetime import UTC, datetime
from uuid import UUID

from brain.errors import InvalidInput, RecallClosed
from brain.store import MemoryStore
from brain.turns import TurnLog
from brain.types import MEMORY_TYPES, MemoryType
from cognitive.context import trust
from cognitive.context.engine import ContextEngine
from cognitive.context.retrieve import NO_FILTERS, Filters
from cognitive.plan import RetrievalQuery
from cognitive.policy import Policy
from cognitive.policy.resolver import PolicyResolver
from cognitive.preflight import signals
from cognitive.recording.record import RecordedCandidate, decode
from cognitive.trace import NOT_ELIGIBLE, Candidate
from cognitive.turn import MAX_MESSAGE_LENGTH, RecallHit
from cognitive.validation import require_aware, require_label

MAX_HITS = 200


class Recall:
    """Searches an agent's memory for a query of the model's own."""

    def __init__(self, engine: ContextEngine, policies: PolicyResolver, store: MemoryStore, turns: TurnLog) -> None:
        self._engine = engine
        self._policies = policies
        self._store = store
        self._turns = turns

    async def search(
        self,
        agent_id: str,
        query: str,
        memory_type: MemoryType | None = None,
        limit: int = 10,
        turn_id: str | None = None,
        now: datetime | None = None,
        filters: Filters = NO_FILTERS,
    ) -> tuple[RecallHit, ...]:
        """Return memories for a query, best first. With a turn, what its prompt shows is left out, and hits count as
        shown.

        Raises:
            InvalidInput: an unknown memory type, a limit outside 1 to 200, a query or filter that is no text.
            RecallClosed: the policy closes the tool for the frame of the turn.
            StoreUnavailable: Postgres is away or did not answer in time.
        """
        _require_searchable(agent_id, query, turn_id, now, filters)
        policy, now = await self._policies.current(agent_id), now or datetime.now(UTC)
        if memory_type is not None and memory_type not in MEMORY_TYPES:
            raise InvalidInput(f"memory_type: expected one of {', '.join(MEMORY_TYPES)}, got {memory_type!r}")
        if not isinstance(limit, int) or not 1 <= limit <= MAX_HITS:
            raise InvalidInput(f"limit: expected 1 to {MAX_HITS}, got {limit!r}")
        if turn_id:
            await _require_open(self._turns, agent_id, turn_id, policy)
        read = signals.read(query, now=now)
        types = (memory_type,) if memory_type is not None else MEMORY_TYPES
        # a query is searched as it stands: a model that asks for "thanks" means the word
        queries = [RetrievalQuery(type_, query, limit, read.recency, read.dates) for type_ in types]
        present = await _present(self._store, self._turns, agent_id, turn_id) if turn_id else set()
        ranked = await self._engine.recall(agent_id, queries, filters, now, policy)
        hits = _hits(_sourced(ranked, policy), present, limit)
        if turn_id and hits:
            lacked = await _lacked(self._turns, agent_id, turn_id, hits)
            await self._turns.expose_recalled(agent_id, turn_id, lacked, now)
        return hits


def _require_searchable(agent_id: str, query: str, turn_id: str | None, now: datetime | None, filters: Filters) -> None:
    require_label("agent_id", agent_id)
    require_label("query", query, max_length=MAX_MESSAGE_LENGTH)
    labels = (("turn_id", turn_id), ("session_id", filters.session_id), *(("tags", tag) for tag in filters.tags))
    for name, value in labels:
        if value is not None:
            require_label(name, value)
    for name, at in (("now", now), ("since", filters.since), ("until", filters.until)):
        require_aware(name, at)


async def _require_open(turns: TurnLog, agent_id: str, turn_id: str, policy: Policy) -> None:
    """Raises where the policy closes the tool for the frame of the turn; where it closes any, a turn must be known."""
    if not policy.trust.recall_disabled_frames:
        return
    turn = await turns.turn(agent_id, turn_id)
    if turn is None or turn.frame in policy.trust.recall_disabled_frames:
        frame = f"in a turn of the frame {turn.frame}" if turn is not None else "in a turn that is not recorded"
        raise RecallClosed(f"Memory cannot be searched {frame}; go on with what the prompt shows.")


def _sourced(ranked: Sequence[Candidate], policy: Policy) -> Sequence[Candidate]:
    """What the policy lets a model see of its sources, in the prompt and here."""
    return trust.cap_per_source(trust.drop_untrusted(ranked, policy).kept, policy).kept


async def _present(store: MemoryStore, turns: TurnLog, agent_id: str, turn_id: str) -> set[UUID]:
    """What the turn's prompt shows already: its block, its prefix, earlier blocks that stay, and earlier recalls."""
    shown = {shown.memory_id for shown in await turns.shown(agent_id, turn_id)}
    standing = {
        result.memory_id
        for result in await _candidates(turns, agent_id, turn_id)
        if result.disposition == "already_in_prompt"
    }
    return shown | standing | {memory.id for memory in await store.pinned(agent_id)}


async def _candidates(turns: TurnLog, agent_id: str, turn_id: str) -> Sequence[RecordedCandidate]:
    """What became of the turn's own candidates, where its record can be read."""
    turn = await turns.turn(agent_id, turn_id)
    try:
        return decode(turn.record).candidates if turn is not None else ()
    except InvalidInput:  # a record of another version cannot be read; the query can still be answered
        return ()


async def _lacked(
    turns: TurnLog, agent_id: str, turn_id: str, hits: Sequence[RecallHit]
) -> list[tuple[UUID, MemoryType, float | None]]:
    """How far each stood below the best in the turn's own search, which did not bring it to the prompt.

    What that search did not find at all stood below all that it found; None where it is not known to have searched.
    """
    results = await _candidates(turns, agent_id, turn_id)
    eligible = [result.relevance for result in results if result.disposition not in NOT_ELIGIBLE]
    if not eligible:
        return [(hit.memory_id, hit.type, None) for hit in hits]
    found = {result.memory_id: result.relevance for result in results}
    best, least = max(eligible), min(found.values())
    return [(hit.memory_id, hit.type, max(0.0, best - found.get(hit.memory_id, least))) for hit in hits]


def _hits(ranked: Sequence[Candidate], present: set[UUID], limit: int) -> tuple[RecallHit, ...]:
    absent = [candidate for candidate in ranked if candidate.hit.memory_id not in present]
    return tuple(
        RecallHit(
            memory_id=candidate.hit.memory_id,
            type=candidate.hit.type,
            content=candidate.hit.content,
            source=candidate.hit.source,
            score=candidate.score,
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
        )
        for candidate in absent[:limit]
    )
