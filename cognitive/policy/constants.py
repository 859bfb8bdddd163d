"""Constants of retrieval and of `assemble`, each with the measurement that chose it."""

from __future__ import annotations

import hashlib
import json
from dataclasses import asdict, dataclass
from functools import cached_property


@dataclass(frozen=True, kw_only=True)
class Constants:
    """Constants of retrieval and of `assemble`, in one value so that a test or a benchmark can replace some of them."""

    # --- time ---
    embedding_time_share: float = 0.6  # of the deadline at most, to embed the query; lexical search needs the rest
    ranking_time_share: float = 0.1  # of what is left when the search begins: to rank, render and record takes 25 ms

    # --- retrieval ---
    candidates_per_result: int = 4  # passages fetched for each memory wanted; 8 find less

    # --- dedup ---
    lexical_dedup_threshold: float = 0.5  # containment that suffices where there are no vectors (the seed's fallback)
    max_window_sentences: int = 24  # embedded per turn; the others are compared by their stems

    # --- usage ---
    min_boost: float = 0.5  # of a memory that is never used when shown
    max_boost: float = 1.5  # of a memory that is always used when shown

    # --- association ---
    association_max_turns: int = 2_000  # latest completed turns that are compared, which takes 4 to 15 ms
    association_max_similar: int = 32  # most similar of them
    association_full_similarity: float = 0.78  # similarity from which a past turn asks the same
    association_lexical_share: float = 0.2  # of a similarity; the rest is the cosine

    # --- versions of a memory ---
    version_threshold: float = 0.7  # share of their stems from which two texts are versions of one; the newer is first
    superseded_factor: float = 0.5  # a replaced memory can still be found, below what replaced it

    # --- budgets ---
    score_exponent: float = 6.0  # twice the relevance is far more than twice the chance of evidence
    diversity_penalty: float = 0.5  # of a memory's worth goes with the words that chosen ones say, where not all fit
    token_cost_exponent: float = (
        0.0  # of the tokens that a worth is divided by; 0.5 and 1 lose up to 3 points of evidence
    )
    min_learned_budget: float = 0.5  # of the planned tokens: no type is unlearnt for good
    max_learned_budget: float = 1.5  # of the planned tokens: no type crowds out the others
    learned_budget_prior: float = 20.0  # showings of a type that count as much as what is known of all types

    @cached_property
    def digest(self) -> str:
        """Twelve hexadecimal digits that change with any constant; recorded with every turn."""
        return hashlib.sha256(json.dumps(asdict(self), sort_keys=True).encode()).hexdigest()[:12]

    def association_cosine(self, min_similarity: float) -> float:
        """Return the cosine below which no past turn reaches a similarity, whatever words it shares with the
        message.
        """
        return max(0.0, (min_similarity - self.association_lexical_share) / (1 - self.association_lexical_share))


CONSTANTS = Constants()
