"""Abstention: drop the candidate memories that are probably not about the user's message.

The evidence of all candidates together is compared with the turn's threshold. Then each candidate's match with the
message is compared with the best match.
"""

from __future__ import annotations

import math
from collections.abc import Mapping, Sequence
from dataclasses import dataclass

from brain.claims import announces_change
from brain.search import SearchResult
from cognitive.context import talk
from cognitive.context.evidence import evidence, terms
from cognitive.context.speakers import ASKS_ASSISTANT, ASSISTANTS
from cognitive.plan import Plan
from cognitive.policy import Policy
from cognitive.policy.constants import Constants
from cognitive.trace import Candidate, CandidateResult, StageResult

# The lowest cosine at which a memory may be about a message although they share no word. In tests/data/requests.json,
# one of 30 questions about the past has a lower cosine with its answer, and seven of eight other memories have one.
_NEAR_COSINE = 0.2
# By how much more an assistant's line must match: what it repeats of the user's message matches as well, and says less.
# At 1.6 turns show up to 19 % fewer tokens, and lose no answer of the sets in docs/benchmarks.md.
_ANSWER_FACTOR = 1.6
# By how much less a short memory must match, because it costs few tokens. In carmem and commands, turns show 5 and 7
# answers of a hundred more. A lower share for all memories costs 27 % more tokens in stores of long texts.
_SHORT_FACTOR = 0.8
_SHORT = 160  # characters
# By how much less a line that announces a change must match: beside the older statement, "we sold the van" matches a
# question about the van less well. Two answers of a hundred more are shown in carmem.
_CHANGE_FACTOR = 0.7


def abstain(
    candidates: Sequence[Candidate], found: SearchResult, plan: Plan, policy: Policy, constants: Constants
) -> StageResult:
    """Drop the candidate memories that are not about the message, with the disposition "irrelevant".

    If the evidence of all candidates together is below the turn's threshold, all are dropped. Otherwise each candidate
    is dropped whose match with the message is less than `evidence.min_item_share` of the best match. A memory of at
    most 160 characters must reach 0.8 times that, an assistant's line 1.6 times, unless the message asks what the
    assistant said, and a user's line that announces a change 0.7 times. A line that only asks sets no threshold for
    statements, and is dropped if a statement is kept.
    """
    if not policy.abstention or not candidates:
        return StageResult(tuple(candidates))
    matches = [candidate.match for candidate in candidates]
    threshold = policy.evidence_threshold(plan.frame)
    values = terms(candidates, found, plan, matches)
    total = evidence(values, constants)
    if total < threshold:
        return _drop_all(candidates, total, _too_little(total, threshold, values, found, plan, policy))
    stated = [value for each, value in zip(candidates, matches, strict=True) if not talk.states_nothing(each.hit)]
    best = max(stated or matches)
    minimum = _Minimum(policy.evidence.min_item_share, best, ASKS_ASSISTANT.search(plan.signals.text) is not None)
    kept, below = list[Candidate](), list[CandidateResult]()
    for candidate, match in zip(candidates, matches, strict=True):
        if match >= (min_match := minimum.of(candidate, match)):
            kept.append(candidate)
        else:
            reason = minimum.reason(candidate, match, min_match)
            below.append(CandidateResult(candidate, "irrelevant", match, reason, min_match))
    stating = _only_stating(kept)
    return StageResult(stating.kept, (*below, *stating.dropped))


