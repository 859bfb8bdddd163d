"""Handlers of the forms that rate, edit, replace and forget memories."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any
from uuid import UUID

from starlette.exceptions import HTTPException
from starlette.responses import RedirectResponse, Response

from brain.types import Memory, NewMemory, Trust, above
from brain.users import ALL_USERS
from cognitive.dashboard.memory import NO_MEMORY, id_of
from cognitive.dashboard.page import PageRoute, Visit
from cognitive.errors import InvalidInput, UnknownMemory

_CONFLICT = "This memory was changed after you opened the form. Go back, reload the page and edit the new text."
_MAX_FORGOTTEN = 200  # memories in one form: no more can be checked before confirming
_FIELDS = ("content", "speaker", "context", "tags", "confidence", "pinned")  # fields of the form


async def rate(visit: Visit) -> Response:
    """Store the visitor's rating of a memory in a turn that showed it."""
    memory = await _form_memory(visit)
    useful = visit.form.get("useful")
    if useful not in ("yes", "no"):
        raise InvalidInput("useful: expected yes or no")
    turn, owner = str(visit.form.get("turn", "")), str(visit.form.get("turn_user", "")) or None
    await visit.layer.rate(visit.query.agent, turn, memory.id, useful=useful == "yes", user_id=owner)
    return _back(visit, memory.id, "rated", "turns")


async def edit(visit: Visit) -> Response:
    """Change the fields of a memory to the posted values. The memory's history keeps the old values."""
    memory, agent = await _form_memory(visit), visit.query.agent
    revisions = await visit.layer.admin.revisions(agent, memory.id, user_id=memory.user_id)
    if str(visit.form.get("version", "")) != str(revisions[0].number if revisions else 0):
        raise HTTPException(409, _CONFLICT)
    changed = changes(visit.form, memory)
    if changed:
        await visit.layer.update(agent, memory.id, by=visit.visitor.trust, user_id=memory.user_id, **changed)
    return _back(visit, memory.id, "edited" if changed else "same")


async def supersede(visit: Visit) -> Response:
    """Store a memory that replaces another one. The replaced memory stays stored, with a lower rank in searches."""
    memory, agent = await _form_memory(visit), visit.query.agent
    if memory.hidden(visit.query.now):
        raise HTTPException(409, f"This memory is hidden already: {memory.hidden_reason}.")
    if above(memory.trust, visit.visitor.trust):
        raise HTTPException(403, "This memory has a higher trust than your token may write.")
    new = replacement(memory, str(visit.form.get("content", "")), visit.visitor.trust)
    [id] = await visit.layer.remember(agent, [new])
    [stored] = await visit.layer.get(agent, [id], user_id=memory.user_id)
    if stored.supersedes != memory.id:
        raise HTTPException(409, "A memory with this text exists already and does not replace this one.")
    return _back(visit, id, "superseded")


async def retire(visit: Visit) -> Response:
    """Hide a memory."""
    memory = await _form_memory(visit)
    await visit.layer.retire(visit.query.agent, [memory.id], by=visit.visitor.trust, user_id=memory.user_id)
    return _back(visit, memory.id, "retired")


async def restore(visit: Visit) -> Response:
    """Show a hidden memory again."""
    memory = await _form_memory(visit)
    await visit.layer.restore(visit.query.agent, [memory.id], by=visit.visitor.trust, user_id=memory.user_id)
    return _back(visit, memory.id, "restored")


async def forget(visit: Visit) -> Response:
    """Show what forgetting the chosen memories will delete; after confirmation, forget them and show the numbers."""
    if not visit.visitor.erase:
        raise HTTPException(403, "Your token may not erase anything.")
    query, ids, sure = visit.query, _ids(visit), visit.form.get("sure") == "yes"
    memories = await visit.layer.get(query.agent, ids, user_id=query.view)
    if len(memories) != len(ids):
        raise HTTPException(404, NO_MEMORY)
    run = visit.layer.forget if sure else visit.layer.admin.preview_forget
    try:
        receipt = await run(query.agent, ids, user_id=ALL_USERS if query.operator else query.user)
    except UnknownMemory:  # forgotten by another request in the meantime, or a shared memory in the view of a user
        raise HTTPException(404, NO_MEMORY) from None
    return visit.page("forget.html", memories=memories, receipt=receipt, done=sure)


def changes(form: Mapping[str, Any], memory: Memory) -> dict[str, Any]:
    """Return the form's fields that differ from the memory, with values of the types that `layer.update` takes.

    Raises:
        InvalidInput: the confidence is not a number.
    """
    values: dict[str, Any] = {name: str(form.get(name, "")).replace("\r\n", "\n") for name in _FIELDS}
    now = {name: value.replace("\r\n", "\n") for name, value in written_fields(memory).items()}
    new: dict[str, Any] = {name: value for name, value in values.items() if value != now[name]}
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
    """Return the fields of a memory as texts, in the way in which the form shows them."""
    return {
        "content": memory.content,
        "speaker": memory.speaker or "",
        "context": memory.context,
        "tags": ", ".join(memory.tags),
        "confidence": f"{memory.confidence:.3g}",
        "pinned": "yes" if memory.pinned else "",
    }


def replacement(memory: Memory, content: str, trust: Trust) -> NewMemory:
    """Return a new memory that replaces (supersedes) another, with new content and the visitor's trust level."""
    return NewMemory(
        type=memory.type,
        user_id=memory.user_id,
        content=content.replace("\r\n", "\n"),
        speaker=memory.speaker,
        tags=memory.tags,
        entities=memory.entities,
        pinned=memory.pinned,
        attributes=memory.attributes,
        supersedes=memory.id,
        trust=trust,
    )


async def _form_memory(visit: Visit) -> Memory:
    """Return the memory whose id was posted in the form, or raise HTTPException 404 if there is none."""
    id = id_of(str(visit.form.get("id", "")))
    memories = await visit.layer.get(visit.query.agent, [id], user_id=visit.query.view) if id is not None else []
    if not memories:
        raise HTTPException(404, NO_MEMORY)
    return memories[0]


def _ids(visit: Visit) -> list[UUID]:
    values = [id_of(str(each)) for each in visit.form.getlist("id")]
    ids = list(dict.fromkeys(each for each in values if each is not None))
    if not ids:
        raise InvalidInput("id: choose at least one memory to forget")
    if len(ids) > _MAX_FORGOTTEN:
        raise InvalidInput(f"id: at most {_MAX_FORGOTTEN} memories can be forgotten at a time, got {len(ids)}")
    return ids


def _back(visit: Visit, id: UUID, done: str, place: str = "") -> Response:
    url = visit.query.link("memory", id=id, done=done)
    return RedirectResponse(f"{url}#{place}" if place else url, 303)


def _confidence(text: str) -> float:
    try:
        return float(text)
    except ValueError:
        raise InvalidInput("confidence: expected a number from 0 to 1") from None


PAGES = (
    PageRoute("/memory/rate", rate, methods=("POST",), parent="/memories"),
    PageRoute("/memory/edit", edit, methods=("POST",), parent="/memories"),
    PageRoute("/memory/supersede", supersede, methods=("POST",), parent="/memories"),
    PageRoute("/memory/retire", retire, methods=("POST",), parent="/memories"),
    PageRoute("/memory/restore", restore, methods=("POST",), parent="/memories"),
    PageRoute("/memories/forget", forget, methods=("POST",), parent="/memories"),
)
