"""Checks of the parts that a layer depends on: database, schema, standby, journal and embedding models."""

from __future__ import annotations

import asyncio
from collections.abc import Mapping
from dataclasses import dataclass

from brain.deadline import Deadline
from brain.embedding.embedders import Embedders
from brain.errors import EmbeddingError, JournalError, SchemaError, StoreError
from brain.journal import Backlog, Journal, JournalEntry
from brain.postgres.health import DatabaseHealth
from brain.postgres.reading import ReadDatabase, Replica
from brain.postgres.roles import Granted
from brain.turns import TurnLog
from brain.users import Scope
from cognitive.doctor.examine import Finding, examine_layer, judge_all

_READY_MS = 2_000.0  # timeout of a readiness probe
_EXAMINE_SECONDS = 2.5  # timeout of each check: shorter than that of the dashboard's page


@dataclass(frozen=True, slots=True)
class LayerHealth:
    """The result of a health check of a layer.

    `findings` has the result of each single check. `database` is the state of the database, or None if it does not
    answer.
    """

    findings: tuple[Finding, ...]
    database: DatabaseHealth | None


class HealthChecks:
    """Checks a layer's own database, journal and embedding models."""

    def __init__(self, reading: ReadDatabase, journal: Journal, embedders: Embedders, turns: TurnLog) -> None:
        self._reading = reading
        self._journal = journal
        self._embedders = embedders
        self._turns = turns

    async def health(self) -> LayerHealth:
        """See `AdminApi.health`. The checks take a few seconds at most."""
        embedder = self._embedders.first
        facts = await examine_layer(
            self._reading.url,
            self._reading.own,
            self._journal,
            embedder.embed,
            embedder.model,
            _EXAMINE_SECONDS,
            await self._reading.compared(),
        )
        return LayerHealth(judge_all(facts), facts.database)

    async def readiness(self) -> Mapping[str, str | None]:
        """See `AdminApi.readiness`."""
        return {**await self._database(), "model": await self._model()}

    async def replica(self) -> Replica | None:
        """See `AdminApi.replica`."""
        return await self._reading.compared()

    async def database_role(self) -> Granted:
        """See `AdminApi.database_role`."""
        return await self._reading.granted()

    async def journal_backlog(self, scope: Scope, *, whole: bool) -> tuple[Backlog, list[JournalEntry]] | None:
        """See `AdminApi.journal_backlog`."""
        try:
            waiting = await asyncio.to_thread(self._journal.backlog, None if whole else scope.agent_id)
            return waiting, await asyncio.to_thread(self._journal.parked, scope)
        except JournalError:
            return None

    @property
    def embedding_model(self) -> str:
        """See `AdminApi.embedding_model`."""
        return self._embedders.first.model

    async def _database(self) -> Mapping[str, str | None]:
        try:
            await Deadline(_READY_MS).within(self._turns.recent(Scope("readiness"), 1))
        except SchemaError as error:
            return {"database": None, "schema": str(error)}
        except (StoreError, TimeoutError) as error:
            return {"database": str(error) or "no answer in time", "schema": "not known"}
        return {"database": None, "schema": None}

    async def _model(self) -> str | None:
        try:
            for embedder in self._embedders:
                await Deadline(_READY_MS).within(embedder.embed(["ready"]))
        except (EmbeddingError, TimeoutError) as error:
            return str(error) or "not loaded in time"
        return None
