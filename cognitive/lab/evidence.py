"""Logged turns as arrays, and how much they can tell about another policy."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from typing import NamedTuple
from uuid import UUID

import numpy as np
from numpy.typing import NDArray

from cognitive.errors import InvalidInput

_SAME = 1e-6  # propensities are stored as 32-bit floats


@dataclass(frozen=True, slots=True)
class LoggedCandidate:
    """A memory that the logging policy (of the recorded turn) or the target policy (to evaluate) may show in a turn.

    `propensity` and `target` are the probabilities with which the two policies show it. `used` is None if it was not
    shown. `predicted` is a model's probability of its use, made without this turn's outcome.
    """

    memory_id: UUID
    propensity: float
    used: bool | None
    target: float
    predicted: float = 0.0
    tokens: int = 0


@dataclass(frozen=True, slots=True)
class LoggedTurn:
    """A completed turn, with every memory that its own (logging) policy or the policy to evaluate (target) may show.

    `uncompared` counts the memories that the target shows and that the turn did not compare with the conversation.
    """

    turn_id: str
    candidates: tuple[LoggedCandidate, ...]
    uncompared: int = 0


class Log(NamedTuple):
    """The candidates of all logged turns as arrays, one value per candidate; `turn` has the index of its turn."""

    turns: int
    turn: np.ndarray
    propensity: NDArray[np.float64]
    target: NDArray[np.float64]
    shown: NDArray[np.float64]
    used: NDArray[np.float64]
    predicted: NDArray[np.float64]
    tokens: NDArray[np.float64]

    def by_turn(self, values: NDArray[np.float64]) -> NDArray[np.float64]:
        """Return the sum of a column over the candidates of each turn, shape (turns,)."""
        return np.asarray(np.bincount(self.turn, weights=values, minlength=self.turns), dtype=np.float64)


def read(turns: Sequence[LoggedTurn]) -> Log:
    """Convert logged turns to columns, ordered by turn id.

    Raises:
        InvalidInput: there are no turns, two have the same id, a number is not a probability, or a memory was shown
            with propensity 0.
    """
    ordered = sorted(turns, key=lambda turn: turn.turn_id)
    if not ordered:
        raise InvalidInput("turns: expected at least one")
    if len({turn.turn_id for turn in ordered}) < len(ordered):
        raise InvalidInput("turns: two have the same id, and would count as independent")
    rows = [
        (n, c.propensity, c.target, c.used is not None, c.used is True, c.predicted, c.tokens)
        for n, turn in enumerate(ordered)
        for c in turn.candidates
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
    """Return the effective number of turns with evidence on the policies' difference, and the used memories in them.

    A shown memory has the weight |target / propensity - 1|, which is 0 if both policies show it equally. The number of
    turns is Kish's (Σw)² / Σw² ("Survey Sampling", 1965), with w summed by turn, because whole turns are resampled. It
    is computed for the memories that the target policy adds and for those that it removes, and the smaller one is
    returned. Used memories are weighted by their share of Σw². If the policies do not differ, all turns count.
    """
    change = log.target - log.propensity
    tried = log.propensity > 0
    weight = log.shown * np.abs(np.divide(change, log.propensity, out=np.zeros_like(change), where=tried))
    sides = [weight * side for side in (tried & (change > _SAME), tried & (change < -_SAME)) if side.any()]
    if not sides:
        return float(log.turns), log.turns * _share(log.shown, log.used)
    effective = [_kish(log.by_turn(side)) for side in sides]
    return min(effective), min(turns * _share(side**2, log.used) for turns, side in zip(effective, sides, strict=True))


def _kish(weights: NDArray[np.float64]) -> float:
    squares = float((weights**2).sum())
    return float(weights.sum()) ** 2 / squares if squares > 0 else 0.0


def _share(weights: NDArray[np.float64], used: NDArray[np.float64]) -> float:
    whole = float(weights.sum())
    return float((weights * used).sum()) / whole if whole > 0 else 0.0


def unsupported_share(log: Log) -> float:
    """Return the share of the memories added by the target policy that the logging policy could never show."""
    added = np.maximum(0.0, log.target - log.propensity)
    whole = float(added[added > _SAME].sum())
    return float(added[log.propensity == 0].sum()) / whole if whole > 0 else 0.0
