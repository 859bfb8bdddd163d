"""The methods of `layer.admin` that check what a layer depends on: database, standby, journal, embedding models."""

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
from brain.users import Scope, UserId
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


class HealthMethods:
    """The methods of `AdminApi` that check the layer's parts; `AdminApi` inherits them."""

    def __init__(self, reading: ReadDatabase, journal: Journal, embedders: Embedders, turns: TurnLog) -> None:
        self._reading = reading
        self._journal = journal
        self._embedders = embedders
        self._turns = turns

    async def health(self) -> LayerHealth:
        """Check this layer's database, journal and embedding model as `cognitive doctor` does.

        An error is returned as a finding, not raised. The checks take a few seconds at most.
        """
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
        """Check if the layer can serve turns.

        Return for each of "database", "schema" and "model" the error message, or None if that part works.
        """
        return {**await self._database(), "model": await self._model()}

    async def replica(self) -> Replica | None:
        """Return the lag of the standby database that dashboards read from, or None if there is no standby."""
        return await self._reading.compared()

    async def database_role(self) -> Granted:
        """Return which of the read-only database roles the dashboard's database login may use.

        Raises:
            StoreUnavailable, SchemaError: the database does not answer, or cannot be used.
        """
        return await self._reading.granted()

    async def journal_backlog(
        self, agent_id: str, *, whole: bool, user_id: UserId = None
    ) -> tuple[Backlog, list[JournalEntry]] | None:
        """Return how many turns wait in the journal, and the journal entries of the view that the database refused.

        The journal is a local file of turns that the database could not store yet. The turns of the agent are counted,
        or with `whole` those of all agents. The result is None if the journal cannot be read.
        """
        scope = Scope.of(agent_id, user_id)
        try:
            waiting = await asyncio.to_thread(self._journal.backlog, None if whole else scope.agent_id)
            return waiting, await asyncio.to_thread(self._journal.parked, scope)
        except JournalError:
            return None

    @property
    def embedding_model(self) -> str:
        """The name of the model that embeds the passages of new memories."""
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