@dataclass(frozen=True, slots=True)
class _Minimum:
    """The match that each candidate must reach: a share of the best, times a factor for some lines of conversations."""

    share: float
    best: float
    asks_assistant: bool

    def of(self, candidate: Candidate, match: float) -> float:
        """Return the match that a candidate must reach, given its own."""
        hit, min_match = candidate.hit, self.best * self.share * self._factor(candidate)
        if self._is_answer(candidate):
            return min(min_match, self.best)
        # The pattern takes 0.05 ms per line, so it is searched only where it decides.
        if hit.speaker and _CHANGE_FACTOR * min_match <= match < min_match and announces_change(hit.content):
            return _CHANGE_FACTOR * min_match if talk.states(hit.content) else min_match
        return min_match

    def reason(self, candidate: Candidate, match: float, min_match: float) -> str:
        """Return in words why a candidate's match is below `min_match`, and the share of the best that would do."""
        factor = self._factor(candidate)
        of = "an assistant's line" if self._is_answer(candidate) else "a short memory"
        times = f" times {factor:g} for {of}" if factor != 1.0 else ""
        share = f"evidence.min_item_share {self.share:g}{times} of the best match {self.best:.3f}"
        enough = _floor(match / self.best / factor, 2) if 0 <= match < self.best else None
        passes = f"; it passes at a share of at most {enough:.2f}" if enough is not None else ""
        return f"below the threshold of a memory: match {_less(match, min_match)}, {share}{passes}"

    def _factor(self, candidate: Candidate) -> float:
        if self._is_answer(candidate):
            return _ANSWER_FACTOR
        return _SHORT_FACTOR if len(candidate.hit.content) <= _SHORT else 1.0

    def _is_answer(self, candidate: Candidate) -> bool:
        return not self.asks_assistant and (candidate.hit.speaker or "").casefold() in ASSISTANTS


def _only_stating(candidates: Sequence[Candidate]) -> StageResult:
    """Drop the lines that state nothing, such as a question asked before, if any candidate states something."""
    stating = tuple(each for each in candidates if not talk.states_nothing(each.hit))
    if not stating:
        return StageResult(tuple(candidates))
    kept = {id(each) for each in stating}
    reason = "it states nothing, and other memories that match the message do"
    dropped = (CandidateResult(each, "irrelevant", each.match, reason) for each in candidates if id(each) not in kept)
    return StageResult(stating, tuple(dropped))


def _too_little(
    total: float, threshold: float, values: Mapping[str, float], found: SearchResult, plan: Plan, policy: Policy
) -> str:
    """Return in words why the evidence of all memories does not suffice, and the threshold at which it would."""
    cosine = f"{values['best_cosine']:.2f}" if "best_cosine" in values else "unknown"
    if _nothing_near(found):
        numbers = f"evidence {total:.3f}, threshold {threshold:g}"
        return f"nothing stored is about this message: no common word, best cosine {cosine} ({numbers})"
    frame = f"frame_thresholds.{plan.frame}" if plan.frame in policy.evidence.frame_thresholds else "threshold"
    parts = f"best cosine {cosine}, at most {values['shared_words']:.2f} of the message's words, by rarity"
    return (
        f"below the threshold: evidence {_less(total, threshold, f'evidence.{frame} ')} ({parts});"
        f" it passes at a threshold of at most {_floor(total, 2):.2f}"
    )


def _nothing_near(found: SearchResult) -> bool:
    """Return True if no hit has a word of the message, and every hit is far from it in meaning.

    The result is False if no hit has a vector, because other words may say the same.
    """
    scores = [hit.scores for hit in found.hits]
    cosines = [value for each in scores for name, value in each.items() if name.endswith("_cosine")]
    has_word = any(each.get("context_matched") or each.get("content_matched") for each in scores)
    return bool(cosines) and max(cosines) < _NEAR_COSINE and not has_word


def _less(value: float, threshold: float, name: str = "") -> str:
    """Return in words that a value is less than a threshold, rounded so that the two numbers differ."""
    low, high = _floor(value), -_floor(-threshold)
    return f"{low:.3f} is {high - low:.3f} less than {name}{high:.3f}"


def _floor(value: float, decimals: int = 3) -> float:
    """Return a value rounded down."""
    unit = 10.0**-decimals
    return math.floor(round(value / unit, 6)) * unit


def _drop_all(candidates: Sequence[Candidate], value: float, reason: str) -> StageResult:
    return StageResult((), tuple(CandidateResult(candidate, "irrelevant", value, reason) for candidate in candidates))
