"""What feedback costs and brings over many turns, in a world where the truth is known.

    python tests/simulation/regret.py 10 2000

The arguments are the numbers of seeds and of turns. Every arm meets the same messages and the same luck; each learns
only from what it showed itself, through labels that may be wrong. Regret is what the best five of the candidates would
have been worth, less what those shown were, in used memories, summed over turns. Prints one line of a table per kind
of labels and arm: regret at checkpoints, and the paired difference to no feedback, with 95 % intervals over seeds.
"""

from __future__ import annotations

import sys
from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass
from datetime import datetime, timedelta
from uuid import UUID

import numpy as np
from world import START, World, memory

from brain.decay import added
from brain.search import Found, Masses
from cognitive.context.boost import boosts
from cognitive.context.rank import rank
from cognitive.policy import Policy
from cognitive.trace import Boost, Candidate

SHOWN = 5
CANDIDATES = 30
TURNS_A_DAY = 50
WORDS = 0.2  # the weight of the second view in relevance
POLICY = Policy()

Factors = Callable[[Found, datetime], Mapping[UUID, float]]
Order = Callable[[Sequence[Candidate], Mapping[UUID, float]], Sequence[Candidate]]


@dataclass(frozen=True)
class Labels:
    """How attribution errs: the probability of missing a use, and of crediting what was not used."""

    missed: float
    invented: float


LABELS = {"clean": Labels(0.0, 0.0), "noisy": Labels(0.3, 0.2), "uninformative": Labels(0.7, 0.3)}


@dataclass(frozen=True)
class Arm:
    """A way to let usage move the order: a factor for every memory found, and how factors and relevance combine."""

    factors: Factors
    order: Order


def no_factors(found: Found, now: datetime) -> Mapping[UUID, float]:
    return {hit.memory_id: 1.0 for hit in found.hits}


def seeds_factors(found: Found, now: datetime) -> Mapping[UUID, float]:
    """0.5 + used / shown from two showings on, and never forgotten."""
    return {
        hit.memory_id: 0.5 + hit.times_used / hit.times_shown if hit.times_shown >= 2 else 1.0 for hit in found.hits
    }


def our_factors(found: Found, now: datetime) -> Mapping[UUID, float]:
    return {id: boost.factor for id, boost in boosts(found, now, POLICY).items()}


def multiplied(candidates: Sequence[Candidate], factors: Mapping[UUID, float]) -> Sequence[Candidate]:
    return sorted(candidates, key=lambda each: -each.relevance * factors[each.hit.memory_id])


def ranked(candidates: Sequence[Candidate], factors: Mapping[UUID, float]) -> Sequence[Candidate]:
    return rank(candidates, {id: Boost(factor) for id, factor in factors.items()}, POLICY)


ARMS = {
    "no feedback": Arm(no_factors, ranked),
    "seed's rule": Arm(seeds_factors, multiplied),
    "ours": Arm(our_factors, ranked),
}


@dataclass
class Usage:
    """What the store keeps of a memory or a type, as events come in."""

    times_shown: int = 0
    times_used: int = 0
    shown: float = 0.0
    used: float = 0.0
    at: datetime = START

    def add(self, used: bool, at: datetime) -> None:
        self.times_shown, self.times_used = self.times_shown + 1, self.times_used + used
        self.shown, _ = added(self.shown, self.at, 1.0, at, POLICY.half_life_days)
        self.used, self.at = added(self.used, self.at, float(used), at, POLICY.half_life_days)


class Ledger:
    """The usage of every memory, read as a search would find it and fed as a closed turn would."""

    def __init__(self, memories: int) -> None:
        self._own = [Usage() for _ in range(memories)]
        self._all = Usage()

    def found(self, numbers: Sequence[int]) -> Found:
        hits = []
        for n in numbers:
            own = self._own[n]
            hits.append(
                memory(
                    n, usage_shown=own.shown, usage_used=own.used, times_shown=own.times_shown,
                    times_used=own.times_used, usage_at=own.at if own.times_shown else None,
                )
            )  # fmt: skip
        base = {"fact": Masses(self._all.shown, self._all.used, self._all.at)} if self._all.times_shown else {}
        return Found(tuple(hits), base=base)

    def learn(self, labels: Mapping[int, bool], at: datetime) -> None:
        for n, used in labels.items():
            self._own[n].add(used, at)
            self._all.add(used, at)


def regrets(arm: Arm, labels: Labels, seed: int, turns: int) -> np.ndarray:
    """What each turn lost against the best choice among its candidates, shape (turns,)."""
    world = World(seed)
    luck = np.random.default_rng((seed, 1))
    ledger, lost = Ledger(world.size), np.zeros(turns)
    for turn in range(turns):
        now, message = START + timedelta(days=turn / TURNS_A_DAY), world.message()
        relevance = message.relevance(WORDS)
        numbers = [int(n) for n in np.argsort(-relevance, kind="stable")[:CANDIDATES]]
        found = ledger.found(numbers)
        candidates = [Candidate(hit, relevance=float(relevance[hit.memory_id.int])) for hit in found.hits]
        shown = [each.hit.memory_id.int for each in arm.order(candidates, arm.factors(found, now))[:SHOWN]]
        used = luck.random(world.size) < message.rates
        wrong = luck.random(world.size)
        label = np.where(used, wrong >= labels.missed, wrong < labels.invented)
        ledger.learn({n: bool(label[n]) for n in shown}, now)
        lost[turn] = np.sort(message.rates[numbers])[-SHOWN:].sum() - message.rates[shown].sum()
    return lost


def cumulative(arm: Arm, labels: Labels, seeds: int, turns: int) -> np.ndarray:
    """Regret summed up to each turn, shape (seeds, turns)."""
    return np.cumsum([regrets(arm, labels, seed, turns) for seed in range(seeds)], axis=1)


def mean(values: np.ndarray) -> str:
    """The mean over seeds with its 95 % interval, by Student's t for ten of them."""
    return f"{values.mean():.0f} ± {2.262 * values.std(ddof=1) / np.sqrt(len(values)):.0f}"


def main(seeds: int, turns: int) -> None:
    checkpoints = [turns // 4 - 1, turns - 1]
    plain = cumulative(ARMS["no feedback"], LABELS["clean"], seeds, turns)  # learns nothing from any labels
    for kind, labels in LABELS.items():
        for name, arm in ARMS.items():
            own = plain if name == "no feedback" else cumulative(arm, labels, seeds, turns)
            cells = [f"{mean(own[:, n])} | {mean(own[:, n] - plain[:, n])}" for n in checkpoints]
            sys.stdout.write(f"| {kind} | {name} | {' | '.join(cells)} |\n")
            sys.stdout.flush()


if __name__ == "__main__":
    main(*map(int, sys.argv[1:3]))
