"""What a layer that runs stands on, and whether that is well."""

from __future__ import annotations

import asyncio
from dataclasses import dataclass

from brain.errors import JournalError
from brain.journal import Backlog, Entry
from brain.postgres.health import DatabaseHealth
from brain.postgres.roles import Granted
from cognitive.bootstrap import Parts
from cognitive.doctor.checks import Finding, judged
from cognitive.doctor.examine import running

_PATIENCE = 2.5  # seconds for each: who looks because something does not answer must be told so before they give up


@dataclass(frozen=True, slots=True)
class Standing:
    """The doctor's findings, and the numbers of the database that they come from, None if it is away."""

    findings: tuple[Finding, ...]
    database: DatabaseHealth | None


class Checks:
    """The part of a layer that looks at what is beneath it."""

    _parts: Parts

    async def standing(self) -> Standing:
        """The doctor's checks, of this layer's own database, journal and model. Raises nothing, and takes seconds at
        most.
        """
        parts, embedder = self._parts, self._parts.embedders.first
        facts = await running(
            parts.reading.url, parts.reading.own, parts.journal, embedder.embed, embedder.model, _PATIENCE,
            await parts.reading.compared(),
        )  # fmt: skip
        return Standing(judged(facts), facts.database)

    async def reads_as(self) -> Granted:
        """As what the reads of a dashboard are done.

        Raises:
            StoreUnavailable, SchemaError: the database does not answer, or cannot be used.
        """
        return await self._parts.reading.granted()

    async def backlog(self, agent_id: str, *, whole: bool) -> tuple[Backlog, list[Entry]] | None:
        """What waits in the journal, of all agents if `whole`, and what is parked of this one; None: unreadable."""
        journal = self._parts.journal
        try:
            told = await asyncio.to_thread(journal.backlog, None if whole else agent_id)
            return told, await asyncio.to_thread(journal.parked, agent_id)
        except JournalError:
            return None

    @property
    def embedding_model(self) -> str:
        """The model that new passages get their vectors from."""
        return self._parts.embedders.first.model
