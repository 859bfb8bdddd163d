"""Run the parts of `pre_turn`, which prepare a turn: request, window and memories, tools, context, record.

No part raises an error. If a part is late or fails, the turn continues without that part's result.
"""

from __future__ import annotations

import asyncio
import logging
from collections.abc import Sequence
from contextlib import nullcontext
from dataclasses import dataclass, replace
from datetime import UTC, datetime
from functools import partial
from time import perf_counter, time
from uuid import uuid4

from brain.deadline import Deadline
from brain.embedding.embedders import Embedders
from brain.redacting import Redactor
from brain.turn_reads import TurnReads
from brain.turns import TurnLog
from cognitive.catalog.engine import CatalogEngine, ToolSignals
from cognitive.context import dedup
from cognitive.context.engine import ContextEngine, MemoryContext
from cognitive.context.retrieve import searched
from cognitive.degradation import Degradation, DegradationLog
from cognitive.errors import CognitiveError
from cognitive.feedback.outcomes import OutcomeRecorder
from cognitive.lab.shadow import Shadowing
from cognitive.plan import Plan
from cognitive.policy import Policy
from cognitive.policy.models import budget_for
from cognitive.policy.resolver import PolicyResolver
from cognitive.preflight import smalltalk
from cognitive.preflight.follow_ups import messages_read
from cognitive.preflight.hint import hinted, wanted_tools
from cognitive.preflight.planner import Planner
from cognitive.privacy import redaction
from cognitive.recording.record import open_turn
from cognitive.session.conversation import Conversation, ConversationWindow, SessionManager
from cognitive.session.writer import SessionWriter
from cognitive.telemetry import attributes
from cognitive.telemetry.spans import Span
from cognitive.tool import ToolSelection
from cognitive.trace import ELAPSED
from cognitive.turn import Message, Turn, TurnContext
from cognitive.window.fallback import newest_messages
from cognitive.window.fit import FittedWindow

log = logging.getLogger(__name__)


@dataclass(frozen=True, slots=True)
class TurnRequest:
    """A turn with its time, policy and deadline: the input of every part of `pre_turn`."""

    turn: Turn
    now: datetime
    deadline: Deadline
    policy: Policy
    started: float  # time of the performance counter, in seconds

    @classmethod
    async def create(cls, turn: Turn, policies: PolicyResolver) -> TurnRequest:
        """Create the request for a turn: add a missing turn id and time, and load the agent's policy.

        Memory blocks that earlier turns left in the conversation are removed from it, unless the policy's placement
        keeps them there. The deadline starts before the agent's policy is refreshed.
        """
        started, deadline = perf_counter(), Deadline(policies.for_agent(turn.agent_id).deadline_ms)
        policy = await policies.current(turn.agent_id)
        conversation = (
            dedup.without_injected_blocks(turn.conversation, policy.placement)
            if turn.kind == "user"
            else turn.conversation
        )
        complete = turn.model_copy(update={"turn_id": turn.turn_id or str(uuid4()), "conversation": conversation})
        return cls(complete, turn.now or datetime.now(UTC), deadline, policy, started)

    @property
    def planned(self) -> bool:
        """True if the turn is a user's. Turns of other kinds (heartbeat, subagent, cron) are not planned."""
        return self.turn.kind == "user"

    @property
    def memory_tokens(self) -> int | None:
        """The tokens reserved for memory in the input of the turn's model, or None if the turn names no model."""
        if self.turn.model is None:
            return None
        return int(
            budget_for(self.turn.model, self.policy.budgets.models).input_tokens * self.policy.window.reserves["memory"]
        )


@dataclass(frozen=True, slots=True)
class TurnMemories:
    """The memories of a turn, and what failed or was late while they were selected.

    `redacted` is the turn with secrets removed from its texts. Planning and recording use it in place of the original.
    """

    memory_context: MemoryContext
    redacted: Turn
    degraded: tuple[Degradation, ...]
    embedding_model: str


@dataclass(frozen=True, slots=True)
class TurnTools:
    """The tools selected for a turn, and what failed or was late."""

    selection: ToolSelection
    degraded: tuple[Degradation, ...] = ()


