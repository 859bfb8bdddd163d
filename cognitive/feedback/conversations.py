"""Store a whole conversation: the lines of its exchanges, and the memories that the rules form from them."""

from __future__ import annotations

import hashlib
from collections import Counter
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass
from datetime import UTC, datetime, timedelta
from typing import Any
from uuid import UUID

from brain.errors import InvalidInput
from brain.store import MemoryStore
from brain.types import NewMemory
from brain.users import Scope
from cognitive.feedback.capture import CapturedExchange, episodes
from cognitive.formation.extract import extract
from cognitive.formation.memories import CapturedLine, formed_memories, is_personal
from cognitive.formation.updates import with_updates
from cognitive.policy import Policy
from cognitive.turn import Message
from cognitive.validation import require_aware, require_label

_ONE_SECOND = timedelta(seconds=1)


@dataclass(frozen=True, slots=True)
class RememberedConversation:
    """The ids of the memories that a call stored: lines of the conversation, and what was formed from them.

    `known` is the number of exchanges that were stored before, which the call left unchanged.
    """

    lines: tuple[UUID, ...]
    formed: tuple[UUID, ...]
    known: int


@dataclass(frozen=True, slots=True)
class ExchangeLines:
    """The lines of an exchange that are kept, and the view of those who see them."""

    owner: Scope
    lines: tuple[NewMemory, ...]

    @property
    def sources(self) -> list[str]:
        """The sources of the lines, by which a stored exchange is found."""
        return [line.source for line in self.lines if line.source is not None]


class ConversationWriter:
    """Stores conversations that were not held through turns, one exchange after the other."""

    def __init__(self, store: MemoryStore, policy: Policy) -> None:
        self._store = store
        self._policy = policy

    async def remember(
        self, scope: Scope, messages: Sequence[Message | Mapping[str, Any]], session_id: str, now: datetime | None
    ) -> RememberedConversation:
        """Store the exchanges of a conversation that ended at the time `now`, if they are not stored yet.

        Messages that have a time keep it.

        Raises:
            InvalidInput: a message, the session or the time is invalid; nothing is stored.
            StoreUnavailable: Postgres is unavailable; repeat the call.
        """
        require_label("session_id", session_id)
        require_aware("now", now)
        now = now or datetime.now(UTC)
        exchanges = self.exchanges(scope, [_message(each) for each in messages], session_id, now)
        stored_sources = await self.stored_sources(exchanges)
        lines, formed, known = list[UUID](), list[UUID](), 0
        for exchange in exchanges:
            if not stored_sources.isdisjoint(exchange.sources):
                known += 1
                continue
            memories = self.formed(exchange)
            personal = [each for each in memories if exchange.owner != scope and is_personal(each)]
            common = [each for each in memories if each not in personal]
            if personal:
                formed += await self._write(scope, personal, now)
            stored = await self._write(exchange.owner, [*exchange.lines, *common], now)
            lines += stored[: len(exchange.lines)]
            formed += stored[len(exchange.lines) :]
        return RememberedConversation(tuple(lines), tuple(formed), known)

    def exchanges(
        self, scope: Scope, messages: Sequence[Message], session_id: str, now: datetime
    ) -> list[ExchangeLines]:
        """Return the lines of a conversation that are kept, by exchange; an exchange without any is left out."""
        policy = self._policy.for_agent(scope.agent_id)
        if policy.capture == "off":  # the call itself says what to store
            policy = policy.model_copy(update={"capture": "exchange"})
        owner = scope.as_user(None) if policy.capture_scope == "agent" else scope
        kept = (tuple(episodes(each, policy)) for each in _exchanges(scope, messages, session_id, now))
        return [ExchangeLines(owner, lines) for lines in kept if lines]

    async def stored_sources(self, exchanges: Sequence[ExchangeLines]) -> set[str]:
        """Return the sources of a conversation's lines that are stored already."""
        sources = [source for each in exchanges for source in each.sources]
        if not sources:
            return set()
        stored = await self._store.find_by_source(exchanges[0].owner, "episode", sources)
        return {line.source for line in stored if line.source is not None}

    def formed(self, exchange: ExchangeLines) -> list[NewMemory]:
        """Return what the rules form from the user's line of an exchange; this takes milliseconds."""
        lines, settings = exchange.lines, self._policy.for_agent(exchange.owner.agent_id).formation
        said = next((line for line in lines if line.source is not None and line.source.endswith("/user")), None)
        if said is None:
            return []
        answer = next((line.content for line in lines if line is not said), "")
        found = extract(said.content, answer, settings.kinds)
        return formed_memories(CapturedLine.of(said), found.proposals, settings)

    async def _write(self, owner: Scope, memories: Sequence[NewMemory], now: datetime) -> list[UUID]:
        """Store memories for the owner in one transaction."""
        owned = [memory.model_copy(update={"user_id": owner.user}) for memory in memories]
        updated = await with_updates(self._store, owner, owned)
        return await self._store.remember(owner.agent_id, updated, now=now)


def _message(value: Message | Mapping[str, Any]) -> Message:
    if isinstance(value, Message):
        return value
    if not isinstance(value, Mapping):
        raise InvalidInput(f"messages: expected mappings with role and content, got {type(value).__name__}")
    return Message.model_validate(dict(value))


def _exchanges(scope: Scope, messages: Sequence[Message], session_id: str, now: datetime) -> Iterator[CapturedExchange]:
    """Yield each user's message with the last answer before the next one.

    The id of an exchange follows from its texts, its session and how often they occurred before in the conversation, so
    that a longer version of the conversation has the same ids.
    """
    starts = [n for n, message in enumerate(messages) if message.role == "user"]
    seen = Counter[tuple[str, str]]()
    for start, end in zip(starts, [*starts[1:], len(messages)], strict=True):
        answers = [each.content for each in messages[start:end] if each.role == "assistant" and each.content]
        texts = (messages[start].content, answers[-1] if answers else "")
        seen[texts] += 1
        digest = hashlib.sha256("\0".join((session_id, str(seen[texts]), *texts)).encode()).hexdigest()
        at = messages[start].at or now.astimezone(UTC) - (len(messages) - start) * _ONE_SECOND
        yield CapturedExchange(scope.agent_id, session_id, f"conversation-{digest[:24]}", at, *texts, scope.user)
