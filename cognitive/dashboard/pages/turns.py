"""The list of turns, one turn as a story, and what running it again brings."""

from __future__ import annotations

from starlette.exceptions import HTTPException
from starlette.responses import Response

from cognitive.dashboard import again, story, turns
from cognitive.dashboard.page import Page, Visit
from cognitive.dashboard.whynot import asked_of
from cognitive.errors import UnknownTurn

_NO_TURN = "This agent has no such turn. It was erased, or is another agent's."


async def listed(visit: Visit) -> Response:
    """The list of turns; asked about a memory, with what became of it in each."""
    asked = visit.asked
    page, values = await turns.read(visit.figures, asked)
    ids = [row.turn_id for row in page.rows]
    whynot = await asked_of(visit.layer, asked.agent, asked.params.get("why", ""), asked.now, ids)
    return visit.page("turns.html", view=turns.view(page, values, asked), whynot=whynot, told=story.candidate)


async def turn(visit: Visit) -> Response:
    """One turn."""
    told = await story.read(visit.layer, visit.figures, visit.asked)
    if told is None:
        raise HTTPException(404, _NO_TURN)
    return visit.page("turn.html", view=story.view(told, visit.asked))


async def prompt(visit: Visit) -> Response:
    """The prompt of a turn, rendered again: on demand, since it is the slowest thing that is told of a turn."""
    try:
        return _part(visit, "prompt", "The prompt as it was rendered", await again.rendered(visit.layer, visit.asked))
    except UnknownTurn:
        raise HTTPException(404, _NO_TURN) from None


async def replay(visit: Visit) -> Response:
    """A turn under the policy of today, likewise."""
    try:
        return _part(visit, "again", "Under the policy of today", await again.today(visit.layer, visit.asked))
    except UnknownTurn:
        raise HTTPException(404, _NO_TURN) from None


def _part(visit: Visit, part: str, title: str, told: again.Prompt | again.Again | again.Unlike) -> Response:
    """What a page asked for to put into itself; a page of its own to a browser that runs no script."""
    template = f"_{part}.html" if visit.request.headers.get("hx-request") else "part.html"
    unlike = told.because if isinstance(told, again.Unlike) else ""
    return visit.page(template, part=f"_{part}.html", title=title, told=told, unlike=unlike)


PAGES = (
    Page("/turns", listed, label="Turns", icon="M2.5 3.5h11M2.5 8h11M2.5 12.5h7"),
    Page("/turn", turn, under="/turns"),
    Page("/turn/prompt", prompt, under="/turns"),
    Page("/turn/replay", replay, under="/turns"),
)
