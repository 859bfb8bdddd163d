"""Routes for policies (settings by which turns are prepared): show, save, compare and activate their versions.

Saving and activating need an admin's token. A token that is for one user has no access.
"""

from __future__ import annotations

from datetime import UTC, datetime
from typing import Annotated, Any

from fastapi import APIRouter, Path

from brain.policies import PolicyActivation, PolicyVersion, Role
from brain.types import Label
from cognitive.lab.shadow import Agreement
from cognitive.lab.what_if import WhatIf
from cognitive.policy.live import live_changes
from cognitive.server.auth import Admin, AgentId, Identified
from cognitive.server.requests import Layer, StrictRoute
from cognitive.server.users import HOSTS, ViewOfQuery, view_of
from cognitive.wire.models import ActivationBody, PolicyVersionBody, RollBackBody, WhatIfBody
from cognitive.wire.responses import EffectivePolicies

router = APIRouter(prefix="/policies", tags=["policies"], route_class=StrictRoute, dependencies=HOSTS)

Version = Annotated[Label, Path(description="A policy's version: twelve hexadecimal digits.")]


@router.get("", summary="Show the policies in effect (policies.effective)")
async def effective(agent_id: AgentId, layer: Layer) -> EffectivePolicies:
    """Return the agent's live policy (in use) and shadow policy (computed for comparison only).

    The result has their versions, and the settings in which the live policy differs from the operator's base policy.
    """
    base, current = layer.policies.base(agent_id), await layer.policies.effective(agent_id)
    shadow = current.shadow.version if current.shadow is not None else None
    return EffectivePolicies(
        base.version, current.live.version, shadow, live_changes(base, current.live), current.activations
    )


@router.get("/candidates", summary="List the saved versions (policies.list)")
async def candidates(agent_id: AgentId, layer: Layer) -> tuple[PolicyVersion, ...]:
    """Return the saved policy versions, newest first, each with the settings that differ from the base policy."""
    return await layer.policies.list(agent_id)


@router.post("/candidates", status_code=201, summary="Save a policy version (policies.save)")
async def save(agent_id: AgentId, caller: Admin, body: PolicyVersionBody, layer: Layer) -> PolicyVersion:
    """Save a policy version, without activating it. Needs an admin's token.

    Equal changes get the same version.
    """
    return await layer.policies.save(agent_id, body.changes, by=caller.id, note=body.note)


@router.get("/candidates/{version:name}", summary="Show a saved version (policies.get)")
async def candidate(agent_id: AgentId, version: Version, layer: Layer) -> PolicyVersion:
    """Return a saved policy version: its changed settings, its base, who saved it and why."""
    return await layer.policies.get(agent_id, version)


@router.get("/versions/{version:name}", summary="Show all settings of a version (policies.load)")
async def show(agent_id: AgentId, version: Version, layer: Layer) -> dict[str, Any]:
    """Return all settings of a policy version.

    For a saved version, they are the current base policy with the version's changes. For any other version, they are
    read from a turn that used it.
    """
    return (await layer.policies.load(agent_id, version)).model_dump(mode="json")


@router.get(
    "/versions/{version:name}/agreement",
    summary="Compare a shadow policy with the live results (policies.shadow_agreement)",
)
async def shadow_agreement(agent_id: AgentId, version: Version, layer: Layer, view: ViewOfQuery) -> Agreement | None:
    """Return how far a shadow policy agreed with the live policy in the latest turns for which it was computed.

    The result is null if there are no such turns.
    """
    return await layer.policies.shadow_agreement(agent_id, version, user_id=view)


@router.post("/what-if", summary="Estimate the effect of changed settings on recorded turns (policies.what_if)")
async def what_if(agent_id: AgentId, body: WhatIfBody, layer: Layer, caller: Identified) -> WhatIf:
    """Estimate the effect of changed settings on recorded turns.

    The response has the turns that would have shown other memories, the tokens of these memories, and estimates of
    their use. By default, a request examines turns for about a second, and `not_run` counts the turns that it did not
    reach. With `whole`, it examines all turns, which takes longer.
    """
    until = body.until or datetime.now(UTC)
    view = view_of(caller, body.user_id, body.all_users)
    return await layer.policies.what_if(agent_id, body.changes, body.since, until, whole=body.whole, user_id=view)


@router.get("/{role}/activations", summary="List the activations of a role (policies.history)")
async def history(agent_id: AgentId, role: Role, layer: Layer) -> tuple[PolicyActivation, ...]:
    """Return the activations of policy versions for a role ("live" or "shadow"), newest first.

    Each has its author and reason. The newest activation is the one in effect.
    """
    return await layer.policies.history(agent_id, role)


@router.put("/{role}/activation", summary="Activate a version (policies.activate, policies.shadow)")
async def activate(
    agent_id: AgentId, caller: Admin, role: Role, body: ActivationBody, layer: Layer
) -> PolicyActivation:
    """Activate a saved policy version. A null version returns to the base policy. Needs an admin's token.

    The version applies to turns that begin at least 5 seconds after the request. With the role "shadow", its results
    are only computed and stored, without an effect on turns. `after` is the number of the latest activation that the
    caller knows. If there is a newer activation, the request is refused.
    """
    set_version = layer.policies.activate if role == "live" else layer.policies.shadow
    return await set_version(agent_id, body.version, by=caller.id, note=body.note, after=body.after)


@router.post("/{role}/rollback", summary="Undo the latest activation (policies.roll_back)")
async def roll_back(agent_id: AgentId, caller: Admin, role: Role, body: RollBackBody, layer: Layer) -> PolicyActivation:
    """Activate the policy version again that was active before the current one. Needs an admin's token.

    The rollback is itself an activation: a second request undoes the first, unless `after` (see `activate`) prevents
    it.
    """
    return await layer.policies.roll_back(agent_id, role, by=caller.id, note=body.note, after=body.after)
