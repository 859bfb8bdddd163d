"""What `pre_turn` answers with: a turn's parts, made into its context."""

from __future__ import annotations

from dataclasses import replace
from datetime import datetime
from time import perf_counter, time
from uuid import uuid4

from cognitive.context import repeat
from cognitive.context.engine import Built
from cognitive.plan import Plan
from cognitive.policy import Policy
from cognitive.policy.models import budget_for
from cognitive.recording.measures import ELAPSED
from cognitive.session.continuity import Continued
from cognitive.turn import Offer, Turn, TurnContext


def named(turn: Turn, policy: Policy) -> Turn:
    """The turn by its name; a user's, with a conversation without what the prompt no longer shows of earlier turns."""
    spoken = repeat.history(turn.conversation, policy.placement) if turn.kind == "user" else turn.conversation
    return turn.model_copy(update={"turn_id": turn.turn_id or str(uuid4()), "conversation": spoken})


def room(turn: Turn, policy: Policy) -> int | None:
    """The tokens that the model at hand leaves for memory, None where the host does not say which it is."""
    if turn.model is None:
        return None
    return int(budget_for(turn.model, policy.models).input_tokens * policy.reserves["memory"])


def context(
    turn: Turn,
    now: datetime,
    plan: Plan,
    built: Built,
    offer: Offer,
    talk: Continued,
    policy: Policy,
    *,
    heard: str | None,
    embedding: str,
) -> TurnContext:
    """All parts together. `heard` is the message as it is kept, where that is not as it came; `embedding` the model of
    the agent's vectors.
    """
    return TurnContext(
        agent_id=turn.agent_id,
        session_id=turn.session_id,
        turn_id=turn.turn_id or "",
        now=now,
        message=turn.text,
        text=built.text,
        prefix=built.prefix,
        shown=built.shown,
        plan=plan,
        messages=talk.messages,
        tools=offer.tools,
        degraded=built.degraded,
        trace=replace(built.trace, trim=offer.trim, window=talk.trace),
        user_id=turn.user_id,
        model=built.model or embedding,
        query=built.vector,
        policy=policy,
        placement=policy.placement,
        reader=turn.model,
        plan_step=turn.plan_step,
        runtime=turn.runtime,
        offer=offer,
        heard=heard,
        prepared=time(),
    )


def timed(context: TurnContext, began: float) -> TurnContext:
    """The context with the milliseconds that it took, and as of when it came in; recording it is not among them."""
    elapsed = perf_counter() - began
    timings = {**context.trace.timings, ELAPSED: elapsed * 1000}
    return replace(context, prepared=time() - elapsed, trace=replace(context.trace, timings=timings))
