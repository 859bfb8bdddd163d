"""Select the messages of a conversation that the model sees in a turn, with a summary of the earlier ones.

The summary and the plan are part of the session's state, which is read within the turn's deadline and written after the
turn, in the background.
"""

from __future__ import annotations

import asyncio
import logging
from collections.abc import Coroutine, Mapping, Sequence
from dataclasses import dataclass, field, replace
from datetime import datetime
from time import time
from typing import Any

from brain.artifacts import Artifacts, NewArtifact
from brain.deadline import Deadline
from brain.errors import CognitiveError
from brain.redacting import UNREDACTED, Redactor
from brain.sessions import CarriedState, Sessions
from brain.turn_reads import TurnReads
from brain.users import Scope
from cognitive import threads
from cognitive.background import Background
from cognitive.degradation import Degradation
from cognitive.policy import Policy
from cognitive.policy.models import budget_for
from cognitive.session import recent
from cognitive.session.writer import SUMMARY_SECONDS, TIMEOUT, SentWindow, SessionWriter, size_of
from cognitive.tokens import TokenCounter
from cognitive.turn import Message, Turn, TurnContext
from cognitive.window import engine_messages
from cognitive.window.fit import FittedWindow, PreviousSummary, WindowTrace, fit
from cognitive.window.rendering import WholeOutput, WindowCache
from cognitive.window.summary import Summarizer

log = logging.getLogger(__name__)

_RECENT_TURNS = 10  # turns listed when a session is resumed
_MAX_READ_SHARE = 0.5  # maximum share of the deadline for reading the session's state; the window needs the rest


@dataclass(frozen=True, slots=True)
class Conversation:
    """A conversation to fit into the model's window, before a turn or within it.

    `message` is the user's message that begins the turn. Before the turn, `messages` ends before this message. Within
    the turn, `messages` includes it. `received_at` is the time at which the conversation was passed in, in seconds
    since the epoch.
    """

    scope: Scope
    session_id: str
    turn_id: str
    messages: tuple[Message, ...]
    message: str
    model: str | None = None
    iteration: int | None = None
    plan_step: str | None = None
    received_at: float = field(default_factory=time)

    @classmethod
    def of(cls, turn: Turn) -> Conversation:
        """Return the conversation before a turn, to be fitted into the model's window."""
        return cls(
            turn.scope,
            turn.session_id,
            turn.turn_id or "",
            tuple(turn.conversation),
            turn.text,
            turn.model,
            turn.iteration,
            turn.plan_step,
        )

    @classmethod
    def within(cls, context: TurnContext, conversation: tuple[Message, ...], iteration: int | None) -> Conversation:
        """Return the conversation at a later model call of a turn, after tool calls were added to it."""
        return cls(
            context.scope,
            context.session_id,
            context.turn_id,
            conversation,
            context.message,
            context.language_model,
            iteration,
            context.plan_step,
        )

    def sent(self, window: FittedWindow, messages: tuple[Message, ...], carried: CarriedState) -> SentWindow:
        """Return what the session stores after its model was sent `messages`, those of the window fitted to it."""
        return SentWindow(
            self.scope,
            self.session_id,
            self.turn_id,
            messages,
            carried,
            window.evicted,
            window.summarized_until,
            self.messages,
            self.received_at,
        )


@dataclass(frozen=True, slots=True)
class ConversationWindow:
    """The messages that the model sees in a turn, with the data that the turn records about them.

    Attributes:
        messages: the messages, with a summary of the earlier ones.
        sent: the data from which the session's state is updated after the turn, or None if nothing is stored.
        degraded: what failed: reading or writing the session's state, keeping a limit, or adding the plan's step.
        trace: the measurements of the window, as JSON.
    """

    messages: tuple[Message, ...]
    sent: SentWindow | None
    degraded: tuple[Degradation, ...] = ()
    trace: Mapping[str, Any] = field(default_factory=dict)


