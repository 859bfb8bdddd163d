"""What was found: of the questions of each kind, the share whose answer came first, and among the first ten."""

from __future__ import annotations

import statistics
from collections.abc import Sequence
from dataclasses import dataclass, field
from typing import Any

from cognitive.bench.data import Known

_TEN = 10


@dataclass(slots=True)
class Finding:
    """By who was asked and the kind of question, where the answer stood (0 is first, None: nowhere); by who was asked,
    how many memories came where none was wanted."""

    places: dict[str, dict[str, list[int | None]]] = field(default_factory=dict)
    unwanted: dict[str, list[int]] = field(default_factory=dict)

    def add(self, name: str, asked: Known, sources: Sequence[str | None]) -> None:
        """What one of them gave for a question, best first."""
        if asked.source is None:
            self.unwanted.setdefault(name, []).append(len(sources))
        else:
            place = sources.index(asked.source) if asked.source in sources else None
            self.places.setdefault(name, {}).setdefault(asked.kind, []).append(place)

    def told(self) -> dict[str, Any]:
        """Shares over all questions that have an answer, by kind, and of the turns in which none was wanted."""
        kinds = list(dict.fromkeys(kind for by_kind in self.places.values() for kind in by_kind))
        return {
            "recall_at_10": {name: _share(_all(by_kind), _TEN) for name, by_kind in self.places.items()},
            "recall_at_1": {name: _share(_all(by_kind), 1) for name, by_kind in self.places.items()},
            "kinds": {kind: self._kind(kind) for kind in kinds},
            "unwanted": {name: _unwanted(counts) for name, counts in self.unwanted.items()},
        }

    def _kind(self, kind: str) -> dict[str, Any]:
        found = {name: by_kind[kind] for name, by_kind in self.places.items()}
        return {
            "questions": max(len(places) for places in found.values()),
            "recall_at_10": {name: _share(places, _TEN) for name, places in found.items()},
            "recall_at_1": {name: _share(places, 1) for name, places in found.items()},
        }


def _all(by_kind: dict[str, list[int | None]]) -> list[int | None]:
    return [place for places in by_kind.values() for place in places]


def _share(places: Sequence[int | None], first: int) -> float:
    return round(sum(place is not None and place < first for place in places) / len(places), 3)


def _unwanted(counts: Sequence[int]) -> dict[str, float]:
    """The share of turns that brought something, and how many memories a turn brought."""
    return {
        "turns": round(sum(count > 0 for count in counts) / len(counts), 3),
        "memories": round(statistics.mean(counts), 2),
    }
