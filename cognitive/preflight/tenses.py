"""Find the tense of the words around a date, which decides between the last and the next such day."""

from __future__ import annotations

import re
from collections.abc import Iterable, Iterator, Sequence

from cognitive.preflight.rules.matching import RuleTable, compile_pattern
from cognitive.preflight.rules.tenses import NEITHER, TENSES, VERBLESS

_REACH = 120  # characters on each side of a date that are read

_tenses = compile_pattern("|".join(f"({rule.pattern})" for rule in TENSES), name="tenses")
_verbless = RuleTable(VERBLESS)
_SENTENCE_END = re.compile(rb"[.!?;\n](?=\s|$)")
_CLAUSE_END = re.compile(rb"[.!?;,\n](?=\s|$)|\s(?=(?:and|but|so) )")


def tense_around(lower: bytes, start: int, end: int, dates: Sequence[int] = ()) -> str:
    """Return the tense of the words around a date phrase, or an empty string if none shows it.

    The clause decides, else the sentence without the clauses of other dates, at the offsets `dates`. The nearest word
    counts. A clause without a verb may name an appointment, which is ahead.
    """
    clause = _bounds(_CLAUSE_END, lower, start, end)
    own = lower[clause[0] : start] + lower[end : clause[1]]
    apart = len(own.split()) > 1  # "and Saturday" has the verb of the clause before
    others = [each for each in dates if apart and not clause[0] <= each < clause[1]]
    for opening, closing in (clause, _bounds(_SENTENCE_END, lower, start, end)):
        shown = [
            (max(start - to, at - end, 0), tense)
            for at, to, tense in _tenses_in(lower[opening:closing], opening)
            if tense != NEITHER and (at < start or at >= end) and not _beside(others, lower, at, to)
        ]
        if shown:
            return min(shown)[1]
    verbless = _verbless.fired(own)
    return verbless[0].signal if verbless and verbless[0].signal != NEITHER else ""


def _bounds(boundary: re.Pattern[bytes], lower: bytes, start: int, end: int) -> tuple[int, int]:
    """Return the offsets of the part of a text around a place, from one boundary to the next."""
    opening = max([match.end() for match in boundary.finditer(lower, max(0, start - _REACH), start)], default=0)
    closing = boundary.search(lower, end, end + _REACH)
    return max(opening, start - _REACH), closing.start() if closing else end + _REACH


def _beside(dates: Iterable[int], lower: bytes, start: int, end: int) -> bool:
    """Return True if one of the dates is in the clause around a place."""
    opening, closing = _bounds(_CLAUSE_END, lower, start, end)
    return any(opening <= each < closing for each in dates)


def _tenses_in(clause: bytes, offset: int) -> Iterator[tuple[int, int, str]]:
    for match in _tenses.finditer(clause):
        rule = next(rule for rule, group in zip(TENSES, match.groups(), strict=True) if group is not None)
        yield offset + match.start(), offset + match.end(), rule.signal