class SessionManager:
    """Fits conversations into the model's window with the help of their session's stored state, and updates that state.

    The state is the last messages, a summary of the earlier ones, and the plan. Its `writer` updates it after a turn.
    """

    def __init__(
        self,
        sessions: Sessions,
        artifacts: Artifacts,
        policy: Policy,
        counter: TokenCounter,
        summarizer: Summarizer,
        background: Background,
        redactor: Redactor = UNREDACTED,
        summary_seconds: float = SUMMARY_SECONDS,
    ) -> None:
        self._sessions = sessions
        self._artifacts = artifacts
        self._policy = policy
        self._counter = counter
        self._cache = WindowCache()
        self.writer = SessionWriter(
            sessions, artifacts, policy, summarizer, self._cache, background, redactor, summary_seconds
        )

    async def window(
        self, conversation: Conversation, now: datetime, deadline: Deadline, policy: Policy, reads: TurnReads
    ) -> ConversationWindow:
        """Select the messages that the model sees in a turn, and store the full texts of shortened tool outputs.

        `reads` reads the state of the session.

        Raises:
            TimeoutError: the window is not ready before the deadline.
        """
        if reads.late is None:
            carried, missing = await self.read_state(_carried(reads), deadline)
        else:
            carried, missing = CarriedState(), (Degradation("session_late", reads.late),)
        async with deadline.limit():
            window = await self._fitted(conversation, carried, now, policy)
        not_stored = await self.store_outputs(conversation, window.outputs, deadline)
        messages = (*window.messages, Message(role="user").model_copy(update={"content": conversation.message}))
        sent = conversation.sent(window, messages, carried)
        degraded = (*missing, *not_stored, *_shortcomings(window.trace))
        return ConversationWindow(window.messages, sent, degraded, window.trace.as_json())

    async def fit(self, conversation: Conversation, now: datetime, deadline: Deadline, policy: Policy) -> FittedWindow:
        """Select the messages that the model sees next within a turn whose conversation has grown by tool calls.

        The last messages and the summary are stored, so that a process that resumes the session after a crash knows the
        calls, their results and what left the window.

        Raises:
            TimeoutError: the window is not ready before the deadline.
        """
        read = self._sessions.carried(conversation.scope, conversation.session_id, timeout=TIMEOUT)
        carried, missing = await self.read_state(read, deadline)
        async with deadline.limit():
            window = await self._fitted(conversation, carried, now, policy)
        not_stored = await self.store_outputs(conversation, window.outputs, deadline)
        for degradation in (*missing, *not_stored):
            log.warning("turn %s was fitted without a part: %s", conversation.turn_id, degradation)
        self.writer.on_fitted(conversation.sent(window, window.messages, carried))
        return window

    async def resume(self, scope: Scope, session_id: str) -> recent.ResumedSession | None:
        """Return a session's state so that any process can continue it, or None if the session does not exist."""
        await self.writer.wait_for_messages(scope, session_id)
        state = await self._sessions.state(scope, session_id, _RECENT_TURNS)
        if state is None:
            return None
        policy = self._policy.for_agent(scope.agent_id)
        return await asyncio.to_thread(
            recent.resumed,
            state,
            max_messages=policy.window.max_messages,
            max_chars=policy.window.max_chars,
        )

    async def _fitted(
        self, conversation: Conversation, carried: CarriedState, now: datetime, policy: Policy
    ) -> FittedWindow:
        """Return the window of a conversation, with the summary and the plan's step of its session's state."""
        previous, step = PreviousSummary(carried.summary, carried.summarized_until), conversation.plan_step
        if self.writer.is_summarizing(conversation.scope, conversation.session_id) and any(
            map(engine_messages.is_summary, conversation.messages)
        ):  # the summary that the host passes back is newer than the stored one
            previous = replace(previous, summary="")
        if step is None and carried.plan_step is not None:
            step, previous = carried.plan_step, replace(previous, step=carried.step + 1, steps=len(carried.plan))
        tokens = budget_for(conversation.model, policy.budgets.models).input_tokens if conversation.model else None
        return await threads.in_thread_if_long(
            size_of(conversation.messages),
            fit,
            conversation.messages,
            session_id=conversation.session_id,
            kept=previous,
            plan_step=step,
            iteration=conversation.iteration,
            tokens=tokens,
            now=now,
            policy=policy,
            count=self._counter,
            cache=self._cache,
        )

    async def read_state(
        self, read: Coroutine[Any, Any, CarriedState], deadline: Deadline
    ) -> tuple[CarriedState, tuple[Degradation, ...]]:
        """Return the session's state before a turn, which `read` reads.

        If Postgres fails or is late, return an empty state, and a degradation that says why.
        """
        try:
            return await deadline.within(read, _MAX_READ_SHARE), ()
        except (CognitiveError, TimeoutError) as error:
            return CarriedState(), (Degradation.from_error("session", error, deadline),)

    async def store_outputs(
        self, conversation: Conversation, outputs: Sequence[WholeOutput], deadline: Deadline
    ) -> tuple[Degradation, ...]:
        """Store the full texts of shortened tool outputs before the prompt that points to them is sent.

        If storing fails, it is retried in the background, and the failure is returned as a degradation.
        """
        if not outputs:
            return ()
        scope, session_id, turn_id = conversation.scope, conversation.session_id, conversation.turn_id
        new = [NewArtifact(id, text, name=tool, tool=tool) for id, tool, text in outputs]
        try:
            put = self._artifacts.put(
                scope, session_id, new, turn_id=turn_id, received_at=conversation.received_at, timeout=TIMEOUT
            )
            await deadline.within(put)
        except (CognitiveError, TimeoutError) as error:
            self.writer.store(scope, session_id, turn_id, new, conversation.received_at)
            return (Degradation.from_error("artifacts", error, deadline, "; pointers lead nowhere yet"),)
        return ()


async def _carried(reads: TurnReads) -> CarriedState:
    return (await reads.start()).carried


def _shortcomings(trace: WindowTrace) -> tuple[Degradation, ...]:
    """Return what is wrong with a window as degradations: a limit is exceeded, or the plan's step was refused."""
    degraded: list[Degradation] = []
    if trace.exceeded_bound:
        beyond = f"beyond its bound of {trace.exceeded_bound}, and nothing is left to cut"
        degraded.append(Degradation("window_over_limit", beyond))
    if trace.directive_error:
        degraded.append(Degradation("directive_refused", trace.directive_error))
    return tuple(degraded)
