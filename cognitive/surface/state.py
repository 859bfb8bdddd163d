"""How a layer is, and what models can carry."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any

from brain.deadline import Deadline
from brain.postgres.replica import Replica
from cognitive.bootstrap import Parts
from cognitive.errors import EmbeddingError, SchemaError, StoreError
from cognitive.policy.models import context_budgets

_PATIENCE_MS = 2_000.0  # who asks whether all is well must not wait for what is not


class State:
    """The part of a layer that answers for itself."""

    _parts: Parts

    def context_budgets(self) -> dict[str, Any]:
        """What each model can carry, with the rows of this layer's policy; data that JSON can hold."""
        return context_budgets(self._parts.policy.base.models)

    async def readiness(self) -> Mapping[str, str | None]:
        """What is wrong with the "database", its "schema" and the "model", in words; None for what is well."""
        return {**await self._database(), "model": await self._model()}

    async def replica(self) -> Replica | None:
        """How far the standby is behind that reads of figures are sent to; None if there is none. Turns do
        without it.
        """
        return await self._parts.reading.compared()

    async def _database(self) -> Mapping[str, str | None]:
        try:
            await Deadline(_PATIENCE_MS).within(self._parts.turns.recent("readiness", 1))
        except SchemaError as error:
            return {"database": None, "schema": str(error)}
        except (StoreError, TimeoutError) as error:
            return {"database": str(error) or "no answer in time", "schema": "not known"}
        return {"database": None, "schema": None}

    async def _model(self) -> str | None:
        try:
            for embedder in self._parts.embedders:
                await Deadline(_PATIENCE_MS).within(embedder.embed(["ready"]))
        except (EmbeddingError, TimeoutError) as error:
            return str(error) or "not loaded in time"
        return None
