"""Measure the regret with and without feedback over many turns in a simulation with a known truth.

    python tests/simulation/regret.py 5 1000

The arguments are the numbers of seeds (5, 10 or 20) and of turns. Every arm gets the same messages and random numbers;
each learns only from the memories that it showed, through labels that may be wrong. The arm "ours" is the product's:
the usage of memories, the past turns most similar to the message with the relevance gap of each memory, and decoys
that estimate wrong credit. The product also makes candidates of memories that similar turns used; here the candidates
are the same for every arm. Regret is the number of used memories among the best five candidates minus that among the
shown ones, in expectation and summed over turns. The script prints one table row per kind of labels and arm: regret
at checkpoints, and the paired difference to no feedback, with 95 % intervals over seeds.
"""

from __future__ import annotations

import sys
from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass
from datetime import datetime, timedelta
from uuid import UUID

import numpy as np
from world import DIMENSIONS, START, World, memory

from brain.decay import added
from brain.past_turns import PastShown, PastTurn
from brain.search import Masses, SearchResult
from cognitive.context.ranking import rank
from cognitive.context.usage import combined_boosts
from cognitive.policy import Policy
from cognitive.policy.constants import CONSTANTS
from cognitive.trace import Boost, Candidate

SHOWN = 5
DECOYS = 5
CANDIDATES = 30
TURNS_A_DAY = 50
WORDS = 0.2  # the weight of the second view in relevance
POLICY = Policy()
STUDENT = {5: 2.776, 10: 2.262, 20: 2.093}  # 97.5 % quantiles of t by the number of seeds

Earned = Callable[[SearchResult, datetime], Mapping[UUID, Boost]]
Order = Callable[[Sequence[Candidate], Mapping[UUID, Boost]], Sequence[Candidate]]


@dataclass(frozen=True)
class Labels:
    """The errors of attribution: the probabilities of missing a use and of crediting an unused memory."""

    missed: float
    invented: float


LABELS = {"clean": Labels(0.0, 0.0), "noisy": Labels(0.3, 0.2), "uninformative": Labels(0.7, 0.3)}


@dataclass(frozen=True)
class Arm:
    """A way to order by usage: the boost of each memory, and its combination with relevance.

    A memory that is not shown is not used, so that only wrong labels credit a decoy. `known_anyway` is the worst case:
    answers contain the memories whether they are shown or not, and decoys are labelled like shown memories.
    """

    earned: Earned
    order: Order
    known_anyway: bool = False


def nothing_earned(found: SearchResult, now: datetime) -> Mapping[UUID, Boost]:
    return {hit.memory_id: Boost() for hit in found.hits}


def earned_by_the_seeds_rule(found: SearchResult, now: datetime) -> Mapping[UUID, Boost]:
    """Return 0.5 + used / shown from two showings on, without decay."""
    return {
        hit.memory_id: Boost(0.5 + hit.times_used / hit.times_shown if hit.times_shown >= 2 else 1.0)
        for hit in found.hits
    }


def earned_by_ours(found: SearchResult, now: datetime) -> Mapping[UUID, Boost]:
    return combined_boosts(found, now, POLICY, CONSTANTS)


def multiplied(candidates: Sequence[Candidate], earned: Mapping[UUID, Boost]) -> Sequence[Candidate]:
    return sorted(candidates, key=lambda each: -each.relevance * earned[each.hit.memory_id].factor)


def ranked(candidates: Sequence[Candidate], earned: Mapping[UUID, Boost]) -> Sequence[Candidate]:
    return rank(candidates, earned, POLICY, CONSTANTS)


ARMS = {
    "no feedback": Arm(nothing_earned, ranked),
    "seed's rule": Arm(earned_by_the_seeds_rule, multiplied),
    "ours": Arm(earned_by_ours, ranked),
    "ours, known anyway": Arm(earned_by_ours, ranked, known_anyway=True),
}


@dataclass
class Usage:
    """The usage counters that the store keeps for a memory or a type."""

    times_shown: int = 0
    times_used: int = 0
    shown: float = 0.0
    used: float = 0.0
    at: datetime = START

    def add(self, used: bool, at: datetime) -> None:
        self.times_shown, self.times_used = self.times_shown + 1, self.times_used + used
        self.shown, _ = added(self.shown, self.at, 1.0, at, POLICY.usage.half_life_days)
        self.used, self.at = added(self.used, self.at, float(used), at, POLICY.usage.half_life_days)


@dataclass(frozen=True)
class ClosedTurn:
    """A stored turn: its time and the usage of its shown memories."""

    at: datetime
    shown: tuple[PastShown, ...]


