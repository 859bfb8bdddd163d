"""What fails open: each part of a turn by itself. If one goes wrong, the agent's turn goes on without it."""

from __future__ import annotations

import asyncio
import logging
from collections.abc import Sequence
from dataclasses import replace
from datetime import UTC, datetime

from brain.deadline import Deadline
from cognitive.bootstrap import Parts
from cognitive.catalog.engine import Known
from cognitive.context.engine import Built
from cognitive.degradation import Degradation
from cognitive.errors import CognitiveError
from cognitive.feedback.outcomes import opened
from cognitive.plan import Plan
from cognitive.policy import Policy
from cognitive.preflight.plan import merge_needs
from cognitive.preparation import Preparation
from cognitive.session.continuity import Continued, Talk
from cognitive.telemetry import attributes
from cognitive.telemetry.spans import Span
from cognitive.turn import Message, Offer, TurnContext
from cognitive.window.fallback import plain
from cognitive.window.fit import Window

log = logging.getLogger(__name__)


async def memory(parts: Parts, begun: Preparation, talking: asyncio.Task[Continued]) -> tuple[Plan, Built]:
    """The plan and the memories that it brings; no memories, if that fails."""
    planner, turn, policy = parts.planner, begun.turn, begun.policy
    plan = planner.untouched(turn, "failed" if begun.planned else f"kind.{turn.kind}", policy)
    if not begun.planned:
        return plan, Built.nothing(plan, begun.now)
    try:
        with Span(attributes.PLAN, lambda: {attributes.AGENT_ID: turn.agent_id}) as span:
            plan = planner.plan(turn, begun.now, policy)
            span.tell(lambda: attributes.plan(plan))
        built = await parts.engine.build(
            plan, turn, begun.now, begun.deadline, policy, begun.room, lambda: _messages(talking)
        )
    except Exception as error:  # whatever went wrong, the agent's turn goes on
        log.exception("pre_turn goes on without memory")
        missing = Degradation("memory_failed", f"{type(error).__name__}: {error}")
        return plan, Built.nothing(plan, begun.now, missing)
    try:
        return await planner.refine(plan, turn, built.own, begun.deadline, policy), built
    except Exception as error:  # a plug-in may raise anything, and the turn has its plan
        log.warning("the classifier is not heard: %s", str(error) or type(error).__name__)
        return plan, built


async def talk(parts: Parts, begun: Preparation) -> Continued:
    """The window over the conversation; only its newest messages, cut, if that is late or fails."""
    if not begun.planned:  # as it came; a runtime may have it fitted, by `fit`
        return Continued(begun.turn.conversation, None)
    try:
        return await parts.continuity.window(Talk.of(begun.turn), begun.now, begun.deadline, begun.policy)
    except Exception as error:  # a turn without its window is still a turn
        return Continued(plain(begun.turn.conversation, begun.policy), None, (_plainly(error),))


async def window(parts: Parts, talk: Talk, policy: Policy) -> Window:
    """The window over a conversation that has grown within its turn; its newest messages, cut, as in `talk`."""
    try:
        return await parts.continuity.fit(talk, datetime.now(UTC), Deadline(policy.fit_deadline_ms), policy)
    except Exception as error:  # a loop of calls goes on as a turn does
        return Window.of(plain(talk.conversation, policy), talk.conversation, policy, _plainly(error))


async def offer(parts: Parts, begun: Preparation, plan: Plan, built: Built) -> tuple[Offer, tuple[Degradation, ...]]:
    """The tools that the plan keeps, as the model can carry them; all of them whole, if that fails."""
    turn, policy, removed = begun.turn, begun.policy, frozenset(plan.removed)
    tools = [tool for tool in turn.tools if tool.name not in removed]
    if not begun.planned:
        return parts.catalog.whole(tools, turn.model), ()
    past = built.given.found.past if built.given is not None else ()
    try:
        wanted = frozenset(merge_needs(plan.categories, policy).tools)
        known = Known(plan.signals.text, built.own, past, wanted)
        offered = await parts.catalog.offer(turn, tools, known, begun.deadline, policy)
    except Exception as error:  # a model that sees too many tools answers; one without them may not
        log.warning("pre_turn goes on with all tools: %r", error)
        because = Degradation("tools_failed", f"{type(error).__name__}: {error}; all of them are offered whole")
        return parts.catalog.whole(tools, turn.model), (because,)
    late = offered.trim is not None and offered.trim.late
    return offered, (Degradation("tools_late", "not read in time; they are cut by their names"),) if late else ()


async def recorded(parts: Parts, begun: Preparation, context: TurnContext) -> TurnContext:
    """The context, with its turn recorded. What cannot be recorded in time is recorded with the outcome."""
    opening, minutes = opened(context), begun.policy.abandon_after_minutes
    try:
        await begun.deadline.within(parts.turns.open(context.agent_id, opening, abandon_after_minutes=minutes))
    except (CognitiveError, TimeoutError) as error:
        parts.settlement.keep_opening(context.agent_id, opening)
        reason = Degradation.from_error("record", error, "not in time", "; it is recorded with the outcome")
        return replace(context, degraded=(*context.degraded, reason))
    return context


def _plainly(error: Exception) -> Degradation:
    """Why a window is only its newest messages."""
    if isinstance(error, TimeoutError):
        return Degradation("window_late", "not in time; the newest messages, cut")
    log.error("a window could not be made: %r", error, exc_info=error)
    return Degradation("window_failed", f"{type(error).__name__}: {error}; the newest messages, cut")


async def _messages(talking: asyncio.Task[Continued]) -> Sequence[Message]:
    return (await talking).messages
