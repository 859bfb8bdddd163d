"""Rank and select recorded candidates again, and compute the metrics of each set."""

from __future__ import annotations

from collections import defaultdict
from collections.abc import Collection, Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass, field
from itertools import chain
from statistics import fmean
from typing import Any

from benchmarks.ranking.record import RecordedQuestion, RecordedSet
from benchmarks.ranking.sets import BASELINES, EvaluationQuestion
from cognitive.context import dedup
from cognitive.context.assemble import AssembledContext, assemble, order
from cognitive.policy import Policy
from cognitive.policy.constants import CONSTANTS, Constants
from cognitive.preflight.plan import create_plan

KEPT = 20  # memories of the recall tool


def found_at(ranked: Sequence[str], question: EvaluationQuestion, k: int) -> float:
    """Return the share of the gold among the first `k`, or whether one is there if one is enough."""
    found = len(set(ranked[:k]) & question.gold)
    return float(found > 0) if question.any else found / len(question.gold)


def reciprocal_rank(ranked: Sequence[str], gold: Collection[str]) -> float:
    """Return 1 / rank of the first gold, 0 if there is none."""
    return next((1 / (place + 1) for place, source in enumerate(ranked) if source in gold), 0.0)


@dataclass(slots=True)
class Means:
    """Values by name, and their means."""

    values: dict[str, list[float]] = field(default_factory=lambda: defaultdict(list))

    def add(self, name: str, value: float) -> None:
        """Add a value."""
        self.values[name].append(float(value))

    def __getitem__(self, name: str) -> float:
        return fmean(self.values[name]) if self.values.get(name) else float("nan")


def ranked_sources(each: RecordedQuestion, policy: Policy, constants: Constants) -> list[str]:
    """Return the sources of the first 20 memories that the recall tool returns."""
    candidates = order(each.queries, each.recall, each.turn.now, policy, constants)
    return [candidate.hit.source or "" for candidate in candidates[:KEPT]]


def selected(each: RecordedQuestion, policy: Policy, constants: Constants) -> AssembledContext:
    """Plan the turn and select its memories again."""
    turn = each.turn
    plan = create_plan(turn.signals, turn.frame, turn.reasons, policy, turn.thinking, turn.categories)
    compare = dedup.window_comparer(dedup.window(each.stated, each.vectors), policy)
    return assemble(plan, turn, compare, policy, constants=constants)


def measure_recall(recorded: RecordedSet, policy: Policy, constants: Constants = CONSTANTS) -> Means:
    """Return the means of R@k and MRR of the recall tool, for typed sets also ahead of each baseline."""
    means = Means()
    for each in with_answer(recorded):
        add_ranking(means, each.question, ranked_sources(each, policy, constants))
    return means


def add_ranking(means: Means, question: EvaluationQuestion, ranked: Sequence[str]) -> None:
    """Add the metrics of one ranking."""
    for k in (1, 5, 10):
        means.add(f"R@{k}", found_at(ranked, question, k))
    reciprocal = reciprocal_rank(ranked, question.gold)
    means.add("MRR", reciprocal)
    for name, baseline in question.baselines.items():
        means.add(name, reciprocal_rank(baseline, question.gold))
        means.add(f"ahead of {name}", reciprocal - reciprocal_rank(baseline, question.gold))
    if question.stale:
        places = {source: place for place, source in enumerate(ranked)}
        new = min((places.get(source, 99) for source in question.gold), default=99)
        old = min((places.get(source, 98) for source in question.stale), default=98)
        means.add(f"newer first{_linked(question)}", new < old)


def _linked(question: EvaluationQuestion) -> str:
    return f", {question.kind}" if "update" in question.kind else ""


def ahead(means: Means) -> float:
    """Return the MRR less that of the best baseline; not a number without baselines."""
    if not means.values.get("hybrid"):
        return float("nan")
    best = max(BASELINES, key=lambda name: means[name])
    return means[f"ahead of {best}"]


def measure_turns(recorded: RecordedSet, policy: Policy, constants: Constants = CONSTANTS) -> Means:
    """Return the means of what turns show.

    "hidden" is the share of questions whose answer the recall tool has among its first three and the turn doesn't show.
    "lost" are the answers that a turn drops as restated or duplicate. "unrelated" and "near" are the shares of such
    questions for which anything is shown.
    """
    means = Means()
    for each in recorded_questions(recorded):
        made, question = selected(each, policy, constants), each.question
        shown = [candidate.hit.source or "" for candidate in made.shown]
        if not question.gold:
            means.add(question.kind, bool(shown))
            continue
        means.add("shown", found_at(shown, question, len(shown)) if shown else 0.0)
        means.add("nothing", not shown)
        ranked = ranked_sources(each, policy, constants)
        means.add("hidden", found_at(ranked, question, 3) > 0 and not question.gold & set(shown))
        means.add("lost", _lost(made, question))
        if shown:
            means.add("tokens", sum(candidate.tokens for candidate in made.shown))
        if question.stale:
            old = question.stale & set(shown) and not question.gold & set(shown)
            means.add(f"old alone{_linked(question)}", bool(old))
    return means


def _lost(made: AssembledContext, question: EvaluationQuestion) -> bool:
    """Return True if an answer was dropped as a repetition, and none was shown."""
    results = [result for result in made.candidates if result.candidate.hit.source in question.gold]
    dispositions = {result.disposition for result in results}
    return "shown" not in dispositions and not dispositions.isdisjoint({"restated", "duplicate"})


def recorded_questions(recorded: RecordedSet) -> Iterator[RecordedQuestion]:
    """Yield everything that was asked, with an answer or without."""
    yield from chain.from_iterable(store.questions for store in recorded.stores)


def with_answer(recorded: RecordedSet) -> Iterator[RecordedQuestion]:
    """Yield the questions that have an answer."""
    return (each for each in recorded_questions(recorded) if each.question.gold)


def table(rows: Iterable[Mapping[str, Any]]) -> str:
    """Return rows as a Markdown table, whose header has the keys of the first row."""
    lines = [*rows]
    names = list(lines[0])
    body = ["|" + "|".join(_shown(row[name]) for name in names) + "|" for row in lines]
    return "\n".join(["|" + "|".join(names) + "|", "|" + "---|" * len(names), *body])


def _shown(value: Any) -> str:
    return f"{value:.3f}" if isinstance(value, float) else str(value)
