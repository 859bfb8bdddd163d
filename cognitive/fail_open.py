"""What fails open: each part of a turn by itself. Whatever goes wrong with one, the agent's turn goes on without it."""

from __future__ import annotations

import asyncio
import logging
from collections.abc import Sequence
from dataclasses import replace
from datetime import UTC, datetime

from brain.deadline import Deadline
from cognitive import prepared
from cognitive.bootstrap import Parts
from cognitive.catalog.engine import Known
from cognitive.context.engine import Built
from cognitive.errors import CognitiveError
from cognitive.feedback.settle import opened
from cognitive.plan import Plan
from cognitive.policy import Policy
from cognitive.preflight.needs import together
from cognitive.session.continuity import Continued, Talk
from cognitive.telemetry import attributes, conventions
from cognitive.telemetry.spans import Span
from cognitive.turn import Message, Offer, Turn, TurnContext
from cognitive.window.fit import Window
from cognitive.window.plain import plain

log = logging.getLogger(__name__)


async def memory(
    parts: Parts, turn: Turn, now: datetime, deadline: Deadline, policy: Policy, talking: asyncio.Task[Continued]
) -> tuple[Plan, Built]:
    """The plan and what it brings; without memory, if that goes wrong."""
    planner = parts.planner
    plan = planner.untouched(turn, "failed" if turn.kind == "user" else f"kind.{turn.kind}", policy)
    if turn.kind != "user":
        return plan, Built.nothing(plan, now)
    try:
        with Span(conventions.PLAN, lambda: {conventions.AGENT_ID: turn.agent_id}) as span:
            plan = planner.plan(turn, now, policy)
            span.tell(lambda: attributes.plan(plan))
        built = await parts.engine.build(
            plan, turn, now, deadline, policy, prepared.room(turn, policy), lambda: _messages(talking)
        )
    except Exception as error:  # whatever went wrong, the agent's turn goes on
        log.exception("pre_turn goes on without memory")
        return plan, Built.nothing(plan, now, f"memory: {type(error).__name__}: {error}")
    try:
        return await planner.refine(plan, turn, built.own, deadline, policy), built
    except Exception as error:  # a plug-in may raise anything, and the turn has its plan
        log.warning("the classifier is not heard: %s", str(error) or type(error).__name__)
        return plan, built


async def talk(parts: Parts, turn: Turn, now: datetime, deadline: Deadline, policy: Policy) -> Continued:
    """The window over the conversation; only its newest messages, cut, if that is late or fails."""
    if turn.kind != "user":  # as it came; a runtime may have it fitted, by `fit`
        return Continued(turn.conversation, None)
    try:
        return await parts.continuity.window(Talk.of(turn), now, deadline, policy)
    except Exception as error:  # as above
        return Continued(plain(turn.conversation, policy), None, (_plainly(error),))


async def window(parts: Parts, talk: Talk, policy: Policy) -> Window:
    """The window over a conversation within its turn; as above, if that is late or fails."""
    try:
        return await parts.continuity.fit(talk, datetime.now(UTC), Deadline(policy.fit_deadline_ms), policy)
    except Exception as error:  # a loop of calls goes on as a turn does
        return Window.of(plain(talk.conversation, policy), talk.conversation, policy, _plainly(error))


async def offer(
    parts: Parts, turn: Turn, plan: Plan, built: Built, deadline: Deadline, policy: Policy
) -> tuple[Offer, tuple[str, ...]]:
    """The tools that the plan keeps, as the model can carry them; whole, if that goes wrong."""
    removed, catalog = frozenset(plan.removed), parts.catalog
    tools = [tool for tool in turn.tools if tool.name not in removed]
    if turn.kind != "user":
        return catalog.whole(tools, turn.model), ()
    past = built.given.found.past if built.given is not None else ()
    try:
        wanted = frozenset(together(plan.categories, policy).tools)
        known = Known(plan.signals.text, built.own, past, wanted)
        offered = await catalog.offer(turn, tools, known, deadline, policy)
    except Exception as error:  # as above
        log.warning("pre_turn goes on with all tools: %r", error)
        because = f"tools: {type(error).__name__}: {error}; all of them are offered whole"
        return catalog.whole(tools, turn.model), (because,)
    late = offered.trim is not None and offered.trim.late
    return offered, ("tools: not read in time; they are cut by their names",) if late else ()


async def recorded(parts: Parts, context: TurnContext, deadline: Deadline, policy: Policy) -> TurnContext:
    """The context, its turn recorded; if not in time, it is so with the outcome."""
    opening, minutes = opened(context), policy.abandon_after_minutes
    try:
        await deadline.within(parts.turns.open(context.agent_id, opening, abandon_after_minutes=minutes))
    except (CognitiveError, TimeoutError) as error:
        parts.settlement.keep_opening(context.agent_id, opening)
        reason = f"record: {str(error) or 'not in time'}; it is recorded with the outcome"
        return replace(context, degraded=(*context.degraded, reason))
    return context


def _plainly(error: Exception) -> str:
    """Why a window is only its newest messages."""
    late = isinstance(error, TimeoutError)
    if not late:
        log.error("a window could not be made: %r", error, exc_info=error)
    return f"window: {'not in time' if late else f'{type(error).__name__}: {error}'}; the newest messages, cut"


async def _messages(talking: asyncio.Task[Continued]) -> Sequence[Message]:
    return (await talking).messages
