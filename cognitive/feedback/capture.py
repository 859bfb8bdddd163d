"""Capture: store the messages of a completed turn as memories of type episode, and what the host extracts from it.

Episodes are stored before `post_turn` returns. A retry stores them only if they are missing, for example after a crash.
The host's extractor returns further memories. It may call a model, so it runs in the background. If it fails, or the
process ends first, these further memories are missing. If memories of the agent are erased after a turn was read from
the database, nothing of the turn is stored, because its text may contain what was erased.
"""

from __future__ import annotations

import asyncio
import logging
from collections.abc import Sequence
from contextlib import suppress
from dataclasses import dataclass
from datetime import UTC, datetime
from typing import Protocol, Self

from brain.deadline import AttemptFailure, attempt
from brain.erasure.residue import says_nothing
from brain.errors import EmbeddingError, InvalidInput
from brain.forming import Condition
from brain.preparing import PreparedMemory
from brain.redacting import WITHHELD
from brain.store import MemoryStore
from brain.turn_records import OpenTurn, TurnMessage
from brain.types import NewMemory
from brain.users import Scope
from cognitive.background import Background
from cognitive.feedback.shared_turns import SharedTurns
from cognitive.formation.corrections import is_correction
from cognitive.formation.former import Former, ReadLine
from cognitive.formation.memories import Role, line_source
from cognitive.policy import Policy
from cognitive.preflight import smalltalk
from cognitive.privacy.secrets import redact_start
from cognitive.prompt import without_injected
from cognitive.threads import characters, in_thread_if_long
from cognitive.turn import Correction

log = logging.getLogger(__name__)

TAG = "captured"  # tag of captured memories, by which an operator can find or forget them
EXTRACT_SECONDS = 120.0  # time limit of the host's extractor, in seconds
_MAX_EXTRACTING = 64  # turns in the extraction queue; others are skipped, so that the queue stays bounded
_AT_CLOSE = 10.0  # seconds that extraction may still take when the layer closes
_CONTEXT = 500  # characters of the user's message that are indexed as context of the answer


@dataclass(frozen=True, slots=True)
class CapturedExchange:
    """The user's message and the response of a completed turn, with their agent, session, turn and time."""

    agent_id: str
    session_id: str
    turn_id: str
    at: datetime
    message: str
    response: str
    user_id: str | None = None

    @classmethod
    def of(cls, scope: Scope, turn_id: str, turn: OpenTurn | TurnMessage, response: str) -> Self:
        """Return the exchange of an opened or recorded turn with this response."""
        return cls(scope.agent_id, turn.session_id, turn_id, turn.at, turn.message, response, turn.user_id)


@dataclass(frozen=True, slots=True)
class PreparedExchange:
    """The memories made of an exchange's messages, and what the rules read in the user's message.

    `embedded` are these memories ready to be stored, or None if they could not be embedded.
    """

    exchange: CapturedExchange
    memories: Sequence[NewMemory]
    embedded: list[PreparedMemory] | None
    read: ReadLine | None


class Extractor(Protocol):
    """Interface of the host's async function that extracts memories, such as facts and decisions, from an exchange."""

    async def __call__(self, exchange: CapturedExchange) -> Sequence[NewMemory]:
        """Return the memories to store from a completed turn's messages, which may be none."""
        ...


