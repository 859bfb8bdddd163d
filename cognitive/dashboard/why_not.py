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
from cognitive.dashboard.page import Page, Visit
from cognitive.dashboard.params import Asked
from cognitive.dashboard.turn_detail import NO_TURN, Candidate, candidate
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
    told: Mapping[str, Explanation] = field(default_factory=dict)


async def sought(
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


async def asked_of(layer: CognitiveLayer, asked: Asked, turn_ids: Sequence[str]) -> WhyNot:
    """What became of a memory in each of some turns."""
    words = asked.params.get("why", "").strip()
    ids, memories = await sought(layer, asked.agent, words, asked.now, 1 + _OTHERS)
    if not ids:
        return WhyNot(words)
    told = await asyncio.gather(*(layer.why(asked.agent, turn_id, ids[0]) for turn_id in turn_ids))
    others = tuple(memories[id] for id in ids[1:] if id in memories)
    return WhyNot(words, ids[0], memories.get(ids[0]), others, dict(zip(turn_ids, told, strict=True)))


async def looked_up(layer: CognitiveLayer, asked: Asked) -> tuple[Candidate, ...]:
    """What became in a turn of the memory of an id, or of those that words bring today.

    Raises:
        UnknownTurn: the agent does not have it.
    """
    agent, turn_id = asked.agent, asked.params.get("id", "")
    ids, words = await sought(layer, agent, asked.params.get("why", ""), asked.now, _LOOKED_UP)
    told = await asyncio.gather(*(layer.why(agent, turn_id, id) for id in ids))
    return tuple(candidate(explanation, words.get(explanation.memory_id)) for explanation in told)


async def why_of_list(visit: Visit) -> Response:
    """What became of a memory in each turn of a list: by itself, since words are searched for and records read."""
    asked = visit.asked
    page, _ = await turns.read(visit.figures, asked)
    told = await asked_of(visit.layer, asked, [row.turn_id for row in page.rows])
    return visit.part("why_turns", "Why was it not shown?", told, rows=page.rows, explained=candidate)


async def why_of_turn(visit: Visit) -> Response:
    """What became of a memory in one turn, likewise."""
    try:
        return visit.part("why_turn", "Why was it not shown?", await looked_up(visit.layer, visit.asked))
    except UnknownTurn:
        raise HTTPException(404, NO_TURN) from None


def _id(words: str) -> UUID | None:
    try:
        return UUID(words)
    except ValueError:
        return None


PAGES = (
    Page("/turns/why", why_of_list, under="/turns"),
    Page("/turn/why", why_of_turn, under="/turns"),
)
