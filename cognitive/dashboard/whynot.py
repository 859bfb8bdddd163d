"""Why was a memory not shown? Asked by its id, or by words that bring it; of one turn or of those of a list."""

from __future__ import annotations

import asyncio
from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field
from datetime import datetime
from uuid import UUID

from brain.types import Memory
from cognitive.dashboard.asked import Asked
from cognitive.lab.why import Explanation
from cognitive.layer import CognitiveLayer

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


def _id(words: str) -> UUID | None:
    try:
        return UUID(words)
    except ValueError:
        return None
