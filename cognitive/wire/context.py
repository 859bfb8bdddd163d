"""A prepared turn as it crosses HTTP: all that a host puts into its prompt, without what only the server needs."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass, field, replace
from datetime import datetime
from typing import Any

from cognitive import degradation
from cognitive.catalog.fit import select_all
from cognitive.catalog.tool_variants import ToolCatalog
from cognitive.degradation import Degradation
from cognitive.plan import Plan, Signals
from cognitive.policy import Policy
from cognitive.policy.tables import Placement
from cognitive.preflight import plan as planning
from cognitive.prompt import PlacedPrompt, PromptParts, place
from cognitive.trace import Trace, Trim
from cognitive.turn import Message, Shown, ToolSpec, Turn, TurnContext
from cognitive.window.fallback import newest_messages

UNPREPARED = "unprepared"  # the reason in the plan of a turn that no server prepared


@dataclass(frozen=True, slots=True)
class TraceSummary:
    """How a turn came about, in short: the channels that arrived, milliseconds by stage, what was cut, the window.

    What became of each candidate is asked for by the turn's id.
    """

    query: str
    policy: str
    channels: tuple[str, ...] = ()
    timings: Mapping[str, float] = field(default_factory=dict)
    trim: Trim | None = None
    window: Mapping[str, Any] = field(default_factory=dict)


@dataclass(frozen=True, slots=True)
class PreparedTurn:
    """What the model should see in a turn.

    `prompt` has the parts where the policy's placement wants them: `system` belongs behind the host's own system
    prompt, then come `messages`, then `sent` as the user's message; `user_message` is that message as the host keeps it
    in its history. `prefix` and `text` are the blocks that they are made from.
    """

    agent_id: str
    session_id: str
    turn_id: str
    now: datetime
    message: str
    prompt: PlacedPrompt
    text: str
    prefix: str
    shown: tuple[Shown, ...]
    plan: Plan
    messages: tuple[Message, ...]
    tools: tuple[Mapping[str, Any], ...]
    degraded: tuple[str, ...]
    trace: TraceSummary
    user_id: str | None = None
    placement: Placement = "user_tail"
    model: str | None = None
    plan_step: str | None = None
    degraded_codes: tuple[str, ...] = ()


def to_prepared_turn(context: TurnContext) -> PreparedTurn:
    """A context as it crosses."""
    trace = context.trace
    return PreparedTurn(
        agent_id=context.agent_id,
        session_id=context.session_id,
        turn_id=context.turn_id,
        now=context.now,
        message=context.message,
        prompt=place(
            PromptParts("", context.prefix, context.message, context.plan.hint, context.text), context.placement
        ),
        text=context.text,
        prefix=context.prefix,
        shown=context.shown,
        plan=context.plan,
        messages=context.messages,
        tools=context.tools,
        degraded=context.degraded,
        trace=TraceSummary(trace.query, trace.policy, trace.channels, trace.timings, trace.trim, trace.window),
        user_id=context.user_id,
        placement=context.placement,
        model=context.language_model,
        plan_step=context.plan_step,
        degraded_codes=degradation.codes(context.degraded),
    )


def to_turn_context(prepared: PreparedTurn) -> TurnContext:
    """The reverse of `to_prepared_turn`: the same prompt, byte for byte, without what only the server knows."""
    trace = prepared.trace
    return TurnContext(
        agent_id=prepared.agent_id,
        session_id=prepared.session_id,
        turn_id=prepared.turn_id,
        now=prepared.now,
        message=prepared.message,
        text=prepared.text,
        prefix=prepared.prefix,
        shown=prepared.shown,
        plan=prepared.plan,
        messages=prepared.messages,
        tools=tuple(ToolSpec(tool) for tool in prepared.tools),
        degraded=degradation.read(prepared.degraded, prepared.degraded_codes),
        trace=Trace(
            trace.query,
            trace.policy,
            prepared.now,
            trace.channels,
            timings=trace.timings,
            trim=trace.trim,
            window=trace.window,
        ),
        user_id=prepared.user_id,
        placement=prepared.placement,
        language_model=prepared.model,
        plan_step=prepared.plan_step,
    )


def without_memory(turn: Turn, turn_id: str, now: datetime, *reasons: Degradation) -> TurnContext:
    """A turn that goes on without memory: its newest messages, its tools whole, and why."""
    policy = Policy()
    plan = planning.create_plan(Signals(turn.text, greeting=True), "conversation", (UNPREPARED,), policy, turn.thinking)
    return TurnContext(
        agent_id=turn.agent_id,
        session_id=turn.session_id,
        turn_id=turn_id,
        now=now,
        message=turn.text,
        text="",
        prefix="",
        shown=(),
        plan=replace(plan, tools=tuple(tool.name for tool in turn.tools)),
        messages=newest_messages(turn.conversation, policy) if turn.kind == "user" else turn.conversation,
        tools=select_all(ToolCatalog(turn.tools), turn.model).tools,
        degraded=reasons,
        trace=Trace(turn.text, policy.version, now),
        user_id=turn.user_id,
        placement=policy.placement,
        language_model=turn.model,
        plan_step=turn.plan_step,
    )
