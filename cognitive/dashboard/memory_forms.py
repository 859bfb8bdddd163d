"""The forms of memories: rate, change, replace and forget; whatever a form does, the layer does."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any
from uuid import UUID

from starlette.exceptions import HTTPException
from starlette.responses import RedirectResponse, Response

from brain.types import Memory, NewMemory, Trust, above
from cognitive.dashboard.memory import NO_MEMORY, id_of
from cognitive.dashboard.page import PageRoute, Visit
from cognitive.errors import InvalidInput, UnknownMemory

_OVERTAKEN = "This memory was changed since you opened the form. Go back, reload it, and change what it says now."
_MAX_FORGOTTEN = 200  # at a time: what somebody can look through before saying yes
_FIELDS = ("content", "speaker", "context", "tags", "confidence", "pinned")  # that a form changes


async def rate(visit: Visit) -> Response:
    """Counts the viewer's verdict on a memory in one of the turns that showed it."""
    own = await _named(visit)
    useful = visit.form.get("useful")
    if useful not in ("yes", "no"):
        raise InvalidInput("useful: expected yes or no")
    await visit.layer.rate(visit.query.agent, str(visit.form.get("turn", "")), own.id, useful=useful == "yes")
    return _back(visit, own.id, "rated", "turns")


async def edit(visit: Visit) -> Response:
    """Changes what a memory says; what it said stays in its history."""
    own, agent = await _named(visit), visit.query.agent
    revisions = await visit.layer.admin.revisions(agent, own.id)
    if str(visit.form.get("version", "")) != str(revisions[0].number if revisions else 0):
        raise HTTPException(409, _OVERTAKEN)
    changed = changes(visit.form, own)
    if changed:
        await visit.layer.update(agent, own.id, by=visit.visitor.trust, **changed)
    return _back(visit, own.id, "edited" if changed else "same")


async def supersede(visit: Visit) -> Response:
    """Stores a memory in the place of another, which stays and ranks below it."""
    own, agent = await _named(visit), visit.query.agent
    if own.superseded_by is not None:
        raise HTTPException(409, "Another memory replaced this one already. Replace that one.")
    if above(own.trust, visit.visitor.trust):
        raise HTTPException(403, "This memory is trusted more than what your token may write.")
    new = replacement(own, str(visit.form.get("content", "")), visit.visitor.trust)
    [id] = await visit.layer.remember(agent, [new])
    [stored] = await visit.layer.get(agent, [id])
    if stored.supersedes != own.id:
        raise HTTPException(409, "Another memory says that already, and replaces something else.")
    return _back(visit, id, "superseded")


async def forget(visit: Visit) -> Response:
    """Asks whether to forget some memories, saying what will go; told so, forgets them and shows the receipt."""
    if not visit.visitor.erase:
        raise HTTPException(403, "Your token may not erase anything.")
    ids, agent = _ids(visit), visit.query.agent
    found = await visit.layer.get(agent, ids)
    if len(found) != len(ids):
        raise HTTPException(404, NO_MEMORY)
    if visit.form.get("sure") != "yes":
        will = await visit.analytics.removal(agent, ids)
        return visit.page("forget.html", memories=found, receipt=will, done=False)
    try:
        receipt = await visit.layer.forget(agent, ids)
    except UnknownMemory:  # somebody was faster
        raise HTTPException(404, NO_MEMORY) from None
    return visit.page("forget.html", memories=found, receipt=receipt, done=True)


def changes(form: Mapping[str, Any], memory: Memory) -> dict[str, Any]:
    """The fields that a form says otherwise than the memory does.

    Raises:
        InvalidInput: a confidence that is no number.
    """
    given: dict[str, Any] = {name: str(form.get(name, "")).replace("\r\n", "\n") for name in _FIELDS}
    now = {name: value.replace("\r\n", "\n") for name, value in written_fields(memory).items()}
    new: dict[str, Any] = {name: value for name, value in given.items() if value != now[name]}
    if "speaker" in new:
        new["speaker"] = new["speaker"].strip() or None
    if "tags" in new:
        new["tags"] = tuple(dict.fromkeys(tag.strip() for tag in new["tags"].split(",") if tag.strip()))
    if "confidence" in new:
        new["confidence"] = _confidence(new["confidence"])
    if "pinned" in new:
        new["pinned"] = new["pinned"] == "yes"
    return {name: value for name, value in new.items() if value != getattr(memory, name)}


def written_fields(memory: Memory) -> dict[str, str]:
    """The fields of a memory as a form has them."""
    return {
        "content": memory.content,
        "speaker": memory.speaker or "",
        "context": memory.context,
        "tags": ", ".join(memory.tags),
        "confidence": f"{memory.confidence:.3g}",
        "pinned": "yes" if memory.pinned else "",
    }


def replacement(memory: Memory, content: str, trust: Trust) -> NewMemory:
    """The memory that replaces another: it says something else of the same, and is of the word of who wrote it."""
    return NewMemory(
        type=memory.type,
        content=content.replace("\r\n", "\n"),
        speaker=memory.speaker,
        tags=memory.tags,
        entities=memory.entities,
        pinned=memory.pinned,
        attributes=memory.attributes,
        supersedes=memory.id,
        trust=trust,
    )


async def _named(visit: Visit) -> Memory:
    """The memory that a form is about."""
    id = id_of(str(visit.form.get("id", "")))
    found = await visit.layer.get(visit.query.agent, [id]) if id is not None else []
    if not found:
        raise HTTPException(404, NO_MEMORY)
    return found[0]


def _ids(visit: Visit) -> list[UUID]:
    given = [id_of(str(each)) for each in visit.form.getlist("id")]
    ids = list(dict.fromkeys(each for each in given if each is not None))
    if not ids:
        raise InvalidInput("id: choose the memories to forget first")
    if len(ids) > _MAX_FORGOTTEN:
        raise InvalidInput(f"id: {_MAX_FORGOTTEN} memories at a time, so that they can be looked through")
    return ids


def _back(visit: Visit, id: UUID, done: str, place: str = "") -> Response:
    to = visit.query.link("memory", id=id, done=done)
    return RedirectResponse(f"{to}#{place}" if place else to, 303)


def _confidence(given: str) -> float:
    try:
        return float(given)
    except ValueError:
        raise InvalidInput("confidence: expected a number from 0 to 1") from None


PAGES = (
    PageRoute("/memory/rate", rate, methods=("POST",), parent="/memories"),
    PageRoute("/memory/edit", edit, methods=("POST",), parent="/memories"),
    PageRoute("/memory/supersede", supersede, methods=("POST",), parent="/memories"),
    PageRoute("/memories/forget", forget, methods=("POST",), parent="/memories"),
)
