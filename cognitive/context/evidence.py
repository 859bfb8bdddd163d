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
from cognitive.context.identifiers import contained, identifiers
from cognitive.plan import Plan
from cognitive.policy.constants import Constants
from cognitive.trace import Candidate

_FIRST = 5  # candidates whose cosine counts; the vectors of those that rank lower are near by chance more often
_ROUNDING = 1e-6  # by which sums from the database may differ
_TASK = "task"  # the frame of messages that ask for work
_MEMORY = "memory"  # the category of messages about the user's own matters
_OURS = re.compile(r"\b(?:we|ours?)\b", re.IGNORECASE)


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
    - `unknown_name`: 1 if the message has a name, code or quotation with a word that no memory contains. 0 for a task,
      which may name something that is still to be made.
    - `identified`: 1 if a memory literally contains an identifier of the message, such as a code or a version.
    - `own`: 1 if the message is about the user's own matters (the category memory).
    - `ours`: 1 if the message says "we" or "our", which few messages do that no memory is about.
    - `store_size`: the logarithm of the number of passages, because a large store matches anything a little.
    - `past_use` and `similar_turns`: the boost above 1 of the best match, and the highest lift (see `usage`).
    - `without_vector`: 1 if a candidate has no vector. It has no weight.
    """
    matched = max([candidate.hit.scores.get("content_matched", 0.0) for candidate in candidates])
    boost = candidates[matches.index(max(matches))].boost.factor
    values = {
        "shared_words": matched / max(sum(found.idf.values()), 1e-6),
        "rare_words": matched / idf(found.passages, 0),
        "speaker": float(any("speaker" in candidate.factors for candidate in candidates)),
        "unknown_name": float(plan.frame != _TASK and _names_unknown(candidates, plan.signals.entities, found)),
        "identified": float(_identified(candidates, plan.signals.text)),
        "own": float(_MEMORY in plan.categories),
        "ours": float(_OURS.search(plan.signals.text) is not None),
        "store_size": math.log1p(found.passages),
        "past_use": max(0.0, boost - 1),
        "similar_turns": max(0.0, max([candidate.boost.lift for candidate in candidates])),
    }
    cosines = [candidate.hit.scores.get("content_cosine") for candidate in candidates]
    known = [cosine for cosine in cosines if cosine is not None]
    if known:
        incomplete = float(len(known) < len(cosines))
        values |= {"best_cosine": max(known[:_FIRST]), "without_vector": incomplete}
    return values


def _identified(candidates: Sequence[Candidate], text: str) -> bool:
    """Return True if a memory literally contains an identifier of a message."""
    wanted = identifiers(text)
    return bool(wanted) and any(contained(wanted, candidate.hit.content.casefold()) for candidate in candidates)


def _names_unknown(candidates: Sequence[Candidate], entities: Sequence[str], found: SearchResult) -> bool:
    """Return True if an entity of the message has a word that was searched for, and that no memory contains.

    Word frequencies count the texts of memories. A word that only the context of a candidate has is known too.
    """
    absent = idf(found.passages, 0) - _ROUNDING
    scores = [candidate.hit.scores for candidate in candidates]
    in_context = max([each.get("context_matched", 0.0) - each.get("content_matched", 0.0) for each in scores])
    names = {lexeme for entity in entities for lexeme in lexemes(entity)}
    return in_context < absent and any(found.idf.get(name, 0.0) >= absent for name in names)
