"""Superseded memories: drop those that a newer memory has replaced, unless the message asks about the past."""

from __future__ import annotations

from collections.abc import Sequence
from uuid import UUID

from brain.search import Hit
from cognitive.trace import Candidate, CandidateResult, StageResult


def drop_superseded(candidates: Sequence[Candidate], *, history: bool) -> StageResult:
    """Drop the candidates that a newer memory has replaced; with `history`, keep them with a note.

    The recall tool always returns them, ranked below their replacements.
    """
    kept, dropped = list[Candidate](), list[CandidateResult]()
    for candidate in candidates:
        if candidate.hit.hidden_reason is None:
            kept.append(candidate)
        elif history:
            kept.append(candidate._replace(note=f"{_replaced(candidate.hit)}; the message asks about the past"))
        else:
            dropped.append(CandidateResult(candidate, "superseded", candidate.score, _replaced(candidate.hit)))
    return StageResult(tuple(kept), tuple(dropped))


def with_predecessors(candidates: Sequence[Candidate], result: StageResult) -> StageResult:
    """Keep also the superseded candidates whose replacement is kept: a question often has words of only one of them.

    `result` is what a stage did with `candidates`. Its order is kept, and each added candidate follows its replacement.
    """
    passed = {candidate.hit.memory_id for candidate in result.kept}
    earlier: dict[UUID, list[Candidate]] = {}
    for candidate in candidates:
        if candidate.hit.replaced_by is not None and candidate.hit.memory_id not in passed:
            earlier.setdefault(candidate.hit.replaced_by, []).append(candidate)
    kept, waiting = list[Candidate](), list(reversed(result.kept))
    while waiting:
        kept.append(waiting.pop())
        waiting.extend(reversed(earlier.pop(kept[-1].hit.memory_id, [])))
    ids = {candidate.hit.memory_id for candidate in kept}
    return StageResult(tuple(kept), tuple(each for each in result.dropped if each.candidate.hit.memory_id not in ids))


def _replaced(hit: Hit) -> str:
    return f"replaced by {hit.replaced_by}" if hit.replaced_by is not None else "replaced by a memory that was erased"
