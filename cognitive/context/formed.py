"""Treat a captured line and the memories that were formed from it as one candidate: the formed ones are shown.

A line that says much beside them stays a candidate too.
"""

from __future__ import annotations

from collections.abc import Sequence

from brain.text import lexemes
from cognitive.trace import Candidate, CandidateResult, StageResult

OWN_LINE = "turn/"  # prefix of the source of a captured line, which names the turn
SHARED_LINE = "user-turn/"  # prefix of the source of a shared captured line, which names the user too
_ENDS = ("/user", "/assistant")  # of both
_MOVED = "it takes the place of the line that it was formed from"
_REASON = "a memory that was formed from it is a candidate"
_MIN_REPEATED = 0.5  # share of a line's stems that the memories formed from it have

_Source = tuple[str | None, str | None]  # user and source


def drop_lines(candidates: Sequence[Candidate]) -> StageResult:
    """Drop the captured lines from which another candidate was formed; the best of these takes the line's rank.

    Statements match a query better than the lines that they are from. With a better rank than the line's, they would
    push out other lines, which may be evidence. A line that says more is kept, unless one of these memories is
    superseded: the line has the old value.
    """
    waiting = _replaced_lines(candidates)
    lines = {id(line) for line in waiting.values()}
    kept, dropped = list[Candidate](), list[CandidateResult]()
    for candidate in sorted(candidates, key=lambda each: each.rank):
        if id(candidate) in lines:
            continue
        line = waiting.pop(_source(candidate), None) if is_formed(candidate) else None
        if line is not None:
            moved = f"{candidate.moved}; {_MOVED}" if candidate.moved else _MOVED
            candidate, line = candidate._replace(rank=line.rank, moved=moved), line._replace(rank=candidate.rank)
            dropped.append(CandidateResult(line, "duplicate", 1.0, _REASON))
        kept.append(candidate)
    return StageResult(tuple(sorted(kept, key=lambda each: each.rank)), tuple(dropped))


def _replaced_lines(candidates: Sequence[Candidate]) -> dict[_Source, Candidate]:
    """Return the lines, by their source, instead of which the memories formed from them are shown."""
    formed: dict[_Source, list[Candidate]] = {}
    for each in candidates:
        if is_formed(each):
            formed.setdefault(_source(each), []).append(each)
    lines = {_source(each): each for each in candidates if _is_line(each) and _source(each) in formed}
    return {source: line for source, line in lines.items() if not _says_more(line, formed[source])}


def names_turn(source: str | None) -> bool:
    """Return True for the source of a captured line, which what was formed from the line has too."""
    return source is not None and source.startswith((OWN_LINE, SHARED_LINE)) and source.endswith(_ENDS)


def _source(candidate: Candidate) -> _Source:
    """Return the user and source that a captured line and the memories formed from it have in common.

    The source of a shared line names its user; the memories formed from it may be the user's. Other sources are unique
    for one user only.
    """
    hit = candidate.hit
    return (None if (hit.source or "").startswith(SHARED_LINE) else hit.user_id), hit.source


def _says_more(line: Candidate, formed: Sequence[Candidate]) -> bool:
    """Return True if a line says what the memories formed from it, all of which still hold, do not say.

    It does if it matches the message better, or if these memories have less than half of its stems.
    """
    if any(each.hit.hidden_reason is not None for each in formed):
        return False
    if line.match > max(each.match for each in formed):
        return True
    stems, repeated = set(lexemes(line.hit.content)), {stem for each in formed for stem in lexemes(each.hit.content)}
    return len(stems & repeated) < _MIN_REPEATED * len(stems)


def is_formed(candidate: Candidate) -> bool:
    """Return True if a candidate was formed from a captured line."""
    return "formed_by" in candidate.hit.attributes


def _is_line(candidate: Candidate) -> bool:
    return candidate.hit.type == "episode" and not is_formed(candidate)
