"""What left a window, rolled into its session's summary: after the turn, by whatever summarizes for the host."""

from __future__ import annotations

import asyncio
import logging
from collections.abc import Sequence
from dataclasses import dataclass

from brain.deadline import attempt
from brain.sessions import Carried, Sessions
from brain.text import storable
from cognitive.policy import Policy
from cognitive.session import recent
from cognitive.turn import Message
from cognitive.window import groups
from cognitive.window.summary import Summarizer, extract

log = logging.getLogger(__name__)

PATIENCE = 10.0  # seconds for one statement on a session
_MOST_ROLLS = 5  # tries at a summary that other turns of the session replace meanwhile
_MOST_OVER = 4  # times as long as it may be, a summary is condensed; of a longer one, its end


@dataclass(frozen=True, slots=True)
class Sent:
    """What a turn sent, as far as its session keeps it.

    `evicted` are the messages that left the window and that `carried` does not cover; `covers` is the mark of the last
    of them in `conversation`, which is what the turn was given: in it other turns' marks are found. `told_at` is when
    that was, in seconds since the epoch: of what came in before an erasure nothing is kept.
    """

    agent_id: str
    session_id: str
    turn_id: str
    messages: Sequence[Message]
    carried: Carried
    evicted: Sequence[Message] = ()
    covers: str | None = None
    conversation: Sequence[Message] = ()
    told_at: float | None = None


class Rolling:
    """The rim between what leaves windows and the summaries that sessions keep."""

    def __init__(self, sessions: Sessions, policy: Policy, summarizer: Summarizer) -> None:
        self._sessions = sessions
        self._policy = policy
        self._summarizer = summarizer

    async def roll(self, sent: Sent) -> None:
        """Rolls what left a turn's window into its session's summary; anew, where another turn was first."""
        policy, was, evicted = self._policy.for_agent(sent.agent_id), sent.carried, sent.evicted
        for _ in range(_MOST_ROLLS):
            summary = await self._summarized(was.summary, evicted, policy)
            if await self._sessions.roll(
                sent.agent_id, sent.session_id, sent.turn_id, was, summary, sent.covers, told_at=sent.told_at,
                timeout=PATIENCE,
            ):  # fmt: skip
                return
            now = await self._sessions.carried(sent.agent_id, sent.session_id, timeout=PATIENCE)
            if (now.summary, now.covers) == (was.summary, was.covers):
                return  # the turn or the session is not there; what is recorded later brings the same messages again
            was, evicted = now, _not_covered(sent, now.covers)
            if not evicted:
                return

    async def _summarized(self, earlier: str, messages: Sequence[Message], policy: Policy) -> str:
        """The summarizer's summary, storable and bounded; extracted, where it fails or takes too long."""
        limit = policy.summary_characters
        own = await asyncio.to_thread(lambda: [recent.stripped(message) for message in messages])
        summary = await self._asked(earlier, own, policy)
        if summary is None:
            return await asyncio.to_thread(extract, earlier, own, limit)
        summary = storable(summary)
        if len(summary) <= limit:
            return summary
        return await asyncio.to_thread(extract, summary[-_MOST_OVER * limit :], (), limit)

    async def _asked(self, earlier: str, messages: Sequence[Message], policy: Policy) -> str | None:
        """What a host's summarizer says, or None, whatever it raises."""
        asked = self._summarizer.summarize(earlier, messages, policy.summary_characters)
        summary = await attempt(asked, policy.summary_seconds)
        if not isinstance(summary, str):
            log.warning("the summarizer failed, extracted instead: %r", summary)
            return None
        return summary


def _not_covered(sent: Sent, covers: str | None) -> Sequence[Message]:
    """What of the evicted messages another turn's summary does not cover. Rather said twice than lost."""
    spoken = sent.conversation
    own, other = (groups.find(spoken, each, len(spoken)) if each else None for each in (sent.covers, covers))
    if own is None or other is None:
        return sent.evicted
    return spoken[other + 1 : own + 1]
