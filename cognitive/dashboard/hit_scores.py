"""Explain the scores of the hits of a search: the factors of relevance, the legend of the bars, and the raw scores."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass

from cognitive.recall_hits import RecallHit

_FACTOR_PREFIX = "relevance."  # begins the names of weighted factors in the scores of a recall hit
_COLOURS = 8  # of the parts of a bar
_OTHER = "other"  # the name of the parts for which there is no colour


@dataclass(frozen=True, slots=True)
class Score:
    """The score of a search hit, explained.

    `parts` are the factors of its relevance (name, value, length of the bar). `bars` are those greater than zero (name,
    value), one for each name of the legend. `channels` has the raw scores of the searches by words and by meaning, and
    the boost, by which past use changes the score. `count` is the number of memories in nearly the same words that the
    hit represents.
    """

    rank: int
    score: float
    relevance: float
    parts: tuple[tuple[str, float, float], ...]
    bars: tuple[tuple[str, float], ...]
    channels: tuple[tuple[str, float], ...]
    count: int = 1

    @property
    def change(self) -> str:
        """The score minus the relevance with its sign, or "" for none: what past use and the rules change."""
        change = round(self.score, 3) - round(self.relevance, 3)
        return f"{change:+.3f}".replace("-", "−") if abs(change) > 0.0005 else ""


def legend(hits: Sequence[RecallHit]) -> tuple[str, ...]:
    """Return the names of the factors that the bars of these hits show, the one with the largest value first.

    If there are more factors than colours, the smallest ones are shown together as `_OTHER`.
    """
    largest: dict[str, float] = {}
    for name, value in (factor for hit in hits for factor in _factors(hit).items()):
        if value > 0:
            largest[name] = max(value, largest.get(name, 0.0))
    names = sorted(largest, key=lambda name: -largest[name])
    return tuple(names if len(names) <= _COLOURS else [*names[: _COLOURS - 1], _OTHER])


def score_of(rank: int, hit: RecallHit, names: Sequence[str]) -> Score:
    """Return the score of the hit at a rank, explained. `names` are those of the `legend`."""
    factors = _factors(hit)
    largest = max((abs(value) for value in factors.values()), default=0.0) or 1.0
    by_size = sorted(factors.items(), key=lambda factor: (-abs(factor[1]), factor[0]))
    channels = {name: value for name, value in hit.scores.items() if not name.startswith(_FACTOR_PREFIX)}
    relevance = channels.pop("relevance", 0.0)
    shown = {name: value for name, value in factors.items() if value > 0}
    other = sum(value for name, value in shown.items() if name not in names)
    return Score(
        rank,
        hit.score,
        relevance,
        tuple((name, value, abs(value) / largest) for name, value in by_size if value),
        tuple((name, other if name == _OTHER else shown.get(name, 0.0)) for name in names),
        tuple((name.replace("_", " "), value) for name, value in sorted(channels.items())),
        hit.count,
    )


def _factors(hit: RecallHit) -> dict[str, float]:
    """Return the factors of a hit's relevance, by the names that the page shows."""
    return {
        name.removeprefix(_FACTOR_PREFIX).replace("_", " "): value
        for name, value in hit.scores.items()
        if name.startswith(_FACTOR_PREFIX)
    }
