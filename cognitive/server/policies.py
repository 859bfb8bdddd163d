"""Policies while the layer runs: what holds, what was saved, what one would change; choosing is for admins."""

from __future__ import annotations

from datetime import UTC, datetime
from typing import Annotated, Any

from fastapi import APIRouter, Path

from brain.policies import PolicyActivation, PolicyVersion, Role
from brain.types import Label
from cognitive.lab.shadow import Agreement
from cognitive.lab.what_if import WhatIf
from cognitive.policy.live import live_changes
from cognitive.server.auth import Admin, AgentId
from cognitive.server.requests import Layer, StrictRoute
from cognitive.wire.models import ActivationBody, EffectivePolicies, PolicyVersionBody, RollBackBody, WhatIfBody

router = APIRouter(prefix="/policies", tags=["policies"], route_class=StrictRoute)

Version = Annotated[Label, Path(description="Of a policy: twelve hexadecimal digits.")]


@router.get("", summary="Which policy holds, and since whose choice (policies.effective)")
async def effective(agent_id: AgentId, layer: Layer) -> EffectivePolicies:
    """By version, live and as a shadow, and what the live one changes of the operator's own."""
    base, holds = layer.policies.base(agent_id), await layer.policies.effective(agent_id)
    shadow = holds.shadow.version if holds.shadow is not None else None
    return EffectivePolicies(
        base.version, holds.live.version, shadow, live_changes(base, holds.live), holds.activations
    )


@router.get("/candidates", summary="What was saved, the latest first (policies.list)")
async def candidates(agent_id: AgentId, layer: Layer) -> tuple[PolicyVersion, ...]:
    """Each with the settings that it changes of the operator's policy."""
    return await layer.policies.list(agent_id)


@router.post("/candidates", status_code=201, summary="Save a candidate (policies.save)")
async def save(agent_id: AgentId, caller: Admin, body: PolicyVersionBody, layer: Layer) -> PolicyVersion:
    """For admins. No turn is planned under it yet; the same changes again are the same candidate."""
    return await layer.policies.save(agent_id, body.changes, by=caller.id, note=body.note)


@router.get("/candidates/{version:name}", summary="A candidate (policies.get)")
async def candidate(agent_id: AgentId, version: Version, layer: Layer) -> PolicyVersion:
    """What it changes, over which base, who saved it and why."""
    return await layer.policies.get(agent_id, version)


@router.get("/versions/{version:name}", summary="Every setting of a version (policies.load)")
async def show(agent_id: AgentId, version: Version, layer: Layer) -> dict[str, Any]:
    """Of a candidate over today's operator's policy, or as a turn recorded it."""
    return (await layer.policies.load(agent_id, version)).model_dump(mode="json")


@router.get(
    "/versions/{version:name}/agreement", summary="How a shadow did beside what was shown (policies.shadow_agreement)"
)
async def shadow_agreement(agent_id: AgentId, version: Version, layer: Layer) -> Agreement | None:
    """Over the latest turns that it ran beside; null if there were none."""
    return await layer.policies.shadow_agreement(agent_id, version)


@router.post("/what-if", summary="What settings would have changed in recorded turns (policies.what_if)")
async def what_if(agent_id: AgentId, body: WhatIfBody, layer: Layer) -> WhatIf:
    """Which turns would have shown other memories, at which tokens, and what that is estimated to be worth. It takes
    about a second; turns that it did not come to are counted in `not_run`, and with `whole` it takes longer.
    """
    until = body.until or datetime.now(UTC)
    return await layer.policies.what_if(agent_id, body.changes, body.since, until, whole=body.whole)


@router.get("/{role}/activations", summary="What was chosen for a role, the latest first (policies.history)")
async def history(agent_id: AgentId, role: Role, layer: Layer) -> tuple[PolicyActivation, ...]:
    """With who chose it and why; the first one holds."""
    return await layer.policies.history(agent_id, role)


@router.put("/{role}/activation", summary="Choose a candidate (policies.activate, policies.shadow)")
async def activate(
    agent_id: AgentId, caller: Admin, role: Role, body: ActivationBody, layer: Layer
) -> PolicyActivation:
    """For admins. Turns that begin 5 seconds later are planned under it, or with the role "shadow" run beside it; with
    no version, the operator's own holds again. `after` refuses it where somebody chose since.
    """
    act = layer.policies.activate if role == "live" else layer.policies.shadow
    return await act(agent_id, body.version, by=caller.id, note=body.note, after=body.after)


@router.post("/{role}/rollback", summary="Take the latest choice back (policies.roll_back)")
async def roll_back(agent_id: AgentId, caller: Admin, role: Role, body: RollBackBody, layer: Layer) -> PolicyActivation:
    """For admins. What held before holds again, and that is a choice too: asked twice without `after`, it takes itself
    back.
    """
    return await layer.policies.roll_back(agent_id, role, by=caller.id, note=body.note, after=body.after)
