"""Change the language of an agent's lexical index while turns go on.

The passages are first indexed in the new language beside the old one. Then one row is changed, which says which
language searches use, and the index entries of the old language are removed. Both languages can be in one index,
because their lexemes never collide (`brain.text.label`), and a search finds only those of its language. Each passage's
row names the languages that it is indexed in. The change can therefore be killed at any time and started again, and
several workers can share it.
"""

from __future__ import annotations

import asyncio
from collections import Counter
from collections.abc import AsyncIterator, Callable, Sequence
from dataclasses import dataclass
from functools import partial
from time import monotonic
from typing import Any
from uuid import UUID

from brain import agent_rows, statements
from brain.changes.backfill import Pace, PendingMemory, by_user
from brain.errors import InvalidInput
from brain.index_rows import PassagePostings, insert_postings
from brain.language_detection import READ_CHARS, SAMPLE, language_of_store
from brain.languages import IndexLanguages, require
from brain.memory_rows import SQL as WRITING
from brain.memory_rows import share_users
from brain.postgres.database import AllUsersView, Connection, Database
from brain.postgres.transaction import write_as
from brain.postgres.wire_types import as_value, count
from brain.statements import SqlStatement
from brain.text import label

SQL = statements.load("reindexing")

StepProgress = Callable[[str, int, int], None]  # (step, done, total)

_START = UUID(int=0)
_MAX_PASSES = 20  # passes over remaining memories; only old code writes without the new language


def _unheard(doing: str, done: int, total: int) -> None:
    """Ignore the progress of a change."""


@dataclass(frozen=True, slots=True)
class LanguageStatus:
    """The progress of a change of an agent's index language.

    Attributes:
        language: the language that searches use.
        pending_language: the language that is being built, if any.
        chosen: whether the language was set (`Reindexing.change`); otherwise it follows the stored texts.
        memories: the number of memories.
        lacking: the number of memories that are not indexed in the language passed to `Reindexing.status`.
        leaving: the number of memories that are also indexed in other languages than that one.
    """

    language: str
    pending_language: str | None
    chosen: bool
    memories: int
    lacking: int
    leaving: int


class Reindexing:
    """Changes the language in which an agent's memories are indexed for lexical search."""

    def __init__(self, database: Database) -> None:
        self._database = AllUsersView(database)

    async def status(self, agent_id: str, language: str | None = None) -> LanguageStatus:
        """Return how many of an agent's memories are indexed in `language`, by default the language that searches use.

        This reads the row of every passage.

        Raises:
            UnknownLanguage: there is no such language.
        """
        asked = require(language) if language is not None else None
        row = await self._database.run(
            agent_id, lambda c: c.fetchrow(*SQL.language_status(agent_id=agent_id, language=asked))
        )
        return LanguageStatus(**dict(row))

    async def change(
        self,
        agent_id: str,
        language: str,
        pace: Pace | None = None,
        progress: StepProgress = _unheard,
    ) -> LanguageStatus:
        """Index an agent's present and future memories in a language, and then use the language for searches.

        A repeated call continues an interrupted change. If searches already use the language, missing index entries are
        added. If a change to yet another language was under way, that change is abandoned. From now on, the language no
        longer follows the stored texts (`recognise`).

        Raises:
            UnknownLanguage: there is no such language; nothing is changed.
            InvalidInput: meanwhile the agent was erased or its language was set again, or some process, running an
                older version, still stores memories without index entries in the new language.
        """
        require(language)
        await self._database.run(agent_id, lambda c: _begin(c, agent_id, language, chosen=True))
        await self._fill(agent_id, language, pace or Pace(), progress)
        await self._finish(agent_id, language, pace or Pace(), progress)
        return await self.status(agent_id, language)

    async def recognise(self, agent_id: str) -> None:
        """Change the language of an agent's index to the one that most of its memories are in.

        If no language prevails, an interrupted change is completed, or else the language stays. A chosen language
        always stays. If another worker is making the change already, this one stops and leaves the rest to it.

        Raises:
            InvalidInput: meanwhile the agent was erased or its language was set.
        """
        row = await self._database.run(
            agent_id,
            lambda c: c.fetchrow(*SQL.sampled_texts(agent_id=agent_id, characters=READ_CHARS, size=SAMPLE)),
        )
        if row is None or row["chosen"]:
            return
        language = language_of_store(row["texts"]) or row["pending_language"] or row["language"]
        if language == row["language"] and row["pending_language"] is None:
            return
        if not await self._database.run(agent_id, lambda c: _begin(c, agent_id, language, chosen=False)):
            return
        if await self._fill(agent_id, language, Pace(), _unheard, alone=True):
            await self._finish(agent_id, language, Pace(), _unheard)

    async def _finish(self, agent_id: str, language: str, pace: Pace, progress: StepProgress) -> None:
        await self._database.run(agent_id, lambda c: _switch(c, agent_id, language))
        await self._clear(agent_id, language, pace, progress)

    async def _fill(
        self, agent_id: str, language: str, pace: Pace, progress: StepProgress, *, alone: bool = False
    ) -> bool:
        """Index all memories in the new language, and return True.

        With `alone`, stop and return False if another worker has indexed the same batch meanwhile: of several workers,
        the one that stored a batch goes on.
        """
        for _ in range(_MAX_PASSES):
            status = await self.status(agent_id, language)
            done = status.memories - status.lacking
            progress("index", done, status.memories)
            if not status.lacking:
                return True
            async for rows in self._pages(SQL.next_lacking, agent_id, language, pace):
                added = await self._add(agent_id, language, [as_value(PendingMemory, row) for row in rows])
                if alone and not added:
                    return False
                done += added
                progress("index", min(done, status.memories), status.memories)
        raise InvalidInput(
            f"agent {agent_id!r}: a process still writes without {language}; run the same version everywhere"
        )

    async def _add(self, agent_id: str, language: str, memories: Sequence[PendingMemory]) -> int:
        """Store the index entries of memories in the new language, and return the number of memories indexed.

        Memories that were changed since they were read are left out.
        """
        indexed = {memory.id: await _places(memory, language) for memory in memories}

        async def work(c: Connection) -> int:
            await share_users(c, agent_id, [memory.user_id for memory in memories])
            await agent_rows.locked_if_exists(c, agent_id)
            versions = [memory.version for memory in memories]
            found = await c.fetch(
                *SQL.unchanged(agent_id=agent_id, language=language, memory_ids=list(indexed), versions=versions)
            )
            unchanged = {row["id"] for row in found}
            for user_id, own in by_user([memory for memory in memories if memory.id in unchanged]):
                await write_as(c, user_id)
                await _insert(c, agent_id, language, [place for memory in own for place in indexed[memory.id]])
            return len(found)

        return await self._database.run(agent_id, work)

    async def _clear(self, agent_id: str, language: str, pace: Pace, progress: StepProgress) -> None:
        """Remove the index entries of all languages other than `language`."""
        total, done = (await self.status(agent_id, language)).leaving, 0
        async for rows in self._pages(SQL.next_leaving, agent_id, language, pace):
            await self._database.run(agent_id, partial(_leave, agent_id, language, rows))
            done += len(rows)
            progress("clear", min(done, total), total)

    async def _pages(
        self, statement: SqlStatement, agent_id: str, language: str, pace: Pace
    ) -> AsyncIterator[Sequence[Any]]:
        """Yield the rows of memories that a statement finds, in batches ordered by id, at the speed set by `pace`."""
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


