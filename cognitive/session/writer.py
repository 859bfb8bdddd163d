"""Write what a session keeps, in the background: its last messages, its summary, the whole outputs of its tools.

Nothing here can fail a turn. What is not written is made again: a summary that did not reach the store is extracted
from the same messages by the next turn, which finds them not covered, and a whole output is handed in again with the
conversation that it stands in.
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
from brain.redacting import UNREDACTED, Redactor
from brain.sessions import CarriedState, Sessions
from brain.text import storable
from cognitive.background import Background
from cognitive.policy import Policy
from cognitive.privacy import redaction
from cognitive.session import recent
from cognitive.turn import Message, Outcome
from cognitive.window import groups
from cognitive.window.rendering import WindowCache, limits
from cognitive.window.summary import Summarizer, extract

log = logging.getLogger(__name__)

PATIENCE = 10.0  # seconds for one statement on a session
_MAX_WAITING = 64  # tasks; what cannot keep up is left to the next turn of its session, and memory does not grow
_MAX_HELD = 64_000_000  # characters of outputs that wait for Postgres to come back
_RETRIES = (1.0, 4.0, 16.0)  # seconds until a whole output is tried again
_AT_CLOSE = 5.0  # seconds for what can still be written when a layer closes
_MAX_ROLLS = 5  # tries at a summary that other turns of the session replace meanwhile
SUMMARY_SECONDS = 60.0  # a host's summarizer may take, after a turn; then it is extracted
_MAX_OVER = 4  # times as long as it may be, a summary is condensed; of a longer one, its end


@dataclass(frozen=True, slots=True)
class SentWindow:
    """What a turn sent, as far as its session keeps it.

    `evicted` are the messages that left the window and that `carried` does not cover; `summarized_until` is the
    mark of the last of them in `conversation`, which is what the turn was given: in it other turns' marks are found.
    `received_at` is when that was, in seconds since the epoch: of what came in before an erasure nothing is kept.
    """

    agent_id: str
    session_id: str
    turn_id: str
    messages: Sequence[Message]
    carried: CarriedState
    evicted: Sequence[Message] = ()
    summarized_until: str | None = None
    conversation: Sequence[Message] = ()
    received_at: float | None = None


class SessionWriter:
    """Write what sessions keep of their turns, beside the turns and after them."""

    def __init__(
        self,
        sessions: Sessions,
        artifacts: Artifacts,
        policy: Policy,
        summarizer: Summarizer,
        cache: WindowCache,
        background: Background,
        redactor: Redactor = UNREDACTED,
        summary_seconds: float = SUMMARY_SECONDS,
    ) -> None:
        self._sessions = sessions
        self._artifacts = artifacts
        self._policy = policy
        self._summarizer = summarizer
        self._cache = cache
        self._redactor = redactor
        self._summary_seconds = summary_seconds
        self._queue = background.queue(_MAX_WAITING, at_close=_AT_CLOSE)  # names: agent, what is kept, turn or session
        self._held = 0

    # --- what is started ---

    def on_turn_recorded(self, sent: SentWindow | None) -> None:
        """Keeps the last messages of a recorded turn, and rolls what left its window into the summary."""
        if sent is None:
            return
        self._queue.start(self._keep(sent), sent.agent_id, "messages", sent.turn_id)
        if sent.evicted:  # while one summary of the session is being made, the others would be made of the same
            self._queue.start(self._roll(sent), sent.agent_id, "summary", sent.session_id)

    def fitted(self, sent: SentWindow, conversation: Sequence[Message]) -> None:
        """Keeps the last messages of a window within its turn, behind those of its earlier windows."""
        before = self._queue.running(sent.agent_id, "messages", sent.turn_id)
        nth = str(len(conversation))
        self._queue.start(self._keep(sent, before), sent.agent_id, "messages", sent.turn_id, nth)

    def on_outcome(self, agent_id: str, turn_id: str, outcome: Outcome, received_at: float | None = None) -> None:
        """Adds what came of a turn to the last messages, behind what is still on its way there."""
        self._queue.start(self._answer(agent_id, turn_id, outcome, received_at), agent_id, "answer", turn_id)

    def store(
        self, agent_id: str, session_id: str, turn_id: str, artifacts: Sequence[NewArtifact], received_at: float | None
    ) -> None:
        """Keeps whole outputs that could not be stored before the prompt went out."""
        later = self._store_later(agent_id, session_id, turn_id, artifacts, received_at)
        self._queue.start(later, agent_id, "outputs", turn_id)

    async def wait_for(self, agent_id: str) -> None:
        """Returns when what is being written of an agent is there, or has failed."""
        await self._queue.wait_for(agent_id)

    async def stop(self, agent_id: str) -> None:
        """Gives up all that is being written of an agent: it is about to be erased."""
        await self._queue.stop(agent_id)

    # --- how it is written ---

    async def _keep(self, sent: SentWindow, after: Sequence[asyncio.Task[None]] = ()) -> None:
        if after:
            await asyncio.wait(after)
        policy = self._policy.for_agent(sent.agent_id)
        said = await asyncio.to_thread(_sanitized, sent.messages, policy)
        told = await self._redactor.run(partial(redaction.redact_messages, said))
        kept = await asyncio.to_thread(recent.encode, told)
        await self._sessions.keep(sent.agent_id, sent.turn_id, kept, received_at=sent.received_at, timeout=PATIENCE)

    async def _kept(self, agent_id: str, turn_id: str) -> None:
        """Returns when the messages of a turn are no longer on their way."""
        if on_their_way := self._queue.running(agent_id, "messages", turn_id):
            await asyncio.wait(on_their_way)

    async def _roll(self, sent: SentWindow) -> None:
        """Rolls what left a turn's window into its session's summary; anew, where another turn was first."""
        await self._kept(sent.agent_id, sent.turn_id)
        policy, was, evicted = self._policy.for_agent(sent.agent_id), sent.carried, sent.evicted
        for _ in range(_MAX_ROLLS):
            summary = await self._summarized(was.summary, evicted, policy)
            if await self._sessions.roll(
                sent.agent_id,
                sent.session_id,
                sent.turn_id,
                was,
                summary,
                sent.summarized_until,
                received_at=sent.received_at,
                timeout=PATIENCE,
            ):
                return
            now = await self._sessions.carried(sent.agent_id, sent.session_id, timeout=PATIENCE)
            if (now.summary, now.summarized_until) == (was.summary, was.summarized_until):
                return  # the turn or the session is not there; what is recorded later brings the same messages again
            was, evicted = now, _not_covered(sent, now.summarized_until)
            if not evicted:
                return

    async def _summarized(self, earlier: str, messages: Sequence[Message], policy: Policy) -> str:
        """The summarizer's summary, storable and bounded; extracted, where it fails or takes too long."""
        limit = policy.window.max_summary_chars
        own = await asyncio.to_thread(lambda: [recent.stripped(message) for message in messages])
        summary = await self._asked(earlier, own, policy)
        if summary is None:
            return await asyncio.to_thread(extract, earlier, own, limit)
        summary = storable(summary)
        if len(summary) <= limit:
            return summary
        return await asyncio.to_thread(extract, summary[-_MAX_OVER * limit :], (), limit)

    async def _asked(self, earlier: str, messages: Sequence[Message], policy: Policy) -> str | None:
        """What a host's summarizer says, or None, whatever it raises."""
        asked = self._summarizer.summarize(earlier, messages, policy.window.max_summary_chars)
        summary = await attempt(asked, self._summary_seconds)
        if not isinstance(summary, str):
            log.warning("the summarizer failed, extracted instead: %r", summary)
            return None
        return summary

    async def _answer(self, agent_id: str, turn_id: str, outcome: Outcome, received_at: float | None) -> None:
        await self._kept(agent_id, turn_id)
        whole, outcome = list[NewArtifact](), await self._redactor.run(partial(redaction.redact_outcome, outcome))
        policy, session = self._policy.for_agent(agent_id), ""

        async def answering(session_id: str, kept: bytes) -> bytes:
            nonlocal session
            session = session_id
            return await asyncio.to_thread(_with_answer, session_id, kept, outcome, whole, policy, self._cache)

        await self._sessions.answer(agent_id, turn_id, answering, received_at=received_at, timeout=PATIENCE)
        if whole:
            await self._store_later(agent_id, session, turn_id, whole, received_at)

    async def _store_later(
        self, agent_id: str, session_id: str, turn_id: str, artifacts: Sequence[NewArtifact], received_at: float | None
    ) -> None:
        """Tries again until the turn is recorded and Postgres takes them, a few times."""
        size = sum(len(artifact.content) for artifact in artifacts)
        if self._held + size > _MAX_HELD:
            log.warning("%d whole outputs of turn %s are not kept: too much waits", len(artifacts), turn_id)
            return
        self._held += size
        try:
            for seconds in (0.0, *_RETRIES):
                await asyncio.sleep(seconds)
                if await self._stored(agent_id, session_id, turn_id, artifacts, received_at):
                    return
            log.warning("%d whole outputs of turn %s are not kept", len(artifacts), turn_id)
        finally:
            self._held -= size

    async def _stored(
        self, agent_id: str, session_id: str, turn_id: str, artifacts: Sequence[NewArtifact], received_at: float | None
    ) -> bool:
        try:
            return await self._artifacts.put(
                agent_id,
                session_id,
                artifacts,
                turn_id=turn_id,
                only_of_turn=True,
                received_at=received_at,
                timeout=PATIENCE,
            )
        except CognitiveError as error:
            log.info("whole outputs of turn %s wait: %s", turn_id, error)
            return False


def _with_answer(
    session_id: str, kept: bytes, outcome: Outcome, whole: list[NewArtifact], policy: Policy, cache: WindowCache
) -> bytes:
    messages, outputs = recent.answered(
        recent.decode(kept), outcome, session_id=session_id, limits=limits(policy), cache=cache
    )
    whole[:] = [
        NewArtifact(output.pointer, output.whole, name=tool, tool=tool)
        for tool, output in outputs
        if output.pointer is not None and output.whole is not None
    ]
    return recent.encode(_sanitized(messages, policy))


def _sanitized(messages: Sequence[Message], policy: Policy) -> tuple[Message, ...]:
    return recent.sanitized(messages, most=policy.window.max_messages, characters=policy.window.max_chars)


def _not_covered(sent: SentWindow, summarized_until: str | None) -> Sequence[Message]:
    """What of the evicted messages another turn's summary does not cover. Rather said twice than lost."""
    spoken = sent.conversation
    own, other = (
        groups.find(spoken, each, len(spoken)) if each else None for each in (sent.summarized_until, summarized_until)
    )
    if own is None or other is None:
        return sent.evicted
    return spoken[other + 1 : own + 1]
