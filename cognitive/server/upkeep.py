"""Routes for the lists of memories that may need attention."""

from __future__ import annotations

from typing import Annotated

from fastapi import APIRouter, Query

from cognitive.server.auth import AgentId
from cognitive.server.requests import Layer, StrictRoute
from cognitive.server.users import ViewOfQuery
from cognitive.upkeep.pages import MAX_PAGE, PairPage, StalePage

router = APIRouter(prefix="/upkeep", tags=["upkeep"], route_class=StrictRoute)

Limit = Annotated[int, Query(ge=1, le=MAX_PAGE, description="Items of a page.")]
After = Annotated[str | None, Query(description="The `next` of the page before.")]


@router.get("/duplicates", summary="List likely duplicates")
async def duplicates(
    agent_id: AgentId, layer: Layer, view: ViewOfQuery, limit: Limit = 50, after: After = None
) -> PairPage:
    """Return pairs of memories of one type that say the same, the most certain first."""
    return await layer.upkeep.duplicates(agent_id, limit, after, user_id=view)


@router.get("/contradictions", summary="List contradictions")
async def contradictions(
    agent_id: AgentId, layer: Layer, view: ViewOfQuery, limit: Limit = 50, after: After = None
) -> PairPage:
    """Return pairs of memories that give one attribute of one subject different values, the newest first."""
    return await layer.upkeep.contradictions(agent_id, limit, after, user_id=view)


@router.get("/stale", summary="List stale memories")
async def stale(
    agent_id: AgentId, layer: Layer, view: ViewOfQuery, limit: Limit = 50, after: After = None
) -> StalePage:
    """Return memories that turns showed without use, or no longer use; those that were shown most come first."""
    return await layer.upkeep.stale(agent_id, limit, after, user_id=view)
