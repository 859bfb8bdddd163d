"""Write the state of sessions in the background: the last messages, the summary, the full texts of tool outputs.

A failure here never fails a turn. If storing a summary fails, the next turn sees that those messages are not summarized
yet, and summarizes them again. If storing a tool's full output fails, it is stored by a later turn, to which the host
passes the conversation with that output again.
"""

from __future__ import annotations

import asyncio
import logging
from collections.abc import Sequence
from dataclasses import dataclass
from functools import partial

from brain.artifacts import Artifacts, NewArtifact
from brain.deadline import attempt
from brain.errors import CognitiveError
from brain.redacting import Redactor
from brain.sessions import CarriedState, Sessions
from brain.text import storable
from brain.users import Scope
from cognitive import threads
from cognitive.background import Background
from cognitive.policy import Policy
from cognitive.privacy import redaction
from cognitive.session import recent
from cognitive.turn import Message, Outcome
from cognitive.window import groups
from cognitive.window.rendering import WindowCache, limits
from cognitive.window.summary import Summarizer, extract

log = logging.getLogger(__name__)

TIMEOUT = 10.0  # seconds for one statement on a session
_MAX_WAITING = 64  # tasks; beyond this, a write is left to the next turn of its session, so that memory is bounded
_MAX_HELD = 64_000_000  # characters of outputs that wait for Postgres
_RETRIES = (1.0, 4.0, 16.0)  # seconds before each retry to store tool outputs
_AT_CLOSE = 5.0  # seconds for pending writes when a layer closes
_MAX_WAITING_SUMMARIES = 5  # of a session
_MAX_SUMMARY_ATTEMPTS = 5  # to replace a summary that other turns replace meanwhile
SUMMARY_SECONDS = 60.0  # timeout of a host's summarizer; after it the summary is extracted
_MAX_OVER = 4  # of a summary longer than this many times the limit, only the end is condensed


@dataclass(frozen=True, slots=True)
class SentWindow:
    """The messages that a turn sent to its model, and what its session needs to update its stored state.

    Attributes:
        scope: the agent and the view in which the turn runs.
        session_id: the session's id.
        turn_id: the turn's id.
        messages: the messages of the conversation as they were sent, and the user's message.
        carried: the session's state before the turn.
        evicted: the older messages that were not sent any more and that the summary in `carried` does not cover.
        summarized_until: a digest that identifies the last of the evicted messages in `conversation`.
        conversation: the full conversation of the turn. It is searched for the message up to which another turn's
            summary goes.
        received_at: the arrival of the turn, in seconds since the epoch. Turns that arrived before an erasure are not
            stored.
    """

    scope: Scope
    session_id: str
    turn_id: str
    messages: Sequence[Message]
    carried: CarriedState
    evicted: Sequence[Message] = ()
    summarized_until: str | None = None
    conversation: Sequence[Message] = ()
    received_at: float | None = None


