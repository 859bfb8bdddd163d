"""A prepared turn over HTTP: all that a host puts into its prompt, without the data that only the server needs."""

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
from cognitive.tool import ToolSpec, Trim
from cognitive.trace import Trace
from cognitive.turn import Message, Shown, Turn, TurnContext
from cognitive.window.fallback import newest_messages

UNPREPARED = "unprepared"  # the plan's reason in a turn that no server prepared


@dataclass(frozen=True, slots=True)
class TraceSummary:
    """A short report on how a turn was prepared.

    `channels` names the search methods that returned in time. `timings` has the milliseconds of each step. `trim` says
    which tools were removed or shortened, and `window` how the conversation was fitted into the model's context. To
    learn why each candidate was shown or dropped, request the turn's candidates by the turn's id.
    """

    query: str
    policy: str
    channels: tuple[str, ...] = ()
    timings: Mapping[str, float] = field(default_factory=dict)
    trim: Trim | None = None
    window: Mapping[str, Any] = field(default_factory=dict)


@dataclass(frozen=True, slots=True)
class PreparedTurn:
    """The result of `pre_turn`: the memories, conversation and tools that the model should see in this turn.

    Append `prompt.system` to the host's own system prompt, add `messages`, and send `prompt.sent` as the user's
    message. Store `prompt.user_message` as that message in the host's history. `prefix` (shared pinned
    memories), `user_prefix` (the user's pinned memories and wishes) and `text` (memories of this turn) are the blocks
    that these texts contain. `degraded` describes failures and timeouts, and
    `degraded_codes` has the code of each.
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
    user_prefix: str = ""
    user_prefix_tokens: int = 0


def to_prepared_turn(context: TurnContext) -> PreparedTurn:
    """Convert a turn's context to the body that the server sends over HTTP."""
    trace = context.trace
    return PreparedTurn(
        agent_id=context.agent_id,
        session_id=context.session_id,
        turn_id=context.turn_id,
        now=context.now,
        message=context.message,
        prompt=place(
            PromptParts("", context.prefix, context.message, context.plan.hint, context.text, context.user_prefix),
            context.placement,
        ),
        text=context.text,
        prefix=context.prefix,
        user_prefix=context.user_prefix,
        user_prefix_tokens=context.user_prefix_tokens,
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
    """Convert a body received over HTTP to the turn's context, the reverse of `to_prepared_turn`.

    Prompts are identical byte for byte. The data that only the server needs is missing.
    """
    trace = prepared.trace
    return TurnContext(
        agent_id=prepared.agent_id,
        session_id=prepared.session_id,
        turn_id=prepared.turn_id,
        now=prepared.now,
        message=prepared.message,
        text=prepared.text,
        prefix=prepared.prefix,
        user_prefix=prepared.user_prefix,
        user_prefix_tokens=prepared.user_prefix_tokens,
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
    """Return the context of a turn that could not be prepared: its newest messages and all its tools, but no memories.

    `reasons` say why, and become the context's `degraded`.
    """
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
        messages=newest_messages(turn.conversation, policy) if turn.kind == "user" else tuple(turn.conversation),
        tools=select_all(ToolCatalog(turn.tools), turn.model).tools,
        degraded=reasons,
        trace=Trace(turn.text, policy.version, now),
        user_id=turn.user_id,
        placement=policy.placement,
        language_model=turn.model,
        plan_step=turn.plan_step,
    )
