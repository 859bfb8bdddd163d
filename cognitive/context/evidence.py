"""Evidence: the estimated probability that candidate memories are about the user's message.

It is a logistic regression on a few terms. Its weights are fitted on questions that the stored memories answer and on
messages that they don't (`python -m benchmarks.ranking fit`).
"""

from __future__ import annotations

import math
import re
from collections.abc import Mapping, Sequence

from brain.search import SearchResult
from brain.terms import idf
from brain.text import lexemes
from cognitive.context.talk_rules import ASKS
from cognitive.plan import Plan
from cognitive.policy.constants import Constants
from cognitive.trace import Candidate

_FIRST = 5  # candidates whose cosine counts; the vectors of those that rank lower are near by chance more often
_ROUNDING = 1e-6  # by which sums from the database may differ
# A thing that is named as if both knew it: "the certificates", "our shop", "Miller's subscription".
_DEFINITE = re.compile(r"\b(?:[Tt]he|[Oo]ur|[Mm]y|[Hh]is|[Hh]er|[Tt]heir|[A-Z]\w+'s) (\w+)")
_ASKS_TO_TELL = re.compile(r"\b(?:tell|show|give|let|remind) (?:me|us)\b", re.IGNORECASE)
_NAMED_IN_ORDER = 0.5  # with 1, a fifth more unrelated prompts show a memory
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


def terms(
    candidates: Sequence[Candidate], found: SearchResult, plan: Plan, matches: Sequence[float]
) -> dict[str, float]:
    """Return the terms of the evidence for candidates, which are best first and at least one, and their matches.

    - `best_cosine`: the highest cosine to the message among the first five candidates that have a vector; missing if
      none has one.
    - `shared_words`: the highest share of the message's words that one memory contains, by their rarity (idf).
    - `rare_words`: the rarity of these words, in units of a word that no memory has.
    - `speaker`: 1 if the message names the speaker of a memory.
    - `unknown_name`: 1 if the message has a name, code or quotation with a word that no memory contains; in an order,
      only if no memory has another name of it.
    - `asks`: 1 if the message has a question mark or a question word, which a mere request ("tell me a joke") lacks.
    - `own`: 1 if the message is about the user's own matters (the category memory), 0.5 if it orders work on a thing
      or name that memories have ("renew the certificates").
    - `request`: the best cosine (without one, the share of words) if the message orders work, which needs procedures
      and facts though it asks for none; else 0.
    - `store_size`: the logarithm of the number of passages, because a large store matches anything a little.
    - `past_use` and `similar_turns`: the boost above 1 of the best match, and the highest lift (see `usage`).
    - `without_vector`: 1 if a candidate has no vector. It has no weight.
    """
    orders = _orders_work(plan)
    matched = max([candidate.hit.scores.get("content_matched", 0.0) for candidate in candidates])
    boost = candidates[matches.index(max(matches))].boost.factor
    values = {
        "shared_words": matched / max(sum(found.idf.values()), 1e-6),
        "rare_words": matched / idf(found.passages, 0),
        "speaker": float(any("speaker" in candidate.factors for candidate in candidates)),
        "unknown_name": float(_names_unknown(candidates, plan.signals.entities, found, order=orders)),
        "asks": float(ASKS.search(plan.signals.text) is not None),
        "own": _own(plan, found, order=orders),
        "store_size": math.log1p(found.passages),
        "past_use": max(0.0, boost - 1),
        "similar_turns": max(0.0, max([candidate.boost.lift for candidate in candidates])),
    }
    cosines = [candidate.hit.scores.get("content_cosine") for candidate in candidates]
    known = [cosine for cosine in cosines if cosine is not None]
    if known:
        incomplete = float(len(known) < len(cosines))
        values |= {"best_cosine": max(known[:_FIRST]), "without_vector": incomplete}
    best = values.get("best_cosine", values["shared_words"])
    return {**values, "request": best if orders else 0.0}


def _names_unknown(
    candidates: Sequence[Candidate], entities: Sequence[str], found: SearchResult, *, order: bool
) -> bool:
    """Return True if an entity of the message has a word that was searched for, and that no memory contains.

    An order may bring a new name into known matters ("book Vera a train to Oslo"): there, no name may be known.

    Word frequencies count the texts of memories. A word that only the context of a candidate has is known too.
    """
    absent = idf(found.passages, 0) - _ROUNDING
    scores = [candidate.hit.scores for candidate in candidates]
    in_context = max([each.get("context_matched", 0.0) - each.get("content_matched", 0.0) for each in scores])
    names = {lexeme for entity in entities for lexeme in lexemes(entity)} & found.idf.keys()
    unknown = {name for name in names if found.idf[name] >= absent}
    return in_context < absent and bool(unknown) and not (order and unknown < names)


def _orders_work(plan: Plan) -> bool:
    """Return True if the message asks for work: a task, or a report of a failure without a question."""
    return plan.frame == "task" or (plan.frame == "debug" and not plan.signals.question)


def _own(plan: Plan, found: SearchResult, *, order: bool) -> float:
    """Return 1 for a message about the user's own matters; half for an order that names a thing which memories have."""
    if _MEMORY in plan.categories:
        return 1.0
    if not order or _ASKS_TO_TELL.search(plan.signals.text):
        return 0.0
    absent = idf(found.passages, 0) - _ROUNDING
    known = {lexeme for lexeme, rarity in found.idf.items() if 0 < rarity < absent}
    things = (*plan.signals.entities, *_DEFINITE.findall(plan.signals.text))
    return _NAMED_IN_ORDER if any(not known.isdisjoint(lexemes(thing)) for thing in things) else 0.0