class SessionWriter:
    """Writes the state of sessions in the background: last messages, summaries, full texts of tool outputs."""

    def __init__(
        self,
        sessions: Sessions,
        artifacts: Artifacts,
        policy: Policy,
        summarizer: Summarizer,
        cache: WindowCache,
        background: Background,
        redactor: Redactor,
        summary_seconds: float,
    ) -> None:
        self._sessions = sessions
        self._artifacts = artifacts
        self._policy = policy
        self._summarizer = summarizer
        self._cache = cache
        self._redactor = redactor
        self._summary_seconds = summary_seconds
        # names of tasks: agent, user, session, kind of write, turn
        self._queue = background.queue(_MAX_WAITING, at_close=_AT_CLOSE)
        self._held_characters = 0

    # --- start of writes ---

    def on_turn_recorded(self, sent: SentWindow | None) -> None:
        """Store the last messages of a recorded turn, and update its session's summary.

        The messages that no longer fit in the turn's window are added to the summary. The work runs in the background.
        `sent` is None for a turn that stores nothing.
        """
        if sent is None:
            return
        self._queue.start(self._keep(sent), *_name(sent, "messages"), sent.turn_id)
        self._start_summary(sent)

    def on_fitted(self, sent: SentWindow) -> None:
        """Store the last messages and the summary of a turn again, after its conversation has grown by tool calls.

        The work runs in the background, after the turn's pending writes.
        """
        name = (*_name(sent, "messages"), sent.turn_id)
        nth = str(len(sent.conversation))
        self._queue.start(self._keep(sent, self._queue.running(*name)), *name, nth)
        self._start_summary(sent)

    def is_summarizing(self, scope: Scope, session_id: str) -> bool:
        """Return True if a new summary of the session is being written."""
        return bool(self._queue.running(*scope.key, session_id, "summary"))

    def _start_summary(self, sent: SentWindow) -> None:
        """Update the session's summary after the running updates, unless one of them has the same messages.

        No update is left to a later turn: a host that passes on the layer's windows passes evicted messages only once.
        """
        before = self._queue.running(*_name(sent, "summary"))
        name = (*_name(sent, "summary"), sent.summarized_until or "")
        if not sent.evicted or (sent.summarized_until and self._queue.running(*name)):
            return
        if len(before) >= _MAX_WAITING_SUMMARIES or not self._queue.start(self._summarize(sent, before), *name):
            log.warning(
                "%d messages of session %s are not summarized: %d summaries are waiting",
                len(sent.evicted),
                sent.session_id,
                len(before),
            )

    def on_outcome(
        self, scope: Scope, session_id: str, turn_id: str, outcome: Outcome, received_at: float | None = None
    ) -> None:
        """Add a turn's response and tool calls to the session's stored messages, in the background.

        This happens after the turn's pending writes.
        """
        answer = self._answer(scope, session_id, turn_id, outcome, received_at)
        self._queue.start(answer, *scope.key, session_id, "answer", turn_id)

    def store(
        self, scope: Scope, session_id: str, turn_id: str, artifacts: Sequence[NewArtifact], received_at: float | None
    ) -> None:
        """Store, in the background, full texts of tool outputs that could not be stored before the prompt was sent."""
        later = self._store_later(scope, session_id, turn_id, artifacts, received_at)
        self._queue.start(later, *scope.key, session_id, "outputs", turn_id)

    async def wait_for(self, *name: str) -> None:
        """Wait until the pending writes of an agent's sessions, of one user's or of one session, have ended."""
        await self._queue.wait_for(*name)

    async def wait_for_messages(self, scope: Scope, session_id: str) -> None:
        """Wait until the pending writes of a session's last messages and answers have ended."""
        for kind in ("messages", "answer"):
            await self._queue.wait_for(*scope.key, session_id, kind)

    async def stop(self, *name: str) -> None:
        """Cancel the pending writes of an agent's sessions, of one user's or of one session, before their erasure."""
        await self._queue.stop(*name)

    # --- writes ---

    async def _keep(self, sent: SentWindow, after: Sequence[asyncio.Task[None]] = ()) -> None:
        """Store the last messages of a turn, limited and redacted, once the tasks in `after` have ended."""
        if after:
            await asyncio.wait(after)
        policy = self._policy.for_agent(sent.scope.agent_id)
        size = size_of(sent.messages)
        messages = await threads.in_thread_if_long(size, _sanitized, sent.messages, policy)
        redacted = await self._redactor.run(partial(redaction.redact_messages, messages))
        encoded = await threads.in_thread_if_long(size, recent.encode, redacted)
        await self._sessions.keep(sent.scope, sent.turn_id, encoded, received_at=sent.received_at, timeout=TIMEOUT)

    async def _wait_for_messages(self, scope: Scope, session_id: str, turn_id: str) -> None:
        """Wait until the pending writes of a turn's messages have ended."""
        await self._queue.wait_for(*scope.key, session_id, "messages", turn_id)

    async def _summarize(self, sent: SentWindow, after: Sequence[asyncio.Task[None]]) -> None:
        """Add the messages that no longer fit in a turn's window to its session's summary.

        If another turn has replaced the summary in the meantime, add only the messages that the new summary does not
        cover.
        """
        if after:
            await asyncio.wait(after)
        await self._wait_for_messages(sent.scope, sent.session_id, sent.turn_id)
        policy, previous, evicted = self._policy.for_agent(sent.scope.agent_id), sent.carried, sent.evicted
        for _ in range(_MAX_SUMMARY_ATTEMPTS):
            summary = await self._new_summary(previous.summary, evicted, policy)
            if await self._sessions.roll(
                sent.scope,
                sent.session_id,
                sent.turn_id,
                previous,
                summary,
                sent.summarized_until,
                received_at=sent.received_at,
                timeout=TIMEOUT,
            ):
                return
            current = await self._sessions.carried(sent.scope, sent.session_id, timeout=TIMEOUT)
            if (current.summary, current.summarized_until) == (previous.summary, previous.summarized_until):
                return  # the turn or session is not recorded; a later turn brings the same messages again
            previous, evicted = current, _not_covered(sent, current.summarized_until)
            if not evicted:
                return

    async def _new_summary(self, earlier: str, messages: Sequence[Message], policy: Policy) -> str:
        """Return a new summary, made of the summary so far (`earlier`) and `messages`.

        The host's summarizer writes it. If the summarizer fails or is late, the summary is extracted from the texts
        without a model. The result can be stored in Postgres, and is not longer than the policy allows.
        """
        limit = policy.window.max_summary_chars
        stripped = await asyncio.to_thread(lambda: [recent.stripped(message) for message in messages])
        summary = await self._ask_summarizer(earlier, stripped, policy)
        if summary is None:
            return await asyncio.to_thread(extract, earlier, stripped, limit)
        summary = storable(summary)
        if len(summary) <= limit:
            return summary
        return await asyncio.to_thread(extract, summary[-_MAX_OVER * limit :], (), limit)

    async def _ask_summarizer(self, earlier: str, messages: Sequence[Message], policy: Policy) -> str | None:
        """Call the host's summarizer, and return its summary, or None if it fails or is late."""
        answer = self._summarizer.summarize(earlier, messages, policy.window.max_summary_chars)
        summary = await attempt(answer, self._summary_seconds)
        if not isinstance(summary, str):
            log.warning("the summarizer failed, using the extracted summary: %r", summary)
            return None
        return summary

    async def _answer(
        self, scope: Scope, session_id: str, turn_id: str, outcome: Outcome, received_at: float | None
    ) -> None:
        """Add a turn's tool calls and response to its stored messages, and store the full texts of its long outputs."""
        await self._wait_for_messages(scope, session_id, turn_id)
        outcome = await self._redactor.run(partial(redaction.redact_outcome, outcome))
        policy = self._policy.for_agent(scope.agent_id)
        whole: list[NewArtifact] = []

        async def add_answer(session_id: str, encoded: bytes) -> bytes:
            nonlocal whole
            size = len(encoded) + threads.characters([outcome.response], outcome.tool_calls)
            answered, whole = await threads.in_thread_if_long(
                size, _with_answer, session_id, encoded, outcome, policy, self._cache
            )
            return answered

        await self._sessions.answer(scope, turn_id, add_answer, received_at=received_at, timeout=TIMEOUT)
        if whole:
            await self._store_later(scope, session_id, turn_id, whole, received_at)

    async def _store_later(
        self, scope: Scope, session_id: str, turn_id: str, artifacts: Sequence[NewArtifact], received_at: float | None
    ) -> None:
        """Store full texts of tool outputs, with a few retries until the turn is recorded and Postgres is available."""
        size = sum(len(artifact.content) for artifact in artifacts)
        if self._held_characters + size > _MAX_HELD:
            log.warning(
                "%d tool outputs of turn %s are not stored: too many characters are waiting", len(artifacts), turn_id
            )
            return
        self._held_characters += size
        try:
            for seconds in (0.0, *_RETRIES):
                await asyncio.sleep(seconds)
                if await self._stored(scope, session_id, turn_id, artifacts, received_at):
                    return
            log.warning("%d tool outputs of turn %s are not stored: all retries failed", len(artifacts), turn_id)
        finally:
            self._held_characters -= size

    async def _stored(
        self, scope: Scope, session_id: str, turn_id: str, artifacts: Sequence[NewArtifact], received_at: float | None
    ) -> bool:
        """Store full texts of tool outputs once. Return False if the turn is not recorded yet, or Postgres failed."""
        try:
            return await self._artifacts.put(
                scope,
                session_id,
                artifacts,
                turn_id=turn_id,
                only_of_turn=True,
                received_at=received_at,
                timeout=TIMEOUT,
            )
        except CognitiveError as error:
            log.info("tool outputs of turn %s are not stored yet: %s", turn_id, error)
            return False


