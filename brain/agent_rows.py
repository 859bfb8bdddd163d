"""Lock an agent's row, and decide in which languages its memories are indexed."""

from __future__ import annotations

from collections.abc import Iterable
from dataclasses import dataclass, replace

from brain import statements
from brain.indexing import IndexedPassage
from brain.language_detection import language_of_store
from brain.languages import AgentLanguages, IndexLanguages
from brain.postgres.database import Bound, Connection
from brain.postgres.wire_types import as_value

SQL = statements.load("store")

_CONTINUED = 64  # memories after which an unfinished change of language is continued, in case it was interrupted


@dataclass(frozen=True, slots=True)
class AgentState:
    """The locked row of an agent: the next sequence and session numbers, and the languages of its index.

    `language_chosen` says that the host or operator set the language.
    """

    next_seq: int
    next_session: int
    language: str
    pending_language: str | None
    language_chosen: bool

    @property
    def indexed(self) -> IndexLanguages:
        """The languages of the agent's index."""
        return IndexLanguages(self.language, self.pending_language)

    async def recognised(self, c: Connection, agent_id: str, texts: Iterable[str]) -> AgentState:
        """Set the language by the texts of the agent's first memories, if it is recognised, and return the new state.

        Nothing changes if the language was chosen. The language of an agent that has memories is changed in the
        background (`brain.changes.reindexing`).
        """
        if self.next_seq > 1 or self.language_chosen:
            return self
        language = language_of_store(texts)
        if language is None or language == self.language:
            return self
        await c.execute(*SQL.recognise_language(agent_id=agent_id, language=language))
        return replace(self, language=language)

    def indexed_alike(self, agent_id: str, pieces: Iterable[IndexedPassage], languages: AgentLanguages) -> bool:
        """Return True if all passages were indexed in the agent's current languages. Also cache these languages."""
        languages.remember(agent_id, self.indexed)
        return all(tuple(piece.posted) == self.indexed.written for piece in pieces)

    def outgrown(self, new: int) -> bool:
        """Return True if the agent's language must be recognised again, after `new` memories were stored.

        That is at each doubling of the number of memories, and at every 64th memory while a change is unfinished, which
        may have been interrupted.
        """
        before, now = self.next_seq - 1, self.next_seq - 1 + new
        doubled = before.bit_length() < now.bit_length()
        continued = self.pending_language is not None and before // _CONTINUED < now // _CONTINUED
        return not self.language_chosen and (doubled or continued)


def sharing(agent_id: str) -> tuple[Bound, ...]:
    """Return what a transaction begins with (`Database.run(first=…)`) to make erasures of the same rows wait."""
    return (SQL.share_agent(agent_id=agent_id),)


def sharing_unless_erased(agent_id: str) -> tuple[Bound, ...]:
    """Return what a transaction begins with that must not wait for an erasure of the same rows, which takes minutes.

    It makes erasures wait, as `sharing` does. While one is running, the transaction fails at once with a StoreError,
    which does not count as a failure of Postgres.
    """
    return (SQL.share_agent_briefly(agent_id=agent_id),)


async def locked(c: Connection, agent_id: str) -> AgentState:
    """Lock the agent's row, and create it if necessary. The transaction must have begun with `sharing`."""
    return as_value(AgentState, await c.fetchrow(*SQL.lock_agent_row(agent_id=agent_id)))


async def locked_if_exists(c: Connection, agent_id: str) -> AgentState | None:
    """Lock the agent's row and return it, or None if there is no such agent, for example because it was erased."""
    row = await c.fetchrow(*SQL.lock_existing_agent_row(agent_id=agent_id))
    return as_value(AgentState, row) if row is not None else None
