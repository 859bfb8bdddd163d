"""The list of turns, one turn as a story, and what running it again brings."""

from __future__ import annotations

from typing import Any

from starlette.exceptions import HTTPException
from starlette.responses import Response

from cognitive.dashboard import again, story, turns
from cognitive.dashboard.page import Page, Visit
from cognitive.dashboard.whynot import asked_of
from cognitive.errors import UnknownTurn

_NO_TURN = "This agent has no such turn. It was erased, or is another agent's."


async def listed(visit: Visit) -> Response:
    """The list of turns."""
    return visit.page("turns.html", view=turns.view(*await turns.read(visit.figures, visit.asked), visit.asked))


async def why_of_list(visit: Visit) -> Response:
    """What became of a memory in each turn of a list: by itself, since words are searched for and records read."""
    asked = visit.asked
    page, _ = await turns.read(visit.figures, asked)
    told = await asked_of(visit.layer, asked, [row.turn_id for row in page.rows])
    return _part(visit, "why_turns", "Why was it not shown?", told, rows=page.rows, explained=story.candidate)


async def why_of_turn(visit: Visit) -> Response:
    """What became of a memory in one turn, likewise."""
    try:
        return _part(visit, "why_turn", "Why was it not shown?", await story.looked_up(visit.layer, visit.asked))
    except UnknownTurn:
        raise HTTPException(404, _NO_TURN) from None


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


def _part(visit: Visit, part: str, title: str, told: Any, **more: Any) -> Response:
    """What a page asked for to put into itself; a page of its own to a browser that runs no script."""
    template = f"_{part}.html" if visit.request.headers.get("hx-request") else "part.html"
    unlike = told.because if isinstance(told, again.Unlike) else ""
    return visit.page(template, part=f"_{part}.html", title=title, told=told, unlike=unlike, **more)


PAGES = (
    Page("/turns", listed, label="Turns", icon="M2.5 3.5h11M2.5 8h11M2.5 12.5h7", files=("turns.css",)),
    Page("/turns/why", why_of_list, under="/turns"),
    Page("/turn", turn, under="/turns"),
    Page("/turn/why", why_of_turn, under="/turns"),
    Page("/turn/prompt", prompt, under="/turns"),
    Page("/turn/replay", replay, under="/turns"),
)
