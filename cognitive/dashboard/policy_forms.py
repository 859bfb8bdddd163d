"""The forms of policies: save one from the sliders, choose one, take a choice back; for admins."""

from __future__ import annotations

from starlette.exceptions import HTTPException
from starlette.responses import Response

from brain.policies import Role
from cognitive.dashboard import what_if
from cognitive.dashboard.page import PageRoute, Visit
from cognitive.dashboard.policies import may_choose
from cognitive.errors import InvalidInput
from cognitive.policy.live import live_changes


async def save(visit: Visit) -> Response:
    """Saves what the sliders say as a candidate."""
    _admit(visit)
    known, agent = visit.layer.policies, visit.query.agent
    held = live_changes(known.base(agent), (await known.effective(agent)).live)
    moved = what_if.posted([(name, str(value)) for name, value in visit.form.multi_items()])
    candidate = await known.save(agent, {**held, **moved}, by=visit.visitor.id, note=_note(visit))
    then = "yes" if visit.form.get("then") == "activate" else None  # its page asks once more
    return visit.redirect("policy", version=candidate.version, saved="yes", activate=then)


async def choose(visit: Visit) -> Response:
    """Lets a version hold in a role, the operator's own where none is named."""
    _admit(visit)
    role, version = _role(str(visit.form.get("role", ""))), str(visit.form.get("version", "")) or None
    act = visit.layer.policies.activate if role == "live" else visit.layer.policies.shadow
    await act(visit.query.agent, version, by=visit.visitor.id, note=_note(visit), after=_after(visit))
    return visit.redirect("policies", done=role)


async def roll_back(visit: Visit) -> Response:
    """Takes the latest choice of a role back."""
    _admit(visit)
    role = _role(str(visit.form.get("role", "")))
    after = _after(visit)
    await visit.layer.policies.roll_back(visit.query.agent, role, by=visit.visitor.id, note=_note(visit), after=after)
    return visit.redirect("policies", done=role)


def _note(visit: Visit) -> str:
    return str(visit.form.get("note", "")).strip()


def _admit(visit: Visit) -> None:
    if not may_choose(visit):
        raise HTTPException(403, "Your token may look at this agent. Its policy is chosen with an admin's token.")


def _role(given: str) -> Role:
    if given not in ("live", "shadow"):
        raise InvalidInput("role: expected live or shadow")
    return "live" if given == "live" else "shadow"


def _after(visit: Visit) -> int:
    given = str(visit.form.get("after", ""))
    if not (given.isascii() and given.isdigit() and len(given) < 10):
        raise InvalidInput("after: expected the number of the choice that the page showed")
    return int(given)


PAGES = (
    PageRoute("/policies/save", save, methods=("POST",), parent="/policies"),
    PageRoute("/policies/choose", choose, methods=("POST",), parent="/policies"),
    PageRoute("/policies/roll-back", roll_back, methods=("POST",), parent="/policies"),
)
