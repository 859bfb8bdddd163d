"""Treat a captured line and the memories that were formed from it as one candidate: the formed ones are shown."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import replace

from cognitive.trace import Candidate, CandidateResult, StageResult

_MOVED = "it takes the place of the line that it was formed from"
_REASON = "a memory that was formed from it is a candidate"


def drop_lines(candidates: Sequence[Candidate]) -> StageResult:
    """Drop the captured lines from which another candidate was formed; the best of these takes the line's rank."""
    formed = {each.hit.source for each in candidates if is_formed(each)}
    lines = {each.hit.source: each for each in candidates if each.hit.source in formed and _is_line(each)}
    if not lines:
        return StageResult(tuple(candidates))
    kept, dropped, waiting = list[Candidate](), list[CandidateResult](), dict(lines)
    for candidate in sorted(candidates, key=lambda each: each.rank):
        if lines.get(candidate.hit.source) is candidate:
            continue
        line = waiting.pop(candidate.hit.source, None) if is_formed(candidate) else None
        if line is not None and line.rank < candidate.rank:
            moved = f"{candidate.moved}; {_MOVED}" if candidate.moved else _MOVED
            candidate, line = replace(candidate, rank=line.rank, moved=moved), replace(line, rank=candidate.rank)
        if line is not None:
            dropped.append(CandidateResult(line, "duplicate", 1.0, _REASON))
        kept.append(candidate)
    return StageResult(tuple(sorted(kept, key=lambda each: each.rank)), tuple(dropped))


def is_formed(candidate: Candidate) -> bool:
    """Return True if a candidate was formed from a captured line."""
    return "formed_by" in candidate.hit.attributes


def _is_line(candidate: Candidate) -> bool:
    return candidate.hit.type == "episode" and not is_formed(candidate)
