"""Answer "Why was it not shown?" for a memory, given by id or search text, in one turn or in a list of turns."""

from __future__ import annotations

import asyncio
from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from uuid import UUID

from starlette.exceptions import HTTPException
from starlette.responses import Response

from brain.analytics.turn_rows import TurnListRow
from brain.types import Memory
from brain.users import UserId
from cognitive.dashboard import turns
from cognitive.dashboard.memory import id_of
from cognitive.dashboard.page import PageRoute, Visit
from cognitive.dashboard.params import PageQuery
from cognitive.dashboard.turn_detail import NO_TURN, CandidateView, candidate_view
from cognitive.errors import UnknownTurn
from cognitive.lab.why import Explanation
from cognitive.layer import CognitiveLayer

_MAX_EXPLAINED = 5  # memories that a search text finds, each explained in one turn
_MAX_OTHERS = 3  # further memories that the search text finds, as suggestions
_MAX_QUERY_LENGTH = 1_000  # characters; a longer search text is cut


@dataclass(frozen=True, slots=True)
class WhyNot:
    """The answer to "Why was it not shown?" for one memory in a list of turns.

    `words` is the visitor's search text or memory id. `memory` is the best match, or None if it is not stored. `others`
    are further matches. `explanations` has the explanation for each turn, in the order of the list.
    """

    words: str
    id: UUID | None = None
    memory: Memory | None = None
    others: tuple[Memory, ...] = ()
    explanations: tuple[Explanation, ...] = ()


async def find_memories(
    layer: CognitiveLayer, query: PageQuery, limit: int, view: UserId
) -> tuple[list[UUID], Mapping[UUID, Memory]]:
    """Find memories by the id or the search text in the URL, in a view.

    Return their ids, best match first, and the memories by id. An id is returned even if no such memory is stored.
    """
    agent, words = query.agent, query.params.get("why", "").strip()[:_MAX_QUERY_LENGTH]
    if not words:
        return [], {}
    id = id_of(words)
    if id is not None:
        ids = [id]
    else:
        hits = await layer.recall(agent, words, limit=limit, now=query.now, user_id=view)
        ids = list(dict.fromkeys(hit.memory_id for hit in hits))
    return ids, {memory.id: memory for memory in await layer.get(agent, ids, user_id=query.view)}


async def explain_in_turns(layer: CognitiveLayer, query: PageQuery, rows: Sequence[TurnListRow]) -> WhyNot:
    """Explain, for each of the turns, why the memory that the visitor searched for was shown or not."""
    words = query.params.get("why", "").strip()
    ids, memories = await find_memories(layer, query, 1 + _MAX_OTHERS, query.view)
    if not ids:
        return WhyNot(words)
    explanations = await asyncio.gather(
        *(layer.why(query.agent, row.turn_id, ids[0], user_id=row.owner) for row in rows)
    )
    others = tuple(memories[id] for id in ids[1:] if id in memories)
    return WhyNot(words, ids[0], memories.get(ids[0]), others, tuple(explanations))


async def explain_in_turn(layer: CognitiveLayer, query: PageQuery) -> tuple[CandidateView, ...]:
    """Explain why the memories that the visitor searched for, by id or text, were shown in a turn or not.

    Raises:
        UnknownTurn: the agent has no such turn.
    """
    agent, turn_id = query.agent, query.params.get("id", "")
    ids, words = await find_memories(layer, query, _MAX_EXPLAINED, query.user)
    explanations = await asyncio.gather(*(layer.why(agent, turn_id, id, user_id=query.user) for id in ids))
    return tuple(candidate_view(explanation, words.get(explanation.memory_id)) for explanation in explanations)


async def why_of_list(visit: Visit) -> Response:
    """Render why one memory was shown or not in each turn of a list.

    The browser loads this part after the list, because it takes longer.
    """
    query = visit.query
    page, _ = await turns.read(visit.analytics, query)
    explanations = await explain_in_turns(visit.layer, query, page.rows)
    return visit.part("why_turns", "Why was it not shown?", explanations, rows=page.rows, explained=candidate_view)


async def why_of_turn(visit: Visit) -> Response:
    """Render why the memories that the visitor searched for were shown in a turn or not.

    The browser loads this part separately from the turn's page.
    """
    try:
        return visit.part("why_turn", "Why was it not shown?", await explain_in_turn(visit.layer, visit.query))
    except UnknownTurn:
        raise HTTPException(404, NO_TURN) from None


PAGES = (
    PageRoute("/turns/why", why_of_list, parent="/turns"),
    PageRoute("/turn/why", why_of_turn, parent="/turns"),
)
