"""Store a whole conversation: the lines of its exchanges, and the memories that rules and a model form from them."""

from __future__ import annotations

import asyncio
import hashlib
import logging
from collections import Counter
from collections.abc import Container, Iterator, Mapping, Sequence
from dataclasses import dataclass, replace
from datetime import UTC, datetime, timedelta
from itertools import pairwise
from typing import Any
from uuid import UUID

from brain.claims import Claim, claim_of
from brain.errors import InvalidInput
from brain.ports import Progress
from brain.store import MemoryStore
from brain.types import NewMemory
from brain.users import Scope
from cognitive.feedback.capture import CapturedExchange, episodes
from cognitive.formation.corrections import Corrections
from cognitive.formation.extract import extract
from cognitive.formation.lines import assistant_line, user_line
from cognitive.formation.memories import CapturedLine, formed_memories, is_personal, line_source, pinned_for_user
from cognitive.formation.model.parked_lines import marked
from cognitive.formation.model.reader import CapturedLines, ModelReader, NotRead
from cognitive.policy import Policy
from cognitive.threads import characters, in_thread_if_long
from cognitive.turn import Correction, Message
from cognitive.validation import require_aware, require_label, require_sequence

log = logging.getLogger(__name__)

_ONE_SECOND = timedelta(seconds=1)
_PAUSES = (1.0, 5.0)  # seconds after the first and second failure of the model on an exchange


@dataclass(frozen=True, slots=True)
class RememberedConversation:
    """The ids of the memories that a call stored: lines of the conversation, and what was formed from them.

    `known` is the number of exchanges that were stored before, which the call left unchanged, and `unread` the number
    of those that the layer's model failed on three times, or that were beyond its budget of the day; they are parked.
    `corrections` are the formed memories that the user's lines took back or corrected.
    """

    lines: tuple[UUID, ...]
    formed: tuple[UUID, ...]
    known: int
    unread: int = 0
    corrections: tuple[Correction, ...] = ()


@dataclass(frozen=True, slots=True)
class ExchangeLines:
    """The lines of an exchange that are kept, and the view of those who see them.

    `unfinished` are the sources of the user's line in versions of the conversation that end before the last answer.
    """

    owner: Scope
    lines: tuple[NewMemory, ...]
    unfinished: tuple[str, ...]

    @property
    def sources(self) -> list[str]:
        """The sources of the lines, by which a stored exchange is found."""
        return [line.source for line in self.lines if line.source is not None]

    def without(self, stored: Container[str]) -> ExchangeLines:
        """Return the exchange without lines that are stored: all, or the user's if it was stored before the answer."""
        if any(source in stored for source in self.sources):
            return replace(self, lines=())
        if any(source in stored for source in self.unfinished):
            said = user_line(self.lines)
            return replace(self, lines=tuple(line for line in self.lines if line is not said))
        return self

    def parked(self) -> ExchangeLines:
        """Return the exchange with its user's line marked as one that the model is still to read."""
        said = user_line(self.lines)
        return replace(self, lines=tuple(marked(line) if line is said else line for line in self.lines))


