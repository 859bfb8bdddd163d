"""Recognise refusals: clauses in which a response declines, or says that something is not known.

"I can't tell you where the billing backups are kept" has the words of the memory about these backups and uses nothing
of it. The rules are about English.
"""

from __future__ import annotations

import re
from collections.abc import Iterator

from brain.caches import cached
from brain.text import normalise
from cognitive.context import talk

_MAX_READ = 4_096  # sentences whose result is cached
# Where a refusal ends and a statement may begin: "I can't deploy today: releases on Fridays need an approval".
_BREAK = re.compile(
    r"[;–—]|:\s|\s-\s|,?\s\b(?:but|because|since|although|though|however)\b|,\s(?:as|so)\b"
    r"|,\s(?=(?:it|they|this|that|there|he|she|you|we|the)\b)",
    re.IGNORECASE,
)
_NOT = r"(?:can't|cannot|can not|won't|will not|couldn't|could not|wouldn't|would not|mustn't|must not)"
_DECLINES = re.compile(
    rf"\bi {_NOT}\b"
    r"|\bi(?:'m| am) (?:\w+ ){0,2}?(?:unable|unwilling|not (?:able|allowed|permitted|authori[sz]ed|comfortable|going"
    r"|at liberty|in a position|supposed|willing))\b"
    r"|\bi (?:don't|do not) (?:give out|hand out|share|disclose|reveal|discuss)\b"
    r"|\bi(?:'d| would) (?:rather|prefer) not\b"
    r"|\bi (?:must |have to |need to )?(?:politely |respectfully )?(?:decline|refuse)\b"
    r"|\b(?:is|are)(?:n't| not) (?:\w+ )?(?:available to me|accessible to me|for me to)\b"
)


@cached(_MAX_READ)
def without_refusals(sentence: str) -> str:
    """Return a sentence of a response without the clauses that refuse, or say that something is not known."""
    return " ".join(clause for clause in _clauses(sentence) if not _refuses(clause))


def _clauses(sentence: str) -> Iterator[str]:
    start = 0
    for end in _BREAK.finditer(sentence):
        yield sentence[start : end.start()]
        start = end.end()
    yield sentence[start:]


def _refuses(clause: str) -> bool:
    return _DECLINES.search(normalise(clause)) is not None or talk.kind(clause, assistant=True) == "unknown"
