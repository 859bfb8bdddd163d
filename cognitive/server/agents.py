"""Routes that concern an agent as a whole, and the route for the context sizes of models."""

from __future__ import annotations

from typing import Annotated, Any

from fastapi import APIRouter, Path, Query

from brain.analytics.fleet import MAX_AGENTS, AgentSummary
from brain.analytics.users import MAX_USERS, UserCounts
from brain.receipts import Receipt
from brain.types import Label
from brain.users import Scope
from cognitive.catalog.plans import PastPlan
from cognitive.server.auth import ERASING, Admin, AgentId, Identified
from cognitive.server.requests import Contexts, Layer, StrictRoute
from cognitive.server.users import ViewOfQuery, user_of, view_of
from cognitive.wire.models import MAX_PLANS, PlansBody

router = APIRouter(tags=["agents"], route_class=StrictRoute)
global_router = APIRouter(tags=["models"], route_class=StrictRoute)


@router.get("/plans", summary="List the tools that the latest turns called (past_plans)")
async def past_plans(
    agent_id: AgentId, layer: Layer, view: ViewOfQuery, limit: Annotated[int, Query(ge=0, le=MAX_PLANS)] = 25
) -> tuple[PastPlan, ...]:
    """Return the tools that the latest turns called, by groups of turns with similar messages, largest group first."""
    return await layer.explain.past_plans(agent_id, limit=limit, user_id=view)


@router.post("/plans/search", summary="List the tools that similar turns called (past_plans)")
async def past_plans_like(agent_id: AgentId, body: PlansBody, layer: Layer, caller: Identified) -> tuple[PastPlan, ...]:
    """Find past turns with a message similar to the given one, and return the tools that these turns called.

    The turns are grouped by similar messages. The largest group comes first.
    """
    view = view_of(caller, body.user_id, body.all_users)
    return await layer.explain.past_plans(agent_id, body.message, limit=body.limit, user_id=view)


@router.get("/users", summary="List the users of an agent (admin.users)")
async def users(
    agent_id: AgentId,
    caller: Identified,
    layer: Layer,
    words: Annotated[str | None, Query(max_length=200, description="Words that the ids contain.")] = None,
    limit: Annotated[int, Query(ge=1, le=MAX_USERS)] = 50,
    after: Annotated[Label | None, Query(description="The last id of the page before.")] = None,
) -> list[UserCounts]:
    """Return a page of the users of the agent by id, each with the numbers of memories, sessions and turns.

    Needs the token of an operator or an admin.
    """
    view_of(caller, None, all_users=True)
    return await layer.admin.users(agent_id, words, limit, after)


@router.delete("/users/{user_id:name}", summary="Erase all data of a user (forget_user)", dependencies=ERASING)
async def forget_user(
    agent_id: AgentId,
    user_id: Annotated[Label, Path(description="The user's id, percent-encoded.")],
    caller: Identified,
    layer: Layer,
) -> Receipt:
    """Erase all data of a user of the agent, which cannot be undone. Shared data and other users' data stay."""
    return await layer.forget_user(agent_id, user_of(caller, user_id) or user_id)


@router.delete("", summary="Erase all data of an agent (erase_agent)", dependencies=ERASING)
async def erase_agent(agent_id: AgentId, caller: Admin, layer: Layer, contexts: Contexts) -> Receipt:
    """Erase all data of an agent, which cannot be undone.

    Needs an admin's token, since an agent's own token is often readable where its tools run.
    """
    contexts.erase(agent_id)
    return await layer.erase_agent(agent_id)


@global_router.get("/agents", summary="List agents")
async def agents(
    caller: Identified,
    layer: Layer,
    limit: Annotated[int, Query(ge=1, le=MAX_AGENTS)] = 50,
    offset: Annotated[int, Query(ge=0, le=2**31)] = 0,
    words: Annotated[Label | None, Query(max_length=200, description="Words that the names contain.")] = None,
) -> list[AgentSummary]:
    """Return a page of the agents, those with the latest turns first.

    The token of an agent lists this agent only, with its turns without a user or those of the token's user. For an
    admin, the server's database login needs the role cognitive_overview (`cognitive db roles LOGIN --overview`).
    """
    analytics = layer.explain.analytics
    if caller.agent is None:
        return await analytics.fleet.page(limit, offset, words)
    own = await analytics.users.counts(Scope.of(caller.agent, caller.user))
    found = all(word.casefold() in caller.agent.casefold() for word in (words or "").split())
    return [AgentSummary(caller.agent, own.turns, own.last_at)] if found and not offset else []


@global_router.get("/context-budgets", summary="Show the context size of each model")
async def context_budgets(layer: Layer) -> dict[str, Any]:
    """Return how many tokens and bytes each known model can read, and the defaults for an unknown model."""
    return layer.admin.context_budgets()
