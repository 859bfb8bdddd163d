"""Turns as evidence on another policy: what was shown with which probability, and what the other would have shown."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from typing import NamedTuple
from uuid import UUID

import numpy as np

from cognitive.errors import InvalidInput
from cognitive.lab.intervals import Numbers

_SAME = 1e-6  # propensities are stored as 32-bit floats


@dataclass(frozen=True, slots=True)
class Choice:
    """A candidate that the logging policy or the target policy may show in a turn.

    `propensity` and `target` are the probabilities with which the two show it; `used` is None if it was not shown;
    `predicted` is a model's probability that it is used if shown, made without this turn's outcome.
    """

    memory_id: UUID
    propensity: float
    used: bool | None
    target: float
    predicted: float = 0.0
    tokens: int = 0


@dataclass(frozen=True, slots=True)
class LoggedTurn:
    """A turn with a known outcome, and every choice that either policy could have made in it.

    Of `uncompared` memories that the target shows nobody knows whether the conversation said them.
    """

    turn_id: str
    choices: tuple[Choice, ...]
    uncompared: int = 0


class Log(NamedTuple):
    """All choices as columns, shape (choices,), and the number of the turn of each, counted from 0."""

    turns: int
    turn: np.ndarray
    propensity: Numbers
    target: Numbers
    shown: Numbers
    used: Numbers
    predicted: Numbers
    tokens: Numbers

    def by_turn(self, values: Numbers) -> Numbers:
        """Sums of a column, shape (turns,)."""
        return np.asarray(np.bincount(self.turn, weights=values, minlength=self.turns), dtype=np.float64)


def read(turns: Sequence[LoggedTurn]) -> Log:
    """The columns of a log, in the order of its turn ids.

    Raises:
        InvalidInput: no turns, two of one id, numbers that are no probabilities, or shown without a propensity.
    """
    ordered = sorted(turns, key=lambda turn: turn.turn_id)
    if not ordered:
        raise InvalidInput("turns: expected at least one")
    if len({turn.turn_id for turn in ordered}) < len(ordered):
        raise InvalidInput("turns: two of the same id would count as independent")
    rows = [
        (n, c.propensity, c.target, c.used is not None, c.used is True, c.predicted, c.tokens)
        for n, turn in enumerate(ordered)
        for c in turn.choices
    ]
    columns = np.array(rows, dtype=np.float64).reshape(-1, 7).T
    log = Log(len(ordered), columns[0].astype(np.intp), *columns[1:])
    for name in ("propensity", "target", "predicted"):
        if not ((getattr(log, name) >= 0) & (getattr(log, name) <= 1)).all():
            raise InvalidInput(f"{name}: expected probabilities in [0, 1]")
    if ((log.shown == 1) & (log.propensity == 0)).any():
        raise InvalidInput("propensity: a memory was shown that could not have been")
    return log


def evidence(log: Log) -> tuple[float, float]:
    """The evidence on what the policies do differently, as a number of equally weighted turns, and of uses in them.

    What both show alike cancels out of the difference, however much there is of it; what is left carries the weight
    |target / propensity - 1|. Kish's (Σw)² / Σw² ("Survey Sampling", 1965), by turn since a turn is resampled whole;
    the smaller of what the target adds and what it takes away, since much of one does not make up for little of the
    other. Uses count by their share of Σw², so that many of little weight do not stand for the few that decide.
    Everything, where the policies do not differ.
    """
    change = log.target - log.propensity
    tried = log.propensity > 0
    weight = log.shown * np.abs(np.divide(change, log.propensity, out=np.zeros_like(change), where=tried))
    sides = [weight * side for side in (tried & (change > _SAME), tried & (change < -_SAME)) if side.any()]
    if not sides:
        return float(log.turns), log.turns * _share(log.shown, log.used)
    effective = [_kish(log.by_turn(side)) for side in sides]
    return min(effective), min(turns * _share(side**2, log.used) for turns, side in zip(effective, sides, strict=True))


def _kish(weights: Numbers) -> float:
    squares = float((weights**2).sum())
    return float(weights.sum()) ** 2 / squares if squares > 0 else 0.0


def _share(weights: Numbers, used: Numbers) -> float:
    whole = float(weights.sum())
    return float((weights * used).sum()) / whole if whole > 0 else 0.0


def unsupported_share(log: Log) -> float:
    """The share of what the target shows more often than the logging policy that the latter could not have shown."""
    added = np.maximum(0.0, log.target - log.propensity)
    whole = float(added[added > _SAME].sum())
    return float(added[log.propensity == 0].sum()) / whole if whole > 0 else 0.0
