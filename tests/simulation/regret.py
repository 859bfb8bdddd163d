"""What feedback costs and brings over many turns, in a world where the truth is known.

    python tests/simulation/regret.py 5 1000

The arguments are the numbers of seeds (5, 10 or 20) and of turns. Every arm meets the same messages and the same luck;
each learns only from what it showed itself, through labels that may be wrong. Our arm is the product's: the usage of
memories, the past turns most like the message with what each memory lacked in them, and decoys by which labels are
doubted. The product also makes candidates of what similar turns used; here they are the same for every arm. Regret is
what the best five of the candidates would have been worth, less what those shown were, in used memories, summed over
turns. Prints one line of a table per kind of labels and arm: regret at checkpoints, and the paired difference to no
feedback, with 95 % intervals over seeds.
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
    """How attribution errs: the probability of missing a use, and of crediting what was not used."""

    missed: float
    invented: float


LABELS = {"clean": Labels(0.0, 0.0), "noisy": Labels(0.3, 0.2), "uninformative": Labels(0.7, 0.3)}


@dataclass(frozen=True)
class Arm:
    """A way to let usage move the order: what every memory found has earned, and how that and relevance combine.

    What is not shown is not used, so a decoy is credited only by labels that invent uses. `known_anyway` is the worst
    case instead: answers say what the memories say whether they are shown or not, and decoys are labelled like those.
    """

    earned: Earned
    order: Order
    known_anyway: bool = False


def nothing_earned(found: SearchResult, now: datetime) -> Mapping[UUID, Boost]:
    return {hit.memory_id: Boost() for hit in found.hits}


def earned_by_the_seeds_rule(found: SearchResult, now: datetime) -> Mapping[UUID, Boost]:
    """0.5 + used / shown from two showings on, and never forgotten."""
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
    """What the store keeps of a memory or a type, as events come in."""

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
class Closed:
    """A turn as it is kept: when it was, and what became of what it showed."""

    at: datetime
    shown: tuple[PastShown, ...]


class Ledger:
    """The usage of every memory and the turns, read as a search would find them and fed as a closed turn would."""

    def __init__(self, memories: int) -> None:
        self._own = [Usage() for _ in range(memories)]
        self._all, self._decoys = Usage(), Usage()
        self._turns: list[Closed] = []
        self._asked = np.empty((0, DIMENSIONS))

    def found(self, numbers: Sequence[int], asked: np.ndarray) -> SearchResult:
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
        return SearchResult(tuple(hits), base=base if self._turns else {}, past=self._past(asked))

    def _past(self, asked: np.ndarray) -> tuple[PastTurn, ...]:
        """The latest turns most like the message. The world has no words: they are as alike as the vectors."""
        first = max(0, len(self._turns) - CONSTANTS.association_max_turns)
        cosines = self._asked[first : len(self._turns)] @ asked
        return tuple(
            PastTurn(str(n), self._turns[n].at, cosine, max(0.0, cosine), self._turns[n].shown)
            for n, cosine in (
                (first + int(n), float(cosines[n]))
                for n in np.argsort(-cosines, kind="stable")[: CONSTANTS.association_max_similar]
            )
        )

    def learn(
        self,
        asked: np.ndarray,
        labels: Mapping[int, bool],
        relevance_gap: np.ndarray,
        decoys: Sequence[bool],
        at: datetime,
    ) -> None:
        """What was shown with its label and what its relevance lacked, and how decoys were labelled."""
        for n, used in labels.items():
            self._own[n].add(used, at)
            self._all.add(used, at)
        for credited in decoys:
            self._decoys.add(credited, at)
        if len(self._turns) == len(self._asked):
            self._asked = np.concatenate([self._asked, np.empty((max(64, len(self._asked)), DIMENSIONS))])
        self._asked[len(self._turns)] = asked
        shown = (PastShown(UUID(int=n), used, float(relevance_gap[n])) for n, used in labels.items())
        self._turns.append(Closed(at, tuple(shown)))


def regrets(arm: Arm, labels: Labels, seed: int, turns: int) -> np.ndarray:
    """What each turn lost against the best choice among its candidates, shape (turns,)."""
    world = World(seed)
    luck = np.random.default_rng((seed, 1))
    ledger, lost = Ledger(world.size), np.zeros(turns)
    for turn in range(turns):
        now, message = START + timedelta(days=turn / TURNS_A_DAY), world.message()
        relevance = message.relevance(WORDS)
        numbers = [int(n) for n in np.argsort(-relevance, kind="stable")[:CANDIDATES]]
        found = ledger.found(numbers, message.asked)
        candidates = [Candidate(hit, relevance=float(relevance[hit.memory_id.int])) for hit in found.hits]
        ordered = [each.hit.memory_id.int for each in arm.order(candidates, arm.earned(found, now))]
        shown, decoys = ordered[:SHOWN], ordered[SHOWN : SHOWN + DECOYS]
        used = luck.random(world.size) < message.rates
        if not arm.known_anyway:
            used[decoys] = False
        wrong = luck.random(world.size)
        label = np.where(used, wrong >= labels.missed, wrong < labels.invented)
        ledger.learn(
            message.asked,
            {n: bool(label[n]) for n in shown},
            relevance.max() - relevance,
            [bool(label[n]) for n in decoys],
            now,
        )
        lost[turn] = np.sort(message.rates[numbers])[-SHOWN:].sum() - message.rates[shown].sum()
    return lost


def cumulative(arm: Arm, labels: Labels, seeds: int, turns: int) -> np.ndarray:
    """Regret summed up to each turn, shape (seeds, turns)."""
    return np.cumsum([regrets(arm, labels, seed, turns) for seed in range(seeds)], axis=1)


def mean(values: np.ndarray) -> str:
    """The mean over seeds with its 95 % interval."""
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
