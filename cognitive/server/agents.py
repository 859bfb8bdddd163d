"""What is asked of an agent as a whole, and of none."""

from __future__ import annotations

from typing import Annotated, Any

from fastapi import APIRouter, Query

from brain.types import Receipt
from cognitive.catalog.plans import PastPlan
from cognitive.server.auth import ERASING, Admin, AgentId
from cognitive.server.requests import Contexts, Layer, StrictRoute
from cognitive.wire.models import MAX_PLANS, PlansBody

router = APIRouter(tags=["agents"], route_class=StrictRoute)
global_router = APIRouter(tags=["models"], route_class=StrictRoute)


@router.get("/plans", summary="What tools the latest turns called (past_plans)")
async def past_plans(
    agent_id: AgentId, layer: Layer, limit: Annotated[int, Query(ge=0, le=MAX_PLANS)] = 25
) -> tuple[PastPlan, ...]:
    """By what they were asked; the largest groups first."""
    return await layer.explain.past_plans(agent_id, limit=limit)


@router.post("/plans/search", summary="What tools turns called that asked the like (past_plans)")
async def past_plans_like(agent_id: AgentId, body: PlansBody, layer: Layer) -> tuple[PastPlan, ...]:
    """The largest groups first."""
    return await layer.explain.past_plans(agent_id, body.message, limit=body.limit)


@router.delete("", summary="Erase everything of an agent (erase_agent)", dependencies=ERASING)
async def erase_agent(agent_id: AgentId, caller: Admin, layer: Layer, contexts: Contexts) -> Receipt:
    """For admins: it cannot be undone, and an agent's own token sits where its model's tools run."""
    contexts.erase(agent_id)
    return await layer.erase_agent(agent_id)


@global_router.get("/context-budgets", summary="What each model can carry")
async def context_budgets(layer: Layer) -> dict[str, Any]:
    """Tokens and bytes by model, and what an unknown one is taken for."""
    return layer.admin.context_budgets()
