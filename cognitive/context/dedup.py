"""Nothing is shown twice: what the conversation window says already, and what another candidate says better.

Two texts say the same if their vectors agree, if the one's stems stand in the other, or if the two measures agree well
enough together; and if no guard speaks against it (`guards`).
"""

from __future__ import annotations

from bisect import bisect_right
from collections.abc import Callable, Collection, Iterator, Mapping, Sequence
from dataclasses import replace
from functools import reduce
from itertools import accumulate
from typing import Any

import numpy as np
from numpy.typing import NDArray

from brain.contents import Key
from brain.search import Hit
from brain.text import sentence_spans
from brain.types import Vector
from cognitive.context.guards import speaks_against
from cognitive.context.statements import Statement
from cognitive.policy import Policy
from cognitive.trace import Candidate, Disposition, Fate, Likeness, Sifted

_FEWEST_STEMS = 3  # fewer prove nothing: "yes, please" stands in every conversation
_TOGETHER = 3  # consecutive sentences may say what a memory says
_NEGLIGIBLE = 0.45  # of any measure: no policy takes as little for the same, so no guard is asked
_DIGITS = 6  # of a likeness
_CUT = " … "  # where sentences of a memory are left out

Compare = Callable[[Hit, Statement], Likeness | None]
Numbers = NDArray[np.float64]
Best = Callable[[Numbers], float | None]


