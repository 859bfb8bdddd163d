"""Find the tense of the words around a date, which decides between the last and the next such day."""

from __future__ import annotations

import re
from collections.abc import Iterator

from cognitive.preflight.rules.matching import compile_pattern
from cognitive.preflight.rules.tenses import NEITHER, TENSES

_REACH = 120  # characters on each side of a date that are read

_tenses = compile_pattern("|".join(f"({rule.pattern})" for rule in TENSES), name="tenses")
_SENTENCE_END = re.compile(rb"[.!?;\n](?=\s|$)")
_CLAUSE_END = re.compile(rb"[.!?;,\n](?=\s|$)|\s(?=(?:and|but|so) )")


def tense_around(lower: bytes, start: int, end: int) -> str:
    """Return the tense of the words around a date phrase, or an empty string if none shows it.

    The clause counts, and if it shows none, the sentence. Of several words the nearest decides.
    """
    for boundary in (_CLAUSE_END, _SENTENCE_END):
        opening = max([match.end() for match in boundary.finditer(lower, max(0, start - _REACH), start)], default=0)
        opening = max(opening, start - _REACH)
        closing = boundary.search(lower, end, end + _REACH)
        shown = [
            (max(start - to, at - end, 0), tense)
            for at, to, tense in _tenses_in(lower[opening : closing.start() if closing else end + _REACH], opening)
            if tense != NEITHER and (at < start or at >= end)
        ]
        if shown:
            return min(shown)[1]
    return ""


def _tenses_in(clause: bytes, offset: int) -> Iterator[tuple[int, int, str]]:
    for match in _tenses.finditer(clause):
        rule = next(rule for rule, group in zip(TENSES, match.groups(), strict=True) if group is not None)
        yield offset + match.start(), offset + match.end(), rule.signal
