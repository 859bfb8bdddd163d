"""What a completed turn leaves behind of itself: who said what, as episodes, and what the host's extractor makes of it.

Episodes are stored before a `post_turn` is acknowledged, once for each turn, whatever is retried, and a retry brings
those that a crash has kept from being stored. Extraction may call a model: it runs beside the turns, and what it fails
to make, or what a crash ends, is missing. While something is erased, nothing is stored of the turns that were read
before: nobody has looked for its words there.
"""

from __future__ import annotations

import logging
from collections.abc import Sequence
from dataclasses import dataclass
from datetime import UTC, datetime
from typing import Protocol

from brain.deadline import AttemptFailure, attempt
from brain.erasure.residue import says_nothing
from brain.errors import InvalidInput
from brain.redacting import WITHHELD
from brain.store import MemoryStore
from brain.types import MAX_LABEL_LENGTH, NewMemory
from cognitive.background import Background
from cognitive.policy import Policy
from cognitive.preflight import smalltalk
from cognitive.prompt import without_injected

log = logging.getLogger(__name__)

TAG = "captured"  # by which an operator finds, or forgets, what nobody handed to `remember`
EXTRACT_SECONDS = 120.0  # a host's extractor may take, beside the turns; then nothing is extracted
_MAX_EXTRACTING = 64  # turns at a time; what cannot keep up is left out, and memory does not grow
_AT_CLOSE = 10.0  # seconds that a host's extractor may still take
_CONTEXT = 500  # characters of the question that help to find an answer


@dataclass(frozen=True, slots=True)
class CapturedExchange:
    """A completed turn: what the user said and what was answered, without anything that was injected."""

    agent_id: str
    session_id: str
    turn_id: str
    at: datetime
    message: str
    response: str
    user_id: str | None = None


class Extractor(Protocol):
    """Makes memories of an exchange, facts and decisions for example; any async callable of the host's."""

    async def __call__(self, exchange: CapturedExchange) -> Sequence[NewMemory]:
        """What is worth keeping, perhaps nothing."""
        ...


class Capture:
    """The rim between a turn that was settled and the memories made of it."""

    def __init__(
        self, store: MemoryStore, policy: Policy, background: Background, extractor: Extractor | None = None
    ) -> None:
        self._store = store
        self._policy = policy
        self._extractor = extractor
        self._queue = background.queue(_MAX_EXTRACTING, at_close=_AT_CLOSE)

    def wants(self, agent_id: str) -> bool:
        """Whether anything would be kept of an agent's exchange."""
        return self._extractor is not None or self._policy.for_agent(agent_id).capture != "off"

    async def keep(self, exchange: CapturedExchange, read_at: datetime, *, extract: bool = True) -> None:
        """Stores the exchange as the policy says, and has the extractor see it if it is to; nothing, if something of
        the agent's is erased after `read_at`, when its turn was read.

        Raises:
            StoreUnavailable: Postgres is away.
            EmbeddingError: the words have no vector.
        """
        said = episodes(exchange, self._policy.for_agent(exchange.agent_id))
        await self._stored(exchange, said, read_at)
        if self._extractor is not None and extract:
            work = self._extracted(exchange, self._extractor, read_at)
            self._queue.start(work, exchange.agent_id, exchange.turn_id)

    async def wait_for(self, agent_id: str) -> None:
        """Returns when what is being extracted of an agent is stored, or has failed."""
        await self._queue.wait_for(agent_id)

    async def stop(self, agent_id: str) -> None:
        """Gives up what is being extracted of an agent: it is about to be erased."""
        await self._queue.stop(agent_id)

    async def _extracted(self, exchange: CapturedExchange, extractor: Extractor, read_at: datetime) -> None:
        made = await attempt(_asked(extractor, exchange), EXTRACT_SECONDS)
        if isinstance(made, AttemptFailure):
            log.warning("nothing was extracted of turn %s: %s: %s", exchange.turn_id, made.reason, made.detail)
            return
        if not all(isinstance(memory, NewMemory) for memory in made):
            raise InvalidInput("extractor: expected NewMemory values")
        await self._stored(exchange, [_of_talk(memory) for memory in made], read_at)

    async def _stored(self, exchange: CapturedExchange, made: Sequence[NewMemory], read_at: datetime) -> None:
        now = datetime.now(UTC)
        await self._store.remember_of_turn(exchange.agent_id, exchange.turn_id, made, now=now, read_at=read_at)


async def _asked(extractor: Extractor, exchange: CapturedExchange) -> Sequence[NewMemory]:
    return await extractor(exchange)


def _of_talk(memory: NewMemory) -> NewMemory:
    """What an extractor made of talk is no better than talk, whatever it says of itself."""
    return memory if memory.trust == "foreign" else memory.model_copy(update={"trust": "talk"})


def _nothing(said: str) -> bool:
    """Whether nothing is known of what was said."""
    return said == WITHHELD or says_nothing(said)


def episodes(exchange: CapturedExchange, policy: Policy) -> list[NewMemory]:
    """The memories of an exchange: the user's words, and under "exchange" the answer, found by its question too.

    Small talk is kept by nobody, and neither is what was answered to it.
    """
    asked = without_injected(exchange.message).strip()
    if policy.capture == "off" or _nothing(asked) or smalltalk.read(asked) is not None:
        return []
    lines = [("user", exchange.user_id or "user", asked, "")]
    answered = without_injected(exchange.response).strip()
    if policy.capture == "exchange" and not _nothing(answered):
        lines.append(("assistant", "assistant", answered, asked[:_CONTEXT]))
    return [
        NewMemory(
            type="episode",
            content=said[: policy.feedback.max_capture_chars],
            speaker=speaker,
            context=context,
            occurred_at=exchange.at,
            session_id=exchange.session_id,
            tags=(TAG,),
            trust="talk",
            source=f"turn/{exchange.turn_id}/{role}"[-MAX_LABEL_LENGTH:],
        )
        for role, speaker, said, context in lines
    ]
