"""Evidence: the estimated probability that candidate memories are about the user's message.

It is a logistic regression on a few terms. Its weights are fitted on questions that the stored memories answer and on
messages that they don't (`python -m benchmarks.ranking fit`).
"""

from __future__ import annotations

import math
from collections.abc import Callable, Mapping, Sequence

from brain.search import SearchResult
from brain.terms import idf
from cognitive.plan import Plan
from cognitive.policy.constants import Constants
from cognitive.trace import Candidate

Match = Callable[[Candidate], float]
_MEMORY = "memory"  # the category of messages about the user's own matters


def evidence(values: Mapping[str, float], constants: Constants) -> float:
    """Return the estimated probability, from 0 to 1, for the values of the terms.

    If no candidate has a vector, other weights apply, because the words must suffice. If some have none, the higher of
    the two probabilities counts.
    """
    by_words = _probability(values, constants.evidence_by_words)
    if "best_cosine" not in values:
        return by_words
    total = _probability(values, constants.evidence)
    return max(total, by_words) if values["without_vector"] else total


def _probability(values: Mapping[str, float], weights: Mapping[str, float]) -> float:
    total = sum([weight * values.get(name, 1.0 if name == "base" else 0.0) for name, weight in weights.items()])
    return 1 / (1 + math.exp(-total))


def terms(candidates: Sequence[Candidate], found: SearchResult, plan: Plan, match_of: Match) -> dict[str, float]:
    """Return the terms of the evidence for candidates, which are best first and at least one.

    - `best_cosine` and `first_cosine`: the highest cosine to the message, and that of the first candidate that has a
      vector; missing if none has one.
    - `shared_words`: the highest share of the message's words that one memory contains, by their rarity (idf).
    - `rare_words`: the rarity of these words, in units of a word that no memory has.
    - `speaker`: 1 if the message names the speaker of a memory.
    - `question`, `hint` and `own`: 1 if the message is a question, asks for a memory type, or is about the user's own
      matters (the category memory).
    - `request`: 1 if the message orders work, which needs procedures and facts though it asks for none.
    - `store_size`: the logarithm of the number of passages, because a large store matches anything a little.
    - `past_use` and `similar_turns`: the boost above 1 of the best match, and the highest lift (see `usage`).
    - `without_vector`: 1 if a candidate has no vector. It has no weight.
    """
    matched = max([candidate.hit.scores.get("content_matched", 0.0) for candidate in candidates])
    boost = max(candidates, key=match_of).boost.factor
    values = {
        "shared_words": matched / max(sum(found.idf.values()), 1e-6),
        "rare_words": matched / idf(found.passages, 0),
        "speaker": float(any("speaker" in candidate.factors for candidate in candidates)),
        "question": float(plan.signals.question),
        "hint": float(bool(plan.signals.hints)),
        "own": float(_MEMORY in plan.categories),
        "request": float(_orders_work(plan)),
        "store_size": math.log1p(found.passages),
        "past_use": max(0.0, boost - 1),
        "similar_turns": max(0.0, max([candidate.boost.lift for candidate in candidates])),
    }
    cosines = [candidate.hit.scores.get("content_cosine") for candidate in candidates]
    known = [cosine for cosine in cosines if cosine is not None]
    if known:
        incomplete = float(len(known) < len(cosines))
        values |= {"best_cosine": max(known), "first_cosine": known[0], "without_vector": incomplete}
    return values


def _orders_work(plan: Plan) -> bool:
    """Return True if the message asks for work: a task, or a report of a failure without a question."""
    return plan.frame == "task" or (plan.frame == "debug" and not plan.signals.question)
