"""Compare the candidates of a turn with each other, and keep the most complete of those that say the same."""

from __future__ import annotations

from collections.abc import Collection, Sequence
from functools import cached_property

from brain.types import TRUSTS
from cognitive.context.guards import first_guard
from cognitive.context.sentences import ParsedSentence
from cognitive.context.similarity import Measures, SentenceSet, Thresholds
from cognitive.trace import Candidate, CandidateResult

_MIN_REPLACED = 0.85  # share of a better candidate's stems that a more complete one has
_TAKES = "it takes the place of a less complete memory that says the same"
_GIVES = "a more complete memory took its place"


class Distinct:
    """The candidates that are kept so far.

    Candidates are added from best to worst. A candidate that repeats a kept one is dropped. A candidate that says all
    that a kept one says, and more, exchanges its rank with it, and the kept one is dropped.
    """

    def __init__(self, candidates: Sequence[Candidate], own: Sequence[ParsedSentence], thresholds: Thresholds) -> None:
        self._candidates = candidates
        self._own = own
        self._thresholds = thresholds
        self._kept: dict[int, Candidate] = {}
        self._places: dict[int, int] = {}
        self._compared: set[int] = set()

    @property
    def kept(self) -> tuple[Candidate, ...]:
        """The kept candidates, best first."""
        return tuple(self._kept[n] for n in sorted(self._kept, key=lambda n: self._places[n]))

    @property
    def _comparable(self) -> list[int]:
        return [n for n in self._kept if n in self._compared]

    def keep(self, n: int, candidate: Candidate, *, compared: bool = True) -> None:
        """Keep the candidate at index `n`, which is shown as `candidate`, whatever it repeats.

        Without `compared`, no other candidate is dropped because of it.
        """
        self._kept[n], self._places[n] = candidate, n
        if compared:
            self._compared.add(n)

    def add(self, n: int, candidate: Candidate, fixed: Collection[int]) -> list[CandidateResult]:
        """Keep or drop the candidate at index `n`, and return the results of the candidates that this drops.

        `candidate` is the candidate as it is shown. The kept candidates at the indexes `fixed` are shown by blocks of
        earlier turns and keep their places.
        """
        near = self._near
        for other in [k for k in self._comparable if near[n][k]]:
            verdict = self._restated_by(n, other)
            if verdict is not None:
                says = "an earlier block in the conversation" if other in fixed else "a better candidate"
                return [_duplicate(candidate, verdict, f"{says} says the same")]
        others = [k for k in self._comparable if k not in fixed and near[k][n]]
        less = {k: verdict for k in others if (verdict := self._completes(n, k)) is not None}
        if not less:
            self.keep(n, candidate)
            return []
        first = min(less, key=lambda k: self._places[k])
        replaced = {k: self._kept.pop(k) for k in less}
        self.keep(n, _at_the_rank_of(replaced[first], candidate, _TAKES))
        self._places[n] = self._places[first]
        replaced[first] = _at_the_rank_of(candidate, replaced[first], _GIVES)
        reason = "a more complete candidate says the same"
        return [_duplicate(each, less[k], reason) for k, each in replaced.items()]

    def _completes(self, n: int, k: int) -> tuple[str, float] | None:
        """Return how similar candidate `k` is to candidate `n`, if `n` can replace it, and else None.

        A memory of another type has other limits, and one of lower trust must not hide one of higher trust. Candidate
        `k` is the better match, so `n` must have nearly all words of it.
        """
        more, less = self._candidates[n].hit, self._candidates[k].hit
        if more.type != less.type or TRUSTS.index(more.trust) < TRUSTS.index(less.trust):
            return None
        stems, other = self._own[k].stems, self._own[n].stems
        return self._restated_by(k, n) if len(stems & other) >= _MIN_REPLACED * len(stems) else None

    def _restated_by(self, n: int, other: int) -> tuple[str, float] | None:
        """Return the measure by which candidate `other` says all that candidate `n` says, with its value, or None.

        Candidate `n` is near `other`.
        """
        if first_guard(self._own[n], self._own[other]) is not None:
            return None
        like = self._statements.similarity_to(self._own[n], self._measures, n, other)
        return self._thresholds.verdict(self._own[n], like)

    @cached_property
    def _statements(self) -> SentenceSet:
        return SentenceSet(self._own)

    @cached_property
    def _measures(self) -> Measures:
        """The measures of each candidate for all candidates."""
        return self._statements.measures(self._own)

    @cached_property
    def _near(self) -> list[list[bool]]:
        """Entry [n][k]: whether candidate `n` repeats candidate `k` by its measures, guards apart."""
        return self._thresholds.near(self._own, self._measures)


def _at_the_rank_of(other: Candidate, candidate: Candidate, rule: str) -> Candidate:
    """Return a candidate with the rank of another one, and with the rule that moved it there as the last one.

    The score stays, because it follows from the relevance and the use of the memory.
    """
    return candidate._replace(rank=other.rank, moved=f"{candidate.moved}; {rule}" if candidate.moved else rule)


def _duplicate(candidate: Candidate, verdict: tuple[str, float], reason: str) -> CandidateResult:
    measure, value = verdict
    return CandidateResult(candidate, "duplicate", value, f"{reason} ({measure} {value:.2f})")
