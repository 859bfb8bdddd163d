"""Choose the weights of relevance and of evidence on all sets together, and measure each set with itself left out."""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass
from statistics import fmean

import numpy as np
from numpy.typing import NDArray

from benchmarks.ranking.measure import (
    found_at,
    ranked_sources,
    reciprocal_rank,
    recorded_questions,
    table,
    with_answer,
)
from benchmarks.ranking.record import RecordedQuestion, RecordedSet
from cognitive.context import evidence, ranking
from cognitive.context.assemble import order
from cognitive.context.superseded import drop_superseded
from cognitive.context.talk import drop_repeated
from cognitive.policy import Policy
from cognitive.policy.constants import CONSTANTS

LEFT_OUT = "letta-updates"  # its answers replaced others: the tie-breaks decide there, not the weights
ALL_KINDS = "mixed"  # made of parts of other sets, so it is left out with each of them
PARTS = frozenset({"carmem", "decisions", "faq", "howto", "letta-facts"})
MAX_QUESTIONS = 400  # of a set, because one conversation set has more questions than all others together
ROUNDS = 3
# Penalty on the squared distance to the weights of before. Without it, leaving out `mixed` put it 0.165 behind.
_ANCHOR = 5.0
_RIDGE = 1e-3
# Weights of unrelated prompts, and of questions of neighbouring stores, some of which are answered rightly. An answered
# question weighs 1.
_UNRELATED, _NEAR = 1.3, 0.3
# Commands are a large part of what agents are asked, and only one set has them.
_SET_WEIGHTS = {"commands": 4.0}
# Evidence is not fitted on messages that ask for nothing, nor on captured talk, which tests the weights.
_NOT_FITTED = frozenset({"unasked", "talk"})
_BY_HAND = ("past_use", "similar_turns", "identified")  # terms of evidence for what the sets don't have

Weights = NDArray[np.float64]


@dataclass(frozen=True, slots=True)
class Factors:
    """The relevance factors of one question's hits, as a matrix, so that weights can be tried quickly."""

    values: NDArray[np.float64]  # (hits, factors)
    memories: NDArray[np.int64]  # (hits,), the index of each hit's memory
    gold: NDArray[np.bool_]  # (memories,)
    seqs: NDArray[np.int64]  # (memories,)
    answers: int  # of which one is enough, or all are wanted

    @classmethod
    def of(cls, each: RecordedQuestion, names: Sequence[str]) -> Factors:
        """Compute the factors of the hits of the recall tool."""
        hits = each.recall.hits
        rows = ranking.factors(each.recall, each.queries[0], each.turn.now)
        first = {hit.memory_id: hit for hit in reversed(hits)}
        places = {id: n for n, id in enumerate(first)}
        weight = [ranking.score_factor(hit, CONSTANTS) for hit in hits]
        values = np.array([[row.get(name, 0.0) * w for name in names] for row, w in zip(rows, weight, strict=True)])
        return cls(
            values.reshape(len(hits), len(names)),
            np.array([places[hit.memory_id] for hit in hits], dtype=np.int64),
            np.array([hit.source in each.question.gold for hit in first.values()], dtype=bool),
            np.array([hit.seq for hit in first.values()], dtype=np.int64),
            1 if each.question.any else len(each.question.gold),
        )

    def places(self, weights: Weights) -> NDArray[np.int64]:
        """Return the ranks of the gold from 0, by relevance alone, without tie-breaks."""
        best = np.full(len(self.gold), -np.inf)
        np.maximum.at(best, self.memories, self.values @ weights)
        return np.flatnonzero(self.gold[np.lexsort((self.seqs, -best))])