class WindowBuilder:
    """Selects the messages of a conversation that the model sees. If that fails, selects only the newest, truncated."""

    def __init__(self, session_manager: SessionManager) -> None:
        self._session_manager = session_manager

    async def build(self, request: TurnRequest, reads: TurnReads) -> ConversationWindow:
        """Return the messages of the conversation that the model sees in a turn. `reads` reads the session's state.

        A turn that is not a user's gets the whole conversation.
        """
        turn, policy = request.turn, request.policy
        if not request.planned:
            return ConversationWindow(tuple(turn.conversation), None)
        try:
            return await self._session_manager.window(
                Conversation.of(turn), request.now, request.deadline, policy, reads
            )
        except Exception as error:  # the turn must go on
            return ConversationWindow(newest_messages(turn.conversation, policy), None, (_window_degradation(error),))

    async def fit(
        self, context: TurnContext, conversation: Sequence[Message], iteration: int | None, policy: Policy
    ) -> FittedWindow:
        """Select the messages for the model's next call within a turn, whose tool calls have added messages."""
        grown = Conversation.within(context, tuple(conversation), iteration)
        try:
            return await self._session_manager.fit(grown, datetime.now(UTC), Deadline(policy.deadlines.fit_ms), policy)
        except Exception as error:  # the loop of tool calls must go on
            newest = newest_messages(grown.messages, policy)
            return FittedWindow.of(newest, grown.messages, policy, _window_degradation(error))


class MemoryFetcher:
    """Plans a turn and selects the memories to show in it. If this fails, the turn shows no memories."""

    def __init__(self, planner: Planner, engine: ContextEngine, embedders: Embedders, redactor: Redactor) -> None:
        self._planner = planner
        self._engine = engine
        self._embedders = embedders
        self._redactor = redactor

    def begin_reads(self, request: TurnRequest) -> TurnReads:
        """Return the reads of a turn; nothing is read yet."""
        return self._engine.begin_reads(request.turn, request.now, request.deadline)

    async def fetch(
        self, request: TurnRequest, window: asyncio.Task[ConversationWindow], reads: TurnReads
    ) -> tuple[Plan, TurnMemories]:
        """Return the plan and the memories of a turn.

        The task `window` selects the messages that the model sees. It is awaited only with the placement "journaled",
        because these messages then contain the memory blocks of earlier turns.
        """
        read_by_plan = partial(messages_read, conversation=request.turn.conversation)
        redacted, withheld = await redaction.redact_turn_in_time(
            request.turn, self._redactor, request.deadline, read_by_plan
        )
        plan, memory_context = await self._fetch(replace(request, turn=redacted), window, reads)
        model = memory_context.model or self._embedders.of(request.turn.agent_id).model
        return plan, TurnMemories(memory_context, redacted, (*withheld, *memory_context.degraded), model)

    async def _fetch(
        self, request: TurnRequest, window: asyncio.Task[ConversationWindow], reads: TurnReads
    ) -> tuple[Plan, MemoryContext]:
        """Return the plan and the memories of a redacted turn. If a part fails, its default or empty result stays."""
        turn, policy, deadline = request.turn, request.policy, request.deadline
        plan = self._planner.default_plan(turn, "failed" if request.planned else f"kind.{turn.kind}", policy)
        if not request.planned:
            return plan, MemoryContext.empty(plan, request.now)

        async def window_messages() -> Sequence[Message]:
            return (await window).messages

        try:
            # The search mostly embeds the message itself, which takes as long as planning. Both run at the same time.
            will_search = reads.late is None and smalltalk.read(turn.text) is None
            with self._embedders.of(turn.agent_id).ahead(searched(turn.text)) if will_search else nullcontext():
                with Span(attributes.PLAN, lambda: {attributes.AGENT_ID: turn.agent_id}) as span:
                    plan = self._planner.plan(turn, request.now, policy)
                    span.add_attributes(lambda: attributes.plan(plan))
                if reads.late is not None:
                    return plan, MemoryContext.empty(plan, request.now, *_unread(plan, reads.late))
                memory_context = await self._engine.build(
                    plan, turn, request.now, deadline, policy, reads, request.memory_tokens, window_messages
                )
        except Exception as error:  # the turn must go on
            log.exception("pre_turn continues without memories")
            failed = Degradation("memory_failed", f"{type(error).__name__}: {error}")
            return plan, MemoryContext.empty(plan, request.now, failed)
        try:
            return await self._planner.refine(
                plan, turn, memory_context.first_model_vector, deadline, policy
            ), memory_context
        except Exception as error:  # a plug-in may raise anything; the plan of the rules is good enough
            log.warning("the classifier failed: %s", str(error) or type(error).__name__)
            return plan, memory_context


class ToolSelector:
    """Selects the tools that the plan keeps, and shortens their definitions to fit the model.

    If this fails, the model gets all tools that the plan keeps, unchanged.
    """

    def __init__(self, catalog: CatalogEngine) -> None:
        self._catalog = catalog

    async def select(self, request: TurnRequest, plan: Plan, memories: TurnMemories) -> TurnTools:
        """Return the tools that the model is given in a turn."""
        turn, policy, removed = request.turn, request.policy, frozenset(plan.removed)
        tools = [tool for tool in turn.tools if tool.name not in removed]
        if not request.planned:
            return TurnTools(self._catalog.select_all(tools, turn.model))
        inputs = memories.memory_context.inputs
        try:
            wanted = frozenset(wanted_tools(tools, plan.categories, policy))
            past = inputs.found.past if inputs is not None else ()
            signals = ToolSignals(plan.signals.text, memories.memory_context.first_model_vector, past, wanted)
            selection = await self._catalog.select(turn, tools, signals, request.deadline, policy)
        except Exception as error:  # a model with too many tools still answers; one without tools may not
            log.warning("pre_turn continues with all tools: %r", error)
            failed = Degradation("tools_failed", f"{type(error).__name__}: {error}; all tools are sent unchanged")
            return TurnTools(self._catalog.select_all(tools, turn.model), (failed,))
        if selection.trim is not None and selection.trim.late:
            return TurnTools(selection, (Degradation("tools_late", "not ranked in time; reduced to their names"),))
        return TurnTools(selection)