class ConversationWriter:
    """Stores conversations that were not held through turns, one exchange after the other."""

    def __init__(
        self, store: MemoryStore, policy: Policy, corrections: Corrections, reader: ModelReader | None
    ) -> None:
        self._store = store
        self._policy = policy
        self._corrections = corrections
        self._reader = reader

    async def remember(
        self,
        scope: Scope,
        messages: Sequence[Message | Mapping[str, Any]],
        session_id: str,
        now: datetime | None,
        progress: Progress | None = None,
    ) -> RememberedConversation:
        """Store the exchanges of a conversation that ended at the time `now`, if they are not stored yet.

        Messages that have a time keep it. `progress(done, total)` is called before each exchange and at the end.

        Raises:
            InvalidInput: a message, the session or the time is invalid; nothing is stored.
            StoreUnavailable: Postgres is unavailable; repeat the call.
        """
        require_label("session_id", session_id)
        require_aware("now", now)
        now = now or datetime.now(UTC)
        told = [_message(each) for each in require_sequence("messages", messages, "Message values")]
        exchanges = await self.exchanges(scope, told, session_id, now)
        stored_sources = await self.stored_sources(exchanges)
        lines, formed, known, unread = list[UUID](), list[UUID](), 0, 0
        corrections = list[Correction]()
        for n, whole in enumerate(exchanges):
            if progress is not None:
                progress(n, len(exchanges))
            exchange = whole.without(stored_sources)
            if not exchange.lines:
                known += 1
                continue
            claims: Sequence[Claim] = ()
            if (said := user_line(exchange.lines)) is not None:
                before = exchanges[n - 1].lines if n else ()
                corrected = await self._corrections.apply_to_exchange(scope, said, before)
                claims = await self._corrections.claims(scope, corrected)
                corrections += corrected
            by_model = await self._read(scope, exchange.lines)
            if by_model is None:
                unread, exchange = unread + 1, exchange.parked()
            by_rules = _without(await asyncio.to_thread(self.formed, exchange), claims)
            memories = _joined(by_rules, by_model or [])
            line_ids, formed_ids = await self._store_exchange(scope, exchange, memories, now)
            lines += line_ids
            formed += formed_ids
        if progress is not None:
            progress(len(exchanges), len(exchanges))
        return RememberedConversation(tuple(lines), tuple(formed), known, unread, tuple(corrections))

    async def _read(self, scope: Scope, lines: Sequence[NewMemory]) -> list[NewMemory] | None:
        """Return what the model forms of an exchange, or None if it failed three times or its budget is spent."""
        if self._reader is None or (said := user_line(lines)) is None:
            return []
        for pause in (*_PAUSES, None):
            read = await self._reader.read(scope, [CapturedLines(said, assistant_line(lines))])
            if not isinstance(read, NotRead):
                return read[0]
            if read.reason == "budget" or pause is None:
                log.warning("the model did not read an exchange: %s", read.detail)
                return None
            await asyncio.sleep(pause)
        return None

    async def exchanges(
        self, scope: Scope, messages: Sequence[Message], session_id: str, now: datetime
    ) -> list[ExchangeLines]:
        """Return the lines of a conversation that are kept, by exchange; an exchange without any is left out."""
        size = characters(each.content for each in messages)
        return await in_thread_if_long(size, self._kept_lines, scope, messages, session_id, now)

    def _kept_lines(
        self, scope: Scope, messages: Sequence[Message], session_id: str, now: datetime
    ) -> list[ExchangeLines]:
        policy = self._policy.for_agent(scope.agent_id)
        if policy.capture == "off":  # the call itself says what to store
            policy = policy.model_copy(update={"capture": "exchange"})
        owner = scope.as_user(None) if policy.capture_scope == "agent" else scope
        shared_by = scope.user if policy.capture_scope == "agent" else None
        kept = [
            ExchangeLines(
                owner, tuple(episodes(each, policy)), tuple(line_source(id, shared_by, "user") for id in unfinished)
            )
            for each, unfinished in _exchanges(scope, messages, session_id, now)
        ]
        return [each for each in kept if each.lines]

    async def stored_sources(self, exchanges: Sequence[ExchangeLines]) -> set[str]:
        """Return the sources of a conversation's lines that are stored already."""
        sources = [source for each in exchanges for source in (*each.sources, *each.unfinished)]
        if not sources:
            return set()
        stored = await self._store.find_by_source(exchanges[0].owner, "episode", sources)
        return {line.source for line in stored if line.source is not None}

    def formed(self, exchange: ExchangeLines) -> list[NewMemory]:
        """Return what the rules form from the user's line of an exchange; this takes milliseconds."""
        lines, settings = exchange.lines, self._policy.for_agent(exchange.owner.agent_id).formation
        if (said := user_line(lines)) is None:
            return []
        answer = next((line.content for line in lines if line is not said), "")
        found = extract(said.content, answer, settings.kinds)
        return formed_memories(CapturedLine.of(said), found.proposals, settings)

    async def _store_exchange(
        self, scope: Scope, exchange: ExchangeLines, memories: Sequence[NewMemory], now: datetime
    ) -> tuple[list[UUID], list[UUID]]:
        """Store the lines of an exchange and the memories formed from it; return the ids of both.

        What is formed about the user personally is stored for the user, even if the lines are shared.
        """
        personal = [each for each in memories if exchange.owner != scope and is_personal(each)]
        common = [each for each in memories if each not in personal]
        formed = await self._write(scope, personal, now) if personal else []
        stored = await self._write(exchange.owner, [*exchange.lines, *common], now)
        return stored[: len(exchange.lines)], [*formed, *stored[len(exchange.lines) :]]

    async def _write(self, owner: Scope, memories: Sequence[NewMemory], now: datetime) -> list[UUID]:
        """Store memories for the owner in one transaction."""
        pinned = pinned_for_user(memories, owner.user)
        owned = [memory.model_copy(update={"user_id": owner.user}) for memory in pinned]
        return await self._store.remember(owner.agent_id, owned, now=now)


def _without(memories: Sequence[NewMemory], claims: Sequence[Claim]) -> list[NewMemory]:
    """Return memories without those that state what a correction stored already."""
    if not claims:
        return list(memories)
    return [each for each in memories if claim_of(each.content, each.speaker) not in claims]


def _joined(by_rules: Sequence[NewMemory], by_model: Sequence[NewMemory]) -> list[NewMemory]:
    """Return both, without the model's memories whose text or evidence equals a rule's memory."""
    stated = {memory.content.rstrip(".") for memory in by_rules}
    return [
        *by_rules,
        *(
            memory
            for memory in by_model
            if stated.isdisjoint(str(text).rstrip(".") for text in (memory.content, memory.attributes["evidence"]))
        ),
    ]


def _message(value: Message | Mapping[str, Any]) -> Message:
    if isinstance(value, Message):
        return value
    if not isinstance(value, Mapping):
        raise InvalidInput(f"messages: expected mappings with role and content, got {type(value).__name__}")
    return Message.model_validate(dict(value))


def _exchanges(
    scope: Scope, messages: Sequence[Message], session_id: str, now: datetime
) -> Iterator[tuple[CapturedExchange, list[str]]]:
    """Yield each user's message with the last answer before the next one, and the ids it has before that answer.

    The id of an exchange follows from its texts, its session and how often the message occurred before in the
    conversation, so that a longer version of the conversation has the same ids.
    """
    starts = [n for n, message in enumerate(messages) if message.role == "user"]
    seen = Counter[str]()
    for start, end in pairwise([*starts, len(messages)]):
        answers = [each.content for each in messages[start:end] if each.role == "assistant" and each.content]
        message = messages[start].content
        seen[message] += 1
        *unfinished, id = [_exchange_id(session_id, seen[message], message, answer) for answer in ("", *answers)]
        at = messages[start].at or now.astimezone(UTC) - (len(messages) - start) * _ONE_SECOND
        answer = answers[-1] if answers else ""
        yield CapturedExchange(scope.agent_id, session_id, id, at, message, answer, scope.user), unfinished


def _exchange_id(session_id: str, number: int, *texts: str) -> str:
    digest = hashlib.sha256("\0".join((session_id, str(number), *texts)).encode()).hexdigest()
    return f"conversation-{digest[:24]}"
