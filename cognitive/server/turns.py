"""Turns: prepared, fitted again, settled, listed, explained, rated."""

from __future__ import annotations

from dataclasses import asdict
from datetime import UTC, datetime
from typing import Annotated
from uuid import UUID

from fastapi import APIRouter, Path, Query

from brain.types import Label
from cognitive.errors import InvalidInput
from cognitive.lab.why import Explanation
from cognitive.server.auth import AgentId
from cognitive.server.requests import Contexts, Layer, StrictRoute
from cognitive.turn import Outcome, Report, Turn
from cognitive.wire.context import PreparedTurn, to_prepared_turn, without_memory
from cognitive.wire.models import MAX_TURNS, FitBody, RatingBody, TurnBody, TurnRow, WindowView

router = APIRouter(prefix="/turns", tags=["turns"], route_class=StrictRoute)

TurnId = Annotated[Label, Path(description="As `pre_turn` answered it, or as it was given to it.")]


@router.post("", summary="Prepare a turn (pre_turn)")
async def pre_turn(agent_id: AgentId, body: TurnBody, layer: Layer, contexts: Contexts) -> PreparedTurn:
    """What the model should see in this turn, within the policy's deadline. What is missing is named in `degraded`."""
    if body.agent_id not in ("", agent_id):
        raise InvalidInput("TurnBody: agent_id: is not the agent of the path")
    named = {"agent_id": agent_id, "runtime": body.runtime or "http"}
    context = await layer.pre_turn(body.model_copy(update=named))
    if body.kind == "user":
        contexts.put(context)
    return to_prepared_turn(context)


@router.get("", summary="The last turns, newest first")
async def turns(
    agent_id: AgentId,
    layer: Layer,
    limit: Annotated[int, Query(ge=1, le=MAX_TURNS)] = 20,
    session_id: Annotated[Label | None, Query(description="Of this session alone.")] = None,
) -> list[TurnRow]:
    """Whatever became of them; a turn without an outcome is "open"."""
    return [TurnRow(**asdict(turn)) for turn in await layer.explain.turns(agent_id, limit, session_id=session_id)]


@router.post("/{turn_id:name}/window", summary="Fit a conversation that grew within a turn (fit)")
async def fit(agent_id: AgentId, turn_id: TurnId, body: FitBody, layer: Layer) -> WindowView:
    """The bounded window over all that the model would see, before it is called again. No memory is fetched."""
    turn = Turn(
        agent_id=agent_id,
        session_id=body.session_id,
        turn_id=turn_id,
        text=body.message,
        model=body.model,
        plan_step=body.plan_step,
    )
    known = without_memory(turn, turn_id, datetime.now(UTC))
    window = await layer.fit(known, body.conversation, iteration=body.iteration)
    return WindowView(window.messages, window.trace.as_json())


@router.put("/{turn_id:name}/outcome", summary="Learn from a turn's outcome (post_turn)")
async def post_turn(agent_id: AgentId, turn_id: TurnId, body: Outcome, layer: Layer, contexts: Contexts) -> Report:
    """Once, whatever is repeated; answers after the commit. `recorded` is false while Postgres is away: it is safe in
    the server's journal. `duplicate` says that this turn's outcome was known before: the first one stands.
    """
    report = await layer.post_turn(contexts.get(agent_id, turn_id), body)
    contexts.remove(agent_id, turn_id)
    return report


@router.get("/{turn_id:name}/memories", summary="What became of every candidate of a turn")
async def turn_candidates(agent_id: AgentId, turn_id: TurnId, layer: Layer) -> list[Explanation]:
    """By rank; asking teaches nothing."""
    return await layer.explain.candidates(agent_id, turn_id)


@router.get("/{turn_id:name}/memories/{memory_id}", summary="Why a memory was shown, or why not")
async def why(agent_id: AgentId, turn_id: TurnId, memory_id: UUID, layer: Layer) -> Explanation:
    """The result of one memory in one turn; asking teaches nothing."""
    return await layer.why(agent_id, turn_id, memory_id)


@router.put("/{turn_id:name}/memories/{memory_id}/rating", status_code=204, summary="Rate a memory that a turn showed")
async def rate(agent_id: AgentId, turn_id: TurnId, memory_id: UUID, body: RatingBody, layer: Layer) -> None:
    """Somebody's explicit verdict; it weighs more than what is measured."""
    await layer.rate(agent_id, turn_id, memory_id, useful=body.useful)
