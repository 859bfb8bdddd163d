"""What a session carries over its turns: read before one, within the deadline; written after it, off its path.

Nothing here can fail a turn. What is not written is made again: a summary that did not reach the store is extracted
from the same messages by the next turn, which finds them not covered, and a whole output is handed in again with the
conversation that it stands in.
"""

from __future__ import annotations

import asyncio
import logging
from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field, replace
from datetime import datetime
from functools import partial
from time import time
from typing import Any

from brain.artifacts import Artifacts, NewArtifact
from brain.deadline import Deadline
from brain.errors import CognitiveError
from brain.redacting import UNREDACTED, Redactor
from brain.sessions import Carried, Sessions
from cognitive.background import Background
from cognitive.degradation import Degradation
from cognitive.policy import Policy
from cognitive.policy.models import budget_for
from cognitive.privacy import redaction
from cognitive.session import recent
from cognitive.session.rolling import PATIENCE, Rolling, Sent
from cognitive.tokens import TokenCounter
from cognitive.turn import Message, Outcome, Turn, TurnContext
from cognitive.window.fit import Kept, Window, WindowTrace, fit
from cognitive.window.rendering import WholeOutput, limits
from cognitive.window.summary import Summarizer

log = logging.getLogger(__name__)

_MOST_WAITING = 64  # tasks; what cannot keep up is left to the next turn of its session, and memory does not grow
_MOST_HELD = 64_000_000  # characters of outputs that wait for Postgres to come back
_RECENT_TURNS = 10  # told of when a session is resumed
_READING = 0.5  # of a turn's time, at most, is for what the session carries: the window itself needs the rest
_RETRIES = (1.0, 4.0, 16.0)  # seconds until a whole output is tried again
_NO_ANSWER = "no answer from Postgres in time"
_AT_CLOSE = 5.0  # seconds for what can still be written when a layer closes


@dataclass(frozen=True, slots=True)
class Talk:
    """A conversation that a model is to see: before a turn's `message`, or within the turn."""

    agent_id: str
    session_id: str
    turn_id: str
    conversation: tuple[Message, ...]
    message: str
    model: str | None = None
    iteration: int | None = None
    plan_step: str | None = None
    told_at: float = field(default_factory=time)  # when it came in, in seconds since the epoch

    @classmethod
    def of(cls, turn: Turn) -> Talk:
        """The conversation before a turn."""
        return cls(
            turn.agent_id, turn.session_id, turn.turn_id or "", turn.conversation, turn.text, turn.model,
            turn.iteration, turn.plan_step,
        )  # fmt: skip

    @classmethod
    def within(cls, context: TurnContext, conversation: tuple[Message, ...], iteration: int | None) -> Talk:
        """The conversation within a turn that was prepared."""
        return cls(
            context.agent_id, context.session_id, context.turn_id, conversation, context.message, context.reader,
            iteration, context.plan_step,
        )  # fmt: skip


@dataclass(frozen=True, slots=True)
class Continued:
    """What of the talk a turn shows, and what could not be had or stored in time; `sent` is for the session to keep,
    `trace` says how the window came about.
    """

    messages: tuple[Message, ...]
    sent: Sent | None
    degraded: tuple[Degradation, ...] = ()
    trace: Mapping[str, Any] = field(default_factory=dict)


