"""The language that an agent's words are indexed in, as the database last told this process."""

from __future__ import annotations

from collections import OrderedDict
from collections.abc import Mapping
from dataclasses import dataclass
from typing import Any, Self

from brain.languages import ENGLISH

_MOST_AGENTS = 10_000  # of other languages than English that are remembered; of another one the first read asks twice


@dataclass(frozen=True, slots=True)
class Indexed:
    """The language that an agent's reads use, and the one that its index is being built in beside, if any."""

    language: str = ENGLISH
    becoming: str | None = None

    @classmethod
    def of(cls, row: Mapping[str, Any]) -> Self:
        """From a row of the table `corpus`."""
        return cls(row["language"], row["becoming"])

    @property
    def written(self) -> tuple[str, ...]:
        """The languages that writes are indexed in: that of the reads first."""
        return (self.language,) if self.becoming is None else (self.language, self.becoming)


ORDINARY = Indexed()


class AgentLanguages:
    """The languages that the database named last, by agent. Every read and write brings the present one along."""

    def __init__(self) -> None:
        self._told: OrderedDict[str, Indexed] = OrderedDict()

    def told(self, agent_id: str, indexed: Indexed) -> None:
        """Takes note of what the database names for an agent."""
        self._told.pop(agent_id, None)
        if indexed != ORDINARY:
            self._told[agent_id] = indexed
        while len(self._told) > _MOST_AGENTS:
            self._told.popitem(last=False)

    def of(self, agent_id: str) -> Indexed:
        """The agent's languages, as far as this process knows."""
        return self._told.get(agent_id, ORDINARY)
