"""Why was a memory not shown? Asked by its id, or by words that bring it; of one turn or of those of a list."""

from __future__ import annotations

import asyncio
from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field
from datetime import datetime
from uuid import UUID

from starlette.exceptions import HTTPException
from starlette.responses import Response

from brain.types import Memory
from cognitive.dashboard import turns
from cognitive.dashboard.page import PageRoute, Visit
from cognitive.dashboard.params import PageQuery
from cognitive.dashboard.turn_detail import NO_TURN, CandidateView, candidate_view
from cognitive.errors import UnknownTurn
from cognitive.lab.why import Explanation
from cognitive.layer import CognitiveLayer

_LOOKED_UP = 5  # memories that words bring, each with why it was or was not shown
_OTHERS = 3  # memories that the same words bring, to choose from
_LONGEST = 1_000  # characters of what is asked


@dataclass(frozen=True, slots=True)
class WhyNot:
    """What was asked for, the memory that was meant (None: no such memory), others that the words bring, and by turn
    what became of it there.
    """

    words: str
    id: UUID | None = None
    memory: Memory | None = None
    others: tuple[Memory, ...] = ()
    explanations: Mapping[str, Explanation] = field(default_factory=dict)


async def find_memories(
    layer: CognitiveLayer, agent: str, words: str, now: datetime, limit: int
) -> tuple[list[UUID], Mapping[UUID, Memory]]:
    """The memory of an id, which may be gone, or those that words bring, the best first; with what there is of them."""
    words = words.strip()[:_LONGEST]
    if not words:
        return [], {}
    id = _id(words)
    ids = [id] if id is not None else [hit.memory_id for hit in await layer.recall(agent, words, limit=limit, now=now)]
    ids = list(dict.fromkeys(ids))
    return ids, {memory.id: memory for memory in await layer.get(agent, ids)}


async def explain_in_turns(layer: CognitiveLayer, query: PageQuery, turn_ids: Sequence[str]) -> WhyNot:
    """What became of a memory in each of some turns."""
    words = query.params.get("why", "").strip()
    ids, memories = await find_memories(layer, query.agent, words, query.now, 1 + _OTHERS)
    if not ids:
        return WhyNot(words)
    explanations = await asyncio.gather(*(layer.why(query.agent, turn_id, ids[0]) for turn_id in turn_ids))
    others = tuple(memories[id] for id in ids[1:] if id in memories)
    return WhyNot(words, ids[0], memories.get(ids[0]), others, dict(zip(turn_ids, explanations, strict=True)))


async def explain_in_turn(layer: CognitiveLayer, query: PageQuery) -> tuple[CandidateView, ...]:
    """What became in a turn of the memory of an id, or of those that words bring today.

    Raises:
        UnknownTurn: the agent does not have it.
    """
    agent, turn_id = query.agent, query.params.get("id", "")
    ids, words = await find_memories(layer, agent, query.params.get("why", ""), query.now, _LOOKED_UP)
    explanations = await asyncio.gather(*(layer.why(agent, turn_id, id) for id in ids))
    return tuple(candidate_view(explanation, words.get(explanation.memory_id)) for explanation in explanations)


async def why_of_list(visit: Visit) -> Response:
    """What became of a memory in each turn of a list: by itself, since words are searched for and records read."""
    query = visit.query
    page, _ = await turns.read(visit.analytics, query)
    explanations = await explain_in_turns(visit.layer, query, [row.turn_id for row in page.rows])
    return visit.part("why_turns", "Why was it not shown?", explanations, rows=page.rows, explained=candidate_view)


async def why_of_turn(visit: Visit) -> Response:
    """What became of a memory in one turn, likewise."""
    try:
        return visit.part("why_turn", "Why was it not shown?", await explain_in_turn(visit.layer, visit.query))
    except UnknownTurn:
        raise HTTPException(404, NO_TURN) from None


def _id(words: str) -> UUID | None:
    try:
        return UUID(words)
    except ValueError:
        return None


PAGES = (
    PageRoute("/turns/why", why_of_list, parent="/turns"),
    PageRoute("/turn/why", why_of_turn, parent="/turns"),
)
