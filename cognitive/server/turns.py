"""Routes for turns: prepare them, fit their conversations, record their outcomes, and list, explain and rate them."""

from __future__ import annotations

from dataclasses import asdict
from datetime import UTC, datetime
from typing import Annotated
from uuid import UUID

from fastapi import APIRouter, Path, Query

from brain.types import Label
from cognitive.errors import InvalidInput
from cognitive.lab.why import Explanation
from cognitive.server.auth import AgentId, Identified, require_talk
from cognitive.server.requests import Contexts, Layer, StrictRoute
from cognitive.server.users import UserOfQuery, ViewOfQuery, user_of
from cognitive.turn import Outcome, Report, Turn, TurnRef
from cognitive.wire.context import PreparedTurn, to_prepared_turn, without_memory
from cognitive.wire.models import MAX_TURNS, FitBody, RatingBody, TurnBody
from cognitive.wire.responses import TurnRow, WindowView

router = APIRouter(prefix="/turns", tags=["turns"], route_class=StrictRoute)

TurnId = Annotated[Label, Path(description="The turn's id, as sent to or returned by `pre_turn`; percent-encoded.")]


@router.post("", summary="Prepare a turn (pre_turn)")
async def pre_turn(
    agent_id: AgentId, body: TurnBody, layer: Layer, contexts: Contexts, caller: Identified
) -> PreparedTurn:
    """Prepare a turn, and return the memories, conversation and tools that the model should see in this turn.

    The response arrives within the policy's deadline. `degraded` lists what is missing.
    """
    if body.agent_id not in ("", agent_id):
        raise InvalidInput("TurnBody: agent_id: is not the agent of the path; omit it")
    user_id = user_of(caller, body.user_id)
    fields = {"agent_id": agent_id, "user_id": user_id, "runtime": body.runtime or "http"}
    context = await layer.pre_turn(body.model_copy(update=fields))
    if body.kind == "user":
        contexts.put(context)
    return to_prepared_turn(context)


@router.get("", summary="List the latest turns")
async def turns(
    agent_id: AgentId,
    layer: Layer,
    view: ViewOfQuery,
    limit: Annotated[int, Query(ge=1, le=MAX_TURNS)] = 20,
    session_id: Annotated[Label | None, Query(description="Return only turns of this session.")] = None,
) -> list[TurnRow]:
    """Return the agent's latest turns, newest first. The status of a turn without an outcome is "open"."""
    rows = await layer.explain.turns(agent_id, limit, session_id=session_id, user_id=view)
    return [TurnRow(**asdict(turn)) for turn in rows]


@router.post("/{turn_id:name}/window", summary="Fit a conversation that grew within a turn (fit)")
async def fit(agent_id: AgentId, turn_id: TurnId, body: FitBody, layer: Layer, caller: Identified) -> WindowView:
    """Fit a conversation that has grown within a turn into the model's context, before the model is called again.

    No memories are searched.
    """
    turn = Turn(
        agent_id=agent_id,
        session_id=body.session_id,
        user_id=user_of(caller, body.user_id),
        turn_id=turn_id,
        text=body.message,
        model=body.model,
        plan_step=body.plan_step,
    )
    context = without_memory(turn, turn_id, datetime.now(UTC))
    window = await layer.fit(context, body.conversation, iteration=body.iteration)
    return WindowView(window.messages, window.trace.as_json())


@router.put("/{turn_id:name}/outcome", summary="Learn from a turn's outcome (post_turn)")
async def post_turn(
    agent_id: AgentId,
    turn_id: TurnId,
    body: Outcome,
    layer: Layer,
    contexts: Contexts,
    caller: Identified,
    user_id: UserOfQuery,
) -> Report:
    """Record a turn's outcome, from which the layer learns. The response is sent after the commit.

    A repeated request has no further effect: `duplicate` is then true, and the first outcome is kept. `recorded` is
    false while Postgres is away: the outcome is then in the server's journal. If the policy captures conversations, a
    token whose trust is below `talk` cannot report a completed turn.
    """
    if body.status == "completed" and layer.policies.current(agent_id).capture != "off":
        require_talk(caller)
    turn = TurnRef(agent_id, turn_id, user_id)
    report = await layer.post_turn(contexts.get(turn), body)
    contexts.remove(turn)
    return report


@router.get("/{turn_id:name}/memories", summary="List the candidates of a turn with their dispositions")
async def turn_candidates(agent_id: AgentId, turn_id: TurnId, layer: Layer, user_id: UserOfQuery) -> list[Explanation]:
    """Return a turn's candidates (the memories considered for it) by rank, and why each was shown or dropped.

    Each has its scores. Reading candidates does not affect learning.
    """
    return await layer.explain.candidates(agent_id, turn_id, user_id=user_id)


@router.get("/{turn_id:name}/memories/{memory_id}", summary="Explain why a memory was shown or not (why)")
async def why(agent_id: AgentId, turn_id: TurnId, memory_id: UUID, layer: Layer, user_id: UserOfQuery) -> Explanation:
    """Explain why a memory was shown in a turn, or why it was not. Reading the explanation does not affect learning."""
    return await layer.why(agent_id, turn_id, memory_id, user_id=user_id)


@router.put("/{turn_id:name}/memories/{memory_id}/rating", status_code=204, summary="Rate a memory that a turn showed")
async def rate(
    agent_id: AgentId, turn_id: TurnId, memory_id: UUID, body: RatingBody, layer: Layer, user_id: UserOfQuery
) -> None:
    """Store a user's rating of a memory that the turn showed. The rating overrides the measured use of the memory."""
    await layer.rate(agent_id, turn_id, memory_id, useful=body.useful, user_id=user_id)
