"""Collect the results of a suite: what it did (`counts`), broken promises (`violations`), and what it skipped."""

from __future__ import annotations

from collections import Counter, defaultdict
from collections.abc import Iterator, Sequence
from contextlib import contextmanager
from dataclasses import dataclass, field
from typing import Any

_AT = {"p50": 0.5, "p99": 0.99, "max": 1.0}


@dataclass(slots=True)
class SuiteReport:
    """The results of a suite: counts, violations, milliseconds by step, and reasons why parts were skipped."""

    counts: Counter[str] = field(default_factory=Counter)
    violations: Counter[str] = field(default_factory=Counter)
    milliseconds: defaultdict[str, list[float]] = field(default_factory=lambda: defaultdict(list))
    skipped: list[str] = field(default_factory=list)

    def require(self, holds: bool, otherwise: str) -> None:
        """Record the text `otherwise` as a violation unless `holds` is True."""
        if not holds:
            self.violations[otherwise] += 1

    @contextmanager
    def recorded(self, call: str) -> Iterator[None]:
        """Record an error that is raised inside as a violation by `call`, so that the suite goes on."""
        try:
            yield
        except Exception as error:  # whatever a call raises breaks a promise
            self.violations[f"{call} raised {type(error).__name__}: {error}"] += 1

    @property
    def broken(self) -> bool:
        """True if the suite found a violation."""
        return bool(+self.violations)

    def as_json(self) -> dict[str, Any]:
        """Return the results of the suite as JSON data."""
        return {
            "counts": dict(self.counts),
            "milliseconds": {name: _quantiles(taken) for name, taken in self.milliseconds.items()},
            "skipped": self.skipped,
            "violations": dict(+self.violations),
        }


def _quantiles(taken: Sequence[float]) -> dict[str, float]:
    ordered = sorted(taken)
    at = {name: ordered[min(len(ordered) - 1, int(share * len(ordered)))] for name, share in _AT.items()}
    return {"n": len(ordered)} | {name: round(value, 1) for name, value in at.items()}
