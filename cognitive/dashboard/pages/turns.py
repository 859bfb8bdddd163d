"""The list of turns, and one turn as a story."""

from __future__ import annotations

from starlette.exceptions import HTTPException
from starlette.responses import Response

from cognitive.dashboard import story, turns
from cognitive.dashboard.page import Page, Visit


async def listed(visit: Visit) -> Response:
    """The list of turns."""
    return visit.page("turns.html", view=turns.view(*await turns.read(visit.figures, visit.asked), visit.asked))


async def turn(visit: Visit) -> Response:
    """One turn."""
    told = await story.read(visit.layer, visit.figures, visit.asked)
    if told is None:
        raise HTTPException(404, "This agent has no such turn. It was erased, or is another agent's.")
    return visit.page("turn.html", view=story.view(told, visit.asked))


PAGES = (
    Page("/turns", listed, label="Turns", icon="M2.5 3.5h11M2.5 8h11M2.5 12.5h7"),
    Page("/turn", turn, under="/turns"),
)
