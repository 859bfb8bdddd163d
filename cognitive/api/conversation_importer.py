"""Import the conversations of other systems, as `remember_conversation` stores them."""

from __future__ import annotations

import asyncio
from datetime import UTC, datetime
from uuid import UUID

from brain.users import Scope
from cognitive.api.import_report import ImportCounts
from cognitive.api.jsonl import ConversationLine
from cognitive.feedback.conversations import ConversationWriter
from cognitive.formation.memories import is_personal

_LEFT_OUT = "a message that is small talk or not the last answer, or that Policy.capture leaves out"


class ConversationImporter:
    """Counts and stores the conversations of imported files."""

    def __init__(self, conversations: ConversationWriter) -> None:
        self._conversations = conversations

    async def count(self, scope: Scope, line: ConversationLine, counts: ImportCounts, known: set[str]) -> int:
        """Add the memories of a conversation to `counts`, and return how many are new. Nothing is stored.

        `known` has the sources of the conversations before it, and gets those of this one.
        """
        view, talk, new = _view(scope), line.conversation, 0
        exchanges = await self._conversations.exchanges(view, talk.messages, talk.session_id, datetime.now(UTC))
        known |= await self._conversations.stored_sources(exchanges)
        for exchange in exchanges:
            fresh = exchange.without(known)
            formed = await asyncio.to_thread(self._conversations.formed, fresh)
            own = sum(exchange.owner != view and is_personal(each) for each in formed)
            counts.add(line.form, view.user, own)
            counts.add(line.form, exchange.owner.user, len(exchange.lines) + len(formed) - own)
            new += len(fresh.lines) + len(formed)
            known.update(exchange.sources)
        counts.drop(_LEFT_OUT, line.number, len(talk.messages) - sum(len(each.lines) for each in exchanges))
        return new

    async def remember(self, scope: Scope, line: ConversationLine) -> list[UUID]:
        """Store a conversation, and return the ids of the memories that are new."""
        talk = line.conversation
        stored = await self._conversations.remember(_view(scope), talk.messages, talk.session_id, None)
        return [*stored.lines, *stored.formed]


def _view(scope: Scope) -> Scope:
    """Return the view whose conversation it becomes: the operator's has those of the view without a user."""
    return scope.as_user(None) if scope.sees_all else scope