async def _begin(c: Connection, agent_id: str, language: str, *, chosen: bool) -> bool:
    if chosen:  # creates the row of an agent without memories
        await c.fetchrow(*WRITING.lock_agent_row(agent_id=agent_id))
    return bool(count(await c.execute(*SQL.begin(agent_id=agent_id, language=language, chosen=chosen))))


async def _switch(c: Connection, agent_id: str, language: str) -> None:
    if not count(await c.execute(*SQL.switch(agent_id=agent_id, language=language))):
        raise _set_again(agent_id, language)


def _set_again(agent_id: str, language: str) -> InvalidInput:
    return InvalidInput(f"agent {agent_id!r}: it was erased meanwhile, or set to another language than {language}")


async def _leave(agent_id: str, language: str, rows: Sequence[Any], c: Connection) -> None:
    await share_users(c, agent_id, [row["user_id"] for row in rows])
    state = await agent_rows.locked_if_exists(c, agent_id)
    if state is None or state.indexed != IndexLanguages(language):  # another change has added what this removes
        raise _set_again(agent_id, language)
    for user_id, own in by_user(rows):
        await write_as(c, user_id)
        of_memories = {"agent_id": agent_id, "language": language, "memory_ids": [row["id"] for row in own]}
        await c.execute(*SQL.leave(**of_memories, label=label(language)))
        await _count_changes(c, agent_id, await c.fetch(*SQL.shorten(**of_memories)))


async def _count_changes(c: Connection, agent_id: str, passages: Sequence[Any]) -> None:
    """Add the changes of the passages' lengths to the counts of their sessions and of the transaction's scope."""
    sessions = Counter[str]()
    for row in passages:
        if row["session_id"] is not None:
            sessions[row["session_id"]] += row["content_change"]
    ids = sorted(sessions)
    changes = [sessions[session_id] for session_id in ids]
    await c.execute(*SQL.change_sessions(agent_id=agent_id, session_ids=ids, changes=changes))
    content, context = (sum(row[name] for row in passages) for name in ("content_change", "context_change"))
    await c.execute(*SQL.change_counts(agent_id=agent_id, content_change=content, context_change=context))


async def _places(memory: PendingMemory, language: str) -> list[PassagePostings]:
    """Return the index entries of a memory's passages in a language.

    The function first lets other coroutines run, because indexing a long memory takes time.
    """
    await asyncio.sleep(0)
    pieces = memory.passages(language)
    return [
        PassagePostings(memory.id, piece.ordinal, memory.type, memory.session_number, piece.live) for piece in pieces
    ]


async def _insert(c: Connection, agent_id: str, language: str, places: Sequence[PassagePostings]) -> None:
    await c.execute(*insert_postings(agent_id, places))
    await c.execute(
        *SQL.add_lexemes(
            agent_id=agent_id,
            language=language,
            memory_ids=[place.memory_id for place in places],
            ordinals=[place.ordinal for place in places],
            lexemes=[" ".join(place.posted.context) for place in places],
        ),
    )