class Statements:
    """Statements that memories are compared with: each, and on demand what up to three consecutive ones say together.

    All measures of a memory against all of them are taken at once; guards are asked of the nearest ones only.
    """

    def __init__(self, single: Sequence[Statement], *, together: int = 1) -> None:
        self._single = single
        lengths = range(1, min(together, len(single)) + 1)
        self._runs = [(start, start + n) for n in lengths for start in range(len(single) - n + 1)]
        self._lengths = lengths
        self._joined: dict[int, Statement] = dict(enumerate(single))
        self._having: dict[str, list[int]] = {}
        for n, statement in enumerate(single):
            for stem in statement.stems:
                self._having.setdefault(stem, []).append(n)
        self._speaking = self._over_runs(np.array([[one.speaks for one in single]], dtype=bool))[0]
        embedded = [(n, one.vector) for n, one in enumerate(single) if one.vector is not None]
        self._embedded = [n for n, _ in embedded]
        self._vectors = np.stack([vector for _, vector in embedded]) if embedded else None
        spoken = [" ".join(one.words) for one in single]
        self._starts = [0, *accumulate(len(each) + 1 for each in spoken)]
        self._text = f" {' '.join(spoken)} "

    def __len__(self) -> int:
        return len(self._single)

    def likeness(self, memory: Statement) -> Likeness:
        """How nearly these statements say what a memory says, whatever is made of it.

        Rounded, so that what is compared now and what is recorded of it are the same number.
        """
        against: dict[int, bool] = {}
        return self._told(
            memory, self._measured(memory), lambda values: self._best(values, memory, against), self._quotes(memory)
        )

    def likeness_among(self, memory: Statement, among: Sequence[int], policy: Policy) -> Likeness | None:
        """The same of the statements of these numbers alone; None if a policy would not take it for said.

        Guards only lower a measure, and cost more than all of them: where it is not said without them, none is asked.
        """
        measures = [_only(values, among) for values in self._measured(memory)]
        if same(memory, self._told(memory, measures, _highest), policy) is None:
            return None
        against: dict[int, bool] = {}
        return self._told(memory, measures, lambda values: self._best(values, memory, against))

    def _measured(self, memory: Statement) -> tuple[Numbers, Numbers, Numbers]:
        """Containment in each run, cosine to each single statement, and agreement with each run."""
        contained, alone = self._containment(memory), self._cosines(memory)
        return contained, alone, (contained + self._over_runs(alone[None, :])[0]) / 2

    def _told(self, memory: Statement, measures: Sequence[Numbers], best: Best, quoted: bool = False) -> Likeness:
        contained, alone, together = measures
        comparable = memory.vector is not None and self._vectors is not None
        cosine, agreement = (best(values) if comparable else None for values in (alone, together))
        containment = 1.0 if quoted else best(contained) or 0.0
        return Likeness(_rounded(cosine), round(containment, _DIGITS), _rounded(agreement))

    def _best(self, values: Numbers, memory: Statement, against: dict[int, bool]) -> float | None:
        """The highest value of a statement that nothing speaks against; None if there is no such statement."""
        near = np.flatnonzero(values >= _NEGLIGIBLE)
        for n in near[np.argsort(-values[near], kind="stable")].tolist():
            if n not in against:
                against[n] = speaks_against(memory, self._statement(n)) is not None
            if not against[n]:
                return float(values[n])
        return _highest(values[values < _NEGLIGIBLE])

    def _statement(self, n: int) -> Statement:
        if n not in self._joined:
            start, end = self._runs[n]
            self._joined[n] = reduce(Statement.followed_by, self._single[start:end])
        return self._joined[n]

    def _containment(self, memory: Statement) -> Numbers:
        """The share of a memory's stems that each statement has; of too few stems it proves nothing.

        Whom the memory is about need not be named by a speaker who says "I".
        """
        if len(memory.stems) < _FEWEST_STEMS or not self._runs:
            return np.zeros(len(self._runs))
        counts: Numbers = self._over_runs(self._stems(memory.stems)).sum(axis=0, dtype=np.float64)
        if not memory.subjects or not self._speaking.any():
            return np.divide(counts, len(memory.stems))
        nameless = self._speaking & ~self._over_runs(self._stems(memory.subjects)).any(axis=0)
        return np.divide(counts, np.where(nameless, max(1, len(memory.stems - memory.subjects)), len(memory.stems)))

    def _stems(self, stems: frozenset[str]) -> NDArray[np.bool_]:
        """Which single statement has which of these stems, of shape (stems, statements)."""
        having = np.zeros((len(stems), len(self._single)), dtype=bool)
        for row, stem in zip(having, stems, strict=True):
            row[self._having.get(stem, [])] = True
        return having

    def _cosines(self, memory: Statement) -> Numbers:
        """The cosine to each single statement; -1 where one of the two has no vector."""
        cosines = np.full(len(self._single), -1.0)
        if memory.vector is not None and self._vectors is not None:
            cosines[self._embedded] = self._vectors @ memory.vector
        return cosines

    def _over_runs(self, rows: NDArray[Any]) -> NDArray[Any]:
        """From values of the single statements, (rows, statements), to the highest in every run, (rows, runs)."""
        highest, found = rows, [rows]
        for length in self._lengths[1:]:
            highest = np.maximum(highest[:, :-1], rows[:, length - 1 :])
            found.append(highest)
        return np.concatenate(found, axis=1)

    def _quotes(self, memory: Statement) -> bool:
        """Whether the words of a memory stand here one after the other, however they are broken into sentences."""
        if len(memory.stems) < _FEWEST_STEMS or not memory.stems <= self._having.keys():
            return False
        spoken = " ".join(memory.words)
        at = self._text.find(f" {spoken} ")
        if at < 0:
            return False
        first, last = (bisect_right(self._starts, place) - 1 for place in (at, at + len(spoken) - 1))
        if at == self._starts[first]:
            return True
        around = reduce(Statement.followed_by, self._single[first : last + 1])
        return speaks_against(memory, around) is None  # what stands before it may turn it round: "it is not true that"


def _highest(values: Numbers) -> float | None:
    return float(values.max()) if len(values) else None


def _only(values: Numbers, among: Sequence[int]) -> Numbers:
    """The values of these numbers, and what no measure takes elsewhere."""
    chosen = np.full(len(values), -1.0)
    chosen[list(among)] = values[list(among)]
    return chosen


def _rounded(value: float | None) -> float | None:
    return None if value is None else round(value, _DIGITS)


def window(stated: Sequence[str], vectors: Mapping[str, Vector]) -> Statements:
    """The sentences of the window with their vectors, and what neighbours say together."""
    return Statements([Statement.of(sentence, vectors.get(sentence)) for sentence in stated], together=_TOGETHER)


def against(said: Statements, policy: Policy) -> Compare:
    """How a memory is compared with a window; sentence by sentence too where a policy shortens."""

    def compare(hit: Hit, own: Statement) -> Likeness:
        like = said.likeness(own)
        if policy.dedup_mode == "drop" or hit.partial or not len(said):
            return like
        parts = [hit.content[start:end] for start, end in sentence_spans(hit.content)]
        if len(parts) < 2:
            return like
        return replace(like, parts=tuple(said.likeness(Statement.of(part)).containment for part in parts))

    return compare


