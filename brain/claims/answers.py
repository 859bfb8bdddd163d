"""Recognise instructions about the language or the length of all answers; a later one is a version of the earlier."""

from __future__ import annotations

import re

from brain.languages import NAMES
from brain.text import words

_CLAUSE_END = re.compile(r"[,.;:!–—]|\s-\s")
_WHILE_WRITING = re.compile(
    r"\b(?:when(?:ever)?|if) (?:i|we) (?:ask|speak|talk|write)(?: to)?(?: you)?$", re.IGNORECASE
)
# Clauses have no other words than these and the ones below; what is said of a table or of mails has.
_FILLING = frozenset(
    "a all always and as from give in just keep make me more now of on only please possible the to us very your".split()
)
_LIMITS = frozenset("but except if unless".split())
_ANSWERS = frozenset("answers replies responses".split())
_TO_ANSWER = frozenset("answer reply respond speak talk write".split())
_LANGUAGES = frozenset(NAMES) | frozenset("chinese hebrew japanese korean thai ukrainian vietnamese".split())
_VARIETIES = frozenset("american brazilian british".split())
_LENGTHS = {
    **dict.fromkeys("brief concise short shorter terse".split(), "short"),
    **dict.fromkeys("detailed long longer".split(), "long"),
}


def style_of_answers(content: str) -> tuple[str, str] | None:
    """Return "language" or "length" and the value that an instruction sets for all answers, or None if it sets none."""
    clauses = [words(_WHILE_WRITING.sub("", each.strip())) for each in _CLAUSE_END.split(content)]
    if any(not _LIMITS.isdisjoint(each) for each in clauses):
        return None
    return next((style for each in clauses if (style := _language(each) or _length(each)) is not None), None)


def _language(clause: list[str]) -> tuple[str, str] | None:
    """Return the style of "Always answer in British English", or None."""
    value = [word for word in clause if word in _LANGUAGES | _VARIETIES]
    others = set(clause) - _FILLING - set(value)
    if len(_LANGUAGES.intersection(value)) != 1 or len(others) != 1 or not others <= _TO_ANSWER:
        return None
    return ("language", " ".join(value)) if clause[clause.index(value[0]) - 1] == "in" else None


def _length(clause: list[str]) -> tuple[str, str] | None:
    """Return the style of "Please keep your answers short", or None."""
    values = {_LENGTHS[word] for word in clause if word in _LENGTHS}
    others = set(clause) - _FILLING - _LENGTHS.keys() - {"write"}
    if len(values) != 1 or len(others) != 1 or not others <= _ANSWERS or clause[0] in _ANSWERS:
        return None
    return "length", values.pop()
