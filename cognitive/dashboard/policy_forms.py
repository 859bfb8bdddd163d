"""Handlers of the forms that save, activate and roll back policies. They require an admin's token."""

from __future__ import annotations

from collections.abc import Mapping

from starlette.exceptions import HTTPException
from starlette.responses import Response

from brain.policies import Role
from cognitive.dashboard import what_if
from cognitive.dashboard.page import PageRoute, Visit
from cognitive.dashboard.policies import may_choose
from cognitive.errors import InvalidInput
from cognitive.policy.live import live_changes


async def save(visit: Visit) -> Response:
    """Save the values of the What-if page's sliders as a policy version, without activating it."""
    _require_admin(visit)
    policies, agent = visit.layer.policies, visit.query.agent
    running = await policies.running(agent)
    if running.same_base:
        live: Mapping[str, float | int] = live_changes(policies.base(agent), running.policy)
    else:
        live = (await policies.get(agent, running.candidate)).changes if running.candidate else {}
    posted = what_if.posted([(name, str(value)) for name, value in visit.form.multi_items()])
    candidate = await policies.save(agent, {**live, **posted}, by=visit.visitor.id, note=_note(visit))
    activate = "yes" if visit.form.get("then") == "activate" else None  # the candidate's page asks for confirmation
    return visit.redirect("policy", version=candidate.version, saved="yes", activate=activate)


async def choose(visit: Visit) -> Response:
    """Activate the posted policy version as the agent's live or shadow policy.

    If no version is posted, the policy of the host's configuration applies again.
    """
    _require_admin(visit)
    role, version = _role(str(visit.form.get("role", ""))), str(visit.form.get("version", "")) or None
    activate = visit.layer.policies.activate if role == "live" else visit.layer.policies.shadow
    await activate(visit.query.agent, version, by=visit.visitor.id, note=_note(visit), after=_after(visit))
    return visit.redirect("policies", done=role)


async def roll_back(visit: Visit) -> Response:
    """Undo the latest activation of the agent's live or shadow policy: return to the version that was active before."""
    _require_admin(visit)
    role = _role(str(visit.form.get("role", "")))
    after = _after(visit)
    await visit.layer.policies.roll_back(visit.query.agent, role, by=visit.visitor.id, note=_note(visit), after=after)
    return visit.redirect("policies", done=role)


def _note(visit: Visit) -> str:
    return str(visit.form.get("note", "")).strip()


def _require_admin(visit: Visit) -> None:
    if not may_choose(visit):
        raise HTTPException(403, "Your token may only read policies. Changing them needs an admin's token.")


def _role(text: str) -> Role:
    if text not in ("live", "shadow"):
        raise InvalidInput("role: expected live or shadow")
    return "live" if text == "live" else "shadow"


def _after(visit: Visit) -> int:
    """Return the number of the latest activation that the user has seen on the page with the form.

    If another activation has happened since, the layer refuses the form.
    """
    text = str(visit.form.get("after", ""))
    if not (text.isascii() and text.isdigit() and len(text) < 10):
        raise InvalidInput("after: expected the number of the latest activation")
    return int(text)


PAGES = (
    PageRoute("/policies/save", save, methods=("POST",), parent="/policies"),
    PageRoute("/policies/choose", choose, methods=("POST",), parent="/policies"),
    PageRoute("/policies/roll-back", roll_back, methods=("POST",), parent="/policies"),
)
