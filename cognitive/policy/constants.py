"""Constants of retrieval and ranking, each with the measurement from which its value was chosen."""

from __future__ import annotations

import hashlib
import json
from collections.abc import Mapping
from dataclasses import asdict, dataclass, field
from functools import cached_property

# Weights of the terms of evidence (`cognitive.context.evidence`), with and without vectors, fitted by
# `python -m benchmarks.ranking fit`. Those in _BY_HAND were not fitted, since the evaluation sets lack past use, and
# messages that are little more than an identifier: their cosine with the memory that contains it is .2 to .4. `ours` is
# fitted as 1.3, with which more questions of neighbouring stores show something (.19 instead of .14 in decisions).
_BY_HAND = {"past_use": 2.0, "similar_turns": 10.0, "identified": 4.0}
EVIDENCE = {
    "base": -5.994,
    "best_cosine": 16.396,
    "shared_words": 2.017,
    "rare_words": 1.058,
    "speaker": 2.236,
    "unknown_name": -1.152,
    "own": 1.866,
    "ours": 1.0,
    "store_size": -0.618,
    **_BY_HAND,
}
EVIDENCE_BY_WORDS = {
    "base": -2.023,
    "shared_words": 4.758,
    "rare_words": 2.559,
    "speaker": 3.438,
    "unknown_name": -0.717,
    "own": 1.425,
    "ours": 1.0,
    "store_size": -0.581,
    **_BY_HAND,
}


@dataclass(frozen=True, kw_only=True)
class Constants:
    """Constants of retrieval and ranking, as one object so that a test or a benchmark can replace some of them."""

    # --- time ---
    embedding_time_share: float = 0.6  # maximum share of the deadline to embed the query; lexical search needs the rest
    ranking_time_share: float = 0.1  # of the time left when the search begins; ranking and recording take 25 ms

    # --- retrieval ---
    # Passages that each channel fetches per memory that a turn may show, or that `recall` was asked for. With two,
    # a turn takes 3 % less time, and misses newer versions among rivals and evidence of BEAM (0.583 instead of 0.587).
    candidates_per_result: int = 3
    candidates_per_recalled: int = 4
    # Of these, the memories that are ranked, per memory that a turn may show, or that `recall` was asked for. A turn
    # also ranks the best of each type, so that low limits leave no type out. With all, turns show one more answer of
    # 222 to questions about mixed types. The ten best of 40 are as good as those of all; those of 20 lack evidence of
    # BEAM (R@10 0.637 instead of 0.696).
    ranked_per_result: float = 1.5
    ranked_of_type: int = 2
    ranked_per_recalled: int = 4

    # --- dedup ---
    lexical_dedup_threshold: float = 0.5  # containment of a repetition if there are no vectors
    max_window_sentences: int = 24  # sentences of the conversation embedded per turn; others are compared by stems

    # --- evidence ---
    evidence: Mapping[str, float] = field(default_factory=lambda: dict(EVIDENCE), hash=False)
    evidence_by_words: Mapping[str, float] = field(default_factory=lambda: dict(EVIDENCE_BY_WORDS), hash=False)

    # --- usage ---
    min_boost: float = 0.5  # boost of a memory that is never used when shown
    max_boost: float = 1.5  # boost of a memory that is always used when shown

    # --- association ---
    association_max_turns: int = 2_000  # latest completed turns to compare, which takes 4 to 15 ms
    association_max_similar: int = 32  # most similar turns that count
    association_min_cosine: float = 0.4  # below it, a past turn changes no rank, and is not read
    association_full_similarity: float = 0.8  # similarity at which a past turn counts as the same request
    association_lexical_share: float = 0.2  # share of shared words in a similarity; the rest is the cosine

    # --- versions of a memory ---
    tie_margin: float = 0.05  # of the score range, in which the newer of two texts on one matter is first
    preference_margin: float = 0.15  # the same for wishes of the user; with 0.05, 6 points fewer changes are recognised
    version_threshold: float = 0.6  # share of common stems from which two texts are on one matter
    version_cosine: float = 0.4  # cosine from which wishes, or a claim and the announcement of its change, are
    denied_share: float = 0.6  # share of a statement's stems in a newer denial from which it is about that statement
    max_doubt: float = 0.2  # share of its score that a memory of confidence 0 loses

    # --- talk ---
    # On the score of a line that states nothing. With it, recall@10 falls by 0.010 on BEAM and is unchanged on LoCoMo
    # and REALTALK.
    question_factor: float = 0.5

    # --- budgets ---
    min_learned_budget: float = 0.5  # of the planned tokens, so that a type that is not used can recover
    max_learned_budget: float = 1.5  # of the planned tokens, so that no type crowds out the others
    learned_budget_prior: float = 20.0  # showings of a type that weigh as much as the average of all types

    @cached_property
    def digest(self) -> str:
        """A hash of all constants, 12 hexadecimal digits, recorded with every turn."""
        return hashlib.sha256(json.dumps(asdict(self), sort_keys=True).encode()).hexdigest()[:12]

    def association_cosine(self, min_similarity: float) -> float:
        """Return the lowest cosine that a past turn must have to reach the similarity `min_similarity` to the message.

        The similarity is a weighted sum of the cosine and the share of words in common. The result is the cosine that
        suffices if all words are in common.
        """
        return max(0.0, (min_similarity - self.association_lexical_share) / (1 - self.association_lexical_share))


CONSTANTS = Constants()