def drop_said(
    candidates: Sequence[Candidate], compare: Compare, policy: Policy, standing: Collection[Key] = ()
) -> Sifted:
    """Drops what the window says already, and what a better candidate says; or shortens it to what is not said yet.

    `compare` gives a memory's likeness to the window, None if that is not known: such a memory is kept. One that is
    dropped for the window's sake is eligible again once its twin has scrolled out. What stands in the conversation, by
    its keys, is said there, and stays a candidate itself.
    """
    own = [Statement.of(each.hit.content, each.hit.vector, each.hit.speaker) for each in candidates]
    among = Statements(own)
    kept: list[Candidate] = []
    seen = [n for n, each in enumerate(candidates) if (each.hit.memory_id, each.hit.ordinal) in standing]
    stands = frozenset(seen)
    dropped: list[Fate] = []
    for n, given in enumerate(candidates):
        candidate = replace(given, likeness=compare(given.hit, own[n]))
        if n in stands:
            kept.append(candidate)
            continue
        fate = _restated(candidate, own[n], policy) or _duplicate(candidate, own[n], among, seen, policy)
        if fate is None:
            kept.append(_shortened(candidate, policy))
            seen.append(n)
        else:
            dropped.append(fate)
    return Sifted(tuple(kept), tuple(dropped))


def _restated(candidate: Candidate, own: Statement, policy: Policy) -> Fate | None:
    like = candidate.likeness
    if like is not None and policy.dedup_mode == "shorten" and like.parts and not _unsaid(like, policy):
        least = min(like.parts)
        return Fate(
            candidate, "restated", least, f"the conversation says each of its sentences (containment {least:.2f})"
        )
    return _fate(candidate, own, like, policy, "restated", "the conversation says it")


def _duplicate(
    candidate: Candidate, own: Statement, among: Statements, seen: Sequence[int], policy: Policy
) -> Fate | None:
    like = among.likeness_among(own, seen, policy) if seen else None
    return _fate(candidate, own, like, policy, "duplicate", "a better candidate says it")


def _fate(
    candidate: Candidate,
    own: Statement,
    like: Likeness | None,
    policy: Policy,
    disposition: Disposition,
    because: str,
) -> Fate | None:
    verdict = same(own, like, policy) if like is not None else None
    if verdict is None:
        return None
    measure, value = verdict
    return Fate(candidate, disposition, value, f"{because} ({measure} {value:.2f})")


def same(memory: Statement, like: Likeness, policy: Policy) -> tuple[str, float] | None:
    """The measure and value by which a policy takes a memory for said, or None if it does not."""
    if like.cosine is not None and like.cosine > policy.dedup_threshold:
        return "cosine", like.cosine
    threshold = policy.unembedded_threshold if memory.vector is None else policy.containment_threshold
    if like.containment >= threshold and like.containment > 0:
        return "containment", like.containment
    if like.agreement is not None and like.agreement >= policy.agreement_threshold:
        return "agreement", like.agreement
    return None


def _unsaid(like: Likeness, policy: Policy) -> list[int]:
    """The sentences of a memory, by number, that the window does not say."""
    return [n for n, containment in enumerate(like.parts) if containment < policy.containment_threshold]


def _shortened(candidate: Candidate, policy: Policy) -> Candidate:
    """A candidate without the sentences that the window says; as it is if that is none, or the policy drops whole."""
    like = candidate.likeness
    if policy.dedup_mode != "shorten" or like is None or not like.parts:
        return candidate
    unsaid = _unsaid(like, policy)
    if len(unsaid) == len(like.parts):
        return candidate
    spans = tuple(_joined([sentence_spans(candidate.hit.content)[n] for n in unsaid], candidate.hit.content))
    content = excerpt(candidate.hit.content, spans)
    return replace(candidate, hit=replace(candidate.hit, content=content, partial=True), excerpt=spans)


def excerpt(content: str, spans: Sequence[tuple[int, int]]) -> str:
    """The stretches of a text at these offsets, with a mark where something is left out between them."""
    return _CUT.join(content[start:end] for start, end in spans)


def _joined(spans: Sequence[tuple[int, int]], content: str) -> Iterator[tuple[int, int]]:
    """Neighbouring spans as one."""
    start, end = spans[0]
    for following, stop in spans[1:]:
        if content[end:following].strip():
            yield start, end
            start = following
        end = stop
    yield start, end
