"""The words of a query: how many passages have each, counted or estimated, and whose postings are worth their time."""

from __future__ import annotations

import math
from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from typing import Any
from uuid import UUID

# A lexeme in more passages than this is not read: three common words in an OR query were measured at 216 ms.
MAX_POSTINGS = 5_000
# From so many passages on, an agent's words are read by what all of them cost: below, that is bounded by the rule above
# well enough, and the 0.5 % above which it would leave a word out is what a question is usually about.
LARGE_AGENT_PASSAGES = 50_000
MAX_COUNTED_POSTINGS = (
    1_000  # postings that are counted of a word of a large agent; an estimate from so many is off by some 3 %
)
MAX_READ = 8_000  # postings of all words of a query to a large agent; some 20 ms
MAX_COMMON = 2  # words beyond that which are looked up in what was found: the rarest of them, at 5 ms each


@dataclass(frozen=True, slots=True)
class Term:
    """A lexeme of a query: passages and sessions of the agent that say it, and passages that have it in any field."""

    content_passages: int
    sessions: int
    all_passages: int


@dataclass(frozen=True, slots=True)
class SelectedTerms:
    """The lexemes to read postings of, and those only looked up in what these find; each with its count of passages."""

    read: Mapping[str, int]
    common: Mapping[str, int]


def terms(counts: Mapping[str, Sequence[Any]], lexemes: Sequence[str], sessions: int) -> dict[str, Term]:
    """What the statement `facts` counted of each lexeme, in the query's order; estimated where it stopped early."""
    return {lexeme: _term(*counts[lexeme], all_sessions=sessions) for lexeme in lexemes}


def _term(content_passages: int, sessions: int, all_passages: int, last: str | None, *, all_sessions: int) -> Term:
    """A lexeme whose count may have stopped at the memory `last`: then with the estimate of the whole.

    Postings come by memory, and a memory's id is a hash: the k-th of them lies where k of n equally spread ones do
    (Bar-Yossef et al., "Counting distinct elements in a data stream", 2002). Sessions are estimated as if passages fell
    into them by chance.
    """
    if last is None:
        return Term(content_passages, sessions, all_passages)
    whole = (all_passages - 1) * 2**128 / (UUID(last).int + 1)
    told = whole * content_passages / all_passages
    held = all_sessions * -math.expm1(-told / all_sessions) if all_sessions else 0.0
    return Term(round(told), max(sessions, round(held)), round(whole))


def select_terms(found: Mapping[str, Term], passages: int) -> SelectedTerms:
    """For a small agent every word that is not too common; for a large one the rarest, up to a bound of postings."""
    present = {lexeme: term for lexeme, term in found.items() if term.all_passages}
    if passages <= LARGE_AGENT_PASSAGES:
        return SelectedTerms(
            {word: term.content_passages for word, term in present.items() if term.all_passages < MAX_POSTINGS}, {}
        )
    read, common, left = set[str](), list[str](), MAX_READ
    for lexeme in sorted(present, key=lambda lexeme: (present[lexeme].all_passages, lexeme)):
        left -= present[lexeme].all_passages
        if left >= 0:
            read.add(lexeme)
        elif len(common) < MAX_COMMON:
            common.append(lexeme)
    return SelectedTerms(
        {lexeme: term.content_passages for lexeme, term in present.items() if lexeme in read},
        {lexeme: present[lexeme].content_passages for lexeme in common},
    )


def idf(documents: int, holding: int) -> float:
    """Inverse document frequency, as BM25 has it, of a word that `holding` of so many documents have."""
    return math.log(1 + (documents - holding + 0.5) / (holding + 0.5))