class Capture:
    """Stores memories from a completed turn: its messages at once, and extracted memories in the background."""

    def __init__(
        self,
        store: MemoryStore,
        policy: Policy,
        background: Background,
        former: Former,
        shared_turns: SharedTurns,
        extractor: Extractor | None,
    ) -> None:
        self._store = store
        self._shared_turns = shared_turns
        self._policy = policy
        self._former = former
        self._extractor = extractor
        self._queue = background.queue(_MAX_EXTRACTING, at_close=_AT_CLOSE)

    def wants(self, agent_id: str) -> bool:
        """Return True if an agent's messages and responses are stored as memories or passed to an extractor."""
        return self._extractor is not None or self._policy.for_agent(agent_id).capture != "off"

    async def keep(
        self,
        scope: Scope,
        exchange: CapturedExchange,
        read_at: datetime,
        prepared: PreparedExchange | None = None,
        *,
        extract: bool = True,
    ) -> tuple[Correction, ...]:
        """Store a turn's messages as memories, as the policy says, and start to form further memories from them.

        Return the formed memories that the user's message takes back or corrects. The memories of a user's turn are the
        user's. If the policy has `capture_scope="agent"`, they are shared, except those to which the extractor gave the
        user.

        Args:
            scope: the agent and the user of the turn.
            exchange: the messages.
            read_at: when the turn was read from the database. If memories of the agent were erased since then, nothing
                is stored.
            prepared: the result of `prepare`, which is used if it is of the same exchange.
            extract: whether to start the host's extractor.

        Raises:
            StoreUnavailable: Postgres is unavailable.
            EmbeddingError: the text could not be embedded.
        """
        if prepared is None or prepared.exchange != exchange:
            prepared = await self.prepare(exchange)
        memories, read, policy = prepared.memories, prepared.read, self._policy.for_agent(exchange.agent_id)
        if policy.capture_scope == "user" and (memories or self._extractor is not None):
            self._shared_turns.on_capture(scope)
        condition = self._former.forming_condition(scope, exchange.turn_id, read) if read is not None else None
        await self._store_memories(scope, exchange, memories, read_at, condition, prepared.embedded)
        self._former.catch_up(exchange.agent_id)
        corrections = await self._former.start(scope, exchange.turn_id, read, read_at) if read is not None else ()
        if self._extractor is not None and extract:
            work = self._extract(scope, exchange, self._extractor, read_at)
            self._queue.start(work, *scope.key, exchange.turn_id)
        return corrections

    async def prepare(self, exchange: CapturedExchange) -> PreparedExchange:
        """Apply the rules to the messages that `keep` will store, and embed the memories made of them.

        If the messages cannot be embedded, `keep` tries again and raises the error.
        """
        policy, size = self._policy.for_agent(exchange.agent_id), characters((exchange.message, exchange.response))
        memories = await in_thread_if_long(size, episodes, exchange, policy)
        embedded, read = await asyncio.gather(  # in this order: the rules read while a thread embeds
            self._embedded(exchange, memories), self._former.read(exchange.agent_id, memories, exchange.response)
        )
        return PreparedExchange(exchange, memories, embedded, read)

    async def _embedded(self, exchange: CapturedExchange, memories: Sequence[NewMemory]) -> list[PreparedMemory] | None:
        with suppress(EmbeddingError):
            return await self._store.prepare(exchange.agent_id, memories, exchange.at)
        return None

    def forget(self, prepared: PreparedExchange) -> None:
        """Remove embedded messages that are not kept from the cache of vectors."""
        self._store.forget_vectors(prepared.embedded or ())

    async def wait_for(self, *name: str) -> None:
        """Wait until the running extractions of an agent, or of one user, have stored their memories or failed."""
        await self._queue.wait_for(*name)
        await self._former.wait_for(*name)

    async def stop(self, *name: str) -> None:
        """Cancel the running extractions of an agent, or of one user, because their rows are about to be erased."""
        await self._queue.stop(*name)
        await self._former.stop(*name)

    async def _extract(self, scope: Scope, exchange: CapturedExchange, extractor: Extractor, read_at: datetime) -> None:
        """Call the host's extractor and store the memories that it returns; log a warning if it fails or is late."""
        memories = await attempt(_call(extractor, exchange), EXTRACT_SECONDS)
        if isinstance(memories, AttemptFailure):
            log.warning(
                "no memories extracted from turn %s: %s: %s", exchange.turn_id, memories.reason, memories.detail
            )
            return
        if not all(isinstance(memory, NewMemory) for memory in memories):
            raise InvalidInput("extractor: expected NewMemory values")
        for memory in memories:
            if memory.user_id is not None and memory.user_id != scope.user:
                raise InvalidInput(f"extractor: a memory of user {memory.user_id!r} from a turn of {scope.user!r}")
        await self._store_memories(scope, exchange, [_with_talk_trust(memory) for memory in memories], read_at)

    async def _store_memories(
        self,
        scope: Scope,
        exchange: CapturedExchange,
        memories: Sequence[NewMemory],
        read_at: datetime,
        condition: Condition | None = None,
        prepared: list[PreparedMemory] | None = None,
    ) -> None:
        """Store memories of a turn. If the policy shares captured memories, those that name no user are shared."""
        now, shared = datetime.now(UTC), self._policy.for_agent(scope.agent_id).capture_scope == "agent"
        own = [memory for memory in memories if memory.user_id is not None or not shared]
        common = [memory for memory in memories if memory.user_id is None and shared]
        for part, is_shared in ((own, False), (common, True)):
            await self._store.remember_of_turn(
                scope,
                exchange.turn_id,
                part,
                now=now,
                read_at=read_at,
                shared=is_shared,
                condition=condition,
                prepared=prepared,
            )


async def _call(extractor: Extractor, exchange: CapturedExchange) -> Sequence[NewMemory]:
    """Call the extractor inside a coroutine.

    The extractor may be any callable. If the call itself raises an error, this is handled like a failed extraction.
    """
    return await extractor(exchange)


def _with_talk_trust(memory: NewMemory) -> NewMemory:
    """Return an extracted memory with its trust lowered to "talk", because text from a conversation deserves no more.

    The trust "foreign" is lower still, and is not changed.
    """
    return memory if memory.trust == "foreign" else memory.model_copy(update={"trust": "talk"})


def _is_empty(text: str) -> bool:
    """Return True if a text was withheld by redaction or erased, or has no content."""
    return text == WITHHELD or says_nothing(text)


def episodes(exchange: CapturedExchange, policy: Policy) -> list[NewMemory]:
    """Return the memories of type episode for a turn: the user's message and, if the policy says so, the response.

    The start of the message is indexed with the response, so that a search can find the response by it. Small talk
    gives no episodes, unless it takes back or corrects something ("Forget that"). An answer such as "yes, please" or an
    acknowledgement such as "Done." is left out, and the other line of the turn is kept.
    """
    length = policy.feedback.max_capture_chars
    message = redact_start(without_injected(exchange.message).strip(), length)
    small = smalltalk.read(message)
    corrects = small is not None and is_correction(message)
    if corrects:
        small = None
    if policy.capture == "off" or _is_empty(message) or (small is not None and not small.answers):
        return []
    lines: list[tuple[Role, str, str, str]] = []
    if corrects or not (small or smalltalk.acknowledges(message)):
        lines.append(("user", exchange.user_id or "user", message, ""))
    response = redact_start(without_injected(exchange.response).strip(), length)
    if policy.capture == "exchange" and not _is_empty(response) and not smalltalk.acknowledges(response):
        lines.append(("assistant", "assistant", response, message[:_CONTEXT]))
    # Turn ids are unique per user, so that the source of a shared line names the user too.
    shared = policy.capture_scope == "agent"
    return [
        NewMemory(
            type="episode",
            content=content[:length],
            speaker=speaker,
            context=context,
            occurred_at=exchange.at,
            session_id=exchange.session_id,
            tags=(TAG,),
            trust="talk",
            source=line_source(exchange.turn_id, exchange.user_id if shared else None, role),
        )
        for role, speaker, content, context in lines
    ]