@dataclass(frozen=True, slots=True)
class FittedSet:
    """A set whose ranking is fitted. `baseline` is the MRR of the best baseline; None for conversations."""

    name: str
    questions: Sequence[Factors]
    baseline: float | None

    @classmethod
    def of(cls, recorded: RecordedSet, names: Sequence[str]) -> FittedSet:
        """Compute the factors of the set's questions, and the MRR of its best baseline."""
        asked = [each for each in with_answer(recorded) if each.recall.hits]
        if len(asked) > MAX_QUESTIONS:
            asked = asked[:: len(asked) // MAX_QUESTIONS + 1]
        means: dict[str, list[float]] = {}
        for each in with_answer(recorded):
            for name, ranked in each.question.baselines.items():
                means.setdefault(name, []).append(reciprocal_rank(ranked, each.question.gold))
        best = max([fmean(values) for values in means.values()], default=0.0)
        return cls(recorded.name, [Factors.of(each, names) for each in asked], best if recorded.typed else None)

    def figure(self, weights: Weights) -> float:
        """Return the MRR ahead of the best baseline, or for conversations R@10."""
        ranks = [each.places(weights) for each in self.questions]
        if self.baseline is not None:
            return float(np.mean([1 / (places[0] + 1) if len(places) else 0.0 for places in ranks])) - self.baseline
        found = [int(np.count_nonzero(places < 10)) for places in ranks]
        return float(np.mean([min(n, q.answers) / q.answers for n, q in zip(found, self.questions, strict=True)]))

    def worth(self, weights: Weights) -> float:
        """Return what the objective adds up: below the baseline each point counts five times as much as above."""
        figure = self.figure(weights)
        return 3 * figure if self.baseline is None else 0.5 * figure + 2 * min(0.0, figure - 0.01)


def fit_relevance(sets: Sequence[FittedSet], start: Mapping[str, float]) -> dict[str, float]:
    """Return the weights of the factors, by coordinate ascent from `start`; they add up to 1."""
    anchor = _normal(np.array([*start.values()]))

    def objective(weights: Weights) -> float:
        distance = float(np.sum((_normal(weights) - anchor) ** 2))
        return sum(each.worth(weights) for each in sets) - _ANCHOR * distance

    weights = _ascended(objective, anchor)
    return dict(zip(start, (round(float(each), 4) for each in _normal(weights)), strict=True))


def _normal(weights: Weights) -> Weights:
    return weights / float(weights.sum())


def _ascended(objective: Callable[[Weights], float], start: Weights) -> Weights:
    weights, best = start.copy(), objective(start)
    steps = np.where(start > 0, start / 2, 0.02)
    for _ in range(ROUNDS):
        for n, step in enumerate(steps):
            for direction in (step, -step):
                while True:
                    tried = weights.copy()
                    tried[n] = max(0.0, tried[n] + direction)
                    value = objective(tried)
                    if value <= best + 1e-5:
                        break
                    weights, best = tried, value
        steps /= 2
    return weights


def leave_one_out(sets: Sequence[FittedSet], start: Mapping[str, float]) -> str:
    """Return a table with each set's figure under the weights that were fitted without it."""
    rows = []
    for out in sets:
        if out.name == ALL_KINDS:
            rest = [each for each in sets if each.name not in PARTS | {ALL_KINDS}]
        else:
            rest = [each for each in sets if each is not out and not (each.name == ALL_KINDS and out.name in PARTS)]
        weights = np.array([*fit_relevance(rest, start).values()])
        kind = "R@10" if out.baseline is None else "MRR ahead of the best baseline"
        rows.append({"set left out": out.name, "figure": kind, "value": out.figure(weights)})
    return table(rows)


def fit_evidence(recorded: Sequence[RecordedSet], policy: Policy, *, cosines: bool) -> dict[str, float]:
    """Return the weights of the terms of evidence, by logistic regression; without `cosines` for words alone.

    Questions count as answered if the recall tool has the answer among its first three. In each set the unrelated
    prompts weigh 1.3 times as much as the answered questions.
    """
    rows: list[tuple[Mapping[str, float], bool, float]] = []
    for each in recorded:
        rows += evidence_rows(each, policy)
    fitted_terms = CONSTANTS.evidence if cosines else CONSTANTS.evidence_by_words
    names = [name for name in fitted_terms if name not in ("base", *_BY_HAND)]
    values = np.array([[terms.get(name, 0.0) for name in names] for terms, _, _ in rows])
    scale = values.std(axis=0) + 1e-9
    weights = _logistic(values / scale, np.array([y for _, y, _ in rows]), np.array([w for *_, w in rows]))
    fitted = {name: float(w / s) for name, w, s in zip(names, weights[:-1], scale, strict=True)}
    return {name: round(value, 3) for name, value in {"base": float(weights[-1]), **fitted}.items()}


def evidence_rows(recorded: RecordedSet, policy: Policy) -> list[tuple[Mapping[str, float], bool, float]]:
    """Return for each question of a set the terms of evidence, whether it is answered, and its weight."""
    found: dict[str, list[Mapping[str, float]]] = {"answered": [], "unrelated": [], "near": []}
    for each in recorded_questions(recorded):
        ranked = order(each.plan.retrieval, each.turn.found, each.turn.now, policy, CONSTANTS)
        current = drop_superseded(ranked, history=each.plan.signals.history).kept
        candidates = drop_repeated(current, each.plan.signals.text).kept
        if not candidates:
            continue
        kind = each.question.kind
        if each.question.gold:
            kind = "answered" if found_at(ranked_sources(each, policy, CONSTANTS), each.question, 3) else "missed"
        if kind in found:
            matches = [candidate.match for candidate in candidates]
            found[kind].append(evidence.terms(candidates, each.turn.found, each.plan, matches))
    share = {"answered": 1.0, "unrelated": _UNRELATED, "near": _NEAR}
    weight = _SET_WEIGHTS.get(recorded.name, 1.0)
    return [
        (terms, kind == "answered", weight * share[kind] / len(all_)) for kind, all_ in found.items() for terms in all_
    ]


def _logistic(values: NDArray[np.float64], answered: NDArray[np.bool_], weight: NDArray[np.float64]) -> Weights:
    """Return the weights of a logistic regression with a ridge penalty, the intercept last, by Newton's method."""
    rows = np.hstack([values, np.ones((len(values), 1))])
    weights, weight = np.zeros(rows.shape[1]), weight / weight.sum()
    ridge = np.append(np.full(values.shape[1], _RIDGE), 0.0)
    for _ in range(50):
        p = 1 / (1 + np.exp(-rows @ weights))
        gradient = rows.T @ (weight * (p - answered)) + ridge * weights
        curvature = (rows.T * (weight * p * (1 - p))) @ rows + np.diag(ridge + 1e-9)
        weights = weights - np.linalg.solve(curvature, gradient)
    return weights


def fit(recorded: Sequence[RecordedSet], policy: Policy) -> str:
    """Return the fitted weights, and the figures with each set left out, as text."""
    start = policy.retrieval.relevance
    sets = [FittedSet.of(each, [*start]) for each in recorded if each.name != LEFT_OUT and _ranked(each)]
    weights = fit_relevance(sets, start)
    fitted = policy.model_copy(update={"retrieval": policy.retrieval.model_copy(update={"relevance": weights})})
    lines = [f"relevance = {weights}", leave_one_out(sets, start)]
    known = [each for each in recorded if each.name not in _NOT_FITTED]
    for cosines, name in ((True, "evidence"), (False, "evidence by words")):
        lines.append(f"{name} = {fit_evidence(known, fitted, cosines=cosines)}")
    return "\n\n".join(lines)


def _ranked(recorded: RecordedSet) -> bool:
    """Return True if the set has baselines, or is of conversations."""
    return not recorded.typed or any(each.question.baselines for each in with_answer(recorded))
