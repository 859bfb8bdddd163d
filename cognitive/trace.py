"""What became of every candidate, and why: the record that explains a turn."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field
from datetime import datetime
from typing import Any, Literal
from uuid import UUID

from brain.search import Hit

_DECOYS = 5  # judged with each turn beside what was shown

Disposition = Literal[
    "shown",  # it is in the prompt
    "pinned",  # it stands in the prefix, so the block does not repeat it
    "restated",  # the conversation window says it already
    "duplicate",  # another candidate says it better
    "superseded",  # a newer memory replaced it
    "irrelevant",  # the floor: nothing, or not this, is worth showing
    "over_limit",  # more of this type than the plan asks for
    "standing",  # the conversation still shows it, as an earlier turn put it there
    "over_budget",  # its section or the total had no room
    "displaced",  # exploration tried another in its place
]


# Dispositions of what was never to be chosen in a turn, however relevant: nothing is measured against it.
NOT_ELIGIBLE = frozenset({"pinned", "superseded"})


@dataclass(frozen=True, slots=True)
class Boost:
    """What usage says of a memory: a factor in [0.5, 1.5], 1.0 for the unknown, and the masses it comes from.

    `specificity` is the share of its use that was in turns like this one; `lift` is what those add to its relevance.
    """

    factor: float = 1.0
    shown: float = 0.0
    used: float = 0.0
    because: str = "never shown"
    specificity: float = 1.0
    lift: float = 0.0


@dataclass(frozen=True, slots=True)
class Likeness:
    """How nearly the window says what a memory says: the highest cosine and the highest share of the memory's stems
    among the statements that nothing speaks against. The cosine is None where there were no two vectors to compare.
    """

    cosine: float | None
    containment: float


@dataclass(frozen=True, slots=True)
class Candidate:
    """A memory on its way through the stages, by its best passage; each stage returns a new one.

    `factors` are the weighted parts of `relevance` by name; `rank` counts from 1, `rank_before` is by relevance alone.
    `likeness` is None if it was not compared with the window; `propensity` is the chance it had of being shown.
    """

    hit: Hit
    relevance: float = 0.0
    factors: Mapping[str, float] = field(default_factory=dict)
    boost: Boost = field(default_factory=Boost)
    score: float = 0.0
    rank_before: int = 0
    rank: int = 0
    tokens: int = 0
    likeness: Likeness | None = None
    propensity: float = 1.0


@dataclass(frozen=True, slots=True)
class Fate:
    """Where a candidate ended: one disposition, the number that decided it, and what that number means."""

    candidate: Candidate
    disposition: Disposition
    value: float
    because: str


@dataclass(frozen=True, slots=True)
class Sifted:
    """What a stage kept, in order, and what it dropped, with the number that decided."""

    kept: tuple[Candidate, ...]
    dropped: tuple[Fate, ...] = ()


@dataclass(frozen=True, slots=True)
class Trace:
    """A turn explained: the query, the channels that arrived, every candidate's fate, and milliseconds by stage.

    `record` is what its stages were given and what became of the candidates, as it is stored (`cognitive.recording`).
    """

    query: str
    policy: str
    now: datetime
    channels: tuple[str, ...] = ()
    fates: tuple[Fate, ...] = ()
    timings: Mapping[str, float] = field(default_factory=dict)
    record: str | None = None

    def of(self, memory_id: UUID) -> Fate | None:
        """The fate of one memory, or None if it was no candidate."""
        return next((fate for fate in self.fates if fate.candidate.hit.memory_id == memory_id), None)

    def as_json(self) -> dict[str, Any]:
        """What is stored: ids and numbers, no memory's text, so that erasing a memory erases its words here too."""
        return {
            "query": self.query,
            "policy": self.policy,
            "now": self.now.isoformat(),
            "channels": list(self.channels),
            "timings": {name: round(value, 3) for name, value in self.timings.items()},
            "decoys": [str(id) for id in decoys(self.fates)],
            "record": self.record,
        }


def decoys(fates: Sequence[Fate]) -> list[UUID]:
    """The first few by rank that were found and not shown, for no reason that lies in what they say."""
    passed_over = ("irrelevant", "over_limit", "over_budget")
    return [fate.candidate.hit.memory_id for fate in fates if fate.disposition in passed_over][:_DECOYS]


def compared(fates: Sequence[Fate]) -> Mapping[tuple[UUID, int], Likeness]:
    """The likenesses of all candidates that were compared with the window, by memory and ordinal."""
    candidates = [fate.candidate for fate in fates]
    return {(c.hit.memory_id, c.hit.ordinal): c.likeness for c in candidates if c.likeness is not None}