class Continuity:
    """The rim between a turn and what its session keeps."""

    def __init__(
        self,
        sessions: Sessions,
        artifacts: Artifacts,
        policy: Policy,
        counter: TokenCounter,
        summarizer: Summarizer,
        redactor: Redactor = UNREDACTED,
    ) -> None:
        self._sessions = sessions
        self._artifacts = artifacts
        self._policy = policy
        self._counter = counter
        self._rolling = Rolling(sessions, policy, summarizer)
        self._redactor = redactor
        self._background = Background(_MOST_WAITING)  # named by agent, what is kept, and of which turn or session
        self._held = 0

    async def window(self, talk: Talk, now: datetime, deadline: Deadline, policy: Policy) -> Continued:
        """The window over a turn's conversation, with what its session carries; whole outputs are kept meanwhile.

        Raises:
            TimeoutError: it is not made in time.
        """
        carried, missing = await self.before(talk.agent_id, talk.session_id, deadline)
        window = await deadline.within(self._fitted(talk, carried, now, policy))
        unstored = await self.store(talk, window.outputs, deadline)
        spoken = (*window.messages, Message(role="user").model_copy(update={"content": talk.message}))
        sent = Sent(
            talk.agent_id, talk.session_id, talk.turn_id, spoken, carried, window.evicted, window.covers,
            talk.conversation, talk.told_at,
        )  # fmt: skip
        degraded = (*missing, *unstored, *_shortcomings(window.trace))
        return Continued(window.messages, sent, degraded, window.trace.as_json())

    async def fit(self, talk: Talk, now: datetime, deadline: Deadline, policy: Policy) -> Window:
        """The window over a conversation within its turn; what leaves it is in its summary.

        Its last messages are kept: a process that takes the session up after a kill knows what was called, and what
        came of it. The session's summary is left to the next turn, whose conversation may not have the calls.

        Raises:
            TimeoutError: it is not made in time.
        """
        carried, _ = await self.before(talk.agent_id, talk.session_id, deadline)
        window = await deadline.within(self._fitted(talk, carried, now, policy))
        await self.store(talk, window.outputs, deadline)
        sent = Sent(talk.agent_id, talk.session_id, talk.turn_id, window.messages, carried, told_at=talk.told_at)
        before = self._background.running(talk.agent_id, "messages", talk.turn_id)
        nth = str(len(talk.conversation))
        self._background.start(self._keep(sent, before), talk.agent_id, "messages", talk.turn_id, nth)
        return window

    async def _fitted(self, talk: Talk, carried: Carried, now: datetime, policy: Policy) -> Window:
        kept, step = Kept(carried.summary, carried.covers), talk.plan_step
        if step is None and carried.plan_step is not None:
            step, kept = carried.plan_step, replace(kept, step=carried.step + 1, steps=len(carried.plan))
        tokens = budget_for(talk.model, policy.models).input_tokens if talk.model else None
        return await asyncio.to_thread(
            fit, talk.conversation, session_id=talk.session_id, kept=kept, plan_step=step, iteration=talk.iteration,
            tokens=tokens, now=now, policy=policy, count=self._counter,
        )  # fmt: skip

    async def before(
        self, agent_id: str, session_id: str, deadline: Deadline
    ) -> tuple[Carried, tuple[Degradation, ...]]:
        """What the session carries, and why it is nothing if it did not come in time."""
        try:
            read = self._sessions.carried(agent_id, session_id, timeout=PATIENCE)
            return await deadline.within(read, _READING), ()
        except (CognitiveError, TimeoutError) as error:
            return Carried(), (Degradation.from_error("session", error, _NO_ANSWER),)

    async def store(self, talk: Talk, outputs: Sequence[WholeOutput], deadline: Deadline) -> tuple[Degradation, ...]:
        """Keeps whole outputs before the prompt that points to them goes out; what is not in time follows later."""
        if not outputs:
            return ()
        new = [NewArtifact(id, text, name=tool, tool=tool) for id, tool, text in outputs]
        try:
            put = self._artifacts.put(
                talk.agent_id, talk.session_id, new, turn_id=talk.turn_id, told_at=talk.told_at, timeout=PATIENCE
            )
            await deadline.within(put)
        except (CognitiveError, TimeoutError) as error:
            later = self._store_later(talk.agent_id, talk.session_id, talk.turn_id, new, talk.told_at)
            self._background.start(later, talk.agent_id, "outputs", talk.turn_id)
            return (Degradation.from_error("artifacts", error, _NO_ANSWER, "; pointers lead nowhere yet"),)
        return ()

    async def resume(self, agent_id: str, session_id: str) -> recent.Resumed | None:
        """A session as any process can go on with it, or None if it never was."""
        state = await self._sessions.state(agent_id, session_id, _RECENT_TURNS)
        if state is None:
            return None
        policy = self._policy.for_agent(agent_id)
        most, characters = policy.window_messages, policy.window_characters
        return await asyncio.to_thread(recent.resumed, state, most=most, characters=characters)

    def opened(self, sent: Sent | None) -> None:
        """Keeps the last messages of a recorded turn, and rolls what left its window into the summary."""
        if sent is None:
            return
        self._background.start(self._keep(sent), sent.agent_id, "messages", sent.turn_id)
        if sent.evicted:  # while one summary of the session is being made, the others would be made of the same
            self._background.start(self._roll(sent), sent.agent_id, "summary", sent.session_id)

    def closed(self, agent_id: str, turn_id: str, outcome: Outcome, told_at: float | None = None) -> None:
        """Adds what came of a turn to the last messages, behind what is still on its way there."""
        self._background.start(self._answer(agent_id, turn_id, outcome, told_at), agent_id, "answer", turn_id)

    async def finished(self) -> None:
        """Returns when all that is on its way is written; what takes too long is left to the next turn."""
        await self._background.finished(_AT_CLOSE)

    async def ended(self, agent_id: str) -> None:
        """Returns when what is being written of an agent is there, or has failed."""
        await self._background.ended(agent_id)

    async def stop(self, agent_id: str) -> None:
        """Gives up all that is being written of an agent: it is about to be erased."""
        await self._background.stop(agent_id)

    async def _keep(self, sent: Sent, after: Sequence[asyncio.Task[None]] = ()) -> None:
        if after:
            await asyncio.wait(after)
        policy = self._policy.for_agent(sent.agent_id)
        said = await asyncio.to_thread(_sanitized, sent.messages, policy)
        told = await self._redactor.run(partial(redaction.messages, said))
        kept = await asyncio.to_thread(recent.encode, told)
        await self._sessions.keep(sent.agent_id, sent.turn_id, kept, told_at=sent.told_at, timeout=PATIENCE)

    async def _kept(self, agent_id: str, turn_id: str) -> None:
        """Returns when the messages of a turn are no longer on their way."""
        if on_their_way := self._background.running(agent_id, "messages", turn_id):
            await asyncio.wait(on_their_way)

    async def _roll(self, sent: Sent) -> None:
        await self._kept(sent.agent_id, sent.turn_id)
        await self._rolling.roll(sent)

    async def _answer(self, agent_id: str, turn_id: str, outcome: Outcome, told_at: float | None) -> None:
        await self._kept(agent_id, turn_id)
        whole, outcome = list[NewArtifact](), await self._redactor.run(partial(redaction.outcome, outcome))
        policy, session = self._policy.for_agent(agent_id), ""

        async def answering(session_id: str, kept: bytes) -> bytes:
            nonlocal session
            session = session_id
            return await asyncio.to_thread(_with_answer, session_id, kept, outcome, whole, policy)

        await self._sessions.answer(agent_id, turn_id, answering, told_at=told_at, timeout=PATIENCE)
        if whole:
            await self._store_later(agent_id, session, turn_id, whole, told_at)

    async def _store_later(
        self, agent_id: str, session_id: str, turn_id: str, artifacts: Sequence[NewArtifact], told_at: float | None
    ) -> None:
        """Tries again until the turn is recorded and Postgres takes them, a few times."""
        size = sum(len(artifact.content) for artifact in artifacts)
        if self._held + size > _MOST_HELD:
            log.warning("%d whole outputs of turn %s are not kept: too much waits", len(artifacts), turn_id)
            return
        self._held += size
        try:
            for seconds in (0.0, *_RETRIES):
                await asyncio.sleep(seconds)
                if await self._stored(agent_id, session_id, turn_id, artifacts, told_at):
                    return
            log.warning("%d whole outputs of turn %s are not kept", len(artifacts), turn_id)
        finally:
            self._held -= size

    async def _stored(
        self, agent_id: str, session_id: str, turn_id: str, artifacts: Sequence[NewArtifact], told_at: float | None
    ) -> bool:
        try:
            return await self._artifacts.put(
                agent_id, session_id, artifacts, turn_id=turn_id, only_of_turn=True, told_at=told_at, timeout=PATIENCE
            )
        except CognitiveError as error:
            log.info("whole outputs of turn %s wait: %s", turn_id, error)
            return False


def _with_answer(session_id: str, kept: bytes, outcome: Outcome, whole: list[NewArtifact], policy: Policy) -> bytes:
    messages, outputs = recent.answered(recent.decode(kept), outcome, session_id=session_id, limits=limits(policy))
    whole[:] = [
        NewArtifact(output.pointer, output.whole, name=tool, tool=tool)
        for tool, output in outputs
        if output.pointer is not None and output.whole is not None
    ]
    return recent.encode(_sanitized(messages, policy))


def _sanitized(messages: Sequence[Message], policy: Policy) -> tuple[Message, ...]:
    return recent.sanitized(messages, most=policy.window_messages, characters=policy.window_characters)


def _shortcomings(trace: WindowTrace) -> tuple[Degradation, ...]:
    """What the window is not, though it should be."""
    degraded: list[Degradation] = []
    if trace.over:
        beyond = f"beyond its bound of {trace.over}, and nothing is left to cut"
        degraded.append(Degradation("window_over_limit", beyond))
    if trace.refused:
        degraded.append(Degradation("directive_refused", trace.refused))
    return tuple(degraded)
