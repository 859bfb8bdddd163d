"""The memories of an agent, the life of one, and what may be done to them; whatever is done, the layer does."""

from __future__ import annotations

from uuid import UUID

from starlette.exceptions import HTTPException
from starlette.responses import RedirectResponse, Response

from brain.types import Memory, above
from cognitive.dashboard import charts, memories, memory
from cognitive.dashboard.page import Page, Visit, attachment
from cognitive.dashboard.writing import STYLE
from cognitive.errors import InvalidInput, UnknownMemory

_NONE = "This agent has no such memory. It was forgotten, or is another agent's."
_OVERTAKEN = "This memory was changed since you opened the form. Go back, reload it, and change what it says now."
_ICON = "M8 2.5 2.5 5.2 8 8l5.5-2.8zM2.5 8 8 10.8 13.5 8M2.5 10.8 8 13.5l5.5-2.7"
_MOST_FORGOTTEN = 200  # at a time: what somebody can look through before saying yes


async def listed(visit: Visit) -> Response:
    """The list: searched, filtered, or a group."""
    told = await memories.read(visit.layer, visit.figures, visit.asked)
    return visit.page("memories.html", view=memories.view(told, visit.asked), may_erase=visit.who.erase)


async def one(visit: Visit) -> Response:
    """One memory."""
    told, who = await _read(visit), visit.who
    may_change = not above(told.memory.trust, who.trust)
    return visit.page(
        "memory.html", view=memory.view(told, visit.asked), may_change=may_change, trust=who.trust, may_erase=who.erase
    )


async def chart(visit: Visit) -> Response:
    """A chart of one memory, its numbers as CSV or the chart as SVG."""
    drawn = memory.charts(await _read(visit), visit.asked)
    found = next((each for each in drawn if each.id == visit.asked.params.get("chart")), None)
    if found is None:
        raise HTTPException(404, "There is no such chart.")
    if visit.asked.params.get("as") == "svg":
        return attachment(charts.saved(charts.line(found), STYLE), f"{found.id}.svg", "image/svg+xml")
    return attachment(found.csv(), f"{found.id}.csv", "text/csv")


async def rate(visit: Visit) -> Response:
    """Counts the viewer's verdict on a memory in one of the turns that showed it."""
    own = await _named(visit)
    useful = visit.form.get("useful")
    if useful not in ("yes", "no"):
        raise InvalidInput("useful: expected yes or no")
    await visit.layer.rate(visit.asked.agent, str(visit.form.get("turn", "")), own.id, useful=useful == "yes")
    return _back(visit, own.id, "rated", "turns")


async def edit(visit: Visit) -> Response:
    """Changes what a memory says; what it said stays in its history."""
    own, agent = await _named(visit), visit.asked.agent
    revisions = await visit.layer.admin.revisions(agent, own.id)
    if str(visit.form.get("version", "")) != str(revisions[0].number if revisions else 0):
        raise HTTPException(409, _OVERTAKEN)
    changed = memory.changes(visit.form, own)
    if changed:
        await visit.layer.update(agent, own.id, by=visit.who.trust, **changed)
    return _back(visit, own.id, "edited" if changed else "same")


async def supersede(visit: Visit) -> Response:
    """Stores a memory in the place of another, which stays and ranks below it."""
    own, agent = await _named(visit), visit.asked.agent
    if own.superseded_by is not None:
        raise HTTPException(409, "Another memory replaced this one already. Replace that one.")
    if above(own.trust, visit.who.trust):
        raise HTTPException(403, "This memory is trusted more than what your token may write.")
    new = memory.replacement(own, str(visit.form.get("content", "")), visit.who.trust)
    [id] = await visit.layer.remember(agent, [new])
    [stored] = await visit.layer.get(agent, [id])
    if stored.supersedes != own.id:
        raise HTTPException(409, "Another memory says that already, and replaces something else.")
    return _back(visit, id, "superseded")


async def forget(visit: Visit) -> Response:
    """Asks whether to forget some memories, saying what will go; told so, forgets them and shows the receipt."""
    if not visit.who.erase:
        raise HTTPException(403, "Your token may not erase anything.")
    ids, agent = _ids(visit), visit.asked.agent
    found = await visit.layer.get(agent, ids)
    if len(found) != len(ids):
        raise HTTPException(404, _NONE)
    if visit.form.get("sure") != "yes":
        will = await visit.figures.removal(agent, ids)
        return visit.page("forget.html", memories=found, receipt=will, done=False)
    try:
        receipt = await visit.layer.forget(agent, ids)
    except UnknownMemory:  # somebody was faster
        raise HTTPException(404, _NONE) from None
    return visit.page("forget.html", memories=found, receipt=receipt, done=True)


async def _read(visit: Visit) -> memory.Read:
    told = await memory.read(visit.layer, visit.figures, visit.asked)
    if told is None:
        raise HTTPException(404, _NONE)
    return told


async def _named(visit: Visit) -> Memory:
    """The memory that a form is about."""
    id = memory.id_of(str(visit.form.get("id", "")))
    found = await visit.layer.get(visit.asked.agent, [id]) if id is not None else []
    if not found:
        raise HTTPException(404, _NONE)
    return found[0]


def _ids(visit: Visit) -> list[UUID]:
    given = [memory.id_of(str(each)) for each in visit.form.getlist("id")]
    ids = list(dict.fromkeys(each for each in given if each is not None))
    if not ids:
        raise InvalidInput("id: choose the memories to forget first")
    if len(ids) > _MOST_FORGOTTEN:
        raise InvalidInput(f"id: {_MOST_FORGOTTEN} memories at a time, so that they can be looked through")
    return ids


def _back(visit: Visit, id: UUID, done: str, place: str = "") -> Response:
    to = visit.asked.link("memory", id=id, done=done)
    return RedirectResponse(f"{to}#{place}" if place else to, 303)


PAGES = (
    Page("/memories", listed, label="Memories", icon=_ICON, files=("memories.css", "memories.js")),
    Page("/memory", one, under="/memories"),
    Page("/memory/chart", chart, under="/memories"),
    Page("/memory/rate", rate, methods=("POST",), under="/memories"),
    Page("/memory/edit", edit, methods=("POST",), under="/memories"),
    Page("/memory/supersede", supersede, methods=("POST",), under="/memories"),
    Page("/memories/forget", forget, methods=("POST",), under="/memories"),
)
