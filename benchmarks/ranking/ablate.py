"""Leave out each factor, term of evidence, stage and constant in turn, and measure the effect on every set.

The figures are differences to the default, in points (hundredths). Below half a point they are noise on these sets.
"""

from __future__ import annotations

from collections.abc import Callable, Iterator, Mapping, Sequence
from dataclasses import dataclass, replace
from itertools import chain
from pathlib import Path
from statistics import fmean
from typing import Any

from benchmarks.ranking.fit import evidence_rows
from benchmarks.ranking.measure import Means, measure_recall, measure_turns, table
from benchmarks.ranking.record import RecordedSet, load
from cognitive.policy import Policy
from cognitive.policy.constants import CONSTANTS, Constants

EVERY = 3  # of the questions, one is selected again for each stage, so that a run stays within 20 minutes


HEADER = """# Ablations

Made by `python -m benchmarks.ranking ablate`. Each row leaves out one part of ranking or selection. The figures are
differences to the default on each set, in points (hundredths), tokens in tokens; below half a point they are noise. The
rows of stages and of evidence are of every third question. For a term of evidence, its mean in the set counts instead
("–": the set does not have it)."""


@dataclass(frozen=True, slots=True)
class Variant:
    """The default policy and constants without one part."""

    name: str
    policy: Policy = Policy()  # noqa: RUF009  # immutable
    constants: Constants = CONSTANTS


def factors(_: RecordedSet) -> Iterator[Variant]:
    """Yield a variant without each factor of relevance, each factor on the score, and each tie-break."""
    weights = Policy().retrieval.relevance
    for name in weights:
        yield Variant(name, Policy(retrieval={"relevance": {**weights, name: 0.0}}))
    yield Variant("doubt", constants=replace(CONSTANTS, max_doubt=0.0))
    yield Variant("lines that only ask", constants=replace(CONSTANTS, question_factor=1.0))
    yield Variant("ties to the newer", constants=replace(CONSTANTS, tie_margin=0.0))
    yield Variant("ties of wishes", constants=replace(CONSTANTS, preference_margin=0.0))
    yield Variant("denials", constants=replace(CONSTANTS, denied_share=2.0))
    yield Variant("announced changes", constants=replace(CONSTANTS, version_cosine=2.0))


def evidence_terms(recorded: RecordedSet) -> Iterator[Variant]:
    """Yield a variant without each term of evidence that the set has. The term's mean is added to the base instead."""
    weights, rows = CONSTANTS.evidence, evidence_rows(recorded, Policy())
    for name in weights:
        mean = fmean([terms.get(name, 0.0) for terms, *_ in rows])
        if name != "base" and mean:
            level = weights["base"] + weights[name] * mean
            yield Variant(name, constants=replace(CONSTANTS, evidence={**weights, "base": level, name: 0.0}))


def stages(_: RecordedSet) -> Iterator[Variant]:
    """Yield a variant without each stage of selection, and without each threshold."""
    yield Variant("abstention", Policy(abstention=False))
    yield Variant("match of a memory", Policy(evidence={"min_item_share": 0.0}))
    yield Variant("dedup", Policy(dedup={"enabled": False}))
    yield Variant("dedup by cosine", Policy(dedup={"threshold": 1.0}))
    yield Variant("dedup by containment", Policy(dedup={"containment_threshold": 1.0}))
    yield Variant("dedup by agreement", Policy(dedup={"agreement_threshold": 1.0}))
    yield Variant("source cap", Policy(trust={"max_per_source": 0}))
    yield Variant("learned budgets", Policy(budgets={"learned": False}))


def _thinned(recorded: RecordedSet) -> RecordedSet:
    stores = [replace(store, questions=store.questions[::EVERY]) for store in recorded.stores]
    return replace(recorded, stores=stores)


def _recall(recorded: RecordedSet, variant: Variant) -> Mapping[str, float]:
    means = measure_recall(recorded, variant.policy, variant.constants)
    return {"": means["MRR"] if recorded.typed else means["R@10"]}


def _turns(*names: str) -> Callable[[RecordedSet, Variant], Mapping[str, float]]:
    def measure(recorded: RecordedSet, variant: Variant) -> Mapping[str, float]:
        means: Means = measure_turns(_thinned(recorded), variant.policy, variant.constants)
        return {name: means[name] for name in names}

    return measure


TABLES = (
    ("Factors of relevance: MRR, of conversations R@10", factors, _recall),
    ("Terms of evidence: shown / unrelated", evidence_terms, _turns("shown", "unrelated")),
    ("Stages: shown / tokens of a turn", stages, _turns("shown", "tokens")),
)


def ablate(candidates: Path, names: Sequence[str]) -> Iterator[str]:
    """Yield the document, a table for each group of variants. Sets are loaded one after another."""
    yield HEADER
    columns: dict[str, dict[str, dict[str, str]]] = {title: {} for title, *_ in TABLES}
    for path in sorted(candidates.glob("*.pickle")):
        if names and path.stem not in names:
            continue
        [recorded] = load(candidates, [path.stem])
        for title, variants, measure in TABLES:
            usual = measure(recorded, Variant(""))
            for variant in variants(recorded):
                row = columns[title].setdefault(variant.name, {})
                row[recorded.name] = _difference(measure(recorded, variant), usual)
    for title, rows in columns.items():
        yield f"\n## {title}\n"
        sets = list(dict.fromkeys(chain.from_iterable(rows.values())))
        lines: list[dict[str, Any]] = [
            {"without": name, **{each: row.get(each, "–") for each in sets}} for name, row in rows.items()
        ]
        yield table(lines)


def _difference(now: Mapping[str, float], usual: Mapping[str, float]) -> str:
    shown = []
    for name, value in now.items():
        change = value - usual[name]
        shown.append(f"{change:+.0f}" if name == "tokens" else f"{100 * change:+.1f}")
    return "/".join(shown)
