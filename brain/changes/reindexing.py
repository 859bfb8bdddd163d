"""A change of an agent's language while turns go on: its words are indexed in the new one beside the old, one row says
which is read, and the old one leaves the index.

Lexemes of two languages are never alike (`brain.text.label`), so that both stand in one index and a read finds those of
its own alone: until the switch as before, after it as if nothing else had ever been. Everything here may be killed at
any moment and run again, by several workers at once: what lacks a language, or has one too many, says so in its row.
"""

from __future__ import annotations

import asyncio
from collections.abc import AsyncIterator, Callable, Sequence
from dataclasses import dataclass
from time import monotonic
from typing import Any
from uuid import UUID

from brain import statements
from brain.changes.backfill import Pace, PendingMemory
from brain.errors import InvalidInput
from brain.index_rows import PassagePostings, insert_postings
from brain.languages import require
from brain.memory_rows import SQL as WRITING
from brain.memory_rows import count
from brain.postgres.database import Connection, Database
from brain.postgres.wire_types import as_value
from brain.statements import SqlStatement
from brain.text import label

SQL = statements.load("reindexing")

Progress = Callable[[str, int, int], None]  # (what is being done, done, total)

_START = UUID(int=0)
_MAX_PASSES = 20  # over what is lacking; only code from before languages still writes without the new one


@dataclass(frozen=True, slots=True)
class LanguageStatus:
    """An agent's language: the one that is read and the one that is being built beside it, if any; of its `memories`
    how many lack the language asked about, and how many are in others besides.
    """

    language: str
    pending_language: str | None
    memories: int
    lacking: int
    leaving: int


class Reindexing:
    """The languages of agents, and how one takes the place of another."""

    def __init__(self, database: Database) -> None:
        self._database = database

    async def standing(self, agent_id: str, language: str | None = None) -> LanguageStatus:
        """How far an agent is in a language, or in the one that it is read in. Every passage's row is looked at.

        Raises:
            UnknownLanguage: there is no such language.
        """
        asked = require(language) if language is not None else None
        row = await self._database.run(agent_id, lambda c: c.fetchrow(*SQL.standing(agent_id=agent_id, language=asked)))
        return LanguageStatus(**dict(row))

    async def change(
        self,
        agent_id: str,
        language: str,
        pace: Pace | None = None,
        progress: Progress = lambda doing, done, total: None,
    ) -> LanguageStatus:
        """Has an agent's words indexed in a language, those that it has and those to come; then its reads use it.

        Run again, it goes on where it was interrupted; the language that an agent has already is made whole. Another
        one that was being built is given up.

        Raises:
            UnknownLanguage: there is no such language; nothing was changed.
            InvalidInput: meanwhile the agent was erased or told another one, or writes without the new one go on.
        """
        require(language)
        pace = pace or Pace()
        await self._database.run(agent_id, lambda c: _begin(c, agent_id, language))
        await self._fill(agent_id, language, pace, progress)
        await self._database.run(agent_id, lambda c: _switch(c, agent_id, language))
        await self._clear(agent_id, language, pace, progress)
        return await self.standing(agent_id, language)

    async def _fill(self, agent_id: str, language: str, pace: Pace, progress: Progress) -> None:
        for _ in range(_MAX_PASSES):
            standing = await self.standing(agent_id, language)
            done = standing.memories - standing.lacking
            progress("index", done, standing.memories)
            if not standing.lacking:
                return
            async for rows in self._pages(SQL.next_lacking, agent_id, language, pace):
                done += await self._add(agent_id, language, [as_value(PendingMemory, row) for row in rows])
                progress("index", min(done, standing.memories), standing.memories)
        raise InvalidInput(
            f"agent {agent_id!r} is being written to without {language}: are all processes of one version?"
        )

    async def _add(self, agent_id: str, language: str, memories: Sequence[PendingMemory]) -> int:
        """Indexes memories that have not changed meanwhile; returns how many."""
        indexed = {memory.id: await _places(memory, language) for memory in memories}

        async def work(c: Connection) -> int:
            await c.fetchrow(*SQL.lock(agent_id=agent_id))
            versions = [memory.version for memory in memories]
            found = await c.fetch(
                *SQL.unchanged(agent_id=agent_id, language=language, memory_ids=list(indexed), versions=versions)
            )
            await _insert(c, agent_id, language, [place for each in found for place in indexed[each["id"]]])
            return len(found)

        return await self._database.run(agent_id, work)

    async def _clear(self, agent_id: str, language: str, pace: Pace, progress: Progress) -> None:
        """Takes every other language out of the index."""
        total, done = (await self.standing(agent_id, language)).leaving, 0
        async for rows in self._pages(SQL.next_leaving, agent_id, language, pace):
            ids = [row["id"] for row in rows]
            await self._database.run(agent_id, lambda c, ids=ids: _leave(c, agent_id, language, ids))  # type: ignore[misc]
            done += len(ids)
            progress("clear", min(done, total), total)

    async def _pages(
        self, statement: SqlStatement, agent_id: str, language: str, pace: Pace
    ) -> AsyncIterator[Sequence[Any]]:
        """The rows of memories that a statement finds, in the order of their ids, at the pace asked for."""
        after = _START

        async def page(c: Connection) -> Sequence[Any]:
            return list(
                await c.fetch(*statement(agent_id=agent_id, language=language, after_id=after, limit=pace.batch))
            )

        while rows := await self._database.run(agent_id, page):
            began = monotonic()
            yield rows
            after = rows[-1]["id"]
            await pace.rest(monotonic() - began)


async def _begin(c: Connection, agent_id: str, language: str) -> None:
    await c.fetchrow(*WRITING.lock_agent_row(agent_id=agent_id))
    await c.execute(*SQL.begin(agent_id=agent_id, language=language))


async def _switch(c: Connection, agent_id: str, language: str) -> None:
    if not count(await c.execute(*SQL.switch(agent_id=agent_id, language=language))):
        raise InvalidInput(f"agent {agent_id!r}: meanwhile it was erased, or told another language than {language}")


async def _leave(c: Connection, agent_id: str, language: str, ids: Sequence[UUID]) -> None:
    await c.fetchrow(*SQL.lock(agent_id=agent_id))
    await c.execute(*SQL.leave(agent_id=agent_id, language=language, memory_ids=ids, label=label(language)))


async def _places(memory: PendingMemory, language: str) -> list[PassagePostings]:
    """The passages of a memory in a language; others have their turn in between, since a long one takes its time."""
    await asyncio.sleep(0)
    pieces = memory.passages(language)
    return [
        PassagePostings(memory.id, piece.ordinal, memory.type, memory.session_number, piece.live) for piece in pieces
    ]


async def _insert(c: Connection, agent_id: str, language: str, places: Sequence[PassagePostings]) -> None:
    await insert_postings(c, agent_id, places)
    await c.execute(
        *SQL.add_lexemes(
            agent_id=agent_id,
            language=language,
            memory_ids=[place.memory_id for place in places],
            ordinals=[place.ordinal for place in places],
            lexemes=[" ".join(place.posted.context) for place in places],
        ),
    )
