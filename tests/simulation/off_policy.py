"""Measure the coverage of off-policy confidence intervals in a simulation with a known truth.

    python tests/simulation/off_policy.py 400

The argument is the number of replications; further numbers select settings. The logging policy ranks by one view of
relevance and explores; the target policy ranks by both views. Its true value is computed, not simulated. For each
setting and estimator, the script prints turns, exploration, mean effective turns, unsupported share, share of refused
logs and true gain; the shares of intervals that contain the true value (nominal 0.90, 0.95) and the true gain (the
same); and the mean bias of the gain and half-width of its 95 % interval.
"""

from __future__ import annotations

import sys
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass
from uuid import UUID

import numpy as np
from world import Message, World, memory

from cognitive.context.explore import explore
from cognitive.context.ranking import rank
from cognitive.lab.evaluate import Evaluation, evaluate
from cognitive.lab.evidence import LoggedCandidate, LoggedTurn
from cognitive.policy import Policy
from cognitive.policy.constants import CONSTANTS
from cognitive.trace import Boost, Candidate

SHOWN = 5
MESSAGES = 300
LOGGED_WORDS, TARGET_WORDS = 0.0, 0.4  # the weight of the second view in the logging and in the target policy
ESTIMATORS = ("ips", "snips", "doubly_robust")


@dataclass(frozen=True)
class Situation:
    """A recurring message: the candidates that the logging policy shows, those below, and their true rates of use."""

    kept: tuple[Candidate, ...]
    below: tuple[Candidate, ...]
    target: Mapping[UUID, float]
    rates: Mapping[UUID, float]

    def worth(self, shown: Mapping[UUID, float]) -> float:
        return sum(probability * self.rates[id] for id, probability in shown.items())


def situations(seed: int, candidates: int = 10, messages: int = MESSAGES, use: float = 1.0) -> list[Situation]:
    """Return recurring messages; `use` multiplies every rate of use."""
    world = World(seed)
    return [_situation(world.message(), candidates, use) for _ in range(messages)]


def _situation(message: Message, candidates: int, use: float) -> Situation:
    numbers = np.argsort(-message.meaning, kind="stable")[:candidates]
    logged, target = (_ranked(numbers, message.relevance(weight)) for weight in (LOGGED_WORDS, TARGET_WORDS))
    return Situation(
        kept=tuple(logged[:SHOWN]),
        below=tuple(logged[SHOWN:]),
        target={candidate.hit.memory_id: 1.0 for candidate in target[:SHOWN]},
        rates={UUID(int=int(n)): use * float(message.rates[n]) for n in numbers},
    )


def _ranked(numbers: np.ndarray, relevance: np.ndarray) -> list[Candidate]:
    candidates = [Candidate(memory(int(n)), relevance=float(relevance[n])) for n in numbers]
    return rank(candidates, {candidate.hit.memory_id: Boost() for candidate in candidates}, Policy(), CONSTANTS)


def truth(situations: list[Situation], every: int) -> tuple[float, float]:
    """Return the true value of the target policy and its gain over the logging policy."""
    target = float(np.mean([each.worth(each.target) for each in situations]))
    logged = [each.worth(explore("", "agent", each.kept, each.below, every).propensities) for each in situations]
    return target, target - float(np.mean(logged))


def log(situations: list[Situation], turns: int, every: int, seed: int) -> list[LoggedTurn]:
    chance = np.random.default_rng(seed)
    chosen, luck = chance.integers(len(situations), size=turns), chance.random((turns, SHOWN))
    return [_logged(f"{seed}-{n}", situations[chosen[n]], every, luck[n]) for n in range(turns)]


def _logged(turn_id: str, situation: Situation, every: int, luck: np.ndarray) -> LoggedTurn:
    draw = explore(turn_id, "agent", situation.kept, situation.below, every)
    used = {
        each.hit.memory_id: bool(chance < situation.rates[each.hit.memory_id])
        for each, chance in zip(draw.kept, luck, strict=True)
    }
    return LoggedTurn(
        turn_id,
        tuple(
            LoggedCandidate(
                id, draw.propensities.get(id, 0.0), used.get(id), situation.target.get(id, 0.0), predicted=0.3
            )
            for id in draw.propensities.keys() | situation.target.keys()
        ),
    )


def replicate(
    situations: list[Situation], turns: int, every: int, times: int, levels: Sequence[float], resamples: int
) -> Iterator[tuple[Evaluation, ...]]:
    """Yield the evaluations of independently drawn logs at every level."""
    for seed in range(times):
        logged = log(situations, turns, every, seed)
        yield tuple(evaluate(logged, level=level, resamples=resamples) for level in levels)


def holds(evaluation: Evaluation, estimator: str, value: float, gain: float) -> tuple[bool, bool]:
    worth = getattr(evaluation, estimator)
    return worth.used.low <= value <= worth.used.high, worth.gain.low <= gain <= worth.gain.high


def report(turns: int, every: int, times: int, candidates: int = 10, use: float = 1.0) -> str:
    world = situations(1, candidates, use=use)
    value, gain = truth(world, every)
    pairs = list(replicate(world, turns, every, times, levels=(0.90, 0.95), resamples=1000))
    cells = []
    for estimator in ESTIMATORS:
        coverage = np.array([[holds(each, estimator, value, gain) for each in pair] for pair in pairs]).mean(axis=0)
        gains = [getattr(pair[1], estimator).gain for pair in pairs]
        bias = np.mean([each.value for each in gains]) - gain
        width = np.mean([each.high - each.low for each in gains]) / 2
        cells.append(" / ".join(f"{share:.3f}" for share in coverage.T.flatten()) + f" | {bias:+.3f} | ±{width:.3f}")
    refused = np.mean([pair[1].refusal is not None for pair in pairs])
    effective = np.mean([pair[1].effective for pair in pairs])
    start = (
        f"| {turns:,} | 1 in {every} | {effective:.0f} | {pairs[0][1].unsupported:.0%} | {refused:.0%} | {gain:+.3f} |"
    )
    return "\n".join(f"{start} {name} | {cell} |" for name, cell in zip(ESTIMATORS, cells, strict=True))


SETTINGS = (
    {"turns": 500, "every": 4},
    {"turns": 1500, "every": 4},
    {"turns": 5000, "every": 4},
    {"turns": 2500, "every": 2},
    {"turns": 20000, "every": 20},
    {"turns": 5000, "every": 4, "candidates": 30},
    {"turns": 500, "every": 4, "use": 0.1},
    {"turns": 5000, "every": 4, "use": 0.1},
)

if __name__ == "__main__":
    chosen = [SETTINGS[int(n)] for n in sys.argv[2:]] or SETTINGS
    for setting in chosen:
        sys.stdout.write(report(**setting, times=int(sys.argv[1])) + "\n")
        sys.stdout.flush()
