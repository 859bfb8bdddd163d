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
        policy = self._policy.for_agent(scope.agent_id)
        if policy.capture == "off":  # the call itself says what to store
            policy = policy.model_copy(update={"capture": "exchange"})
        lines, formed, known = list[UUID](), list[UUID](), 0
        for exchange in list(_exchanges(scope, [_message(each) for each in messages], session_id, now)):
            own = episodes(exchange, policy)
            if not own:
                continue
            shared = policy.capture_scope == "agent"
            owner = scope.as_user(None) if shared else scope
            if await self._store.find_by_source(owner, "episode", [each.source for each in own if each.source]):
                known += 1
                continue
            memories = _formed(own, policy)
            personal = [each for each in memories if shared and is_personal(each)]
            common = [each for each in memories if each not in personal]
            if personal:
                formed += await self._write(scope, personal, now)
            stored = await self._write(owner, [*own, *common], now)
            lines += stored[: len(own)]
            formed += stored[len(own) :]
        return RememberedConversation(tuple(lines), tuple(formed), known)

    async def _write(self, owner: Scope, memories: Sequence[NewMemory], now: datetime) -> list[UUID]:
        """Store memories for the owner in one transaction."""
        owned = [memory.model_copy(update={"user_id": owner.user}) for memory in memories]
        updated = await with_updates(self._store, owner, owned)
        return await self._store.remember(owner.agent_id, updated, now=now)


def _formed(lines: Sequence[NewMemory], policy: Policy) -> list[NewMemory]:
    """Return what the user's line of an exchange forms."""
    said = next((line for line in lines if line.source is not None and line.source.endswith("/user")), None)
    if said is None:
        return []
    answer = next((line.content for line in lines if line is not said), "")
    found = extract(said.content, answer, policy.formation.kinds)
    return formed_memories(CapturedLine.of(said), found.proposals, policy.formation)


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