class Ledger:
    """The usage of every memory and the past turns, with the interface of a search and of a closed turn."""

    def __init__(self, memories: int) -> None:
        self._own = [Usage() for _ in range(memories)]
        self._all, self._decoys = Usage(), Usage()
        self._turns: list[ClosedTurn] = []
        self._vectors = np.empty((0, DIMENSIONS))

    def found(self, numbers: Sequence[int], vector: np.ndarray) -> SearchResult:
        hits = []
        for n in numbers:
            own = self._own[n]
            hits.append(
                memory(
                    n,
                    usage_shown=own.shown,
                    usage_used=own.used,
                    times_shown=own.times_shown,
                    times_used=own.times_used,
                    usage_at=own.at if own.times_shown else None,
                )
            )
        shown, decoys = self._all, self._decoys
        base = {"fact": Masses(shown.shown, shown.used, shown.at, decoys.shown, decoys.used)}
        return SearchResult(tuple(hits), base=base if self._turns else {}, past=self._past(vector))

    def _past(self, vector: np.ndarray) -> tuple[PastTurn, ...]:
        """Return the recent turns most similar to the message; the word similarity is that of the vectors."""
        first = max(0, len(self._turns) - CONSTANTS.association_max_turns)
        cosines = self._vectors[first : len(self._turns)] @ vector
        return tuple(
            PastTurn(str(n), self._turns[n].at, cosine, max(0.0, cosine), self._turns[n].shown)
            for n, cosine in (
                (first + int(n), float(cosines[n]))
                for n in np.argsort(-cosines, kind="stable")[: CONSTANTS.association_max_similar]
                if cosines[n] >= CONSTANTS.association_min_cosine
            )
        )

    def learn(
        self,
        vector: np.ndarray,
        labels: Mapping[int, bool],
        relevance_gap: np.ndarray,
        decoys: Sequence[bool],
        at: datetime,
    ) -> None:
        """Store the labels and relevance gaps of the shown memories, and the labels of the decoys."""
        for n, used in labels.items():
            self._own[n].add(used, at)
            self._all.add(used, at)
        for credited in decoys:
            self._decoys.add(credited, at)
        if len(self._turns) == len(self._vectors):
            self._vectors = np.concatenate([self._vectors, np.empty((max(64, len(self._vectors)), DIMENSIONS))])
        self._vectors[len(self._turns)] = vector
        shown = (PastShown(UUID(int=n), used, float(relevance_gap[n])) for n, used in labels.items())
        self._turns.append(ClosedTurn(at, tuple(shown)))


def regrets(arm: Arm, labels: Labels, seed: int, turns: int) -> np.ndarray:
    """Return the regret of each turn against the best choice among its candidates, shape (turns,)."""
    world = World(seed)
    luck = np.random.default_rng((seed, 1))
    ledger, lost = Ledger(world.size), np.zeros(turns)
    for turn in range(turns):
        now, message = START + timedelta(days=turn / TURNS_A_DAY), world.message()
        relevance = message.relevance(WORDS)
        numbers = [int(n) for n in np.argsort(-relevance, kind="stable")[:CANDIDATES]]
        found = ledger.found(numbers, message.vector)
        candidates = [Candidate(hit, relevance=float(relevance[hit.memory_id.int])) for hit in found.hits]
        ordered = [each.hit.memory_id.int for each in arm.order(candidates, arm.earned(found, now))]
        shown, decoys = ordered[:SHOWN], ordered[SHOWN : SHOWN + DECOYS]
        used = luck.random(world.size) < message.rates
        if not arm.known_anyway:
            used[decoys] = False
        wrong = luck.random(world.size)
        label = np.where(used, wrong >= labels.missed, wrong < labels.invented)
        ledger.learn(
            message.vector,
            {n: bool(label[n]) for n in shown},
            relevance.max() - relevance,
            [bool(label[n]) for n in decoys],
            now,
        )
        lost[turn] = np.sort(message.rates[numbers])[-SHOWN:].sum() - message.rates[shown].sum()
    return lost


def cumulative(arm: Arm, labels: Labels, seeds: int, turns: int) -> np.ndarray:
    """Return the cumulative regret at each turn, shape (seeds, turns)."""
    return np.cumsum([regrets(arm, labels, seed, turns) for seed in range(seeds)], axis=1)


def mean(values: np.ndarray) -> str:
    """Return the mean over seeds with its 95 % interval as text."""
    return f"{values.mean():.0f} ± {STUDENT[len(values)] * values.std(ddof=1) / np.sqrt(len(values)):.0f}"


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