def _name(sent: SentWindow, kind: str) -> tuple[str, ...]:
    return *sent.scope.key, sent.session_id, kind


def _with_answer(
    session_id: str, encoded: bytes, outcome: Outcome, policy: Policy, cache: WindowCache
) -> tuple[bytes, list[NewArtifact]]:
    """Return the encoded messages with the outcome of their turn added, and the full texts of its long outputs."""
    messages, outputs = recent.answered(
        recent.decode(encoded), outcome, session_id=session_id, limits=limits(policy), cache=cache
    )
    whole = [
        NewArtifact(output.pointer, output.whole, name=tool, tool=tool)
        for tool, output in outputs
        if output.pointer is not None and output.whole is not None
    ]
    return recent.encode(_sanitized(messages, policy)), whole


def size_of(messages: Sequence[Message]) -> float:
    """Return the characters of messages; infinity if one has tool calls."""
    calls = [call for message in messages for call in message.tool_calls]
    return threads.characters((message.content for message in messages), calls)


def _sanitized(messages: Sequence[Message], policy: Policy) -> tuple[Message, ...]:
    return recent.sanitized(messages, max_messages=policy.window.max_messages, max_chars=policy.window.max_chars)


def _not_covered(sent: SentWindow, summarized_until: str | None) -> Sequence[Message]:
    """Return the messages that no longer fit in a turn's window and that the summary of another turn does not cover.

    `summarized_until` identifies the last message that the other summary covers. If the conversation does not contain
    this message, all messages that no longer fit are returned: a message may be summarised twice, but is never lost.
    """
    conversation = sent.conversation
    own, other = (
        groups.find(conversation, each, len(conversation)) if each else None
        for each in (sent.summarized_until, summarized_until)
    )
    if own is None or other is None:
        return sent.evicted
    return conversation[other + 1 : own + 1]
