"""Treat a captured line and the memories that were formed from it as one candidate: the formed ones are shown."""

from __future__ import annotations

from collections.abc import Sequence

from cognitive.trace import Candidate, CandidateResult, StageResult

OWN_LINE = "turn/"  # prefix of the source of a captured line, which names the turn
SHARED_LINE = "user-turn/"  # prefix of the source of a shared captured line, which names the user too
_ENDS = ("/user", "/assistant")  # of both
_MOVED = "it takes the place of the line that it was formed from"
_REASON = "a memory that was formed from it is a candidate"
_LONG = 3  # times as many words as what was formed from it: the other words of such a line hide the match


def drop_lines(candidates: Sequence[Candidate]) -> StageResult:
    """Drop the captured lines from which another candidate was formed; the best of these takes the line's rank.

    Statements match a query better than the lines that they are from. With a better rank than the line's, they would
    push out other lines, which may be evidence. What is formed from a part of a long line keeps a better rank.
    """
    formed = {_source(each) for each in candidates if is_formed(each)}
    lines = {source: each for each in candidates if _is_line(each) and (source := _source(each)) in formed}
    if not lines:
        return StageResult(tuple(candidates))
    kept, dropped, waiting = list[Candidate](), list[CandidateResult](), dict(lines)
    for candidate in sorted(candidates, key=lambda each: each.rank):
        if lines.get(_source(candidate)) is candidate:
            continue
        line = waiting.pop(_source(candidate), None) if is_formed(candidate) else None
        if line is not None and (line.rank < candidate.rank or not _is_long(line, candidate)):
            moved = f"{candidate.moved}; {_MOVED}" if candidate.moved else _MOVED
            candidate, line = candidate._replace(rank=line.rank, moved=moved), line._replace(rank=candidate.rank)
        if line is not None:
            dropped.append(CandidateResult(line, "duplicate", 1.0, _REASON))
        kept.append(candidate)
    return StageResult(tuple(sorted(kept, key=lambda each: each.rank)), tuple(dropped))


def names_turn(source: str | None) -> bool:
    """Return True for the source of a captured line, which what was formed from the line has too."""
    return source is not None and source.startswith((OWN_LINE, SHARED_LINE)) and source.endswith(_ENDS)


def _source(candidate: Candidate) -> tuple[str | None, str | None]:
    """Return the user and source that a captured line and the memories formed from it have in common.

    The source of a shared line names its user; the memories formed from it may be the user's. Other sources are unique
    for one user only.
    """
    hit = candidate.hit
    return (None if (hit.source or "").startswith(SHARED_LINE) else hit.user_id), hit.source


def _is_long(line: Candidate, formed: Candidate) -> bool:
    return len(line.hit.content.split()) >= _LONG * len(formed.hit.content.split())


def is_formed(candidate: Candidate) -> bool:
    """Return True if a candidate was formed from a captured line."""
    return "formed_by" in candidate.hit.attributes


def _is_line(candidate: Candidate) -> bool:
    return candidate.hit.type == "episode" and not is_formed(candidate)
