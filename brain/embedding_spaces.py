"""The embedding models that an agent's vectors are of, as the database names them. Each is a space of its own: its
vectors are compared with each other only.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field
from typing import Any, Self


@dataclass(frozen=True, slots=True)
class Space:
    """What is kept of a model: how many numbers its vectors have, and whether every memory has had them once."""

    dimension: int
    complete: bool


@dataclass(frozen=True, slots=True)
class Spaces:
    """An agent's models: `live` is the one that its reads use, None while nothing is stored; `kept` are those that its
    writes go to.
    """

    live: str | None = None
    kept: Mapping[str, Space] = field(default_factory=dict)

    @classmethod
    def of(cls, live: str | None, kept: Sequence[Any] | None) -> Self:
        """From what a statement returns: rows of model, dimension, complete."""
        return cls(live, {model: Space(dimension, complete) for model, dimension, complete in kept or ()})

    @property
    def models(self) -> frozenset[str]:
        """All of them."""
        return frozenset(self.kept) | ({self.live} if self.live is not None else frozenset())