class TurnRecorder:
    """Records a prepared turn. Then stores the session's state and runs the shadow policy in the background.

    A shadow policy is one that is only run for comparison, without effect on the turn.
    """

    def __init__(
        self, turns: TurnLog, outcomes: OutcomeRecorder, session_writer: SessionWriter, shadowing: Shadowing
    ) -> None:
        self._turns = turns
        self._outcomes = outcomes
        self._session_writer = session_writer
        self._shadowing = shadowing
        self._degradations = DegradationLog()

    async def record(
        self, request: TurnRequest, context: TurnContext, memories: TurnMemories, window: ConversationWindow
    ) -> TurnContext:
        """Record the prepared turn. Return its context, completed by the milliseconds that the preparation took."""
        context = await self._record(request, _timed(context, request.started))
        self._degradations.add(context.degraded)
        self._session_writer.on_turn_recorded(window.sent)
        self._shadowing.follow(context.scope, context.turn_id, memories.memory_context)
        return context

    async def _record(self, request: TurnRequest, context: TurnContext) -> TurnContext:
        """Record the prepared turn in Postgres.

        If Postgres fails or is late, the turn is written to the journal (local files) and recorded together with its
        outcome.
        """
        opening, minutes = open_turn(context), request.policy.feedback.abandon_after_minutes
        try:
            await request.deadline.within(self._turns.open(context.scope, opening, abandon_after_minutes=minutes))
        except (CognitiveError, TimeoutError) as error:
            self._outcomes.keep_opening(context.scope, opening)
            failed = Degradation.from_error("record", error, request.deadline, "; recorded with the outcome")
            return replace(context, degraded=(*context.degraded, failed))
        return context


def create_context(
    request: TurnRequest, plan: Plan, memories: TurnMemories, tools: TurnTools, window: ConversationWindow
) -> TurnContext:
    """Combine the results of all parts of `pre_turn` into the context of the turn."""
    turn, memory_context, redacted = request.turn, memories.memory_context, memories.redacted
    return TurnContext(
        agent_id=turn.agent_id,
        session_id=turn.session_id,
        turn_id=turn.turn_id or "",
        now=request.now,
        message=turn.text,
        text=memory_context.text,
        prefix=memory_context.prefix,
        user_prefix=memory_context.user_prefix,
        user_prefix_tokens=memory_context.user_prefix_tokens,
        shown=memory_context.shown,
        plan=hinted(plan, tools.selection, request.policy),
        messages=window.messages,
        tools=tools.selection.tools,
        degraded=(*memories.degraded, *window.degraded, *tools.degraded),
        trace=replace(memory_context.trace, trim=tools.selection.trim, window=window.trace),
        user_id=turn.user_id,
        embedding_model=memories.embedding_model,
        query_vector=memory_context.vector,
        policy=request.policy,
        placement=request.policy.placement,
        language_model=turn.model,
        plan_step=turn.plan_step,
        runtime=turn.runtime,
        tool_selection=tools.selection,
        redacted_message=redacted.text if redacted is not turn else None,
        received_at=time(),
    )


def _unread(plan: Plan, late: str) -> tuple[Degradation, ...]:
    """Return the degradations of a turn without reads: of pinned memories and, if the plan retrieves any, of others."""
    prefix, retrieval = Degradation("prefix_late", late), Degradation("retrieval_late", late)
    return (prefix, retrieval) if plan.retrieval else (prefix,)


def _timed(context: TurnContext, started: float) -> TurnContext:
    """Return the context with the time at which the turn arrived and the milliseconds that preparing it took so far."""
    elapsed = perf_counter() - started
    timings = {**context.trace.timings, ELAPSED: elapsed * 1000}
    return replace(context, received_at=time() - elapsed, trace=replace(context.trace, timings=timings))


def _window_degradation(error: Exception) -> Degradation:
    """Return the degradation of a window that an error reduced to the newest messages. Log all but timeouts."""
    if isinstance(error, TimeoutError):
        return Degradation("window_late", "not in time; only the newest messages, truncated")
    log.error("the window could not be built: %r", error, exc_info=error)
    return Degradation("window_failed", f"{type(error).__name__}: {error}; only the newest messages, truncated")
